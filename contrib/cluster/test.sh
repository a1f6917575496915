#!/usr/bin/env bash
# The same 200 tasks on this machine, by HyperQueue and by Slurm: all three have the same verdicts. A place whose programs are not installed is skipped, and
# said to be. Usage: contrib/cluster/test.sh [EXECUTABLE]
set -euo pipefail
cd "$(dirname "$0")"
WHYDUNIT_CLUSTER_WORK=$(mktemp -d)
export WHYDUNIT_CLUSTER_WORK
trap 'rm -rf "$WHYDUNIT_CLUSTER_WORK"' EXIT
./test-hq.sh "$@"
./test-slurm.sh "$@"
. ./tasks.sh
if [ -d "$work/hq-run" ] && [ -d "$work/slurm-run" ]; then same_verdicts hq-run slurm-run; fi
