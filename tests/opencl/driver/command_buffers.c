// Command buffers: what is recorded happens as often as it is enqueued, in the order that was recorded; and every error.
#include "command_buffers.h"

static cl_program program;
static cl_mem memory, other;
static cl_command_queue loose;
enum { ITEMS = 256, BYTES = ITEMS * sizeof(int) };

static cl_mem buffer_of(size_t bytes)
{
    cl_mem made = clCreateBuffer(context, 0, bytes, NULL, &error);
    OK(error);
    return made;
}

static cl_kernel kernel_of(const char *name)
{
    cl_kernel made = clCreateKernel(program, name, &error);
    OK(error);
    return made;
}

static void expect_all(cl_mem where, int expected, int line)
{
    int found[ITEMS] = {0}, wrong = 0;
    OK(clEnqueueReadBuffer(queue, where, CL_TRUE, 0, BYTES, found, 0, NULL, NULL));
    for (int at = 0; at < ITEMS; at++)
        wrong += found[at] != expected;
    if (wrong) {
        printf("line %d: %d values are not %d, as %d\n", line, wrong, expected, found[0]);
        failures++;
    }
}
#define ALL(where, expected) expect_all(where, expected, __LINE__)

static void fill(cl_mem where, int value)
{
    OK(clEnqueueFillBuffer(queue, where, &value, sizeof value, 0, BYTES, 0, NULL, NULL));
}

static cl_int status_of(cl_event event)
{
    cl_int now = CL_QUEUED;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
    OK(clReleaseEvent(event));
    return now;
}

static void what_the_device_says(void)
{
    char names[4096];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_command_buffer") != NULL);
    cl_bitfield bits = 0;
    OK(clGetDeviceInfo(device, CAPABILITIES, sizeof bits, &bits, NULL));
    CHECK(bits == (1 | 4));
    OK(clGetDeviceInfo(device, SUPPORTED_PROPERTIES, sizeof bits, &bits, NULL));
    CHECK(bits == (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE));
    OK(clGetDeviceInfo(device, REQUIRED_PROPERTIES, sizeof bits, &bits, NULL));
    CHECK(bits == 0);
    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clCommandNothingKHR") == NULL);
}

