# Repeats results/opencl; see scripts/results.sh. INTEL names libintelocl.so, where Intel's runtime is not registered.
set -eu
cd results/opencl
bench() {
    name=$1
    shift
    $MEASURE "$VICINITY" bench ${INTEL:+--intel "$INTEL"} "$@" --json "$name.json" > "$name.txt"
}
bench kernels --suite opencl --threads 2 --repeat 3 --class small
bench processor-time --suite opencl --threads 1 --repeat 3 --class small --clock cpu
bench costs --suite opencl-costs --threads 2 --repeat 3
sh misses.sh > misses.txt
