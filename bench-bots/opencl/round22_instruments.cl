/* Instruments: pulses of stars that plasma delays, maps of the sky from what a telescope scans, a body heard by ultrasound. */

#define SAMPLES_EACH 4

/* Each item adds up the channels of a filterbank for some times and a trial's dispersion. Lower channels arrive later. */
__kernel void dedisperse(__global const uchar *samples, const int channels, const int stride, __constant float *delays,
                         __constant uchar *is_good, const int trials, const float first, const float step, const int length,
                         __global ushort *series)
{
    const int trial = get_global_id(1);
    const int begin = get_group_id(0) * get_local_size(0) * SAMPLES_EACH + get_local_id(0);
    if (trial >= trials) return;
    const float dispersion = first + step * trial;
    int sums[SAMPLES_EACH] = {0};
    for (int channel = 0; channel < channels; channel++) {
        if (!is_good[channel]) continue;
        const int shift = (int)(dispersion * delays[channel] + 0.5f);
        __global const uchar *from = samples + channel * stride + shift;
        for (int i = 0; i < SAMPLES_EACH; i++) {
            const int time = begin + i * get_local_size(0);
            if (time < length) sums[i] += from[time];
        }
    }
    for (int i = 0; i < SAMPLES_EACH; i++) {
        const int time = begin + i * get_local_size(0);
        if (time < length) series[trial * length + time] = convert_ushort_sat(sums[i]);
    }
}

#define PEAK_GROUP 128
#define WIDTHS 6

typedef struct {
    float ratio; /* to the noise */
    int time;
    int width;
} pulse_t;

/* A work-group looks for the strongest pulse of a trial: first the noise, then all windows of 1, 2, 4 and so on samples. */
__kernel __attribute__((reqd_work_group_size(PEAK_GROUP, 1, 1)))
void strongest_pulses(__global const ushort *series, const int length, __global pulse_t *pulses)
{
    __local ulong sums[PEAK_GROUP], squares[PEAK_GROUP];
    __local pulse_t best[PEAK_GROUP];

    const int lid = get_local_id(0);
    __global const ushort *own = series + get_group_id(0) * length;
    ulong sum = 0, square = 0;
    for (int i = lid; i < length; i += PEAK_GROUP) {
        const uint value = own[i];
        sum += value;
        square += value * value;
    }
    sums[lid] = sum;
    squares[lid] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = PEAK_GROUP / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size) {
            sums[lid] += sums[lid + half_size];
            squares[lid] += squares[lid + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float mean = (float)sums[0] / length;
    const ulong spread = squares[0] * length - sums[0] * sums[0];
    const float noise = sqrt((float)spread) / length;

    pulse_t found = {-1e9f, 0, 0};
    for (int i = lid; i < length; i += PEAK_GROUP) {
        int window = 0, done = 0;
        for (int k = 0; k < WIDTHS; k++) {
            const int width = 1 << k;
            if (i + width > length) break;
            for (; done < width; done++) window += own[i + done];
            const float ratio = (window - width * mean) * rsqrt((float)width) / noise;
            if (ratio > found.ratio) {
                found.ratio = ratio;
                found.time = i;
                found.width = width;
            }
        }
    }
    best[lid] = found;
    for (int half_size = PEAK_GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size && best[lid + half_size].ratio > best[lid].ratio) best[lid] = best[lid + half_size];
    }
    if (lid == 0) pulses[get_group_id(0)] = best[0];
}

