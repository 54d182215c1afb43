#!/bin/sh
# The source as an archive, what it is made of, and their checksums: dist.sh VERSION OUT. The same commit makes the same bytes.
set -eu
name=vicinity-$1
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "dist: changes that are not committed are left out" >&2
mkdir -p "$2"
git archive --format=tar --prefix="$name/" HEAD | gzip -9n > "$2/$name.tar.gz"
cargo metadata --format-version 1 --locked --filter-platform x86_64-unknown-linux-gnu | python3 packages/sbom.py > "$2/$name.cdx.json"
cd "$2"
sha256sum "$name.tar.gz" "$name.cdx.json" > "$name.sha256"
cat "$name.sha256"
