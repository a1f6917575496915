#!/usr/bin/env bash
# The same 200 tasks on this machine and on a Slurm cluster of one node that this script starts (as root: Debian's slurm-wlm and munge), then a run that was
# begun on this machine is resumed there. Usage: contrib/cluster/test-slurm.sh [EXECUTABLE]
for program in slurmctld slurmd sbatch munged; do
  command -v $program >/dev/null || PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "skipped: $program is not installed (Debian: slurm-wlm, munge)"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: a cluster of its own needs root"; exit 0; }
PATH=$PATH:/usr/sbin
. "$(dirname "$0")/tasks.sh"
chmod 755 "$work"
host=$(hostname -s)
mkdir -p "$work/slurm/state" "$work/slurm/spool" "$work/munge"
started=()
finish() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  sleep 0.5
  for process in "${started[@]}"; do kill -9 "$process" 2>/dev/null || true; done
  [ -n "${WHYDUNIT_CLUSTER_WORK:-}" ] || rm -rf "$work"
}
trap finish EXIT
# A key and a socket of this test's own, so that a munge of the system is left alone.
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 600 "$work/munge/key"; chmod 755 "$work/munge"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munged.out" 2>&1 & started+=($!)
cat > "$work/slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
SlurmctldPidFile=$work/slurm/ctld.pid
SlurmdPidFile=$work/slurm/d.pid
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldLogFile=$work/slurm/ctld.log
SlurmdLogFile=$work/slurm/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(($(awk '/MemTotal/ {print $2}' /proc/meminfo) / 1024 - 500)) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm/slurm.conf"
sleep 0.5
slurmctld -D >"$work/slurm/ctld.out" 2>&1 & started+=($!)
sleep 1
slurmd -D -N "$host" >"$work/slurm/d.out" 2>&1 & started+=($!)
for _ in $(seq 50); do sinfo --noheader --format %T 2>/dev/null | grep -q idle && break; sleep 0.3; done
sinfo || { tail -5 "$work"/slurm/*.out "$work/munged.out"; exit 1; }

choose_tasks
time batch --out "$work/slurm-run" --on slurm
same_verdicts local slurm-run

echo "begun on this machine and killed, then resumed on the cluster"
"$tool" batch "$work/tasks.csv" --timeout 30 --out "$work/resumed" -j 1 >/dev/null 2>&1 & run=$!
until_results "$work/resumed" 20; kill -9 $run; wait $run 2>/dev/null || true
echo "$(wc -l < "$work/resumed/results.jsonl") results before"
batch --out "$work/resumed" --on slurm --resume
same_verdicts local resumed
echo "1 passed, 0 failed"
