// Code that is made for one local size is for whole groups: a range that ends within a group must not get it.
#include "check.h"
#include <time.h>

enum { GROUP = 256, ROWS = 256, LONG = 4 * GROUP, SHORT = GROUP + 1, GUARD = 4 * GROUP };

static unsigned seen[LONG * ROWS + GUARD];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Every item of a range of `width` by ROWS counts itself, and there are no other items. */
static void count_items(cl_kernel kernel, cl_mem buffer, size_t width)
{
    const unsigned zero = 0;
    const size_t items = width * ROWS;
    size_t wrong = 0;
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof seen, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){width, ROWS}, (size_t[]){GROUP, 1}, 0, NULL,
                              NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (size_t at = 0; at < items + GUARD; at++)
        wrong += seen[at] != (at < items);
    CHECK(wrong == 0);
}

int main(void)
{
    begin();
    cl_program program = build("kernel void count(global uint *a) {\n"
                               "  atomic_inc(&a[get_global_id(1) * get_global_size(0) + get_global_id(0)]); }\n",
                               "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "count", &error);
    OK(error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof seen, NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    // The code is there after some tenths of a second; until then it is the generic one that runs.
    for (double last = now() + 1.5; now() < last && !failures;) {
        count_items(kernel, buffer, LONG);
        count_items(kernel, buffer, SHORT);
    }
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
