/* Models: what a recognizer of speech gets to hear, columns of points that a car's laser saw, prices of swaptions by rates that
 * wander. */

#define FRAME 512
#define BINS (FRAME / 2 + 1)
#define HALF_GROUP 128

float2 complex_product(const float2 a, const float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

typedef struct {
    ushort first, count;
    int start; /* in the list of weights */
} band_t;

/* A work-group transforms a frame of sound and adds up its power in bands of pitch. Beyond its ends the sound is mirrored. */
__kernel __attribute__((reqd_work_group_size(HALF_GROUP, 1, 1)))
void log_mel(__global const short *sound, const int length, const int hop, __constant float *window, __global const float2 *twiddles,
             __global const band_t *bands, __global const float *weights, const int band_count, __global float *logarithms,
             volatile __global int *loudest)
{
    __local float2 values[FRAME];
    __local float power[BINS];
    __local int best;

    const int lid = get_local_id(0), frame = get_group_id(0);
    for (int i = lid; i < FRAME; i += HALF_GROUP) {
        int at = frame * hop + i - FRAME / 2;
        if (at < 0) at = -at;
        if (at >= length) at = 2 * length - 2 - at;
        uint place = 0;
        for (int bit = 0; bit < 9; bit++) place |= (i >> bit & 1) << (8 - bit);
        values[place] = (float2)(window[i] * sound[at] / 32768.0f, 0.0f);
    }
    if (lid == 0) best = INT_MIN;
    for (int half_size = 1; half_size < FRAME; half_size <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < FRAME / 2; i += HALF_GROUP) {
            const int within = i & (half_size - 1), low = 2 * i - within, high = low + half_size;
            const float2 a = values[low], b = complex_product(values[high], twiddles[within * (FRAME / 2 / half_size)]);
            values[low] = a + b;
            values[high] = a - b;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < BINS; i += HALF_GROUP) power[i] = dot(values[i], values[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < band_count) {
        const band_t band = bands[lid];
        float sum = 0.0f;
        for (int i = 0; i < band.count; i++) sum = mad(weights[band.start + i], power[band.first + i], sum);
        const float logarithm = log10(fmax(sum, 1e-10f));
        logarithms[frame * band_count + lid] = logarithm;
        const int bits = as_int(logarithm);
        atomic_max(&best, bits < 0 ? bits ^ 0x7fffffff : bits);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) atomic_max(loudest, best);
}

__kernel void no_sound(__global int *loudest)
{
    *loudest = INT_MIN;
}

/* Cuts off what is much lower than the loudest, and stores halves, a row for each band. */
__kernel void mel_features(__global const float *logarithms, const int frames, const int band_count, __global const int *loudest,
                           __global half *features)
{
    const int frame = get_global_id(0), band = get_global_id(1);
    if (frame >= frames) return;
    const int bits = *loudest;
    const float top = as_float(bits < 0 ? bits ^ 0x7fffffff : bits);
    const float value = fmax(logarithms[frame * band_count + band], top - 8.0f);
    vstore_half((value + 4.0f) / 4.0f, band * frames + frame, features);
}

#define MOST_POINTS 20
#define FEATURES 9
#define CHANNELS 64

typedef struct {
    float2 first, cell; /* the corner of the area and a cell's sides */
    float bottom, top;
    int columns, rows;
} area_t;

__kernel void no_pillars(__global int *counts, const int cells, __global int *pillars)
{
    const int id = get_global_id(0);
    if (id < cells) counts[id] = 0;
    if (id == 0) *pillars = 0;
}

/* Each item puts a point into its cell, as long as there is room. */
__kernel void sort_points(__global const float4 *points, const int count, const area_t area, __global int *counts, __global int *slots)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float4 point = points[id];
    if (point.z < area.bottom || point.z > area.top) return;
    const int2 at = convert_int2_rtn((point.xy - area.first) / area.cell);
    if (any(at < (int2)(0)) || at.x >= area.columns || at.y >= area.rows) return;
    const int cell = at.y * area.columns + at.x, slot = atomic_inc(&counts[cell]);
    if (slot < MOST_POINTS) slots[cell * MOST_POINTS + slot] = id;
}

/* Lists the cells that have points. A work-group takes its places in the list at once. */
__kernel void list_pillars(__global const int *counts, const int cells, __global int *list, __global int *pillars)
{
    __local int own_count, first;

    const int id = get_global_id(0), lid = get_local_id(0);
    if (lid == 0) own_count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int place = -1;
    if (id < cells && counts[id] > 0) place = atomic_inc(&own_count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) first = atomic_add(pillars, own_count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (place >= 0) list[first + place] = id;
}

/* A work-group makes the features of a pillar, an item a channel: a layer for each point, then the greatest value of all points. */
__kernel __attribute__((reqd_work_group_size(CHANNELS, 1, 1)))
void pillar_features(__global const float4 *points, __global const int *counts, __global const int *slots, __global const int *list,
                     __global const int *pillars, const area_t area, __global const float *weights, __global const float *biases,
                     __global float *canvas)
{
    __local float4 near_points[MOST_POINTS];

    const int lid = get_local_id(0);
    for (int pillar = get_group_id(0); pillar < *pillars; pillar += get_num_groups(0)) {
        const int cell = list[pillar], count = min(counts[cell], MOST_POINTS);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < count) near_points[lid] = points[slots[cell * MOST_POINTS + lid]];
        barrier(CLK_LOCAL_MEM_FENCE);
        float4 mean = (float4)(0.0f);
        for (int i = 0; i < count; i++) mean += near_points[i];
        mean /= (float)count;
        const float2 middle = area.first + area.cell * (float2)(cell % area.columns + 0.5f, cell / area.columns + 0.5f);
        float best = 0.0f; /* as what is less is cut off */
        for (int i = 0; i < count; i++) {
            const float4 point = near_points[i];
            const float3 off = point.xyz - mean.xyz;
            const float2 side = point.xy - middle;
            const float features[FEATURES] = {point.x, point.y, point.z, point.w, off.x, off.y, off.z, side.x, side.y};
            float sum = biases[lid];
            for (int k = 0; k < FEATURES; k++) sum += features[k] * weights[k * CHANNELS + lid];
            best = fmax(best, sum);
        }
        canvas[lid * area.columns * area.rows + cell] = best;
    }
}

#define RATES 40
#define STEPS 24
#define SWAPTIONS 12
#define PATH_GROUP 64

typedef struct {
    uint counter[4], key[2];
} philox_t;

/* Four random words of a counter and a key. */
uint4 philox_words(philox_t chance)
{
    for (int round = 0; round < 10; round++) {
        const uint high_a = mul_hi(0xd2511f53u, chance.counter[0]), low_a = 0xd2511f53u * chance.counter[0];
        const uint high_b = mul_hi(0xcd9e8d57u, chance.counter[2]), low_b = 0xcd9e8d57u * chance.counter[2];
        chance.counter[0] = high_b ^ chance.counter[1] ^ chance.key[0];
        chance.counter[1] = low_b;
        chance.counter[2] = high_a ^ chance.counter[3] ^ chance.key[1];
        chance.counter[3] = low_a;
        chance.key[0] += 0x9e3779b9u;
        chance.key[1] += 0xbb67ae85u;
    }
    return (uint4)(chance.counter[0], chance.counter[1], chance.counter[2], chance.counter[3]);
}

/* Four normal numbers. */
float4 normal_numbers(const uint4 words)
{
    const float4 units = (convert_float4(words >> 8) + 0.5f) * 0x1p-24f;
    const float2 size = sqrt(-2.0f * log(units.xy)), angle = 2.0f * M_PI_F * units.zw;
    return (float4)(size * cos(angle), size * sin(angle));
}

__constant int maturities[SWAPTIONS] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16};
__constant float strikes[SWAPTIONS] = {0.045f, 0.05f, 0.055f, 0.045f, 0.05f, 0.055f, 0.045f, 0.05f, 0.055f, 0.045f, 0.05f, 0.055f};

