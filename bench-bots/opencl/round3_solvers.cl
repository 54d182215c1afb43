/* Steps of solvers: a sparse product, a stencil, a Fourier transform, a search in a graph. */

/* y = A x of compressed rows: 32 items share a row, a group of 128 has four of them. */
__kernel void csr_vector(const uint rows, __global const uint *restrict first, __global const uint *restrict column,
                         __global const float *restrict value, __global const float *restrict x,
                         __global float *restrict y) {
    __local float part[128];
    const uint item = get_local_id(0);
    const uint lane = item & 31;
    const uint row = get_global_id(0) / 32;
    float sum = 0.0f;
    if (row < rows) {
        for (uint i = first[row] + lane; i < first[row + 1]; i += 32) {
            sum += value[i] * x[column[i]];
        }
    }
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 16; step > 0; step /= 2) {
        if (lane < step) {
            part[item] += part[item + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) {
        y[row] = part[item];
    }
}

/* A cell from the 27 around it: a weight each for itself, and for neighbours across a face, an edge, a corner. */
__kernel void stencil27(int n, __constant float *weight, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * n + y) * n + x;
    if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) {
        out[at] = in[at];
        return;
    }
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                sum += weight[abs(dx) + abs(dy) + abs(dz)] * in[at + (dz * n + dy) * n + dx];
            }
        }
    }
    out[at] = sum;
}

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

/* The root of one at a part of the way round, clockwise. */
float2 turned(float part) {
    float c;
    float s = sincos(-2.0f * M_PI_F * part, &c);
    return (float2)(c, s);
}

/* One pass of a transform that sorts itself: `done` is the product of the radices before. */
__kernel void fft_radix4(uint n, uint done, __global const float2 *in, __global float2 *out) {
    uint i = get_global_id(0);
    uint quarter = n / 4;
    if (i >= quarter) {
        return;
    }
    uint phase = i % done;
    float part = (float)phase / (float)(4 * done);
    float2 a = in[i];
    float2 b = times(in[i + quarter], turned(part));
    float2 c = times(in[i + 2 * quarter], turned(2.0f * part));
    float2 d = times(in[i + 3 * quarter], turned(3.0f * part));
    float2 even = a + c, odd = a - c, sum = b + d, difference = b - d;
    float2 quarter_turn = (float2)(difference.y, -difference.x);
    uint to = (i - phase) * 4 + phase;
    out[to] = even + sum;
    out[to + done] = odd + quarter_turn;
    out[to + 2 * done] = even - sum;
    out[to + 3 * done] = odd - quarter_turn;
}

__kernel void fft_radix3(uint n, uint done, __global const float2 *in, __global float2 *out) {
    uint i = get_global_id(0);
    uint third = n / 3;
    if (i >= third) {
        return;
    }
    uint phase = i % done;
    float part = (float)phase / (float)(3 * done);
    float2 a = in[i];
    float2 b = times(in[i + third], turned(part));
    float2 c = times(in[i + 2 * third], turned(2.0f * part));
    float2 sum = b + c, side = (b - c) * 0.8660254038f, middle = a - 0.5f * sum;
    float2 turn = (float2)(side.y, -side.x);
    uint to = (i - phase) * 3 + phase;
    out[to] = a + sum;
    out[to + done] = middle + turn;
    out[to + 2 * done] = middle - turn;
}

/* A level of a breadth-first search with queues: who is first to reach a node puts it into the next queue. */
__kernel void frontier_step(uint count, int level, __global const uint *queue, __global const uint *first,
                            __global const uint *edge, __global volatile int *distance, __global uint *next_queue,
                            __global volatile uint *next_count) {
    uint i = get_global_id(0);
    if (i < count) {
        uint node = queue[i];
        for (uint e = first[node]; e < first[node + 1]; e++) {
            uint to = edge[e];
            if (distance[to] == -1 && atomic_cmpxchg(&distance[to], -1, level) == -1) {
                next_queue[atomic_inc(next_count)] = to;
            }
        }
    }
}
