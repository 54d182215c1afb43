// Code that is made for one local size is for whole groups: what a range that ends within a group leaves of it must not get it. And
// ids of 2^31 and more have code of their own.
#include "check.h"

enum { GROUP = 256, ROWS = 256, LONG = 4 * GROUP, SHORT = GROUP + 1, GUARD = 4 * GROUP, PRIME = 10007 };

static unsigned seen[LONG * ROWS + GUARD];

/* Every item of a range of `width` by `rows` counts itself, and there are no other items. */
static void count_items(cl_kernel kernel, cl_mem buffer, size_t width, size_t rows, const size_t *local)
{
    const unsigned zero = 0;
    const size_t items = width * rows;
    size_t wrong = 0;
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof seen, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (size_t[]){width, rows}, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (size_t at = 0; at < items + GUARD; at++)
        wrong += seen[at] != (at < items);
    CHECK(wrong == 0);
}

/* Items from `first` on along a dimension write where they are, and as much as fits into 32 bits of it. */
static void check_ids(cl_program program, const char *name, unsigned dimension, size_t first)
{
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof seen, NULL, &error);
    OK(error);
    const cl_ulong begin = first;
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, sizeof begin, &begin));
    size_t offset[2] = {0, 0}, global[2] = {1, 1}, wrong = 0;
    offset[dimension] = first;
    global[dimension] = LONG;
    for (int turn = 0; turn < 3; turn++)
        OK(clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, LONG * sizeof *seen, seen, 0, NULL, NULL));
    for (size_t at = 0; at < LONG; at++)
        wrong += seen[at] != (unsigned)((first + at) ^ (first + at) >> 20);
    CHECK(wrong == 0);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
}

static void check_large_ids(void)
{
    static const size_t firsts[] = {0, ((size_t)1 << 31) - LONG, ((size_t)1 << 31) - 7, ((size_t)1 << 32) - 9, (size_t)1 << 40};
    cl_program program = build("kernel void rows(global uint *a, ulong first) {\n"
                               "  ulong g = get_global_id(0); a[g - first] = (uint)(g ^ g >> 20); }\n"
                               "kernel void columns(global uint *a, ulong first) {\n"
                               "  ulong g = get_global_id(1); a[g - first] = (uint)(g ^ g >> 20); }\n",
                               "-cl-std=CL3.0");
    for (size_t at = 0; at < sizeof firsts / sizeof *firsts; at++) {
        check_ids(program, "rows", 0, firsts[at]);
        check_ids(program, "columns", 1, firsts[at]);
    }
    OK(clReleaseProgram(program));
}

/* A kernel that cannot tell how its items are grouped. */
static cl_kernel counter(const char *options)
{
    cl_program program = build("kernel void count(global uint *a) {\n"
                               "  atomic_inc(&a[get_global_id(1) * get_global_size(0) + get_global_id(0)]); }\n",
                               options);
    cl_kernel kernel = clCreateKernel(program, "count", &error);
    OK(error);
    OK(clReleaseProgram(program));
    return kernel;
}

int main(void)
{
    begin();
    check_large_ids();
    cl_kernel kernel = counter("-cl-std=CL3.0"), older = counter("-cl-std=CL1.2");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof seen, NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(older, 0, sizeof buffer, &buffer));
    const size_t local[] = {GROUP, 1};
    // The code is there after some tenths of a second; until then it is the generic one that runs.
    for (double last = seconds() + 1.5; seconds() < last && !failures;) {
        count_items(kernel, buffer, LONG, ROWS, local);
        count_items(kernel, buffer, SHORT, ROWS, local);
        count_items(kernel, buffer, SHORT * 9, 1, local);
        count_items(older, buffer, PRIME, 1, NULL);
        count_items(older, buffer, PRIME, 7, NULL);
    }
    // The version of the language demands whole groups of the program all the same.
    IS(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, older, 1, NULL, (size_t[]){PRIME}, local, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(older));
    end();
    return verdict();
}
