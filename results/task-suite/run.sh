# Repeats results/task-suite; see scripts/results.sh.
set -eu
cd results/task-suite
bench() {
    name=$1
    shift
    $MEASURE "$VICINITY" bench --threads 1,2 --repeat 5 "$@" --json "$name.json" --picture "$name.svg" > "$name.txt"
}
bench uncut --programs fib,nqueens,uts,knapsack,floorplan,health,random_dag,quadrature
bench cut --programs sort,sparselu,strassen,alignment,fft,concom
bench more --programs cholesky,gauss_seidel,quicksort,mandelbrot,heat,conjugate_gradient
bench paper --suite paper
