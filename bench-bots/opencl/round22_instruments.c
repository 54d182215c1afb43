/* Instruments. Sizes are samples of a channel, samples of a detector, a side of a picture. */
#include "workloads.h"

enum { CHANNELS = 96, TRIALS = 61, MOST_SHIFT = 520, WIDTHS = 6, SAMPLES_EACH = 4 };

static const cl_float first_trial = 0.5f, trial_step = 0.5f;

struct pulse {
    cl_float ratio;
    cl_int time, width;
};

static long stride_of(const struct clbench *b) { return b->size + MOST_SHIFT; }

/* Noise with a pulse of the twenty-first trial. Delays are whole 64ths of a sample, so products with them are exact. */
static void dedisperse_prepare(struct clbench *b) {
    unsigned char *samples = make(b, 0, (size_t)(CHANNELS * stride_of(b))), *is_good = make(b, 2, CHANNELS);
    float *delays = make(b, 1, CHANNELS * sizeof *delays);
    uint32_t state = 2801;
    for (long channel = 0; channel < CHANNELS; channel++) {
        double frequency = 1500.0 - 300.0 * (double)channel / CHANNELS;
        delays[channel] = (float)(rint(64.0 * 64843.75 * (1e3 / (frequency * frequency) - 1e3 / 2.25e6)) / 64.0);
        is_good[channel] = random_word(&state) % 11 != 0;
        long pulse = b->size / 3 + (long)(10.5 * (double)delays[channel]);
        for (long i = 0; i < stride_of(b); i++) {
            uint32_t word = random_word(&state);
            uint32_t noise = (word & 63) + (word >> 8 & 63) + (is_good[channel] ? 0 : word >> 16 & 127);
            samples[channel * stride_of(b) + i] = (unsigned char)(noise + (i >= pulse && i < pulse + 7 ? 16u : 0u));
        }
    }
    make(b, 3, (size_t)(TRIALS * b->size) * sizeof(cl_ushort)), make(b, 4, TRIALS * sizeof(struct pulse));
    up(b, 0), up(b, 1), up(b, 2);
}

static void dedisperse_once(struct clbench *b) {
    cl_int channels = CHANNELS, stride = (cl_int)stride_of(b), trials = TRIALS, length = (cl_int)b->size;
    struct range range = RANGE2(round_up((b->size + SAMPLES_EACH - 1) / SAMPLES_EACH, 64), round_up(TRIALS, 4), 64, 4);
    launch(b, "dedisperse", range, B(0), V(channels), V(stride), B(1), B(2), V(trials), V(first_trial), V(trial_step), V(length), B(3));
    launch(b, "strongest_pulses", RANGE1(TRIALS * 128, 128), B(3), V(length), B(4));
}

/* How a window stands out of a series. */
static double ratio_of(const int *series, long time, long width, double mean, double noise) {
    double sum = 0.0;
    for (long i = time; i < time + width; i++) {
        sum += series[i] - mean;
    }
    return sum / sqrt((double)width) / noise;
}

static int pulse_check(const struct clbench *b, long trial, const int *series) {
    const struct pulse *got = (const struct pulse *)b->buffer[4].host + trial;
    double mean = 0.0, noise = 0.0, best = -1e9;
    for (long i = 0; i < b->size; i++) {
        mean += (double)series[i] / (double)b->size;
    }
    for (long i = 0; i < b->size; i++) {
        noise += pow(series[i] - mean, 2.0) / (double)b->size;
    }
    noise = sqrt(noise);
    for (long i = 0; i < b->size * WIDTHS; i++) {
        long time = i / WIDTHS, width = 1 << i % WIDTHS;
        best = time + width <= b->size ? fmax(best, ratio_of(series, time, width, mean, noise)) : best;
    }
    int is_inside = got->time >= 0 && got->width > 0 && got->width < 1 << WIDTHS && got->time + got->width <= b->size;
    return same("a window inside", trial, is_inside, 1) && near("best ratio", trial, (double)got->ratio, best, 1e-4) &&
           near("its ratio", trial, (double)got->ratio, ratio_of(series, got->time, got->width, mean, noise), 1e-4);
}

