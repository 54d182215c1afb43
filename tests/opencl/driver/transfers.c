// Buffers read, written, copied and filled, whole and as boxes; native kernels.
#include "check.h"

enum { SIZE = 1 << 16, ROW = 64, SLICE = 64 * 32 };

static unsigned char host[SIZE], seen[SIZE];

static void rectangles(cl_mem buffer)
{
    size_t region[3] = {10, 5, 3}, from[3] = {7, 2, 1}, to[3] = {1, 3, 2};
    for (int at = 0; at < SIZE; at++)
        host[at] = (unsigned char)(at * 31 + at / 256);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
    memset(seen, 0, sizeof seen);
    OK(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, from, to, region, ROW, SLICE, 16, 16 * 9, seen, 0,
                               NULL, NULL));
    int others = 0;
    for (int z = 0; z < 9; z++)
        for (int y = 0; y < 9; y++)
            for (int x = 0; x < 16; x++) {
                int inside = x >= 1 && x < 11 && y >= 3 && y < 8 && z >= 2 && z < 5;
                int found = seen[z * 16 * 9 + y * 16 + x];
                if (inside)
                    CHECK(found == host[(z - 1) * SLICE + (y - 1) * ROW + x + 6]);
                else
                    others |= found;
            }
    CHECK(others == 0);
    OK(clEnqueueCopyBufferRect(queue, buffer, buffer, from, (size_t[3]){20, 10, 4}, region, ROW, SLICE, ROW,
                               SLICE, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, seen, 0, NULL, NULL));
    CHECK(seen[5 * SLICE + 11 * ROW + 25] == host[2 * SLICE + 3 * ROW + 12]);
    OK(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, to, from, region, 0, 0, ROW, SLICE, host, 0, NULL,
                                NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, seen, 0, NULL, NULL));
    CHECK(seen[2 * 50 + 3 * 10 + 1] == host[1 * SLICE + 2 * ROW + 7]);
}

static void fills(cl_mem buffer)
{
    for (size_t length = 1; length <= 128; length *= 2) {
        unsigned char pattern[128];
        for (size_t at = 0; at < length; at++)
            pattern[at] = (unsigned char)(at + length);
        OK(clEnqueueFillBuffer(queue, buffer, pattern, length, length, SIZE - 2 * length, 0, NULL, NULL));
        memset(pattern, 0xff, sizeof pattern); // the pattern was copied
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, seen, 0, NULL, NULL));
        size_t wrong = 0;
        for (size_t at = length; at < SIZE - length; at++)
            wrong += seen[at] != (unsigned char)(at % length + length);
        CHECK(wrong == 0);
    }
}

// Small buffers begin as zeros, whatever lay in their place before.
static void fresh(void)
{
    enum { COUNT = 64, BYTES = 108 };
    static const unsigned char zeros[BYTES];
    cl_mem many[COUNT];
    for (int round = 0; round < 3; round++) {
        int other = 0;
        for (int at = 0; at < COUNT; at++) {
            unsigned char ones = 0xff;
            many[at] = clCreateBuffer(context, 0, BYTES, NULL, &error);
            OK(error);
            OK(clEnqueueReadBuffer(queue, many[at], CL_TRUE, 0, BYTES, seen, 0, NULL, NULL));
            other += memcmp(seen, zeros, BYTES) != 0;
            OK(clEnqueueFillBuffer(queue, many[at], &ones, 1, 0, BYTES, 0, NULL, NULL));
        }
        OK(clFinish(queue));
        for (int at = 0; at < COUNT; at++)
            OK(clReleaseMemObject(many[at]));
        CHECK(other == 0);
    }
}

static void CL_CALLBACK add(void *block)
{
    struct { int *one, *two, value; } *it = block;
    *it->one += it->value;
    *it->two -= it->value;
}

