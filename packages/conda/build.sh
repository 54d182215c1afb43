#!/bin/sh
# conda's build of the package vicinity-openmp: the library, the command, headers and pages into PREFIX.
set -eu
export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
make openmp BINDING=lazy # for older C libraries: see the Makefile
sh packages/install.sh openmp target/dist "$PREFIX" "" "$PKG_VERSION"
# A package of conda cannot hold two links to one file. With two files a process could have two runtimes.
ln -sf omp/libgomp-libvicinity.so.1 "$PREFIX/lib/libvicinity.so.1"
