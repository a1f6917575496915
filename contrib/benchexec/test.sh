#!/usr/bin/env bash
# Installs benchexec into target/python, tests the tool-info module with it, and, where control groups are permitted, runs 20 tasks through
# benchexec and table-generator. Usage: contrib/benchexec/test.sh [EXECUTABLE]
set -euo pipefail
cd "$(dirname "$0")/../.."
python=target/python
if ! "$python/bin/python" -c 'import benchexec' 2>/dev/null; then
  python3 -m venv "$python" && "$python/bin/pip" install --quiet --disable-pip-version-check benchexec ||
    { echo "skipped: benchexec cannot be installed here"; exit 0; }
fi
export PYTHONPATH="$PWD"
"$python/bin/python" -m contrib.benchexec.test_whydunit

tool=${1:-target/release/whydunit}
[ -x "$tool" ] || { echo "skipped: $tool is not built, so no task is run"; exit 0; }
tasks=${WHYDUNIT_BENCH:-../shared/bench}/sv-benchmarks/c
[ -d "$tasks" ] || { echo "skipped: there are no tasks in $tasks"; exit 0; }
work=target/benchexec && rm -rf "$work" && mkdir -p "$work/bin" && cp "$tool" "$work/bin/whydunit"
tasks=$(realpath "$tasks")
cat > "$work/test.xml" <<XML
<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
<benchmark tool="contrib.benchexec.whydunit" timelimit="10 s" memlimit="2 GB" cpuCores="1">
  <option name="--show-steps">2</option>
  <option name="--data-model">ilp32</option>
  <rundefinition name="unreach-call">
    <tasks name="bitvector"><include>$tasks/bitvector*/*.yml</include></tasks>
    <propertyfile>$tasks/properties/unreach-call.prp</propertyfile>
  </rundefinition>
</benchmark>
XML
if ! "$python/bin/python" -m benchexec.check_cgroups >"$work/cgroups.log" 2>&1; then
  echo "control groups are not permitted here, so benchexec cannot measure ($(grep -m1 . "$work/cgroups.log")); the module alone was tested"
  exit 0
fi
"$python/bin/benchexec" "$work/test.xml" --tool-directory "$work/bin" --outputpath "$work/results/" --numOfThreads 2 --no-compress-results --read-only-dir / --hidden-dir /home --overlay-dir "$PWD" | tail -n 9
"$python/bin/table-generator" --outputpath "$work" --quiet "$work"/results/*.unreach-call.bitvector.xml
ls "$work"/*.html "$work"/*.csv
