/* Fields. Sizes are a side of a lattice (a multiple of 6), times, frequencies. */
#include "workloads.h"
#include <complex.h>

enum { SPINS = 4, COLOURS = 3, OF_SITE = SPINS * COLOURS, OF_LINK = COLOURS * COLOURS };

static const cl_float kappa = 0.13f;

static cl_int4 extents_of(const struct clbench *b) {
    cl_int n = (cl_int)b->size;
    return (cl_int4){{n, n - 2, n, n + 2}};
}

static long volume_of(const struct clbench *b) {
    cl_int4 extents = extents_of(b);
    return (long)extents.s[0] * extents.s[1] * extents.s[2] * extents.s[3];
}

static void wilson_hops_prepare(struct clbench *b) {
    long volume = volume_of(b);
    fill_between(make(b, 0, (size_t)volume * OF_SITE * sizeof(cl_float2)), volume * OF_SITE * 2, 4157, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)volume * 4 * OF_LINK * sizeof(cl_float2)), volume * 4 * OF_LINK * 2, 4159, -0.7f, 0.7f);
    make(b, 2, (size_t)volume * OF_SITE * sizeof(cl_float2));
    up(b, 0), up(b, 1);
}

static void wilson_hops_once(struct clbench *b) {
    cl_int4 extents = extents_of(b);
    launch(b, "wilson_hops",
           RANGE3((size_t)extents.s[0], (size_t)extents.s[1], (size_t)extents.s[2] * (size_t)extents.s[3], 6, 2, 2), B(0), B(1),
           V(extents), V(kappa), B(2));
}

static double complex pair_at(const float *pairs, long at) { return CMPLX((double)pairs[2 * at], (double)pairs[2 * at + 1]); }

/* One site's sum, with the matrices of spins in full. */
static void hop_to(const struct clbench *b, const long site[4], double complex sums[OF_SITE]) {
    static const double complex gammas[4][SPINS][SPINS] = {
        {{0, 0, 0, I}, {0, 0, I, 0}, {0, -I, 0, 0}, {-I, 0, 0, 0}},
        {{0, 0, 0, -1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {-1, 0, 0, 0}},
        {{0, 0, I, 0}, {0, 0, 0, -I}, {-I, 0, 0, 0}, {0, I, 0, 0}},
        {{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}},
    };
    const float *spinors = b->buffer[0].host, *links = b->buffer[1].host;
    cl_int4 extents = extents_of(b);
    long volume = volume_of(b), at = ((site[3] * extents.s[2] + site[2]) * extents.s[1] + site[1]) * extents.s[0] + site[0];
    for (long direction = 0; direction < 4; direction++) {
        for (int way = -1; way <= 1; way += 2) {
            long other[4] = {site[0], site[1], site[2], site[3]};
            other[direction] = (site[direction] + way + extents.s[direction]) % extents.s[direction];
            long from = ((other[3] * extents.s[2] + other[2]) * extents.s[1] + other[1]) * extents.s[0] + other[0];
            for (long i = 0; i < OF_SITE * SPINS; i++) {
                long spin = i / SPINS / COLOURS, colour = i / SPINS % COLOURS, with = i % SPINS;
                double complex factor = (spin == with ? 1.0 : 0.0) - way * gammas[direction][spin][with];
                for (long k = 0; k < COLOURS; k++) {
                    long entry = direction * OF_LINK + (way > 0 ? colour * COLOURS + k : k * COLOURS + colour);
                    double complex link = pair_at(links, entry * volume + (way > 0 ? at : from));
                    sums[i / SPINS] += factor * (way > 0 ? link : conj(link)) * pair_at(spinors, (with * COLOURS + k) * volume + from);
                }
            }
        }
    }
}

/* Of many sites not all are looked at. */
static int wilson_hops_check(struct clbench *b) {
    const float *spinors = b->buffer[0].host, *got = b->buffer[2].host;
    cl_int4 extents = extents_of(b);
    long volume = volume_of(b);
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < volume; i += volume / 2003 + 1) {
        long site[4] = {i % extents.s[0], i / extents.s[0] % extents.s[1], i / extents.s[0] / extents.s[1] % extents.s[2],
                        i / extents.s[0] / extents.s[1] / extents.s[2]};
        double complex sums[OF_SITE] = {0};
        hop_to(b, site, sums);
        for (long k = 0; ok && k < OF_SITE; k++) {
            double complex want = pair_at(spinors, k * volume + i) - (double)kappa * sums[k];
            ok = near("real part", k * volume + i, (double)got[2 * (k * volume + i)], creal(want), 1e-4) &&
                 near("other part", k * volume + i, (double)got[2 * (k * volume + i) + 1], cimag(want), 1e-4);
        }
    }
    return ok;
}

