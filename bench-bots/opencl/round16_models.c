/* Models. Sizes are widths of the small picture, tokens, places that have mass. */
#include "workloads.h"

enum { IN_CHANNELS = 16, OUT_CHANNELS = 6, TAPS = 16 };

static const cl_float slope = 0.2f;

static long rows_of(const struct clbench *b) { return b->size * 3 / 4 + 1; }

static void transposed_conv_prepare(struct clbench *b) {
    long in = b->size * rows_of(b) * IN_CHANNELS, weights = IN_CHANNELS * OUT_CHANNELS * TAPS;
    fill_between(make(b, 0, (size_t)in * sizeof(float)), in, 1877, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)weights * sizeof(float)), weights, 1879, -0.3f, 0.3f);
    fill_between(make(b, 2, OUT_CHANNELS * sizeof(float)), OUT_CHANNELS, 1889, -0.5f, 0.5f);
    make(b, 3, (size_t)(b->size * rows_of(b) * 4 * OUT_CHANNELS) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void transposed_conv_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b);
    launch(b, "transposed_conv", RANGE3(round_up(2 * width, 16), round_up(2 * height, 8), OUT_CHANNELS, 16, 8, 1), B(0), V(width),
           V(height), B(1), B(2), V(slope), B(3));
}

/* By the old pixels: each adds to 16 new ones. */
static int transposed_conv_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *weights = b->buffer[1].host, *biases = b->buffer[2].host, *got = b->buffer[3].host;
    long width = b->size, height = rows_of(b), plane = width * height, low = 0;
    double *wanted = calloc((size_t)(plane * 4), sizeof *wanted);
    int ok = 1;
    down(b, 3);
    for (long channel = 0; ok && channel < OUT_CHANNELS; channel++) {
        for (long i = 0; i < plane * 4; i++) {
            wanted[i] = (double)biases[channel];
        }
        for (long i = 0; i < plane * IN_CHANNELS; i++) {
            const float *own = weights + (i / plane * OUT_CHANNELS + channel) * TAPS;
            for (long k = 0; k < TAPS; k++) {
                long x = i % width * 2 - 1 + k % 4, y = i % plane / width * 2 - 1 + k / 4;
                if (x >= 0 && x < 2 * width && y >= 0 && y < 2 * height) {
                    wanted[y * 2 * width + x] += (double)own[k] * (double)in[i];
                }
            }
        }
        for (long i = 0; ok && i < plane * 4; i++) {
            ok = near("pixel", channel * plane * 4 + i, got[channel * plane * 4 + i],
                      wanted[i] < 0.0 ? wanted[i] * (double)slope : wanted[i], 2e-5);
            low += wanted[i] < 0.0;
        }
    }
    free(wanted);
    return ok && same("some are below 0", 0, low > plane / 2 && low < plane * 4 * OUT_CHANNELS - plane / 2, 1);
}

enum { NUMBERS = 512, ADAPTERS = 7, MOST_RANK = 32, ADAPTER_ITEMS = 128 };

static const cl_float adapter_factor = 0.5f;

static void make_halves(struct clbench *b, int i, long count, uint32_t seed) {
    cl_ushort *halves = make(b, i, (size_t)count * sizeof *halves);
    for (long k = 0; k < count; k++) {
        halves[k] = (cl_ushort)((random_word(&seed) & 0x83ff) | (8 + random_word(&seed) % 4) << 10);
    }
    up(b, i);
}

