/* Models: half of a layer with weights of 8 bits, the choice of the next word, attention as a state that fades. */

#define LANES 32
#define ROWS 4      /* of a matrix, that a work-group has */
#define GROUP_QUADS 16 /* quads of weights that have a scale together */

/* Four weights by four numbers. */
float product(const char4 weights, const float4 numbers) { return dot(convert_float4(weights), numbers); }

/* What a token's numbers are after their root mean square is made 1, by two matrices of the same shape; the one result opens or
 * closes the other. Each lane has every 32nd quad of a row. */
__kernel __attribute__((reqd_work_group_size(LANES, ROWS, 1)))
void gate_and_up(__global const float4 *numbers, __global const float4 *gains, const int quads, const float small,
                 __global const char4 *gates, __global const half *gate_scales, __global const char4 *ups,
                 __global const half *up_scales, const int rows, __local float4 *normal, __global float *out)
{
    __local float squares[LANES * ROWS];
    __local float2 sums[ROWS][LANES];

    const int lane = get_local_id(0), line = get_local_id(1), lid = line * LANES + lane;
    float square = 0.0f;
    for (int i = lid; i < quads; i += LANES * ROWS) square += dot(numbers[i], numbers[i]);
    squares[lid] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES * ROWS / 2; step > 0; step >>= 1) {
        if (lid < step) squares[lid] += squares[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float factor = rsqrt(squares[0] / (4 * quads) + small);
    for (int i = lid; i < quads; i += LANES * ROWS) normal[i] = numbers[i] * gains[i] * factor;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int row = get_global_id(1), groups = quads / GROUP_QUADS;
    float2 sum = (float2)(0.0f);
    if (row < rows) {
        for (int i = lane; i < quads; i += LANES) {
            const int scale = row * groups + i / GROUP_QUADS;
            sum.x += vload_half(scale, gate_scales) * product(gates[row * quads + i], normal[i]);
            sum.y += vload_half(scale, up_scales) * product(ups[row * quads + i], normal[i]);
        }
    }
    sums[line][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES / 2; step > 0; step >>= 1) {
        if (lane < step) sums[line][lane] += sums[line][lane + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) {
        const float2 both = sums[line][0];
        out[row] = both.x / (1.0f + exp(-both.x)) * both.y;
    }
}

/* Back to the token's numbers, to which it is added. */
__kernel __attribute__((reqd_work_group_size(LANES, ROWS, 1)))
void down_and_add(__global const float4 *inner, const int quads, __global const char4 *downs, __global const half *scales,
                  __global const float *numbers, const int rows, __global float *out)
{
    __local float sums[ROWS][LANES];

    const int lane = get_local_id(0), line = get_local_id(1), row = get_global_id(1), groups = quads / GROUP_QUADS;
    float sum = 0.0f;
    if (row < rows) {
        for (int i = lane; i < quads; i += LANES) {
            sum += vload_half(row * groups + i / GROUP_QUADS, scales) * product(downs[row * quads + i], inner[i]);
        }
    }
    sums[line][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES / 2; step > 0; step >>= 1) {
        if (lane < step) sums[line][lane] += sums[line][lane + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) out[row] = numbers[row] + sums[line][0];
}

#define SAMPLERS 128
#define DIGITS 256
#define PARTS 262144.0f /* that the weight of the likeliest word has */

/* A word of bits that is greater if the number is. */
uint key_of(const float value)
{
    const uint bits = as_uint(value);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* Draws a word from the likeliest ones that have some share of all probability together. A work-group has a row of logits. It
 * finds the least logit of those words digit by digit: how much weight each digit has tells which one it is. `share` is in
 * 1/65536, `drawn` has a number for each row, in 1/2^32. */
__kernel __attribute__((reqd_work_group_size(SAMPLERS, 1, 1)))
void nucleus_sample(__global const float *logits, const int count, const float sharpness, const uint share,
                    __global const uint *drawn, __local uint *weights, __global int *words, __global int *kept,
                    __global float *chances)
{
    __local uint bins[DIGITS], sums[SAMPLERS], found[2];
    __local float highest[SAMPLERS];
    __local int nucleus;

    const int lid = get_local_id(0), id = get_group_id(0);
    __global const float *row = logits + id * count;
    float own_highest = -INFINITY;
    for (int i = lid; i < count; i += SAMPLERS) own_highest = fmax(own_highest, row[i]);
    highest[lid] = own_highest;
    if (lid == 0) nucleus = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = SAMPLERS / 2; step > 0; step >>= 1) {
        if (lid < step) highest[lid] = fmax(highest[lid], highest[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    uint own = 0;
    for (int i = lid; i < count; i += SAMPLERS) {
        weights[i] = convert_uint_rte(exp((row[i] - highest[0]) * sharpness) * PARTS);
        own += weights[i];
    }
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = SAMPLERS / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint wanted = ((ulong)sums[0] * share + 65535) >> 16;

    uint least = 0, mask = 0, above = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = lid; i < DIGITS; i += SAMPLERS) bins[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < count; i += SAMPLERS) {
            const uint key = key_of(row[i]);
            if ((key & mask) == least) atomic_add(&bins[key >> shift & (DIGITS - 1)], weights[i]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0) {
            uint digit = DIGITS - 1;
            for (; digit > 0 && above + bins[digit] < wanted; digit--) above += bins[digit];
            found[0] = digit;
            found[1] = above;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        least |= found[0] << shift;
        mask |= (uint)(DIGITS - 1) << shift;
        above = found[1];
    }

    /* Each item has neighbouring words from here on. */
    const int each = (count + SAMPLERS - 1) / SAMPLERS, first = lid * each, last = min(first + each, count);
    int own_kept = 0;
    own = 0;
    for (int i = first; i < last; i++) {
        if (key_of(row[i]) < least) continue;
        own += weights[i];
        own_kept++;
    }
    sums[lid] = own;
    atomic_add(&nucleus, own_kept);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < SAMPLERS; step *= 2) {
        const uint more = lid >= step ? sums[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint total = sums[SAMPLERS - 1], target = mul_hi(total, drawn[id]);
    uint before = sums[lid] - own;
    if (target >= before && target < before + own) {
        for (int i = first; i < last; i++) {
            if (key_of(row[i]) < least) continue;
            if (target - before < weights[i]) {
                words[id] = i;
                chances[id] = (float)weights[i] / total;
                break;
            }
            before += weights[i];
        }
    }
    if (lid == 0) kept[id] = nucleus;
}

#define CHANNELS 64 /* of a head */
#define QUADS (CHANNELS / 4)

/* Attention of linear cost: a head's state has a number for each pair of a key's and a value's channel. Each token adds the
 * products of its key and value; what was there before fades, each key channel at a rate that the token itself tells. The token
 * itself counts by a rate of its own. A work-group has a head, an item a channel of values, whose part of the state it keeps. */
__kernel __attribute__((reqd_work_group_size(CHANNELS, 1, 1)))
void fading_state(__global const float *askers, __global const float *keys, __global const float *values,
                  __global const float *fades, __global const float *own_rates, const int tokens, __global const float *before,
                  __global float *after, __global float *out)
{
    __local float ask[CHANNELS], key[CHANNELS], stay[CHANNELS], own_rate[CHANNELS];

    const int lid = get_local_id(0), head = get_group_id(0), heads = get_num_groups(0);
    float4 state[QUADS];
    for (int i = 0; i < QUADS; i++) {
        __global const float *from = before + (head * CHANNELS + 4 * i) * CHANNELS + lid;
        state[i] = (float4)(from[0], from[CHANNELS], from[2 * CHANNELS], from[3 * CHANNELS]);
    }
    own_rate[lid] = own_rates[head * CHANNELS + lid];

    for (int token = 0; token < tokens; token++) {
        const int at = (token * heads + head) * CHANNELS + lid;
        barrier(CLK_LOCAL_MEM_FENCE);
        ask[lid] = askers[at];
        key[lid] = keys[at];
        stay[lid] = exp(-exp(fades[at]));
        barrier(CLK_LOCAL_MEM_FENCE);
        const float value = values[at];
        float4 sum = (float4)(0.0f);
        for (int i = 0; i < QUADS; i++) {
            const float4 new = vload4(i, key) * value;
            sum += vload4(i, ask) * (state[i] + vload4(i, own_rate) * new);
            state[i] = state[i] * vload4(i, stay) + new;
        }
        out[at] = sum.x + sum.y + sum.z + sum.w;
    }

    for (int i = 0; i < QUADS; i++) {
        __global float *to = after + (head * CHANNELS + 4 * i) * CHANNELS + lid;
        to[0] = state[i].x, to[CHANNELS] = state[i].y, to[2 * CHANNELS] = state[i].z, to[3 * CHANNELS] = state[i].w;
    }
}

/* Makes the mean of each head's numbers 0 and their variance 1, and opens or closes each of them. A work-group has a head of a
 * token. */
__kernel __attribute__((reqd_work_group_size(CHANNELS, 1, 1)))
void level_heads(__global const float *gates, __global const float *gains, const float small, __global float *out)
{
    __local float2 shared[CHANNELS];

    const int lid = get_local_id(0), head = get_group_id(0), at = (get_group_id(1) * get_num_groups(0) + head) * CHANNELS + lid;
    const float value = out[at];
    shared[lid] = (float2)(value, value * value);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = CHANNELS / 2; step > 0; step >>= 1) {
        if (lid < step) shared[lid] += shared[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float mean = shared[0].x / CHANNELS, variance = shared[0].y / CHANNELS - mean * mean, gate = gates[at];
    out[at] = (value - mean) * rsqrt(variance + small) * gains[head * CHANNELS + lid] * gate / (1.0f + exp(-gate));
}
