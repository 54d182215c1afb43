/* Tensors: all pairs of rows in tiles of registers, a layer of packed channels with weights of half precision, axes in another order,
 * planes that are made larger. */

#define TILE 8

/* Each item finds the square of a row's length. Rows are the columns of memory: the features of a kind lie together. */
__kernel void row_lengths(__global const float *rows, const int pitch, const int features, __global float *lengths)
{
    const int row = get_global_id(0);
    if (row >= pitch) return;
    float sum = 0.0f;
    for (int k = 0; k < features; k++) {
        const float value = rows[k * pitch + row];
        sum += value * value;
    }
    lengths[row] = sum;
}

#define ADD_ROW(n) sums##n = mad(a.s##n, c, sums##n)
#define STORE_ROW(n) vstore8(exp(gamma * min(2.0f * sums##n - across - down.s##n, 0.0f)), 0, to + n * columns)

/* Each item finds how near eight rows are to eight others, by a radial basis function: 64 sums that stay in registers. */
__kernel __attribute__((reqd_work_group_size(8, 2, 1)))
void rbf_gram(__global const float *left, const int rows, __global const float *right, const int columns, const int features,
              const float gamma, __global const float *left_lengths, __global const float *right_lengths, __global float *gram)
{
    const int column = get_global_id(0) * TILE, row = get_global_id(1) * TILE;
    if (row >= rows || column >= columns) return;
    float8 sums0 = (float8)(0.0f), sums1 = (float8)(0.0f), sums2 = (float8)(0.0f), sums3 = (float8)(0.0f);
    float8 sums4 = (float8)(0.0f), sums5 = (float8)(0.0f), sums6 = (float8)(0.0f), sums7 = (float8)(0.0f);
    for (int k = 0; k < features; k++) {
        const float8 a = vload8(0, left + k * rows + row), c = vload8(0, right + k * columns + column);
        ADD_ROW(0);
        ADD_ROW(1);
        ADD_ROW(2);
        ADD_ROW(3);
        ADD_ROW(4);
        ADD_ROW(5);
        ADD_ROW(6);
        ADD_ROW(7);
    }
    const float8 down = vload8(0, left_lengths + row), across = vload8(0, right_lengths + column);
    __global float *to = gram + row * columns + column;
    STORE_ROW(0);
    STORE_ROW(1);
    STORE_ROW(2);
    STORE_ROW(3);
    STORE_ROW(4);
    STORE_ROW(5);
    STORE_ROW(6);
    STORE_ROW(7);
}

#define STRIP 4

typedef struct {
    int width, height, inputs, outputs; /* of channels, in fours */
} layer_t;

/* A pixel's four channels; 0 outside of the picture. */
float4 pixel_or_none(__global const float4 *plane, const int x, const int y, const layer_t layer)
{
    if (x < 0 || y < 0 || x >= layer.width || y >= layer.height) return (float4)(0.0f);
    return plane[y * layer.width + x];
}

/* Each item finds four channels of four pixels in a row: three by three weights, channels packed in fours, zeros around the picture. */
__kernel __attribute__((reqd_work_group_size(4, 4, 1)))
void conv_packed(__global const float4 *input, const layer_t layer, __global const half *weights, __global const float4 *bias,
                 __global half *output)
{
    const int x = get_global_id(0) * STRIP, y = get_global_id(1), channels = get_global_id(2);
    if (x >= layer.width || y >= layer.height) return;
    float4 sums[STRIP];
    for (int i = 0; i < STRIP; i++) sums[i] = bias[channels];
    for (int from = 0; from < layer.inputs; from++) {
        __global const float4 *plane = input + from * layer.width * layer.height;
        for (int ky = 0; ky < 3; ky++) {
            float4 line[STRIP + 2];
            for (int i = 0; i < STRIP + 2; i++) line[i] = pixel_or_none(plane, x + i - 1, y + ky - 1, layer);
            for (int kx = 0; kx < 3; kx++) {
                const int at = (((channels * layer.inputs + from) * 3 + ky) * 3 + kx) * 4;
                const float4 first = vload_half4(at, weights), second = vload_half4(at + 1, weights);
                const float4 third = vload_half4(at + 2, weights), fourth = vload_half4(at + 3, weights);
#pragma unroll
                for (int i = 0; i < STRIP; i++) {
                    const float4 value = line[i + kx];
                    sums[i] += value.x * first + value.y * second + value.z * third + value.w * fourth;
                }
            }
        }
    }
    const int to = (channels * layer.height + y) * layer.width + x;
    for (int i = 0; i < STRIP && x + i < layer.width; i++) vstore_half4_rte(clamp(sums[i], 0.0f, 6.0f), to + i, output);
}

