// Random graphs of commands: kernels, copies and fills over a few buffers, in queues of both sorts by several threads, held
// together by events alone, some behind user events; compared with the same done one after the other.
// VICINITY_SEED repeats a run.
#include "check.h"
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static const char *source =
    "kernel void step(global uint *a, uint b) { size_t i = get_global_id(0); a[i] = a[i] * 3 + b + (uint)i; }\n"
    "kernel void mix(global uint *a, global const uint *b) { size_t i = get_global_id(0); a[i] = a[i] * 5 + b[i]; }\n";

enum { BUFFERS = 5, QUEUES = 3, THREADS = 3, COMMANDS = 400, ROUNDS = 20, ITEMS = 20000 };

static cl_context context;
static cl_device_id device;
static cl_program program;
static uint64_t seed;

static uint32_t next(uint64_t *state, uint32_t below) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((mixed ^ (mixed >> 31)) >> 33) % below;
}

struct Graph {
    cl_command_queue queues[QUEUES];
    cl_kernel step, mix;
    cl_mem memory[BUFFERS];
    uint32_t *expected[BUFFERS];
    /* The last command that used a buffer. */
    cl_event last[BUFFERS];
    cl_event promises[COMMANDS];
    int promised;
};

/* The command uses these buffers from now on. */
static void used(struct Graph *graph, int one, int other, cl_event event) {
    int both[] = {one, other};
    for (int i = 0; i < (one == other ? 1 : 2); i++) {
        if (graph->last[both[i]] != NULL) OK(clReleaseEvent(graph->last[both[i]]));
        graph->last[both[i]] = event;
        if (i == 1) OK(clRetainEvent(event));
    }
}

static void command(struct Graph *graph, uint64_t *random) {
    cl_command_queue queue = graph->queues[next(random, QUEUES)];
    int one = (int)next(random, BUFFERS), other = (int)next(random, BUFFERS);
    size_t items = next(random, 4) ? 1 + next(random, 200) : ITEMS;
    uint32_t number = next(random, 1000), kind = next(random, 10), *a = graph->expected[one], *b = graph->expected[other];
    cl_event waits[3], event;
    cl_uint count = 0;
    if (kind < 5) other = one;
    if (graph->last[one] != NULL) waits[count++] = graph->last[one];
    if (other != one && graph->last[other] != NULL) waits[count++] = graph->last[other];
    if (next(random, 20) == 0) {
        cl_int code;
        cl_event promise = clCreateUserEvent(context, &code);
        OK(code);
        graph->promises[graph->promised++] = waits[count++] = promise;
    }
    if (kind < 4) {
        OK(clSetKernelArg(graph->step, 0, sizeof(cl_mem), &graph->memory[one]));
        OK(clSetKernelArg(graph->step, 1, sizeof number, &number));
        OK(clEnqueueNDRangeKernel(queue, graph->step, 1, NULL, &items, NULL, count, count ? waits : NULL, &event));
        for (size_t i = 0; i < items; i++) a[i] = a[i] * 3 + number + (uint32_t)i;
    } else if (kind == 4) {
        OK(clEnqueueFillBuffer(queue, graph->memory[one], &number, 4, 0, items * 4, count, count ? waits : NULL, &event));
        for (size_t i = 0; i < items; i++) a[i] = number;
    } else if (kind < 8 && one != other) {
        OK(clSetKernelArg(graph->mix, 0, sizeof(cl_mem), &graph->memory[one]));
        OK(clSetKernelArg(graph->mix, 1, sizeof(cl_mem), &graph->memory[other]));
        OK(clEnqueueNDRangeKernel(queue, graph->mix, 1, NULL, &items, NULL, count, count ? waits : NULL, &event));
        for (size_t i = 0; i < items; i++) a[i] = a[i] * 5 + b[i];
    } else if (one != other) {
        OK(clEnqueueCopyBuffer(queue, graph->memory[other], graph->memory[one], 0, 0, items * 4, count,
                               count ? waits : NULL, &event));
        memcpy(a, b, items * 4);
    } else {
        OK(clEnqueueMarkerWithWaitList(queue, count, count ? waits : NULL, &event));
    }
    used(graph, one, other, event);
    if (next(random, 15) == 0) OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    if (graph->promised > 0 && next(random, 10) == 0) {
        cl_event promise = graph->promises[--graph->promised];
        OK(clSetUserEventStatus(promise, CL_COMPLETE));
        OK(clReleaseEvent(promise));
    }
}

static void round_of(uint64_t *random) {
    struct Graph graph = {0};
    cl_int code;
    uint32_t *got = malloc(ITEMS * 4);
    for (int i = 0; i < QUEUES; i++) {
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
        graph.queues[i] = clCreateCommandQueueWithProperties(context, device, list, &code);
        OK(code);
    }
    graph.step = clCreateKernel(program, "step", &code);
    OK(code);
    graph.mix = clCreateKernel(program, "mix", &code);
    OK(code);
    for (int i = 0; i < BUFFERS; i++) {
        graph.expected[i] = calloc(ITEMS, 4);
        graph.memory[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, ITEMS * 4, graph.expected[i], &code);
        OK(code);
    }
    for (int i = 0; i < COMMANDS; i++) command(&graph, random);
    while (graph.promised > 0) {
        cl_event promise = graph.promises[--graph.promised];
        OK(clSetUserEventStatus(promise, CL_COMPLETE));
        OK(clReleaseEvent(promise));
    }
    for (int i = 0; i < BUFFERS; i++) {
        cl_uint count = graph.last[i] != NULL;
        OK(clEnqueueReadBuffer(graph.queues[i % QUEUES], graph.memory[i], CL_TRUE, 0, ITEMS * 4, got, count,
                               count ? &graph.last[i] : NULL, NULL));
        for (int at = 0; at < ITEMS; at++) {
            if (got[at] == graph.expected[i][at]) continue;
            fprintf(stderr, "buffer %d at %d: %u, not %u; VICINITY_SEED=%llu\n", i, at, got[at], graph.expected[i][at],
                    (unsigned long long)seed);
            exit(1);
        }
        if (count) OK(clReleaseEvent(graph.last[i]));
        OK(clReleaseMemObject(graph.memory[i]));
        free(graph.expected[i]);
    }
    for (int i = 0; i < QUEUES; i++) {
        OK(clFinish(graph.queues[i]));
        OK(clReleaseCommandQueue(graph.queues[i]));
    }
    OK(clReleaseKernel(graph.step));
    OK(clReleaseKernel(graph.mix));
    free(got);
}

static void *host(void *number) {
    uint64_t random = seed + (uint64_t)(size_t)number * 1000003;
    for (int i = 0; i < ROUNDS; i++) round_of(&random);
    return NULL;
}

int main(void) {
    cl_int code;
    pthread_t threads[THREADS];
    const char *given = getenv("VICINITY_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    device = our_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    OK(code);
    program = built(context, device, source, "");
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, host, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
    printf("graphs passed, seed %llu\n", (unsigned long long)seed);
    return 0;
}
