// A program that is over before code for its local size can be made: one launch of some milliseconds. Prints how much machine code
// of kernels was loaded then: 1 is the code for any local size, 2 is that for this one, too.
// arguments: how it ends; `killed` (it waits for that), or none
#include "check.h"
#include <unistd.h>

enum { ITEMS = 1 << 16 };

int main(int count, char **words)
{
    begin();
    cl_program program = build("kernel void f(global uint *x) {\n"
                               "  uint sum = get_global_id(0);\n"
                               "  for (uint i = 0; i < 5000; i++) sum = sum * 1664525 + (sum >> 16);\n"
                               "  x[get_global_id(0)] = sum; }\n",
                               "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint), NULL, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){ITEMS}, (size_t[]){64}, 0, NULL, NULL));
    OK(clFinish(queue));
    printf("%d\n", loaded());
    fflush(stdout);
    if (count > 1 && strcmp(words[1], "killed") == 0) pause();
    return verdict();
}
