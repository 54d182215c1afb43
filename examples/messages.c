/* Heat in a rod that is divided among the ranks of MPI. Everything is a command of one queue: kernels, messages between neighbours,
 * and at the end the file, of which each rank writes its part. docs/opencl-mpi.md tells about it. */
#include <mpi.h>
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_vicinity.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CELLS = 100000, STEPS = 200, BYTES = CELLS * sizeof(float) };

static const char *source = "kernel void step(global const float *old, global float *new) {"
                            "    size_t i = get_global_id(0) + 1;"
                            "    new[i] = old[i] + 0.25f * (old[i - 1] - 2 * old[i] + old[i + 1]);"
                            "}";

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, status);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int count, char **arguments)
{
    int level, rank, ranks;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;

    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "program");
    cl_kernel kernel = clCreateKernel(program, "step", NULL);

    /* A cell more at each end: the neighbours'. The first rank begins hot. */
    cl_mem cells[2];
    float heat = rank == 0;
    for (int at = 0; at < 2; at++) {
        cells[at] = clCreateBuffer(context, 0, BYTES + 2 * sizeof(float), NULL, NULL);
        check(clEnqueueFillBuffer(queue, cells[at], &heat, sizeof heat, 0, BYTES + 2 * sizeof heat, 0, NULL, NULL), "fill");
    }
    for (int at = 0; at < STEPS; at++) {
        cl_mem cell = cells[at % 2];
        size_t items = CELLS;
        check(clEnqueueSendrecvBuffer(queue, cell, CL_FALSE, sizeof heat, sizeof heat, left, 0, cell, BYTES + sizeof heat,
                                      sizeof heat, right, 0, MPI_COMM_WORLD, 0, NULL, NULL), "to the left");
        check(clEnqueueSendrecvBuffer(queue, cell, CL_FALSE, BYTES, sizeof heat, right, 1, cell, 0, sizeof heat, left, 1,
                                      MPI_COMM_WORLD, 0, NULL, NULL), "to the right");
        clSetKernelArg(kernel, 0, sizeof cell, &cell);
        clSetKernelArg(kernel, 1, sizeof cell, &cells[(at + 1) % 2]);
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "step");
    }
    if (count > 1) {
        int file = open(arguments[1], O_WRONLY | O_CREAT, 0666);
        check(clEnqueueReadBufferToFile(queue, cells[STEPS % 2], CL_FALSE, sizeof heat, BYTES, file, (cl_long)rank * BYTES, 0,
                                        NULL, NULL), "file");
        close(file);
    }
    check(clFinish(queue), "the end");
    float ends[2];
    clEnqueueReadBuffer(queue, cells[STEPS % 2], CL_TRUE, sizeof heat, sizeof heat, &ends[0], 0, NULL, NULL);
    clEnqueueReadBuffer(queue, cells[STEPS % 2], CL_TRUE, BYTES, sizeof heat, &ends[1], 0, NULL, NULL);
    printf("rank %d: from %.3f to %.3f\n", rank, ends[0], ends[1]);
    MPI_Finalize();
    return 0;
}
