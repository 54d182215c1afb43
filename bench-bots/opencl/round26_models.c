/* Models. Sizes are rows, points, assets. */
#include "workloads.h"

enum { BINS = 64, FOURS_OF_FEATURES = 7, ROWS_GROUP = 128, PARTS = 12, ALL_BINS = FOURS_OF_FEATURES * 4 * BINS };

static const cl_float lambda = 10.0f;
static const cl_int least_weight = 400;

struct split {
    cl_int bin;
    cl_float gain;
    cl_int2 left;
};

/* About half of the rows are in the leaf. Some features tell something of the gradient. */
static void gradient_bins_prepare(struct clbench *b) {
    long rows = b->size, used = 0;
    unsigned char *features = make(b, 0, (size_t)rows * FOURS_OF_FEATURES * 4);
    cl_short2 *gradients = make(b, 2, (size_t)rows * sizeof *gradients);
    int *leaf = malloc((size_t)rows * sizeof *leaf);
    uint32_t state = 4327;
    for (long row = 0; row < rows; row++) {
        int sum = (int)(random_word(&state) % 41) - 20;
        for (int k = 0; k < FOURS_OF_FEATURES * 4; k++) {
            uint32_t word = random_word(&state), bin = k % 3 == 0 ? word % BINS : word % BINS * (word >> 8 & 63) / 63;
            features[(k / 4 * rows + row) * 4 + k % 4] = (unsigned char)bin;
            sum += k % 5 == 2 && (int)bin > 3 * k ? k - 10 : 0;
        }
        gradients[row].s[0] = (cl_short)sum, gradients[row].s[1] = (cl_short)(1 + random_word(&state) % 8);
        if (random_word(&state) % 2 == 0) {
            leaf[used++] = (int)row;
        }
    }
    memcpy(make(b, 1, (size_t)used * sizeof *leaf), leaf, (size_t)used * sizeof *leaf), free(leaf);
    make(b, 3, ALL_BINS * sizeof(cl_int2)), make(b, 4, FOURS_OF_FEATURES * 4 * sizeof(struct split));
    up(b, 0), up(b, 1), up(b, 2);
}

static void gradient_bins_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, leaf_rows = (cl_int)(b->buffer[1].bytes / sizeof(cl_int));
    launch(b, "empty_bins", RANGE1(ALL_BINS, 64), B(3));
    launch(b, "gradient_bins", RANGE2(FOURS_OF_FEATURES, PARTS * ROWS_GROUP, 1, ROWS_GROUP), B(0), V(rows), B(1), V(leaf_rows), B(2), B(3));
    launch(b, "best_splits", RANGE1(FOURS_OF_FEATURES * 4, 0), B(3), V(lambda), V(least_weight), B(4));
}

/* What a split after a bin brings, or nothing where too little is on a side. */
static double gain_of(const cl_int2 *bins, int last) {
    double sums[2] = {0.0, 0.0}, weights[2] = {0.0, 0.0};
    for (int i = 0; i < BINS; i++) {
        sums[i > last] += bins[i].s[0], weights[i > last] += bins[i].s[1];
    }
    if (weights[0] < least_weight || weights[1] < least_weight) {
        return 0.0;
    }
    double all = sums[0] + sums[1], more = (double)lambda;
    return sums[0] * sums[0] / (weights[0] + more) + sums[1] * sums[1] / (weights[1] + more) - all * all / (weights[0] + weights[1] + more);
}

static int split_is_best(const cl_int2 *bins, long feature, const struct split *split) {
    double best = 0.0;
    int sum = 0, weight = 0;
    for (int i = 0; i < BINS - 1; i++) {
        best = fmax(best, gain_of(bins, i));
    }
    for (int i = 0; i <= split->bin; i++) {
        sum += bins[i].s[0], weight += bins[i].s[1];
    }
    /* The kernel's squares of large sums are short of digits. */
    double scale = best + 1000.0, own = split->bin < 0 ? 0.0 : gain_of(bins, split->bin);
    return near("gain", feature, (double)split->gain / scale, best / scale, 1e-3) &&
           near("its own", feature, own / scale, best / scale, 1e-3) &&
           same("left sum", feature, split->left.s[0], sum) && same("left weight", feature, split->left.s[1], weight);
}