float4 quaternion_product(const float4 a, const float4 b)
{
    return (float4)(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

float3 turned(const float4 q, const float3 v)
{
    const float3 twice = 2.0f * cross(q.xyz, v);
    return v + q.w * twice + cross(q.xyz, twice);
}

/* Puts a zero bit after each bit. */
uint spread_bits(uint word)
{
    word = (word | word << 8) & 0x00ff00ffu;
    word = (word | word << 4) & 0x0f0f0f0fu;
    word = (word | word << 2) & 0x33333333u;
    return (word | word << 1) & 0x55555555u;
}

/* The number of a direction's pixel among the 12 faces of HEALPix, nested. */
int healpix_of(const float3 to, const int side)
{
    const float height = fabs(to.z);
    float turn = atan2(to.y, to.x) * M_2_PI_F;
    if (turn < 0.0f) turn += 4.0f;
    int face, x, y;
    if (height <= 2.0f / 3.0f) {
        const float along = side * (0.5f + turn), across = side * to.z * 0.75f;
        const int up = (int)(along - across), down = (int)(along + across);
        const int face_up = up / side, face_down = down / side;
        face = face_up == face_down ? (face_up & 3) + 4 : face_up < face_down ? (face_up & 3) : (face_down & 3) + 8;
        x = down & (side - 1);
        y = side - 1 - (up & (side - 1));
    } else {
        const int quarter = min((int)turn, 3);
        const float part = turn - quarter, scale = side * sqrt(3.0f * (1.0f - height));
        const int up = min((int)(part * scale), side - 1), down = min((int)((1.0f - part) * scale), side - 1);
        face = to.z >= 0.0f ? quarter : quarter + 8;
        x = to.z >= 0.0f ? side - 1 - down : up;
        y = to.z >= 0.0f ? side - 1 - up : down;
    }
    return face * side * side + (int)(spread_bits(x) | spread_bits(y) << 1);
}

/* Each item finds which pixel a detector sees in a sample, and how it is turned there. */
__kernel void healpix_pixels(__global const float4 *pointings, __constant float4 *offsets, const int samples, const int side,
                             __global int *pixels, __global float2 *angles)
{
    const int sample = get_global_id(0), detector = get_global_id(1);
    if (sample >= samples) return;
    const float4 q = quaternion_product(pointings[sample], offsets[detector]);
    const float3 to = turned(q, (float3)(0.0f, 0.0f, 1.0f)), side_way = turned(q, (float3)(1.0f, 0.0f, 0.0f));
    const float east = side_way.x * to.y - side_way.y * to.x;
    const float south = side_way.z * (to.x * to.x + to.y * to.y) - to.z * (side_way.x * to.x + side_way.y * to.y);
    const float angle = 2.0f * atan2(east, south);
    const int at = detector * samples + sample;
    pixels[at] = healpix_of(to, side);
    angles[at] = (float2)(cos(angle), sin(angle));
}

__kernel void no_map(__global int4 *map)
{
    map[get_global_id(0)] = (int4)(0);
}

/* Adds the samples to the map, in fixed point. Some are flagged as bad. */
__kernel void healpix_map(__global const float *signal, __global const uchar *flags, __global const int *pixels,
                          __global const float2 *angles, const int count, const float scale, __global int *map)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        if (flags[i] & 3) continue;
        const float value = scale * signal[i];
        const float2 angle = angles[i];
        __global int *own = map + 4 * pixels[i];
        atomic_inc(own);
        atomic_add(own + 1, convert_int_rte(value));
        atomic_add(own + 2, convert_int_rte(value * angle.x));
        atomic_add(own + 3, convert_int_rte(value * angle.y));
    }
}

#define MOST_ELEMENTS 64

typedef struct {
    float speed;   /* of sound, in mm a microsecond */
    float rate;    /* samples a microsecond */
    float carrier; /* oscillations a microsecond */
    float opening; /* the half width of what hears a point, by its depth */
    float pitch;   /* of the elements */
    float nearest, farthest;
    int samples, elements, waves;
} probe_t;

/* Each item adds up what all elements heard from its point after plane waves of some angles. The echoes are complex halves. */
__kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void ultrasound_das(__global const half *echoes, const probe_t probe, __constant float2 *directions, const int width, const int height,
                    __global float2 *sums, volatile __global uint *loudest)
{
    __local float places[MOST_ELEMENTS];
    __local uint best;

    const int x = get_global_id(0), y = get_global_id(1), lid = get_local_id(1) * 16 + get_local_id(0);
    const float middle = 0.5f * (probe.elements - 1);
    if (lid == 0) best = 0;
    for (int i = lid; i < probe.elements; i += 64) places[i] = (i - middle) * probe.pitch;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < width && y < height) {
        const float depth = mix(probe.nearest, probe.farthest, (float)y / height);
        const float across = ((float)x / width - 0.5f) * probe.elements * probe.pitch;
        const float reach = depth * probe.opening;
        float2 sum = (float2)(0.0f);
        for (int wave = 0; wave < probe.waves; wave++) {
            const float there = depth * directions[wave].x + across * directions[wave].y;
            for (int i = 0; i < probe.elements; i++) {
                const float off = across - places[i];
                if (fabs(off) >= reach) continue;
                const float delay = (there + sqrt(off * off + depth * depth)) / probe.speed;
                const float at = delay * probe.rate;
                const int before = (int)at;
                if (before < 0 || before >= probe.samples - 1) continue;
                const size_t place = (size_t)(wave * probe.elements + i) * probe.samples + before;
                const float2 echo = mix(vload_half2(place, echoes), vload_half2(place + 1, echoes), at - before);
                const float weight = 0.5f + 0.5f * cos(M_PI_F * off / reach);
                float turn_cos;
                const float turn_sin = sincos(2.0f * M_PI_F * probe.carrier * delay, &turn_cos);
                sum += weight * (float2)(echo.x * turn_cos - echo.y * turn_sin, echo.x * turn_sin + echo.y * turn_cos);
            }
        }
        sums[y * width + x] = sum;
        atomic_max(&best, as_uint(length(sum)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) atomic_max(loudest, best);
}

__kernel void no_echoes(__global uint *loudest)
{
    *loudest = 0;
}

/* Sums as a picture of grey levels, by their decibels below the loudest one. */
__kernel void grey_echoes(__global const float2 *sums, __global const uint *loudest, const int count, const float range,
                          __global uchar *picture)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float level = 20.0f * log10(length(sums[id]) / as_float(*loudest));
    picture[id] = convert_uchar_sat_rte(255.0f * (1.0f + level / range));
}