// Every command, one after the other because the queue is in order: bytes go round through an image.
static void all_commands(void)
{
    enum { W = 8, H = 8 };
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_mem one = clCreateImage(context, 0, &format, &shape, NULL, &error);
    OK(error);
    cl_mem two = clCreateImage(context, 0, &format, &shape, NULL, &error);
    OK(error);
    cl_mem found = buffer_of(BYTES);
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4 * sizeof *shared, 0), seven = 7;
    cl_kernel add = kernel_of("add");
    OK(clSetKernelArg(add, 0, sizeof memory, &memory));
    OK(clSetKernelArg(add, 1, sizeof seven, &seven));
    size_t zero[3] = {0}, all[3] = {W, H, 1}, quarter[3] = {W / 2, H / 2, 1}, middle[3] = {2, 3, 0}, items = ITEMS;
    cl_int4 color = {{50}};

    recording buffer = record(queue);
    OK(_clCommandNDRangeKernelKHR(INTO(buffer), add, 1, NULL, &items, NULL, ALONE));
    OK(_clCommandCopyBufferToImageKHR(INTO(buffer), memory, one, 0, zero, all, ALONE));
    OK(_clCommandFillImageKHR(INTO(buffer), two, &color, zero, all, ALONE));
    OK(_clCommandCopyImageKHR(INTO(buffer), one, two, zero, middle, quarter, ALONE));
    OK(_clCommandCopyImageToBufferKHR(INTO(buffer), two, found, zero, all, 0, ALONE));
    OK(_clCommandBarrierWithWaitListKHR(INTO(buffer), ALONE));
    // A box of two rows of eight bytes.
    OK(_clCommandCopyBufferRectKHR(INTO(buffer), memory, found, zero, (size_t[3]){4, 9, 0}, (size_t[3]){8, 2, 1}, 64, 0, 32, 0, ALONE));
    OK(_clCommandCopyBufferKHR(INTO(buffer), found, found, 0, W * H * sizeof(int), 8, ALONE));
    OK(_clCommandFillBufferKHR(INTO(buffer), found, &seven, sizeof seven, BYTES - 16, 16, ALONE));
    OK(_clCommandSVMMemFillKHR(INTO(buffer), shared, &seven, sizeof seven, 2 * sizeof seven, ALONE));
    OK(_clCommandSVMMemcpyKHR(INTO(buffer), shared + 2, shared + 1, sizeof seven, ALONE));
    OK(_clFinalizeCommandBufferKHR(buffer));
    OK(clReleaseKernel(add));
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(two));
    for (int round = 1; round <= 3; round++) {
        int values[ITEMS], at_start = round * 1000;
        fill(memory, at_start);
        fill(found, 0);
        memset(shared, 0, 4 * sizeof *shared);
        replay(buffer);
        OK(clEnqueueReadBuffer(queue, found, CL_TRUE, 0, BYTES, values, 0, NULL, NULL));
        CHECK(values[0] == 50 && values[2 * W + 2] == 50 && values[3 * W + 1] == 50);
        CHECK(values[3 * W + 2] == at_start + 7 && values[6 * W + 5] == at_start + 7 && values[7 * W + 5] == 50);
        CHECK(values[9 * 8] == 0 && values[9 * 8 + 1] == at_start + 7 && values[10 * 8 + 2] == at_start + 7 && values[10 * 8 + 3] == 0);
        CHECK(values[W * H] == 50 && values[W * H + 1] == 50 && values[W * H + 2] == 0);
        CHECK(values[ITEMS - 4] == 7 && values[ITEMS - 5] == 0);
        CHECK(shared[0] == 7 && shared[1] == 7 && shared[2] == 7 && shared[3] == 0);
    }
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseMemObject(found));
    clSVMFree(context, shared);
}

