#!/bin/sh
# Programs that start others: a Jupyter kernel and the processes of mpirun run on Vicinity, and Vicinity alone. launchers.sh DIST SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vicinity=$(realpath "$1")/bin/vicinity
rm -rf "$2"
mkdir -p "$2"
python3 -m venv "$2/environment"
bin=$2/environment/bin
"$bin/python" -m pip install --quiet --disable-pip-version-check nbclient ipykernel pykdtree mpich
PATH=$bin:$PATH
export JUPYTER_PLATFORM_DIRS=1 IPYTHONDIR="$2/ipython" HOME="$2"

# A notebook whose cell uses a package that brings a runtime of its own.
python3 "$here/notebook.py" write "$2/notebook.ipynb"
"$vicinity" run jupyter execute --inplace "$2/notebook.ipynb" > "$2/log" 2>&1 || { tail "$2/log" >&2; exit 1; }
said=$(python3 "$here/notebook.py" read "$2/notebook.ipynb")
[ "$said" = "libgomp-libvicinity.so.1" ] || { echo "launchers: the kernel has $said" >&2; exit 1; }

cc -fopenmp -o "$2/openmp" "$here/openmp.c"
"$vicinity" run --why mpirun -n 2 "$2/openmp" > "$2/said" 2> "$2/why" || { cat "$2/why" >&2; exit 1; }
if [ "$(grep -c '^3 threads$' "$2/said")" != 2 ] || [ "$(grep -c 'libgomp.so.1 replaced, for openmp' "$2/why")" != 2 ]; then
    cat "$2/said" "$2/why" >&2
    exit 1
fi
echo "launchers: passed"
