#!/bin/sh
# Shows a package of Python on Vicinity: it brings an OpenMP runtime under a name of its own, and asks for that by this name.
# demo-python.sh DIST FOLDER, which gets a virtual environment. Without PyPI, or without Python's venv, it says so and ends well.
set -eu
vicinity=$(realpath "$1/bin/vicinity") folder=$2
skip() { echo "demo: $1, so no package of Python is shown"; exit 0; }

if ! [ -x "$folder/bin/python" ] || ! "$folder/bin/python" -c 'import pykdtree' 2> /dev/null; then
    rm -rf "$folder"
    python3 -m venv "$folder" > /dev/null 2>&1 || skip "Python cannot make environments (Debian: python3-venv)"
    timeout 300 "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: pykdtree > /dev/null 2>&1 ||
        skip "pykdtree cannot be had from PyPI"
fi

echo
echo "A package of Python, pykdtree, which brings a runtime of its own:"
for how in stock vicinity; do
    run=
    [ $how = stock ] || run="$vicinity run"
    # shellcheck disable=SC2086 # words
    $run "$folder/bin/python" - $how << 'END'
import os, sys, time
import numpy
from pykdtree.kdtree import KDTree

points = numpy.random.default_rng(1).random((200000, 3))
tree = KDTree(points)
times = []
for _ in range(5):
    before = time.perf_counter()
    distances, _ = tree.query(points, k=4)
    times.append(time.perf_counter() - before)
assert (distances[:, 0] == 0).all()
with open("/proc/self/maps") as maps:
    files = {os.path.basename(line.split()[-1]) for line in maps if "gomp" in line}
print(f"  {sys.argv[1]:9} {min(times):6.3f} s, with {', '.join(sorted(files))}")
END
done