// What a kernel is given when it is recorded stays, whatever becomes of the kernel.
static void arguments_are_those_of_the_recording(void)
{
    cl_kernel add = kernel_of("add");
    size_t items = ITEMS, none = 0;
    recording buffer = record(queue);
    for (int number = 1; number <= 10; number++) {
        OK(clSetKernelArg(add, 0, sizeof memory, &memory));
        OK(clSetKernelArg(add, 1, sizeof number, &number));
        OK(_clCommandNDRangeKernelKHR(INTO(buffer), add, 1, NULL, &items, NULL, ALONE));
        OK(_clCommandNDRangeKernelKHR(INTO(buffer), add, 1, NULL, &none, NULL, ALONE));
    }
    OK(_clFinalizeCommandBufferKHR(buffer));
    OK(clSetKernelArg(add, 0, sizeof other, &other));
    OK(clReleaseKernel(add));
    fill(memory, 0);
    fill(other, 0);
    for (int round = 1; round <= 20; round++)
        replay(buffer);
    ALL(memory, 20 * 55);
    ALL(other, 0);
    // Among other commands of the queue, many at a time; and after it was released.
    for (int round = 0; round < 50; round++) {
        fill(memory, round);
        OK(_clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    }
    OK(_clReleaseCommandBufferKHR(buffer));
    ALL(memory, 49 + 55);
}

static unsigned seed = 12345;
static unsigned draw(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % below;
}

// Random graphs of small and large commands: each notes when its first item began and its last one ended.
static void commands_wait_for_sync_points(void)
{
    enum { COMMANDS = 150, LARGE = 20000 };
    static char before[COMMANDS][COMMANDS];
    cl_kernel note = kernel_of("note");
    cl_mem clock = buffer_of(sizeof(int)), times = buffer_of(2 * COMMANDS * sizeof(int));
    OK(clSetKernelArg(note, 0, sizeof clock, &clock));
    OK(clSetKernelArg(note, 1, sizeof times, &times));
    for (int graph = 0; graph < 6; graph++) {
        point points[COMMANDS];
        int barrier = -1;
        memset(before, 0, sizeof before);
        recording buffer = record(loose);
        for (int at = 0; at < COMMANDS; at++) {
            int number = at, kind = draw(20), wanted = at > 0 ? draw(4) : 0;
            size_t items = draw(10) == 0 ? LARGE : 1 + draw(40);
            point waits[4];
            for (int which = 0; which < wanted; which++) {
                int named = draw(at);
                waits[which] = points[named];
                before[named][at] = 1;
            }
            if (barrier >= 0)
                before[barrier][at] = 1;
            // A graph without any, one with many, and one that is a chain.
            if (graph == 1 && at > 0)
                waits[0] = points[at - 1], wanted = 1, before[at - 1][at] = 1;
            if (kind == 0 && graph > 1) {
                for (int earlier = 0; earlier < at; earlier++)
                    before[earlier][at] |= wanted == 0;
                OK(_clCommandBarrierWithWaitListKHR(INTO(buffer), wanted, wanted ? waits : NULL, &points[at], NULL));
                barrier = at;
                continue;
            }
            OK(clSetKernelArg(note, 2, sizeof number, &number));
            OK(_clCommandNDRangeKernelKHR(INTO(buffer), note, 1, NULL, &items, NULL, wanted, wanted ? waits : NULL, &points[at], NULL));
        }
        OK(_clFinalizeCommandBufferKHR(buffer));
        // What waits for a barrier waits for all that it waits for.
        for (int at = COMMANDS - 1; at >= 0; at--)
            for (int late = at + 1; late < COMMANDS; late++)
                for (int last = late + 1; before[at][late] && last < COMMANDS; last++)
                    before[at][last] |= before[late][last];
        for (int round = 0; round < 10; round++) {
            int nothing = -1, seen[2 * COMMANDS], wrong = 0;
            OK(clEnqueueFillBuffer(queue, clock, &(int){0}, sizeof(int), 0, sizeof(int), 0, NULL, NULL));
            OK(clEnqueueFillBuffer(queue, times, &nothing, sizeof(int), 0, sizeof seen, 0, NULL, NULL));
            OK(clFinish(queue));
            OK(_clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
            OK(clFinish(loose));
            OK(clEnqueueReadBuffer(queue, times, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
            for (int at = 0; at < COMMANDS; at++)
                for (int late = at + 1; late < COMMANDS; late++)
                    wrong += before[at][late] && seen[2 * at + 1] != -1 && seen[2 * late] != -1 &&
                             (unsigned)seen[2 * at + 1] > (unsigned)seen[2 * late];
            CHECK(wrong == 0);
        }
        OK(_clReleaseCommandBufferKHR(buffer));
    }
    OK(clReleaseMemObject(clock));
    OK(clReleaseMemObject(times));
    OK(clReleaseKernel(note));
}

// Several replays at a time, on several queues, and all of them waiting for an event.
static void replays_do_not_know_of_each_other(void)
{
    enum { REPLAYS = 40, COMMANDS = 30 };
    cl_ulong simultaneous[] = {FLAGS, SIMULTANEOUS_USE, 0};
    cl_kernel count = kernel_of("count");
    OK(clSetKernelArg(count, 0, sizeof memory, &memory));
    size_t items = ITEMS;
    recording buffer = _clCreateCommandBufferKHR(1, &loose, simultaneous, &error);
    OK(error);
    point last = 0;
    for (int at = 0; at < COMMANDS; at++)
        OK(_clCommandNDRangeKernelKHR(INTO(buffer), count, 1, NULL, &items, NULL, at % 3 == 2, at % 3 == 2 ? &last : NULL, &last, NULL));
    OK(_clFinalizeCommandBufferKHR(buffer));
    fill(memory, 0);
    OK(clFinish(queue));
    cl_event gate = clCreateUserEvent(context, &error), events[REPLAYS];
    for (int at = 0; at < REPLAYS; at++) {
        int is_first = at % 2;
        OK(_clEnqueueCommandBufferKHR(is_first, is_first ? &queue : NULL, buffer, 1, &gate, &events[at]));
    }
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseKernel(count));
    cl_command_queue of = NULL;
    cl_uint kind = 0;
    OK(clGetEventInfo(events[1], CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    CHECK(of == queue);
    OK(clGetEventInfo(events[0], CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    CHECK(of == loose);
    OK(clGetEventInfo(events[0], CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    CHECK(kind == COMMAND_COMMAND_BUFFER);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(REPLAYS, events));
    for (int at = 0; at < REPLAYS; at++)
        IS(CL_COMPLETE, status_of(events[at]));
    OK(clReleaseEvent(gate));
    ALL(memory, REPLAYS * COMMANDS);
}

// One without commands ends, in its turn; one behind an event that fails does not run.
static void the_ends_of_replays(void)
{
    recording nothing = record(queue), filled = record(queue);
    int nine = 9;
    OK(_clCommandFillBufferKHR(INTO(filled), memory, &nine, sizeof nine, 0, BYTES, ALONE));
    OK(_clFinalizeCommandBufferKHR(nothing));
    OK(_clFinalizeCommandBufferKHR(filled));
    replay(nothing);
    fill(memory, 1);
    cl_event gate = clCreateUserEvent(context, &error), fails, after;
    OK(_clEnqueueCommandBufferKHR(0, NULL, filled, 1, &gate, &fails));
    OK(_clEnqueueCommandBufferKHR(0, NULL, nothing, 1, &fails, &after));
    OK(clSetUserEventStatus(gate, -5));
    OK(clFinish(queue));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(fails));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(after));
    ALL(memory, 1);
    replay(filled);
    ALL(memory, 9);
    OK(clReleaseEvent(gate));
    OK(_clReleaseCommandBufferKHR(nothing));
    OK(_clReleaseCommandBufferKHR(filled));
}

static void what_a_command_buffer_says(void)
{
    cl_ulong flags[] = {FLAGS, 0, 0}, told[3] = {1, 1, 1};
    recording buffer = _clCreateCommandBufferKHR(1, &loose, flags, &error);
    OK(error);
    cl_uint number = 42;
    size_t size = 0;
    cl_command_queue of = NULL;
    cl_context in = NULL;
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_NUM_QUEUES, sizeof number, &number, &size));
    CHECK(number == 1 && size == sizeof number);
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_QUEUES, sizeof of, &of, NULL));
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_CONTEXT, sizeof in, &in, NULL));
    CHECK(of == loose && in == context);
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_PROPERTIES_ARRAY, sizeof told, told, &size));
    CHECK(size == sizeof flags && memcmp(told, flags, sizeof flags) == 0);
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_STATE, sizeof number, &number, NULL));
    CHECK(number == STATE_RECORDING);
    IS(CL_INVALID_OPERATION, _clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    OK(_clFinalizeCommandBufferKHR(buffer));
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_STATE, sizeof number, &number, NULL));
    CHECK(number == STATE_EXECUTABLE);
    OK(_clRetainCommandBufferKHR(buffer));
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_REFERENCE_COUNT, sizeof number, &number, NULL));
    CHECK(number == 2);
    IS(CL_INVALID_VALUE, _clGetCommandBufferInfoKHR(buffer, INFO_STATE, 1, &number, NULL));
    IS(CL_INVALID_VALUE, _clGetCommandBufferInfoKHR(buffer, 0, 0, NULL, &size));
    IS(CL_INVALID_OPERATION, _clFinalizeCommandBufferKHR(buffer));
    IS(CL_INVALID_OPERATION, _clCommandBarrierWithWaitListKHR(INTO(buffer), ALONE));
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(_clReleaseCommandBufferKHR(buffer));
    IS(INVALID_COMMAND_BUFFER, _clReleaseCommandBufferKHR(buffer));
}

