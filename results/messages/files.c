/* Numbers of a file go through a kernel to another file, piece by piece: `naive`, one thing after the other with copies; `hand`, in mapped
 * buffers, where the program's thread reads and writes one piece while the kernel has the other; `commands` of
 * cl_vicinity_data_transfer. Arguments: which way, the file, the other file, its MiB. Prints the seconds. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_vicinity.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 16 << 20 };

#define OK(call)                                                             \
    do {                                                                     \
        if (!(call)) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call);       \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static const char *source =
    "kernel void roots(global float *x) { size_t i = get_global_id(0); float s = x[i];"
    "  for (int at = 0; at < 16; at++) s = sqrt(s + 1.0f); x[i] = s; }";

static int in, out, pieces;
static cl_command_queue queues[2];
static cl_mem buffers[2];
static cl_kernel kernels[2];

static void compute(int slot, cl_event *event)
{
    size_t items = PIECE / sizeof(float);
    OK(clEnqueueNDRangeKernel(queues[slot], kernels[slot], 1, NULL, &items, NULL, 0, NULL, event) == CL_SUCCESS);
}

static void naive(void)
{
    char *host = malloc(PIECE);
    for (off_t at = 0; at < pieces; at++) {
        OK(pread(in, host, PIECE, at * PIECE) == PIECE);
        OK(clEnqueueWriteBuffer(queues[0], buffers[0], CL_TRUE, 0, PIECE, host, 0, NULL, NULL) == CL_SUCCESS);
        compute(0, NULL);
        OK(clEnqueueReadBuffer(queues[0], buffers[0], CL_TRUE, 0, PIECE, host, 0, NULL, NULL) == CL_SUCCESS);
        OK(pwrite(out, host, PIECE, at * PIECE) == PIECE);
    }
    free(host);
}

static void by_hand(void)
{
    cl_event done[2] = {NULL, NULL};
    char *mapped[2];
    for (int slot = 0; slot < 2; slot++)
        mapped[slot] = clEnqueueMapBuffer(queues[slot], buffers[slot], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, PIECE, 0, NULL,
                                          NULL, NULL);
    for (off_t at = 0; at < pieces + 2; at++) {
        int slot = at % 2;
        if (done[slot] != NULL) {
            OK(clWaitForEvents(1, &done[slot]) == CL_SUCCESS && clReleaseEvent(done[slot]) == CL_SUCCESS);
            OK(pwrite(out, mapped[slot], PIECE, (at - 2) * PIECE) == PIECE);
        }
        if (at < pieces) {
            OK(pread(in, mapped[slot], PIECE, at * PIECE) == PIECE);
            compute(slot, &done[slot]);
            OK(clFlush(queues[slot]) == CL_SUCCESS);
        }
    }
    for (int slot = 0; slot < 2; slot++) {
        OK(clEnqueueUnmapMemObject(queues[slot], buffers[slot], mapped[slot], 0, NULL, NULL) == CL_SUCCESS);
        OK(clFinish(queues[slot]) == CL_SUCCESS);
    }
}

static void by_commands(void)
{
    for (off_t at = 0; at < pieces; at++) {
        int slot = at % 2;
        OK(clEnqueueWriteBufferFromFile(queues[slot], buffers[slot], CL_FALSE, 0, PIECE, in, at * PIECE, 0, NULL, NULL) == CL_SUCCESS);
        compute(slot, NULL);
        OK(clEnqueueReadBufferToFile(queues[slot], buffers[slot], CL_FALSE, 0, PIECE, out, at * PIECE, 0, NULL, NULL) == CL_SUCCESS);
    }
    OK(clFinish(queues[0]) == CL_SUCCESS && clFinish(queues[1]) == CL_SUCCESS);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **words)
{
    cl_platform_id platform;
    cl_device_id device;
    OK(count == 5);
    in = open(words[2], O_RDONLY), out = open(words[3], O_RDWR | O_CREAT, 0600), pieces = atoi(words[4]) >> 4;
    OK(in >= 0 && out >= 0 && clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS);
    for (int slot = 0; slot < 2; slot++) {
        float zero = 0;
        queues[slot] = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
        buffers[slot] = clCreateBuffer(context, 0, PIECE, NULL, NULL);
        kernels[slot] = clCreateKernel(program, "roots", NULL);
        OK(clSetKernelArg(kernels[slot], 0, sizeof(cl_mem), &buffers[slot]) == CL_SUCCESS);
        OK(clEnqueueFillBuffer(queues[slot], buffers[slot], &zero, sizeof zero, 0, PIECE, 0, NULL, NULL) == CL_SUCCESS);
        compute(slot, NULL);
        OK(clFinish(queues[slot]) == CL_SUCCESS);
    }
    void (*way)(void) = strcmp(words[1], "naive") == 0 ? naive : strcmp(words[1], "hand") == 0 ? by_hand : by_commands;
    /* Once for the pages of the other file. */
    way();
    double begin = now();
    way();
    printf("%.4f\n", now() - begin);
    return 0;
}
