/* Models. Sizes are rows, sequences, quotes. */
#include "workloads.h"

enum { TREES = 100, FEATURES = 28, MAX_NODES = 127, SETS = 64, LEAF = -1, IS_SET = 0x4000, MISSING_LEFT = 0x2000 };

/* As the kernel has it. */
struct tree_node {
    float value;
    cl_short feature;
    cl_ushort left, set_left, unused;
};

static const float base_score = -0.2f;

/* Makes node `at` of a tree and those below; some branches end early. Of the features, every seventh one is a category. */
static void grow(struct tree_node *tree, int *used, int at, int depth, uint32_t *state) {
    float chance = random_unit(state);
    if (depth == 0 || (depth < 4 && chance < 0.2f)) {
        tree[at] = (struct tree_node){.value = 0.1f * (random_unit(state) - 0.48f), .feature = LEAF};
        return;
    }
    int feature = (int)(random_word(state) % FEATURES), left = *used, set = (int)(random_word(state) % SETS);
    int flags = (feature % 7 == 3 ? IS_SET : 0) | (chance < 0.5f ? MISSING_LEFT : 0);
    *used += 2;
    tree[at] = (struct tree_node){.value = 0.1f + 0.8f * random_unit(state), .feature = (cl_short)(feature | flags),
                                  .left = (cl_ushort)(flags & IS_SET ? set : left), .set_left = (cl_ushort)left};
    grow(tree, used, left, depth - 1, state);
    grow(tree, used, left + 1, depth - 1, state);
}

static void boosted_trees_prepare(struct clbench *b) {
    float *features = make(b, 0, (size_t)b->size * FEATURES * sizeof *features);
    struct tree_node *nodes = make(b, 1, TREES * MAX_NODES * sizeof *nodes);
    cl_uint *roots = make(b, 2, TREES * sizeof *roots), *sets = make(b, 3, 2 * SETS * sizeof *sets);
    uint32_t state = 621;
    int used = 0;
    for (long i = 0; i < b->size * FEATURES; i++) {
        float value = random_unit(&state);
        features[i] = value < 0.03f ? NAN : i / b->size % 7 == 3 ? floorf(70.0f * random_unit(&state)) : value;
    }
    for (int i = 0; i < 2 * SETS; i++) {
        sets[i] = random_word(&state);
    }
    for (int t = 0; t < TREES; t++) {
        int of_tree = 1;
        roots[t] = (cl_uint)used;
        grow(nodes + used, &of_tree, 0, 4 + t % 3, &state);
        used += of_tree;
    }
    make(b, 4, (size_t)b->size * sizeof(float));
    make(b, 5, (size_t)b->size * sizeof(cl_ushort));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

/* An item has about three rows. */
static void boosted_trees_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size, trees = TREES;
    launch(b, "boosted_trees", RANGE1(round_up(b->size / 3 + 1, 128), 128), B(0), V(rows), B(1), B(2), V(trees), B(3),
           V(base_score), B(4), B(5));
}

static int goes_left(struct clbench *b, const struct tree_node *n, long row) {
    const cl_uint *sets = b->buffer[3].host;
    float v = ((float *)b->buffer[0].host)[(n->feature & 0x1fff) * b->size + row];
    if (v != v) {
        return (n->feature & MISSING_LEFT) != 0;
    }
    if ((n->feature & IS_SET) == 0) {
        return v < n->value;
    }
    long category = (long)v;
    return category < 64 && (sets[2 * n->left + category / 32] >> category % 32 & 1) != 0;
}

static int boosted_trees_check(struct clbench *b) {
    const struct tree_node *nodes = b->buffer[1].host;
    const cl_uint *roots = b->buffer[2].host;
    const float *got = b->buffer[4].host;
    const cl_ushort *leaf = b->buffer[5].host;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long row = 0; ok && row < b->size; row++) {
        double score = base_score;
        long at = 0;
        for (int t = 0; t < TREES; t++) {
            const struct tree_node *tree = nodes + roots[t];
            for (at = 0; tree[at].feature != LEAF;) {
                at = tree[at].set_left + !goes_left(b, &tree[at], row);
            }
            score += tree[at].value;
        }
        ok = near("probability", row, got[row], 1.0 / (1.0 + exp(-score)), 1e-5) && same("leaf", row, leaf[row], at);
    }
    return ok;
}

enum { HEAD = 64, PAGE = 16, HEADS = 8, KV_HEADS = 2, MAX_PAGES = 48, MOST = MAX_PAGES * PAGE };

/* Pages lie in an order that is not that of the tokens. */
static void paged_decode_prepare(struct clbench *b) {
    long count = b->size * MAX_PAGES, rows = count * PAGE * KV_HEADS;
    signed char *keys = make(b, 1, (size_t)rows * HEAD), *values = make(b, 2, (size_t)rows * HEAD);
    cl_float2 *scales = make(b, 3, (size_t)rows * sizeof *scales);
    cl_int *pages = make(b, 4, (size_t)count * sizeof *pages), *lengths = make(b, 5, (size_t)b->size * sizeof *lengths);
    uint32_t state = 622;
    fill_between(make(b, 0, (size_t)(b->size * HEADS * HEAD) * sizeof(float)), b->size * HEADS * HEAD, 623, -1.7f, 1.7f);
    for (long i = 0; i < rows * HEAD; i++) {
        keys[i] = (signed char)(random_word(&state) % 255 - 127);
        values[i] = (signed char)(random_word(&state) % 255 - 127);
    }
    for (long i = 0; i < rows; i++) {
        scales[i] = (cl_float2){{(0.5f + random_unit(&state)) / 60.0f, (0.5f + random_unit(&state)) / 127.0f}};
    }
    for (long i = 0; i < count; i++) {
        long other = (long)(random_word(&state) % (uint32_t)(i + 1));
        pages[i] = pages[other];
        pages[other] = (cl_int)i;
    }
    for (long i = 0; i < b->size; i++) {
        lengths[i] = 1 + (cl_int)(random_word(&state) % MOST);
    }
    make(b, 6, (size_t)(b->size * HEADS * HEAD) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4), up(b, 5);
}

