# Sourced by the tests of clusters: 200 tasks, run on this machine and elsewhere, must have the same verdicts.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tool=${1:-$root/target/release/whydunit}
[ -x "$tool" ] || { echo "skipped: $tool is not built"; exit 0; }
bench=${WHYDUNIT_BENCH:-$root/../shared/bench}/sv-benchmarks
[ -f "$bench/tasks.csv" ] || { echo "skipped: there are no tasks in $bench"; exit 0; }
# One list for all places: `test.sh` tests one place after the other in the same folder, and compares them.
work=${WHYDUNIT_CLUSTER_WORK:-$(mktemp -d)}
[ -e "$work/c" ] || ln -s "$(realpath "$bench/c")" "$work/c"

# 200 tasks that this machine decides quickly: only their verdicts do not depend on its load. The list and the verdicts of this machine are made once.
choose_tasks() {
  if [ -f "$work/local/summary.json" ]; then
    echo "$(($(wc -l < "$work/tasks.csv") - 1)) tasks, as before"
    return
  fi
  cp "$bench/tasks.csv" "$work/tasks.csv"
  "$tool" batch "$work/tasks.csv" --timeout 2 --out "$work/probe" >/dev/null || true
  python3 - "$work" <<'PY'
import csv, json, sys
work = sys.argv[1]
rows = [row for row in map(json.loads, open(work + "/probe/results.jsonl")) if row["status"] == "correct" and row["cpu_s"] < 1]
quick = {(row["task"], row["property"]) for row in sorted(rows, key=lambda row: row["cpu_s"])[:200]}
rows = list(csv.reader(open(work + "/tasks.csv")))
kept = [rows[0]] + [row for row in rows[1:] if (row[0], row[2]) in quick]
csv.writer(open(work + "/tasks.csv", "w"), lineterminator="\n").writerows(kept)
print(len(kept) - 1, "tasks")
PY
  batch --out "$work/local" -j 2
}

# Whether two runs have the same verdicts.
same_verdicts() {
  python3 - "$work/$1/results.jsonl" "$work/$2/results.jsonl" <<'PY'
import json, sys
runs = [{(row["task"], row["property"]): row["verdict"] for row in map(json.loads, open(path))} for path in sys.argv[1:]]
different = [(key, runs[0][key], runs[1].get(key)) for key in runs[0] if runs[0][key] != runs[1].get(key)]
print(len(runs[0]), "tasks,", len(different), "different verdicts", different[:5])
sys.exit(1 if different or len(runs[0]) != len(runs[1]) else 0)
PY
}

# `batch` of the chosen tasks with these options; only exit codes that say something about tasks are expected.
batch() {
  local code=0
  "$tool" batch "$work/tasks.csv" --timeout 30 "$@" | tail -n 1 || code=${PIPESTATUS[0]}
  case $code in 0 | 30) ;; *) echo "exit code $code"; return 1 ;; esac
}

# Waits until a run has so many results.
until_results() {
  for _ in $(seq 600); do
    [ "$(cat "$1/results.jsonl" 2>/dev/null | wc -l)" -ge "$2" ] && return
    sleep 0.05
  done
}
