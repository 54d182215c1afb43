/* Models: weights of four bits in blocks of blocks, a learning step whose memory has eight bits, edges that are curves, points
 * of a cloud that are far from each other. */

#define SUPER 256     /* weights or numbers of a large block */
#define SMALL 32      /* of a small one */
#define SUPER_BYTES 144
#define QUANTISERS 64

/* Tokens as whole numbers up to 127, a scale for each large block and a sum for each small one. A work-group has a large block. */
__kernel __attribute__((reqd_work_group_size(QUANTISERS, 1, 1)))
void quantise_tokens(__global const float4 *tokens, __global char4 *numbers, __global float *scales, __global short *sums)
{
    __local float greatest[QUANTISERS];
    __local short parts[QUANTISERS];

    const int lid = get_local_id(0), group = get_group_id(0), id = get_global_id(0);
    const float4 own = tokens[id], size = fabs(own);
    greatest[lid] = fmax(fmax(size.x, size.y), fmax(size.z, size.w));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = QUANTISERS / 2; step > 0; step >>= 1) {
        if (lid < step) greatest[lid] = fmax(greatest[lid], greatest[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float most = greatest[0];
    const char4 four = most > 0.0f ? convert_char4_sat(rint(own * (127.0f / most))) : (char4)(0);
    numbers[id] = four;
    parts[lid] = (short)(four.x + four.y + four.z + four.w);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < SUPER / SMALL) {
        short sum = 0;
        for (int i = 0; i < SMALL / 4; i++) sum += parts[lid * (SMALL / 4) + i];
        sums[group * (SUPER / SMALL) + lid] = sum;
    }
    if (lid == 0) scales[group] = most / 127.0f;
}

/* The i-th of some whole numbers of six bits, one after another. */
int six_bits(__global const uchar *bytes, const int i)
{
    const int at = 6 * i / 8, shift = 6 * i % 8;
    int bits = bytes[at];
    if (shift > 2) bits |= bytes[at + 1] << 8;
    return bits >> shift & 63;
}

#define LANES 32
#define LINES 4

/* Rows times tokens. A large block of weights is a scale, a scale of what is taken off, both of these for each small block in
 * six bits, and weights of four bits: those of the first half of a small block in the low halves of bytes. Each line of a
 * work-group has a row; the third dimension is the token. */
__kernel __attribute__((reqd_work_group_size(LANES, LINES, 1)))
void superblock_rows(__global const uchar *weights, const int rows, const int blocks, __global const char *numbers,
                     __global const float *scales, __global const short *sums, __global float *out)
{
    __local float parts[LINES][LANES];

    const int lane = get_local_id(0), line = get_local_id(1), row = get_global_id(1), token = get_global_id(2);
    float sum = 0.0f;
    if (row < rows) {
        for (int small = lane; small < blocks * (SUPER / SMALL); small += LANES) {
            const int inner = small % (SUPER / SMALL), super = small / (SUPER / SMALL);
            __global const uchar *block = weights + (size_t)(row * blocks + super) * SUPER_BYTES;
            __global const uchar *nibbles = block + 16 + inner * (SMALL / 2);
            __global const char *number = numbers + (token * blocks + super) * SUPER + inner * SMALL;
            int product = 0;
            for (int i = 0; i < SMALL / 2; i++) {
                const uchar both = nibbles[i];
                product += (both & 15) * number[i] + (both >> 4) * number[i + SMALL / 2];
            }
            const float2 units = (float2)(vload_half(0, (__global const half *)block), vload_half(1, (__global const half *)block));
            const int taken = sums[(token * blocks + super) * (SUPER / SMALL) + inner] * six_bits(block + 4, inner + 8);
            product *= six_bits(block + 4, inner);
            sum += scales[token * blocks + super] * (units.x * product - units.y * taken);
        }
    }
    parts[line][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LANES / 2; step > 0; step >>= 1) {
        if (lane < step) parts[line][lane] += parts[line][lane + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) out[token * rows + row] = parts[line][0];
}

#define LEARNERS 64
#define CODES 256

/* The code whose value is nearest to a value: the values grow. */
uchar nearest_code(const float value, __local const float *values)
{
    int low = 0, high = CODES - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (values[middle] <= value) low = middle;
        else high = middle;
    }
    return (uchar)(value - values[low] <= values[high] - value ? low : high);
}

/* A step of learning with two memories of each weight, of which a code and, for each block, the greatest size are kept.
 * `values` is what the codes of both memories mean. A rate is (how fast, what weights lose, the memories' shares of the past). */
__kernel __attribute__((reqd_work_group_size(LEARNERS, 1, 1)))
void adam_eight_bit(__global const float *weights, __global const float *slopes, const int count, __global const uchar2 *codes,
                    __global const float2 *sizes, __global const float *values, const float4 rate, __global float *new_weights,
                    __global uchar2 *new_codes, __global float2 *new_sizes)
{
    __local float meanings[2 * CODES];
    __local float2 greatest[LEARNERS];

    const int lid = get_local_id(0), block = get_group_id(0), first = block * CODES;
    for (int i = lid; i < 2 * CODES; i += LEARNERS) meanings[i] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    const float2 size = sizes[block];
    float2 memories[CODES / LEARNERS], most = (float2)(0.0f);
    for (int k = 0; k < CODES / LEARNERS; k++) {
        const int i = first + k * LEARNERS + lid;
        memories[k] = (float2)(0.0f);
        if (i >= count) break;
        const float slope = slopes[i];
        const uchar2 code = codes[i];
        const float2 past = size * (float2)(meanings[code.x], meanings[CODES + code.y]);
        const float2 memory = rate.zw * past + (1.0f - rate.zw) * (float2)(slope, slope * slope);
        new_weights[i] = weights[i] * (1.0f - rate.x * rate.y) - rate.x * memory.x / (sqrt(memory.y) + 1.0e-6f);
        most = fmax(most, fabs(memory));
        memories[k] = memory;
    }
    greatest[lid] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = LEARNERS / 2; step > 0; step >>= 1) {
        if (lid < step) greatest[lid] = fmax(greatest[lid], greatest[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = fmax(greatest[0], (float2)(1.0e-30f));
    for (int k = 0; k < CODES / LEARNERS; k++) {
        const int i = first + k * LEARNERS + lid;
        if (i >= count) break;
        const float2 share = memories[k] / most;
        new_codes[i] = (uchar2)(nearest_code(share.x, meanings), nearest_code(share.y, meanings + CODES));
    }
    if (lid == 0) new_sizes[block] = most;
}

#define INPUTS 48
#define CURVE_PARTS 8
#define KNOTS (CURVE_PARTS + 3)
#define ACROSS 16
#define TOKENS 8

/* A layer whose edges are curves: cubic splines over eight parts of -1 to 1, and a share of a smooth step. A work-group finds
 * out once where the inputs of its tokens are on the curves. Coefficients are by input, knot and output. */
__kernel __attribute__((reqd_work_group_size(ACROSS, TOKENS, 1)))
void spline_edges(__global const float *inputs, const int tokens, const int outputs, __global const float *coefficients,
                  __global const float *shares, __global float *out)
{
    __local float4 bends[TOKENS][INPUTS];
    __local float steps[TOKENS][INPUTS];
    __local uchar parts[TOKENS][INPUTS];

    const int lx = get_local_id(0), ly = get_local_id(1), output = get_global_id(0), token = get_global_id(1);
    for (int i = lx; i < INPUTS && token < tokens; i += ACROSS) {
        const float x = inputs[token * INPUTS + i], place = (clamp(x, -1.0f, 1.0f) + 1.0f) * (CURVE_PARTS / 2);
        const int part = min((int)place, CURVE_PARTS - 1);
        const float t = place - part, back = 1.0f - t;
        bends[ly][i] = (float4)(back * back * back, 3.0f * t * t * t - 6.0f * t * t + 4.0f,
                                3.0f * back * back * back - 6.0f * back * back + 4.0f, t * t * t) / 6.0f;
        steps[ly][i] = x / (1.0f + exp(-x));
        parts[ly][i] = (uchar)part;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (output >= outputs || token >= tokens) return;

    float sum = 0.0f;
    for (int i = 0; i < INPUTS; i++) {
        __global const float *knots = coefficients + (i * KNOTS + parts[ly][i]) * outputs + output;
        const float4 bend = bends[ly][i];
        sum += bend.x * knots[0] + bend.y * knots[outputs] + bend.z * knots[2 * outputs] + bend.w * knots[3 * outputs];
        sum += shares[i * outputs + output] * steps[ly][i];
    }
    out[token * outputs + output] = sum;
}

#define SEEKERS 64
#define OWN_POINTS 16

/* Some points of each cloud: the next one is always that which is farthest from all those before, the first of equal ones. A
 * work-group has a cloud, and each item how far its own points are from those that were chosen. */
__kernel __attribute__((reqd_work_group_size(SEEKERS, 1, 1)))
void farthest_points(__global const float *points, const int points_of_cloud, const int wanted,
                     __global int *chosen, __global float *reaches)
{
    __local float far[SEEKERS];
    __local int which[SEEKERS];

    const int lid = get_local_id(0), cloud = get_group_id(0);
    __global const float *own = points + cloud * points_of_cloud * 3;
    float nearest[OWN_POINTS];
    for (int k = 0; k < OWN_POINTS; k++) nearest[k] = FLT_MAX;
    int last = 0;
    for (int round_of = 0; round_of < wanted; round_of++) {
        if (lid == 0) chosen[cloud * wanted + round_of] = last;
        const float3 from = vload3(last, own);
        float most = -1.0f;
        int best = INT_MAX;
        for (int k = 0; k < OWN_POINTS; k++) {
            const int i = k * SEEKERS + lid;
            if (i >= points_of_cloud) break;
            const float3 apart = vload3(i, own) - from;
            nearest[k] = fmin(nearest[k], dot(apart, apart));
            if (nearest[k] > most) {
                most = nearest[k];
                best = i;
            }
        }
        far[lid] = most;
        which[lid] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = SEEKERS / 2; step > 0; step >>= 1) {
            if (lid < step) {
                const float other = far[lid + step];
                if (other > far[lid] || (other == far[lid] && which[lid + step] < which[lid])) {
                    far[lid] = other;
                    which[lid] = which[lid + step];
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        last = which[0];
        if (lid == 0) reaches[cloud * wanted + round_of] = sqrt(far[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