static void adapter_rows_prepare(struct clbench *b) {
    static const cl_int all_ranks[ADAPTERS] = {0, 16, 4, 32, 11, 8, 16};
    cl_int *adapters = make(b, 1, (size_t)b->size * sizeof *adapters);
    cl_int *ranks = make(b, 2, sizeof all_ranks), *starts = make(b, 3, sizeof all_ranks), numbers = 0;
    uint32_t state = 1901;
    fill_between(make(b, 0, (size_t)(b->size * NUMBERS) * sizeof(float)), b->size * NUMBERS, 1907, -1.0f, 1.0f);
    for (int i = 0; i < ADAPTERS; i++) {
        ranks[i] = all_ranks[i], starts[i] = numbers, numbers += all_ranks[i] * NUMBERS;
    }
    for (long i = 0; i < b->size; i++) {
        adapters[i] = (cl_int)(random_word(&state) % ADAPTERS);
    }
    make_halves(b, 4, numbers, 1913), make_halves(b, 5, numbers, 1931);
    fill_between(make(b, 6, (size_t)(b->size * NUMBERS) * sizeof(float)), b->size * NUMBERS, 1933, -1.0f, 1.0f);
    make(b, 7, (size_t)(b->size * NUMBERS) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 6);
}

static void adapter_rows_once(struct clbench *b) {
    size_t tokens = (size_t)b->size;
    launch(b, "copy_rows", RANGE1(tokens * NUMBERS / 4, 64), B(6), B(7));
    launch(b, "adapter_rows", RANGE2(tokens * 32, 4, 32, 4), B(0), B(1), B(2), B(3), B(4), B(5), V(adapter_factor), B(7));
}

static int adapter_rows_check(struct clbench *b) {
    const float *tokens = b->buffer[0].host, *before = b->buffer[6].host, *got = b->buffer[7].host;
    const cl_int *adapters = b->buffer[1].host, *ranks = b->buffer[2].host, *starts = b->buffer[3].host;
    const cl_ushort *downs = b->buffer[4].host, *ups = b->buffer[5].host;
    int ok = 1;
    down(b, 7);
    for (long token = 0; ok && token < b->size; token++) {
        double few[MOST_RANK] = {0.0};
        int adapter = adapters[token], rank = ranks[adapter];
        for (long i = 0; i < (long)rank * NUMBERS; i++) {
            few[i / NUMBERS] += half_value(downs[starts[adapter] + i]) * (double)tokens[token * NUMBERS + i % NUMBERS];
        }
        for (long i = 0; ok && i < NUMBERS; i++) {
            double sum = 0.0;
            for (long k = 0; k < rank; k++) {
                sum += half_value(ups[starts[adapter] + i * rank + k]) * few[k];
            }
            ok = near("number", token * NUMBERS + i, got[token * NUMBERS + i],
                      (double)before[token * NUMBERS + i] + sum * (double)adapter_factor, 1e-5);
        }
    }
    return ok;
}

enum { ROUNDS = 8 };

static const cl_float blur = 0.05f;

static long sinks_of(const struct clbench *b) { return b->size * 4 / 5 + 3; }

/* Masses that are 1 together. */
static void make_masses(struct clbench *b, int i, long count, uint32_t seed) {
    float *masses = make(b, i, (size_t)count * sizeof *masses);
    double sum = 0.0;
    fill_between(masses, count, seed, 0.2f, 1.0f);
    for (long k = 0; k < count; k++) {
        sum += (double)masses[k];
    }
    for (long k = 0; k < count; k++) {
        masses[k] = (float)((double)masses[k] / sum);
    }
    up(b, i);
}

static void sinkhorn_prepare(struct clbench *b) {
    long sources = b->size, sinks = sinks_of(b);
    fill_between(make(b, 0, (size_t)sources * sizeof(cl_float2)), sources * 2, 1949, 0.0f, 1.0f);
    fill_between(make(b, 1, (size_t)sinks * sizeof(cl_float2)), sinks * 2, 1951, 0.2f, 1.4f);
    make(b, 2, (size_t)(sources * sinks) * sizeof(float));
    make_masses(b, 3, sources, 1973), make_masses(b, 4, sinks, 1979);
    make(b, 5, (size_t)sources * sizeof(float)), make(b, 6, (size_t)sinks * sizeof(float));
    make(b, 7, (size_t)sources * sizeof(cl_float2)), make(b, 8, (size_t)sinks * sizeof(float));
    up(b, 0), up(b, 1), up(b, 8);
}