static int dedisperse_check(struct clbench *b) {
    const unsigned char *samples = b->buffer[0].host, *is_good = b->buffer[2].host;
    const float *delays = b->buffer[1].host;
    const cl_ushort *got = b->buffer[3].host;
    const struct pulse *pulses = b->buffer[4].host;
    int *series = calloc((size_t)b->size, sizeof *series), ok = 1;
    down(b, 3), down(b, 4);
    for (long trial = 0; ok && trial < TRIALS; trial++) {
        memset(series, 0, (size_t)b->size * sizeof *series);
        for (long channel = 0; channel < CHANNELS; channel++) {
            double dispersion = (double)first_trial + (double)trial_step * (double)trial;
            long shift = (long)floor(dispersion * (double)delays[channel] + 0.5);
            for (long i = 0; is_good[channel] && i < b->size; i++) {
                series[i] += samples[channel * stride_of(b) + shift + i];
            }
        }
        for (long i = 0; ok && i < b->size; i++) {
            ok = same("sum", trial * b->size + i, got[trial * b->size + i], series[i]);
        }
        ok = ok && pulse_check(b, trial, series);
    }
    free(series);
    return ok && same("the pulse is found", 20, pulses[20].ratio > 6.0f && labs(pulses[20].time - b->size / 3) < 8, 1);
}

enum { DETECTORS = 7, SIDE = 128, PIXELS = 12 * SIDE * SIDE };

static const cl_float fixed_point = 1024.0f;

static void random_turn(cl_float4 *turn, float most, uint32_t *state) {
    double size = 0.0, parts[4];
    for (int k = 0; k < 4; k++) {
        parts[k] = (double)(random_unit(state) - 0.5f) * (k < 3 ? (double)most : 1.0);
        size += parts[k] * parts[k];
    }
    for (int k = 0; k < 4; k++) {
        turn->s[k] = (float)(parts[k] / sqrt(size));
    }
}

/* Detectors stand around the direction of the telescope, which is another one in each sample. */
static void healpix_map_prepare(struct clbench *b) {
    size_t count = (size_t)(b->size * DETECTORS);
    cl_float4 *pointings = make(b, 0, (size_t)b->size * sizeof *pointings), *offsets = make(b, 1, DETECTORS * sizeof *offsets);
    unsigned char *flags = make(b, 3, count);
    uint32_t state = 2803;
    for (long i = 0; i < b->size; i++) {
        random_turn(pointings + i, 1.0f, &state);
    }
    for (long i = 0; i < DETECTORS; i++) {
        do {
            random_turn(offsets + i, 0.05f, &state);
        } while (fabsf(offsets[i].s[3]) < 0.5f);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t word = random_word(&state);
        flags[i] = (unsigned char)(word % 9 == 0 ? word >> 8 : word >> 8 & 4);
    }
    fill_between(make(b, 2, count * sizeof(float)), (long)count, 2819, -2.0f, 2.0f);
    make(b, 4, count * sizeof(cl_int)), make(b, 5, count * sizeof(cl_float2)), make(b, 6, PIXELS * sizeof(cl_int4));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void healpix_map_once(struct clbench *b) {
    cl_int samples = (cl_int)b->size, side = SIDE, count = samples * DETECTORS;
    launch(b, "healpix_pixels", RANGE2(round_up(samples, 64), DETECTORS, 64, 1), B(0), B(1), V(samples), V(side), B(4), B(5));
    launch(b, "no_map", RANGE1(PIXELS, 0), B(6));
    launch(b, "healpix_map", RANGE1(4096, 128), B(2), B(3), B(4), B(5), V(count), V(fixed_point), B(6));
}

/* The pixel of a direction: its face, and where in it, bit by bit. */
static long pixel_of(const double to[3]) {
    double height = fmin(fabs(to[2]), 1.0), turn = atan2(to[1], to[0]) * 2.0 / acos(-1.0);
    long face, x, y, pixel;
    turn += turn < 0.0 ? 4.0 : 0.0;
    if (height <= 2.0 / 3.0) {
        long up = (long)(SIDE * (0.5 + turn - 0.75 * to[2])), below = (long)(SIDE * (0.5 + turn + 0.75 * to[2]));
        face = up / SIDE == below / SIDE ? 4 + up / SIDE % 4 : up < below ? up / SIDE % 4 : 8 + below / SIDE % 4;
        x = below % SIDE, y = SIDE - 1 - up % SIDE;
    } else {
        double part = turn - floor(turn), scale = SIDE * sqrt(3.0 - 3.0 * height);
        long up = clamped((long)(part * scale), SIDE), below = clamped((long)((1.0 - part) * scale), SIDE);
        face = (long)turn % 4 + (to[2] < 0.0 ? 8 : 0);
        x = to[2] < 0.0 ? up : SIDE - 1 - below, y = to[2] < 0.0 ? below : SIDE - 1 - up;
    }
    pixel = face * SIDE * SIDE;
    for (int i = 0; i < 8; i++) {
        pixel += (x >> i & 1) << 2 * i | (y >> i & 1) << (2 * i + 1);
    }
    return pixel;
}

/* Whether a pixel is that of a direction or of one that is hardly another. */
static int is_pixel(long pixel, const double to[3]) {
    for (int i = 0; i < 27; i++) {
        double other[3] = {to[0] + 2e-6 * (i % 3 - 1), to[1] + 2e-6 * (i / 3 % 3 - 1), to[2] + 2e-6 * (i / 9 - 1)};
        if (pixel_of(other) == pixel) {
            return 1;
        }
    }
    return 0;
}

/* A direction that two turns give to an axis, by the matrix of their product. */
static void turn_axis(const float *p, const float *q, int axis, double to[3]) {
    double a[4];
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        a[k] = (double)p[3] * (double)q[k] + (double)q[3] * (double)p[k];
        a[k] += (double)p[next] * (double)q[last] - (double)p[last] * (double)q[next];
    }
    a[3] = (double)p[3] * (double)q[3] - (double)p[0] * (double)q[0] - (double)p[1] * (double)q[1] - (double)p[2] * (double)q[2];
    for (int k = 0; k < 3; k++) {
        double sign = (k + 1) % 3 == axis ? -1.0 : 1.0;
        to[k] = k == axis ? 1.0 - 2.0 * (a[(k + 1) % 3] * a[(k + 1) % 3] + a[(k + 2) % 3] * a[(k + 2) % 3])
                          : 2.0 * (a[k] * a[axis] + sign * a[3 - k - axis] * a[3]);
    }
}

