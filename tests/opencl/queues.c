// Queues, events, order: in order and out of order, wait lists, user events and their failures, callbacks, markers, barriers,
// profiling, several threads and queues, native kernels, and a process that ends with work in flight.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static const char *source =
    "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }\n"
    "kernel void scale(global int *a, int b) { a[get_global_id(0)] *= b; }\n"
    "kernel void spin(global int *a, int n) { int x = a[0]; for (int i = 0; i < n; i++) x = x * 1664525 + 1013904223;\n"
    "  a[0] = x; }\n"
    "kernel void ids(global ulong *a) { size_t i = get_global_id(0) - get_global_offset(0);\n"
    "  a[i] = get_global_id(0) * 100000 + get_local_size(0); }\n"
    "kernel void copy_local(global int *to, global const int *from, local int *s) { int l = get_local_id(0);\n"
    "  s[l] = from[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); to[get_global_id(0)] = s[get_local_size(0) - 1 - l]; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *a) {\n"
    "  a[get_global_id(0)] = (int)get_local_size(0); }\n";

enum { N = 1 << 16 };

static cl_context context;
static cl_device_id device;
static cl_program program;

static cl_command_queue queue_with(cl_command_queue_properties bits) {
    cl_int code;
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &code);
    OK(code);
    return queue;
}

static cl_kernel kernel(const char *name) {
    cl_int code;
    cl_kernel made = clCreateKernel(program, name, &code);
    OK(code);
    return made;
}

static cl_mem buffer(size_t bytes) {
    cl_int code;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    OK(code);
    return made;
}

static void launch(cl_command_queue queue, cl_kernel k, cl_mem memory, int number, size_t items, cl_uint count,
                   const cl_event *waits, cl_event *event) {
    OK(clSetKernelArg(k, 0, sizeof memory, &memory));
    OK(clSetKernelArg(k, 1, sizeof number, &number));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, count, waits, event));
}

static cl_int status_of(cl_event event) {
    cl_int status;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void nap(long microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void in_order(void) {
    cl_command_queue queue = queue_with(0);
    cl_kernel add = kernel("add"), scale = kernel("scale");
    cl_mem memory = buffer(N * sizeof(int));
    int zero = 0, *host = malloc(N * sizeof(int)), expected = 0;
    OK(clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, N * sizeof(int), 0, NULL, NULL));
    for (int i = 0; i < 200; i++) {
        launch(queue, add, memory, i, N, 0, NULL, NULL);
        launch(queue, scale, memory, 3, i % 2 ? N : N, 0, NULL, NULL);
        expected = (int)(((unsigned)expected + (unsigned)i) * 3u);
    }
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, N * sizeof(int), host, 0, NULL, NULL));
    for (int i = 0; i < N; i++) EQUAL(host[i], expected);
    free(host);
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(scale));
    OK(clReleaseCommandQueue(queue));
}

/* The queue is released with commands in it, which run all the same. */
static void released_queue(void) {
    cl_command_queue queue = queue_with(0);
    cl_kernel add = kernel("add");
    cl_mem memory = buffer(N * sizeof(int));
    int zero = 0, value = 0;
    cl_event last;
    OK(clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, N * sizeof(int), 0, NULL, NULL));
    for (int i = 0; i < 100; i++) launch(queue, add, memory, 1, N, 0, NULL, NULL);
    OK(clEnqueueReadBuffer(queue, memory, CL_FALSE, 4, sizeof value, &value, 0, NULL, &last));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(add));
    OK(clReleaseCommandQueue(queue));
    OK(clWaitForEvents(1, &last));
    EQUAL(value, 100);
    OK(clReleaseEvent(last));
}

static void out_of_order(void) {
    cl_command_queue queue = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel add = kernel("add"), scale = kernel("scale");
    cl_mem memory[8];
    int zero = 0, value;
    cl_event events[16], marker;
    for (int i = 0; i < 8; i++) {
        memory[i] = buffer(N * sizeof(int));
        OK(clEnqueueFillBuffer(queue, memory[i], &zero, 4, 0, N * sizeof(int), 0, NULL, &events[i]));
    }
    for (int i = 0; i < 8; i++) launch(queue, add, memory[i], i, N, 1, &events[i], &events[8 + i]);
    OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    for (int i = 0; i < 8; i++) launch(queue, scale, memory[i], 7, N, 0, NULL, NULL);
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    OK(clWaitForEvents(1, &marker));
    for (int i = 0; i < 8; i++) {
        OK(clEnqueueReadBuffer(queue, memory[i], CL_TRUE, 8, 4, &value, 0, NULL, NULL));
        EQUAL(value, i * 7);
        OK(clReleaseMemObject(memory[i]));
    }
    for (int i = 0; i < 16; i++) {
        EQUAL(status_of(events[i]), CL_COMPLETE);
        OK(clReleaseEvent(events[i]));
    }
    OK(clReleaseEvent(marker));
    OK(clFinish(queue));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(scale));
    OK(clReleaseCommandQueue(queue));
}

