/* Models. Sizes are frames of sound, points, paths. */
#include "workloads.h"

enum { FRAME = 512, FREQUENCIES = FRAME / 2 + 1, HOP = 160, BANDS = 80 };

struct band {
    cl_ushort first, count;
    cl_int start;
};

static long sound_length(const struct clbench *b) { return (b->size - 1) * HOP + FRAME; }

/* How much of a frequency a band takes: triangles whose corners have the same distance by a scale of pitch. */
static double band_weight(int band, int frequency) {
    double top = 1127.0 * log(1.0 + 8000.0 / 700.0), corners[3];
    for (int i = 0; i < 3; i++) {
        corners[i] = 700.0 * (exp(top * (band + i) / (BANDS + 1) / 1127.0) - 1.0) / 8000.0 * (FREQUENCIES - 1);
    }
    double up = (frequency - corners[0]) / (corners[1] - corners[0]), below = (corners[2] - frequency) / (corners[2] - corners[1]);
    return fmax(fmin(up, below), 0.0) * 2.0 / (corners[2] - corners[0]);
}

static void log_mel_prepare(struct clbench *b) {
    long length = sound_length(b);
    cl_short *sound = make(b, 0, (size_t)length * sizeof *sound);
    float *window = make(b, 1, FRAME * sizeof *window), *weights = make(b, 4, 2 * FREQUENCIES * BANDS * sizeof *weights);
    cl_float2 *twiddles = make(b, 2, FRAME / 2 * sizeof *twiddles);
    struct band *bands = make(b, 3, BANDS * sizeof *bands);
    double pi = acos(-1.0);
    uint32_t state = 2917;
    for (long i = 0; i < length; i++) {
        double loud = 6000.0 * (0.6 + 0.4 * sin(1e-4 * (double)i)), pitch = 0.05 + 0.03 * sin(3e-5 * (double)i);
        double wave = sin(pitch * (double)i) + 0.5 * sin(2.0 * pitch * (double)i) + 0.3 * sin(5.0 * pitch * (double)i);
        sound[i] = (cl_short)(loud * wave + 1500.0 * ((double)random_unit(&state) - 0.5));
    }
    for (int i = 0; i < FRAME; i++) {
        window[i] = (float)(0.5 - 0.5 * cos(2.0 * pi * i / FRAME));
        twiddles[i / 2].s[0] = (float)cos(2.0 * pi * (i / 2) / FRAME), twiddles[i / 2].s[1] = (float)-sin(2.0 * pi * (i / 2) / FRAME);
    }
    cl_int next = 0;
    for (int band = 0; band < BANDS; band++) {
        bands[band].start = next;
        for (int k = 0; k < FREQUENCIES; k++) {
            double weight = band_weight(band, k);
            if (weight > 0.0) {
                bands[band].first = bands[band].count++ == 0 ? (cl_ushort)k : bands[band].first;
                weights[next++] = (float)weight;
            }
        }
    }
    size_t values = (size_t)(b->size * BANDS);
    make(b, 5, values * sizeof(float)), make(b, 6, sizeof(cl_int)), make(b, 7, values * sizeof(cl_ushort));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

static void log_mel_once(struct clbench *b) {
    cl_int length = (cl_int)sound_length(b), hop = HOP, bands = BANDS, frames = (cl_int)b->size;
    launch(b, "no_sound", RANGE1(1, 0), B(6));
    launch(b, "log_mel", RANGE1((size_t)b->size * 128, 128), B(0), V(length), V(hop), B(1), B(2), B(3), B(4), V(bands), B(5), B(6));
    launch(b, "mel_features", RANGE2(round_up(b->size, 32), BANDS, 32, 1), B(5), V(frames), V(bands), B(6), B(7));
}

/* The power of each frequency by its definition. */
static void powers_of(const struct clbench *b, long frame, double *powers) {
    const cl_short *sound = b->buffer[0].host;
    static double waves[FRAME][2];
    double pi = acos(-1.0), samples[FRAME];
    for (int i = 0; i < FRAME; i++) {
        long at = labs(frame * HOP + i - FRAME / 2), end = sound_length(b);
        samples[i] = (0.5 - 0.5 * cos(2.0 * pi * i / FRAME)) * sound[at < end ? at : 2 * end - 2 - at] / 32768.0;
        waves[i][0] = cos(2.0 * pi * i / FRAME), waves[i][1] = sin(2.0 * pi * i / FRAME);
    }
    for (int k = 0; k < FREQUENCIES; k++) {
        double sums[2] = {0.0};
        for (int i = 0; i < FRAME; i++) {
            sums[0] += samples[i] * waves[i * k % FRAME][0], sums[1] += samples[i] * waves[i * k % FRAME][1];
        }
        powers[k] = sums[0] * sums[0] + sums[1] * sums[1];
    }
}

/* Of many frames not all are looked at, but the loudest of all is found. */
static int log_mel_check(struct clbench *b) {
    const float *got = b->buffer[5].host;
    const cl_ushort *features = b->buffer[7].host;
    long step = b->size / 503 + 1;
    double loudest = -1e9, powers[FREQUENCIES];
    int ok = 1;
    down(b, 5), down(b, 7);
    for (long i = 0; i < b->size * BANDS; i++) {
        loudest = fmax(loudest, (double)got[i]);
    }
    for (long frame = 0; ok && frame < b->size; frame += step) {
        powers_of(b, frame, powers);
        for (int band = 0; ok && band < BANDS; band++) {
            double sum = 0.0;
            for (int k = 0; k < FREQUENCIES; k++) {
                sum += band_weight(band, k) * powers[k];
            }
            double logarithm = log10(fmax(sum, 1e-10));
            ok = near("logarithm", frame * BANDS + band, (double)got[frame * BANDS + band], logarithm, 1e-3);
        }
    }
    for (long i = 0; ok && i < b->size * BANDS; i++) {
        double value = (fmax((double)got[i % b->size * BANDS + i / b->size], loudest - 8.0) + 4.0) / 4.0;
        ok = near("feature", i, half_value(features[i]), value, 1e-3);
    }
    return ok;
}

enum { MOST_POINTS = 20, FEATURES = 9, CHANNELS = 64, COLUMNS = 144, ROWS = 120, CELLS = COLUMNS * ROWS };

struct area {
    cl_float2 first, cell;
    cl_float bottom, top;
    cl_int columns, rows;
};

static const struct area area = {{{0.0f, -15.0f}}, {{0.25f, 0.25f}}, -3.0f, 1.0f, COLUMNS, ROWS};

/* The cell of a point, or -1. */
static long cell_of(const cl_float4 *point) {
    long x = (long)floorf(point->s[0] * 4.0f), y = (long)floorf((point->s[1] + 15.0f) * 4.0f);
    int is_inside = x >= 0 && y >= 0 && x < COLUMNS && y < ROWS && point->s[2] >= -3.0f && point->s[2] <= 1.0f;
    return is_inside ? y * COLUMNS + x : -1;
}

/* More points are near than far. Points for which a cell has no room go elsewhere, as which of them stay would be chance. */
static void pillar_features_prepare(struct clbench *b) {
    cl_float4 *points = make(b, 0, (size_t)b->size * sizeof *points);
    unsigned char *counts = calloc(CELLS, 1);
    uint32_t state = 2927;
    for (long i = 0; i < b->size; i++) {
        for (int tries = 0;; tries++) {
            float out = 40.0f * random_unit(&state) * (tries < 20 ? random_unit(&state) : 1.0f);
            float angle = 3.0f * (random_unit(&state) - 0.5f);
            points[i].s[0] = out * cosf(angle), points[i].s[1] = out * sinf(angle) * 0.6f;
            points[i].s[2] = 5.0f * random_unit(&state) - (tries < 200 ? 3.5f : 20.0f), points[i].s[3] = random_unit(&state);
            long cell = cell_of(points + i);
            if (cell < 0) {
                break;
            }
            if (counts[cell] < MOST_POINTS) {
                counts[cell]++;
                break;
            }
        }
    }
    free(counts);
    make(b, 1, CELLS * sizeof(cl_int)), make(b, 2, CELLS * MOST_POINTS * sizeof(cl_int));
    make(b, 3, CELLS * sizeof(cl_int)), make(b, 4, sizeof(cl_int));
    fill_between(make(b, 5, FEATURES * CHANNELS * sizeof(float)), FEATURES * CHANNELS, 2939, -0.3f, 0.3f);
    fill_between(make(b, 6, CHANNELS * sizeof(float)), CHANNELS, 2953, -1.0f, 1.0f);
    make(b, 7, CELLS * CHANNELS * sizeof(float));
    up(b, 0), up(b, 5), up(b, 6), up(b, 7);
}

static void pillar_features_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, cells = CELLS;
    launch(b, "no_pillars", RANGE1(round_up(CELLS, 128), 128), B(1), V(cells), B(4));
    launch(b, "sort_points", RANGE1(round_up(count, 64), 64), B(0), V(count), V(area), B(1), B(2));
    launch(b, "list_pillars", RANGE1(round_up(CELLS, 128), 128), B(1), V(cells), B(3), B(4));
    launch(b, "pillar_features", RANGE1(1500 * CHANNELS, CHANNELS), B(0), B(1), B(2), B(3), B(4), V(area), B(5), B(6), B(7));
}

