/* Section 3.5.2: c = a + b, then d = b * c, in two parts. Aligned: each on the same processor both times; misaligned: on the
 * other. */
#include "launches.h"

enum { PARTS = 2, PAIRS = 200 };

struct halves {
    cl_context context;
    cl_command_queue queue[PARTS];
    cl_kernel sum, product;
    size_t count;
};

static cl_event launch_part(const struct halves *halves, cl_kernel kernel, int queue, int part, cl_uint waits,
                            const cl_event *events) {
    size_t size = halves->count / PARTS, first = size * part;
    cl_event event;
    need(clEnqueueNDRangeKernel(halves->queue[queue], kernel, 1, &first, &size, NULL, waits, waits ? events : NULL, &event),
         "clEnqueueNDRangeKernel");
    return event;
}

/* Both kernels, in parts; the second one waits for all of the first. */
static void pair(const struct halves *halves, int misaligned) {
    cl_event first[PARTS], second[PARTS];
    for (int part = 0; part < PARTS; part++)
        first[part] = launch_part(halves, halves->sum, part, part, 0, NULL);
    for (int part = 0; part < PARTS; part++)
        second[part] = launch_part(halves, halves->product, misaligned ? PARTS - 1 - part : part, part, PARTS, first);
    for (int part = 0; part < PARTS; part++)
        need(clFlush(halves->queue[part]), "clFlush");
    need(clWaitForEvents(PARTS, second), "clWaitForEvents");
    for (int part = 0; part < PARTS; part++) {
        clReleaseEvent(first[part]);
        clReleaseEvent(second[part]);
    }
}

static void print(size_t count, const char *variant, double ms) {
    printf("{\"kernel\": \"pair\", \"size\": \"%zu\", \"variant\": \"%s\", \"ms\": %.6g}\n", count, variant, ms);
    fflush(stdout);
}

static void in_parts(const struct halves *halves) {
    static const char *const names[] = {"aligned", "misaligned"};
    double least[2] = {INFINITY, INFINITY};
    for (int row = 0; row < 20; row++) { /* the two take turns, so that what disturbs one disturbs the other */
        double start = now_ms();
        for (int i = 0; i < PAIRS / 10; i++)
            pair(halves, row % 2);
        if (row > 3)
            least[row % 2] = fmin(least[row % 2], (now_ms() - start) / (PAIRS / 10));
    }
    for (int way = 0; way < 2; way++)
        print(halves->count, names[way], least[way]);
}

/* The whole device, as programs use it: who runs which part is the driver's choice. */
static void undivided(const struct host *host, cl_kernel sum, cl_kernel product, size_t count) {
    double least = INFINITY;
    for (int row = 0; row < 10; row++) {
        double start = now_ms();
        for (int i = 0; i < PAIRS / 10; i++) {
            enqueue(host, &(struct launch){sum, 1, {count, 1}, {0}});
            enqueue(host, &(struct launch){product, 1, {count, 1}, {0}});
            need(clFinish(host->queue), "clFinish");
        }
        if (row > 2)
            least = fmin(least, (now_ms() - start) / (PAIRS / 10));
    }
    print(count, "undivided", least);
}

static void kernels_on(const struct host *host, size_t count, cl_kernel *sum, cl_kernel *product) {
    const cl_mem a = numbers(host, count, 0), b = numbers(host, count, 5);
    const cl_mem c = numbers(host, count, 0), d = numbers(host, count, 0);
    *sum = kernel_of(host->program, "sum_of", 3, (cl_mem[]){a, b, c}, 0, NULL);
    *product = kernel_of(host->program, "product_of", 3, (cl_mem[]){b, c, d}, 0, NULL);
}

/* One processor each; the end of the measurement where the driver offers no such devices. */
static int divide(const struct host *whole, cl_device_id *parts) {
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    cl_int code = clCreateSubDevices(whole->device, equally, PARTS, parts, &count);
    if (code == CL_SUCCESS && count >= PARTS)
        return 1;
    printf("{\"kernel\": \"pair\", \"size\": \"\", \"variant\": \"no sub-devices, error %d\", \"ms\": 0}\n", (int)code);
    return 0;
}

void measure_affinity(void) {
    static const size_t counts[] = {16384, 49152, 262144, 1048576};
    struct host whole = open_host(), divided = whole;
    cl_device_id parts[PARTS];
    struct halves halves;
    cl_int code;
    whole.program = build(&whole, "kernels.cl", "");
    int offered = divide(&whole, parts);
    if (offered) {
        divided.context = halves.context = clCreateContext(NULL, PARTS, parts, NULL, NULL, &code);
        need(code, "clCreateContext");
        for (int part = 0; part < PARTS; part++) {
            halves.queue[part] = clCreateCommandQueue(halves.context, parts[part], 0, &code);
            need(code, "clCreateCommandQueue");
        }
        divided.device = parts[0];
        divided.queue = halves.queue[0];
        divided.program = build_for(&divided, "kernels.cl", "", PARTS, parts);
    }
    for (int at = 0; at < 4; at++) {
        cl_kernel sum, product;
        kernels_on(&whole, counts[at], &sum, &product);
        undivided(&whole, sum, product, counts[at]);
        if (offered) {
            halves.count = counts[at];
            kernels_on(&divided, counts[at], &halves.sum, &halves.product);
            in_parts(&halves);
        }
    }
}