enum { TIDES = 37, HARBOURS = 41, TIMES_GROUP = 64 };

static const cl_double first_hour = 262968.0, hours_apart = 0.1;

static const double speeds[TIDES] = {
    28.9841042, 30.0,       28.4397295, 15.0410686, 57.9682084, 13.9430356,  86.9523127, 44.0251729, 60.0,       57.4238337,
    28.5125831, 90.0,       27.9682084, 27.8953548, 16.1391017, 29.4556253,  15.0,       14.4966939, 15.5854433, 0.5443747,
    0.0821373,  0.0410686,  1.0158958,  1.0980331,  13.4715145, 13.3986609,  29.9589333, 30.0410667, 12.8542862, 14.9589314,
    31.0158958, 43.4761563, 29.5284789, 42.9271398, 30.0821373, 115.9364166, 58.9841042,
};

/* Harbours lack some of the lesser parts. */
static void tide_heights_prepare(struct clbench *b) {
    cl_float2 *parts = make(b, 0, TIDES * HARBOURS * sizeof *parts);
    float *levels = make(b, 1, HARBOURS * sizeof *levels);
    uint32_t state = 4177;
    for (int i = 0; i < TIDES * HARBOURS; i++) {
        int is_there = i / HARBOURS < 6 || random_word(&state) % 4 != 0;
        parts[i].s[0] = is_there ? (0.2f + random_unit(&state)) * 2.0f / (float)(1 + i / HARBOURS) : 0.0f;
        parts[i].s[1] = 360.0f * random_unit(&state);
    }
    fill_between(levels, HARBOURS, 4201, 0.5f, 3.0f);
    make(b, 2, (size_t)b->size * HARBOURS * sizeof(float)), make(b, 3, HARBOURS * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void tide_heights_once(struct clbench *b) {
    cl_int harbours = HARBOURS, count = (cl_int)b->size;
    launch(b, "no_warnings", RANGE1(HARBOURS, 0), B(3));
    launch(b, "tide_heights", RANGE2(HARBOURS, round_up(count, TIMES_GROUP), 1, TIMES_GROUP), B(0), B(1), V(harbours), V(count),
           V(first_hour), V(hours_apart), B(2), B(3));
}

static int tide_heights_check(struct clbench *b) {
    const cl_float2 *parts = b->buffer[0].host;
    const float *levels = b->buffer[1].host, *got = b->buffer[2].host;
    const cl_uint *warnings = b->buffer[3].host;
    long all = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long harbour = 0; ok && harbour < HARBOURS; harbour++) {
        long high = 0;
        for (long i = 0; ok && i < b->size; i++) {
            double hour = first_hour + (double)i * hours_apart, height = 0.0;
            for (int k = 0; k < TIDES; k++) {
                cl_float2 part = parts[k * HARBOURS + harbour];
                height += (double)part.s[0] * cos(fmod(speeds[k] * hour - (double)part.s[1], 360.0) * acos(-1.0) / 180.0);
            }
            ok = near("height", harbour * b->size + i, (double)got[harbour * b->size + i], height, 1e-6);
            high += height > (double)levels[harbour];
        }
        ok = ok && same("warnings", harbour, warnings[harbour], high), all += high;
    }
    return ok && same("some are too high", all, all > 0 && all < b->size * HARBOURS, 1);
}

enum { SAMPLES = 733, STARS_GROUP = 96 };

static const cl_double first_frequency = 0.05;
static const double planted = 0.8123, days = 400.0;

static cl_double frequency_step(const struct clbench *b) { return 1.5 / (double)b->size; }

static float spread_of(const struct clbench *b) {
    const cl_float2 *seen = b->buffer[1].host;
    double sum = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        sum += (double)seen[i].s[0] * (double)seen[i].s[0] / (double)seen[i].s[1];
    }
    return (float)sum;
}

