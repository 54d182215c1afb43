/* Models: the end of a layer while a network learns, features of regions, series that a filter follows. */

#define PHILOX_ROUNDS 10

/* Philox: four random words of a place in a stream. */
inline uint4 philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        const uint high_a = mul_hi(counter.x, 0xD2511F53u), low_a = counter.x * 0xD2511F53u;
        const uint high_b = mul_hi(counter.z, 0xCD9E8D57u), low_b = counter.z * 0xCD9E8D57u;
        counter = (uint4)(high_b ^ counter.y ^ key.x, low_b, high_a ^ counter.w ^ key.y, low_a);
        key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    return counter;
}

inline float4 gelu(const float4 x) { return 0.5f * x * (1.0f + erf(x * 0.70710678f)); }

/* What a layer gives, with its bias, the activation, dropout and what came in added: four columns at a time. */
__kernel void dropout_gelu(__global const float4 *in, __global const float4 *bias, __global const float4 *residual,
                           const uint count, const uint columns, const uint2 seed, const uint threshold, const float scale,
                           __global float4 *out, __global uchar4 *kept)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float4 value = gelu(in[i] + bias[i % columns]);
        const uint4 random = philox((uint4)(i, 0, 0, 0), seed);
        const int4 keep = random >= threshold;
        out[i] = residual[i] + select((float4)(0.0f), value * scale, keep);
        kept[i] = convert_uchar4(keep & 1);
    }
}

typedef struct {
    float left, top, right, bottom; /* in pixels of the picture */
    int picture;
} region;

/* A feature between pixels; far outside there is nothing. */
float feature_at(__global const float *plane, const int width, const int height, float x, float y)
{
    if (y < -1.0f || y > height || x < -1.0f || x > width) return 0.0f;

    x = fmax(x, 0.0f);
    y = fmax(y, 0.0f);
    int left = (int)x, top = (int)y, right = left + 1, bottom = top + 1;
    if (left >= width - 1) {
        left = right = width - 1;
        x = (float)left;
    }
    if (top >= height - 1) {
        top = bottom = height - 1;
        y = (float)top;
    }
    const float part_x = x - left, part_y = y - top;
    const float above = (1.0f - part_x) * plane[top * width + left] + part_x * plane[top * width + right];
    const float below = (1.0f - part_x) * plane[bottom * width + left] + part_x * plane[bottom * width + right];
    return (1.0f - part_y) * above + part_y * below;
}

/* The mean features of POOL x POOL parts of each region, an item a part and channel; large regions have more samples a part. */
#define POOL 7

__kernel void roi_align(__global const float *features, const int channels, const int width, const int height, const float scale,
                        __global const region *regions, const int count, __global float *out)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        const int px = i % POOL, py = i / POOL % POOL;
        const int channel = i / (POOL * POOL) % channels;
        const region r = regions[i / (POOL * POOL * channels)];

        const float left = r.left * scale - 0.5f, top = r.top * scale - 0.5f;
        const float wide = (r.right - r.left) * scale, high = (r.bottom - r.top) * scale;
        const float part_wide = wide / POOL, part_high = high / POOL;
        const int across = (int)ceil(part_wide), down = (int)ceil(part_high);
        __global const float *plane = features + (size_t)(r.picture * channels + channel) * width * height;

        float sum = 0.0f;
        for (int j = 0; j < down; j++) {
            const float y = top + py * part_high + (j + 0.5f) * part_high / down;
            for (int k = 0; k < across; k++) {
                const float x = left + px * part_wide + (k + 0.5f) * part_wide / across;
                sum += feature_at(plane, width, height, x, y);
            }
        }
        out[i] = sum / max(across * down, 1);
    }
}

/* Kalman's filter of a level and its trend, an item a series. Values stand moment by moment; those that are not known are NaN, and
 * series end early. `noises` has the variances of the level's, the trend's and the measurement's noise. */
__kernel void kalman_series(__global const float *values, __global const int *lengths, const int series,
                            __global const float4 *noises, __global float *levels, __global float *likelihoods)
{
    const int i = get_global_id(0);
    if (i >= series) return;

    const float4 noise = noises[i];
    const int end = lengths[i];
    float level = 0.0f, trend = 0.0f;
    float ll = 10.0f, lt = 0.0f, tt = 1.0f; /* their covariances */
    float likelihood = 0.0f;
    for (int moment = 0; moment < end; moment++) {
        level += trend;
        ll += 2.0f * lt + tt + noise.x;
        lt += tt;
        tt += noise.y;

        const float value = values[moment * series + i];
        if (!isnan(value)) {
            const float variance = ll + noise.z;
            const float surprise = value - level;
            const float gain_level = ll / variance, gain_trend = lt / variance;
            level += gain_level * surprise;
            trend += gain_trend * surprise;
            tt -= gain_trend * lt;
            lt -= gain_level * lt;
            ll -= gain_level * ll;
            likelihood -= 0.5f * (log(6.2831853f * variance) + surprise * surprise / variance);
        }
        levels[moment * series + i] = level;
    }
    likelihoods[i] = likelihood;
}
