/* Rows of numbers: what language models, recommenders and solvers do to them. */

/* Rotary embeddings, values of 16 bits: the two halves of a head are the parts of complex numbers, which turn by an angle that
 * grows with the token's position. An item has four of them. */
__kernel void rotary_half(__global const half *in, __global half *out, __global const int *positions, const int tokens,
                          const int heads, const int head_dim, const float log2_base, const float scaling)
{
    const int quad = get_global_id(0);
    const int head = get_global_id(1);
    const int token = get_global_id(2);
    const int half_dim = head_dim / 2;
    if (quad * 4 >= half_dim || head >= heads || token >= tokens) return;

    const float position = positions[token] * scaling;
    const float4 index = (float4)(0.0f, 1.0f, 2.0f, 3.0f) + (float)(quad * 4);
    const float4 angle = position * exp2(index * (-log2_base / half_dim));
    float4 cosine;
    const float4 sine = sincos(angle, &cosine);

    const size_t row = ((size_t)token * heads + head) * head_dim;
    const float4 re = vload_half4(quad, in + row);
    const float4 im = vload_half4(quad, in + row + half_dim);
    vstore_half4(re * cosine - im * sine, quad, out + row);
    vstore_half4(re * sine + im * cosine, quad, out + row + half_dim);
}

#define K 8
#define WG 64

typedef struct {
    float value;
    int index;
} pair_t;

inline bool better(const pair_t a, const pair_t b)
{
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

/* The eight greatest values of a row, and where they are, with weights whose sum is 1. A group has a row; each item keeps the
 * best of its own, and sorted lists of two items become one until a single one is left. */
__kernel void top_eight(__global const float *logits, const int cols, __global int *indices, __global float *weights)
{
    __local pair_t lists[WG * K];
    const int lid = get_local_id(0), row = get_group_id(0);
    pair_t best[K];
    for (int k = 0; k < K; k++) {
        best[k].value = -INFINITY;
        best[k].index = INT_MAX;
    }
    for (int col = lid; col < cols; col += WG) {
        pair_t now;
        now.value = logits[row * cols + col];
        now.index = col;
        if (!better(now, best[K - 1])) continue;
        int k = K - 1;
        while (k > 0 && better(now, best[k - 1])) {
            best[k] = best[k - 1];
            --k;
        }
        best[k] = now;
    }
    for (int k = 0; k < K; k++) lists[lid * K + k] = best[k];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int stride = WG / 2; stride > 0; stride >>= 1) {
        if (lid < stride) {
            __local pair_t *a = &lists[lid * K];
            __local pair_t *b = &lists[(lid + stride) * K];
            int i = 0, j = 0;
            for (int k = 0; k < K; k++) {
                best[k] = better(a[i], b[j]) ? a[i++] : b[j++];
            }
            for (int k = 0; k < K; k++) a[k] = best[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    __local float total;
    if (lid == 0) {
        total = 0.0f;
        for (int k = 0; k < K; k++) total += exp(lists[k].value - lists[0].value);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < K) {
        indices[row * K + lid] = lists[lid].index;
        weights[row * K + lid] = exp(lists[lid].value - lists[0].value) / total;
    }
}

/* Means of rows of a table of bytes. Each row of the table has its own scale and offset; a bag is a list of rows. A group has
 * some bags, and an item four columns of one. */
__kernel void embedding_bags(__global const uchar *table, __global const float2 *scale_bias, const uint columns,
                             __global const uint *offsets, __global const uint *rows, const uint bags, __global float *out)
{
    const uint quad = get_global_id(0);
    const uint bag = get_global_id(1);
    if (quad * 4 >= columns || bag >= bags) return;

    const uint begin = offsets[bag], end = offsets[bag + 1];
    float4 sum = (float4)(0.0f);
    for (uint i = begin; i < end; ++i) {
        const uint row = rows[i];
        const float2 s = scale_bias[row];
        const float4 v = convert_float4(vload4(quad, table + (size_t)row * columns));
        sum += mad(v, (float4)(s.x), (float4)(s.y));
    }
    if (end > begin) sum *= 1.0f / (float)(end - begin);
    vstore4(sum, quad, out + (size_t)bag * columns);
}

#define MAX_N 128

/* Tridiagonal systems by parallel cyclic reduction: a group has one, an item an equation. After each step the unknowns of an
 * equation are twice as far from each other; at last there is one in each. */
__kernel void tridiagonal(__global const float *lower, __global const float *diagonal, __global const float *upper,
                          __global const float *right, __global float *x, const int n)
{
    __local float a[MAX_N], b[MAX_N], c[MAX_N], d[MAX_N];
    const int lid = get_local_id(0);
    const int at = get_group_id(0) * n + lid;
    const bool inside = lid < n;

    a[lid] = inside && lid > 0 ? lower[at] : 0.0f;
    b[lid] = inside ? diagonal[at] : 1.0f;
    c[lid] = inside && lid < n - 1 ? upper[at] : 0.0f;
    d[lid] = inside ? right[at] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int step = 1; step < n; step *= 2) {
        const int i = max(lid - step, 0);
        const int j = min(lid + step, MAX_N - 1);
        const float k1 = a[lid] / b[i];
        const float k2 = c[lid] / b[j];
        const float new_a = -a[i] * k1;
        const float new_b = b[lid] - c[i] * k1 - a[j] * k2;
        const float new_c = -c[j] * k2;
        const float new_d = d[lid] - d[i] * k1 - d[j] * k2;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[lid] = new_a;
        b[lid] = new_b;
        c[lid] = new_c;
        d[lid] = new_d;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside) x[at] = d[lid] / b[lid];
}