static int sample_check(const struct clbench *b, long at) {
    const cl_float4 *pointings = b->buffer[0].host, *offsets = b->buffer[1].host;
    const cl_int *pixels = b->buffer[4].host;
    const cl_float2 *angles = b->buffer[5].host;
    double to[3], side[3];
    turn_axis(pointings[at % b->size].s, offsets[at / b->size].s, 2, to);
    turn_axis(pointings[at % b->size].s, offsets[at / b->size].s, 0, side);
    double away = to[0] * to[0] + to[1] * to[1], root = sqrt(away), east = (side[0] * to[1] - side[1] * to[0]) / root;
    double south = (side[2] * away - to[2] * (side[0] * to[0] + side[1] * to[1])) / root;
    return same("the right pixel", at, is_pixel(pixels[at], to), 1) &&
           near("cosine", at, (double)angles[at].s[0], south * south - east * east, 3e-6 / root) &&
           near("sine", at, (double)angles[at].s[1], 2.0 * south * east, 3e-6 / root);
}

static int healpix_map_check(struct clbench *b) {
    const float *signal = b->buffer[2].host;
    const unsigned char *flags = b->buffer[3].host;
    const cl_int *pixels = b->buffer[4].host;
    const cl_float2 *angles = b->buffer[5].host;
    const cl_int4 *got = b->buffer[6].host;
    double *map = calloc(PIXELS * 4, sizeof *map);
    int ok = 1;
    down(b, 4), down(b, 5), down(b, 6);
    for (long i = 0; ok && i < b->size * DETECTORS; i++) {
        ok = sample_check(b, i);
        if (ok && (flags[i] & 3) == 0) {
            double *own = map + pixels[i] * 4, value = (double)signal[i] * (double)fixed_point;
            own[0] += 1.0, own[1] += value;
            own[2] += value * (double)angles[i].s[0], own[3] += value * (double)angles[i].s[1];
        }
    }
    for (long i = 0; ok && i < PIXELS * 4; i++) {
        double hits = map[i / 4 * 4];
        ok = same("close to the map", i, fabs(got[i / 4].s[i % 4] - map[i]) <= (i % 4 == 0 ? 0.0 : 0.6 * hits), 1);
    }
    free(map);
    return ok;
}

enum { ELEMENTS = 64, WAVES = 3, ECHOES = 768 };

struct probe {
    cl_float speed, rate, carrier, opening, pitch, nearest, farthest;
    cl_int samples, elements, waves;
};

static const struct probe probe = {1.54f, 10.0f, 5.0f, 0.3f, 0.3f, 5.0f, 45.0f, ECHOES, ELEMENTS, WAVES};
static const cl_float decibels = 60.0f;

