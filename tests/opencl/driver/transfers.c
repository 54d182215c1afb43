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
                int expected = host[(z - 1) * SLICE + (y - 1) * ROW + x + 6];
                int found = seen[z * 16 * 9 + y * 16 + x];
                if (inside)
                    CHECK(found == expected);
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

int main(void)
{
    begin();
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
