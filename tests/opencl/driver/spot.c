// Brief commands, which the thread that enqueues them carries out: in order, one at a time, whoever enqueues; and what is none of them.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, LAUNCHES = 3000, LEARNING = 200, LONG = 2000000 };

static cl_program program;
static cl_mem sum;

static cl_kernel kernel_of(const char *name, cl_int steps)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof sum, &sum));
    OK(clSetKernelArg(kernel, 1, sizeof steps, &steps));
    return kernel;
}

static void launch(cl_command_queue to, cl_kernel kernel, cl_event *event)
{
    size_t one = 1;
    OK(clEnqueueNDRangeKernel(to, kernel, 1, NULL, &one, &one, 0, NULL, event));
}

static cl_int read_sum(void)
{
    cl_int now = 0;
    OK(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof now, &now, 0, NULL, NULL));
    return now;
}

// Some with events, some that are waited for, some that are long.
static void *add_some(void *seed)
{
    cl_kernel brief = kernel_of("add", 1), lengthy = kernel_of("add", 20000);
    for (int at = 0; at < LAUNCHES; at++) {
        cl_event event = NULL;
        launch(queue, at % 97 == 0 ? lengthy : brief, at % 3 == (int)(size_t)seed % 3 ? &event : NULL);
        if (at % 41 == 0)
            OK(clFinish(queue));
        if (event != NULL && at % 2)
            OK(clWaitForEvents(1, &event));
        if (event != NULL)
            OK(clReleaseEvent(event));
    }
    OK(clReleaseKernel(brief));
    OK(clReleaseKernel(lengthy));
    return NULL;
}

// They add without atomic operations, so two at a time would lose some.
static void one_at_a_time(void)
{
    cl_int before = read_sum();
    pthread_t threads[THREADS];
    for (size_t at = 0; at < THREADS; at++)
        CHECK(pthread_create(&threads[at], NULL, add_some, (void *)at) == 0);
    for (int at = 0; at < THREADS; at++)
        CHECK(pthread_join(threads[at], NULL) == 0);
    OK(clFinish(queue));
    IS(before + THREADS * LAUNCHES, read_sum());
}

// Each sees what the one before it did, brief or not, on whichever thread.
static void in_order(void)
{
    cl_kernel brief = kernel_of("add", 1), lengthy = kernel_of("add", LONG);
    cl_int before = read_sum();
    for (int at = 0; at < LAUNCHES; at++) {
        launch(queue, brief, NULL);
        if (at % 500 == 250)
            launch(queue, lengthy, NULL);
        if (at % 7 == 0) {
            cl_int now = 0;
            OK(clEnqueueReadBuffer(queue, sum, CL_FALSE, 0, sizeof now, &now, 0, NULL, NULL));
            OK(clFinish(queue));
            IS(before + at + 1 + (at + 250) / 500, now);
        }
    }
    OK(clReleaseKernel(brief));
    OK(clReleaseKernel(lengthy));
}

static void times_come_in_order(void)
{
    cl_int code;
    cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue times = clCreateCommandQueueWithProperties(context, device, timed, &code);
    OK(code);
    cl_kernel brief = kernel_of("add", 1);
    cl_ulong last = 0;
    for (int at = 0; at < LEARNING; at++) {
        static const cl_profiling_info which[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                                  CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
        cl_event event = NULL;
        launch(times, brief, &event);
        OK(clWaitForEvents(1, &event));
        for (int time = 0; time < 4; time++) {
            cl_ulong ns = 0;
            OK(clGetEventProfilingInfo(event, which[time], sizeof ns, &ns, NULL));
            CHECK(ns >= last);
            last = ns;
        }
        OK(clReleaseEvent(event));
    }
    OK(clReleaseKernel(brief));
    OK(clReleaseCommandQueue(times));
}

// A kernel that waits for a word in shared memory: brief again and again, and then not before the program has stored the word.
static void shared_memory_may_be_waited_for(void)
{
    cl_int code;
    atomic_int *word = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof *word, 0);
    CHECK(word != NULL);
    cl_kernel kernel = clCreateKernel(program, "await", &code);
    OK(code);
    OK(clSetKernelArgSVMPointer(kernel, 0, word));
    *word = 1;
    for (int at = 0; at < LEARNING; at++) {
        launch(queue, kernel, NULL);
        OK(clFinish(queue));
    }
    *word = 0;
    launch(queue, kernel, NULL);
    *word = 1;
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
    clSVMFree(context, word);
}

int main(void)
{
    begin();
    program = build("kernel void add(global int *sum, int steps) {\n"
                    "  local int before;\n"
                    "  before = *sum;\n"
                    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                    "  uint word = before + 1;\n"
                    "  for (int step = 0; step < steps; step++) { word ^= word << 13; word ^= word >> 17; word ^= word << 5; }\n"
                    "  *sum = before + 1 + (word == 0);\n"
                    "}\n"
                    "kernel void await(global atomic_int *word) {\n"
                    "  while (atomic_load_explicit(word, memory_order_acquire, memory_scope_all_svm_devices) == 0) {}\n"
                    "}\n",
                    "-cl-std=CL3.0");
    cl_int code, zero = 0;
    sum = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero, &code);
    OK(code);
    if (failures)
        return verdict();
    in_order();
    one_at_a_time();
    times_come_in_order();
    shared_memory_may_be_waited_for();
    OK(clReleaseMemObject(sum));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
