#!/bin/sh
# What OMPT costs without a tool: instructions per lap, on one thread, with each of the libraries named.
#
#   results/trace-overhead/tools/run.sh FOLDER...     folders with a libgomp.so.1 and a libomp.so.5, as PREFIX/lib/omp
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Instructions of $laps laps.
count() {
    env OMP_NUM_THREADS=1 LD_LIBRARY_PATH="$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$work/cost" "$2" "$3" 2>&1 | sed -n 's/.*Collected : //p'
}

for compiler in gcc clang-19; do
    $compiler -O2 -fopenmp "$here/cost.c" -o "$work/cost"
    for what in tasks taskwaits dependences regions barriers dynamic-loops static-loops criticals locks; do
        line="$compiler $what"
        for library in "$@"; do
            few=$(count "$library" "$what" 1000)
            many=$(count "$library" "$what" 11000)
            line="$line $(((many - few + 5000) / 10000))"
        done
        echo "$line"
    done
done