static int gradient_bins_check(struct clbench *b) {
    const unsigned char *features = b->buffer[0].host;
    const int *leaf = b->buffer[1].host;
    const cl_short2 *gradients = b->buffer[2].host;
    const cl_int2 *got = b->buffer[3].host;
    const struct split *splits = b->buffer[4].host;
    long leaf_rows = (long)(b->buffer[1].bytes / sizeof *leaf);
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long feature = 0; ok && feature < FOURS_OF_FEATURES * 4; feature++) {
        cl_int2 want[BINS];
        memset(want, 0, sizeof want);
        for (long i = 0; i < leaf_rows; i++) {
            int bin = features[(feature / 4 * b->size + leaf[i]) * 4 + feature % 4];
            want[bin].s[0] += gradients[leaf[i]].s[0], want[bin].s[1] += gradients[leaf[i]].s[1];
        }
        for (long i = 0; ok && i < BINS; i++) {
            ok = same("sum", feature * BINS + i, got[feature * BINS + i].s[0], want[i].s[0]) &&
                 same("weight", feature * BINS + i, got[feature * BINS + i].s[1], want[i].s[1]);
        }
        ok = ok && split_is_best(want, feature, splits + feature);
    }
    return ok;
}

enum { FIELD_GROUP = 64, POINTS = 2, OCTAVES = 4, INPUTS = 3 + OCTAVES * 6, HIDDEN = 32, LAST = 4 };
enum { FIRST_LAYER = (INPUTS + 1) * HIDDEN, SECOND_LAYER = (HIDDEN + 1) * HIDDEN };
enum { ALL_WEIGHTS = FIRST_LAYER + SECOND_LAYER + (HIDDEN + 1) * LAST };

static void field_mlp_prepare(struct clbench *b) {
    fill_between(make(b, 0, (size_t)b->size * 3 * sizeof(float)), b->size * 3, 4337, -1.0f, 1.0f);
    float *weights = make(b, 1, ALL_WEIGHTS * sizeof *weights);
    fill_between(weights, FIRST_LAYER, 4339, -0.45f, 0.5f);
    fill_between(weights + FIRST_LAYER, ALL_WEIGHTS - FIRST_LAYER, 4349, -0.3f, 0.3f);
    make(b, 2, (size_t)b->size * 4), make(b, 3, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void field_mlp_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    size_t groups = round_up(count, FIELD_GROUP * POINTS) / (FIELD_GROUP * POINTS);
    launch(b, "field_mlp", RANGE1(groups * FIELD_GROUP, FIELD_GROUP), B(0), V(count), B(1), B(2), B(3));
}

/* A layer with its weights: the biases, then a row for each input. */
static void layer_of(const float *weights, int inputs, const double *values, int outputs, double *results) {
    for (int k = 0; k < outputs; k++) {
        results[k] = (double)weights[k];
        for (int i = 0; i < inputs; i++) {
            results[k] += (double)weights[(i + 1) * outputs + k] * values[i];
        }
    }
}

static void field_at(const float *weights, const float *place, double results[LAST]) {
    double values[HIDDEN], next[HIDDEN];
    for (int axis = 0; axis < 3; axis++) {
        values[axis] = (double)place[axis];
        for (int k = 0; k < OCTAVES; k++) {
            double angle = acos(-1.0) * (double)(1 << k) * (double)place[axis];
            values[3 + 6 * k + axis] = sin(angle), values[6 + 6 * k + axis] = cos(angle);
        }
    }
    layer_of(weights, INPUTS, values, HIDDEN, next);
    for (int k = 0; k < HIDDEN; k++) {
        next[k] = fmax(next[k], 0.0);
    }
    layer_of(weights + FIRST_LAYER, HIDDEN, next, HIDDEN, values);
    for (int k = 0; k < HIDDEN; k++) {
        values[k] = fmax(values[k], 0.0);
    }
    layer_of(weights + FIRST_LAYER + SECOND_LAYER, HIDDEN, values, LAST, results);
    for (int k = 0; k < 3; k++) {
        results[k] = 255.0 / (1.0 + exp(-results[k]));
    }
    results[3] = log1p(exp(results[3]));
}

static int field_mlp_check(struct clbench *b) {
    const float *places = b->buffer[0].host, *weights = b->buffer[1].host, *densities = b->buffer[3].host;
    const unsigned char *colours = b->buffer[2].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        double want[LAST];
        field_at(weights, places + 3 * i, want);
        for (int k = 0; ok && k < 3; k++) {
            ok = same("is near", 4 * i + k, fabs((double)colours[4 * i + k] - want[k]) < 0.51, 1);
        }
        ok = ok && same("alpha", i, colours[4 * i + 3], 255) && near("density", i, (double)densities[i], want[3], 1e-4);
    }
    return ok;
}