static void wrong_creations(void)
{
    cl_ulong unknown[] = {42, 0, 0}, twice[] = {FLAGS, 0, FLAGS, 0, 0}, many[] = {FLAGS, 1 << 20, 0},
             not_offered[] = {FLAGS, DEVICE_SIDE_SYNC, 0};
    cl_command_queue both[] = {queue, loose}, none = NULL;
#define CREATED(expected, count, queues, list) CHECK(!_clCreateCommandBufferKHR(count, queues, list, &error)); IS(expected, error)
    CREATED(CL_INVALID_VALUE, 0, &queue, NULL);
    CREATED(CL_INVALID_VALUE, 2, both, NULL);
    CREATED(CL_INVALID_VALUE, 1, NULL, NULL);
    CREATED(CL_INVALID_COMMAND_QUEUE, 1, &none, NULL);
    CREATED(CL_INVALID_VALUE, 1, &queue, unknown);
    CREATED(CL_INVALID_VALUE, 1, &queue, twice);
    CREATED(CL_INVALID_VALUE, 1, &queue, many);
    CREATED(CL_INVALID_PROPERTY, 1, &queue, not_offered);
    IS(INVALID_COMMAND_BUFFER, _clRetainCommandBufferKHR(NULL));
    IS(INVALID_COMMAND_BUFFER, _clFinalizeCommandBufferKHR(queue));
    IS(INVALID_COMMAND_BUFFER, _clGetCommandBufferInfoKHR(context, INFO_STATE, 0, NULL, NULL));
}

