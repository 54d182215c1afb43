/* Models: the way back through causal attention in tiles, rows of an embedding table that are trained, one token's attention to a long
 * cache of bytes. */

#define DIM 32
#define QUADS (DIM / 4)
#define TILE 32

/* Each item's row: its output times the output's gradient. */
__kernel void output_dots(__global const float4 *outputs, __global const float4 *output_grads, const int rows, __global float *dots)
{
    const int id = get_global_id(0);
    if (id >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < QUADS; k++) sum += dot(outputs[id * QUADS + k], output_grads[id * QUADS + k]);
    dots[id] = sum;
}

float dot_of(const float4 *row, __local const float4 *other)
{
    float4 sum = (float4)(0.0f);
    for (int k = 0; k < QUADS; k++) sum += row[k] * other[k];
    return sum.x + sum.y + sum.z + sum.w;
}

/* Each item has a key and its value, and goes through tiles of the queries that see them. The shares are made again from the
 * logarithms of their sums. */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void attention_back_keys(__global const float4 *queries, __global const float4 *keys, __global const float4 *values,
                         __global const float4 *output_grads, __global const float *log_sums, __global const float *dots,
                         const int length, const float scale, __global float4 *key_grads, __global float4 *value_grads)
{
    __local float4 query_tile[TILE][QUADS], grad_tile[TILE][QUADS];
    __local float log_tile[TILE], dot_tile[TILE];

    const int lid = get_local_id(0), key = get_global_id(0);
    const int first = get_global_id(1) * length; /* row of this head */
    float4 own_key[QUADS], own_value[QUADS], key_grad[QUADS], value_grad[QUADS];
    for (int k = 0; k < QUADS; k++) {
        own_key[k] = key < length ? keys[(first + key) * QUADS + k] : (float4)(0.0f);
        own_value[k] = key < length ? values[(first + key) * QUADS + k] : (float4)(0.0f);
        key_grad[k] = value_grad[k] = (float4)(0.0f);
    }
    for (int begin = get_group_id(0) * TILE; begin < length; begin += TILE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (begin + lid < length) {
            const int row = first + begin + lid;
            for (int k = 0; k < QUADS; k++) {
                query_tile[lid][k] = queries[row * QUADS + k];
                grad_tile[lid][k] = output_grads[row * QUADS + k];
            }
            log_tile[lid] = log_sums[row];
            dot_tile[lid] = dots[row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < min(TILE, length - begin); i++) {
            if (begin + i < key) continue;
            const float share = exp(scale * dot_of(own_key, query_tile[i]) - log_tile[i]);
            const float slope = scale * share * (dot_of(own_value, grad_tile[i]) - dot_tile[i]);
            for (int k = 0; k < QUADS; k++) {
                value_grad[k] += share * grad_tile[i][k];
                key_grad[k] += slope * query_tile[i][k];
            }
        }
    }
    if (key >= length) return;
    for (int k = 0; k < QUADS; k++) {
        key_grads[(first + key) * QUADS + k] = key_grad[k];
        value_grads[(first + key) * QUADS + k] = value_grad[k];
    }
}

/* The same for an item's query, which goes through tiles of the keys that it sees. */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void attention_back_queries(__global const float4 *queries, __global const float4 *keys, __global const float4 *values,
                            __global const float4 *output_grads, __global const float *log_sums, __global const float *dots,
                            const int length, const float scale, __global float4 *query_grads)
{
    __local float4 key_tile[TILE][QUADS], value_tile[TILE][QUADS];

    const int lid = get_local_id(0), query = get_global_id(0);
    const int first = get_global_id(1) * length, row = first + min(query, length - 1);
    float4 own_query[QUADS], own_grad[QUADS], query_grad[QUADS];
    for (int k = 0; k < QUADS; k++) {
        own_query[k] = queries[row * QUADS + k];
        own_grad[k] = output_grads[row * QUADS + k];
        query_grad[k] = (float4)(0.0f);
    }
    const float log_sum = log_sums[row], own_dot = dots[row];
    for (int tile = 0; tile <= get_group_id(0); tile++) {
        const int from = first + min(tile * TILE + lid, length - 1);
        for (int k = 0; k < QUADS; k++) {
            key_tile[lid][k] = keys[from * QUADS + k];
            value_tile[lid][k] = values[from * QUADS + k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int seen = min(TILE, query - tile * TILE + 1);
        for (int i = 0; i < seen; i++) {
            const float share = exp(scale * dot_of(own_query, key_tile[i]) - log_sum);
            const float slope = scale * share * (dot_of(own_grad, value_tile[i]) - own_dot);
            for (int k = 0; k < QUADS; k++) query_grad[k] += slope * key_tile[i][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (query < length) {
        for (int k = 0; k < QUADS; k++) query_grads[row * QUADS + k] = query_grad[k];
    }
}

#define LANES 32 /* each has 4 numbers of a row */

/* Each work-group trains a row of a table that a batch has looked up: it adds up the gradients of all places that did, which are sorted,
 * and takes a step of Adagrad with one number for the row. Weights are halves. */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void embedding_grads(__global const float4 *grads, __global const int *order, __global const int *starts, __global const int *rows,
                     const float rate, const float least, __global const half *weights, __global const float *squares,
                     __global half *new_weights, __global float *new_squares)
{
    __local float parts[LANES];

    const uint lane = get_local_id(0), segment = get_group_id(0);
    const int row = rows[segment];
    float4 sum = (float4)(0.0f);
    for (int i = starts[segment]; i < starts[segment + 1]; i++) sum += grads[order[i] * LANES + lane];
    parts[lane] = dot(sum, sum);
    for (uint half_size = LANES / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_size) parts[lane] += parts[lane + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float square = squares[row] + parts[0] / (4 * LANES);
    const float4 old = vload_half4(row * LANES + lane, weights);
    vstore_half4_rte(old - rate / (sqrt(square) + least) * sum, row * LANES + lane, new_weights);
    if (lane == 0) new_squares[row] = square;
}

#define HEAD 64 /* numbers of a head */
#define SHARE 4 /* query heads that have keys and values in common */
#define SPLIT 128

/* Each work-group has a part of a sequence's cache, of 128 keys and values in bytes with a scale each, for the 4 query heads that share
 * them. It leaves the mean of the values, and what the parts are put together by: the most of the scores, and the sum. */
__kernel __attribute__((reqd_work_group_size(HEAD, 1, 1)))
void split_decode(__global const float4 *queries, __global const char4 *keys, __global const half *key_scales,
                  __global const char *values, __global const half *value_scales, __global const int *lengths, const int most,
                  const float scale, __global float *parts, __global float2 *marks)
{
    __local float4 query[SHARE][HEAD / 4];
    __local float shares[SHARE][SPLIT], scales[SPLIT], tree[HEAD];

    const int lid = get_local_id(0), split = get_group_id(0), head = get_global_id(1), sequence = get_global_id(2);
    const int heads = get_global_size(1), splits = get_num_groups(0);
    const int begin = split * SPLIT, count = min(SPLIT, lengths[sequence] - begin);
    if (count <= 0) return;
    const int kv = sequence * heads + head; /* which of the caches */
    query[lid / (HEAD / 4)][lid % (HEAD / 4)] = queries[kv * SHARE * (HEAD / 4) + lid];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < count; i += HEAD) {
        const size_t at = (size_t)kv * most + begin + i;
        float sums[SHARE] = {0.0f};
        for (int k = 0; k < HEAD / 4; k++) {
            const float4 key = convert_float4(keys[at * (HEAD / 4) + k]);
            for (int q = 0; q < SHARE; q++) sums[q] += dot(query[q][k], key);
        }
        const float key_scale = scale * vload_half(at, key_scales);
        for (int q = 0; q < SHARE; q++) shares[q][i] = sums[q] * key_scale;
        scales[i] = vload_half(at, value_scales);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int q = 0; q < SHARE; q++) {
        float best = -INFINITY, sum = 0.0f;
        for (int i = lid; i < count; i += HEAD) best = fmax(best, shares[q][i]);
        tree[lid] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = HEAD / 2; step > 0; step >>= 1) {
            if (lid < step) tree[lid] = fmax(tree[lid], tree[lid + step]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        best = tree[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < count; i += HEAD) {
            const float share = exp(shares[q][i] - best);
            shares[q][i] = share;
            sum += share;
        }
        tree[lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = HEAD / 2; step > 0; step >>= 1) {
            if (lid < step) tree[lid] += tree[lid + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0) marks[(kv * SHARE + q) * splits + split] = (float2)(best, tree[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float sums[SHARE] = {0.0f};
    for (int i = 0; i < count; i++) {
        const float value = scales[i] * values[((size_t)kv * most + begin + i) * HEAD + lid];
        for (int q = 0; q < SHARE; q++) sums[q] += shares[q][i] * value;
    }
    for (int q = 0; q < SHARE; q++) parts[((kv * SHARE + q) * splits + split) * HEAD + lid] = sums[q];
}

/* Each item puts a number of a query head together from the parts of the cache. */
__kernel void combine_splits(__global const float *parts, __global const float2 *marks, __global const int *lengths, const int splits,
                             __global float *outputs)
{
    const int number = get_global_id(0), head = get_global_id(1), sequence = get_global_id(2);
    const int at = sequence * get_global_size(1) + head;
    const int count = (lengths[sequence] + SPLIT - 1) / SPLIT;
    float best = marks[at * splits].x, sum = 0.0f, all = 0.0f;
    for (int i = 1; i < count; i++) best = fmax(best, marks[at * splits + i].x);
    for (int i = 0; i < count; i++) {
        const float2 mark = marks[at * splits + i];
        const float factor = exp(mark.x - best);
        all += factor * mark.y;
        sum += factor * parts[(at * splits + i) * HEAD + number];
    }
    outputs[at * HEAD + number] = sum / all;
}
