/* Signals: a reversible wavelet of pictures, a bank of filters, a cube of colours. */

#define PAIRS 64 /* of samples that a group transforms */

/* The sample that a mirror at either end shows in place of one beyond it. */
int mirrored(int i, const int count)
{
    i = abs(i);
    return i < count ? i : max(2 * (count - 1) - i, 0);
}

/* A step of the 5/3 wavelet of whole numbers along rows: each odd sample less the mean of its neighbours, then each even one with
 * a quarter of the differences beside it. Low samples go to the left half of a row, high ones to the right half. */
__kernel __attribute__((reqd_work_group_size(PAIRS, 1, 1)))
void wavelet_rows(__global const short *in, const int pitch, const int width, const int height, __global short *out)
{
    __local int line[2 * PAIRS + 3];

    const int lid = get_local_id(0), row = get_global_id(1), first = get_group_id(0) * 2 * PAIRS;
    if (row >= height) return;
    for (int i = lid; i < 2 * PAIRS + 3; i += PAIRS) line[i] = in[row * pitch + mirrored(first + i - 2, width)];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int at = 2 * lid + 2;
    line[at + 1] -= (line[at] + line[at + 2]) >> 1;
    if (lid == 0) line[1] -= (line[0] + line[2]) >> 1;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int even = first + 2 * lid;
    if (even < width) out[row * pitch + even / 2] = line[at] + ((line[at - 1] + line[at + 1] + 2) >> 2);
    if (even + 1 < width) out[row * pitch + (width + 1) / 2 + even / 2] = line[at + 1];
}

/* The same along columns: an item walks down one. */
__kernel void wavelet_columns(__global const short *in, const int pitch, const int width, const int height, __global short *out)
{
    const int column = get_global_id(0);
    if (column >= width) return;
    const int lows = (height + 1) / 2;
    int even = in[column], before = 0;
    for (int k = 0; k < lows; k++) {
        int high = before, next = even;
        if (2 * k + 1 < height) {
            const int odd = in[(2 * k + 1) * pitch + column];
            if (2 * k + 2 < height) next = in[(2 * k + 2) * pitch + column];
            high = odd - ((even + next) >> 1);
            out[(lows + k) * pitch + column] = high;
        }
        if (k == 0) before = high;
        out[k * pitch + column] = even + ((before + high + 2) >> 2);
        before = high;
        even = next;
    }
}

#define CHANNELS 64
#define LOG_CHANNELS 6
#define TAPS 8
#define FRAMES 4 /* of a group */

/* A bank of filters as radio receivers have it: each frame has 64 new samples, which the filter weighs with those of seven frames
 * before, folded to 64 sums; their Fourier transform is the frame's channels. Samples are complex, of 8 bits. */
__kernel __attribute__((reqd_work_group_size(CHANNELS / 2, FRAMES, 1)))
void channelize(__global const char2 *samples, __constant float *filter, __constant float2 *turns, const int frames,
                __global float2 *out)
{
    __local float2 values[FRAMES][CHANNELS];

    const int lid = get_local_id(0), ly = get_local_id(1), frame = get_global_id(1);
    for (int half_of = 0; half_of < 2; half_of++) {
        const int branch = lid + half_of * (CHANNELS / 2);
        float2 sum = (float2)(0.0f);
        if (frame < frames) {
            for (int tap = 0; tap < TAPS; tap++) {
                const char2 sample = samples[(frame + tap) * CHANNELS + branch];
                sum += filter[tap * CHANNELS + branch] * convert_float2(sample);
            }
        }
        int place = 0;
        for (int bit = 0; bit < LOG_CHANNELS; bit++) place |= (branch >> bit & 1) << (LOG_CHANNELS - 1 - bit);
        values[ly][place] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int span = 1; span < CHANNELS; span *= 2) {
        const int within = lid & (span - 1), low = (lid - within) * 2 + within;
        const float2 turn = turns[within * (CHANNELS / 2 / span)];
        const float2 a = values[ly][low], b = values[ly][low + span];
        const float2 turned = (float2)(b.x * turn.x - b.y * turn.y, b.x * turn.y + b.y * turn.x);
        values[ly][low] = a + turned;
        values[ly][low + span] = a - turned;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (frame >= frames) return;
    out[frame * CHANNELS + lid] = values[ly][lid];
    out[frame * CHANNELS + lid + CHANNELS / 2] = values[ly][lid + CHANNELS / 2];
}

#define EDGE 33 /* points of the cube along each side */

/* A film's look: a curve for each colour, then a cube of colours, between whose points a colour lies in one of six tetrahedra. */
__kernel void look_cube(__global const uchar4 *in, __constant float *curves, __global const float4 *cube, const int width,
                        const int height, __global uchar4 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uchar4 pixel = in[y * width + x];
    const float3 place = (float3)(curves[pixel.x], curves[256 + pixel.y], curves[512 + pixel.z]) * (EDGE - 1);
    const int3 cell = min(convert_int3(place), EDGE - 2);
    const float3 part = place - convert_float3(cell);

    const int base = (cell.z * EDGE + cell.y) * EDGE + cell.x, far = base + 1 + EDGE + EDGE * EDGE;
    int second, third;
    float3 order;
    if (part.x > part.y) {
        if (part.y > part.z) {
            second = 1, third = 1 + EDGE, order = part.xyz;
        } else if (part.x > part.z) {
            second = 1, third = 1 + EDGE * EDGE, order = part.xzy;
        } else {
            second = EDGE * EDGE, third = 1 + EDGE * EDGE, order = part.zxy;
        }
    } else {
        if (part.z > part.y) {
            second = EDGE * EDGE, third = EDGE + EDGE * EDGE, order = part.zyx;
        } else if (part.z > part.x) {
            second = EDGE, third = EDGE + EDGE * EDGE, order = part.yzx;
        } else {
            second = EDGE, third = 1 + EDGE, order = part.yxz;
        }
    }
    const float4 colour = (1.0f - order.x) * cube[base] + (order.x - order.y) * cube[base + second] +
                          (order.y - order.z) * cube[base + third] + order.z * cube[far];
    uchar4 result = convert_uchar4_sat_rte(colour * 255.0f);
    result.w = pixel.w;
    out[y * width + x] = result;
}