enum { FASTS = 32, SLOWS = 24, FAST_STEP = 2, SLOW_STEP = 5, DAYS = 1207, STOP = 9 };

static const cl_float fee = 0.0015f;

struct outcome {
    cl_float wealth, deepest;
    cl_int trades, days;
};

static void backtest_grid_prepare(struct clbench *b) {
    int *prices = make(b, 0, (size_t)b->size * DAYS * sizeof *prices);
    uint32_t state = 4357;
    for (long i = 0; i < b->size; i++) {
        double price = 2000.0 + 9000.0 * (double)random_unit(&state), trend = 0.0;
        for (int day = 0; day < DAYS; day++) {
            trend = 0.97 * trend + 0.004 * ((double)random_unit(&state) - 0.5);
            price = fmax(price * (1.0 + trend + 0.03 * ((double)random_unit(&state) - 0.5)), 100.0);
            prices[i * DAYS + day] = (int)price;
        }
    }
    make(b, 1, (size_t)b->size * (DAYS + 1) * sizeof(cl_long)), make(b, 2, (size_t)b->size * FASTS * SLOWS * sizeof(struct outcome));
    up(b, 0);
}

static void backtest_grid_once(struct clbench *b) {
    cl_int days = DAYS, stop = STOP;
    launch(b, "running_sums", RANGE1((size_t)b->size, 0), B(0), V(days), B(1));
    launch(b, "backtest_grid", RANGE3(FASTS, SLOWS, (size_t)b->size, 16, 4, 1), B(0), B(1), V(days), V(fee), V(stop), B(2));
}

static double mean_before(const int *prices, int end, int days) {
    double sum = 0.0;
    for (int day = end - days; day < end; day++) {
        sum += prices[day];
    }
    return sum;
}

/* What shares are worth is what was paid for them times a ratio of prices. */
static void trade(const int *prices, int fast, int slow, double *wealth, double *deepest, struct outcome *counts) {
    int bought_at = 0, best = 0, was_above = 1;
    double highest = 1.0;
    *wealth = 1.0, *deepest = 0.0;
    for (int day = slow; fast < slow && day <= DAYS; day++) {
        int price = prices[day - 1], is_above = mean_before(prices, day, fast) * slow > mean_before(prices, day, slow) * fast;
        double now = *wealth;
        if (bought_at > 0) {
            best = price > best ? price : best, counts->days++, now = *wealth * price / bought_at;
            if (!is_above || 100 * price < (100 - STOP) * best) {
                now = *wealth = now * (1.0 - (double)fee), bought_at = 0, counts->trades++;
            }
        } else if (is_above && !was_above) {
            bought_at = best = price, now = *wealth *= 1.0 - (double)fee;
        }
        was_above = is_above, highest = fmax(highest, now), *deepest = fmax(*deepest, 1.0 - now / highest);
    }
    if (bought_at > 0) {
        *wealth *= (1.0 - (double)fee) * prices[DAYS - 1] / bought_at;
    }
}

/* Of many outcomes not all are looked at. */
static int backtest_grid_check(struct clbench *b) {
    const int *prices = b->buffer[0].host;
    const struct outcome *got = b->buffer[2].host;
    long trades = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size * FASTS * SLOWS; i += b->size / 8 + 1) {
        int fast = (int)(i % FASTS + 1) * FAST_STEP, slow = (int)(i / FASTS % SLOWS + 1) * SLOW_STEP;
        struct outcome counts = {0};
        double wealth, deepest;
        trade(prices + i / FASTS / SLOWS * DAYS, fast, slow, &wealth, &deepest, &counts);
        ok = near("wealth", i, (double)got[i].wealth, wealth, 1e-4) && near("deepest", i, (double)got[i].deepest, deepest, 1e-4) &&
             same("trades", i, got[i].trades, counts.trades) && same("days", i, got[i].days, counts.days);
        trades += counts.trades;
    }
    return ok && same("there is trade", 0, trades > 0, 1);
}

const struct workload round26_models_workloads[] = {
    WORKLOAD(round26_models, gradient_bins, 1009, 200003, 700001, 2000003),
    WORKLOAD(round26_models, field_mlp, 401, 20011, 70001, 300007),
    WORKLOAD(round26_models, backtest_grid, 1, 7, 29, 101),
    END_OF_WORKLOADS,
};
