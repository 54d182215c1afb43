# Repeats results/local-memory; see scripts/results.sh. INTEL=FILE names Intel's OpenCL runtime, where that is not registered.
set -eu
intel=${INTEL:+$(realpath "$INTEL")}
cd results/local-memory
bench() { # NAME THREADS CONTENDERS, and more options
    name=$1 threads=$2 contenders=$3
    shift 3
    $MEASURE "$VICINITY" bench --suite local-memory --class small --repeat 5 --threads "$threads" --against "$contenders" \
        ${intel:+--driver "intel-opencl=$intel"} "$@" --json "$name.json" > "$name.txt"
}
bench kernels 2 vicinity-opencl,vicinity-kept,pocl,intel-opencl
bench processor-time 1 vicinity-opencl,vicinity-kept,intel-opencl --clock cpu
for file in ../../bench-bots/opencl/local_*.cl forms.cl; do
    "$VICINITY" translate "$file"
    echo
done > reports.txt
python3 page.py
