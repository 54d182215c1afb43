// A kernel of which it is not known whether vectors of items or single items are faster: code is made in both ways for one local
// size, and blocks run either. Every launch must compute the same, whichever of them its blocks run.
// Prints how much machine code of kernels is loaded in the end: for any local size, for this one, and for this one in another way.
// arguments: how much is waited for
#include "check.h"

enum { LENGTHS = 4096, ITEMS = 1 << 15, GROUP = 64, LAUNCHES = 300 };

static cl_ushort lengths[LENGTHS];
static cl_uint sums[ITEMS], expected[ITEMS];

static void compute(void)
{
    unsigned state = 1;
    for (unsigned at = 0; at < LENGTHS; at++)
        lengths[at] = (cl_ushort)((state = state * 1664525 + 1013904223) >> 28);
    for (cl_uint i = 0; i < ITEMS; i++) {
        cl_uint sum = i;
        for (cl_uint y = 0; y < lengths[i % LENGTHS]; y++)
            for (cl_uint z = 0; z < lengths[(i * 7 + y) % LENGTHS]; z++)
                sum = sum * 31 + lengths[(sum >> 8) % LENGTHS];
        expected[i] = sum;
    }
}

static void launch(cl_kernel kernel, cl_mem buffer)
{
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){ITEMS}, (size_t[]){GROUP}, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL));
    CHECK(memcmp(sums, expected, sizeof sums) == 0);
}

int main(int count, char **words)
{
    begin();
    compute();
    cl_program program = build("kernel void f(global const ushort *n, global uint *x) {\n"
                               "  uint i = get_global_id(0), sum = i;\n"
                               "  for (uint y = 0; y < n[i % 4096]; y++)\n"
                               "    for (uint z = 0; z < n[(i * 7 + y) % 4096]; z++)\n"
                               "      sum = sum * 31 + n[(sum >> 8) % 4096];\n"
                               "  x[i] = sum; }\n",
                               "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    cl_mem buffers[2] = {clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof lengths, lengths, &error),
                         clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof sums, NULL, &error)};
    OK(error);
    for (cl_uint at = 0; at < 2; at++)
        OK(clSetKernelArg(kernel, at, sizeof *buffers, &buffers[at]));
    const int wanted = count > 1 ? atoi(words[1]) : 3;
    for (double last = seconds() + 60; loaded() < wanted && seconds() < last && !failures;)
        launch(kernel, buffers[1]);
    for (int number = 0; number < LAUNCHES && !failures; number++)
        launch(kernel, buffers[1]);
    printf("%d\n", loaded());
    return verdict();
}
