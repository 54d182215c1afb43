/* Coefficients that rank 0 computes in every step go to all ranks, each of which needs its rows of them: after the simulation of nanopowder
 * growth. What is timed is `steps`, of which there are three versions. */
#include "common.h"

enum { SIZE = 2048, STEPS = 40 };

static const char *source =
    "kernel void coefficients(global float *c, uint step) {"
    "    uint j = get_global_id(0), i = get_global_id(1);"
    "    float a = cbrt((float)(i + 1)), b = cbrt((float)(j + step + 1));"
    "    c[i * 2048 + j] = (a + b) * (a + b) * sqrt(1.0f / (a * a * a) + 1.0f / (b * b * b));"
    "}"
    "kernel void grow(global const float *c, global const float *x, global float *sum) {"
    "    uint i = get_global_id(0);"
    "    float s = 0;"
    "    for (uint j = 0; j < 2048; j++) s += c[i * 2048 + j] * x[j];"
    "    sum[i] += s;"
    "}";

static size_t rows, bytes;
/* On rank 0 of all rows, on the others of their own: for one step and for the next. */
static cl_mem c[2], x, sum;
static cl_kernel coefficients, grow;
/* In order, and without an order. */
static cl_command_queue queue, queue_any;

static inline void make(cl_command_queue queue, int step, cl_event *event)
{
    size_t size[2] = {SIZE, SIZE};
    cl_uint number = (cl_uint)step;
    OK(clSetKernelArg(coefficients, 0, sizeof(cl_mem), &c[step % 2]));
    OK(clSetKernelArg(coefficients, 1, sizeof number, &number));
    OK(clEnqueueNDRangeKernel(queue, coefficients, 2, NULL, size, NULL, 0, NULL, event));
}

static inline void use(cl_command_queue queue, int step, cl_event *event)
{
    OK(clSetKernelArg(grow, 0, sizeof(cl_mem), &c[step % 2]));
    OK(clEnqueueNDRangeKernel(queue, grow, 1, NULL, &rows, NULL, 0, NULL, event));
}

static void steps(void);

int main(int count, char **arguments)
{
    float one = 1;
    begin(&count, &arguments, source);
    rows = SIZE / ranks;
    bytes = rows * SIZE * sizeof(float);
    queue = new_queue(0);
    queue_any = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    coefficients = clCreateKernel(program, "coefficients", NULL);
    grow = clCreateKernel(program, "grow", NULL);
    for (int at = 0; at < 2; at++)
        c[at] = zeros(queue, rank == 0 ? bytes * ranks : bytes);
    x = zeros(queue, SIZE * sizeof(float));
    sum = zeros(queue, rows * sizeof(float));
    OK(clEnqueueFillBuffer(queue, x, &one, sizeof one, 0, SIZE * sizeof(float), 0, NULL, NULL));
    OK(clSetKernelArg(grow, 1, sizeof(cl_mem), &x));
    OK(clSetKernelArg(grow, 2, sizeof(cl_mem), &sum));
    OK(clFinish(queue));
    steps();
    MPI_Barrier(MPI_COMM_WORLD);
    double since = MPI_Wtime();
    steps();
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - since, all = sum_of(queue, sum, 0, rows * sizeof(float));
    if (rank == 0)
        printf("%.2f ms a step, sum %.6e\n", seconds * 1000 / STEPS, all);
    MPI_Finalize();
    return 0;
}