/* Nothing overtakes a barrier, and others are not held up by a wait list. */
static void order_without_events(void) {
    cl_command_queue queue = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel add = kernel("add");
    cl_mem memory = buffer(64);
    cl_int code;
    cl_event user = clCreateUserEvent(context, &code), held, barrier, after, free_one;
    OK(code);
    launch(queue, add, memory, 1, 4, 1, &user, &held);
    launch(queue, add, memory, 1, 4, 0, NULL, &free_one);
    OK(clWaitForEvents(1, &free_one));
    EQUAL(status_of(held), CL_QUEUED);
    OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &barrier));
    launch(queue, add, memory, 1, 4, 0, NULL, &after);
    OK(clFlush(queue));
    nap(3000);
    CHECK(status_of(barrier) > CL_COMPLETE && status_of(after) > CL_COMPLETE);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    OK(clFinish(queue));
    EQUAL(status_of(after), CL_COMPLETE);
    EQUAL(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    EQUAL(clSetUserEventStatus(held, CL_COMPLETE), CL_INVALID_EVENT);
    cl_event all[] = {user, held, barrier, after, free_one};
    for (int i = 0; i < 5; i++) OK(clReleaseEvent(all[i]));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(add));
    OK(clReleaseCommandQueue(queue));
}

static atomic_int calls[4];

static void CL_CALLBACK called(cl_event event, cl_int status, void *data) {
    (void)event;
    atomic_fetch_add(&calls[(size_t)data], status < 0 ? 100 : 1 + status);
}

static void await_call(int which, int value) {
    for (int i = 0; i < 5000 && atomic_load(&calls[which]) != value; i++) nap(1000);
    EQUAL(atomic_load(&calls[which]), value);
}

