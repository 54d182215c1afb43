// Builds a program whose number comes from an included file, and prints what its kernel leaves.
// arguments: the folder of number.h, or none
#include "check.h"

int main(int count, char **words)
{
    begin();
    char options[4096] = "-DNUMBER=42";
    const char *code = count > 1 ? "#include \"number.h\"\nkernel void f(global int *x) { x[0] = NUMBER; }"
                                 : "kernel void f(global int *x) { x[0] = NUMBER; }";
    if (count > 1)
        snprintf(options, sizeof options, "-I \"%s\"", words[1]);
    cl_program program = build(code, options);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    int value = -1;
    cl_mem memory = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof value, &value, &error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clFinish(queue));
    printf("%d\n", value);
    return verdict();
}
