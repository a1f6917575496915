#!/bin/sh
# Checks an archive against what the organizers ask for as far as it is public: one folder, licence, no large or needless files, the executable says its version,
# the smoke test passes where the archive is unpacked and in another folder. Usage: check.sh ARCHIVE.zip
set -eu
zip=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "archive: $1" >&2; exit 1; }
python3 - "$zip" "$work" <<'PY'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for entry in archive.infolist():
        path = archive.extract(entry, sys.argv[2])
        os.chmod(path, entry.external_attr >> 16 or 0o644)
PY
[ "$(ls "$work" | wc -l)" = 1 ] || fail "more than one folder"
folder=$work/$(ls "$work")
[ -s "$folder/LICENSE" ] || fail "no licence"
[ -s "$folder/README.md" ] || fail "no README"
[ -x "$folder/whydunit" ] || fail "the executable cannot be executed"
if find "$folder" -name '.git*' -o -name '*.o' -o -name __MACOSX | grep -q .; then fail "needless files"; fi
"$folder/whydunit" --version | grep -qE '^whydunit [0-9]+\.[0-9]+' || fail "no version"
[ "$("$folder/whydunit" --version | wc -l)" = 1 ] || fail "the version is not one line"
(cd "$folder" && ./smoketest.sh) || fail "the smoke test fails"
(cd / && "$folder/smoketest.sh") || fail "the smoke test fails in another folder"
echo "needs: $(ldd "$folder/whydunit" 2>&1 | awk '{print $1}' | tr '\n' ' ')"
echo "archive: $(du -h "$zip" | cut -f1), good"
