/* Models: a product with weights of eight bits that float, a convolution of single bits, gated layers of a model of sound. */

#define TILE 16
#define DEEP 32
#define SCALED 64 /* so many weights of a row share a scale */

/* A number of four bits of exponent and three of fraction. */
float from_fp8(const uchar bits)
{
    const uint exponent = bits >> 3 & 15, fraction = bits & 7;
    const float size = exponent == 0 ? fraction * 0x1p-9f : as_float((exponent + 120) << 23 | fraction << 20);
    return bits & 0x80 ? -size : size;
}

/* Tokens times weights: a work-group makes a square of the product, from tiles of both in local memory. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void fp8_product(__global const float *tokens, __global const uchar *weights, __global const float *scales, const int count,
                 const int outputs, const int depth, __global float *product)
{
    __local float token_tile[TILE][DEEP], weight_tile[TILE][DEEP + 1];

    const int column = get_local_id(0), row = get_local_id(1), lid = row * TILE + column;
    const int output = get_global_id(0), token = get_global_id(1);
    const int first_output = get_group_id(0) * TILE, first_token = get_group_id(1) * TILE;
    float sum = 0.0f, part = 0.0f;
    for (int begin = 0; begin < depth; begin += DEEP) {
        for (int i = lid; i < TILE * DEEP; i += TILE * TILE) {
            const int line = i / DEEP, at = i % DEEP;
            token_tile[line][at] = first_token + line < count ? tokens[(first_token + line) * depth + begin + at] : 0.0f;
            weight_tile[line][at] =
                first_output + line < outputs ? from_fp8(weights[(first_output + line) * depth + begin + at]) : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < DEEP; i++) part += token_tile[row][i] * weight_tile[column][i];
        if ((begin + DEEP) % SCALED == 0 && output < outputs) {
            sum += part * scales[output * (depth / SCALED) + begin / SCALED];
            part = 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (token < count && output < outputs) product[token * outputs + output] = sum;
}

#define WORDS 2 /* of 64 channels that come in */
#define TAPS 9
#define OUTPUTS 32 /* channels that an item makes */

/* A convolution of weights and inputs that are 1 or -1, a bit each. Of a pixel each item makes some channels, which become bits
 * again where they reach their thresholds. What lies outside of the picture counts for nothing. */
__kernel void xnor_conv(__global const ulong *restrict in, __global const ulong *restrict weights,
                        __constant short *restrict thresholds, const int width, const int height, __global uint *restrict out)
{
    const int x = get_global_id(0), y = get_global_id(1), part = get_global_id(2), parts = get_global_size(2);
    if (x >= width || y >= height) return;
    ulong around[TAPS * WORDS];
    ulong is_inside[TAPS];
    int taps = 0;
    for (int i = 0; i < TAPS; i++) {
        const int column = x + i % 3 - 1, row = y + i / 3 - 1;
        const bool inside = column >= 0 && row >= 0 && column < width && row < height;
        is_inside[i] = inside ? ULONG_MAX : 0;
        taps += inside;
        for (int k = 0; k < WORDS; k++) around[i * WORDS + k] = inside ? in[(row * width + column) * WORDS + k] : 0;
    }
    uint bits = 0;
    for (int output = 0; output < OUTPUTS; output++) {
        __global const ulong *filter = weights + (part * OUTPUTS + output) * TAPS * WORDS;
        int differ = 0;
        for (int i = 0; i < TAPS * WORDS; i++) differ += (int)popcount((around[i] ^ filter[i]) & is_inside[i / WORDS]);
        const int sum = taps * WORDS * 64 - 2 * differ;
        if (sum >= thresholds[part * OUTPUTS + output]) bits |= 1u << output;
    }
    out[(y * width + x) * parts + part] = bits;
}

#define CHANNELS 24

float sigmoid(const float value)
{
    return 1.0f / (1.0f + exp(-value));
}

/* A layer's two convolutions, of a moment and of an earlier one; one tells what comes through, the other how much of it. The
 * weights of a channel are those of both convolutions and of both moments. */
__kernel void gated_dilation(__global const float *restrict in, __global const float4 *restrict weights,
                             __global const float2 *restrict biases, const int times, const int dilation,
                             __global float *restrict gated)
{
    const int time = get_global_id(0), channel = get_global_id(1);
    if (time >= times) return;
    const bool is_early = time < dilation;
    float2 sums = biases[channel];
    for (int i = 0; i < CHANNELS; i++) {
        const float4 weight = weights[channel * CHANNELS + i];
        const float now = in[i * times + time], before = is_early ? 0.0f : in[i * times + time - dilation];
        sums += weight.xy * now + weight.zw * before;
    }
    gated[channel * times + time] = tanh(sums.x) * sigmoid(sums.y);
}

/* Mixes the channels of a moment: the first weight is for what goes on to the next layer, the second for what goes to the end. */
__kernel void mix_channels(__global const float *restrict in, __global const float *restrict gated,
                           __global const float2 *restrict weights, const int times, const int layer, __global float *restrict out,
                           __global float *restrict skip)
{
    const int time = get_global_id(0), channel = get_global_id(1), at = channel * times + time;
    if (time >= times) return;
    float2 sums = (float2)(in[at], layer == 0 ? 0.0f : skip[at]);
    for (int i = 0; i < CHANNELS; i++) sums += weights[channel * CHANNELS + i] * gated[i * times + time];
    out[at] = sums.x;
    skip[at] = sums.y;
}