static void ultrasound_das_prepare(struct clbench *b) {
    size_t pixels = (size_t)(b->size * b->size);
    cl_ushort *echoes = make(b, 0, WAVES * ELEMENTS * ECHOES * 2 * sizeof *echoes);
    cl_float2 *directions = make(b, 1, WAVES * sizeof *directions);
    uint32_t state = 2833;
    for (long i = 0; i < WAVES * ELEMENTS * ECHOES * 2; i++) {
        uint32_t word = random_word(&state);
        echoes[i] = (cl_ushort)((word & 0x83ff) | (11 + (word >> 16 & 3)) << 10);
    }
    for (int i = 0; i < WAVES; i++) {
        directions[i].s[0] = (float)cos(0.15 * (i - 1)), directions[i].s[1] = (float)sin(0.15 * (i - 1));
    }
    make(b, 2, pixels * sizeof(cl_float2)), make(b, 3, sizeof(cl_uint)), make(b, 4, pixels);
    up(b, 0), up(b, 1);
}

static void ultrasound_das_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, count = side * side;
    struct range range = RANGE2(round_up(side, 16), round_up(side, 4), 16, 4);
    launch(b, "no_echoes", RANGE1(1, 0), B(3));
    launch(b, "ultrasound_das", range, B(0), V(probe), B(1), V(side), V(side), B(2), B(3));
    launch(b, "grey_echoes", RANGE1(round_up(count, 64), 64), B(2), B(3), V(count), V(decibels), B(4));
}

/* What is heard from a point: its real and imaginary part. */
static void hear(const struct clbench *b, double across, double depth, double sum[2]) {
    const cl_ushort *echoes = b->buffer[0].host;
    const cl_float2 *directions = b->buffer[1].host;
    double pi = acos(-1.0), reach = depth * (double)probe.opening;
    sum[0] = sum[1] = 0.0;
    for (int i = 0; i < WAVES * ELEMENTS; i++) {
        const float *way = directions[i / ELEMENTS].s;
        double off = across - (i % ELEMENTS - 0.5 * (ELEMENTS - 1)) * (double)probe.pitch;
        double delay = (depth * (double)way[0] + across * (double)way[1] + hypot(off, depth)) / (double)probe.speed;
        double at = delay * (double)probe.rate, turn = 2.0 * pi * (double)probe.carrier * delay;
        double weight = 0.5 + 0.5 * cos(pi * off / reach), echo[2];
        if (fabs(off) >= reach || at >= ECHOES - 1) {
            continue;
        }
        for (int k = 0; k < 2; k++) {
            const cl_ushort *from = echoes + (i * ECHOES + (long)at) * 2 + k;
            echo[k] = half_value(from[0]) + (at - floor(at)) * (half_value(from[2]) - half_value(from[0]));
        }
        sum[0] += weight * (echo[0] * cos(turn) - echo[1] * sin(turn)), sum[1] += weight * (echo[0] * sin(turn) + echo[1] * cos(turn));
    }
}

/* Of large pictures not all points are looked at. The loudest one is the loudest of all sums. */
static int ultrasound_das_check(struct clbench *b) {
    const cl_float2 *got = b->buffer[2].host;
    const cl_uint *loudest = b->buffer[3].host;
    const unsigned char *picture = b->buffer[4].host;
    long count = b->size * b->size, step = count / 20011 + 1;
    float reported;
    double loud = 0.0, wide = (double)ELEMENTS * (double)probe.pitch, deep = (double)probe.farthest - (double)probe.nearest;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    memcpy(&reported, loudest, sizeof reported);
    for (long i = 0; i < count; i++) {
        loud = fmax(loud, hypot((double)got[i].s[0], (double)got[i].s[1]));
    }
    for (long i = 0; ok && i < count; i += step) {
        double across = ((double)(i % b->size) / (double)b->size - 0.5) * wide, sum[2];
        double size = hypot((double)got[i].s[0], (double)got[i].s[1]);
        hear(b, across, (double)probe.nearest + deep * (double)(i / b->size) / (double)b->size, sum);
        double grey = fmin(fmax(255.0 * (1.0 + 20.0 * log10(size / loud) / (double)decibels), 0.0), 255.0);
        ok = near("real", i, (double)got[i].s[0], sum[0], 5e-3) && near("imaginary", i, (double)got[i].s[1], sum[1], 5e-3) &&
             same("grey", i, fabs(picture[i] - grey) < 0.51, 1);
    }
    return ok && near("loudest", 0, (double)reported, loud, 1e-5);
}

const struct workload round22_instruments_workloads[] = {
    WORKLOAD(round22_instruments, dedisperse, 301, 6007, 50021, 300007),
    WORKLOAD(round22_instruments, healpix_map, 101, 20011, 150001, 1000003),
    WORKLOAD(round22_instruments, ultrasound_das, 21, 121, 403, 1203),
    END_OF_WORKLOADS,
};
