/* Media: what a lens leaves out of focus, and blocks of a video that come back from frequencies. */

const sampler_t between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
const sampler_t exactly = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define TILE 16

/* Each work-group finds the widest blur of a tile. A pixel's last number is how wide its blur is, and
 * negative where it is in front of what is in focus. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void widest_blur(__read_only image2d_t picture, __global float *tiles)
{
    __local int widest;

    const int2 pixel = (int2)(get_global_id(0), get_global_id(1));
    const bool is_first = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (is_first) widest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&widest, as_int(fabs(read_imagef(picture, exactly, pixel).w)));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first) tiles[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = as_float(widest);
}

/* Each item gathers what reaches its pixel, on a spiral as wide as the widest blur nearby. What is
 * behind may not spill over what is in focus. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void bokeh_gather(__read_only image2d_t picture, __global const float *tiles,
                  __write_only image2d_t result)
{
    const int2 pixel = (int2)(get_global_id(0), get_global_id(1));
    const int2 group = (int2)(get_group_id(0), get_group_id(1));
    const int2 groups = (int2)(get_num_groups(0), get_num_groups(1));
    if (pixel.x >= get_image_width(picture) || pixel.y >= get_image_height(picture)) return;
    const float4 own = read_imagef(picture, exactly, pixel);
    float widest = 0.0f;
    for (int y = max(group.y - 1, 0); y <= min(group.y + 1, groups.y - 1); y++) {
        for (int x = max(group.x - 1, 0); x <= min(group.x + 1, groups.x - 1); x++) {
            widest = fmax(widest, tiles[y * groups.x + x]);
        }
    }
    if (widest < 0.5f) {
        write_imagef(result, pixel, own);
        return;
    }
    const int taps = clamp((int)(widest * widest), 8, 96);
    const float most_behind = 1.5f * fabs(own.w) + 0.5f;
    const float2 turn = (float2)(-0.73736888f, 0.67549029f); /* the golden angle */
    const float2 middle = convert_float2(pixel) + 0.5f;
    float4 sum = (float4)(own.xyz, 1.0f) / (1.0f + own.w * own.w);
    float2 way = (float2)(1.0f, 0.0f);
    for (int i = 0; i < taps; i++) {
        const float far = widest * sqrt((i + 0.5f) / taps);
        const float4 tap = read_imagef(picture, between, middle + far * way);
        const float blur = tap.w < 0.0f ? -tap.w : fmin(tap.w, most_behind);
        const float share = clamp(blur - far + 1.0f, 0.0f, 1.0f) / (1.0f + blur * blur);
        sum += share * (float4)(tap.xyz, 1.0f);
        way = (float2)(turn.x * way.x - turn.y * way.y, turn.y * way.x + turn.x * way.y);
    }
    write_imagef(result, pixel, (float4)(sum.xyz / sum.w, own.w));
}

#define SIDE 32
#define TOGETHER 2 /* blocks of a work-group */

__constant char odd_rows[16][16] = {
    {90, 90, 88, 85, 82, 78, 73, 67, 61, 54, 46, 38, 31, 22, 13, 4},
    {90, 82, 67, 46, 22, -4, -31, -54, -73, -85, -90, -88, -78, -61, -38, -13},
    {88, 67, 31, -13, -54, -82, -90, -78, -46, -4, 38, 73, 90, 85, 61, 22},
    {85, 46, -13, -67, -90, -73, -22, 38, 82, 88, 54, -4, -61, -90, -78, -31},
    {82, 22, -54, -90, -61, 13, 78, 85, 31, -46, -90, -67, 4, 73, 88, 38},
    {78, -4, -82, -73, 13, 85, 67, -22, -88, -61, 31, 90, 54, -38, -90, -46},
    {73, -31, -90, -22, 78, 67, -38, -90, -13, 82, 61, -46, -88, -4, 85, 54},
    {67, -54, -78, 38, 85, -22, -90, 4, 90, 13, -88, -31, 82, 46, -73, -61},
    {61, -73, -46, 82, 31, -88, -13, 90, -4, -90, 22, 85, -38, -78, 54, 67},
    {54, -85, -4, 88, -46, -61, 82, 13, -90, 38, 67, -78, -22, 90, -31, -73},
    {46, -90, 38, 54, -90, 31, 61, -88, 22, 67, -85, 13, 73, -82, 4, 78},
    {38, -88, 73, -4, -67, 90, -46, -31, 85, -78, 13, 61, -90, 54, 22, -82},
    {31, -78, 90, -61, 4, 54, -88, 82, -38, -22, 73, -90, 67, -13, -46, 85},
    {22, -61, 85, -90, 73, -38, -4, 46, -78, 90, -82, 54, -13, -31, 67, -88},
    {13, -38, 61, -78, 88, -90, 85, -73, 54, -31, 4, 22, -46, 67, -82, 90},
    {4, -13, 22, -31, 38, -46, 54, -61, 67, -73, 78, -82, 85, -88, 90, -90},
};
__constant char second_rows[8][8] = {
    {90, 87, 80, 70, 57, 43, 25, 9},
    {87, 57, 9, -43, -80, -90, -70, -25},
    {80, 9, -70, -87, -25, 57, 90, 43},
    {70, -43, -87, 9, 90, 25, -80, -57},
    {57, -80, -25, 90, -9, -87, 43, 70},
    {43, -90, 57, 25, -87, 70, 9, -80},
    {25, -70, 90, -80, 43, 9, -57, 87},
    {9, -25, 43, -57, 70, -80, 87, -90},
};
__constant char fourth_rows[4][4] = {
    {89, 75, 50, 18},
    {75, -18, -89, -50},
    {50, -89, 18, 75},
    {18, -50, 75, -89},
};

