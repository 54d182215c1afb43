#!/bin/sh
# What the action does: installs Vicinity, and sets the variables of later steps. install.sh PACKAGES OPENMP OPENCL
# PACKAGES is a folder with .deb packages; empty: the source around this file is built. OPENMP and OPENCL are true or false.
# GITHUB_ENV, GITHUB_PATH and GITHUB_OUTPUT are the files by which a step tells later ones, as on GitHub's machines.
set -eu
packages=$1 openmp=$2 opencl=$3
here=$(cd "$(dirname "$0")" && pwd)
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
tell() { echo "$2" >> "$1"; }

for value in "$openmp" "$opencl"; do
    case $value in
    true | false) ;;
    *) echo "action: openmp and opencl are true or false, not '$value'" >&2; exit 2 ;;
    esac
done

case $(ls "$packages" 2> /dev/null) in
*.deb*)
    as_root apt-get install --yes --no-install-recommends "$(realpath "$packages")"/vicinity-openmp_*.deb
    if [ "$opencl" = true ]; then
        as_root apt-get install --yes "$(realpath "$packages")"/vicinity-opencl-icd_*.deb
    fi
    root=/usr/lib/vicinity ;;
*)
    [ -z "$packages" ] || { echo "action: no .deb packages in '$packages'" >&2; exit 2; }
    root=${RUNNER_TEMP:-/tmp}/vicinity
    make -C "$here/../.." install PREFIX="$root"
    tell "$GITHUB_PATH" "$root/bin" ;;
esac

if [ "$openmp" = true ]; then
    tell "$GITHUB_ENV" "LD_AUDIT=$root/lib/libvicinity-audit.so"
fi
if [ "$opencl" = true ]; then
    tell "$GITHUB_ENV" "OCL_ICD_VENDORS=$root/etc/OpenCL/vendors"
fi
tell "$GITHUB_OUTPUT" "version=$("$root/bin/vicinity" --version | cut -d' ' -f2)"
