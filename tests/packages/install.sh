#!/bin/sh
# `make install` into a folder: a program is built there by pkg-config (and by CMake, where there is one) and runs, pages are
# there; `make uninstall` leaves nothing. install.sh DIST SCRATCH VERSION
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
mkdir -p "$2"
root=$2/root$2/prefix # what a package's builder would move to $2/prefix
sh packages/install.sh install "$1" "$2/prefix" "$2/root" "$3"
mv "$root" "$2/prefix"

PKG_CONFIG_PATH=$2/prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words
cc -o "$2/version" "$here/version.c" $(pkg-config --cflags --libs vicinity) -Wl,-rpath,"$2/prefix/lib"
said=$("$2/version")
[ "$said" = "$3" ] || { echo "install: the library says $said, and should say $3" >&2; exit 1; }
if command -v cmake > /dev/null; then
    cp "$here/version.c" "$here/CMakeLists.txt" "$2/"
    cmake -S "$2" -B "$2/build" -DCMAKE_PREFIX_PATH="$2/prefix" > "$2/log"
    cmake --build "$2/build" >> "$2/log"
    [ "$("$2/build/version")" = "$3" ]
fi
cc -fopenmp -o "$2/openmp" "$here/openmp.c"
[ "$("$2/prefix/bin/vicinity" run "$2/openmp")" = "3 threads" ]
[ -s "$2/prefix/share/man/man1/vicinity-run.1" ]
# Completing `vicinity ti` in bash.
said=$(bash -c '. "$0"; COMP_WORDS=(vicinity ti) COMP_CWORD=1; _vicinity vicinity ti vicinity; echo "${COMPREPLY[*]}"' \
    "$2/prefix/share/bash-completion/completions/vicinity")
[ "$said" = timeline ] || { echo "install: bash completes with $said" >&2; exit 1; }
[ -s "$2/prefix/share/zsh/site-functions/_vicinity" ] && [ -s "$2/prefix/share/fish/vendor_completions.d/vicinity.fish" ]
[ "$(cat "$2/prefix/etc/OpenCL/vendors/vicinity.icd")" = "$2/prefix/lib/libvicinity_cl.so" ]

# The driver's compiler needs no other program, and has its headers.
printf '#include <float.h>\nkernel void k(global float *a) { a[get_global_id(0)] = FLT_MAX; }\n' > "$2/kernel.cl"
env -i PATH=/nowhere "$2/prefix/bin/vicinity-translate" build --output-dir "$2/kernel" "$2/kernel.cl" --
[ -s "$2/kernel/program.so" ]

sh packages/install.sh uninstall "$1" "$2/prefix" "" "$3"
left=$(find "$2/prefix" ! -type d)
[ -z "$left" ] || { echo "install: left behind: $left" >&2; exit 1; }
if sh packages/install.sh uninstall "$1" "$2/prefix" "" "$3" 2> /dev/null; then exit 1; fi
echo "install: passed"
