/* What the OpenCL programs share: checks that count and complain, and a device with a context and a queue. */
#ifndef CHECK_H
#define CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
            failures++;                                                                         \
        }                                                                                       \
    } while (0)

#define IS(expected, call)                                                                      \
    do {                                                                                        \
        cl_int found_ = (call), expected_ = (expected);                                         \
        if (found_ != expected_) {                                                              \
            printf("%s:%d: %s is %d, not %d\n", __FILE__, __LINE__, #call, found_, expected_);  \
            failures++;                                                                         \
        }                                                                                       \
    } while (0)

#define OK(call) IS(CL_SUCCESS, call)

/* Ends the program: 0 if nothing went wrong. */
static inline int verdict(void) { return failures != 0; }

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_int error;

static inline void begin(void)
{
    cl_uint count = 0;
    OK(clGetPlatformIDs(1, &platform, &count));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    OK(error);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    OK(error);
    if (failures)
        exit(1);
}

static inline void end(void)
{
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
}

/* A built program; its log is printed if it does not build. */
static inline cl_program build(const char *source, const char *options)
{
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[8192] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s\n", log);
    }
    OK(error);
    return program;
}

/* Seconds since some moment. */
static inline double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* How much machine code of kernels the process has loaded. */
static inline int loaded(void)
{
    char line[1024];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        count += strstr(line, "r-xp") && strstr(line, "vicinity-kernels");
    fclose(maps);
    return count;
}

#endif
