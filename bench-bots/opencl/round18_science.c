/* Science. Sizes are widths, numbers of values and of atoms. */
#include "workloads.h"

enum { WALL = 0x40, TIMES = 16, SQUARE = 8 };

static long gas_height(const struct clbench *b) { return b->size / SQUARE / 2 * SQUARE; }

/* Between two walls gas flows around an obstacle. */
static void lattice_gas_prepare(struct clbench *b) {
    long width = b->size, height = gas_height(b);
    unsigned char *cells = make(b, 0, (size_t)(width * height));
    uint32_t state = 2273;
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width, dx = x - width / 4, dy = y - height / 2;
        int is_wall = y == 0 || y + 1 == height || 36 * (dx * dx + dy * dy) < height * height;
        unsigned particles = random_word(&state) & random_word(&state) & 0x3f;
        cells[i] = (unsigned char)(is_wall ? WALL : particles | (random_word(&state) % 3 == 0 ? 0x23 : 0) * (particles % 2));
    }
    make(b, 1, (size_t)(width * height)), make(b, 2, (size_t)(width * height));
    make(b, 3, (size_t)(width / SQUARE * (height / SQUARE)) * sizeof(cl_float4));
    up(b, 0);
}

static void lattice_gas_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)gas_height(b), side = SQUARE;
    struct range range = RANGE2(round_up(width, 64), (size_t)height, 64, 1);
    for (cl_uint time = 0; time < TIMES; time++) {
        int from = time == 0 ? 0 : 2 - (int)time % 2, to = 1 + (int)time % 2;
        launch(b, "lattice_gas", range, B(from), V(width), V(height), V(time), B(to));
    }
    launch(b, "gas_flow", RANGE2((size_t)(width / SQUARE), (size_t)(height / SQUARE), 0, 0), B(2), V(width), V(side), B(3));
}

static int chance_at(uint32_t place, uint32_t time) {
    return (int)(mixed_word(place ^ time * 0x9e3779b9u) & 1);
}

/* What a cell's particles are after they met. */
static unsigned met(unsigned state, int is_left) {
    for (unsigned i = 0; i < 3; i++) {
        if (state == 9u << i) {
            return 9u << (i + (is_left ? 1 : 2)) % 3;
        }
    }
    return state == 0x15 || state == 0x2a ? state ^ 0x3f : state;
}

/* Particles go from their cells to others, and meet there. */
static void flow_on(const unsigned char *from, unsigned char *to, long width, long height, uint32_t time) {
    memset(to, 0, (size_t)(width * height));
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width, odd = y % 2;
        long columns[6] = {x + 1, x + odd, x - 1 + odd, x - 1, x - 1 + odd, x + odd}, rows[6] = {y, y - 1, y - 1, y, y + 1, y + 1};
        for (int k = 0; k < 6; k++) {
            if ((from[i] >> k & 1) != 0 && rows[k] >= 0 && rows[k] < height) {
                to[rows[k] * width + (columns[k] + width) % width] |= (unsigned char)(1 << k);
            }
        }
    }
    for (long i = 0; i < width * height; i++) {
        unsigned back = (to[i] * 65u >> 3) & 0x3f;
        to[i] = (unsigned char)(from[i] & WALL ? WALL | back : met(to[i], chance_at((uint32_t)i, time)));
    }
}

static int lattice_gas_check(struct clbench *b) {
    const unsigned char *got = b->buffer[2].host;
    const cl_float4 *flow = b->buffer[3].host;
    static const double to_east[6] = {1.0, 0.5, -0.5, -1.0, -0.5, 0.5}, up_by[6] = {0.0, 1.0, 1.0, 0.0, -1.0, -1.0};
    long width = b->size, height = gas_height(b);
    unsigned char *cells[2] = {malloc((size_t)(width * height)), malloc((size_t)(width * height))};
    int ok = 1;
    down(b, 2), down(b, 3);
    memcpy(cells[0], b->buffer[0].host, (size_t)(width * height));
    for (uint32_t time = 0; time < TIMES; time++) {
        flow_on(cells[time % 2], cells[1 - time % 2], width, height, time);
    }
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("cell", i, got[i], cells[TIMES % 2][i]);
    }
    for (long i = 0; ok && i < width / SQUARE * (height / SQUARE); i++) {
        double sums[3] = {0.0};
        for (long k = 0; k < SQUARE * SQUARE * 6; k++) {
            long y = i / (width / SQUARE) * SQUARE + k / 6 / SQUARE, x = i % (width / SQUARE) * SQUARE + k / 6 % SQUARE;
            double is_there = got[y * width + x] >> k % 6 & 1;
            sums[0] += is_there * to_east[k % 6], sums[1] += is_there * up_by[k % 6] * sqrt(0.75), sums[2] += is_there;
        }
        for (int k = 0; ok && k < 3; k++) {
            ok = near("flow", i * 3 + k, (double)flow[i].s[k], sums[k] / (SQUARE * SQUARE), 1e-5);
        }
    }
    free(cells[0]), free(cells[1]);
    return ok;
}

