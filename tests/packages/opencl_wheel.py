"""A program that uses pyopencl: the platform is there, and a kernel is built and computes."""

import os
import sys

import numpy
import pyopencl

platform = next(one for one in pyopencl.get_platforms() if one.name == "Vicinity")
context = pyopencl.Context(platform.get_devices())
queue = pyopencl.CommandQueue(context)
numbers = numpy.arange(100_000, dtype=numpy.float32)
memory = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
source = "kernel void f(global float *a) { size_t i = get_global_id(0); a[i] = sin(a[i]) + sqrt(a[i]); }"
program = pyopencl.Program(context, source).build()
program.f(queue, numbers.shape, None, memory)
result = numpy.empty_like(numbers)
pyopencl.enqueue_copy(queue, result, memory)
numpy.testing.assert_allclose(result, numpy.sin(numbers) + numpy.sqrt(numbers), rtol=1e-4, atol=1e-4)

try:
    pyopencl.Program(context, "kernel void f(global float *a) { *a = nothing; }").build()
    sys.exit("a program with an error was built")
except pyopencl.RuntimeError as error:
    assert "use of undeclared identifier 'nothing'" in str(error), error

with open("/proc/self/maps") as maps:
    mapped = {line.split()[-1] for line in maps if "vicinity" in os.path.basename(line.split()[-1])}
strangers = [path for path in mapped if not path.startswith(sys.prefix)]
assert mapped and not strangers, f"not from this environment: {strangers}"
print(platform.version)
