/* A kernel is built and computes, on the first platform, which is Vicinity. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1000 };

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    char name[64] = "", log[4096] = "";
    int results[COUNT] = { 0 };
    size_t size = COUNT;
    const char *source = "kernel void twice(global int *a) { a[get_global_id(0)] = 2 * (int)get_global_id(0); }";
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 1;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL)) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        return 2;
    }
    cl_kernel kernel = clCreateKernel(program, "twice", NULL);
    cl_mem memory = clCreateBuffer(context, 0, sizeof results, NULL, NULL);
    if (clSetKernelArg(kernel, 0, sizeof memory, &memory)) return 3;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL)) return 4;
    if (clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL)) return 5;
    printf("%s: %d\n", name, results[COUNT - 1]);
    return strcmp(name, "Vicinity") != 0 || results[COUNT - 1] != 2 * (COUNT - 1);
}