static void failures(void) {
    cl_command_queue queue = queue_with(0);
    cl_kernel add = kernel("add");
    cl_mem memory = buffer(64);
    cl_int code;
    int value = 5;
    cl_event user = clCreateUserEvent(context, &code), one, two, third;
    OK(code);
    OK(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    launch(queue, add, memory, 10, 1, 1, &user, &one);
    launch(queue, add, memory, 100, 1, 1, &one, &two);
    OK(clSetEventCallback(one, CL_COMPLETE, called, (void *)0));
    OK(clSetEventCallback(two, CL_RUNNING, called, (void *)1));
    launch(queue, add, memory, 1000, 1, 0, NULL, &third); /* waits for the others' end alone */
    OK(clSetUserEventStatus(user, -7));
    EQUAL(clWaitForEvents(1, &two), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clWaitForEvents(1, &third));
    CHECK(status_of(one) < 0 && status_of(two) < 0);
    EQUAL(status_of(user), -7);
    await_call(0, 100);
    await_call(1, 100);
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    EQUAL(value, 1005);
    EQUAL(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &value, 1, &user, NULL),
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQUAL(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &value, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    EQUAL(clWaitForEvents(0, &user), CL_INVALID_VALUE);
    EQUAL(clSetEventCallback(one, 77, called, NULL), CL_INVALID_VALUE);
    EQUAL(clSetEventCallback(one, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    cl_event all[] = {user, one, two, third};
    for (int i = 0; i < 4; i++) OK(clReleaseEvent(all[i]));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(add));
    OK(clReleaseCommandQueue(queue));
}

static void callbacks(void) {
    cl_command_queue queue = queue_with(0);
    cl_kernel add = kernel("add");
    cl_mem memory = buffer(64);
    cl_int code;
    cl_event user = clCreateUserEvent(context, &code), event;
    OK(code);
    launch(queue, add, memory, 1, 4, 1, &user, &event);
    OK(clSetEventCallback(event, CL_COMPLETE, called, (void *)2));  /* 1 */
    OK(clSetEventCallback(event, CL_RUNNING, called, (void *)2));   /* 2 */
    OK(clSetEventCallback(event, CL_SUBMITTED, called, (void *)2)); /* 3 */
    EQUAL(atomic_load(&calls[2]), 0);
    OK(clSetUserEventStatus(user, CL_COMPLETE));
    await_call(2, 6);
    OK(clSetEventCallback(event, CL_COMPLETE, called, (void *)3)); /* it is over */
    await_call(3, 1);
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(user));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(add));
    OK(clReleaseCommandQueue(queue));
}

static cl_ulong time_of(cl_event event, cl_profiling_info which) {
    cl_ulong ns = 0;
    OK(clGetEventProfilingInfo(event, which, sizeof ns, &ns, NULL));
    return ns;
}

static void profiling(void) {
    cl_command_queue queue = queue_with(CL_QUEUE_PROFILING_ENABLE), plain = queue_with(0);
    cl_kernel spin = kernel("spin");
    cl_mem memory = buffer(64);
    cl_event first, second, other;
    cl_ulong ns;
    launch(queue, spin, memory, 20000000, 1, 0, NULL, &first);
    launch(queue, spin, memory, 1000, 1, 0, NULL, &second);
    EQUAL(clGetEventProfilingInfo(second, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clFinish(queue));
    cl_event events[] = {first, second};
    for (int i = 0; i < 2; i++) {
        cl_ulong queued = time_of(events[i], CL_PROFILING_COMMAND_QUEUED);
        cl_ulong submit = time_of(events[i], CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong start = time_of(events[i], CL_PROFILING_COMMAND_START);
        cl_ulong end = time_of(events[i], CL_PROFILING_COMMAND_END);
        CHECK(0 < queued && queued <= submit && submit <= start && start < end);
        EQUAL(time_of(events[i], CL_PROFILING_COMMAND_COMPLETE) >= end, 1);
    }
    cl_ulong end = time_of(first, CL_PROFILING_COMMAND_END);
    CHECK(end - time_of(first, CL_PROFILING_COMMAND_START) > 1000000);
    CHECK(time_of(second, CL_PROFILING_COMMAND_START) >= end);
    launch(plain, spin, memory, 10, 1, 0, NULL, &other);
    OK(clFinish(plain));
    EQUAL(clGetEventProfilingInfo(other, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_event all[] = {first, second, other};
    for (int i = 0; i < 3; i++) OK(clReleaseEvent(all[i]));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(spin));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseCommandQueue(plain));
}

static void launches(void) {
    cl_command_queue queue = queue_with(0);
    cl_kernel ids = kernel("ids"), local = kernel("copy_local"), eight = kernel("eight");
    cl_mem memory = buffer(N * 8), other = buffer(N * 4);
    cl_ulong *host = malloc(N * 8);
    int *numbers = malloc(N * 4);
    OK(clSetKernelArg(ids, 0, sizeof memory, &memory));
    size_t offset = 1000, sizes[] = {1, 7, 100, 1009, 4096, N}, locals[] = {1, 3, 64};
    for (int s = 0; s < 6; s++) {
        for (int l = -1; l < 3; l++) {
            size_t *size = l < 0 ? NULL : &locals[l];
            OK(clEnqueueNDRangeKernel(queue, ids, 1, &offset, &sizes[s], size, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizes[s] * 8, host, 0, NULL, NULL));
            for (size_t i = 0; i < sizes[s]; i++) {
                EQUAL(host[i] / 100000, i + offset);
                size_t whole = sizes[s] / (size ? *size : 1) * (size ? *size : 1);
                if (size) EQUAL(host[i] % 100000, i < whole ? *size : sizes[s] - whole);
            }
        }
    }
    for (int i = 0; i < N; i++) numbers[i] = i;
    OK(clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, N * 4, numbers, 0, NULL, NULL));
    OK(clSetKernelArg(local, 0, sizeof other, &other));
    OK(clSetKernelArg(local, 1, sizeof memory, &memory));
    OK(clSetKernelArg(local, 2, 64 * 4, NULL));
    size_t items = N, group = 64;
    for (int i = 0; i < 100; i++)
        OK(clEnqueueNDRangeKernel(queue, local, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, N * 4, numbers, 0, NULL, NULL));
    for (int i = 0; i < N; i++) EQUAL(numbers[i], i / 64 * 64 + 63 - i % 64);
    OK(clSetKernelArg(eight, 0, sizeof other, &other));
    EQUAL(clEnqueueNDRangeKernel(queue, eight, 1, NULL, &items, &group, 0, NULL, NULL),
          CL_INVALID_WORK_GROUP_SIZE);
    OK(clEnqueueNDRangeKernel(queue, eight, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, N * 4, numbers, 0, NULL, NULL));
    for (int i = 0; i < N; i++) EQUAL(numbers[i], 8);
    free(host);
    free(numbers);
    OK(clReleaseMemObject(memory));
    OK(clReleaseMemObject(other));
    OK(clReleaseKernel(ids));
    OK(clReleaseKernel(local));
    OK(clReleaseKernel(eight));
    OK(clReleaseCommandQueue(queue));
}

struct Native {
    int *memory;
    int number;
};

static void CL_CALLBACK native(void *argument) {
    struct Native *given = argument;
    given->memory[3] = given->number;
}

static void natives(void) {
    cl_command_queue queue = queue_with(0);
    cl_mem memory = buffer(64);
    struct Native block = {NULL, 42};
    const void *place = &block.memory;
    int value = 0;
    OK(clEnqueueNativeKernel(queue, native, &block, sizeof block, 1, &memory, &place, 0, NULL, NULL));
    block.number = 0; /* it was copied */
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 12, 4, &value, 0, NULL, NULL));
    EQUAL(value, 42);
    OK(clReleaseMemObject(memory));
    OK(clReleaseCommandQueue(queue));
}

