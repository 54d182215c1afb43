"""Loads libraries into this process, and says which files with OpenMP's entry points it has then.

    python reach.py PACKAGE,PACKAGE LIBRARY...

The packages are imported first: some load by themselves what their libraries need.
"""

import ctypes
import importlib
import json
import os
import re
import sys

packages, libraries = sys.argv[1].split(","), sys.argv[2:]
failed = []
for package in filter(None, packages):
    try:
        importlib.import_module(package)
    except ImportError as error:
        print(error, file=sys.stderr)
loaded = 0
for library in libraries:
    try:
        ctypes.CDLL(library)
        loaded += 1
    except OSError as error:
        failed.append(f"{os.path.basename(library)}: {error}"[:200])
with open("/proc/self/maps") as maps:
    files = {line.split(None, 5)[5].strip() for line in maps if "/" in line}
runtime = re.compile(r"lib(gomp|i?omp)[0-9]*(-[0-9a-z]+)?\.so[.0-9]*$")
mapped = {os.path.basename(file) for file in files if runtime.match(os.path.basename(file))}
others = sorted(name for name in mapped if "libvicinity" not in name)
print(json.dumps({"loaded": loaded, "failed": failed, "vicinity": len(mapped) - len(others), "others": others}))
