#!/bin/sh
# Installs the Debian packages that building and testing Vicinity need, and says which; with arguments also what some
# tests need: `numa` for those on a guest with several NUMA nodes (tests/numa), `browser` for those of the page of
# `vicinity timeline`; `mpi` for those of messages, with two of its kinds; `peers` what the demonstration compares OpenCL with, and a BLAS;
# and `packages` what makes packages and tests them.
# Rust itself is not installed: it comes with rustup or from the distribution.
set -eu

# make and a C compiler build it; the other compilers build the programs that the tests and the
# demo run, and one of them, with LLVM's linker and libraries, is what kernels are compiled with; OpenCL programs are built with
# the Khronos headers and the loader; the two OpenMP runtimes and oneTBB are what Vicinity is compared
# with; one benchmark calls a BLAS.
packages="make gcc g++ gfortran binutils libc6-dev libgomp1 clang-19 llvm-spirv-15 flang-19 libomp-19-dev
libopenblas-pthread-dev libtbb-dev libhwloc-dev libudev-dev pkg-config ocl-icd-opencl-dev opencl-c-headers
opencl-clhpp-headers clinfo patchelf python3 llvm-19-dev llvm-19 libclang-19-dev libclang-common-19-dev liblld-19-dev
zlib1g-dev libzstd-dev"
tools="make cc c++ gfortran objdump nm clang-19 clang++-19 flang-new-19 llvm-ar-19 pkg-config clinfo patchelf python3"
for kind in "$@"; do
    case $kind in
    numa) # An emulator, and what a Linux without a disk is made of.
        packages="$packages qemu-system-x86 busybox-static cpio"
        tools="$tools qemu-system-x86_64 busybox cpio" ;;
    peers) # An OpenCL driver and a BLAS to compare with, and what makes environments of Python.
        packages="$packages pocl-opencl-icd python3-venv libopenblas0-openmp" ;;
    packages) # What Debian's packages are made with, checked and tried in.
        packages="$packages python3-venv dpkg-dev lintian debootstrap"
        tools="$tools dpkg-deb lintian debootstrap" ;;
    mpi) # Two whose interfaces differ in everything that the standard leaves open.
        packages="$packages libopenmpi-dev openmpi-bin libmpich-dev mpich"
        tools="$tools mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich" ;;
    browser)
        packages="$packages chromium chromium-driver fonts-dejavu-core"
        tools="$tools chromium chromedriver" ;;
    esac
done

say() { echo "setup: $*"; }

if ! command -v cargo >/dev/null 2>&1; then
    say "cargo is missing: install Rust 1.88 or newer first" >&2
    exit 1
fi
for component in fmt clippy; do
    if ! cargo "$component" --version >/dev/null 2>&1; then
        say "cargo $component is missing (rustup component add rustfmt clippy): make lint needs it" >&2
    fi
done

if ! command -v apt-get >/dev/null 2>&1; then
    absent=""
    for tool in $tools; do
        command -v "$tool" >/dev/null 2>&1 || absent="$absent $tool"
    done
    if [ -n "$absent" ]; then
        say "this is not a Debian system, and these programs are missing:$absent" >&2
        exit 1
    fi
    exit 0
fi

missing=""
for package in $packages; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    become=""
elif command -v sudo >/dev/null 2>&1; then
    become="sudo"
else
    say "these packages are missing; install them as root:" >&2
    say "  apt-get install$missing" >&2
    exit 1
fi

say "installing with apt-get:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # lists of words
if ! { $become env DEBIAN_FRONTEND=noninteractive apt-get update &&
       $become env DEBIAN_FRONTEND=noninteractive \
           apt-get install --yes --no-install-recommends $missing; } </dev/null >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    say "apt-get failed" >&2
    exit 1
fi
