// Builds a program whose number comes from an included file, and prints what its kernel leaves.
// arguments: the folder of number.h, or none, or options and lines that include it
#include "check.h"

int main(int count, char **words)
{
    begin();
    char options[4096] = "-DNUMBER=42";
    char code[4096];
    const char *include = count > 2 ? words[2] : count > 1 ? "#include \"number.h\"" : "";
    snprintf(code, sizeof code, "%s\nkernel void f(global int *x) { x[0] = NUMBER; }", include);
    if (count > 1)
        snprintf(options, sizeof options, count > 2 ? "%s" : "-I \"%s\"", words[1]);
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
