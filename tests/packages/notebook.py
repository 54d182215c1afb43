"""A notebook with one cell, which prints the OpenMP runtimes of its kernel: notebook.py write|read FILE"""

import sys

import nbformat

CELL = """\
import os
import numpy
from pykdtree.kdtree import KDTree

points = numpy.random.default_rng(1).random((5000, 3))
distances, _ = KDTree(points).query(points, k=1)
assert (distances == 0).all()
with open("/proc/self/maps") as maps:
    print(*sorted({os.path.basename(line.split()[-1]) for line in maps if "gomp" in line}))
"""

action, file = sys.argv[1:]
if action == "write":
    cells = [nbformat.v4.new_code_cell(CELL)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
else:
    for cell in nbformat.read(file, as_version=4).cells:
        print(*(output.text.strip() for output in cell.outputs if output.output_type == "stream"))
