// What the OpenCL programs share: checks that say where they failed, our device, a program.
#ifndef CHECK_H
#define CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

#define EQUAL(got, wanted)                                                                        \
    do {                                                                                          \
        long long got_ = (long long)(got), wanted_ = (long long)(wanted);                         \
        if (got_ != wanted_) {                                                                    \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, got_, wanted_); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

#define OK(call) EQUAL(call, CL_SUCCESS)

static inline cl_device_id our_device(void) {
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint count = 0;
    char name[256];
    OK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count; i++) {
        OK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (strstr(name, "Vicinity") == NULL) continue;
        OK(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL));
        return device;
    }
    fprintf(stderr, "no platform of ours among %u\n", count);
    exit(1);
}

static inline cl_program built(cl_context context, cl_device_id device, const char *source, const char *options) {
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "not built: %d\n%s\n", code, log);
        exit(1);
    }
    return program;
}

#endif