/* Nights are not all clear, and some see better than others. The weights are 1 together, and the mean is 0. */
static void lomb_scargle_prepare(struct clbench *b) {
    double *moments = make(b, 0, SAMPLES * sizeof *moments), values[SAMPLES], weights[SAMPLES], sum = 0.0, mean = 0.0;
    cl_float2 *seen = make(b, 1, SAMPLES * sizeof *seen);
    uint32_t state = 4211;
    for (int i = 0; i < SAMPLES; i++) {
        moments[i] = floor(days * i / SAMPLES) + 0.35 * (double)random_unit(&state);
        weights[i] = 0.2 + (double)random_unit(&state), sum += weights[i];
        values[i] = 0.6 * sin(2.0 * acos(-1.0) * planted * moments[i] + 0.4) + (double)random_unit(&state);
        mean += weights[i] * values[i];
    }
    for (int i = 0; i < SAMPLES; i++) {
        seen[i].s[1] = (float)(weights[i] / sum), seen[i].s[0] = (float)(weights[i] / sum * (values[i] - mean / sum));
    }
    make(b, 2, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void lomb_scargle_once(struct clbench *b) {
    cl_int samples = SAMPLES, count = (cl_int)b->size;
    cl_double step = frequency_step(b);
    cl_float spread = spread_of(b);
    launch(b, "lomb_scargle", RANGE1(round_up(count, STARS_GROUP), STARS_GROUP), B(0), B(1), V(samples), V(first_frequency), V(step),
           V(count), V(spread), B(2));
}

/* How much less the squares are that a wave leaves, whose phase is chosen such that cosines and sines need not be looked at together. */
static double power_of(const struct clbench *b, double frequency) {
    const double *moments = b->buffer[0].host;
    const cl_float2 *seen = b->buffer[1].host;
    double turn = 2.0 * acos(-1.0) * frequency, cosines = 0.0, sines = 0.0, two[2] = {0.0, 0.0}, top[2] = {0.0, 0.0}, squares[2] = {0.0, 0.0};
    for (int i = 0; i < SAMPLES; i++) {
        cosines += (double)seen[i].s[1] * cos(turn * moments[i]), sines += (double)seen[i].s[1] * sin(turn * moments[i]);
    }
    for (int i = 0; i < SAMPLES; i++) {
        double c = cos(turn * moments[i]) - cosines, s = sin(turn * moments[i]) - sines, weight = (double)seen[i].s[1];
        two[0] += weight * 2.0 * c * s, two[1] += weight * (c * c - s * s);
    }
    double phase = 0.5 * atan2(two[0], two[1]);
    for (int i = 0; i < SAMPLES; i++) {
        double c = cos(turn * moments[i]) - cosines, s = sin(turn * moments[i]) - sines;
        double waves[2] = {c * cos(phase) + s * sin(phase), s * cos(phase) - c * sin(phase)};
        for (int k = 0; k < 2; k++) {
            top[k] += (double)seen[i].s[0] * waves[k], squares[k] += (double)seen[i].s[1] * waves[k] * waves[k];
        }
    }
    return (top[0] * top[0] / squares[0] + top[1] * top[1] / squares[1]) / (double)spread_of(b);
}

/* Of many frequencies not all are looked at. */
static int lomb_scargle_check(struct clbench *b) {
    const float *got = b->buffer[2].host;
    long best = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        if (i % (b->size / 501 + 1) == 0) {
            ok = near("power", i, (double)got[i], power_of(b, first_frequency + (double)i * frequency_step(b)), 1e-3);
        }
        best = got[i] > got[best] ? i : best;
    }
    return ok && near("best frequency", best, first_frequency + (double)best * frequency_step(b), planted, 0.5 / days + frequency_step(b));
}

const struct workload round25_fields_workloads[] = {
    WORKLOAD(round25_fields, wilson_hops, 6, 12, 18, 24),
    WORKLOAD(round25_fields, tide_heights, 67, 2003, 6007, 20011),
    WORKLOAD(round25_fields, lomb_scargle, 1201, 5003, 20011, 60013),
    END_OF_WORKLOADS,
};
