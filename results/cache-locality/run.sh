# Repeats results/cache-locality; see scripts/results.sh.
set -eu
cd results/cache-locality
export VICINITY_LOCATIONS=cores OMP_DATA_DISTRIBUTION=coarse OMP_PROC_BIND=close
for class in small medium; do
    $MEASURE "$VICINITY" bench --suite locality --class $class --memory omp_malloc --threads 2 --repeat 15 \
        --vary VICINITY_SCHEDULER=locality,workstealing --json $class.json --picture $class.svg > $class.txt
done