static void sinkhorn_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, columns = (cl_int)sinks_of(b);
    struct range by_rows = RANGE1((size_t)rows * 64, 64), by_columns = RANGE2(round_up(columns, 32), 8, 32, 8);
    launch(b, "pair_costs", RANGE2(round_up(columns, 32), round_up(rows, 4), 32, 4), B(0), B(1), V(rows), V(columns), B(2));
    for (int i = 0; i < ROUNDS; i++) {
        /* Buffer 8 is all 0, which is what the sinks begin with. */
        launch(b, "source_prices", by_rows, B(2), V(columns), V(blur), B(3), B(i == 0 ? 8 : 6), B(5));
        launch(b, "sink_prices", by_columns, B(2), V(rows), V(columns), V(blur), B(4), B(5), B(6));
    }
    launch(b, "moved_mass", by_rows, B(2), V(columns), V(blur), B(5), B(6), B(7));
}

/* The prices of one side by those of the other; a cost is that of [own * step + other * other_step]. */
static void set_prices(const double *costs, long count, long step, long others, long other_step, const float *masses,
                       const double *other_prices, double *prices) {
    for (long i = 0; i < count; i++) {
        double most = -1e30, sum = 0.0;
        for (long k = 0; k < others; k++) {
            most = fmax(most, (other_prices[k] - costs[i * step + k * other_step]) / (double)blur);
        }
        for (long k = 0; k < others; k++) {
            sum += exp((other_prices[k] - costs[i * step + k * other_step]) / (double)blur - most);
        }
        prices[i] = (double)blur * (log((double)masses[i]) - most - log(sum));
    }
}

static int sinkhorn_check(struct clbench *b) {
    const float *sources = b->buffer[0].host, *sinks = b->buffer[1].host, *got[2] = {b->buffer[5].host, b->buffer[6].host};
    const float *moved = b->buffer[7].host;
    long rows = b->size, columns = sinks_of(b);
    double *costs = calloc((size_t)(rows * columns + rows + columns), sizeof *costs), all = 0.0;
    double *prices = costs + rows * columns, *others = prices + rows;
    int ok = 1;
    down(b, 5), down(b, 6), down(b, 7);
    for (long i = 0; i < rows * columns; i++) {
        for (long k = 0; k < 2; k++) {
            double apart = (double)sources[i / columns * 2 + k] - (double)sinks[i % columns * 2 + k];
            costs[i] += apart * apart;
        }
    }
    for (int i = 0; i < ROUNDS; i++) {
        set_prices(costs, rows, columns, columns, 1, b->buffer[3].host, others, prices);
        set_prices(costs, columns, 1, rows, columns, b->buffer[4].host, prices, others);
    }
    for (long i = 0; ok && i < rows; i++) {
        double mass = 0.0, cost = 0.0, size = (double)rows;
        for (long k = 0; k < columns; k++) {
            double part = exp((prices[i] + others[k] - costs[i * columns + k]) / (double)blur);
            mass += part, cost += part * costs[i * columns + k];
        }
        ok = near("source's price", i, got[0][i], prices[i], 2e-5) &&
             near("mass", i, (double)moved[2 * i] * size, mass * size, 1e-3) &&
             near("cost", i, (double)moved[2 * i + 1] * size, cost * size, 1e-3);
        all += (double)moved[2 * i];
    }
    for (long i = 0; ok && i < columns; i++) {
        ok = near("sink's price", i, got[1][i], others[i], 2e-5);
    }
    free(costs);
    return ok && near("mass of all", 0, all, 1.0, 1e-4);
}

const struct workload round16_models_workloads[] = {
    WORKLOAD(round16_models, transposed_conv, 19, 61, 201, 601),
    WORKLOAD(round16_models, adapter_rows, 21, 401, 2003, 12007),
    WORKLOAD(round16_models, sinkhorn, 45, 161, 501, 1501),
    END_OF_WORKLOADS,
};
