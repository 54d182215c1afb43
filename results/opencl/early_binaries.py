#!/usr/bin/env python3
"""How long a program that keeps binaries waits for its first kernel: pyopencl with its own cache, all caches empty.

    early_binaries.py [--rounds N] NAME=DRIVER...

Prints, for each driver, medians of N processes in turn, in ms: until Program.build returns, until its first kernel has run, and until all
twenty have. pyopencl asks for the log and the binary before it returns."""
import argparse, os, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tables import lines

KERNEL = """
kernel void k%d(global float *x, int n, local float *t) {
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int j = 0; j < get_local_size(0); j++) sum += t[j] * %d.f;
    for (int j = 0; j < n %% 7; j++) sum = sqrt(fabs(sum)) + sin(sum);
    if (i < n) x[i] = sum;
}
"""
KERNELS, ITEMS, GROUP = 20, 1024, 64


def child(folder):
    import numpy, pyopencl as cl
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue, x = cl.CommandQueue(context), cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * ITEMS)
    source = "".join(KERNEL % (k, k) for k in range(KERNELS))
    begin, times = time.perf_counter(), []
    program = cl.Program(context, source).build(cache_dir=folder)
    times.append(time.perf_counter() - begin)
    for k in range(KERNELS):
        kernel = cl.Kernel(program, "k%d" % k)
        kernel(queue, (ITEMS,), (GROUP,), x, numpy.int32(ITEMS), cl.LocalMemory(4 * GROUP))
        queue.finish()
        if k == 0:
            times.append(time.perf_counter() - begin)
    times.append(time.perf_counter() - begin)
    print(*times)


def measured(driver):
    with tempfile.TemporaryDirectory() as folder:
        caches = {name: os.path.join(folder, "driver") for name in ("VICINITY_CACHE_DIR", "POCL_CACHE_DIR")}
        drivers = {"OCL_ICD_VENDORS": driver, "OCL_ICD_FILENAMES": driver}
        command = [sys.executable, __file__, "--child", os.path.join(folder, "own")]
        output = subprocess.run(command, env={**os.environ, **caches, **drivers}, capture_output=True, text=True, check=True)
        return [1000 * float(word) for word in output.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drivers", nargs="*", metavar="NAME=DRIVER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child)
    drivers = [driver.split("=", 1) for driver in options.drivers]
    times = {name: [] for name, _ in drivers}
    for _ in range(options.rounds):
        for name, driver in drivers:
            times[name].append(measured(driver))
    rows = [[name, *("%.0f" % statistics.median(column) for column in zip(*all_times))] for name, all_times in times.items()]
    print("\n".join(lines(["driver", "build returns", "first kernel", "all twenty"], rows)))


if __name__ == "__main__":
    main()
