// Groups that wait for the group before them, as scans and carries in one pass do: OpenCL promises nothing to them, but where groups
// begin in the order of their numbers, all of them end.
#include "check.h"

enum { GROUP = 64, MOST = 4096 };

static const char *code =
    "kernel void by_load(global int *sums, global uint *ready, int rounds) {\n"
    "  uint g = get_group_id(0), l = get_local_id(0);\n"
    "  int x = g * get_local_size(0) + l;\n"
    "  for (int i = 0; i < rounds; i++) x = x * 1664525 + 1013904223;\n"
    "  sums[g * get_local_size(0) + l] = x | 1;\n"
    "  if (l == 0 && g > 0)\n"
    "    while (!atomic_load_explicit((volatile global atomic_uint *)&ready[g - 1], memory_order_acquire, memory_scope_device));\n"
    "  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
    "  if (l == 0)\n"
    "    atomic_store_explicit((volatile global atomic_uint *)&ready[g], g + 1, memory_order_release, memory_scope_device);\n"
    "}\n"
    "kernel void by_volatile(global int *sums, volatile global uint *ready, int rounds) {\n"
    "  uint g = get_group_id(0), l = get_local_id(0), seen = 0;\n"
    "  sums[g * get_local_size(0) + l] = rounds | 1;\n"
    "  if (l == 0 && g > 0) do seen = ready[g - 1]; while (seen != g);\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "  if (l == 0) ready[g] = g + 1;\n"
    "}\n"
    "kernel void by_exchange(global int *sums, volatile global uint *ready, int rounds) {\n"
    "  uint g = get_group_id(0), l = get_local_id(0);\n"
    "  sums[g * get_local_size(0) + l] = rounds | 1;\n"
    "  if (l == 0 && g > 0) while (atomic_or(&ready[g - 1], 0) == 0);\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "  if (l == 0) atomic_xchg(&ready[g], g + 1);\n"
    "}\n";

/* Launches of many sizes: short and long ones are cut differently. */
static void pass_through(cl_program program, const char *name, cl_mem sums, cl_mem ready)
{
    static const size_t groups[] = {1, 3, 8, 15, 16, 31, 64, 511, MOST};
    static cl_uint said[MOST];
    const cl_uint zero = 0;
    const cl_int rounds = 100;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof sums, &sums));
    OK(clSetKernelArg(kernel, 1, sizeof ready, &ready));
    OK(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
    for (int turn = 0; turn < 3 * (int)(sizeof groups / sizeof *groups); turn++) {
        const size_t count = groups[turn / 3], local = GROUP, global = count * GROUP;
        size_t wrong = 0;
        OK(clEnqueueFillBuffer(queue, ready, &zero, sizeof zero, 0, sizeof said, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, ready, CL_TRUE, 0, sizeof said, said, 0, NULL, NULL));
        for (size_t at = 0; at < MOST; at++)
            wrong += said[at] != (at < count ? at + 1 : 0);
        CHECK(wrong == 0);
    }
    OK(clReleaseKernel(kernel));
}

int main(void)
{
    begin();
    cl_program program = build(code, "-cl-std=CL2.0");
    cl_mem sums = clCreateBuffer(context, CL_MEM_READ_WRITE, MOST * GROUP * sizeof(cl_int), NULL, &error);
    OK(error);
    cl_mem ready = clCreateBuffer(context, CL_MEM_READ_WRITE, MOST * sizeof(cl_uint), NULL, &error);
    OK(error);
    pass_through(program, "by_load", sums, ready);
    pass_through(program, "by_volatile", sums, ready);
    pass_through(program, "by_exchange", sums, ready);
    OK(clReleaseMemObject(sums));
    OK(clReleaseMemObject(ready));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
