/* What single steps of OpenCL cost: one measure a process.
 *
 *     opencl_costs MEASURE | --list
 *
 * prints one line of key=value pairs with `ns_per_op`, and `cpu_seconds` where all threads' processor time tells more. Exit status: 0 it was measured, 1 OpenCL failed or did
 * something else than it was asked to, 2 the command line was not understood.
 */
#include "clbench.h"
#include "incbin.h"
#include "sequence.h"

#include <emmintrin.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KERNELS = 20, LAUNCHES = 2000, ITEMS = 1 << 20, MEGABYTES = 256 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

static void wrong(const char *what) {
    fprintf(stderr, "opencl_costs: %s\n", what);
    exit(1);
}

/* A program of `count` kernels, which no cache has met if `salt` is new. */
static char *source_of(int count, unsigned long salt) {
    static char text[64 * 1024];
    int at = 0;
    for (int k = 0; k < count; k++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "__kernel void k%d(__global float *x, int n) {\n"
                       "    int i = get_global_id(0);\n"
                       "    float sum = x[i];\n"
                       "    for (int j = 0; j < n; j++) sum = sum * %d.5f + x[(i + j) & 63];\n"
                       "    x[i] = sum + (float)(%luu);\n"
                       "}\n",
                       k, k, salt & 0xffffff);
    }
    return text;
}

static unsigned long new_salt(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned long)now.tv_nsec / 64 + (unsigned long)getpid() * 977;
}

static double platform_cost(void) {
    cl_uint count;
    double start = now_s();
    cl_need(clGetPlatformIDs(0, NULL, &count), "clGetPlatformIDs");
    return now_s() - start;
}

static double context_cost(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    cl_need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    cl_need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    double start = now_s();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_need(code, "clCreateContext");
    double spent = now_s() - start;
    clReleaseContext(context);
    return spent;
}

static double build_once(int kernels, unsigned long salt) {
    struct clbench b = {0};
    clbench_open(&b);
    const char *text = source_of(kernels, salt);
    double start = now_s();
    b.program = clbench_build(&b, text, strlen(text));
    double spent = now_s() - start;
    clbench_close(&b);
    return spent;
}

/* Until all code is there: what drivers leave for later, they need for the binary. */
static double whole_once(int kernels, unsigned long salt) {
    struct clbench b = {0};
    size_t bytes;
    clbench_open(&b);
    const char *text = source_of(kernels, salt);
    double start = now_s();
    b.program = clbench_build(&b, text, strlen(text));
    cl_need(clGetProgramInfo(b.program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL), "clGetProgramInfo");
    double spent = now_s() - start;
    clbench_close(&b);
    return spent;
}

/* Another process builds the program first, so that only what is kept on disk can help. */
static double build_cached(int kernels) {
    unsigned long salt = new_salt();
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        whole_once(kernels, salt);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        wrong("the first build failed");
    }
    return build_once(kernels, salt);
}

static double build_cold_cost(void) { return build_once(1, new_salt()); }
static double build_cached_cost(void) { return build_cached(1); }
static double build20_cold_cost(void) { return build_once(KERNELS, new_salt()); }
static double whole20_cold_cost(void) { return whole_once(KERNELS, new_salt()); }
static double build20_cached_cost(void) { return build_cached(KERNELS); }

