# Repeats results/opencl; see scripts/results.sh. DRIVERS names drivers that are not registered, each NAME=FILE, in one text:
# DRIVERS='intel-opencl=/path/to/libintelocl.so pocl-main=/path/to/libpocl.so'. INTEL=FILE is short for the first of these.
set -eu
drivers=
for driver in ${INTEL:+intel-opencl="$INTEL"} ${DRIVERS:-}; do
    drivers="$drivers --driver ${driver%%=*}=$(realpath "${driver#*=}")"
done
cd results/opencl
status=0
bench() { # what fails is in the table, and the rest is measured
    name=$1
    shift
    $MEASURE "$VICINITY" bench "$@" --json "$name.json" > "$name.txt" || status=1
}
bench kernels $drivers --suite opencl --threads 2 --repeat 3 --class small
bench processor-time $drivers --suite opencl --threads 1 --repeat 3 --class small --clock cpu
bench generic --suite opencl --threads 1 --repeat 3 --class small --clock cpu --against vicinity-opencl \
    --vary VICINITY_SPECIALIZE=never
bench costs $drivers --suite opencl-costs --threads 2 --repeat 3
sh misses.sh > misses.txt || status=1
python3 orders.py "$(dirname "$VICINITY")/vicinity-translate"
python3 page.py
exit $status
