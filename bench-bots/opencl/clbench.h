/* What every OpenCL workload shares: the device, buffers with a host copy, launches whose kernel time is
 * summed, comparisons with a serial computation.
 *
 * A workload prepares its data once, runs several times (`once`, of which only the kernels' time between
 * start and end counts, as the queue's profiling tells it), and is checked after the last run against a
 * serial computation in C. Its kernels are in a file of their own, which is part of the executable.
 */
#ifndef VICINITY_CLBENCH_H
#define VICINITY_CLBENCH_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLBENCH_BUFFERS = 10 };

/* Memory of the device, and the same of the host. */
struct buffer {
    cl_mem device;
    void *host;
    size_t bytes;
};

struct clbench {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    char platform[64];
    long size;
    struct buffer buffer[CLBENCH_BUFFERS];
    /* Of the launches since these were last set to 0: the kernels' time, and all threads' processor time from
     * enqueue to end. */
    double kernel_s, cpu_s;
};

struct workload {
    const char *name;
    const char *source, *source_end;
    long sizes[4]; /* of the classes test, small, medium, large */
    void (*prepare)(struct clbench *);
    void (*once)(struct clbench *);
    int (*check)(struct clbench *);
};

/* Names the text of FILE.cl, which TEXT of incbin.h makes part of the executable. */
#define CLBENCH_SOURCE(file) extern const char file##_cl[], file##_cl_end[];

/* The end, if `code` is an error, in one line that says of what. */
void cl_need(cl_int code, const char *what);

/* The time, from some moment on, and the processor time of the process so far. */
double now_s(void);
double cpu_now_s(void);

/* Opens the first device of the first platform. */
void clbench_open(struct clbench *b);
/* Builds a program; prints the log and ends where that fails. */
cl_program clbench_build(struct clbench *b, const char *text, size_t length);
void clbench_close(struct clbench *b);

/* Makes buffer `i`, on both sides; gives the host's memory. */
void *make(struct clbench *b, int i, size_t bytes);
/* Host to device and back. */
void up(struct clbench *b, int i);
void down(struct clbench *b, int i);

struct range {
    cl_uint dimensions;
    size_t global[3], local[3];
};
/* A local size of 0 in the first dimension leaves it to the driver. */
#define RANGE1(g, l) ((struct range){1, {(g), 1, 1}, {(l), 1, 1}})
#define RANGE2(gx, gy, lx, ly) ((struct range){2, {(gx), (gy), 1}, {(lx), (ly), 1}})
#define RANGE3(gx, gy, gz, lx, ly, lz) ((struct range){3, {(gx), (gy), (gz)}, {(lx), (ly), (lz)}})

struct argument {
    size_t bytes;
    const void *value;
};
#define B(i) {sizeof(cl_mem), &b->buffer[i].device}
#define V(x) {sizeof(x), &(x)}
#define LOCAL(bytes) {(bytes), NULL}
/* The least multiple of `local` that is not less than `n`: the global size where n items are needed. */
size_t round_up(long n, size_t local);
/* Runs a kernel to its end and adds its time. */
#define launch(b, name, range, ...)                                                                \
    launch_with(b, name, range, (struct argument[]){__VA_ARGS__, {0, NULL}})
void launch_with(struct clbench *b, const char *name, struct range range,
                 const struct argument *arguments);

/* Reproducible data. */
uint32_t random_word(uint32_t *state);
float random_unit(uint32_t *state);
void fill_unit(float *values, long count, uint32_t seed);
void fill_between(float *values, long count, uint32_t seed, float low, float high);
/* What the bits of half precision mean; no infinities. */
double half_value(cl_ushort bits);
/* The nearest place of those from 0 to before the end. */
long clamped(long at, long end);
/* A word all of whose bits depend on all bits of the given one; each word is another one's. */
uint32_t mixed_word(uint32_t word);

/* Whether |got - want| <= tolerance * max(1, |want|); says where not. */
int near(const char *what, long at, double got, double want, double tolerance);
/* Whether whole numbers are equal; says where not. */
int same(const char *what, long at, long got, long want);

#endif
