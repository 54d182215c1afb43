// Callbacks: what the program has released is there in its own callback, and nothing else in its place.
#include "check.h"
#include <stdatomic.h>
#include <time.h>

enum { TIMES = 300, LATER = 5000 };

static atomic_int calls, gone;

static void wait_a_millisecond(void)
{
    struct timespec some = {0, 1000000};
    nanosleep(&some, NULL);
}

static void wait_for_calls(int count)
{
    for (int look = 0; calls < count && look < LATER; look++)
        wait_a_millisecond();
    CHECK(calls == count);
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    cl_int now = CL_QUEUED;
    cl_ulong ns;
    // Time for those who release it.
    wait_a_millisecond();
    if (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL) || now > status)
        gone++;
    if (data != NULL && clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL))
        gone++;
    // It may be kept from here on.
    if (clRetainEvent(event) || clReleaseEvent(event))
        gone++;
    calls++;
}

// Released as soon as the callback is asked for, as most programs do.
static void of_events(void)
{
    cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue times = clCreateCommandQueueWithProperties(context, device, timed, &error);
    OK(error);
    calls = 0;
    for (int time = 0; time < TIMES; time++) {
        cl_event gate = clCreateUserEvent(context, &error), event;
        OK(clEnqueueMarkerWithWaitList(times, 1, &gate, &event));
        OK(clSetEventCallback(event, CL_COMPLETE, on_event, &times));
        OK(clSetEventCallback(event, CL_SUBMITTED, on_event, NULL));
        OK(clSetEventCallback(gate, CL_COMPLETE, on_event, NULL));
        OK(clReleaseEvent(event));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
    }
    wait_for_calls(3 * TIMES);
    IS(0, gone);
    // One that is finished before it is asked for, and one that failed.
    cl_event event, failed = clCreateUserEvent(context, &error);
    OK(clEnqueueMarkerWithWaitList(times, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    OK(clSetEventCallback(event, CL_COMPLETE, on_event, &times));
    OK(clReleaseEvent(event));
    OK(clEnqueueMarkerWithWaitList(times, 1, &failed, &event));
    OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
    OK(clReleaseEvent(event));
    OK(clSetUserEventStatus(failed, -7));
    OK(clReleaseEvent(failed));
    wait_for_calls(3 * TIMES + 2);
    IS(0, gone);
    OK(clReleaseCommandQueue(times));
}

static void CL_CALLBACK on_free(cl_command_queue own, cl_uint count, void **pointers, void *data)
{
    cl_context of = NULL;
    if (clGetCommandQueueInfo(own, CL_QUEUE_CONTEXT, sizeof of, &of, NULL) || of != context || count != 1)
        gone++;
    clSVMFree(data, pointers[0]);
    calls++;
}

static void CL_CALLBACK on_native(void *block)
{
    memset(*(void **)block, 1, 64);
    calls++;
}

// The queue and the memory are released while their commands wait.
static void of_commands(void)
{
    calls = 0;
    for (int time = 0; time < TIMES; time++) {
        cl_event gate = clCreateUserEvent(context, &error);
        cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &error);
        OK(error);
        void *shared = clSVMAlloc(context, 0, 64, 0);
        cl_mem memory = clCreateBuffer(context, 0, 64, NULL, &error);
        const void *place = &memory;
        OK(clEnqueueNativeKernel(own, on_native, &memory, sizeof memory, 1, &memory, &place, 1, &gate, NULL));
        OK(clEnqueueSVMFree(own, 1, &shared, on_free, context, 1, &gate, NULL));
        OK(clReleaseMemObject(memory));
        OK(clReleaseCommandQueue(own));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
    }
    wait_for_calls(2 * TIMES);
    IS(0, gone);
}

int main(void)
{
    begin();
    of_events();
    of_commands();
    end();
    return verdict();
}
