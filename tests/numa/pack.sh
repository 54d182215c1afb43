#!/bin/sh
# pack.sh DIST OUT ONLY: builds the programs with every compiler and packs them, with the library from DIST, what they
# load, busybox and the scenarios whose name holds ONLY, into OUT/initramfs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dist=$1
out=$2
only=$3
root=$out/root
programs=$out/programs

# Building: name.compiler, again only where a source is newer.
newer() { # output, sources...
    made=$1
    shift
    [ -e "$made" ] || return 0
    for part in "$@"; do
        [ "$part" -ot "$made" ] || return 0
    done
    return 1
}

build_c() { # compiler, suffix, source
    output=$programs/$(basename "$3" .c).$2
    if newer "$output" "$3" "$here"/include/* "$dist/include/vicinity.h"; then
        "$1" -O1 -std=gnu11 -Wall -Wextra -Werror -Wno-unknown-pragmas -fopenmp -I "$here/include" -I "$here/../abi/include" \
            -I "$dist/include" -o "$output" "$3" -L "$dist/lib" -lvicinity
    fi
}

build_fortran() { # compiler, suffix, source
    output=$programs/$(basename "$3" .f90).$2
    if newer "$output" "$3" "$dist/include/vicinity.f90"; then
        folder=$programs/modules-$2
        mkdir -p "$folder"
        (cd "$folder" && "$1" -O1 -fopenmp -o "$output" "$dist/include/vicinity.f90" "$3" -L "$dist/lib" -lvicinity)
    fi
}

# Programs that know nothing of Vicinity: they are linked with their compiler's own runtime.
build_unaware() { # command, suffix, source
    name=$(basename "$3")
    output=$programs/${name%.*}.$2
    if newer "$output" "$3" "$here"/unaware/pages.*; then
        # shellcheck disable=SC2086 # a command with options
        $1 -O2 -fopenmp -I "$here/unaware" -o "$output" "$3" "$programs/pages.o"
    fi
}

mkdir -p "$programs"
for source in "$here"/programs/*.c; do
    build_c gcc gcc "$source"
    build_c clang-19 clang "$source"
done
# OpenCL's: places needs no compiler in the guest, split one.
for name in places split; do
    source=$here/../opencl/$name.c
    if newer "$programs/$name.gcc" "$source" "$here/../opencl/check.h" "$here/../opencl/place.h"; then
        gcc -O1 -std=gnu11 -Wall -Wextra -Werror -o "$programs/$name.gcc" "$source" -lOpenCL
    fi
done
# flang 19 has no array sections in depend clauses.
for source in "$here"/programs/*.f90; do
    build_fortran gfortran gfortran "$source"
done
gcc -O1 -Wall -Wextra -Werror -c -o "$programs/pages.o" "$here/unaware/pages.c"
build_unaware "gcc -std=gnu11 -Wall -Wextra -Werror" gcc "$here/unaware/heap.c"
build_unaware "clang-19 -std=gnu11 -Wall -Wextra -Werror" clang "$here/unaware/heap.c"
build_unaware "gcc -std=gnu11 -Wall -Wextra -Werror" gcc "$here/unaware/loops.c"
build_unaware "clang-19 -std=gnu11 -Wall -Wextra -Werror" clang "$here/unaware/loops.c"
build_unaware "gcc -std=gnu11 -Wall -Wextra -Werror" gcc "$here/unaware/cost.c"
build_unaware "g++ -Wall -Wextra -Werror" gcc "$here/unaware/vectors.cc"
build_unaware "clang++-19 -Wall -Wextra -Werror" clang "$here/unaware/vectors.cc"
build_unaware gfortran gfortran "$here/unaware/arrays.f90"

# Packing.
rm -rf "$root"
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/vicinity/bin" "$root/programs"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in $("$root/bin/busybox" --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done
cp -dR "$dist/lib" "$root/vicinity/lib"
# No program here speaks MPI, whose libraries are more than all the rest.
rm -f "$root"/vicinity/lib/libvicinity-mpi-*.so
cp "$dist/bin/vicinity" "$root/vicinity/bin/"
for program in "$programs"/*.gcc "$programs"/*.clang "$programs"/*.gfortran; do
    [ ! -f "$program" ] || cp "$program" "$root/programs/"
done
strip --strip-debug "$root/vicinity/lib/libvicinity.so.1" "$root/vicinity/bin/vicinity"

# What they load, from where this system has it; the library itself is there already.
for object in "$root"/programs/* "$root"/vicinity/lib/*.so* "$root/vicinity/bin/vicinity"; do
    LD_LIBRARY_PATH=$dist/lib/omp:$dist/lib ldd "$object"
done | tr ' ' '\n' | grep '^[[:space:]]*/' | tr -d '\t' | sort -u | while read -r library; do
    case $library in "$dist"/*) continue ;; esac
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done

cp "$here/guest/init" "$root/init"
cp "$here/guest/bound" "$here/guest/devices" "$here/guest/advice" "$root/programs/"
cp "$here/guest/confine" "$root/bin/confine"
chmod +x "$root/init" "$root/bin/confine" "$root/programs/advice"
awk -F'|' -v only="$only" '/^#/ || NF < 3 { next } only == "" || index($2, only)' "$here/guest/scenarios" >"$root/scenarios"
[ -s "$root/scenarios" ] || { echo "numa: no scenario has \"$only\" in its name" >&2; exit 1; }
archive() { (cd "$1" && find . | LC_ALL=C sort | cpio --quiet --create --format=newc --owner=0:0); }
archive "$root" >"$out/initramfs"

# The translator of kernels is larger than all the rest, so it is an archive of its own, for machines with memory for it.
translator=$out/translator
if newer "$out/initramfs-translator" "$dist/bin/vicinity-translate"; then
    mkdir -p "$translator/vicinity/bin"
    strip -o "$translator/vicinity/bin/vicinity-translate" "$dist/bin/vicinity-translate"
    archive "$translator" >"$out/initramfs-translator"
fi
