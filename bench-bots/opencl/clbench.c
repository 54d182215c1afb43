/* The device, buffers and launches of clbench.h, by OpenCL. */
#include "clbench.h"

void cl_need(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, (int)code);
        exit(1);
    }
}

static void read_platform(struct clbench *b, cl_platform_id platform) {
    cl_need(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof b->platform - 1, b->platform, NULL),
            "clGetPlatformInfo");
    for (char *at = b->platform; *at; at++) {
        if (*at == ' ') {
            *at = '_';
        }
    }
}

void clbench_open(struct clbench *b) {
    cl_platform_id platform;
    cl_int code;
    cl_need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    read_platform(b, platform);
    cl_need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &b->device, NULL), "clGetDeviceIDs");
    b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &code);
    cl_need(code, "clCreateContext");
    b->queue = clCreateCommandQueue(b->context, b->device, CL_QUEUE_PROFILING_ENABLE, &code);
    cl_need(code, "clCreateCommandQueue");
}

cl_program clbench_build(struct clbench *b, const char *text, size_t length) {
    cl_int code;
    cl_program program = clCreateProgramWithSource(b->context, 1, &text, &length, &code);
    cl_need(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &b->device, "", NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[8192];
        clGetProgramBuildInfo(program, b->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        cl_need(code, "clBuildProgram");
    }
    return program;
}

void clbench_close(struct clbench *b) {
    for (int i = 0; i < CLBENCH_BUFFERS; i++) {
        if (b->buffer[i].device != NULL) {
            clReleaseMemObject(b->buffer[i].device);
            free(b->buffer[i].host);
        }
    }
    if (b->program != NULL) {
        clReleaseProgram(b->program);
    }
    clReleaseCommandQueue(b->queue);
    clReleaseContext(b->context);
}

void *make(struct clbench *b, int i, size_t bytes) {
    cl_int code;
    struct buffer *buffer = &b->buffer[i];
    buffer->bytes = bytes;
    buffer->host = calloc(1, bytes);
    if (buffer->host == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(1);
    }
    buffer->device = clCreateBuffer(b->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    cl_need(code, "clCreateBuffer");
    return buffer->host;
}

void up(struct clbench *b, int i) {
    struct buffer *buffer = &b->buffer[i];
    cl_need(clEnqueueWriteBuffer(b->queue, buffer->device, CL_TRUE, 0, buffer->bytes, buffer->host,
                                 0, NULL, NULL),
            "clEnqueueWriteBuffer");
}

void down(struct clbench *b, int i) {
    struct buffer *buffer = &b->buffer[i];
    cl_need(clEnqueueReadBuffer(b->queue, buffer->device, CL_TRUE, 0, buffer->bytes, buffer->host,
                                0, NULL, NULL),
            "clEnqueueReadBuffer");
}

void launch_with(struct clbench *b, const char *name, struct range range,
                 const struct argument *arguments) {
    cl_int code;
    cl_event event;
    cl_ulong start, end;
    cl_kernel kernel = clCreateKernel(b->program, name, &code);
    cl_need(code, name);
    for (cl_uint i = 0; arguments[i].bytes != 0; i++) {
        cl_need(clSetKernelArg(kernel, i, arguments[i].bytes, arguments[i].value), name);
    }
    const size_t *local = range.local[0] == 0 ? NULL : range.local;
    double cpu_before = cpu_now_s();
    cl_need(clEnqueueNDRangeKernel(b->queue, kernel, range.dimensions, NULL, range.global, local, 0,
                                   NULL, &event),
            name);
    cl_need(clFinish(b->queue), name);
    b->cpu_s += cpu_now_s() - cpu_before;
    cl_need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
            "clGetEventProfilingInfo");
    cl_need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
            "clGetEventProfilingInfo");
    b->kernel_s += (double)(end - start) * 1e-9;
    clReleaseEvent(event);
    clReleaseKernel(kernel);
}
