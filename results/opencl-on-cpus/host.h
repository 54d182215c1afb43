/* What the measurements of results/opencl-on-cpus share: one device, buffers with numbers, launches that are timed.
 * Each measurement prints lines of JSON, one for each case. Times are of the host's clock, in milliseconds. */
#ifndef ON_CPUS_HOST_H
#define ON_CPUS_HOST_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program; /* of kernels.cl */
};

struct launch {
    cl_kernel kernel;
    cl_uint dimensions;
    size_t global[3], local[3]; /* a local size of 0 leaves it to the driver */
};

/* The end, if `code` is an error, in one line that says of what. */
void need(cl_int code, const char *what);
double now_ms(void);
void *memory(size_t bytes);

/* The first device of the first platform, and the program of kernels.cl. */
struct host open_host(void);
cl_program build(const struct host *host, const char *file, const char *options);
cl_program build_for(const struct host *host, const char *file, const char *options, cl_uint count, const cl_device_id *devices);
/* A kernel of kernels.cl with `count` buffers as its arguments, and then `count_int` numbers. */
cl_kernel kernel_of(cl_program program, const char *name, int count, const cl_mem *buffers, int count_int, const cl_int *numbers);

/* A buffer of the numbers `first` and following of an endless row, all between 0.5 and 1.5; or of `values`. */
cl_mem numbers(const struct host *host, size_t count, size_t first);
cl_mem buffer_of(const struct host *host, size_t bytes, const void *values);
float number_at(size_t i);
/* Stores the same number everywhere, so that what a kernel does not write is seen. */
void wipe(const struct host *host, cl_mem buffer, size_t bytes);

void enqueue(const struct host *host, const struct launch *launch);
/* Milliseconds a launch, many of which are enqueued one after the other: the least of several such rows, after others that do not
 * count. */
double time_of(const struct host *host, const struct launch *launch);

/* The line of a case. */
void print_case(const char *kernel, const char *size, const char *variant, double ms);

/* The end with a message, if one of some elements of `got` differs from what `want` gives by more than `tolerance` of it. */
void check(const struct host *host, const char *what, cl_mem got, size_t count, double (*want)(size_t i), double tolerance);

#endif
