/* Numbers. Sizes are squares of two triangles along x, unknowns, paths. */
#include "workloads.h"

enum { SIDES = 3, FAR = -2, WALL = -1, STEPS = 3, STAGES = 3, COUNTS = 8 };

static const double GAMMA = 1.4;
static const cl_double courant = 0.5;
static const cl_double4 coming = {{1.4, 2.1, 0.0, 1.0 / 0.4 + 0.5 * 2.1 * 2.1 / 1.4}};

static long height_of(const struct clbench *b) { return b->size * 2 / 3 + 1; }

/* How many triangles there are, which the host's side of the last buffer keeps. */
static cl_int triangles_of(const struct clbench *b) { return *(cl_int *)b->buffer[COUNTS].host; }

static double moved(long x, long y) {
    uint32_t state = (uint32_t)(x * 7919 + y * 104729 + 17);
    random_word(&state);
    return 0.4 * random_unit(&state) - 0.2;
}

/* Whether squares are gas: those outside a disc and within the mesh. */
static int is_gas(const struct clbench *b, long x, long y) {
    long dx = 3 * x - b->size, dy = 2 * y - height_of(b);
    return x >= 0 && y >= 0 && x < b->size && y < height_of(b) && 4 * dx * dx + 9 * dy * dy > b->size * b->size / 2;
}

/* The corners of a triangle in turn, and what is beside the side from each to the next: the other triangle of a square. */
static const signed char corners[2][4][2] = {{{0, 0}, {1, 0}, {0, 1}, {0, 0}}, {{1, 1}, {0, 1}, {1, 0}, {1, 1}}};
static const signed char beside[2][SIDES][2] = {{{0, -1}, {0, 0}, {-1, 0}}, {{0, 1}, {0, 0}, {1, 0}}};

/* Numbers for the triangles, in no order; gives how many there are. */
static cl_int number_triangles(const struct clbench *b, cl_int *numbers) {
    long count = 0, all = 2 * b->size * height_of(b);
    cl_int *order = calloc((size_t)all, sizeof *order);
    uint32_t state = 1271;
    for (long i = 0; i < all; i++) {
        if (is_gas(b, i / 2 % b->size, i / 2 / b->size)) {
            long other = random_word(&state) % (uint32_t)(count + 1);
            order[count] = order[other];
            order[other] = (cl_int)i;
            count++;
        }
    }
    for (long i = 0; i < count; i++) {
        numbers[order[i]] = (cl_int)i;
    }
    free(order);
    return (cl_int)count;
}

static void mesh_flow_prepare(struct clbench *b) {
    long all = 2 * b->size * height_of(b);
    cl_int *numbers = calloc((size_t)all, sizeof *numbers), count = number_triangles(b, numbers);
    size_t values = (size_t)count * 4 * sizeof(double);
    make(b, 0, values), make(b, 1, values), make(b, 2, values), make(b, 3, (size_t)count * sizeof(double));
    cl_int *neighbours = make(b, 4, (size_t)(count * SIDES) * sizeof *neighbours);
    cl_double2 *normals = make(b, 5, (size_t)(count * SIDES) * sizeof *normals);
    double *areas = make(b, 6, (size_t)count * sizeof *areas), *states = make(b, 7, values);
    uint32_t state = 1281;
    *(cl_int *)make(b, COUNTS, sizeof(cl_int)) = count;
    for (long t = 0; t < all; t++) {
        long x = t / 2 % b->size, y = t / 2 / b->size, i = numbers[t];
        if (!is_gas(b, x, y)) {
            continue;
        }
        double at[4][2];
        for (int k = 0; k < 4; k++) {
            long u = x + corners[t % 2][k][0], v = y + corners[t % 2][k][1];
            at[k][0] = (double)u + moved(u, v), at[k][1] = (double)v + moved(v, u + 1000);
        }
        for (int k = 0; k < SIDES; k++) {
            long u = x + beside[t % 2][k][0], v = y + beside[t % 2][k][1], other = 2 * (v * b->size + u) + 1 - t % 2;
            neighbours[k * count + i] = is_gas(b, u, v) ? numbers[other] : u < 0 || u >= b->size ? FAR : WALL;
            normals[k * count + i] = (cl_double2){{at[k + 1][1] - at[k][1], at[k][0] - at[k + 1][0]}};
            areas[i] += 0.5 * (at[k][0] * at[k + 1][1] - at[k + 1][0] * at[k][1]);
        }
        double dense = 1.0 + 0.1 * random_unit(&state);
        for (int k = 0; k < 4; k++) {
            states[k * count + i] = coming.s[k] * dense;
        }
    }
    free(numbers);
    up(b, 4), up(b, 5), up(b, 6), up(b, 7);
}

