/* Times of one kernel of rules.cl: rules FILE KERNEL N M COLUMNS ROWS LOCAL_X LOCAL_Y
   prints the least of the runs, in microseconds. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

/* Microseconds of an event, from start to end. */
static double taken(cl_event event) {
    cl_ulong start = 0, end = 0;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return (end - start) * 1e-3;
}

int main(int count, char **words) {
    if (count < 9) {
        return 2;
    }
    static char text[1 << 16];
    FILE *file = fopen(words[1], "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    const char *source = text;
    int n = atoi(words[3]), m = atoi(words[4]);
    size_t global[2] = {atoi(words[5]), atoi(words[6])}, local[2] = {atoi(words[7]), atoi(words[8])};
    size_t floats = (size_t)16 << 20;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL) | clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    error |= clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, words[2], &error);
    if (error) {
        fprintf(stderr, "%s: error %d\n", words[2], error);
        return 1;
    }
    for (int at = 0; at < 3; at++) {
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * floats, NULL, &error);
        float *mapped = clEnqueueMapBuffer(queue, buffer, 1, CL_MAP_WRITE, 0, 4 * floats, 0, NULL, NULL, &error);
        for (size_t i = 0; i < floats; i++) {
            mapped[i] = (float)(i % 31) * 0.25f;
        }
        clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
        clSetKernelArg(kernel, at, sizeof buffer, &buffer);
    }
    clSetKernelArg(kernel, 3, sizeof n, &n);
    clSetKernelArg(kernel, 4, sizeof m, &m);
    double least = 1e30, all = 0;
    for (int run = 0; run < 100 && (run < 8 || all < 200e3); run++) {
        cl_event event;
        error = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, &event) | clFinish(queue);
        if (error) {
            fprintf(stderr, "%s: error %d\n", words[2], error);
            return 1;
        }
        double us = taken(event);
        all += us;
        least = run > 1 && us < least ? us : least;
    }
    printf("%.1f\n", least);
    return 0;
}
