// Threads that retain and release, ask and make at the same time; a handle that is released meanwhile is an error.
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, ROUNDS = 20000 };

static cl_mem shared;
static _Atomic(cl_mem) changing;
static atomic_int wrong, stop, last_calls;

static void expect(int condition)
{
    if (!condition)
        atomic_fetch_add(&wrong, 1);
}

static void *retain_and_release(void *argument)
{
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        expect(clRetainMemObject(shared) == CL_SUCCESS);
        expect(clRetainContext(context) == CL_SUCCESS);
        size_t size = 0;
        expect(clGetMemObjectInfo(shared, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS);
        expect(size == 4096);
        expect(clReleaseContext(context) == CL_SUCCESS);
        expect(clReleaseMemObject(shared) == CL_SUCCESS);
    }
    return NULL;
}

static void CL_CALLBACK on_last(cl_mem memory, void *data)
{
    (void)memory, (void)data;
    atomic_fetch_add(&last_calls, 1);
}

// Uses whatever is there, which the others release at any moment.
static void *use(void *argument)
{
    (void)argument;
    int number = 0;
    while (!atomic_load(&stop)) {
        cl_mem memory = atomic_load(&changing);
        cl_int code = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &number, 0, NULL, NULL);
        expect(code == CL_SUCCESS || code == CL_INVALID_MEM_OBJECT);
        code = clRetainMemObject(memory);
        expect(code == CL_SUCCESS || code == CL_INVALID_MEM_OBJECT);
        if (code == CL_SUCCESS)
            expect(clReleaseMemObject(memory) == CL_SUCCESS);
    }
    return NULL;
}

static void *build_and_run(void *argument)
{
    char options[32];
    snprintf(options, sizeof options, "-DVALUE=%d", (int)(long)argument % 3);
    const char *source = "kernel void f(global int *x) { x[get_global_id(0)] = VALUE; }";
    for (int round = 0; round < 3; round++) {
        cl_int code;
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
        expect(code == CL_SUCCESS);
        expect(clBuildProgram(program, 0, NULL, options, NULL, NULL) == CL_SUCCESS);
        cl_kernel kernel = clCreateKernel(program, "f", &code);
        expect(code == CL_SUCCESS);
        cl_mem memory = clCreateBuffer(context, 0, 4000, NULL, &code);
        expect(clSetKernelArg(kernel, 0, sizeof memory, &memory) == CL_SUCCESS);
        size_t size = 1000;
        expect(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL) == CL_SUCCESS);
        expect(clReleaseKernel(kernel) == CL_SUCCESS);
        expect(clReleaseProgram(program) == CL_SUCCESS);
        int values[1000];
        expect(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4000, values, 0, NULL, NULL) == CL_SUCCESS);
        expect(values[0] == (int)(long)argument % 3 && values[999] == values[0]);
        expect(clReleaseMemObject(memory) == CL_SUCCESS);
    }
    return NULL;
}

static void run(void *(*body)(void *), int count, pthread_t *threads)
{
    for (int at = 0; at < count; at++)
        pthread_create(&threads[at], NULL, body, (void *)(long)at);
}

static void join(pthread_t *threads, int count)
{
    for (int at = 0; at < count; at++)
        pthread_join(threads[at], NULL);
}

int main(void)
{
    pthread_t threads[THREADS];
    begin();
    shared = clCreateBuffer(context, 0, 4096, NULL, &error);
    OK(error);
    run(retain_and_release, THREADS, threads);
    join(threads, THREADS);
    cl_uint count = 0;
    OK(clGetMemObjectInfo(shared, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK(count == 1);
    OK(clReleaseMemObject(shared));

    atomic_store(&changing, clCreateBuffer(context, 0, 64, NULL, &error));
    run(use, 3, threads);
    for (int round = 0; round < 2000; round++) {
        cl_mem next = clCreateBuffer(context, 0, 64, NULL, &error);
        OK(error);
        OK(clSetMemObjectDestructorCallback(next, on_last, NULL));
        OK(clReleaseMemObject(atomic_exchange(&changing, next)));
    }
    atomic_store(&stop, 1);
    join(threads, 3);
    OK(clReleaseMemObject(atomic_load(&changing)));
    OK(clFinish(queue));
    CHECK(atomic_load(&last_calls) == 2000);

    run(build_and_run, THREADS, threads);
    join(threads, THREADS);
    end();
    CHECK(atomic_load(&wrong) == 0);
    return verdict();
}
