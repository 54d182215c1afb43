/* Learning: a convolution where there is anything, what ranks of documents teach, how well pixels
 * of two frames fit each other. */

#define SIDES 27 /* a cell and its neighbours */
#define INPUTS 16
#define FOURS 8 /* of channels that come out */
#define NOBODY -1

uint first_slot(const int key, const uint mask)
{
    uint word = (uint)key * 0x9e3779b1u;
    return (word ^ word >> 15) & mask;
}

int key_of(const int x, const int y, const int z)
{
    return x | y << 10 | z << 20;
}

/* Each item puts a voxel into a table of hashes. */
__kernel void enter_voxels(__global const int4 *voxels, const int count, const uint mask,
                           volatile __global int *keys, __global int *numbers)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int4 voxel = voxels[id];
    const int key = key_of(voxel.x, voxel.y, voxel.z);
    uint slot = first_slot(key, mask);
    while (atomic_cmpxchg(keys + slot, NOBODY, key) != NOBODY) slot = (slot + 1) & mask;
    numbers[slot] = id;
}

__kernel void no_keys(__global int4 *keys)
{
    keys[get_global_id(0)] = (int4)(NOBODY);
}

/* Each item looks for a neighbour of a voxel; the second dimension is which one. */
__kernel void voxel_rules(__global const int4 *voxels, const int count, const uint mask,
                          __global const int *keys, __global const int *numbers,
                          __global int *rules)
{
    const int id = get_global_id(0), side = get_global_id(1);
    if (id >= count) return;
    const int4 place = voxels[id] + (int4)(side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1, 0);
    int found = NOBODY;
    if (all(place.xyz >= (int3)(0)) && all(place.xyz < (int3)(1024))) {
        const int key = key_of(place.x, place.y, place.z);
        uint slot = first_slot(key, mask);
        while (keys[slot] != NOBODY && keys[slot] != key) slot = (slot + 1) & mask;
        if (keys[slot] == key) found = numbers[slot];
    }
    rules[side * count + id] = found;
}

/* Each item has four channels of a voxel that come out of a convolution in space which only knows
 * voxels where there is anything. */
__kernel __attribute__((reqd_work_group_size(FOURS, 16, 1)))
void submanifold_conv(__global const float *features, __global const int *rules, const int count,
                      __global const float4 *weights, __global const float4 *bias,
                      __global float4 *out)
{
    const int four = get_global_id(0), id = get_global_id(1);
    if (id >= count) return;
    float4 sum = bias[four];
    for (int side = 0; side < SIDES; side++) {
        const int other = rules[side * count + id];
        if (other == NOBODY) continue;
        __global const float *from = features + other * INPUTS;
        __global const float4 *row = weights + side * INPUTS * FOURS + four;
        for (int i = 0; i < INPUTS; i++) sum = mad((float4)(from[i]), row[i * FOURS], sum);
    }
    out[id * FOURS + four] = fmax(sum, 0.0f);
}

#define RANKERS 64
#define MOST 160 /* documents of a query */
#define LABELS 5

/* A work-group has a query: from the scores of its documents, and how good they are, it learns
 * which ones ought to be higher. Two documents matter as much as the normalised gain would change
 * if they changed places. */
__kernel __attribute__((reqd_work_group_size(RANKERS, 1, 1)))
void lambda_rank(__global const int *starts, __global const float *scores,
                 __global const uchar *labels, __global float2 *pushes, __global float *gains)
{
    __local float own_scores[MOST], discounts[MOST], parts[RANKERS];
    __local uchar own_labels[MOST];
    __local int counts[LABELS];
    __local float best;

    const int lid = get_local_id(0), query = get_group_id(0), start = starts[query];
    const int count = starts[query + 1] - start;
    if (lid < LABELS) counts[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < count; i += RANKERS) {
        own_scores[i] = scores[start + i];
        own_labels[i] = labels[start + i];
        atomic_inc(&counts[own_labels[i]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        int place = 0;
        best = 0.0f;
        for (int label = LABELS - 1; label > 0; label--) {
            for (int k = 0; k < counts[label]; k++) {
                best += ((1 << label) - 1) / log2(place++ + 2.0f);
            }
        }
    }
    float gain = 0.0f;
    for (int i = lid; i < count; i += RANKERS) {
        const float score = own_scores[i];
        int rank = 0;
        for (int k = 0; k < count; k++) {
            rank += own_scores[k] > score || (own_scores[k] == score && k < i);
        }
        discounts[i] = 1.0f / log2(rank + 2.0f);
        gain += ((1 << own_labels[i]) - 1) * discounts[i];
    }
    parts[lid] = gain;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = RANKERS / 2; half_size > 0; half_size >>= 1) {
        if (lid < half_size) parts[lid] += parts[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float share = best > 0.0f ? 1.0f / best : 0.0f;
    if (lid == 0) gains[query] = parts[0] * share;

    for (int i = lid; i < count; i += RANKERS) {
        const int label = own_labels[i];
        float2 push = (float2)(0.0f);
        for (int k = 0; k < count; k++) {
            const int other = own_labels[k];
            if (other == label) continue;
            const float sign = label > other ? 1.0f : -1.0f;
            const float chance = 1.0f / (1.0f + native_exp(sign * (own_scores[i] - own_scores[k])));
            const float matters = abs((1 << label) - (1 << other)) *
                fabs(discounts[i] - discounts[k]) * share;
            push += matters * chance * (float2)(sign, 1.0f - chance);
        }
        pushes[start + i] = push;
    }
}

#define CHANNELS 32
#define REACH 4
#define WAYS (2 * REACH + 1)

/* Each item compares a pixel's features with those of a row of pixels of the next frame; the third
 * dimension is which row. Features are numbers of 16 bits, a plane for each. */
__kernel void cost_volume(__global const half *first, __global const half *second, const int width,
                          const int height, __global half *volume)
{
    const int x = get_global_id(0), y = get_global_id(1), way = get_global_id(2);
    if (x >= width || y >= height) return;
    const int row = y + way - REACH;
    float sums[WAYS];
    for (int k = 0; k < WAYS; k++) sums[k] = 0.0f;
    if (row >= 0 && row < height) {
        for (int channel = 0; channel < CHANNELS; channel++) {
            const int plane = channel * width * height;
            const float own = vload_half(plane + y * width + x, first);
            for (int k = 0; k < WAYS; k++) {
                const int column = x + k - REACH;
                if (column >= 0 && column < width) {
                    sums[k] += own * vload_half(plane + row * width + column, second);
                }
            }
        }
    }
    for (int k = 0; k < WAYS; k++) {
        const float mean = sums[k] / CHANNELS;
        vstore_half(mean < 0.0f ? 0.1f * mean : mean, ((way * WAYS + k) * height + y) * width + x,
                    volume);
    }
}

/* Each item says how a pixel has moved: the mean of all ways, of which those count that fit
 * well. */
__kernel void likely_moves(__global const half *volume, const int pixels, const float sharp,
                           __global float2 *moves)
{
    const int id = get_global_id(0);
    if (id >= pixels) return;
    float best = -INFINITY, sum = 0.0f;
    for (int k = 0; k < WAYS * WAYS; k++) best = fmax(best, vload_half(k * pixels + id, volume));
    float2 move = (float2)(0.0f);
    for (int k = 0; k < WAYS * WAYS; k++) {
        const float weight = exp(sharp * (vload_half(k * pixels + id, volume) - best));
        sum += weight;
        move += weight * (float2)(k % WAYS - REACH, k / WAYS - REACH);
    }
    moves[id] = move / sum;
}
