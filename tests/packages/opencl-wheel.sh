#!/bin/sh
# The wheel vicinity-opencl in a fresh environment, with pyopencl from PyPI; no program can be found, no compiler, no linker.
# opencl-wheel.sh WHEELS SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(ls "$1"/vicinity_opencl-*.whl)
rm -rf "$2"
mkdir -p "$2/empty"
python3 -m venv "$2/environment"
python=$2/environment/bin/python
"$python" -m pip install --quiet --disable-pip-version-check pyopencl "$wheel"
env -i PATH="$2/empty" VICINITY_CACHE_DIR="$2/cache" OCL_ICD_PLATFORM_SORT=none "$python" "$here/opencl_wheel.py"

# A program that is not Python's, on the system's loader.
said=$(env -i PATH=/usr/bin VICINITY_CACHE_DIR="$2/cache" "$python" -m vicinity_opencl clinfo --list)
case $said in
*"Platform #0: Vicinity"*) ;;
*) echo "opencl-wheel: clinfo says: $said" >&2; exit 1 ;;
esac
echo "opencl-wheel: passed"
