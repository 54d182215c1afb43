/* Stands between a program and the OpenCL loader, and tells how long the program's thread was in calls of each kind:
 *
 *     CALLS_FILE=FILE LD_PRELOAD=./calls.so PROGRAM
 *
 * writes a line of JSON: milliseconds by kind, and `between`, all from the loading of this library to the end of `main`. A call
 * of a callback or of a driver inside of another call belongs to the latter. All arguments of OpenCL's functions are words, so
 * one form of 13 words passes on all of them: on x86-64 and AArch64 surplus ones do no harm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KINDS(K)                                                                                                       \
    K(platform) K(device) K(context) K(queue) K(program) K(build) K(query) K(kernel)                                   \
    K(argument) K(buffer) K(transfer) K(launch) K(wait) K(event) K(release) K(release_context)
#define NAMED(kind) KIND_##kind,
enum { KINDS(NAMED) COUNT };
#define TEXT(kind) #kind,
static const char *const names[] = {KINDS(TEXT)};

static double spent_ms[COUNT], loaded_ms;
static long calls[COUNT];
static __thread int depth, is_main;

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

typedef long function(long, long, long, long, long, long, long, long, long, long, long, long, long);

#define CALL(kind, name)                                                                                               \
    long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m) {\
        static function *real;                                                                                         \
        if (real == NULL)                                                                                              \
            real = (function *)dlsym(RTLD_NEXT, #name);                                                                \
        int counts = is_main && depth++ == 0;                                                                          \
        double start = counts ? now_ms() : 0.0;                                                                        \
        long result = real(a, b, c, d, e, f, g, h, i, j, k, l, m);                                                     \
        if (counts) {                                                                                                  \
            spent_ms[KIND_##kind] += now_ms() - start;                                                                 \
            calls[KIND_##kind]++;                                                                                      \
        }                                                                                                              \
        depth -= is_main;                                                                                              \
        return result;                                                                                                 \
    }

CALL(platform, clGetPlatformIDs) CALL(platform, clGetPlatformInfo)
CALL(device, clGetDeviceIDs) CALL(device, clGetDeviceInfo)
CALL(context, clCreateContext) CALL(context, clCreateContextFromType)
CALL(queue, clCreateCommandQueue) CALL(queue, clCreateCommandQueueWithProperties)
CALL(program, clCreateProgramWithSource) CALL(program, clCreateProgramWithBinary)
CALL(build, clBuildProgram) CALL(build, clCompileProgram) CALL(build, clLinkProgram)
CALL(query, clGetProgramInfo) CALL(query, clGetProgramBuildInfo) CALL(query, clGetKernelInfo)
CALL(query, clGetKernelWorkGroupInfo)
CALL(query, clGetContextInfo) CALL(query, clGetSupportedImageFormats)
CALL(kernel, clCreateKernel) CALL(kernel, clCreateKernelsInProgram)
CALL(argument, clSetKernelArg)
CALL(buffer, clCreateBuffer)
CALL(transfer, clEnqueueReadBuffer) CALL(transfer, clEnqueueWriteBuffer) CALL(transfer, clEnqueueCopyBuffer)
CALL(transfer, clEnqueueFillBuffer) CALL(transfer, clEnqueueMapBuffer) CALL(transfer, clEnqueueUnmapMemObject)
CALL(launch, clEnqueueNDRangeKernel)
CALL(wait, clFinish) CALL(wait, clFlush) CALL(wait, clWaitForEvents)
CALL(event, clGetEventInfo) CALL(event, clGetEventProfilingInfo)
CALL(release, clReleaseMemObject) CALL(release, clReleaseKernel) CALL(release, clReleaseProgram) CALL(release, clReleaseEvent)
CALL(release, clReleaseCommandQueue)
CALL(release_context, clReleaseContext)

__attribute__((constructor)) static void begin(void) {
    is_main = 1;
    loaded_ms = now_ms();
}

__attribute__((destructor)) static void end(void) {
    FILE *file = is_main && getenv("CALLS_FILE") ? fopen(getenv("CALLS_FILE"), "w") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "{\"between\": %.6g", now_ms() - loaded_ms);
    for (int kind = 0; kind < COUNT; kind++)
        fprintf(file, ", \"%s\": %.6g, \"%s_calls\": %ld", names[kind], spent_ms[kind], names[kind], calls[kind]);
    fprintf(file, "}\n");
    fclose(file);
}
