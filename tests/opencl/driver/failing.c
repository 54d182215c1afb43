// Tasks that cannot be made: their commands end with an error, nobody waits for ever, and the next ones run.
// The argument is the library that refuses them.
#include "command_buffers.h"
#include "failing.h"
#include <dlfcn.h>
#include <time.h>

enum { ITEMS = 1 << 16, SMALL = 16, MOST = 40 };

static struct refusals *refusals;
static cl_kernel kernel;
static cl_mem memory;
static atomic_int calls, last;

static void refuse(int passing, int failing)
{
    refusals->failing = 0;
    refusals->passing = passing;
    refusals->failing = failing;
}

static cl_int status(cl_event event)
{
    cl_int now = CL_QUEUED;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL));
    OK(clReleaseEvent(event));
    return now;
}

static cl_event add(size_t items, cl_uint count, const cl_event *waits)
{
    cl_event event = NULL;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, count, waits, &event));
    return event;
}

static void CL_CALLBACK on_event(cl_event event, cl_int reached, void *data)
{
    (void)event, (void)data;
    last = reached;
    calls++;
}

static void one_command(size_t items)
{
    refuse(0, 1);
    cl_event event = add(items, 0, NULL);
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    // Its error is told, whoever asks, also where there is no task for that.
    refuse(0, 1);
    calls = 0;
    OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
    IS(1, calls);
    IS(CL_OUT_OF_HOST_MEMORY, last);
    // Who waits for it does not run; who only comes after it does.
    cl_event after = add(items, 1, &event), next = add(items, 0, NULL);
    OK(clFinish(queue));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status(after));
    IS(CL_COMPLETE, status(next));
    IS(CL_OUT_OF_HOST_MEMORY, status(event));
}

static void blocking_commands(void)
{
    int small = 0;
    static char large[4 << 20];
    refuse(0, 1);
    IS(CL_OUT_OF_HOST_MEMORY, clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, ITEMS * sizeof(int), large, 0, NULL, NULL));
    // What is brief needs no task.
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof small, &small, 0, NULL, NULL));
    refuse(0, 1);
    cl_mem none = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof large, large, &error);
    CHECK(none == NULL);
    IS(CL_OUT_OF_HOST_MEMORY, error);
    refuse(0, 0);
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &small, 0, NULL, NULL));
}

// A chain behind a gate, of which workers hand most over themselves: one task of it is refused, each in turn.
static void one_of_many(int passing)
{
    cl_event gate = clCreateUserEvent(context, &error), events[6];
    for (int at = 0; at < 6; at++)
        events[at] = add(at % 2 ? ITEMS : SMALL, at == 0, at == 0 ? &gate : NULL);
    refuse(passing, 1);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clFinish(queue));
    int failed = 0;
    for (int at = 0; at < 6; at++) {
        cl_int now = status(events[at]);
        CHECK(now == CL_COMPLETE || now == CL_OUT_OF_HOST_MEMORY);
        failed += now != CL_COMPLETE;
    }
    CHECK(failed + refusals->failing == 1);
}

// A command buffer of small and large commands that need not wait for each other, of whose tasks one is refused: it ends, with an
// error, and the next replay is whole.
static void one_of_a_command_buffer(recording buffer, int passing)
{
    cl_event event = NULL;
    refuse(passing, 1);
    OK(_clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, &event));
    OK(clFinish(queue));
    IS(refusals->failing ? CL_COMPLETE : CL_OUT_OF_HOST_MEMORY, status(event));
    refuse(0, 0);
    OK(_clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, &event));
    OK(clFinish(queue));
    IS(CL_COMPLETE, status(event));
}

static void command_buffers(void)
{
    find_functions();
    cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue loose = clCreateCommandQueueWithProperties(context, device, any_order, &error);
    OK(error);
    recording buffer = record(loose);
    point points[12];
    for (int at = 0; at < 12; at++) {
        size_t items = at % 3 == 0 ? ITEMS : SMALL;
        int waits = at > 4;
        OK(_clCommandNDRangeKernelKHR(INTO(buffer), kernel, 1, NULL, &items, NULL, waits, waits ? &points[at - 5] : NULL, &points[at], NULL));
    }
    OK(_clFinalizeCommandBufferKHR(buffer));
    cl_command_queue ordered = queue;
    queue = loose;
    for (int passing = 0; passing < MOST / 2; passing++)
        one_of_a_command_buffer(buffer, passing);
    queue = ordered;
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseCommandQueue(loose));
}

int main(int count, char **words)
{
    begin();
    void *library = dlopen(words[count - 1], RTLD_NOW | RTLD_NOLOAD);
    refusals = library ? dlsym(library, "refusals") : NULL;
    CHECK(refusals != NULL);
    // Long enough for several tasks where there are many items.
    cl_program program = build("kernel void f(global int *a) {\n"
                               "  int sum = a[get_global_id(0)];\n"
                               "  for (int i = 0; i < 5000; i++) sum = sum * 3 + (sum >> 5);\n"
                               "  a[get_global_id(0)] = sum;\n"
                               "}", "");
    kernel = clCreateKernel(program, "f", &error);
    memory = clCreateBuffer(context, 0, ITEMS * sizeof(int), NULL, &error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    if (failures)
        return verdict();
    one_command(SMALL);
    one_command(ITEMS);
    blocking_commands();
    for (int passing = 0; passing < MOST; passing++)
        one_of_many(passing);
    command_buffers();
    refuse(0, 0);
    CHECK(refusals->ranges > 0);
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
