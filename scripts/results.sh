#!/bin/sh
# Repeats what results/ holds: sh scripts/results.sh [FOLDER...], from the top folder; `make results` calls it.
# Every folder has a run.sh, which writes the folder's data and pictures. Its environment:
#   VICINITY  the command, target/dist/bin/vicinity unless set
#   MEASURE   what to put in front of every measurement, nothing unless set: 'nice -n -5', 'taskset -c 2,3'
# Exit status: 0, or 1 if a folder could not be repeated; the others are all the same.
set -u
export VICINITY="${VICINITY:-target/dist/bin/vicinity}" MEASURE="${MEASURE:-}"

if [ $# -eq 0 ]; then
    set -- $(for run in results/*/run.sh; do basename "$(dirname "$run")"; done)
fi
for name in "$@"; do
    if [ ! -f "results/$name/run.sh" ]; then
        echo "results: there is no results/$name/run.sh; there are:" results/*/ >&2
        exit 2
    fi
done
if ! [ -x "$VICINITY" ]; then
    echo "results: $VICINITY is not there; build it with make" >&2
    exit 2
fi
VICINITY=$(realpath "$VICINITY")

number=0
failed=
for name in "$@"; do
    number=$((number + 1))
    echo "results: $number of $#: $name" >&2
    sh "results/$name/run.sh" || failed="$failed $name"
done
if [ -n "$failed" ]; then
    echo "results: not repeated:$failed" >&2
    exit 1
fi
