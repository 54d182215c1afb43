/* Section 3.4: the ways of data to the device and back, in all combinations of copying or mapping, access flags and place. */
#include "launches.h"

enum { MAPS = 1, FLAGS = 2, HOST_PTR = 4, COMBINATIONS = 8 };

struct program {
    const char *name, *kernel;
    int inputs, outputs;
    cl_uint dimensions;
    size_t x, y;
};

static const struct program programs[] = {
    {"square", "square_plain", 1, 1, 1, 100000, 1},          {"square", "square_plain", 1, 1, 1, 1000000, 1},
    {"square", "square_plain", 1, 1, 1, 10000000, 1},        {"vector_add", "vector_add_plain", 2, 1, 1, 1100000, 1},
    {"vector_add", "vector_add_plain", 2, 1, 1, 11445000, 1}, {"black_scholes", "black_scholes", 2, 2, 2, 1280, 1280},
};

/* A case: the buffers, inputs first, the program's own arrays, and the times of the last run. */
struct run {
    const struct host *host;
    struct launch launch;
    int buffers, inputs, maps;
    size_t bytes;
    cl_mem buffer[4];
    float *own[4];
    double in_ms, kernel_ms, out_ms;
};

/* All a program does with a buffer between two launches, but for what makes or uses the numbers: that is the same for both. */
static void pass(struct run *run, int at, int in) {
    cl_command_queue queue = run->host->queue;
    cl_mem buffer = run->buffer[at];
    cl_int code;
    if (run->maps) {
        cl_map_flags flags = in ? CL_MAP_WRITE : CL_MAP_READ;
        void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, run->bytes, 0, NULL, NULL, &code);
        need(code, "clEnqueueMapBuffer");
        need(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
        need(clFinish(queue), "clFinish");
    } else if (in) {
        need(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, run->bytes, run->own[at], 0, NULL, NULL), "clEnqueueWriteBuffer");
    } else {
        need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, run->bytes, run->own[at], 0, NULL, NULL), "clEnqueueReadBuffer");
    }
}

static void once(struct run *run) {
    double start = now_ms();
    for (int at = 0; at < run->inputs; at++)
        pass(run, at, 1);
    double filled = now_ms();
    enqueue(run->host, &run->launch);
    need(clFinish(run->host->queue), "clFinish");
    double done = now_ms();
    for (int at = run->inputs; at < run->buffers; at++)
        pass(run, at, 0);
    run->in_ms = filled - start;
    run->kernel_ms = done - filled;
    run->out_ms = now_ms() - done;
}

/* Makes the buffers and the program's own arrays; inputs have numbers in both. */
static void prepare(struct run *run, const struct program *program, int flags, int host_ptr) {
    size_t count = program->x * program->y;
    run->bytes = count * sizeof(float);
    run->buffers = program->inputs + program->outputs;
    for (int at = 0; at < run->buffers; at++) {
        int in = at < run->inputs;
        cl_int code;
        cl_mem_flags access = !flags ? CL_MEM_READ_WRITE : in ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY;
        run->own[at] = memory(run->bytes);
        cl_mem_flags place = host_ptr ? CL_MEM_ALLOC_HOST_PTR : 0;
        run->buffer[at] = clCreateBuffer(run->host->context, access | place, run->bytes, NULL, &code);
        need(code, "clCreateBuffer");
        for (size_t i = 0; in && i < count; i++)
            run->own[at][i] = number_at(i + at);
        need(clEnqueueWriteBuffer(run->host->queue, run->buffer[at], CL_TRUE, 0, run->bytes, run->own[at], 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    }
    cl_kernel kernel = kernel_of(run->host->program, program->kernel, run->buffers, run->buffer, 0, NULL);
    run->launch = (struct launch){kernel, program->dimensions, {program->x, program->y}, {0}};
}

static void finish(struct run *run) {
    clReleaseKernel(run->launch.kernel);
    for (int at = 0; at < run->buffers; at++) {
        clReleaseMemObject(run->buffer[at]);
        free(run->own[at]);
    }
}

/* What memcpy takes for as many bytes, from and to as many places. */
static double copy_ms(const struct run *run) {
    double least = INFINITY;
    void *other[4];
    for (int at = 0; at < run->buffers; at++)
        other[at] = memory(run->bytes);
    for (int i = 0; i < 5; i++) {
        double start = now_ms();
        for (int at = 0; at < run->buffers; at++) {
            memcpy(at < run->inputs ? other[at] : run->own[at], at < run->inputs ? run->own[at] : other[at], run->bytes);
            __asm__ volatile("" ::: "memory");
        }
        least = fmin(least, now_ms() - start);
    }
    for (int at = 0; at < run->buffers; at++)
        free(other[at]);
    return least;
}

static void measure(const struct host *host, const struct program *program, int combination) {
    struct run run = {.host = host, .inputs = program->inputs, .maps = (combination & MAPS) != 0}, best = {.in_ms = INFINITY};
    prepare(&run, program, combination & FLAGS, combination & HOST_PTR);
    double start = now_ms();
    for (int i = 0; i < 5 || now_ms() < start + 60.0; i++) {
        once(&run);
        if (i > 0 && run.in_ms + run.kernel_ms + run.out_ms < best.in_ms + best.kernel_ms + best.out_ms)
            best = run;
    }
    printf("{\"kernel\": \"%s\", \"size\": \"%zu\", ", program->name, program->x * program->y);
    printf("\"variant\": \"%s, %s, %s\", ", combination & MAPS ? "map" : "copy", combination & FLAGS ? "one way" : "both ways",
           combination & HOST_PTR ? "host" : "device");
    printf("\"ms\": %.6g, \"in_ms\": %.6g, ", best.in_ms + best.kernel_ms + best.out_ms, best.in_ms);
    printf("\"kernel_ms\": %.6g, \"out_ms\": %.6g, \"memcpy_ms\": %.6g}\n", best.kernel_ms, best.out_ms, copy_ms(&run));
    fflush(stdout);
    finish(&run);
}

void measure_memory(void) {
    struct host host = open_host();
    host.program = build(&host, "kernels.cl", "");
    for (size_t at = 0; at < sizeof programs / sizeof *programs; at++)
        for (int combination = 0; combination < COMBINATIONS; combination++)
            measure(&host, &programs[at], combination);
}
