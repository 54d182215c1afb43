/* Models: a convolution of whole numbers, a normalization in half precision, a search among compressed vectors. */

#define IN_QUADS 8 /* groups of four channels that the convolution reads */

/* The product of `a` by `factor` in 2^31 parts, halves up, then a shift to the right, halves up. */
int scaled(const int a, const int factor, const int shift)
{
    const int high = (int)(((long)a * factor + (1L << 30)) >> 31);
    return (high + (1 << (shift - 1))) >> shift;
}

/* A 3 x 3 convolution with channels last. Activations are bytes above a zero point, weights are signed bytes, each channel of the
 * result has its own scale. An item has four channels of a pixel; `weights` has for each four of these and each tap four rows for
 * each four channels that are read. */
__kernel void quant_conv(__global const uchar4 *in, __global const char4 *weights, __global const int4 *bias,
                         __global const int4 *factors, __global const int4 *shifts, const int width, const int height,
                         const int zero, const int out_zero, __global uchar4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1), quad = get_global_id(2), quads = get_global_size(2);
    if (x >= width || y >= height) return;
    int4 sum = bias[quad];
    for (int j = 0; j < 3; j++) {
        const int row = y + j - 1;
        if (row < 0 || row >= height) continue;
        for (int i = 0; i < 3; i++) {
            const int column = x + i - 1;
            if (column < 0 || column >= width) continue;
            __global const uchar4 *from = in + (row * width + column) * IN_QUADS;
            __global const char4 *by = weights + ((quad * 3 + j) * 3 + i) * IN_QUADS * 4;
            for (int k = 0; k < IN_QUADS; k++) {
                const int4 a = convert_int4(from[k]) - zero;
                const int4 p = a * convert_int4(by[4 * k]), q = a * convert_int4(by[4 * k + 1]);
                const int4 r = a * convert_int4(by[4 * k + 2]), s = a * convert_int4(by[4 * k + 3]);
                sum += (int4)(p.x + p.y + p.z + p.w, q.x + q.y + q.z + q.w, r.x + r.y + r.z + r.w, s.x + s.y + s.z + s.w);
            }
        }
    }
    const int4 factor = factors[quad], shift = shifts[quad];
    const int4 result = (int4)(scaled(sum.x, factor.x, shift.x), scaled(sum.y, factor.y, shift.y),
                               scaled(sum.z, factor.z, shift.z), scaled(sum.w, factor.w, shift.w)) + out_zero;
    out[(y * width + x) * quads + quad] = convert_uchar4(clamp(result, out_zero, 255));
}

#define NORM_ITEMS 128
#define GROUP_CHANNELS 8

/* Normalizes each eight channels of each picture together, scales and shifts each channel, multiplies by the sigmoid. Values are
 * in half precision, sums are not. A work-group has eight channels. */
__kernel __attribute__((reqd_work_group_size(NORM_ITEMS, 1, 1)))
void group_norm_silu(__global const half *in, __global const half *scales, __global const half *offsets, const int channels,
                     const int pixels, const float least, __global half *out)
{
    __local float2 sums[NORM_ITEMS];

    const int lid = get_local_id(0), first = get_group_id(0) * GROUP_CHANNELS, count = GROUP_CHANNELS * pixels;
    __global const half *from = in + (size_t)first * pixels;
    __global half *to = out + (size_t)first * pixels;

    float4 sum = (float4)(0.0f), square = (float4)(0.0f);
    for (int i = lid; i < count / 4; i += NORM_ITEMS) {
        const float4 values = vload_half4(i, from);
        sum += values;
        square = fma(values, values, square);
    }
    sums[lid] = (float2)(dot(sum, (float4)(1.0f)), dot(square, (float4)(1.0f)));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = NORM_ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float mean = sums[0].x / count, factor = rsqrt(sums[0].y / count - mean * mean + least);

    for (int channel = 0; channel < GROUP_CHANNELS; channel++) {
        const float scale = vload_half((first + channel) % channels, scales) * factor;
        const float offset = vload_half((first + channel) % channels, offsets) - mean * scale;
        for (int i = lid; i < pixels; i += NORM_ITEMS) {
            const float value = vload_half(channel * pixels + i, from) * scale + offset;
            vstore_half(value / (1.0f + exp(-value)), channel * pixels + i, to);
        }
    }
}

#define PARTS 16      /* of a vector, each of which is a code */
#define PART_FLOATS 8
#define CODES 256
#define SEARCHERS 128
#define CHUNK 1024    /* vectors of a group */

/* How far each part of each query is from each of that part's 256 centres. */
__kernel void part_distances(__global const float *queries, __global const float *centres, __global float *tables)
{
    const int code = get_global_id(0), part = get_global_id(1), query = get_global_id(2);
    const float8 a = vload8(query * PARTS + part, queries), b = vload8(part * CODES + code, centres);
    const float8 d = a - b, s = d * d;
    const float4 t = s.lo + s.hi;
    tables[(query * PARTS + part) * CODES + code] = t.x + t.y + t.z + t.w;
}

/* The nearest vector of each chunk to each query: its distance is the sum of what a table says of its codes. */
__kernel __attribute__((reqd_work_group_size(SEARCHERS, 1, 1)))
void chunk_nearest(__global const uchar16 *codes, const int count, __global const float *tables, __global float *best,
                   __global int *best_at)
{
    __local float table[PARTS * CODES];
    __local float least[SEARCHERS];
    __local int least_at[SEARCHERS];

    const int lid = get_local_id(0), chunk = get_group_id(0), query = get_group_id(1);
    for (int i = lid; i < PARTS * CODES; i += SEARCHERS) table[i] = tables[query * PARTS * CODES + i];
    barrier(CLK_LOCAL_MEM_FENCE);

    float nearest = INFINITY;
    int at = -1;
    for (int i = chunk * CHUNK + lid; i < min(count, (chunk + 1) * CHUNK); i += SEARCHERS) {
        uchar code[PARTS];
        vstore16(codes[i], 0, code);
        float sum = 0.0f;
        for (int part = 0; part < PARTS; part++) sum += table[part * CODES + code[part]];
        if (sum < nearest) {
            nearest = sum;
            at = i;
        }
    }
    least[lid] = nearest;
    least_at[lid] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = SEARCHERS / 2; step > 0; step >>= 1) {
        if (lid < step && least[lid + step] < least[lid]) {
            least[lid] = least[lid + step];
            least_at[lid] = least_at[lid + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        best[query * get_num_groups(0) + chunk] = least[0];
        best_at[query * get_num_groups(0) + chunk] = least_at[0];
    }
}

/* The nearest of all chunks: an item has a query. */
__kernel void query_nearest(__global const float *best, __global const int *best_at, const int chunks, const int queries,
                            __global int *found, __global float *distances)
{
    const int query = get_global_id(0);
    if (query >= queries) return;
    float nearest = INFINITY;
    int at = -1;
    for (int i = query * chunks; i < (query + 1) * chunks; i++) {
        if (best[i] < nearest) nearest = best[i], at = best_at[i];
    }
    found[query] = at;
    distances[query] = nearest;
}
