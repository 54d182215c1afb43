/* A stencil of 19 points on a box, after Himeno's benchmark: each rank has planes of it, and those beside them. What is timed is `steps`,
 * of which there are three versions: naive, by hand, and with the commands of cl_vicinity_data_transfer. */
#include "common.h"

enum { PLANES = 256, ROWS = 128, COLUMNS = 128, PLANE_BYTES = ROWS * COLUMNS * sizeof(float), STEPS = 60 };

static const char *source =
    "kernel void stencil(global const float *p, global const float *bound, global float *q, uint first) {"
    "    const uint R = 128, P = 128 * 128;"
    "    uint k = get_global_id(0), j = get_global_id(1), i = get_global_id(2) + first, at = i * P + j * R + k;"
    "    if (j == 0 || k == 0 || j == 127 || k == 127) return;"
    "    float s = p[at + P] + p[at + R] + p[at + 1] + p[at - P] + p[at - R] + p[at - 1]"
    "        + 0.5f * (p[at + P + R] - p[at + P - R] - p[at - P + R] + p[at - P - R])"
    "        + 0.5f * (p[at + R + 1] - p[at - R + 1] - p[at + R - 1] + p[at - R - 1])"
    "        + 0.5f * (p[at + P + 1] - p[at - P + 1] - p[at + P - 1] + p[at - P - 1]);"
    "    q[at] = p[at] + 0.8f * (s * (1.0f / 6.0f) - p[at]) * bound[at];"
    "}";

/* Planes of this rank, from 1; below is 0, above is planes + 1. A has the lower half of them, B the upper. */
static int planes, half, below, above;
static cl_mem p[2], bound;
static cl_kernel stencil;
/* In order, one for each half; and one without an order. */
static cl_command_queue queue_a, queue_b, queue_any;

/* A step from p[at % 2] to the other, of some planes. */
static inline void compute(cl_command_queue queue, int at, int first, int count, cl_uint waits, const cl_event *list, cl_event *event)
{
    size_t offset[3] = {0, 0, 0}, size[3] = {COLUMNS, ROWS, (size_t)count};
    cl_uint plane = (cl_uint)first;
    OK(clSetKernelArg(stencil, 0, sizeof(cl_mem), &p[at % 2]));
    OK(clSetKernelArg(stencil, 2, sizeof(cl_mem), &p[(at + 1) % 2]));
    OK(clSetKernelArg(stencil, 3, sizeof plane, &plane));
    OK(clEnqueueNDRangeKernel(queue, stencil, 3, offset, size, NULL, waits, list, event));
}

static void steps(void);

int main(int count, char **arguments)
{
    begin(&count, &arguments, source);
    planes = PLANES / ranks;
    half = planes / 2;
    below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    queue_a = new_queue(0);
    queue_b = new_queue(0);
    queue_any = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    stencil = clCreateKernel(program, "stencil", NULL);
    size_t bytes = (size_t)(planes + 2) * PLANE_BYTES;
    float one = 1;
    for (int at = 0; at < 2; at++)
        p[at] = zeros(queue_a, bytes);
    bound = zeros(queue_a, bytes);
    OK(clEnqueueFillBuffer(queue_a, bound, &one, sizeof one, 0, bytes, 0, NULL, NULL));
    /* One on the lowest plane of all, which stays. */
    for (int at = 0; at < 2 && rank == 0; at++)
        OK(clEnqueueFillBuffer(queue_a, p[at], &one, sizeof one, 0, PLANE_BYTES, 0, NULL, NULL));
    OK(clSetKernelArg(stencil, 1, sizeof(cl_mem), &bound));
    OK(clFinish(queue_a));
    steps();
    MPI_Barrier(MPI_COMM_WORLD);
    double since = MPI_Wtime();
    steps();
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - since, sum = sum_of(queue_a, p[0], PLANE_BYTES, (size_t)planes * PLANE_BYTES);
    if (rank == 0)
        printf("%.2f ms a step, sum %.1f\n", seconds * 1000 / STEPS, sum);
    MPI_Finalize();
    return 0;
}