/* The features of a cell's points, of which there is one at least. */
static int pillar_check(const struct clbench *b, long cell, const long *own, int count) {
    const cl_float4 *points = b->buffer[0].host;
    const float *weights = b->buffer[5].host, *biases = b->buffer[6].host, *got = b->buffer[7].host;
    double mean[3] = {0.0}, middle[2] = {0.25 * ((double)(cell % COLUMNS) + 0.5), 0.25 * ((double)(cell / COLUMNS) + 0.5) - 15.0};
    int ok = 1;
    for (int i = 0; i < count * 3; i++) {
        mean[i % 3] += (double)points[own[i / 3]].s[i % 3] / count;
    }
    for (int channel = 0; ok && channel < CHANNELS; channel++) {
        double best = 0.0;
        for (int i = 0; i < count; i++) {
            double sum = (double)biases[channel];
            for (int k = 0; k < FEATURES; k++) {
                double value = (double)points[own[i]].s[k < 4 ? k : k < 7 ? k - 4 : k - 7];
                value -= k < 4 ? 0.0 : k < 7 ? mean[k - 4] : middle[k - 7];
                sum += value * (double)weights[k * CHANNELS + channel];
            }
            best = fmax(best, sum);
        }
        ok = near("feature", channel * CELLS + cell, (double)got[channel * CELLS + cell], best, 1e-4);
    }
    return ok;
}