#define AXES 5

typedef struct {
    int extents[AXES]; /* of the result, the slowest axis first */
    int strides[AXES]; /* of the source, in the order of the result's axes */
    int count;
} permutation_t;

/* Where in the source a value of the result is. */
int source_of(const permutation_t order, int id)
{
    int at = 0;
    for (int axis = AXES - 1; axis >= 0; axis--) {
        at += id % order.extents[axis] * order.strides[axis];
        id /= order.extents[axis];
    }
    return at;
}

int linear_id(void)
{
    return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}

/* Each item fetches a value of a tensor whose axes change places, whatever the type. */
#define PERMUTE(name, type)                                                                                            \
    __kernel void name(__global const type *from, const permutation_t order, __global type *to)                        \
    {                                                                                                                  \
        const int id = linear_id();                                                                                    \
        if (id < order.count) to[id] = from[source_of(order, id)];                                                     \
    }

PERMUTE(permute_words, uint)
PERMUTE(permute_shorts, ushort)
PERMUTE(permute_pairs, uchar2)

/* The same with scaled numbers of half precision, which become whole ones. */
__kernel void permute_quantised(__global const half *from, const permutation_t order, const float scale, __global char *to)
{
    const int id = linear_id();
    if (id < order.count) to[id] = convert_char_sat_rte(vload_half(source_of(order, id), from) * scale);
}

typedef struct {
    int planes, height, width, tall, wide;
    float down, across; /* how far two pixels of the result are apart in the source */
} enlargement_t;

#define SHARPNESS -0.75f

/* What four neighbours count for, between the middle two of them. */
float4 cubic_shares(const float part)
{
    const float4 off = (float4)(part + 1.0f, part, 1.0f - part, 2.0f - part);
    const float4 inner = ((SHARPNESS + 2.0f) * off - (SHARPNESS + 3.0f)) * off * off + 1.0f;
    const float4 outer = ((off - 5.0f) * off + 8.0f) * off * SHARPNESS - 4.0f * SHARPNESS;
    return (float4)(outer.x, inner.y, inner.z, outer.w);
}

/* Each item makes a pixel of planes that are made larger or smaller, from four by four others. */
__kernel void bicubic_planes(__global const float *from, const enlargement_t size, __global float *to)
{
    const int id = get_global_id(0);
    if (id >= size.planes * size.tall * size.wide) return;
    const int x = id % size.wide, y = id / size.wide % size.tall, plane = id / (size.wide * size.tall);
    const float column = (x + 0.5f) * size.across - 0.5f, row = (y + 0.5f) * size.down - 0.5f;
    const float left = floor(column), top = floor(row);
    const float4 columns = cubic_shares(column - left);
    float rows[4];
    vstore4(cubic_shares(row - top), 0, rows);
    const int4 places = clamp((int)left + (int4)(-1, 0, 1, 2), 0, size.width - 1);
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        __global const float *line = from + (plane * size.height + clamp((int)top + k - 1, 0, size.height - 1)) * size.width;
        sum += rows[k] * dot(columns, (float4)(line[places.x], line[places.y], line[places.z], line[places.w]));
    }
    to[id] = sum;
}