static void native(cl_mem one, cl_mem two)
{
    int zero = 0, values[2];
    struct { void *one, *two; int value; } block = {NULL, NULL, 5};
    cl_mem memory[2] = {one, two};
    const void *places[2] = {&block.one, &block.two};
    OK(clEnqueueFillBuffer(queue, one, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, two, &zero, 4, 0, 4, 0, NULL, NULL));
    OK(clEnqueueNativeKernel(queue, add, &block, sizeof block, 2, memory, places, 0, NULL, NULL));
    block.value = 100; // the block was copied
    OK(clEnqueueReadBuffer(queue, one, CL_TRUE, 0, 4, &values[0], 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, two, CL_TRUE, 0, 4, &values[1], 0, NULL, NULL));
    CHECK(values[0] == 5 && values[1] == -5);
    places[0] = (char *)&block + sizeof block - 4;
    IS(CL_INVALID_VALUE,
       clEnqueueNativeKernel(queue, add, &block, sizeof block, 2, memory, places, 0, NULL, NULL));
}

/* The program's memory at addresses that are multiples of nothing, and of what its elements need alone; small, and so large that
 * several threads copy past the caches. */
static void addresses(void)
{
    enum { LARGE = (9 << 20) + 77 };
    const size_t lengths[] = {1, 333, 70001, LARGE};
    unsigned char *host = malloc(LARGE + 128), *back = malloc(LARGE + 128);
    for (size_t i = 0; i < LARGE + 128; i++)
        host[i] = (unsigned char)(i * 7 + (i >> 11));
    for (int i = 0; i < 4; i++)
        for (size_t skip = 1; skip < 64; skip += 31) {
            size_t length = lengths[i];
            cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, length, host + skip, &error);
            OK(error);
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, length, back + 3, 0, NULL, NULL));
            CHECK(memcmp(host + skip, back + 3, length) == 0);
            OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, length, host + skip + 5, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, length / 3, length - length / 3, back + 1, 0, NULL, NULL));
            CHECK(memcmp(host + skip + 5 + length / 3, back + 1, length - length / 3) == 0);
            OK(clReleaseMemObject(buffer));
        }
    cl_program program = build("kernel void f(global float *x) { x[get_global_id(0)] *= 2; }\n"
                               "kernel void g(global uchar *x) { x[get_global_id(0)] += 1; }\n"
                               "kernel void h(global double *x, double y) { x[get_global_id(0)] += y; }\n", "");
    for (size_t skip = 0; skip < 64; skip++) {
        const size_t items = 1000;
        const char *names[] = {"g", skip % 4 == 0 ? "f" : "g", skip % 8 == 0 ? "h" : "g"};
        const double one = 1;
        for (int i = 0; i < 3; i++) {
            size_t bytes = items * (names[i][0] == 'f' ? 4 : names[i][0] == 'h' ? 8 : 1);
            memset(back, 0, bytes + 128);
            cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, back + skip, &error);
            OK(error);
            cl_kernel kernel = clCreateKernel(program, names[i], &error);
            OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
            if (names[i][0] == 'h')
                OK(clSetKernelArg(kernel, 1, sizeof one, &one));
            OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
            OK(clFinish(queue));
            CHECK(back[skip + bytes] == 0 && (skip == 0 || back[skip - 1] == 0));
            CHECK(names[i][0] != 'g' || (back[skip] == 1 && back[skip + items - 1] == 1));
            OK(clReleaseKernel(kernel));
            OK(clReleaseMemObject(buffer));
        }
    }
    OK(clReleaseProgram(program));
    free(host);
    free(back);
}

int main(void)
{
    begin();
    addresses();
    fresh();
    cl_mem buffer = clCreateBuffer(context, 0, SIZE, NULL, &error);
    cl_mem other = clCreateBuffer(context, 0, SIZE, NULL, &error);
    OK(error);
    rectangles(buffer);
    fills(buffer);
    OK(clEnqueueCopyBuffer(queue, buffer, other, 100, 200, 1000, 0, NULL, NULL));
    unsigned char part[1000];
    OK(clEnqueueReadBuffer(queue, other, CL_TRUE, 200, 1000, part, 0, NULL, NULL));
    CHECK(memcmp(part, seen + 100, 1000) == 0);
    native(buffer, other);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(other));
    end();
    return verdict();
}
