#!/bin/sh
# Times the programs of tests/mpi by phases and by tasks on four ranks, ROUNDS times in turn, with each MPI that is installed: the
# medians, in seconds. And on one rank, whose time divided by the processors is what four cannot go below. VICINITY is the command.
set -eu
cd "$(dirname "$0")/../.."
vicinity=${VICINITY:-$PWD/target/dist/bin/vicinity}
rounds=${ROUNDS:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The programs say which tasks others wait for.
export OMP_MAX_TASK_PRIORITY=2
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

# In which way, on how many ranks, with which arguments: its seconds.
measure() {
    way=$1 ranks=$2
    shift 2
    how=$way
    [ "$way" != alone ] || how=phases
    run="$vicinity run --mpi"
    [ "$way" != stock ] || how=phases run=
    # shellcheck disable=SC2086 # lists of words
    timeout 300 "mpirun.$mpi" $options -n "$ranks" $run "$work/$name" "$how" "$@" |
        awk '/ s$/ { print $(NF - 1) }' >> "$work/$way"
}

echo '| MPI | program | stock | phases | tasks | of stock | of phases | at most |'
echo '|---|---|---|---|---|---|---|---|'
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    options=
    [ "$mpi" = mpich ] || options=--oversubscribe
    for program in "stencil 2048 512 128 40" "cholesky 24 96" "cholesky 48 48"; do
        name=${program%% *}
        "mpicc.$mpi" -O3 -march=native -fopenmp -o "$work/$name" "tests/mpi/$name.c" -lm
        rm -f "$work/stock" "$work/phases" "$work/tasks" "$work/alone"
        # The same work on one rank.
        case $name in
            stencil) alone="2048 2048 128 40" ;;
            *) alone=${program#* } ;;
        esac
        round=0
        while [ $round -lt "$rounds" ]; do
            # shellcheck disable=SC2086 # lists of words
            measure stock 4 ${program#* }
            # shellcheck disable=SC2086
            measure phases 4 ${program#* }
            # shellcheck disable=SC2086
            measure tasks 4 ${program#* }
            # shellcheck disable=SC2086
            measure alone 1 $alone
            round=$((round + 1))
        done
        phases=$(median "$work/phases") tasks=$(median "$work/tasks") alone=$(median "$work/alone")
        stock=$(median "$work/stock")
        echo "$stock $phases $tasks $alone" | awk -v start="| $mpi | $program" -v processors="$(env -u OMP_NUM_THREADS nproc)" \
            '{ printf "%s | %s | %s | %s | %.2f | %.2f | %.2f |\n", start, $1, $2, $3, $1 / $3, $2 / $3, $2 / ($4 / processors) }'
    done
done
