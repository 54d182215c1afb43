#!/bin/sh
# The recipe for conda, built by rattler-build of PyPI; environments of its packages choose the runtime. conda.sh SCRATCH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1"
python3 -m venv "$1/tools"
"$1/tools/bin/python" -m pip install --quiet --disable-pip-version-check py-rattler==0.28.0 py-rattler-build==0.73.0
"$1/tools/bin/python" "$here/conda.py" packages/conda . "$1"