static const cl_double precision = 1e-11;

/* Some values are far from all others, and some near to each other. */
static void sturm_bisection_prepare(struct clbench *b) {
    double *diagonal = make(b, 0, (size_t)b->size * sizeof *diagonal), *beside = make(b, 1, (size_t)b->size * sizeof *beside);
    uint32_t state = 2281;
    for (long i = 0; i < b->size; i++) {
        diagonal[i] = i % 40 == 7 ? 60.0 + (double)(i % 1000) * 0.01 : 4.0 * (double)random_unit(&state) - 2.0;
        beside[i] = i % 29 == 5 ? 1e-7 : 0.2 + (double)random_unit(&state);
    }
    make(b, 2, 2 * sizeof(double)), make(b, 3, (size_t)b->size * sizeof(double)), make(b, 4, (size_t)b->size);
    up(b, 0), up(b, 1);
}

static void sturm_bisection_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "value_bounds", RANGE1(64, 64), B(0), B(1), V(count), B(2));
    launch(b, "sturm_bisection", RANGE1(round_up(count, 16), 0), B(0), B(1), V(count), B(2), V(precision), B(3), B(4));
}

/* How many eigenvalues are below x: the negative ones of the matrix's last pivots, from its end to its beginning. */
static long values_below(const struct clbench *b, double x) {
    const double *diagonal = b->buffer[0].host, *beside = b->buffer[1].host;
    double pivot = 1.0;
    long below = 0;
    for (long i = b->size - 1; i >= 0; i--) {
        pivot = diagonal[i] - x - (i + 1 < b->size ? beside[i] * beside[i] / pivot : 0.0);
        pivot = fabs(pivot) < 1e-200 ? 1e-200 : pivot;
        below += pivot < 0.0;
    }
    return below;
}

static int sturm_bisection_check(struct clbench *b) {
    const double *values = b->buffer[3].host, *bounds = b->buffer[2].host, *diagonal = b->buffer[0].host;
    const unsigned char *steps = b->buffer[4].host;
    double sum = 0.0, trace = 0.0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        double off = 1e-9 * fmax(1.0, fabs(values[i]));
        ok = same("value is among the bounds", i, values[i] >= bounds[0] && values[i] <= bounds[1], 1) &&
             same("value isn't too low", i, values_below(b, values[i] + off) > i, 1) &&
             same("value isn't too high", i, values_below(b, values[i] - off) <= i, 1) &&
             same("steps are as many as needed", i, steps[i] > 30 && steps[i] < 60, 1);
        sum += values[i], trace += diagonal[i];
    }
    return ok && near("sum", 0, sum, trace, 1e-8) && same("bounds are near", 0, bounds[0] > -5.0 && bounds[1] < 75.0, 1);
}

enum { SHELLS = 200 };

static const cl_float box = 31.0f, shells_per_length = 14.0f;

/* Atoms near the places of a crystal, and others anywhere. */
static void pair_shells_prepare(struct clbench *b) {
    cl_float4 *atoms = make(b, 0, (size_t)b->size * sizeof *atoms);
    uint32_t state = 2287;
    for (long i = 0; i < b->size; i++) {
        for (int k = 0; k < 3; k++) {
            float place = (float)(random_word(&state) % 20) * 1.55f + 0.1f * random_unit(&state);
            atoms[i].s[k] = i % 5 == 0 ? box * random_unit(&state) : place;
        }
        atoms[i].s[3] = (float)(i % 3);
    }
    make(b, 1, SHELLS * sizeof(cl_uint));
    up(b, 0);
}

static void pair_shells_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "no_pairs", RANGE1(SHELLS, 0), B(1));
    launch(b, "pair_shells", RANGE1(round_up(count, 64), 64), B(0), V(count), V(box), V(shells_per_length), B(1));
}

/* Pairs almost between two shells may be in either. */
static int pair_shells_check(struct clbench *b) {
    const cl_float4 *atoms = b->buffer[0].host;
    const cl_uint *counts = b->buffer[1].host;
    long sure[SHELLS + 2] = {0}, unsure[SHELLS + 2] = {0}, unsure_pairs = 0, pairs = 0;
    double most = 0.0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; i < b->size; i++) {
        for (long j = 0; j < i; j++) {
            double squares = 0.0;
            for (int k = 0; k < 3; k++) {
                double off = (double)atoms[i].s[k] - (double)atoms[j].s[k];
                off -= (double)box * rint(off / (double)box), squares += off * off;
            }
            double at = sqrt(squares) * (double)shells_per_length;
            long low = (long)fmin(fmax(at - 2e-4, 0.0), SHELLS), high = (long)fmin(at + 2e-4, SHELLS);
            sure[low] += low == high, unsure[low] += low != high, unsure[high] += low != high;
            unsure_pairs += low != high;
            most = fmax(most, at);
        }
    }
    for (long i = 0; ok && i < SHELLS; i++) {
        ok = same("count is right", i, counts[i] >= sure[i] && counts[i] <= sure[i] + unsure[i], 1);
        pairs += counts[i];
    }
    return ok && same("some are farther", 0, most > SHELLS, 1) &&
           same("few are unsure", 0, unsure_pairs < 20 + b->size * b->size / 2000 && pairs > b->size * b->size / 20, 1);
}

