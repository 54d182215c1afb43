#!/bin/sh
# Times three versions of two programs with each MPI, on 2 and 4 ranks of this machine, and counts their lines. Writes data.txt, of which
# each line is a run, and table.md. ROUNDS (5): how often everything is run, one version after the other.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dist=$(dirname "$(dirname "$(realpath "${VICINITY:-target/dist/bin/vicinity}")")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
programs="himeno powder" versions="naive hand extension" kinds="openmpi mpich"
export OCL_ICD_VENDORS="$dist/etc/OpenCL/vendors"

for kind in $kinds; do
    for program in $programs; do
        for version in $versions; do
            "mpicc.$kind" -O2 -Wall -Wextra -I"$dist/include" "$here/$program-$version.c" \
                -o "$scratch/$program-$version.$kind" -lOpenCL
        done
    done
done

launch() { # KIND RANKS PROGRAM
    options=
    # More ranks than processors, as root, each on whichever processor is free.
    [ "$1" = mpich ] || options="--allow-run-as-root --oversubscribe --bind-to none"
    threads=$(($(nproc) / $2))
    export OMP_NUM_THREADS=$((threads > 0 ? threads : 1))
    # shellcheck disable=SC2086 # a list of words
    timeout 300 ${MEASURE:-} "mpirun.$1" $options -n "$2" "$3" < /dev/null
}

: > "$here/data.txt"
for round in $(seq "${ROUNDS:-5}"); do
    for ranks in 2 4; do
        for kind in $kinds; do
            for program in $programs; do
                for version in $versions; do
                    echo "$round $ranks $kind $program $version $(launch "$kind" $ranks "$scratch/$program-$version.$kind")" \
                        >> "$here/data.txt"
                done
            done
        done
    done
done

# Every version computes the same.
awk '{ if (!($4 in sum)) sum[$4] = $NF; if ($NF != sum[$4]) { print "run.sh: another sum: " $0 > "/dev/stderr"; exit 1 } }' "$here/data.txt"

lines() { grep -cvE '^ *(/\*.*\*/)?$|^ \* |^/\*|^#' "$here/$1.c"; }
median() { # RANKS KIND PROGRAM VERSION
    awk -v r="$1" -v k="$2" -v p="$3" -v v="$4" '$2 == r && $3 == k && $4 == p && $5 == v { print $6 }' "$here/data.txt" |
        sort -n | awk '{ all[NR] = $1 } END { printf "%.1f", all[int((NR + 1) / 2)] }'
}
{
    echo "| | naive | by hand | with commands |"
    echo "|---|---|---|---|"
    for program in $programs; do
        printf '| `%s`, lines' "$program"
        for version in $versions; do printf ' | %s' "$(lines "$program-$version")"; done
        echo " |"
        for kind in $kinds; do
            for ranks in 2 4; do
                printf '| `%s`, %s, %s ranks, ms a step' "$program" "$kind" "$ranks"
                for version in $versions; do printf ' | %s' "$(median "$ranks" "$kind" "$program" "$version")"; done
                echo " |"
            done
        done
    done
} > "$here/table.md"
cat "$here/table.md"
