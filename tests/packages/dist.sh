#!/bin/sh
# `make dist` makes the same bytes twice; the archive has the commit's files, and the list of components those of Cargo.lock.
# dist.sh VERSION SCRATCH
set -eu
rm -rf "$2"
for turn in one two; do
    sh packages/dist.sh "$1" "$2/$turn" > /dev/null
    sleep 1
done
for kind in tar.gz cdx.json sha256; do cmp "$2/one/vicinity-$1.$kind" "$2/two/vicinity-$1.$kind"; done
(cd "$2/two" && sha256sum --check --quiet "vicinity-$1.sha256")
tar -xzf "$2/one/vicinity-$1.tar.gz" -C "$2"
[ -f "$2/vicinity-$1/Cargo.lock" ] && [ -f "$2/vicinity-$1/Makefile" ]
python3 - "$2/one/vicinity-$1.cdx.json" << 'END'
import json, os, re, sys

with open(sys.argv[1]) as file:
    text = file.read()
assert os.getcwd() not in text, "a path of this machine"
found = {(one["name"], one["version"]) for one in json.loads(text)["components"]}
with open("Cargo.lock") as file:
    locked = set(re.findall(r'name = "(.*)"\nversion = "(.*)"', file.read()))
assert found <= locked, found - locked
assert any(name == "llvm-sys" for name, _ in found) and not {"loom", "windows-sys", "vicinity-tests", "vicinity-readers"} & {name for name, _ in found}
END
echo "dist: passed"
