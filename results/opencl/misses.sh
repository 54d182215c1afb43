# First-level data-cache misses of the kernels with each order of loops, on one thread, as cachegrind counts them:
# sh misses.sh [WORKLOAD...], from results/opencl, after `vicinity bench --suite opencl` has built the programs.
# cachegrind does not know AVX-512 and hides it, so the translator, too, runs under valgrind, and writes AVX2.
set -eu
VICINITY=${VICINITY:-../../target/dist/bin/vicinity}
PROGRAM=${PROGRAM:-../../target/bench/opencl.cl}
CLASS=${CLASS:-small}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bin=$(realpath "$(dirname "$VICINITY")")
printf '#!/bin/sh\nexec valgrind -q --tool=none "%s/vicinity-translate" "$@"\n' "$bin" > "$folder/translate"
chmod +x "$folder/translate"
export VICINITY_TRANSLATE="$folder/translate" OMP_NUM_THREADS=1 OCL_ICD_VENDORS="$bin/../lib/libvicinity_cl.so"

# The misses of reads and writes in kernels: their code is loaded from memory, so it is the one without names.
misses() {
    awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
         /^fn=/ { ours = /^fn=\?\?\?/ }
         /^[0-9]/ && ours { sum += $(at["D1mr"]) + $(at["D1mw"]) }
         END { printf "%.0f", sum }' "$1"
}

if [ $# -eq 0 ]; then
    set -- $("$VICINITY" bench --list | sed -n '/^opencl:/,/^opencl-costs:/s/^  //p')
fi
printf '%-20s%14s%14s%14s\n' workload dfo bfo auto
for workload in "$@"; do
    printf '%-20s' "$workload"
    for order in dfo bfo auto; do
        VICINITY_ORDER=$order VICINITY_CACHE_DIR="$folder/cache-$order" valgrind -q --tool=cachegrind --cache-sim=yes \
            --D1=49152,12,64 --LL=4194304,16,64 --cachegrind-out-file="$folder/counts" \
            "$PROGRAM" --class "$CLASS" --runs 1 "$workload" > "$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 1; }
        printf '%14s' "$(misses "$folder/counts")"
    done
    printf '\n'
done
