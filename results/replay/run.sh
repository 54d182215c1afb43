#!/bin/sh
# Counts instructions of a graph of tasks that repeats, with 2 threads, and those in finding the dependences. Needs valgrind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lib=$(realpath "${VICINITY:-target/dist/bin/vicinity}")
lib=$(dirname "$(dirname "$lib")")/lib/omp
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tasks=6400
{
    printf '%-8s %12s %14s %22s\n' compiler dependences 'a task' 'finding dependences'
    for compiler in gcc clang-19; do
        for kind in 0 1 2; do
            "$compiler" -O1 -fopenmp -DKIND=$kind "$here/graph.c" -o "$scratch/graph"
            OMP_NUM_THREADS=2 LD_LIBRARY_PATH=$lib valgrind --tool=callgrind \
                --callgrind-out-file="$scratch/counts" "$scratch/graph" 2> /dev/null
            callgrind_annotate --inclusive=yes --threshold=100 "$scratch/counts" 2> /dev/null |
                awk -v compiler=$compiler -v kind=$kind -v tasks=$tasks '
                    { gsub(",", "", $1) }
                    /PROGRAM TOTALS/ { all = $1 }
                    /task\/deps.rs:.*task::deps::defer / && !deps { deps = $1 }
                    END { printf "%-8s %12d %14d %22d\n", compiler, kind == 2 ? 3 : kind, all / tasks, deps / tasks }'
        done
    done
} > "$here/counts.txt"
cat "$here/counts.txt"
