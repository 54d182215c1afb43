"""The Math Kernel Library on Intel's runtime and on GNU's: each choice in a process of its own."""
import os
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, os, sys
import numpy
library = ctypes.CDLL("libmkl_rt.so.3" if not sys.argv[1:] else sys.argv[1], mode=ctypes.RTLD_GLOBAL)
n = 600
a, b, c = numpy.random.rand(n, n), numpy.random.rand(n, n), numpy.zeros((n, n))
pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
one, zero = ctypes.c_double(1), ctypes.c_double(0)
for _ in range(5):
    library.cblas_dgemm(101, 111, 111, n, n, n, one, pointer(a), n, pointer(b), n, zero, pointer(c), n)
assert numpy.allclose(c, a @ b)
pivots = numpy.zeros(n, dtype=numpy.int32)
x, right = a.copy(), b.copy()
assert library.LAPACKE_dgesv(101, n, n, pointer(x), n, pointer(pivots), pointer(right), n) == 0
assert numpy.allclose(a @ right, b, atol=1e-6)
maps = open("/proc/self/maps").read()
print("threads", library.mkl_get_max_threads(), "/libiomp5" in maps, "libvicinity" in maps)
"""


@pytest.mark.parametrize("layer", ["INTEL", "GNU"])
@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_products_and_systems(layer, threads):
    folder = os.path.join(sys.prefix, "lib")
    variables = dict(os.environ, MKL_THREADING_LAYER=layer, OMP_NUM_THREADS=threads, MKL_DYNAMIC="FALSE")
    variables["LD_LIBRARY_PATH"] = folder + ":" + variables.get("LD_LIBRARY_PATH", "")
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    on_vicinity = "libvicinity" in os.environ.get("LD_AUDIT", "")
    assert done.stdout == f"threads {threads} {layer == 'INTEL' and not on_vicinity} {on_vicinity}\n"