static void wrong_commands(void)
{
    recording buffer = record(loose);
    int one = 1;
    size_t size = 4;
    point known = 0, ahead[] = {1, 7};
    cl_ulong properties[] = {1, 1, 0}, empty[] = {0};
    void *handle;
    cl_kernel add = kernel_of("add");
    cl_context alien = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_mem aliens = clCreateBuffer(alien, 0, BYTES, NULL, &error);
#define FILL(expected, buffer, in, list, where, bytes, ...)                                                     \
    IS(expected, _clCommandFillBufferKHR(buffer, in, list, where, &one, sizeof one, 0, bytes, __VA_ARGS__))
    FILL(CL_SUCCESS, buffer, NULL, empty, memory, 16, 0, NULL, &known, NULL);
    FILL(INVALID_COMMAND_BUFFER, NULL, NULL, NULL, memory, 16, ALONE);
    FILL(CL_INVALID_COMMAND_QUEUE, buffer, loose, NULL, memory, 16, ALONE);
    FILL(CL_INVALID_VALUE, buffer, NULL, properties, memory, 16, ALONE);
    FILL(CL_INVALID_VALUE, buffer, NULL, NULL, memory, 16, 0, NULL, NULL, &handle);
    FILL(CL_INVALID_MEM_OBJECT, buffer, NULL, NULL, NULL, 16, ALONE);
    FILL(CL_INVALID_CONTEXT, buffer, NULL, NULL, aliens, 16, ALONE);
    FILL(CL_INVALID_VALUE, buffer, NULL, NULL, memory, 15, ALONE);
    FILL(INVALID_SYNC_POINT_WAIT_LIST, buffer, NULL, NULL, memory, 16, 1, NULL, NULL, NULL);
    FILL(INVALID_SYNC_POINT_WAIT_LIST, buffer, NULL, NULL, memory, 16, 0, &known, NULL, NULL);
    FILL(INVALID_SYNC_POINT_WAIT_LIST, buffer, NULL, NULL, memory, 16, 2, ahead, NULL, NULL);
    FILL(INVALID_SYNC_POINT_WAIT_LIST, buffer, NULL, NULL, memory, 16, 1, &(point){0}, NULL, NULL);
    FILL(CL_SUCCESS, buffer, NULL, NULL, memory, 16, 1, &known, NULL, NULL);
    IS(CL_INVALID_KERNEL_ARGS, _clCommandNDRangeKernelKHR(INTO(buffer), add, 1, NULL, &size, NULL, ALONE));
    IS(CL_INVALID_WORK_DIMENSION, _clCommandNDRangeKernelKHR(INTO(buffer), add, 4, NULL, &size, NULL, ALONE));
    IS(CL_INVALID_KERNEL, _clCommandNDRangeKernelKHR(INTO(buffer), NULL, 1, NULL, &size, NULL, ALONE));
    IS(CL_MEM_COPY_OVERLAP, _clCommandCopyBufferKHR(INTO(buffer), memory, memory, 0, 8, 16, ALONE));
    IS(CL_INVALID_VALUE, _clCommandSVMMemcpyKHR(INTO(buffer), NULL, &one, 4, ALONE));
    OK(_clFinalizeCommandBufferKHR(buffer));
    FILL(CL_INVALID_OPERATION, buffer, NULL, NULL, memory, 16, ALONE);

    cl_command_queue both[] = {loose, queue}, aliens_queue = clCreateCommandQueueWithProperties(alien, device, NULL, &error), none = NULL;
    cl_event event = clCreateUserEvent(alien, &error);
    IS(INVALID_COMMAND_BUFFER, _clEnqueueCommandBufferKHR(0, NULL, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, _clEnqueueCommandBufferKHR(1, NULL, buffer, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, _clEnqueueCommandBufferKHR(0, both, buffer, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, _clEnqueueCommandBufferKHR(2, both, buffer, 0, NULL, NULL));
    IS(CL_INVALID_COMMAND_QUEUE, _clEnqueueCommandBufferKHR(1, &none, buffer, 0, NULL, NULL));
    IS(CL_INVALID_CONTEXT, _clEnqueueCommandBufferKHR(1, &aliens_queue, buffer, 0, NULL, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, _clEnqueueCommandBufferKHR(0, NULL, buffer, 1, NULL, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, _clEnqueueCommandBufferKHR(0, NULL, buffer, 0, &event, NULL));
    IS(CL_INVALID_CONTEXT, _clEnqueueCommandBufferKHR(0, NULL, buffer, 1, &event, NULL));
    cl_device_partition_property half[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    cl_device_id part = NULL;
    if (clCreateSubDevices(device, half, 1, &part, NULL) == CL_SUCCESS) {
        cl_context parts = clCreateContext(NULL, 2, (cl_device_id[]){device, part}, NULL, NULL, &error);
        cl_command_queue whole_queue = clCreateCommandQueueWithProperties(parts, device, NULL, &error);
        cl_command_queue part_queue = clCreateCommandQueueWithProperties(parts, part, NULL, &error);
        recording whole = record(whole_queue);
        OK(_clFinalizeCommandBufferKHR(whole));
        IS(CL_INVALID_DEVICE, _clEnqueueCommandBufferKHR(1, &part_queue, whole, 0, NULL, NULL));
        OK(_clReleaseCommandBufferKHR(whole));
        OK(clReleaseCommandQueue(whole_queue));
        OK(clReleaseCommandQueue(part_queue));
        OK(clReleaseContext(parts));
        OK(clReleaseDevice(part));
    }
    OK(clReleaseEvent(event));
    OK(clReleaseCommandQueue(aliens_queue));
    OK(clReleaseMemObject(aliens));
    OK(clReleaseContext(alien));
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseKernel(add));
}

int main(void)
{
    begin();
    find_functions();
    cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    loose = clCreateCommandQueueWithProperties(context, device, any_order, &error);
    OK(error);
    program = build("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }\n"
                    "kernel void count(global int *a) { atomic_inc(&a[get_global_id(0)]); }\n"
                    "kernel void note(global uint *clock, global uint *times, int number) {\n"
                    "  uint now = atomic_inc(clock);\n"
                    "  atomic_min(&times[2 * number], now);\n"
                    "  atomic_max((global int *)&times[2 * number + 1], (int)now);\n"
                    "}", "");
    memory = buffer_of(BYTES);
    other = buffer_of(BYTES);
    what_the_device_says();
    all_commands();
    arguments_are_those_of_the_recording();
    commands_wait_for_sync_points();
    replays_do_not_know_of_each_other();
    the_ends_of_replays();
    what_a_command_buffer_says();
    wrong_creations();
    wrong_commands();
    OK(clReleaseMemObject(memory));
    OK(clReleaseMemObject(other));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(loose));
    end();
    return verdict();
}
