#!/bin/sh
# A violation is found and its witness confirmed; a proof is found. Works in any folder.
set -eu
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
expect() {
  said=$(sed -n 1p out)
  [ "$said" = "$1" ] || { echo "smoke test: expected '$1', got '$said'" >&2; exit 1; }
}
"$here/whydunit" verify -p "$here/unreach-call.prp" --data-model ilp32 --witness witness.yml -D BUG "$here/smoke.c" >out || true
expect "verdict: false(unreach-call)"
"$here/whydunit" verify -p "$here/unreach-call.prp" --data-model ilp32 "$here/smoke.c" >out || true
expect "verdict: true"
[ -s witness.yml ] || { echo "smoke test: no witness" >&2; exit 1; }
echo "smoke test: good"
