// Prints before a kernel does, in the kernel, and after it.
#include "check.h"

int main(void)
{
    begin();
    cl_program program = build(
        "kernel void f(int x) { printf(\"x = %d, %.2f, %s, %v4hld, 100%%\\n\", x, 1.5f, \"text\", "
        "(int4)(1, 2, 3, 4)); }",
        "");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    int number = 7;
    OK(clSetKernelArg(kernel, 0, sizeof number, &number));
    printf("before\n");
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clFinish(queue));
    printf("after\n");
    return verdict();
}
