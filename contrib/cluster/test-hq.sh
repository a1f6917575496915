#!/usr/bin/env bash
# The same 200 tasks on this machine and on a HyperQueue server with two workers, one of which is killed; then a run whose own process is killed is
# resumed. `hq` has to be in PATH (its releases are single executables). Usage: contrib/cluster/test-hq.sh [EXECUTABLE]
command -v hq >/dev/null || { echo "skipped: hq is not in PATH"; exit 0; }
. "$(dirname "$0")/tasks.sh"
export HQ_SERVER_DIR="$work/hq"
started=()
finish() {
  hq server stop >/dev/null 2>&1 || true
  for process in "${started[@]}"; do kill -9 "$process" 2>/dev/null || true; done
  [ -n "${WHYDUNIT_CLUSTER_WORK:-}" ] || rm -rf "$work"
}
trap finish EXIT
hq server start >"$work/server.log" 2>&1 & started+=($!)
for _ in $(seq 50); do hq server info >/dev/null 2>&1 && break; sleep 0.2; done
hq worker start --cpus 1 >"$work/worker1.log" 2>&1 & started+=($!)
hq worker start --cpus 1 >"$work/worker2.log" 2>&1 & second=$!; started+=($second)

choose_tasks
time batch --out "$work/hq-run" --on hq
same_verdicts local hq-run

echo "a worker is killed"
(sleep 1; kill -9 $second) &
batch --out "$work/hq-killed" --on hq
same_verdicts local hq-killed

echo "the run itself is killed, then resumed"
"$tool" batch "$work/tasks.csv" --timeout 30 --out "$work/hq-resumed" --on hq >/dev/null 2>&1 & run=$!
until_results "$work/hq-resumed" 20; kill -9 $run; wait $run 2>/dev/null || true
echo "$(wc -l < "$work/hq-resumed/results.jsonl") results before"
batch --out "$work/hq-resumed" --on hq --resume
same_verdicts local hq-resumed
echo "1 passed, 0 failed"
