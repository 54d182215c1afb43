#!/bin/sh
# The file of conda's package _openmp_mutex in its variant `vicinity`: the name that packages load. PREFIX is the environment.
set -eu
mkdir -p "$PREFIX/lib"
ln -sfn libvicinity.so.1 "$PREFIX/lib/libgomp.so.1"
