/* What the programs share: OpenCL set up, buffers that begin with zeros, clocks, and errors that end the job. */
#ifndef COMMON_H
#define COMMON_H
#include <mpi.h>
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_vicinity.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;
static cl_device_id device;
static cl_context context;
static cl_program program;

#define OK(call)                                                                 \
    do {                                                                         \
        cl_int status_ = (call);                                                 \
        if (status_ != CL_SUCCESS) {                                             \
            fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, status_); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                        \
        }                                                                        \
    } while (0)

static inline void begin(int *count, char ***arguments, const char *source)
{
    cl_platform_id platform;
    int level;
    MPI_Init_thread(count, arguments, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
}

/* In order, or out of order. */
static inline cl_command_queue new_queue(cl_command_queue_properties kind)
{
    cl_int status;
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, kind, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &status);
    OK(status);
    return queue;
}

static inline cl_mem zeros(cl_command_queue queue, size_t bytes)
{
    float zero = 0;
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, 0, bytes, NULL, &status);
    OK(status);
    OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL));
    return buffer;
}

/* The sum of the buffer's numbers of all ranks; the same whatever their order, as long as they are small integers or come from one
 * order. On rank 0. */
static inline double sum_of(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes)
{
    float *numbers = malloc(bytes);
    double sum = 0, all = 0;
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, bytes, numbers, 0, NULL, NULL));
    for (size_t at = 0; at < bytes / sizeof(float); at++)
        sum += numbers[at];
    free(numbers);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

#endif
