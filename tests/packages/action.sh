#!/bin/sh
# The composite action's script, as a step of GitHub's would call it, with this source: later steps run on Vicinity, and bad input
# is refused. action.sh SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1"
GITHUB_ENV=$1/env GITHUB_PATH=$1/path GITHUB_OUTPUT=$1/output RUNNER_TEMP=$1/temp
export GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT RUNNER_TEMP
sh packages/action/install.sh "" true true > "$1/log" 2>&1 || { tail "$1/log" >&2; exit 1; }
cc -fopenmp -o "$1/openmp" "$here/openmp.c"
said=$(env VICINITY_WHY=1 $(cat "$GITHUB_ENV") "$1/openmp" 2>&1)
case $said in
*"libgomp.so.1 replaced"*"3 threads"*) ;;
*) echo "action: a later step says $said" >&2; exit 1 ;;
esac
grep -q '^version=[0-9]' "$GITHUB_OUTPUT" && [ -x "$(cat "$GITHUB_PATH")/vicinity" ]
if sh packages/action/install.sh "" yes true 2> "$1/log"; then exit 1; fi
grep -q "not 'yes'" "$1/log"
if sh packages/action/install.sh /no/such/folder true true 2> "$1/log"; then exit 1; fi
grep -q "no .deb packages" "$1/log"
echo "action: passed"
