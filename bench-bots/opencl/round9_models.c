/* Models. Sizes are weights, nodes, days. */
#include "workloads.h"

enum { GROUPS = 96 };

static const cl_float limit = 25.0f, rate = 0.002f, beta1 = 0.9f, beta2 = 0.999f, decay = 0.01f;
/* After the tenth step: 1 / (1 - beta^10). */
static const cl_float correct1 = 1.5353457f, correct2 = 100.45059f;

static void adam_clip_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * sizeof(cl_float);
    fill_between(make(b, 0, bytes), b->size, 951, -1.0f, 1.0f);
    fill_between(make(b, 1, bytes), b->size, 952, -2.0f, 2.0f);
    make(b, 2, bytes), make(b, 3, bytes);
    make(b, 4, GROUPS * sizeof(cl_float));
    make(b, 5, sizeof(cl_float));
    up(b, 1);
}

/* A run starts where the last one did. */
static void adam_clip_once(struct clbench *b) {
    cl_uint count = (cl_uint)b->size;
    cl_int parts = GROUPS;
    fill_between(b->buffer[0].host, b->size, 951, -1.0f, 1.0f);
    fill_between(b->buffer[2].host, b->size, 953, -0.2f, 0.2f);
    fill_between(b->buffer[3].host, b->size, 954, 0.0f, 0.05f);
    up(b, 0), up(b, 2), up(b, 3);
    launch(b, "norm_parts", RANGE1(GROUPS * 256, 256), B(1), V(count), B(4));
    launch(b, "clip_scale", RANGE1(256, 256), B(4), V(parts), V(limit), B(5));
    launch(b, "adam_step", RANGE1(GROUPS * 256, 256), B(0), B(1), B(2), B(3), V(count), B(5), V(rate), V(beta1), V(beta2),
           V(correct1), V(correct2), V(decay));
}

/* Whether a float is as near as its last steps' rounding, each 2^-24, allows. */
static int adam_clip_check(struct clbench *b) {
    const float *gradients = b->buffer[1].host;
    const float *got = b->buffer[0].host, *got_first = b->buffer[2].host, *got_second = b->buffer[3].host;
    uint32_t weights = 951, firsts = 953, seconds = 954;
    double squares = 0.0;
    int ok = 1;
    down(b, 0), down(b, 2), down(b, 3);
    for (long i = 0; i < b->size; i++) {
        squares += (double)gradients[i] * gradients[i];
    }
    double clip = squares > (double)limit * limit ? limit / sqrt(squares) : 1.0;
    for (long i = 0; ok && i < b->size; i++) {
        double w, g = gradients[i] * clip, first, second;
        w = -1.0f + 2.0f * random_unit(&weights), first = -0.2f + 0.4f * random_unit(&firsts);
        second = 0.05f * random_unit(&seconds);
        first += (1.0 - beta1) * (g - first), second += (1.0 - beta2) * (g * g - second);
        w = w * (1.0 - (double)rate * decay) - rate * first * correct1 / (sqrt(second * correct2) + 1e-8);
        ok = near("weight", i, got[i], w, 1e-6) && near("first", i, got_first[i], first, 1e-6) &&
             near("second", i, got_second[i], second, 1e-7);
    }
    return ok && same("it is clipped", 0, clip < 1.0, 1);
}

enum { LANES = 64, HEADS = 4, LANES_OF_HEAD = LANES / HEADS };