static void large(void) {
    cl_command_queue queue = queue_with(0);
    size_t bytes = 40u << 20;
    cl_mem from = buffer(bytes), to = buffer(bytes);
    unsigned char *host = malloc(bytes), *back = calloc(bytes, 1);
    cl_int code;
    for (size_t i = 0; i < bytes; i++) host[i] = (unsigned char)(i * 2654435761u >> 13);
    OK(clEnqueueWriteBuffer(queue, from, CL_FALSE, 0, bytes, host, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, from, to, 5, 3, bytes - 5, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 3, bytes - 5, back, 0, NULL, NULL));
    CHECK(memcmp(host + 5, back, bytes - 5) == 0);
    unsigned pattern[4] = {1, 2, 3, 4};
    OK(clEnqueueFillBuffer(queue, to, pattern, 16, 16, bytes - 32, 0, NULL, NULL));
    unsigned *map = clEnqueueMapBuffer(queue, to, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &code);
    OK(code);
    for (size_t i = 4; i < bytes / 4 - 4; i++) EQUAL(map[i], i % 4 + 1);
    OK(clEnqueueUnmapMemObject(queue, to, map, 0, NULL, NULL));
    OK(clFinish(queue));
    free(host);
    free(back);
    OK(clReleaseMemObject(from));
    OK(clReleaseMemObject(to));
    OK(clReleaseCommandQueue(queue));
}

enum { THREADS = 5, ROUNDS = 300 };

static cl_command_queue shared;
static cl_mem shared_memory;

static void *host(void *number) {
    cl_command_queue own = queue_with((size_t)number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_kernel add = kernel("add"), mine = kernel("add");
    cl_mem memory = buffer(N * 4);
    int zero = 0, value;
    cl_event before, event;
    OK(clEnqueueFillBuffer(own, memory, &zero, 4, 0, N * 4, 0, NULL, &before));
    for (int i = 0; i < ROUNDS; i++) {
        launch(own, add, memory, 1, i % 50 ? 100 : N, 1, &before, &event);
        OK(clReleaseEvent(before));
        before = event;
        launch(shared, mine, shared_memory, 1, 4, i % 10 ? 0 : 1, i % 10 ? NULL : &before, NULL);
        if (i % 37 == 0) OK(clFinish(own));
        if (i % 61 == 0) OK(clWaitForEvents(1, &before));
        if (i % 97 == 0) OK(clFinish(shared));
    }
    OK(clEnqueueReadBuffer(own, memory, CL_TRUE, 4, 4, &value, 1, &before, NULL));
    EQUAL(value, ROUNDS);
    OK(clReleaseEvent(before));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(add));
    OK(clReleaseKernel(mine));
    OK(clReleaseCommandQueue(own));
    return NULL;
}

static void several_threads(void) {
    pthread_t threads[THREADS];
    int value, zero = 0;
    shared = queue_with(0);
    shared_memory = buffer(64);
    OK(clEnqueueFillBuffer(shared, shared_memory, &zero, 4, 0, 64, 0, NULL, NULL));
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, host, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    OK(clEnqueueReadBuffer(shared, shared_memory, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    EQUAL(value, THREADS * ROUNDS);
    OK(clReleaseMemObject(shared_memory));
    OK(clReleaseCommandQueue(shared));
}

/* A chain that is let go by one event: as deep as it is, no stack is. */
static void long_chain(void) {
    cl_command_queue queue = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_int code;
    cl_event first = clCreateUserEvent(context, &code), before = first, event;
    OK(code);
    for (int i = 0; i < 100000; i++) {
        OK(clEnqueueMarkerWithWaitList(queue, 1, &before, &event));
        if (before != first) OK(clReleaseEvent(before));
        before = event;
    }
    OK(clSetUserEventStatus(first, CL_COMPLETE));
    OK(clWaitForEvents(1, &before));
    OK(clReleaseEvent(before));
    OK(clReleaseEvent(first));
    OK(clFinish(queue));
    OK(clReleaseCommandQueue(queue));
}

int main(void) {
    cl_int code;
    device = our_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    OK(code);
    program = built(context, device, source, "-cl-std=CL2.0");
    in_order();
    released_queue();
    out_of_order();
    order_without_events();
    failures();
    callbacks();
    profiling();
    launches();
    natives();
    large();
    several_threads();
    long_chain();
    /* The process ends while a kernel runs. */
    cl_command_queue queue = queue_with(0);
    launch(queue, kernel("spin"), buffer(64), 2000000000, 64, 0, NULL, NULL);
    OK(clFlush(queue));
    puts("queues passed");
    return 0;
}
