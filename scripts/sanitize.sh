#!/bin/sh
# Runs the C programs of tests/opencl on a driver and a library that are built with a sanitizer, through the system's loader:
# sanitize.sh thread|address. Needs `make`'s output, for the translator of kernels, and a nightly toolchain with rust-src.
#
# The sanitizer's own library must be in the program that loads the driver, and be the compiler's of the driver: rustc's. The
# programs are compiled with the same instrumentation by clang. Kernels are not instrumented.
set -eu

kind=$1
cd "$(dirname "$0")/.."
host=x86_64-unknown-linux-gnu
target=$PWD/${CARGO_TARGET_DIR:-target}
case ${CARGO_TARGET_DIR:-} in /*) target=$CARGO_TARGET_DIR ;; esac
translator=$target/dist/bin/vicinity-translate
[ -x "$translator" ] || { echo "sanitize: no $translator: run make first" >&2; exit 1; }
target=$target/sanitize/$kind

CARGO_TARGET_DIR=$target CARGO_BUILD_TARGET=$host CARGO_UNSTABLE_BUILD_STD=std,panic_abort \
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    RUSTFLAGS=-Zsanitizer=$kind \
    make --no-print-directory --old-file=translator library opencl CARGO='cargo +nightly' RELEASE="$target/$host/release" WHOLE=

case $kind in thread) short=tsan ;; *) short=asan ;; esac
runtime=$(rustc +nightly --print sysroot)/lib/rustlib/$host/lib/librustc-nightly_rt.$short.a
folder=$target/programs
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
mkdir -p "$folder"
export VICINITY_CACHE_DIR="$cache" VICINITY_TRANSLATE="$translator"

# Workers live as long as the process. What is lost is looked for where programs release all that they make, but these
# are found by what lies in pages from the system, where the sanitizer does not look: the platform and its device by their
# handles, and which pages of the heap have blocks by the side table; the library is loaded once, for ever.
cat >"$cache/suppressions" <<'END'
leak:vicinity_cl::core::platform
leak:vicinity_cl::os::library
leak:vicinity_alloc::os::memory::heap
END
# Tests ask for memory that cannot be had.
export TSAN_OPTIONS=report_thread_leaks=0:allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$cache/suppressions:print_suppressions=0
keep=" brief cached leaves misuse prints queues "

# Before the library of a driver of its own stands one that refuses tasks, as `failing` wants it.
refusing=$target/refusing
mkdir -p "$refusing"
clang-19 -fsanitize="$kind" -shared -fPIC -O1 -g -Itests/opencl/driver/include tests/opencl/driver/failing_library.c \
    -Wl,--no-as-needed -L"$target/dist/lib" -l:libvicinity.so.1 -Wl,-rpath,"$target/dist/lib" -o "$refusing/libvicinity.so.1"
cp "$target/dist/lib/libvicinity_cl.so" "$refusing/"
echo "$refusing/libvicinity_cl.so" >"$refusing/refusing.icd"

failed=""
for source in tests/opencl/*.c tests/opencl/driver/*.c; do
    # What is loaded into a program is none.
    grep -q "^int main" "$source" || continue
    name=$(basename "$source" .c)
    [ "$name" != corpus ] || continue # takes a kernel of the corpus, and is about kernels
    clang-19 -fsanitize="$kind" -std=gnu11 -O1 -g -pthread -Itests/opencl/driver/include -c "$source" -o "$folder/$name.o"
    clang++-19 -pthread -rdynamic -o "$folder/$name" "$folder/$name.o" \
        -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive -lOpenCL -lm -ldl -lrt -lresolv
    leaks=1
    case $keep in *" $name "*) leaks=0 ;; esac
    vendors=$target/dist/etc/OpenCL/vendors
    set --
    [ "$name" != failing ] || { vendors=$refusing; set -- "$refusing/libvicinity.so.1"; }
    for threads in 1 5; do
        echo "sanitize: $kind, $name, $threads threads"
        OCL_ICD_VENDORS=$vendors OMP_NUM_THREADS=$threads ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1 \
            timeout 600 "$folder/$name" "$@" >/dev/null || failed="$failed $name/$threads"
    done
done
[ -z "$failed" ] || { echo "sanitize: failed:$failed" >&2; exit 1; }
