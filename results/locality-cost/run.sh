# Repeats results/locality-cost; see scripts/results.sh.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$VICINITY" bench --suite all --class test --repeat 1 --build-dir "$folder" > "$folder/table.txt"
rm -f results/locality-cost/data.csv
export HWLOC_SYNTHETIC='numa:2 core:1 pu:1'
$MEASURE results/locality-cost/compare.py "$(dirname "$VICINITY")/../lib/omp" "$folder" 7 results/locality-cost/data.csv \
    overheads:deps_chain,overheads:deps_independent,overheads:producer,overheads:taskloop,fib,nqueens \
    workstealing=VICINITY_SCHEDULER=workstealing locality=VICINITY_SCHEDULER=locality > results/locality-cost/table.txt