/* Each item follows the forward rates of a path, step by step, and then finds what some swaptions pay. A work-group adds up. */
__kernel __attribute__((reqd_work_group_size(PATH_GROUP, 1, 1)))
void libor_paths(__global const float *first_rates, __global const float *volatilities, const float period, const int paths,
                 const uint seed, __global float *values, __global float *sums)
{
    __local float parts[PATH_GROUP];

    const int id = get_global_id(0), lid = get_local_id(0);
    float value = 0.0f;
    if (id < paths) {
        float rates[RATES];
        for (int i = 0; i < RATES; i++) rates[i] = first_rates[i];
        float4 chances;
        for (int step = 0; step < STEPS; step++) {
            if (step % 4 == 0) {
                const philox_t chance = {{id, step / 4, 0, 0}, {seed, 0}};
                chances = normal_numbers(philox_words(chance));
            }
            const float chance = sqrt(period) * chances.x;
            chances = chances.yzwx;
            float drift = 0.0f;
            for (int i = step + 1; i < RATES; i++) {
                const float volatility = volatilities[i - step - 1], scaled = period * volatility;
                drift += scaled * rates[i] / (1.0f + period * rates[i]);
                rates[i] *= exp(volatility * (drift + chance - 0.5f * scaled));
            }
        }
        /* Bonds and annuities from the end of the steps on */
        float bond = 1.0f, annuity = 0.0f, bonds[RATES - STEPS], annuities[RATES - STEPS];
        for (int i = STEPS; i < RATES; i++) {
            bond /= 1.0f + period * rates[i];
            annuity += period * bond;
            bonds[i - STEPS] = bond;
            annuities[i - STEPS] = annuity;
        }
        for (int i = 0; i < SWAPTIONS; i++) {
            const int last = maturities[i] - 1;
            const float gain = 1.0f - bonds[last] - strikes[i] * annuities[last];
            if (gain > 0.0f) value += 100.0f * gain;
        }
        /* and what that is worth today. */
        for (int i = 0; i < STEPS; i++) value /= 1.0f + period * rates[i];
        values[id] = value;
    }
    parts[lid] = value;
    for (int half_size = PATH_GROUP / 2; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) parts[lid] += parts[lid + half_size];
    }
    if (lid == 0) sums[get_group_id(0)] = parts[0];
}