static int pillar_features_check(struct clbench *b) {
    const cl_int *pillars = b->buffer[4].host;
    const float *got = b->buffer[7].host;
    long (*cells)[MOST_POINTS] = calloc(CELLS, sizeof *cells), full = 0;
    int *counts = calloc(CELLS, sizeof *counts), ok = 1;
    down(b, 4), down(b, 7);
    for (long i = 0; i < b->size; i++) {
        long cell = cell_of((const cl_float4 *)b->buffer[0].host + i);
        if (cell >= 0) {
            cells[cell][counts[cell]++] = i;
        }
    }
    for (long cell = 0; ok && cell < CELLS; cell++) {
        full += counts[cell] > 0;
        if (counts[cell] > 0) {
            ok = pillar_check(b, cell, cells[cell], counts[cell]);
        } else {
            for (long channel = 0; ok && channel < CHANNELS; channel++) {
                ok = near("nothing", channel * CELLS + cell, (double)got[channel * CELLS + cell], 0.0, 0.0);
            }
        }
    }
    free(cells), free(counts);
    return ok && same("pillars", 0, pillars[0], full);
}

enum { RATES = 40, STEPS = 24, SWAPTIONS = 12, PATH_GROUP = 64 };

static const cl_float period = 0.25f;
static const cl_uint path_seed = 2957;

static void libor_paths_prepare(struct clbench *b) {
    float *rates = make(b, 0, RATES * sizeof *rates), *volatilities = make(b, 1, RATES * sizeof *volatilities);
    for (int i = 0; i < RATES; i++) {
        rates[i] = 0.05f + 0.0002f * (float)(i - RATES / 2), volatilities[i] = 0.15f + 0.1f * expf(-0.1f * (float)i);
    }
    make(b, 2, (size_t)b->size * sizeof(float)), make(b, 3, round_up(b->size, PATH_GROUP) / PATH_GROUP * sizeof(float));
    up(b, 0), up(b, 1);
}