static void mesh_flow_once(struct clbench *b) {
    cl_int count = triangles_of(b);
    struct range range = RANGE1(round_up(count, 192), 192), pairs = RANGE1((size_t)count * 2, 0);
    launch(b, "mesh_copy", pairs, B(7), B(0));
    for (int step = 0; step < STEPS; step++) {
        launch(b, "mesh_copy", pairs, B(0), B(1));
        launch(b, "mesh_steps", range, B(0), B(6), V(count), V(courant), B(3));
        for (int stage = 0; stage < STAGES; stage++) {
            cl_double part = 1.0 / (STAGES - stage);
            launch(b, "mesh_fluxes", range, B(0), B(4), B(5), V(count), V(coming), B(2));
            launch(b, "mesh_advance", range, B(1), B(2), B(3), V(count), V(part), B(0));
        }
    }
}

/* A state's flux along x or y, and how fast waves go through it. */
static void wave(const double *u, const double *normal, double *flux, double *speed) {
    double velocity = (u[1] * normal[0] + u[2] * normal[1]) / u[0];
    double pressure = (GAMMA - 1.0) * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]);
    for (int k = 0; k < 4; k++) {
        flux[k] = velocity * (u[k] + (k == 3 ? pressure : 0.0)) + (k == 1 || k == 2 ? pressure * normal[k - 1] : 0.0);
    }
    *speed = fabs(velocity) + sqrt(GAMMA * pressure / u[0]) * sqrt(normal[0] * normal[0] + normal[1] * normal[1]);
}

/* Each side once, for both triangles. `states` and `sums` have four numbers a triangle. */
static void add_fluxes(const struct clbench *b, const double *states, double *sums) {
    const cl_int *neighbours = b->buffer[4].host;
    const cl_double2 *normals = b->buffer[5].host;
    long count = triangles_of(b);
    memset(sums, 0, (size_t)count * 4 * sizeof *sums);
    for (long at = 0; at < count * SIDES; at++) {
        double mine[4], theirs[4], speeds[2];
        long i = at % count, other = neighbours[at];
        if (other >= 0 && other < i) {
            continue;
        }
        wave(states + 4 * i, normals[at].s, mine, speeds);
        if (other == WALL) {
            double velocity = (states[4 * i + 1] * normals[at].s[0] + states[4 * i + 2] * normals[at].s[1]) / states[4 * i];
            for (int k = 1; k < 3; k++) {
                sums[4 * i + k] += mine[k] - velocity * states[4 * i + k];
            }
            continue;
        }
        const double *beyond = other == FAR ? coming.s : states + 4 * other;
        wave(beyond, normals[at].s, theirs, speeds + 1);
        for (int k = 0; k < 4; k++) {
            double flux = 0.5 * (mine[k] + theirs[k] - fmax(speeds[0], speeds[1]) * (beyond[k] - states[4 * i + k]));
            sums[4 * i + k] += flux;
            if (other >= 0) {
                sums[4 * other + k] -= flux;
            }
        }
    }
}

