/* Learning. Sizes are questions, points, rows. */
#include "workloads.h"

enum { WIDTH = 20, SIZE = 32, NODES = 2003, DEGREE = 12, NEAREST = 8, WALKERS = 16, ENTRY = 17 };

static int square_between(const signed char *a, const signed char *b) {
    int sum = 0;
    for (int i = 0; i < SIZE; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

/* Rows of numbers in clouds that overlap. */
static void fill_rows(signed char *rows, long count, uint32_t seed) {
    for (long i = 0; i < count * SIZE; i++) {
        uint32_t cloud = mixed_word((uint32_t)(i / SIZE) ^ seed) % 40;
        rows[i] = (signed char)((long)(mixed_word(cloud * 64 + (uint32_t)(i % SIZE)) % 61) - 30 +
                                (long)(mixed_word((uint32_t)i + seed) % 121) - 60);
    }
}

/* Every node knows those that are nearest, and some others. */
static void fill_links(const signed char *rows, cl_uint *links) {
    for (cl_uint i = 0; i < NODES; i++) {
        cl_uint *own = links + i * DEGREE;
        int distances[NEAREST], known = 0;
        for (cl_uint other = 0; other < NODES; other++) {
            int distance = square_between(rows + i * SIZE, rows + other * SIZE), at = known;
            if (other == i || (known == NEAREST && distance >= distances[NEAREST - 1])) {
                continue;
            }
            known += known < NEAREST, at -= at == NEAREST;
            for (; at > 0 && distances[at - 1] > distance; at--) {
                distances[at] = distances[at - 1], own[at] = own[at - 1];
            }
            distances[at] = distance, own[at] = other;
        }
        for (cl_uint k = NEAREST; k < DEGREE; k++) {
            own[k] = mixed_word(i * DEGREE + k) % NODES;
        }
    }
}

static void graph_walk_prepare(struct clbench *b) {
    signed char *rows = make(b, 0, NODES * SIZE);
    fill_rows(rows, NODES, 4657), fill_links(rows, make(b, 1, NODES * DEGREE * sizeof(cl_uint)));
    fill_rows(make(b, 2, (size_t)b->size * SIZE), b->size, 4663);
    make(b, 3, (size_t)b->size * sizeof(cl_uint4)), make(b, 4, (size_t)b->size * sizeof(cl_int4));
    make(b, 5, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void graph_walk_once(struct clbench *b) {
    cl_int degree = DEGREE, asked = (cl_int)b->size;
    cl_uint entry = ENTRY;
    launch(b, "graph_walk", RANGE1(round_up(b->size, WALKERS), WALKERS), B(0), B(1), V(degree), B(2),
           V(asked), V(entry), B(3), B(4), B(5));
}

/* A node that a walk knows. */
struct known {
    int distance, turn, is_asked;
    cl_uint node;
};

static int by_distance(const void *a, const void *b) {
    const struct known *x = a, *y = b;
    return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                      : (x->turn > y->turn) - (x->turn < y->turn);
}

/* The same walk, which keeps its list in order by sorting. Gives how many nodes it asked. */
static int walk(const struct clbench *b, const signed char *question, struct known *list) {
    const signed char *rows = b->buffer[0].host;
    const cl_uint *links = b->buffer[1].host;
    int count = 1, asked = 0, turn = 0, at = 0;
    list[0] = (struct known){square_between(rows + ENTRY * SIZE, question), turn++, 0, ENTRY};
    for (; at < count; asked++) {
        const cl_uint *others = links + list[at].node * DEGREE;
        list[at].is_asked = 1;
        for (int i = 0; i < DEGREE; i++) {
            int is_known = 0;
            for (int k = 0; k < count; k++) {
                is_known |= list[k].node == others[i];
            }
            if (!is_known) {
                list[count++] = (struct known){square_between(rows + others[i] * SIZE, question), turn++,
                                               0, others[i]};
                qsort(list, (size_t)count, sizeof *list, by_distance);
                count = count > WIDTH ? WIDTH : count;
            }
        }
        for (at = 0; at < count && list[at].is_asked; at++) {
        }
    }
    return asked;
}

/* Most questions find what really is nearest. */
static int graph_walk_check(struct clbench *b) {
    const signed char *rows = b->buffer[0].host, *questions = b->buffer[2].host;
    const cl_uint4 *nearest = b->buffer[3].host;
    const cl_int4 *distances = b->buffer[4].host;
    const cl_int *turns = b->buffer[5].host;
    long apart = b->size / 400 + 1, found = 0, asked = 0;
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size; i += apart, asked++) {
        struct known list[WIDTH + 1];
        int least = INT32_MAX;
        ok = same("turns", i, turns[i], walk(b, questions + i * SIZE, list));
        for (int k = 0; ok && k < 4; k++) {
            ok = same("node", 4 * i + k, nearest[i].s[k], list[k].node) &&
                 same("distance", 4 * i + k, distances[i].s[k], list[k].distance);
        }
        for (int k = 0; k < NODES; k++) {
            int square = square_between(rows + k * SIZE, questions + i * SIZE);
            least = square < least ? square : least;
        }
        found += distances[i].s[0] == least;
    }
    return ok && same("most are found", 0, found * 5 >= asked * 3, 1);
}

enum { MIXES = 6, AXES = 8, FITTERS = 64, GROUPS = 20, STEPS = 3 };

/* As the kernel has it. */
struct bell {
    cl_float8 mean, sharp;
    cl_float height, unused[7];
};

/* Points around some middles; the first guess of bells is wide. */
static void mixture_step_prepare(struct clbench *b) {
    cl_float8 *points = make(b, 0, (size_t)b->size * sizeof *points);
    uint32_t state = 4673;
    for (long i = 0; i < b->size; i++) {
        uint32_t of = random_word(&state) % MIXES;
        for (int k = 0; k < AXES; k++) {
            float noise = random_unit(&state) + random_unit(&state) - random_unit(&state) -
                random_unit(&state);
            points[i].s[k] = (float)((of * 7 + (uint32_t)k * 5) % 11) * 0.3f + noise * 0.4f;
        }
    }
    make(b, 1, MIXES * sizeof(struct bell)), make(b, 2, GROUPS * MIXES * sizeof(struct bell));
    make(b, 3, GROUPS * sizeof(cl_float));
    up(b, 0);
}

static void first_bells(struct clbench *b) {
    struct bell *bells = b->buffer[1].host;
    const cl_float8 *points = b->buffer[0].host;
    for (int i = 0; i < MIXES; i++) {
        bells[i].mean = points[i * (b->size / MIXES)], bells[i].height = (cl_float)(AXES / 2) * -2.0f;
        for (int k = 0; k < AXES; k++) {
            bells[i].sharp.s[k] = 1.0f;
        }
    }
}

static void mixture_step_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, groups = GROUPS;
    first_bells(b), up(b, 1);
    for (int step = 0; step < STEPS; step++) {
        launch(b, "mixture_step", RANGE1(GROUPS * FITTERS, FITTERS), B(0), V(count), B(1), B(2), B(3));
        launch(b, "mixture_bells", RANGE1(MIXES, MIXES), B(2), V(groups), V(count), B(1));
    }
}

/* One step in double; gives the likelihood before it. */
static double fit(const cl_float8 *points, long count, double bells[MIXES][2 * AXES + 1]) {
    double sums[MIXES][2 * AXES + 1] = {{0.0}}, likelihood = 0.0;
    for (long i = 0; i < count; i++) {
        double shares[MIXES], all = 0.0;
        for (int m = 0; m < MIXES; m++) {
            shares[m] = bells[m][2 * AXES];
            for (int k = 0; k < AXES; k++) {
                double way = (double)points[i].s[k] - bells[m][k];
                shares[m] -= 0.5 * way * way * bells[m][AXES + k];
            }
            all += shares[m] = exp(shares[m]);
        }
        likelihood += log(all);
        for (int m = 0; m < MIXES; m++) {
            double share = shares[m] / all;
            sums[m][2 * AXES] += share;
            for (int k = 0; k < AXES; k++) {
                double value = (double)points[i].s[k];
                sums[m][k] += share * value, sums[m][AXES + k] += share * value * value;
            }
        }
    }
    for (int m = 0; m < MIXES; m++) {
        double share = sums[m][2 * AXES];
        bells[m][2 * AXES] = log(share / (double)count);
        for (int k = 0; k < AXES; k++) {
            double mean = sums[m][k] / share, spread = sums[m][AXES + k] / share - mean * mean;
            bells[m][k] = mean, bells[m][AXES + k] = 1.0 / spread;
            bells[m][2 * AXES] -= 0.5 * log(2.0 * acos(-1.0) * spread);
        }
    }
    return likelihood;
}

static int mixture_step_check(struct clbench *b) {
    const struct bell *got = b->buffer[1].host;
    const cl_float *likelihoods = b->buffer[3].host;
    double bells[MIXES][2 * AXES + 1], likelihood = 0.0, sum = 0.0;
    int ok = 1;
    first_bells(b);
    for (int m = 0; m < MIXES; m++) {
        for (int k = 0; k < AXES; k++) {
            bells[m][k] = (double)got[m].mean.s[k], bells[m][AXES + k] = (double)got[m].sharp.s[k];
        }
        bells[m][2 * AXES] = (double)got[m].height;
    }
    for (int step = 0; step < STEPS; step++) {
        likelihood = fit(b->buffer[0].host, b->size, bells);
    }
    down(b, 1), down(b, 3);
    for (int i = 0; i < GROUPS; i++) {
        sum += (double)likelihoods[i];
    }
    for (int m = 0; ok && m < MIXES; m++) {
        ok = near("height", m, (double)got[m].height, bells[m][2 * AXES], 1e-3);
        for (int k = 0; ok && k < AXES; k++) {
            ok = near("mean", m * AXES + k, (double)got[m].mean.s[k], bells[m][k], 1e-3) &&
                 near("sharp", m * AXES + k, (double)got[m].sharp.s[k], bells[m][AXES + k], 2e-3);
        }
    }
    return ok && near("likelihood", 0, sum, likelihood, 1e-4);
}

enum { LANES = 64, DEEP = 48, NEAR_BY = 40, MOST_OTHERS = 150 };
static const cl_float scale = 0.25f;

/* Halves between -2 and 2. */
static cl_ushort *fill_halves(struct clbench *b, int i, uint32_t state) {
    cl_ushort *halves = make(b, i, (size_t)(b->size * DEEP) * sizeof *halves);
    for (long k = 0; k < b->size * DEEP; k++) {
        uint32_t word = random_word(&state);
        halves[k] = (cl_ushort)((word & 0x8000) | (12 + word % 4) << 10 | (word >> 16 & 1023));
    }
    return halves;
}

/* Rows attend to those before that are near, and to some others; one in 19 to none. */
static void sparse_attend_prepare(struct clbench *b) {
    cl_int *starts = make(b, 0, (size_t)(b->size + 1) * sizeof *starts);
    cl_int *columns = make(b, 1, (size_t)(b->size * MOST_OTHERS) * sizeof *columns), at = 0;
    for (long i = 0; i < b->size; i++) {
        long others = mixed_word((uint32_t)i) % (MOST_OTHERS - NEAR_BY);
        for (long k = 0; i % 19 != 5 && k < NEAR_BY && k <= i; k++) {
            columns[at++] = (cl_int)(i - k);
        }
        for (long k = 0; i % 19 != 5 && k < others; k++) {
            columns[at++] = (cl_int)(mixed_word((uint32_t)(i * MOST_OTHERS + k)) % (uint32_t)b->size);
        }
        starts[i + 1] = at;
    }
    fill_halves(b, 2, 4679), fill_halves(b, 3, 4691), fill_halves(b, 4, 4703);
    make(b, 5, (size_t)at * sizeof(cl_float)), make(b, 6, (size_t)(b->size * DEEP) * sizeof(cl_ushort));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

static void sparse_attend_once(struct clbench *b) {
    launch(b, "sparse_attend", RANGE2((size_t)b->size, LANES, 1, LANES), B(0), B(1), B(2), B(3), B(4),
           V(scale), B(5), B(6));
}

/* In one go, without the largest product first. */
static int sparse_attend_check(struct clbench *b) {
    const cl_int *starts = b->buffer[0].host, *columns = b->buffer[1].host;
    const cl_ushort *queries = b->buffer[2].host, *keys = b->buffer[3].host;
    const cl_ushort *values = b->buffer[4].host, *got = b->buffer[6].host;
    int ok = 1;
    down(b, 6);
    for (long i = 0; ok && i < b->size; i += b->size / 400 + 1) {
        double sums[DEEP] = {0.0}, all = 0.0;
        for (long at = starts[i]; at < starts[i + 1]; at++) {
            double product = 0.0;
            for (long k = 0; k < DEEP; k++) {
                product += half_value(queries[i * DEEP + k]) * half_value(keys[columns[at] * DEEP + k]);
            }
            double weight = exp(product * (double)scale);
            for (long k = 0; k < DEEP; k++) {
                sums[k] += weight * half_value(values[columns[at] * DEEP + k]);
            }
            all += weight;
        }
        for (long k = 0; ok && k < DEEP; k++) {
            ok = near("value", i * DEEP + k, half_value(got[i * DEEP + k]), all > 0.0 ? sums[k] / all : 0.0,
                      2e-3);
        }
    }
    return ok;
}

const struct workload round28_learning_workloads[] = {
    WORKLOAD(round28_learning, graph_walk, 33, 2003, 9001, 40009),
    WORKLOAD(round28_learning, mixture_step, 500, 20011, 90001, 400009),
    WORKLOAD(round28_learning, sparse_attend, 25, 701, 3001, 10007),
    END_OF_WORKLOADS,
};
