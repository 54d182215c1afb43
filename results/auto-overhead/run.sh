# Repeats results/auto-overhead; see scripts/results.sh. The guest needs QEMU and a kernel (tests/numa).
set -eu
cd results/auto-overhead
VICINITY_TRACE=/dev/null VICINITY_TRACE_FULL=overwrite $MEASURE "$VICINITY" bench --programs triad,sparse_rows,solver,multigrid,neurons \
    --class medium --memory omp_malloc --against vicinity-gcc --threads 2 --repeat 9 --clock cpu \
    --vary VICINITY_TRACE_MEMORY=off,on > sampled.txt
sh ../../tests/numa/run.sh --only "what watching costs" c | grep -o 'cost: .*' > guest.txt
cost=$(mktemp)
trap 'rm -f "$cost"' EXIT
gcc -O2 -fopenmp ../../tests/numa/unaware/cost.c -o "$cost"
OMP_NUM_THREADS=2 $MEASURE "$VICINITY" run "$cost" > native.txt