static int mesh_flow_check(struct clbench *b) {
    const double *areas = b->buffer[6].host, *begun = b->buffer[7].host, *got = b->buffer[0].host;
    long count = triangles_of(b);
    double *states = calloc((size_t)count * 13, sizeof *states), *first = states + 4 * count, *sums = first + 4 * count;
    double *steps = sums + 4 * count, changed = 0.0;
    int ok = 1;
    down(b, 0);
    for (long i = 0; i < count * 4; i++) {
        states[i] = begun[i % 4 * count + i / 4];
    }
    for (int step = 0; step < STEPS; step++) {
        memcpy(first, states, (size_t)count * 4 * sizeof *states);
        for (long i = 0; i < count; i++) {
            const double *u = states + 4 * i;
            double squares = (u[1] * u[1] + u[2] * u[2]) / u[0];
            double sound = sqrt(GAMMA * (GAMMA - 1.0) * (u[3] - 0.5 * squares) / u[0]);
            steps[i] = courant / sqrt(areas[i]) / (sqrt(squares / u[0]) + sound);
        }
        for (int stage = 0; stage < STAGES; stage++) {
            add_fluxes(b, states, sums);
            for (long i = 0; i < count * 4; i++) {
                states[i] = first[i] - sums[i] * steps[i / 4] / (STAGES - stage);
            }
        }
    }
    for (long i = 0; ok && i < count * 4; i++) {
        ok = near("state", i, got[i % 4 * count + i / 4], states[i], 1e-11);
        changed += fabs(states[i] - begun[i % 4 * count + i / 4]);
    }
    free(states);
    return ok && same("it changes", 0, changed > 0.01 * (double)count, 1);
}

/* A pivot is needed for each fifth unknown, the first among them. */
static void gauss_pivots_prepare(struct clbench *b) {
    long n = b->size;
    float *matrix = make(b, 0, (size_t)(n * (n + 1)) * sizeof *matrix);
    fill_between(matrix, n * (n + 1), 1291, -1.0f, 1.0f);
    for (long i = 0; i < n; i += 5) {
        matrix[i * (n + 1) + i] = 0.0f;
    }
    make(b, 1, sizeof(cl_int)), make(b, 2, (size_t)n * sizeof(float)), make(b, 3, (size_t)n * sizeof(float));
}

static void gauss_pivots_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    up(b, 0);
    for (cl_int k = 0; k < n; k++) {
        launch(b, "find_pivot", RANGE1(256, 256), B(0), V(n), V(k), B(1));
        launch(b, "swap_rows", RANGE1(round_up(n + 1 - k, 128), 128), B(0), V(n), V(k), B(1));
        if (k + 1 < n) {
            launch(b, "row_factors", RANGE1(round_up(n - 1 - k, 64), 64), B(0), V(n), V(k), B(2));
            launch(b, "eliminate", RANGE2(round_up(n + 1 - k, 16), round_up(n - 1 - k, 16), 16, 16), B(0), V(n), V(k), B(2));
        }
    }
    launch(b, "substitute_back", RANGE1(256, 256), B(0), V(n), B(3));
}

/* The equations, with the solution in them: some roundings of each of n products, and what is left grows to some units. */
static int gauss_pivots_check(struct clbench *b) {
    const float *matrix = b->buffer[0].host, *x = b->buffer[3].host;
    double largest = 1.0;
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < b->size; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    for (long row = 0; ok && row < b->size; row++) {
        const float *of = matrix + row * (b->size + 1);
        double sum = 0.0;
        for (long i = 0; i < b->size; i++) {
            sum += (double)of[i] * x[i];
        }
        ok = near("left side", row, (sum - of[b->size]) / largest, 0.0, 1e-4);
    }
    return ok;
}

enum { ASSETS = 4, DATES = 4, DIMENSIONS = ASSETS * DATES, BITS = 32, GROUPS = 64, ITEMS = 128 };

static const cl_float drift = -0.004f, basket_spread = 0.12f, barrier_at = -0.3f, strike = 0.97f;

/* Primitive polynomials, each as the bits of its coefficients; the first dimension has none. */
static const unsigned char polynomials[DIMENSIONS] = {0, 3, 7, 11, 13, 19, 25, 37, 41, 47, 55, 59, 61, 67, 91, 97};