enum { SWEEPS = 12 };

static long wave_rows(const struct clbench *b) { return b->size * 3 / 4; }
static long wave_layers(const struct clbench *b) { return b->size / 2 + 1; }

/* Layers of rock, a slow body among them, and a few places from which the wave starts. */
static void wave_arrival_prepare(struct clbench *b) {
    long width = b->size, height = wave_rows(b), depth = wave_layers(b), count = width * height * depth;
    float *times = make(b, 0, (size_t)count * sizeof *times), *slowness = make(b, 1, (size_t)count * sizeof *slowness);
    uint32_t state = 2293;
    for (long i = 0; i < count; i++) {
        long x = i % width, y = i / width % height, z = i / width / height, dx = x - width / 2, dz = z - depth / 2;
        float rock = 0.4f + 0.1f * (float)((z + x / 9) / 4 % 5) + 0.05f * random_unit(&state);
        slowness[i] = 16 * (dx * dx + dz * dz) < depth * depth ? 2.0f : rock;
        times[i] = x % 11 == 4 && y % 13 == 6 && z % 12 == 5 ? 0.5f * random_unit(&state) : 1e9f;
    }
    make(b, 2, (size_t)count * sizeof(float)), make(b, 3, (size_t)count * sizeof(float));
    up(b, 0), up(b, 1);
}

static void wave_arrival_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)wave_rows(b), depth = (cl_int)wave_layers(b);
    struct range range = RANGE3(round_up(width, 8), round_up(height, 4), round_up(depth, 4), 8, 4, 4);
    for (int i = 0; i < SWEEPS; i++) {
        int from = i == 0 ? 0 : 3 - i % 2, to = 2 + i % 2;
        launch(b, "wave_arrival", range, B(from), B(1), V(width), V(height), V(depth), B(to));
    }
}

/* When a wave comes from the least times of the axes' neighbours, any of which may be wrong for it: the first time at which those
 * before it, and only they, tell it. */
static double arrival(double times[3], double slow) {
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2 - i; k++) {
            double low = fmin(times[k], times[k + 1]), high = fmax(times[k], times[k + 1]);
            times[k] = low, times[k + 1] = high;
        }
    }
    double time = times[0] + slow;
    for (int count = 2; count <= 3 && time > times[count - 1]; count++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 1; i < count; i++) {
            sum += times[i] - times[0], squares += (times[i] - times[0]) * (times[i] - times[0]);
        }
        time = times[0] + (sum + sqrt(fmax(sum * sum - count * (squares - slow * slow), 0.0))) / count;
    }
    return time;
}

static void sweep(const struct clbench *b, const double *before, double *after) {
    const float *slowness = b->buffer[1].host;
    long width = b->size, height = wave_rows(b), depth = wave_layers(b), sides[3] = {width, height, depth};
    for (long i = 0; i < width * height * depth; i++) {
        long at[3] = {i % width, i / width % height, i / width / height}, steps[3] = {1, width, width * height};
        double times[3];
        for (int k = 0; k < 3; k++) {
            times[k] = at[k] > 0 ? before[i - steps[k]] : 1e9;
            times[k] = at[k] + 1 < sides[k] ? fmin(times[k], before[i + steps[k]]) : times[k];
        }
        int is_known = times[0] < 1e9 || times[1] < 1e9 || times[2] < 1e9;
        after[i] = is_known ? fmin(before[i], arrival(times, (double)slowness[i])) : before[i];
    }
}

static int wave_arrival_check(struct clbench *b) {
    const float *first = b->buffer[0].host, *got = b->buffer[3].host;
    long count = b->size * wave_rows(b) * wave_layers(b), never = 0;
    double *times[2] = {malloc((size_t)count * sizeof(double)), malloc((size_t)count * sizeof(double))};
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < count; i++) {
        times[0][i] = (double)first[i];
    }
    for (int i = 0; i < SWEEPS; i++) {
        sweep(b, times[i % 2], times[1 - i % 2]);
    }
    for (long i = 0; ok && i < count; i++) {
        ok = near("time", i, (double)got[i], times[SWEEPS % 2][i], 2e-4);
        never += got[i] >= 1e9f;
    }
    free(times[0]), free(times[1]);
    return ok && same("some are not reached", 0, never > 0 && never < count / 2, 1);
}

const struct workload round18_science_workloads[] = {
    WORKLOAD(round18_science, lattice_gas, 96, 320, 1600, 6400),
    WORKLOAD(round18_science, sturm_bisection, 45, 307, 1501, 6007),
    WORKLOAD(round18_science, pair_shells, 301, 2003, 10007, 60013),
    WORKLOAD(round18_science, wave_arrival, 29, 75, 201, 601),
    END_OF_WORKLOADS,
};