/* Few nodes have many neighbours, some none. */
static void graph_attention_prepare(struct clbench *b) {
    long nodes = b->size;
    cl_int *starts = make(b, 0, (size_t)(nodes + 1) * sizeof *starts);
    uint32_t state = 961;
    for (long i = 0; i < nodes; i++) {
        double u = random_unit(&state);
        starts[i + 1] = starts[i] + (i % 17 == 3 ? 0 : (cl_int)(4.0 / (u + 0.008)));
    }
    cl_int *neighbours = make(b, 1, (size_t)starts[nodes] * sizeof *neighbours);
    for (cl_int e = 0; e < starts[nodes]; e++) {
        neighbours[e] = (cl_int)(random_word(&state) % (uint32_t)nodes);
    }
    fill_between(make(b, 2, (size_t)nodes * sizeof(cl_float4)), nodes * HEADS, 962, -4.0f, 4.0f);
    fill_between(make(b, 3, (size_t)nodes * sizeof(cl_float4)), nodes * HEADS, 963, -4.0f, 4.0f);
    fill_between(make(b, 4, (size_t)nodes * LANES * sizeof(cl_float)), nodes * LANES, 964, -1.0f, 1.0f);
    make(b, 5, (size_t)nodes * LANES * sizeof(cl_float));
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void graph_attention_once(struct clbench *b) {
    launch(b, "graph_attention", RANGE1((size_t)b->size * LANES, LANES), B(0), B(1), B(2), B(3), B(4), B(5));
}

/* Exponentials of at most 16 are as exact as their arguments, 16 * 2^-24; up to 500 of them are added, and weigh features below
 * 1. */
static int graph_attention_check(struct clbench *b) {
    const cl_int *starts = b->buffer[0].host, *neighbours = b->buffer[1].host;
    const float *from = b->buffer[2].host, *to = b->buffer[3].host, *features = b->buffer[4].host, *got = b->buffer[5].host;
    int ok = 1;
    down(b, 5);
    for (long node = 0; ok && node < b->size; node++) {
        for (int head = 0; ok && head < HEADS; head++) {
            double total = 0.0, sums[LANES_OF_HEAD] = {0.0};
            for (cl_int e = starts[node]; e < starts[node + 1]; e++) {
                double score = (double)from[neighbours[e] * HEADS + head] + to[node * HEADS + head];
                double weight = exp(score < 0.0 ? 0.2 * score : score);
                total += weight;
                for (int k = 0; k < LANES_OF_HEAD; k++) {
                    sums[k] += weight * features[neighbours[e] * LANES + head * LANES_OF_HEAD + k];
                }
            }
            for (int k = 0; ok && k < LANES_OF_HEAD; k++) {
                long at = node * LANES + head * LANES_OF_HEAD + k;
                double mean = total > 0.0 ? sums[k] / total : 0.0;
                ok = near("feature", at, got[at], mean < 0.0 ? exp(mean) - 1.0 : mean, 1e-5);
            }
        }
    }
    return ok;
}

enum { ASSETS = 7, ALPHAS = 23, BETAS = 19, PAIRS = ALPHAS * BETAS };

static const cl_double alpha_step = 0.012, beta_start = 0.62, beta_step = 0.02;

/* Returns of assets that such a process moves, each with its own parameters. */
static void garch_grid_prepare(struct clbench *b) {
    double *returns = make(b, 0, (size_t)b->size * ASSETS * sizeof *returns);
    double *variances = make(b, 1, ASSETS * sizeof *variances);
    uint32_t state = 971;
    for (long asset = 0; asset < ASSETS; asset++) {
        double alpha = 0.04 + 0.02 * (double)asset, beta = 0.9 - 0.03 * (double)asset, variance = 1e-4;
        for (long day = 0; day < b->size; day++) {
            double u = random_unit(&state) + 1e-9, v = random_unit(&state);
            double r = sqrt(variance) * sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
            returns[asset * b->size + day] = r;
            variances[asset] += r * r / (double)b->size;
            variance = 1e-4 * (1.0 - alpha - beta) + alpha * r * r + beta * variance;
        }
    }
    make(b, 2, (size_t)ASSETS * PAIRS * sizeof(double));
    make(b, 3, ASSETS * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void garch_grid_once(struct clbench *b) {
    cl_int days = (cl_int)b->size, alphas = ALPHAS, pairs = PAIRS;
    launch(b, "garch_grid", RANGE2(PAIRS, ASSETS, 0, 0), B(0), V(days), B(1), V(alphas), V(alpha_step), V(beta_start),
           V(beta_step), B(2));
    launch(b, "garch_best", RANGE1(ASSETS * 128, 128), B(2), V(pairs), B(3));
}

/* The product of all variances, whose logarithm is taken once; its exponent is kept apart. */
static double garch_likelihood(const struct clbench *b, long asset, double alpha, double beta) {
    const double *returns = (double *)b->buffer[0].host + asset * b->size;
    double usual = ((double *)b->buffer[1].host)[asset], variance = usual, product = 1.0, sum = 0.0;
    long exponents = 0;
    for (long day = 0; day < b->size; day++) {
        int exponent;
        product = frexp(product * variance, &exponent), exponents += exponent;
        sum += returns[day] * returns[day] / variance;
        variance = usual + alpha * (returns[day] * returns[day] - usual) + beta * (variance - usual);
    }
    return -0.5 * (sum + log(product) + (double)exponents * log(2.0) + (double)b->size * log(2.0 * acos(-1.0)));
}

/* A sum of a few hundred or thousand terms near 10, in doubles. */
static int garch_grid_check(struct clbench *b) {
    const double *got = b->buffer[2].host;
    const cl_int *best = b->buffer[3].host;
    long never = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long asset = 0; ok && asset < ASSETS; asset++) {
        long greatest = asset * PAIRS;
        for (long pair = 0; ok && pair < PAIRS; pair++) {
            long at = asset * PAIRS + pair;
            double alpha = (double)(pair % ALPHAS + 1) * alpha_step, beta = beta_start + (double)(pair / ALPHAS) * beta_step;
            if (alpha + beta >= 0.999) {
                never++;
                ok = same("cannot be", at, isinf(got[at]) && got[at] < 0.0, 1);
            } else {
                ok = near("likelihood", at, got[at], garch_likelihood(b, asset, alpha, beta), 1e-10);
            }
            greatest = got[at] > got[greatest] ? at : greatest;
        }
        ok = ok && same("best", asset, best[asset], greatest - asset * PAIRS);
    }
    return ok && same("some cannot be", 0, never > 0 && never < ASSETS * PAIRS / 2, 1);
}

const struct workload round9_models_workloads[] = {
    WORKLOAD(round9_models, adam_clip, 4099, 1000003, 4000037, 20000003),
    WORKLOAD(round9_models, graph_attention, 211, 3001, 12007, 60013),
    WORKLOAD(round9_models, garch_grid, 60, 500, 2000, 9000),
    END_OF_WORKLOADS,
};
