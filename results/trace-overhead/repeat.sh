#!/bin/sh
# Measures tasks with tracing off and on, in turn. Run from the root of the repository, on a quiet machine, after `make`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -O2 -fopenmp results/trace-overhead/tasks.c -o "$folder/tasks"
LD_LIBRARY_PATH=$PWD/target/dist/lib/omp
export LD_LIBRARY_PATH
for shape in 0 1; do for round in 1 2; do for threads in 1 2; do
    OMP_NUM_THREADS=$threads; export OMP_NUM_THREADS
    echo "shape $shape, $threads threads, off: $("$folder/tasks" 1000 5 $shape)"
    for buffer in 64K 512K 4M; do
        echo "shape $shape, $threads threads, on, buffer $buffer: $(VICINITY_TRACE=/dev/null \
            VICINITY_TRACE_FULL=drop_oldest VICINITY_TRACE_BUFFER=$buffer "$folder/tasks" 1000 5 $shape)"
    done
done; done; done
