#!/bin/sh
# Times programs that share two processors with each other, or with themselves: on the runtimes that they were built for, and on Vicinity
# without and with --share, one after the other. Writes data.txt, of which each line is a run, and table.md.
# ROUNDS (9): how often everything is run. MEASURE: what to put in front of every program.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vicinity=$(realpath "${VICINITY:-target/dist/bin/vicinity}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
blas=/usr/lib/x86_64-linux-gnu/openblas-openmp
two=$(taskset -cp $$ | sed 's/.*: //' | awk -F'[,-]' '{ print $1 "," $2 }')

for compiler in gcc clang-19; do
    $compiler -O3 -march=x86-64-v3 -ffast-math -fopenmp "$here/inference.c" -o "$scratch/inference.$compiler"
    $compiler -O3 -march=x86-64-v3 -fopenmp "$here/nested.c" -pthread -o "$scratch/loops.$compiler"
    $compiler -O3 -fopenmp -DBLAS -I/usr/include/x86_64-linux-gnu "$here/nested.c" -pthread \
        "$blas/libopenblas.so.0" -Wl,-rpath,"$blas" -o "$scratch/blas.$compiler"
    $compiler -O2 -fopenmp "$here/regions.c" -o "$scratch/regions.$compiler"
done

# So many processes at once of a program; the time of the slowest. One that takes 20 seconds is ended, and counts as that.
together() { # PROCESSES COMMAND...
    count=$1
    shift
    for process in $(seq "$count"); do
        { timeout 20 taskset -c "$two" "$@" || echo 20; } &
    done | awk '$1 > most { most = $1 } END { print most }'
}

run() { # WHAT COMPILER PROCESSES PROGRAM ARGUMENTS...
    what=$1 compiler=$2 count=$3 program=$scratch/$4.$2
    shift 4
    for runtime in stock vicinity share; do
        case $runtime in
            # shellcheck disable=SC2086 # a list of words
            stock) time=$(together "$count" ${MEASURE:-} "$program" "$@") ;;
            # shellcheck disable=SC2086
            vicinity) time=$(together "$count" ${MEASURE:-} "$vicinity" run "$program" "$@") ;;
            # shellcheck disable=SC2086
            share) time=$(together "$count" ${MEASURE:-} "$vicinity" run --share "$program" "$@") ;;
        esac
        echo "$round|$what|$compiler|$runtime|$time" >> "$here/data.txt"
    done
}

: > "$here/data.txt"
for round in $(seq "${ROUNDS:-9}"); do
    for compiler in gcc clang-19; do
        run "1 process, empty regions" $compiler 1 regions 0
        run "1 process, regions of 20 microseconds" $compiler 1 regions 20
        run "1 process, inference" $compiler 1 inference 1000
        run "2 processes, inference" $compiler 2 inference 500
        run "4 processes, inference" $compiler 4 inference 250
        run "2 threads, OpenBLAS" $compiler 1 blas pool 2 3000 160
        run "4 threads, OpenBLAS" $compiler 1 blas pool 4 300 160
        run "tasks, OpenBLAS" $compiler 1 blas tasks 0 3000 160
        run "4 threads, loops" $compiler 1 loops pool 4 3000 160
        run "tasks, loops" $compiler 1 loops tasks 0 3000 160
    done
done

# The median of the runs, in seconds, and how many times as fast as the first the last is.
awk -F'|' '
    { key = $2 "|" $3; if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
      at = key "|" $4; value[at, ++count[at]] = $5 + 0 }
    function median(at,    i, j, n, all, swap) {
        n = count[at]
        for (i = 1; i <= n; i++) all[i] = value[at, i]
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (all[j] < all[i]) { swap = all[i]; all[i] = all[j]; all[j] = swap }
        return all[int((n + 1) / 2)]
    }
    END {
        print "| what | runtime of | stock, s | Vicinity, s | with sharing, s | stock / share | without / with |"
        print "|---|---|---|---|---|---|---|"
        for (i = 1; i <= keys; i++) {
            split(order[i], part, "|")
            s = median(order[i] "|stock"); v = median(order[i] "|vicinity"); h = median(order[i] "|share")
            printf "| %s | %s | %.3f | %.3f | %.3f | %.2f | %.2f |\n", part[1], part[2], s, v, h, s / h, v / h
        }
    }' "$here/data.txt" > "$here/table.md"
cat "$here/table.md"
