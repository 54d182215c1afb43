# Repeats results/locality-cost; see scripts/results.sh.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$VICINITY" bench --suite all --class test --repeat 1 --build-dir "$folder" > "$folder/table.txt"
rm -f results/locality-cost/data.csv
export HWLOC_SYNTHETIC='numa:2 core:1 pu:1'
overheads=
for measure in producer nested_producer taskloop taskwait deps_chain deps_independent deps_stencil deps_diamond deps_two; do
    overheads=$overheads,overheads:$measure
done
$MEASURE python3 results/locality-cost/compare.py "$(dirname "$VICINITY")/../lib/omp" "$folder" 9 results/locality-cost/data.csv \
    fib,nqueens,uts,knapsack,floorplan,health,random_dag,sort,sparselu,strassen,alignment,fft,concom,cholesky,gauss_seidel,map,vecmul,jacobi$overheads \
    workstealing=VICINITY_SCHEDULER=workstealing locality=VICINITY_SCHEDULER=locality > results/locality-cost/table.txt
