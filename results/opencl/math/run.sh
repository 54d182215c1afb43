#!/bin/sh
# Measures every kernel of kernels.cl: run.sh TRANSLATOR [LEAST MOST [NAME...]]
set -eu
cd "$(dirname "$0")"
translator=$1 least=${2:-0.01} most=${3:-0.9}
[ $# -gt 3 ] && shift 3 || set -- add acos asin atan atan2 cbrt cos cosh divide divide_by_one erf erfc exp exp10 exp2 expm1 \
    log log10 log1p log2 pow rsqrt sin sincos sinh sqrt tan tanh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$translator" build --output-dir "$folder" kernels.cl -- -cl-std=CL3.0
cc -O2 -o "$folder/measure" measure.c -ldl
"$folder/measure" "$folder" "$least" "$most" "$@"
