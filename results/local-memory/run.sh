# Repeats results/local-memory; see scripts/results.sh. INTEL=FILE names Intel's OpenCL runtime, where that is not registered.
set -eu
intel=${INTEL:+$(realpath "$INTEL")}
cd results/local-memory
bench() { # NAME THREADS REPEAT CONTENDERS
    $MEASURE "$VICINITY" bench --suite local-memory --class small --threads "$2" --repeat "$3" --against "$4" \
        ${intel:+--driver "intel-opencl=$intel"} --json "$1.json" > /dev/null
}
bench kernels 2 3 vicinity-opencl,vicinity-kept,pocl,intel-opencl
bench one-thread 1 5 vicinity-opencl,vicinity-kept,intel-opencl
for file in ../../bench-bots/opencl/local_*.cl forms.cl; do
    "$VICINITY" translate "$file"
    echo
done > reports.txt
python3 page.py
