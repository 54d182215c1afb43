#!/usr/bin/env python3
"""How long kernels take whose strides are arguments, where these are 1 and where not.

    strides.py [--rounds N] NAME=DRIVER...

Prints, for each driver, the least of 40 launches, medians of N processes in turn, in ms, by the queue's profile. Fails where a result is
wrong. VICINITY_SPECIALIZE=always makes all code first."""
import argparse, os, statistics, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tables import lines

SOURCE = """
kernel void axpy(int n, float a, global const float *x, int offx, int incx, global float *y, int offy, int incy) {
    int i = get_global_id(0);
    if (i < n) y[offy + i * incy] = a * x[offx + i * incx];
}
kernel void scale(global float *x, uint4 of_x, global const float *y, uint4 of_y, float factor) {
    for (uint i = get_global_id(0); i < of_x.z; i += get_global_size(0))
        x[i * of_x.y + of_x.x] = y[i * of_y.y + of_y.x] * factor;
}
typedef struct { int sizes[4], steps[4], offset; } Shape;
kernel void shift(global float *out, Shape to, global const float *in, Shape from) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < to.sizes[0] && y < to.sizes[1])
        out[x * to.steps[0] + y * to.steps[1] + to.offset] = in[x * from.steps[0] + y * from.steps[1] + from.offset] + 1;
}
"""
ROW = 1024
NUMBERS, LAUNCHES, WORKERS = ROW * ROW, 40, 16384


def child():
    import numpy, pyopencl as cl
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = cl.Program(context, SOURCE).build(cache_dir=False)
    numbers = numpy.arange(NUMBERS, dtype=numpy.float32)
    source = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
    result = cl.Buffer(context, cl.mem_flags.READ_WRITE, numbers.nbytes)
    number, real = numpy.int32, numpy.float32
    words = lambda *all: numpy.array(all, numpy.uint32)
    shape = lambda *steps: numpy.array([ROW, ROW, 1, 1, *steps, NUMBERS, NUMBERS, 0], number)
    axpy = lambda step: (number(NUMBERS // step), real(2), source, number(0), number(step), result, number(0), number(1))
    square = numbers.reshape(ROW, ROW)
    cases = [
        ("axpy", (NUMBERS,), (256,), axpy(1), 2 * numbers),
        ("axpy", (NUMBERS // 2,), (256,), axpy(2), 2 * numbers[::2]),
        ("scale", (WORKERS,), (128,), (result, words(0, 1, NUMBERS, NUMBERS), source, words(0, 1, NUMBERS, NUMBERS), real(3)), 3 * numbers),
        ("shift", (ROW, ROW), (16, 16), (result, shape(1, ROW), source, shape(1, ROW)), numbers + 1),
        ("shift", (ROW, ROW), (16, 16), (result, shape(1, ROW), source, shape(ROW, 1)), square.T.reshape(-1) + 1),
    ]
    times = []
    for name, range_, group, arguments, expected in cases:
        kernel = cl.Kernel(program, name)
        kernel.set_args(*arguments)
        launch = lambda: cl.enqueue_nd_range_kernel(queue, kernel, range_, group)
        events = [launch() for _ in range(LAUNCHES)]
        queue.finish()
        times.append(min(event.profile.end - event.profile.start for event in events) / 1e6)
        found = numpy.empty(len(expected), numpy.float32)
        cl.enqueue_copy(queue, found, result)
        assert numpy.array_equal(found, expected), name
    print(*times)


def measured(driver):
    environment = {**os.environ, "OCL_ICD_VENDORS": driver, "OCL_ICD_FILENAMES": driver}
    output = subprocess.run([sys.executable, __file__, "--child"], env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in output.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drivers", nargs="*", metavar="NAME=DRIVER")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child()
    drivers = [driver.split("=", 1) for driver in options.drivers]
    times = {name: [] for name, _ in drivers}
    for _ in range(options.rounds):
        for name, driver in drivers:
            times[name].append(measured(driver))
    rows = [[name, *("%.2f" % statistics.median(column) for column in zip(*all_times))] for name, all_times in times.items()]
    head = ["driver", "axpy, stride 1", "stride 2", "strides in a vector", "in structures", "transposed"]
    print("\n".join(lines(head, rows)))


if __name__ == "__main__":
    main()
