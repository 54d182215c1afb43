/* Models: a layer whose numbers have 16 bits, what a language model has to learn, series that are alike but for their tempo. */

#define TILE 64
#define DEPTH 16
#define SIDE 16           /* of a group, whose items have 4 x 4 results each */

inline float4 four_halves(__global const half *from, const size_t at, const bool there)
{
    return there ? vload_half4(0, from + at) : (float4)(0.0f);
}

/* A layer of numbers of 16 bits: products, which are summed in `float`, a bias, and nothing below 0. `columns` and `depth` are
 * multiples of 4. */
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void half_product(__global const half *in, __global const half *weights, __global const float *bias, const int rows,
                  const int columns, const int depth, __global half *out)
{
    __local float left[DEPTH][TILE + 4];
    __local float4 right[DEPTH][TILE / 4];

    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * SIDE + lx;
    const int top = get_group_id(1) * TILE, from = get_group_id(0) * TILE;
    const int in_row = top + lid / 4, in_depth = lid % 4 * 4;

    float4 sums[4];
    for (int i = 0; i < 4; i++) sums[i] = (float4)(0.0f);
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
        const float4 a = four_halves(in, (size_t)in_row * depth + k0 + in_depth, in_row < rows && k0 + in_depth < depth);
        left[in_depth + 0][lid / 4] = a.x;
        left[in_depth + 1][lid / 4] = a.y;
        left[in_depth + 2][lid / 4] = a.z;
        left[in_depth + 3][lid / 4] = a.w;
        const int column = from + 4 * lx;
        right[ly][lx] = four_halves(weights, (size_t)(k0 + ly) * columns + column, k0 + ly < depth && column < columns);
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const float4 b = right[k][lx];
            for (int i = 0; i < 4; i++) sums[i] = mad(left[k][4 * ly + i], b, sums[i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int column = from + 4 * lx;
    if (column >= columns) return;
    const float4 added = vload4(0, bias + column);
    for (int i = 0; i < 4; i++) {
        const int row = top + 4 * ly + i;
        if (row < rows) vstore_half4_rte(fmax(sums[i] + added, 0.0f), 0, out + (size_t)row * columns + column);
    }
}

#define ITEMS 128
#define IGNORED -100

/* The loss of each token and its gradient, a group a token: the largest score and the sum of exponentials are found in one pass.
 * `smoothing` is the part of 1 that all words of the vocabulary share; tokens without a label have no loss. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void cross_entropy(__global const float *scores, __global const int *labels, const int words, const float smoothing,
                   const float scale, __global float *losses, __global float *gradients)
{
    __local float tops[ITEMS], exponentials[ITEMS], totals[ITEMS];

    const int token = get_group_id(0), lid = get_local_id(0), label = labels[token];
    __global const float *from = scores + (size_t)token * words;
    __global float *to = gradients + (size_t)token * words;
    if (label == IGNORED) {
        for (int i = lid; i < words; i += ITEMS) to[i] = 0.0f;
        if (lid == 0) losses[token] = 0.0f;
        return;
    }

    float top = -INFINITY, sum = 0.0f, total = 0.0f;
    for (int i = lid; i < words; i += ITEMS) {
        const float score = from[i];
        if (score > top) {
            sum = sum * exp(top - score) + 1.0f;
            top = score;
        } else {
            sum += exp(score - top);
        }
        total += score;
    }
    tops[lid] = top;
    exponentials[lid] = sum;
    totals[lid] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) {
            const float other = tops[lid + step], higher = fmax(tops[lid], other);
            exponentials[lid] = exponentials[lid] * exp(tops[lid] - higher) + exponentials[lid + step] * exp(other - higher);
            tops[lid] = higher;
            totals[lid] += totals[lid + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const float all = tops[0] + log(exponentials[0]);
    const float shared_part = smoothing / words;
    if (lid == 0) losses[token] = all - (1.0f - smoothing) * from[label] - shared_part * totals[0];
    for (int i = lid; i < words; i += ITEMS) {
        float gradient = exp(from[i] - all) - shared_part;
        if (i == label) gradient -= 1.0f - smoothing;
        to[i] = gradient * scale;
    }
}

#define LENGTH 128 /* of a query, and of the longest series */

/* Sums over the items of a group, of x and of its square. */
float2 summed(const float x, __local float2 *sums)
{
    const int lid = get_local_id(0);
    sums[lid] = (float2)(x, x * x);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LENGTH / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[0];
}

/* How far series are from queries if time may run faster or slower: a group a series and query, an item a row of the table,
 * diagonal by diagonal. Series are scaled to mean 0 and variance 1; only what is within `band` of the main diagonal counts. */
__kernel __attribute__((reqd_work_group_size(LENGTH, 1, 1)))
void time_warp(__global const float *all_queries, __global const float *all_series, __global const int *lengths, const int count,
               const int band, __global float *distances)
{
    __local float series[LENGTH];
    __local float2 sums[LENGTH];
    __local float costs[3][LENGTH + 1];

    const int i = get_local_id(0), which = get_group_id(0), query = get_group_id(1);
    const int length = lengths[which];
    const float mine = all_queries[query * LENGTH + i];
    const float value = i < length ? all_series[(size_t)which * LENGTH + i] : 0.0f;
    const float2 moments = summed(value, sums) / (float)length;
    series[i] = (value - moments.x) * rsqrt(moments.y - moments.x * moments.x);
    for (int k = 0; k < 3; k++) {
        costs[k][i + 1] = INFINITY;
        if (i == 0) costs[k][0] = INFINITY;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int diagonal = 0; diagonal < LENGTH + length - 1; diagonal++) {
        __local float *now = costs[diagonal % 3];
        __local const float *last = costs[(diagonal + 2) % 3], *before = costs[(diagonal + 1) % 3];
        const int j = diagonal - i;
        float cost = INFINITY;
        if (j >= 0 && j < length && abs(i - j) <= band) {
            const float off = mine - series[j];
            const float best = diagonal == 0 ? 0.0f : fmin(before[i], fmin(last[i], last[i + 1]));
            cost = off * off + best;
        }
        now[i + 1] = cost;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == LENGTH - 1) distances[(size_t)query * count + which] = sqrt(costs[(LENGTH + length - 2) % 3][LENGTH]);
}
