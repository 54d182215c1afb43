#!/bin/sh
# Times the programs of tests/mpi by phases and by tasks on four ranks, ROUNDS times in turn, with each MPI that is installed: the
# medians, in seconds. VICINITY is the command.
set -eu
cd "$(dirname "$0")/../.."
vicinity=${VICINITY:-$PWD/target/dist/bin/vicinity}
rounds=${ROUNDS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

echo '| MPI | program | phases | tasks | times as fast |'
echo '|---|---|---|---|---|'
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    options=
    [ "$mpi" = mpich ] || options=--oversubscribe
    for program in "stencil 2048 512 128 40" "cholesky 24 96"; do
        name=${program%% *}
        "mpicc.$mpi" -O3 -march=native -fopenmp -o "$work/$name" "tests/mpi/$name.c" -lm
        rm -f "$work/phases" "$work/tasks"
        round=0
        while [ $round -lt "$rounds" ]; do
            for how in phases tasks; do
                # shellcheck disable=SC2086 # lists of words
                "mpirun.$mpi" $options -n 4 "$vicinity" run --mpi "$work/$name" $how ${program#* } |
                    awk '/ s$/ { print $(NF - 1) }' >> "$work/$how"
            done
            round=$((round + 1))
        done
        phases=$(median "$work/phases") tasks=$(median "$work/tasks")
        echo "| $mpi | $name | $phases | $tasks | $(awk "BEGIN { printf \"%.2f\", $phases / $tasks }") |"
    done
done
