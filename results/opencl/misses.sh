# First-level data-cache misses of the kernels with each order of loops, on one thread: sh misses.sh [WORKLOAD...], from
# results/opencl, after `vicinity bench --suite opencl` has built the programs.
#
# A cache of 48 KiB (12 ways, lines of 64 bytes) is simulated by valgrind: by its tool callgrind, whose simulation is cachegrind's,
# because it tells of every object apart. Kernels are loaded from memory, so theirs is the object without a name; what they
# call counts as theirs. Valgrind does not know AVX-512 and hides it, so the translator, too, runs under it, and writes AVX2.
# Sizes are smaller than those that are timed, but for what has little data; all data is several times the cache where the
# workload has that much. `column_walk` can be counted by hand: depth-first each of its 512 x 512 reads misses, breadth-first
# every sixteenth, in each of the two runs.
set -eu
VICINITY=${VICINITY:-../../target/dist/bin/vicinity}
PROGRAM=${PROGRAM:-../../target/bench/opencl.cl}
sizes='matmul_naive 160
matmul_tiled 160
transpose_naive 384
transpose_tiled 384
lu 160
dct 256
stencil2d 384
stencil3d 64
fdtd 48
lattice_boltzmann 128
row_walk 512
column_walk 512
row_walk_branch 512
vector_add 131072
gather 131072
nbody 2048
cutoff 128
mriq 3072
kmeans 8192
streamcluster 8192
particle_filter 4096
bfs 20000
spmv 20000
histogram_global 131072
histogram_local 262144
binary_search 32768
wavefront 256
scan 131072
tree_reduction 262144
black_scholes 32768
mandelbrot_set 128'
processors=$(nproc) # of which OMP_NUM_THREADS would make one
status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bin=$(realpath "$(dirname "$VICINITY")")
# A translation that takes long would begin anew, with less optimization and outside of valgrind, but for VICINITY_EFFORT.
printf '#!/bin/sh\nVICINITY_EFFORT=full exec valgrind -q --tool=none "%s/vicinity-translate" "$@"\n' "$bin" \
    > "$folder/translate"
chmod +x "$folder/translate"
# Code for one local size would be made beside the counting, for code of the same order.
export VICINITY_SPECIALIZE=never VICINITY_TRANSLATE="$folder/translate" OMP_NUM_THREADS=1 OCL_ICD_VENDORS="$bin/../lib/libvicinity_cl.so"

# one FOLDER PROGRAM WORKLOAD SIZE ORDER: leaves the number, or - if that failed, in FOLDER/WORKLOAD.ORDER.
cat > "$folder/one" <<'END'
folder=$1 program=$2 workload=$3 size=$4
export VICINITY_ORDER=$5 VICINITY_CACHE_DIR="$1/cache-$5"
place=$folder/$workload.$VICINITY_ORDER
valgrind -q --tool=callgrind --cache-sim=yes --D1=49152,12,64 --dump-line=no --callgrind-out-file="$place.counts" \
    "$program" --size "$size" --warm-up 0 --runs 1 "$workload" > "$place.said" 2>&1 || { cat "$place.said" >&2; echo - > "$place"; exit 1; }
awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
     /^c?ob=/ { id = $1; sub(/.*=/, "", id); if (NF > 1) named[id] = $2 != "???" }
     /^ob=/ { ours = !named[id] }
     /^cob=/ { elsewhere = named[id] }
     /^calls=/ { call = 1; next }
     /^[0-9+*-]/ {
         if (ours && (!call || elsewhere)) sum += $(at["D1mr"]) + $(at["D1mw"])
         call = elsewhere = 0
     }
     END { printf "%.0f\n", sum }' "$place.counts" > "$place"
rm "$place.counts"
END

if [ $# -gt 0 ]; then
    sizes=$(for workload in "$@"; do echo "$sizes" | grep "^$workload "; done)
fi
echo "$sizes" | while read -r workload size; do
    for order in dfo bfo auto; do
        echo "$folder" "$PROGRAM" "$workload" "$size" "$order"
    done
done | xargs -L 1 -P "$processors" sh "$folder/one" || status=1
printf '%-20s%10s%14s%14s%14s\n' workload size dfo bfo auto
echo "$sizes" | while read -r workload size; do
    printf '%-20s%10s%14s%14s%14s\n' "$workload" "$size" $(cd "$folder" && cat "$workload.dfo" "$workload.bfo" "$workload.auto")
done
exit $status