/* A block of a picture, and how many rows and columns of its coefficients there are; none if its
 * prediction was right. */
typedef struct {
    ushort x, y;
    uchar rows, columns;
    ushort unused;
} block_t;

/* The integer transform back of 32 coefficients, of which the first `count` may differ from 0. Even ones
 * are half as large a transform, again and again. */
void inverse_32(const int in[SIDE], const int count, int out[SIDE])
{
    int fourth[4], second[8], even[16];
    for (int i = 0; i < 4; i++) {
        fourth[i] = 0;
        for (int k = 0; k < 4; k++) fourth[i] += fourth_rows[k][i] * in[8 * k + 4];
    }
    for (int i = 0; i < 8; i++) {
        second[i] = 0;
        for (int k = 0; 4 * k + 2 < count; k++) second[i] += second_rows[k][i] * in[4 * k + 2];
    }
    const int sum = 64 * (in[0] + in[16]), rest = 64 * (in[0] - in[16]);
    const int large = 83 * in[8] + 36 * in[24], small = 36 * in[8] - 83 * in[24];
    const int first[4] = {sum + large, rest + small, rest - small, sum - large};
    int eight[8];
    for (int i = 0; i < 4; i++) {
        eight[i] = first[i] + fourth[i];
        eight[7 - i] = first[i] - fourth[i];
    }
    for (int i = 0; i < 8; i++) {
        even[i] = eight[i] + second[i];
        even[15 - i] = eight[i] - second[i];
    }
    for (int i = 0; i < 16; i++) {
        int odd = 0;
        for (int k = 0; 2 * k + 1 < count; k++) odd += odd_rows[k][i] * in[2 * k + 1];
        out[i] = even[i] + odd;
        out[31 - i] = even[i] - odd;
    }
}

/* Each item transforms a column and then a row of a block, and adds the row to what was predicted. */
__kernel __attribute__((reqd_work_group_size(SIDE, TOGETHER, 1)))
void inverse_dct32(__global const block_t *blocks, const int count, __global const short *coefficients,
                   __global const uchar *predicted, __global uchar *picture, const int stride)
{
    __local short tiles[TOGETHER][SIDE][SIDE + 1];

    const int lid = get_local_id(0), id = get_global_id(1);
    __local short (*tile)[SIDE + 1] = tiles[get_local_id(1)];
    const block_t block = blocks[min(id, count - 1)];
    int in[SIDE], out[SIDE];
    if (lid < block.columns) {
        __global const short *column = coefficients + (size_t)min(id, count - 1) * SIDE * SIDE + lid;
        for (int i = 0; i < SIDE; i++) in[i] = i < block.rows ? column[i * SIDE] : 0;
        inverse_32(in, block.rows, out);
        for (int i = 0; i < SIDE; i++) tile[i][lid] = convert_short_sat((out[i] + 64) >> 7);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= count) return;
    const size_t at = (size_t)(block.y + lid) * stride + block.x;
    if (block.rows == 0) {
        vstore16(vload16(0, predicted + at), 0, picture + at);
        vstore16(vload16(1, predicted + at), 1, picture + at);
        return;
    }
    for (int i = 0; i < SIDE; i++) in[i] = i < block.columns ? tile[lid][i] : 0;
    inverse_32(in, block.columns, out);
    for (int i = 0; i < SIDE; i++) picture[at + i] = convert_uchar_sat(predicted[at + i] + ((out[i] + 2048) >> 12));
}