static void paged_decode_once(struct clbench *b) {
    cl_int max_pages = MAX_PAGES, kv_heads = KV_HEADS;
    launch(b, "paged_decode", RANGE2(HEADS * HEAD, (size_t)b->size, HEAD, 1), B(0), B(1), B(2), B(3), B(4), B(5), V(max_pages),
           V(kv_heads), B(6));
}

/* A head of a sequence. */
static void attend(struct clbench *b, long row, double *mean) {
    const float *query = (float *)b->buffer[0].host + row * HEAD;
    const signed char *keys = b->buffer[1].host, *values = b->buffer[2].host;
    const cl_float2 *scales = b->buffer[3].host;
    const cl_int *pages = (cl_int *)b->buffer[4].host + row / HEADS * MAX_PAGES, *lengths = b->buffer[5].host;
    double greatest = 0.0, weights = 0.0, weight[MOST];
    for (int i = 0; i < HEAD; i++) {
        greatest = fmax(greatest, fabs(query[i]));
        mean[i] = 0.0;
    }
    for (long t = 0; t < lengths[row / HEADS]; t++) {
        long at = (pages[t / PAGE] * PAGE + t % PAGE) * (long)KV_HEADS + row % HEADS / (HEADS / KV_HEADS);
        double sum = 0.0;
        for (int i = 0; i < HEAD; i++) {
            sum += rint(127.0 * query[i] / greatest) * keys[at * HEAD + i];
        }
        weight[t] = exp(sum * greatest / 127.0 * scales[at].s[0] / sqrt(HEAD));
        weights += weight[t];
        for (int i = 0; i < HEAD; i++) {
            mean[i] += weight[t] * scales[at].s[1] * values[at * HEAD + i];
        }
    }
    for (int i = 0; i < HEAD; i++) {
        mean[i] /= weights;
    }
}

/* Rounding may decide what byte a number of the query becomes. */
static int paged_decode_check(struct clbench *b) {
    const float *got = b->buffer[6].host;
    int ok = 1;
    down(b, 6);
    for (long row = 0; ok && row < b->size * HEADS; row += b->size / 500 + 1) {
        double mean[HEAD];
        attend(b, row, mean);
        for (int i = 0; ok && i < HEAD; i++) {
            ok = near("mean", row * HEAD + i, got[row * HEAD + i], mean[i], 8e-3);
        }
    }
    return ok;
}

/* As the kernel has it. */
struct quote {
    double spot, strike, years, rate, price;
    cl_int is_call, padding;
};

static const double tolerance = 1e-10;

static double below(double x) { return 0.5 * (1.0 + erf(x / sqrt(2.0))); }

static double price_of(const struct quote *q, double volatility) {
    double spread = volatility * sqrt(q->years), sign = q->is_call ? 1.0 : -1.0, later = q->strike * exp(-q->rate * q->years);
    double d = (log(q->spot / q->strike) + (q->rate + volatility * volatility / 2.0) * q->years) / spread;
    return sign * (q->spot * below(sign * d) - later * below(sign * (d - spread)));
}

/* Prices of volatilities that are known, and some that nobody would pay. Buffer 3 is not the device's. */
static void implied_volatility_prepare(struct clbench *b) {
    struct quote *quotes = make(b, 0, (size_t)b->size * sizeof *quotes);
    uint32_t state = 624;
    make(b, 1, (size_t)b->size * sizeof(double));
    make(b, 2, (size_t)b->size * sizeof(cl_int));
    double *known = make(b, 3, (size_t)b->size * sizeof *known);
    for (long i = 0; i < b->size; i++) {
        struct quote *q = &quotes[i];
        known[i] = 0.12 + 0.9 * random_unit(&state) * random_unit(&state);
        *q = (struct quote){.spot = 20.0 + 150.0 * random_unit(&state), .years = 0.1 + 2.0 * random_unit(&state),
                            .rate = 0.06 * random_unit(&state), .is_call = random_unit(&state) < 0.5f};
        q->strike = q->spot * exp(known[i] * sqrt(q->years) * (3.0 * random_unit(&state) - 1.5));
        q->price = price_of(q, known[i]);
        if (i % 61 == 7) {
            q->price = q->is_call ? 1.1 * q->spot : -0.5;
            known[i] = NAN;
        }
    }
    up(b, 0);
}

static void implied_volatility_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "implied_volatility", RANGE1(round_up(b->size, 64), 64), B(0), V(count), V(tolerance), B(1), B(2));
}

static int implied_volatility_check(struct clbench *b) {
    const double *got = b->buffer[1].host, *known = b->buffer[3].host;
    const cl_int *status = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        ok = known[i] != known[i] ? same("no status", i, status[i], -1) && same("a number", i, got[i] == got[i], 0)
                                  : same("status", i, status[i] >= 0 && status[i] < 60, 1) &&
                                        near("volatility", i, got[i], known[i], 1e-7);
    }
    return ok;
}

const struct workload round6_models_workloads[] = {
    WORKLOAD(round6_models, boosted_trees, 301, 8009, 100003, 500009),
    WORKLOAD(round6_models, paged_decode, 5, 127, 401, 701),
    WORKLOAD(round6_models, implied_volatility, 301, 60013, 200003, 1000003),
    END_OF_WORKLOADS,
};
