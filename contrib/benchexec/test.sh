#!/usr/bin/env bash
# Tests the tool-info module with the package benchexec and, where control groups are permitted, runs 24 tasks through benchexec and table-generator.
# `cargo xtask setup` installs the package. Usage: contrib/benchexec/test.sh [EXECUTABLE]
set -euo pipefail
cd "$(dirname "$0")/../.."
python=target/tools
"$python/bin/python" -c 'import benchexec' 2>/dev/null || { echo "benchexec is not installed in $python: cargo xtask setup"; exit 1; }
export PYTHONPATH="$PWD"
"$python/bin/python" -m contrib.benchexec.test_whydunit

tool=${1:-target/release/whydunit}
[ -x "$tool" ] || { echo "$tool is not built"; exit 1; }
if ! "$python/bin/python" -m benchexec.check_cgroups >/dev/null 2>&1; then
  echo "control groups are not permitted here, so benchexec cannot measure; the module alone was tested"
  exit 0
fi
# Not in /tmp, which benchexec hides from what it runs.
work=$PWD/target/benchexec
rm -rf "$work"
mkdir -p "$work/bin" "$work/tasks"
cp "$tool" "$work/bin/whydunit"
echo 'CHECK( init(main()), LTL(G ! call(reach_error())) )' > "$work/tasks/unreach-call.prp"

# A loop that sums up to a number, with a right and a wrong claim about it.
for bound in $(seq 12); do
  for expected in true false; do
    name=sum_${bound}_$expected
    sum=$((bound * (bound + 1) / 2))
    [ $expected = true ] || sum=$((sum + 1))
    cat > "$work/tasks/$name.c" <<C
extern void abort(void);
void reach_error(void) { abort(); }
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uchar(), sum = 0;
  if (n != $bound) return 0;
  for (unsigned i = 1; i <= n; i++) sum += i;
  if (sum != $sum) { reach_error(); }
  return 0;
}
C
    cat > "$work/tasks/$name.yml" <<YML
format_version: "2.0"
input_files: "$name.c"
properties:
  - property_file: unreach-call.prp
    expected_verdict: $expected
options:
  language: C
  data_model: ILP32
YML
  done
done
cat > "$work/test.xml" <<XML
<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
<benchmark tool="contrib.benchexec.whydunit" timelimit="60 s" memlimit="2 GB" cpuCores="1">
  <option name="--show-steps">2</option>
  <rundefinition name="unreach-call">
    <tasks name="sums"><include>$work/tasks/*.yml</include></tasks>
    <propertyfile>$work/tasks/unreach-call.prp</propertyfile>
  </rundefinition>
</benchmark>
XML
"$python/bin/benchexec" "$work/test.xml" --tool-directory "$work/bin" --outputpath "$work/results/" --numOfThreads 2 --no-compress-results --read-only-dir / --hidden-dir /home --overlay-dir "$PWD" > "$work/log"
tail -n 9 "$work/log"
grep -qE '^ *correct: +24$' "$work/log" || { echo "not all 24 tasks are answered correctly"; exit 1; }
"$python/bin/table-generator" --outputpath "$work/table" --quiet "$work"/results/*.unreach-call.sums.xml
ls "$work"/table/*.html "$work"/table/*.csv