static void libor_paths_once(struct clbench *b) {
    cl_int paths = (cl_int)b->size;
    launch(b, "libor_paths", RANGE1(round_up(paths, PATH_GROUP), PATH_GROUP), B(0), B(1), V(period), V(paths), V(path_seed), B(2), B(3));
}

/* One of the normal numbers of a path: cosines of two words, then sines. */
static double normal_number(uint32_t path, uint32_t number) {
    uint32_t words[4] = {path, number / 4, 0, 0}, keys[2] = {path_seed, 0};
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)words[0] * 0xd2511f53u, c = (uint64_t)words[2] * 0xcd9e8d57u;
        uint32_t next[4] = {(uint32_t)(c >> 32) ^ words[1] ^ keys[0], (uint32_t)c, (uint32_t)(a >> 32) ^ words[3] ^ keys[1], (uint32_t)a};
        memcpy(words, next, sizeof words);
        keys[0] += 0x9e3779b9u, keys[1] += 0xbb67ae85u;
    }
    double size = sqrt(-2.0 * log(((words[number % 2] >> 8) + 0.5) * 0x1p-24));
    double angle = 2.0 * acos(-1.0) * ((words[2 + number % 2] >> 8) + 0.5) * 0x1p-24;
    return size * (number % 4 < 2 ? cos(angle) : sin(angle));
}

static double path_value(const struct clbench *b, long path) {
    static const int maturities[SWAPTIONS] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16};
    const float *first_rates = b->buffer[0].host, *volatilities = b->buffer[1].host;
    double rates[RATES], value = 0.0, time = (double)period;
    for (int i = 0; i < RATES; i++) {
        rates[i] = (double)first_rates[i];
    }
    for (int step = 0; step < STEPS; step++) {
        double drift = 0.0, chance = sqrt(time) * normal_number((uint32_t)path, (uint32_t)step);
        for (int i = step + 1; i < RATES; i++) {
            double volatility = (double)volatilities[i - step - 1];
            drift += volatility * time * rates[i] / (1.0 + time * rates[i]);
            rates[i] *= exp(volatility * drift + volatility * chance - 0.5 * volatility * volatility * time);
        }
    }
    for (int i = 0; i < SWAPTIONS; i++) {
        double bond = 1.0, fixed = 0.0;
        for (int k = STEPS; k < STEPS + maturities[i]; k++) {
            bond /= 1.0 + time * rates[k], fixed += time * bond * (0.045 + 0.005 * (i % 3));
        }
        value += fmax(100.0 * (1.0 - bond - fixed), 0.0);
    }
    for (int i = 0; i < STEPS; i++) {
        value /= 1.0 + time * rates[i];
    }
    return value;
}

/* Of many paths not all are looked at, but all are added up. */
static int libor_paths_check(struct clbench *b) {
    const float *got = b->buffer[2].host, *sums = b->buffer[3].host;
    long step = b->size / 10007 + 1, pays = 0, looked = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i += step, looked++) {
        ok = near("value", i, (double)got[i], path_value(b, i), 1e-3);
        pays += got[i] > 0.0f;
    }
    for (long first = 0; ok && first < b->size; first += PATH_GROUP) {
        double sum = 0.0;
        for (long i = first; i < first + PATH_GROUP && i < b->size; i++) {
            sum += (double)got[i];
        }
        ok = near("sum", first / PATH_GROUP, (double)sums[first / PATH_GROUP], sum, 1e-5);
    }
    return ok && same("some pay", 0, pays > looked / 5 && pays < looked, 1);
}

const struct workload round22_models_workloads[] = {
    WORKLOAD(round22_models, log_mel, 11, 2003, 12007, 60013),
    WORKLOAD(round22_models, pillar_features, 301, 40009, 80021, 150001),
    WORKLOAD(round22_models, libor_paths, 101, 5003, 30011, 200003),
    END_OF_WORKLOADS,
};