/* From the source on, or from the end of the build. */
static double first_launch(int with_build) {
    struct clbench b = {0};
    cl_int code, n = 4;
    clbench_open(&b);
    const char *text = source_of(1, new_salt());
    make(&b, 0, 64 * sizeof(float));
    up(&b, 0);
    double before = now_s();
    b.program = clbench_build(&b, text, strlen(text));
    cl_kernel kernel = clCreateKernel(b.program, "k0", &code);
    cl_need(code, "clCreateKernel");
    cl_need(clSetKernelArg(kernel, 0, sizeof(cl_mem), &b.buffer[0].device), "clSetKernelArg");
    cl_need(clSetKernelArg(kernel, 1, sizeof n, &n), "clSetKernelArg");
    size_t global = 64, local = 16;
    double start = now_s();
    cl_need(clEnqueueNDRangeKernel(b.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "k0");
    cl_need(clFinish(b.queue), "clFinish");
    double spent = now_s() - (with_build ? before : start);
    clReleaseKernel(kernel);
    clbench_close(&b);
    return spent;
}

static double first_launch_cost(void) { return first_launch(0); }
static double first_cold_cost(void) { return first_launch(1); }

TEXT(costs)
CLBENCH_SOURCE(costs)

/* The device, the kernels above, and a queue without profiling, as most programs have it. */
static cl_kernel open_costs(struct clbench *b, const char *name) {
    cl_int code;
    clbench_open(b);
    clReleaseCommandQueue(b->queue);
    b->queue = clCreateCommandQueue(b->context, b->device, 0, &code);
    cl_need(code, "clCreateCommandQueue");
    b->program = clbench_build(b, costs_cl, (size_t)(costs_cl_end - costs_cl));
    cl_kernel kernel = clCreateKernel(b->program, name, &code);
    cl_need(code, "clCreateKernel");
    return kernel;
}

static void enqueue(struct clbench *b, cl_kernel kernel, size_t global, size_t local) {
    cl_need(clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
}

static double empty_cost(void) {
    static double times[LAUNCHES];
    struct clbench b = {0};
    cl_kernel kernel = open_costs(&b, "empty");
    for (int i = -100; i < LAUNCHES; i++) {
        double start = now_s();
        enqueue(&b, kernel, 1, 1);
        cl_need(clFinish(b.queue), "clFinish");
        times[i < 0 ? 0 : i] = now_s() - start;
    }
    clReleaseKernel(kernel);
    clbench_close(&b);
    return median(times, LAUNCHES);
}

/* Enqueued one behind another; the time until the last has ended counts, too. */
static double enqueue_cost(void) {
    double times[5];
    struct clbench b = {0};
    cl_kernel kernel = open_costs(&b, "empty");
    for (int run = 0; run < 5; run++) {
        double start = now_s();
        for (int i = 0; i < LAUNCHES; i++) {
            enqueue(&b, kernel, 1, 1);
        }
        cl_need(clFinish(b.queue), "clFinish");
        times[run] = (now_s() - start) / LAUNCHES;
    }
    clReleaseKernel(kernel);
    clbench_close(&b);
    return median(times, 5);
}

/* By a program that flushes and looks, and never waits. */
static double flush_cost(void) {
    double times[5];
    struct clbench b = {0};
    cl_kernel kernel = open_costs(&b, "empty");
    for (int run = 0; run < 5; run++) {
        cl_event last;
        cl_int state = CL_QUEUED;
        double start = now_s();
        for (int i = 1; i < LAUNCHES; i++) {
            enqueue(&b, kernel, 1, 1);
            cl_need(clFlush(b.queue), "clFlush");
        }
        cl_need(clEnqueueMarkerWithWaitList(b.queue, 0, NULL, &last), "clEnqueueMarkerWithWaitList");
        cl_need(clFlush(b.queue), "clFlush");
        while (state > CL_COMPLETE) {
            cl_need(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
                    "clGetEventInfo");
        }
        times[run] = (now_s() - start) / LAUNCHES;
        cl_need(clReleaseEvent(last), "clReleaseEvent");
    }
    clReleaseKernel(kernel);
    clbench_close(&b);
    return median(times, 5);
}

/* All threads' processor time of the measure, if it says so. */
static double measured_cpu_s;

static double short_cost(double work_us, int is_awaited) {
    struct clbench b = {0};
    cl_kernel kernel = open_costs(&b, "busy");
    double seconds = sequence_cost(&b, kernel, work_us, is_awaited, &measured_cpu_s);
    clReleaseKernel(kernel);
    clbench_close(&b);
    return seconds;
}

static double short1_cost(void) { return short_cost(1.0, 0); }
static double short3_cost(void) { return short_cost(3.0, 0); }
static double short10_cost(void) { return short_cost(10.0, 0); }
static double short30_cost(void) { return short_cost(30.0, 0); }
static double short1_awaited_cost(void) { return short_cost(1.0, 1); }
static double short10_awaited_cost(void) { return short_cost(10.0, 1); }

struct host {
    pthread_t thread;
    struct clbench *bench;
};

/* A thread of the program with a kernel and a queue of its own. */
static void *enqueue_all(void *data) {
    struct clbench *b = ((struct host *)data)->bench;
    cl_int code;
    cl_kernel kernel = clCreateKernel(b->program, "empty", &code);
    cl_need(code, "clCreateKernel");
    struct clbench own = *b;
    own.queue = clCreateCommandQueue(b->context, b->device, 0, &code);
    cl_need(code, "clCreateCommandQueue");
    for (int i = 0; i < LAUNCHES; i++) {
        enqueue(&own, kernel, 1, 1);
    }
    cl_need(clFinish(own.queue), "clFinish");
    clReleaseCommandQueue(own.queue);
    clReleaseKernel(kernel);
    return NULL;
}

/* All that several threads enqueue at once, each in its own queue, by the number of commands. */
static double hosts_cost(int count) {
    double times[5];
    struct clbench b = {0};
    struct host hosts[16];
    clReleaseKernel(open_costs(&b, "empty"));
    for (int run = 0; run < 5; run++) {
        double start = now_s();
        for (int i = 0; i < count; i++) {
            hosts[i].bench = &b;
            if (pthread_create(&hosts[i].thread, NULL, enqueue_all, &hosts[i]) != 0) {
                wrong("a thread cannot be made");
            }
        }
        for (int i = 0; i < count; i++) {
            pthread_join(hosts[i].thread, NULL);
        }
        times[run] = (now_s() - start) / (count * LAUNCHES);
    }
    clbench_close(&b);
    return median(times, 5);
}

static double hosts2_cost(void) { return hosts_cost(2); }
static double hosts8_cost(void) { return hosts_cost(8); }

static double group_cost(size_t items) {
    double times[7];
    struct clbench b = {0};
    cl_kernel kernel = open_costs(&b, "store");
    cl_int *out = make(&b, 0, ITEMS * sizeof(cl_int));
    up(&b, 0);
    cl_need(clSetKernelArg(kernel, 0, sizeof(cl_mem), &b.buffer[0].device), "clSetKernelArg");
    for (int run = 0; run < 7; run++) {
        double start = now_s();
        enqueue(&b, kernel, ITEMS, items);
        cl_need(clFinish(b.queue), "clFinish");
        times[run] = (now_s() - start) / (double)(ITEMS / items);
    }
    down(&b, 0);
    for (int i = 0; i < ITEMS; i++) {
        if (out[i] != i) {
            wrong("an item did not store its number");
        }
    }
    clReleaseKernel(kernel);
    clbench_close(&b);
    return median(times, 7);
}

static double group1_cost(void) { return group_cost(1); }
static double group16_cost(void) { return group_cost(16); }
static double group256_cost(void) { return group_cost(256); }

enum transfer { WRITE, READ, COPY, FILL, MAP };

static void transfer(struct clbench *b, enum transfer how) {
    size_t bytes = b->buffer[0].bytes;
    cl_mem from = b->buffer[0].device, to = b->buffer[1].device;
    const cl_int pattern = 0x12345678;
    cl_int code = CL_SUCCESS;
    void *mapped;
    switch (how) {
    case WRITE: code = clEnqueueWriteBuffer(b->queue, from, CL_TRUE, 0, bytes, b->buffer[0].host, 0, NULL, NULL); break;
    case READ: code = clEnqueueReadBuffer(b->queue, from, CL_TRUE, 0, bytes, b->buffer[0].host, 0, NULL, NULL); break;
    case COPY: code = clEnqueueCopyBuffer(b->queue, from, to, 0, 0, bytes, 0, NULL, NULL); break;
    case FILL: code = clEnqueueFillBuffer(b->queue, from, &pattern, sizeof pattern, 0, bytes, 0, NULL, NULL); break;
    case MAP:
        mapped = clEnqueueMapBuffer(b->queue, from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
        cl_need(code, "clEnqueueMapBuffer");
        code = clEnqueueUnmapMemObject(b->queue, from, mapped, 0, NULL, NULL);
        break;
    }
    cl_need(code, "a transfer");
    cl_need(clFinish(b->queue), "clFinish");
}

/* Of 256 MB that have been touched before. */
static double transfer_cost(enum transfer how) {
    double times[7];
    struct clbench b = {0};
    clbench_open(&b);
    memset(make(&b, 0, (size_t)MEGABYTES << 20), 1, (size_t)MEGABYTES << 20);
    make(&b, 1, how == COPY ? (size_t)MEGABYTES << 20 : 4);
    up(&b, 0);
    transfer(&b, how);
    for (int run = 0; run < 7; run++) {
        double start = now_s();
        transfer(&b, how);
        times[run] = now_s() - start;
    }
    clbench_close(&b);
    return median(times, 7);
}

static double write_cost(void) { return transfer_cost(WRITE); }
static double read_cost(void) { return transfer_cost(READ); }
static double copy_cost(void) { return transfer_cost(COPY); }
static double fill_cost(void) { return transfer_cost(FILL); }
static double map_cost(void) { return transfer_cost(MAP); }

/* A buffer that begins as a copy of the program's memory: fresh memory, for the most part. */
static double create_cost(void) {
    double times[5];
    struct clbench b = {0};
    cl_int code;
    const size_t bytes = (size_t)MEGABYTES << 20;
    clbench_open(&b);
    void *data = malloc(bytes);
    if (data == NULL) {
        wrong("out of memory");
    }
    memset(data, 1, bytes);
    for (int run = 0; run < 5; run++) {
        double start = now_s();
        cl_mem buffer = clCreateBuffer(b.context, CL_MEM_COPY_HOST_PTR, bytes, data, &code);
        cl_need(code, "clCreateBuffer");
        times[run] = now_s() - start;
        clReleaseMemObject(buffer);
    }
    free(data);
    clbench_close(&b);
    return median(times, 5);
}

/* What the machine does without OpenCL: two threads, each with a half, the better of the C library's way and of writing past
 * the caches. */
struct half {
    pthread_t thread;
    char *to;
    const char *from;
    size_t bytes;
    int past;
};

static void *move_half(void *data) {
    const struct half *half = data;
    if (!half->past) {
        half->from ? memcpy(half->to, half->from, half->bytes) : memset(half->to, 0x12, half->bytes);
        return NULL;
    }
    const __m128i value = _mm_set1_epi32(0x12345678);
    for (size_t at = 0; at < half->bytes; at += sizeof value) {
        __m128i word = half->from ? _mm_loadu_si128((const __m128i *)(half->from + at)) : value;
        _mm_stream_si128((__m128i *)(half->to + at), word);
    }
    _mm_sfence();
    return NULL;
}

static double memory_cost(int copies) {
    const size_t bytes = (size_t)MEGABYTES << 20, part = bytes / 2;
    char *to = aligned_alloc(4096, bytes), *from = aligned_alloc(4096, bytes);
    double best = 0;
    if (to == NULL || from == NULL) {
        wrong("out of memory");
    }
    memset(to, 1, bytes);
    memset(from, 2, bytes);
    for (int past = 0; past < 2; past++) {
        double times[7];
        for (int run = 0; run < 7; run++) {
            struct half halves[2];
            double start = now_s();
            for (int i = 0; i < 2; i++) {
                halves[i] = (struct half){0, to + i * part, copies ? from + i * part : NULL, part, past};
            }
            if (pthread_create(&halves[1].thread, NULL, move_half, &halves[1]) != 0) {
                wrong("a thread cannot be made");
            }
            move_half(&halves[0]);
            pthread_join(halves[1].thread, NULL);
            times[run] = now_s() - start;
        }
        double middle = median(times, 7);
        best = past == 0 || middle < best ? middle : best;
    }
    free(to);
    free(from);
    return best;
}

static double memory_copy_cost(void) { return memory_cost(1); }
static double memory_fill_cost(void) { return memory_cost(0); }

static const struct measure {
    const char *name;
    double (*seconds)(void);
    const char *what;
} measures[] = {
    {"cl_platform", platform_cost, "the first query of platforms in a process"},
    {"cl_context", context_cost, "create a context"},
    {"cl_build_cold", build_cold_cost, "build a program of one kernel that is new"},
    {"cl_build_cached", build_cached_cost, "the same in another process that built it before"},
    {"cl_build20_cold", build20_cold_cost, "build a program of 20 kernels that is new"},
    {"cl_build20_cached", build20_cached_cost, "the same in another process that built it before"},
    {"cl_whole20_cold", whole20_cold_cost, "build a program of 20 kernels that is new, and wait for its binary"},
    {"cl_first_cold", first_cold_cost, "build a program of one kernel that is new, and launch it, to its end"},
    {"cl_first_launch", first_launch_cost, "the first launch of a kernel just built, to its end"},
    {"cl_empty", empty_cost, "an empty kernel of one item, from its enqueue to its end: median of 2000"},
    {"cl_enqueue", enqueue_cost, "one of 2000 empty kernels in order"},
    {"cl_flush", flush_cost, "the same by a program that flushes each and never waits"},
    {"cl_hosts2", hosts2_cost, "the same by 2 threads at once, each with a queue of its own"},
    {"cl_hosts8", hosts8_cost, "the same by 8 threads"},
    {"cl_short1", short1_cost, "one of 1000 kernels of 1 us in 4 work-groups, in order"},
    {"cl_short3", short3_cost, "one of 1000 such kernels of 3 us"},
    {"cl_short10", short10_cost, "one of 1000 such kernels of 10 us"},
    {"cl_short30", short30_cost, "one of 1000 such kernels of 30 us"},
    {"cl_short1_awaited", short1_awaited_cost, "one of 1000 such kernels of 1 us, each waited for"},
    {"cl_short10_awaited", short10_awaited_cost, "one of 1000 such kernels of 10 us, each waited for"},
    {"cl_group1", group1_cost, "a work-group of 1 item that stores its number"},
    {"cl_group16", group16_cost, "a work-group of 16 such items"},
    {"cl_group256", group256_cost, "a work-group of 256 such items"},
    {"cl_write", write_cost, "write 256 MB"},
    {"cl_read", read_cost, "read 256 MB"},
    {"cl_copy", copy_cost, "copy 256 MB from buffer to buffer"},
    {"cl_fill", fill_cost, "fill 256 MB"},
    {"cl_map", map_cost, "map and unmap 256 MB"},
    {"cl_create", create_cost, "create a buffer as a copy of 256 MB"},
    {"memory_copy", memory_copy_cost, "copy 256 MB by two threads, without OpenCL"},
    {"memory_fill", memory_fill_cost, "fill 256 MB by two threads, without OpenCL"},
};

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[argc - 1] : "";
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        if (strcmp(name, "--list") == 0) {
            printf("%-20s%s\n", measures[i].name, measures[i].what);
        } else if (strcmp(name, measures[i].name) == 0) {
            double seconds = measures[i].seconds();
            printf("name=%s seconds=%.9f ns_per_op=%.2f", name, seconds, seconds * 1e9);
            if (measured_cpu_s > 0.0) {
                printf(" cpu_seconds=%.9f", measured_cpu_s);
            }
            printf(" result=ok\n");
            return 0;
        }
    }
    if (strcmp(name, "--list") != 0) {
        fprintf(stderr, "opencl_costs: no such measure\nusage: opencl_costs MEASURE | --list\n");
        return 2;
    }
    return 0;
}
