// Groups of one launch that wait for each other, as many as there are compute units: each has a worker.
#include "check.h"

static const char *source =
    "kernel void meet(volatile global int *arrived, global int *seen, int rounds) {\n"
    "    for (int round = 1; round <= rounds; round++) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "        if (get_local_id(0) == 0) {\n"
    "            int all = round * (int)get_num_groups(0);\n"
    "            atomic_inc(arrived);\n"
    "            while (atomic_add(arrived, 0) < all) { }\n"
    "        }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "        seen[get_global_id(0)]++;\n"
    "    }\n"
    "}\n";

enum { ITEMS = 16, ROUNDS = 50, LAUNCHES = 3 };

static cl_mem numbers(int *from, size_t count)
{
    cl_int code;
    cl_mem made = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, count * sizeof *from, from, &code);
    OK(code);
    return made;
}

static void launch(cl_kernel kernel, int *zeros, size_t all)
{
    size_t items = ITEMS;
    cl_mem arrived = numbers(zeros, 1), seen = numbers(zeros, all);
    OK(clSetKernelArg(kernel, 0, sizeof arrived, &arrived));
    OK(clSetKernelArg(kernel, 1, sizeof seen, &seen));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &items, 0, NULL, NULL));
    int *found = calloc(all, sizeof *found);
    OK(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, all * sizeof *found, found, 0, NULL, NULL));
    for (size_t item = 0; item < all; item++)
        CHECK(found[item] == ROUNDS);
    free(found);
    OK(clReleaseMemObject(arrived));
    OK(clReleaseMemObject(seen));
}

int main(void)
{
    begin();
    cl_uint units = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    cl_int code, rounds = ROUNDS;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "meet", &code);
    OK(code);
    OK(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
    size_t all = (size_t)ITEMS * units;
    int *zeros = calloc(all, sizeof *zeros);
    for (int at = 0; at < LAUNCHES; at++)
        launch(kernel, zeros, all);
    free(zeros);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
