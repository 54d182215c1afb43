// Kernels that are given strides have other code where these are 1: each launch must run code that is right for its own.
#include "check.h"

enum { ITEMS = 1000, MOST = 3, NUMBERS = MOST * ITEMS + 1 };

struct shape {
    int steps[2];
    int offset;
};

static int in[NUMBERS], out[NUMBERS];

static void check_launch(cl_kernel kernel, cl_mem to, struct shape shape, cl_uint2 by, cl_short step)
{
    const int none = -1;
    const size_t items = ITEMS;
    size_t wrong = 0;
    OK(clEnqueueFillBuffer(queue, to, &none, sizeof none, 0, sizeof out, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 2, sizeof shape, &shape));
    OK(clSetKernelArg(kernel, 3, sizeof by, &by));
    OK(clSetKernelArg(kernel, 4, sizeof step, &step));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &(size_t){100}, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int at = 0, item = 0; at < NUMBERS; at++) {
        const int is_touched = at >= shape.offset && (at - shape.offset) % shape.steps[1] == 0 && item < ITEMS;
        const int expected = is_touched ? in[item * by.s[1]] - in[item * step] : none;
        item += is_touched;
        wrong += out[at] != expected;
    }
    CHECK(wrong == 0);
}

int main(void)
{
    begin();
    cl_program program = build("typedef struct { int steps[2]; int offset; } Shape;\n"
                               "kernel void move(global int *to, global const int *from, Shape shape, uint2 by, short step) {\n"
                               "  int i = get_global_id(0);\n"
                               "  to[i * shape.steps[1] + shape.offset] = from[i * by.y] - from[i * step]; }\n",
                               "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "move", &error);
    OK(error);
    for (int at = 0; at < NUMBERS; at++)
        in[at] = at * at;
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
    OK(error);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof to, &to));
    OK(clSetKernelArg(kernel, 1, sizeof from, &from));
    for (int turn = 0; turn < 2 * MOST * MOST * MOST; turn++) {
        const int all = turn % (MOST * MOST * MOST);
        const int steps[] = {all % MOST + 1, all / MOST % MOST + 1, all / (MOST * MOST) % MOST + 1};
        // What is no stride is 1, too: it must not be taken for one.
        struct shape shape = {{1, steps[0]}, 1};
        check_launch(kernel, to, shape, (cl_uint2){{1, (cl_uint)steps[1]}}, (cl_short)steps[2]);
    }
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