/* The first directions of a dimension are odd numbers of our choice; the others follow by its polynomial. */
static void sobol_basket_prepare(struct clbench *b) {
    cl_uint *directions = make(b, 0, DIMENSIONS * BITS * sizeof *directions);
    float *factor = make(b, 1, ASSETS * ASSETS * sizeof *factor);
    uint32_t state = 1301;
    for (int d = 0; d < DIMENSIONS; d++) {
        cl_uint *of = directions + d * BITS;
        int degree = 0;
        while (polynomials[d] >> (degree + 1) > 0) {
            degree++;
        }
        for (int k = 0; k < BITS; k++) {
            of[k] = ((random_word(&state) & ((1u << (k < degree ? k : 0)) - 1)) << 1 | 1) << (31 - k);
            if (degree > 0 && k >= degree) {
                of[k] = of[k - degree] >> degree;
                for (int i = 1; i <= degree; i++) {
                    of[k] ^= polynomials[d] >> (degree - i) & 1 ? of[k - i] : 0;
                }
            }
        }
    }
    for (int i = 0; i < ASSETS; i++) {
        for (int k = 0; k <= i; k++) {
            factor[i * ASSETS + k] = k == i ? 1.0f - 0.15f * (float)i : 0.2f + 0.1f * (float)k;
        }
    }
    make(b, 2, GROUPS * sizeof(cl_float2)), make(b, 3, GROUPS * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void sobol_basket_once(struct clbench *b) {
    cl_int paths = (cl_int)b->size;
    launch(b, "sobol_basket", RANGE1(GROUPS * ITEMS, ITEMS), B(0), V(paths), B(1), V(drift), V(basket_spread), V(barrier_at),
           V(strike), B(2), B(3));
}

/* Newton's steps on the logarithm, which never go beyond the root. */
static double normal_below(double p) {
    double tail = p < 0.5 ? p : 1.0 - p, x = 0.0;
    for (int i = 0; i < 9; i++) {
        double below = 0.5 * erfc(-x * sqrt(0.5));
        x -= log(below / tail) * below / (exp(-0.5 * x * x) * 0.3989422804014327);
    }
    return p < 0.5 ? x : -x;
}

/* What a path gains, -1 if it is out. */
static double gain_of(const cl_uint *points, const float *factor) {
    double logs[ASSETS] = {0.0}, sum = 0.0;
    for (int date = 0; date < DATES; date++) {
        double normals[ASSETS];
        for (int i = 0; i < ASSETS; i++) {
            double change = drift;
            normals[i] = normal_below(((points[date * ASSETS + i] >> 9) + 0.5) * 0x1p-23);
            for (int k = 0; k <= i; k++) {
                change += (double)basket_spread * factor[i * ASSETS + k] * normals[k];
            }
            logs[i] += change;
            if (logs[i] < (double)barrier_at) {
                return -1.0;
            }
        }
    }
    for (int i = 0; i < ASSETS; i++) {
        sum += exp(logs[i]);
    }
    return fmax(sum / ASSETS - (double)strike, 0.0);
}

/* One point after the other. A path that is at the barrier to within rounding may end otherwise, so that a group or two may. */
static int sobol_basket_check(struct clbench *b) {
    const cl_uint *directions = b->buffer[0].host;
    const cl_float2 *got = b->buffer[2].host;
    const cl_int *alive = b->buffer[3].host;
    double sums[GROUPS][2] = {{0.0}};
    cl_uint points[DIMENSIONS] = {0};
    long left[GROUPS] = {0}, all = 0;
    int ok = 1, others = 0;
    down(b, 2), down(b, 3);
    for (long path = 0; path < b->size; path++) {
        int bit = __builtin_ctzl((unsigned long)path + 1);
        for (int d = 0; d < DIMENSIONS; d++) {
            points[d] ^= directions[d * BITS + bit];
        }
        double gain = gain_of(points, b->buffer[1].host);
        long group = path % (GROUPS * ITEMS) / ITEMS;
        if (gain >= 0.0) {
            sums[group][0] += gain, sums[group][1] += gain * gain;
            left[group]++, all++;
        }
    }
    for (int i = 0; ok && i < GROUPS; i++) {
        if (alive[i] == left[i]) {
            ok = near("gains", i, got[i].s[0], sums[i][0], 2e-5) && near("squares", i, got[i].s[1], sums[i][1], 2e-5);
        } else {
            ok = same("about as many are left", i, labs(alive[i] - left[i]) < 3, 1);
            others++;
        }
    }
    return ok && same("most groups are the same", 0, others <= 2, 1) &&
           same("some are left, some not", 0, all * 4 > b->size && all * 8 < b->size * 7, 1);
}

const struct workload round12_numbers_workloads[] = {
    WORKLOAD(round12_numbers, mesh_flow, 19, 91, 241, 601),
    WORKLOAD(round12_numbers, gauss_pivots, 45, 161, 401, 1001),
    WORKLOAD(round12_numbers, sobol_basket, 3001, 30011, 240007, 2000003),
    END_OF_WORKLOADS,
};
