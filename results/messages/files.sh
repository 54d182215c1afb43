#!/bin/sh
# Times files.c in its three ways, in turn, and compares what they write: the least seconds of ROUNDS (9). MIB (256): of the file.
# VICINITY is the command.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dist=$(dirname "$(dirname "$(realpath "${VICINITY:-target/dist/bin/vicinity}")")")
export OCL_ICD_VENDORS="$dist/etc/OpenCL/vendors"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mib=${MIB:-256}
cc -O2 -Wall -Wextra -I"$dist/include" "$here/files.c" -o "$scratch/files" -lOpenCL
head -c "${mib}M" /dev/zero > "$scratch/in"
for round in $(seq "${ROUNDS:-9}"); do
    for way in naive hand commands; do
        echo "$way $(timeout 100 "$scratch/files" "$way" "$scratch/in" "$scratch/$way" "$mib")"
        [ "$way" = naive ] || cmp "$scratch/naive" "$scratch/$way" >&2
    done
done | awk -v mib="$mib" '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END { for (way in least) printf "| %s | %.3f | %.1f |\n", way, least[way], mib / 1024 / least[way] }' | sort -r
