/* The device, buffers and timed launches of host.h. */
#include "host.h"
#include <time.h>

void need(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)code);
        exit(1);
    }
}

double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

void *memory(size_t bytes) {
    void *found = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (found == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(1);
    }
    memset(found, 0, bytes);
    return found;
}

static char *text_of(const char *name) {
    FILE *file = fopen(name, "rb");
    char *text = memory(1 << 16);
    if (file == NULL || fread(text, 1, (1 << 16) - 1, file) == 0) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    fclose(file);
    return text;
}

cl_program build(const struct host *host, const char *file, const char *options) {
    return build_for(host, file, options, 1, &host->device);
}

cl_program build_for(const struct host *host, const char *file, const char *options, cl_uint count, const cl_device_id *devices) {
    cl_int code;
    char *text = text_of(file);
    cl_program program = clCreateProgramWithSource(host->context, 1, (const char **)&text, NULL, &code);
    need(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, count, devices, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[8192];
        clGetProgramBuildInfo(program, host->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    need(code, "clBuildProgram");
    free(text);
    return program;
}

struct host open_host(void) {
    struct host host;
    cl_platform_id platform;
    cl_int code;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &host.device, NULL), "clGetDeviceIDs");
    host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &code);
    need(code, "clCreateContext");
    host.queue = clCreateCommandQueue(host.context, host.device, 0, &code);
    need(code, "clCreateCommandQueue");
    host.program = NULL;
    return host;
}

cl_kernel kernel_of(cl_program program, const char *name, int count, const cl_mem *buffers, int count_int,
                    const cl_int *numbers) {
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    need(code, name);
    for (int i = 0; i < count; i++)
        need(clSetKernelArg(kernel, i, sizeof *buffers, &buffers[i]), name);
    for (int i = 0; i < count_int; i++)
        need(clSetKernelArg(kernel, count + i, sizeof *numbers, &numbers[i]), name);
    return kernel;
}

float number_at(size_t i) { return 0.5f + (float)(i * 7919 % 1000) * 0.001f; }

cl_mem buffer_of(const struct host *host, size_t bytes, const void *values) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    need(code, "clCreateBuffer");
    need(clEnqueueWriteBuffer(host->queue, buffer, CL_TRUE, 0, bytes, values, 0, NULL, NULL), "clEnqueueWriteBuffer");
    return buffer;
}

cl_mem numbers(const struct host *host, size_t count, size_t first) {
    float *values = memory(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = number_at(first + i);
    cl_mem buffer = buffer_of(host, count * sizeof *values, values);
    free(values);
    return buffer;
}

void wipe(const struct host *host, cl_mem buffer, size_t bytes) {
    const float nothing = -77.0f;
    need(clEnqueueFillBuffer(host->queue, buffer, &nothing, sizeof nothing, 0, bytes, 0, NULL, NULL), "clEnqueueFillBuffer");
    need(clFinish(host->queue), "clFinish");
}

void enqueue(const struct host *host, const struct launch *launch) {
    const size_t *local = launch->local[0] == 0 ? NULL : launch->local;
    need(clEnqueueNDRangeKernel(host->queue, launch->kernel, launch->dimensions, NULL, launch->global, local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
}

/* Rows of a few milliseconds: a row is long beside the clock's steps and the call that waits, and short beside what others
 * disturb. */
#define ROW_MS 3.0
#define MEASURED_MS 50.0
#define SLOW_MS 300.0

double time_of(const struct host *host, const struct launch *launch) {
    double begun = now_ms(), once;
    do { /* a driver makes or loads code here, and learns how long the kernel takes */
        double start = now_ms();
        enqueue(host, launch);
        need(clFinish(host->queue), "clFinish");
        once = now_ms() - start;
    } while (now_ms() < begun + MEASURED_MS / 2);
    int row = once >= ROW_MS ? 1 : once <= ROW_MS / 500 ? 500 : (int)(ROW_MS / once) + 1;
    double least = once > SLOW_MS ? once : INFINITY, start = now_ms();
    do {
        double from = now_ms();
        for (int i = 0; i < row; i++)
            enqueue(host, launch);
        need(clFinish(host->queue), "clFinish");
        least = fmin(least, (now_ms() - from) / row);
    } while (now_ms() < start + MEASURED_MS);
    return least;
}

void print_case(const char *kernel, const char *size, const char *variant, double ms) {
    printf("{\"kernel\": \"%s\", \"size\": \"%s\", \"variant\": \"%s\", \"ms\": %.6g}\n", kernel, size, variant, ms);
    fflush(stdout);
}

void check(const struct host *host, const char *what, cl_mem got, size_t count, double (*want)(size_t i), double tolerance) {
    float *values = memory(count * sizeof *values);
    need(clEnqueueReadBuffer(host->queue, got, CL_TRUE, 0, count * sizeof *values, values, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (size_t at = 0; at < count; at += 1 + count / 500) {
        double wanted = want(at);
        if (!(fabs(values[at] - wanted) <= tolerance * fmax(1.0, fabs(wanted)))) {
            fprintf(stderr, "%s: element %zu is %g, and should be %g\n", what, at, values[at], wanted);
            exit(1);
        }
    }
    free(values);
}
