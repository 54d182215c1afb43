/* Algebra. Sizes are systems, matrices, rows. */
#include "workloads.h"

enum { ROWS = 20, COLUMNS = 13, UNKNOWNS = 12, TEAMS = 5 };

static void givens_qr_prepare(struct clbench *b) {
    float *systems = make(b, 0, (size_t)b->size * ROWS * COLUMNS * sizeof *systems);
    uint32_t state = 4133;
    for (long i = 0; i < b->size * ROWS * COLUMNS; i++) {
        long row = i / COLUMNS % ROWS, column = i % COLUMNS;
        systems[i] = 2.0f * random_unit(&state) - 1.0f + (row == column ? 4.0f : 0.0f);
        if (random_word(&state) % 8 == 0 && row > column) {
            systems[i] = 0.0f;
        }
    }
    make(b, 1, (size_t)b->size * COLUMNS * sizeof(float));
    up(b, 0);
}

static void givens_qr_once(struct clbench *b) {
    launch(b, "givens_qr", RANGE2((size_t)b->size * COLUMNS, TEAMS, COLUMNS, TEAMS), B(0), B(1));
}

/* The equations that the best unknowns fulfil, and Gauss' elimination. */
static void solve_normal(const float *system, double unknowns[UNKNOWNS]) {
    double a[UNKNOWNS][COLUMNS] = {{0.0}};
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < UNKNOWNS; i++) {
            for (int k = 0; k < COLUMNS; k++) {
                a[i][k] += (double)system[row * COLUMNS + i] * (double)system[row * COLUMNS + k];
            }
        }
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        for (int i = 0; i < UNKNOWNS; i++) {
            double factor = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int n = k; n < COLUMNS; n++) {
                a[i][n] -= factor * a[k][n];
            }
        }
    }
    for (int i = 0; i < UNKNOWNS; i++) {
        unknowns[i] = a[i][UNKNOWNS] / a[i][i];
    }
}

static int givens_qr_check(struct clbench *b) {
    const float *systems = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        const float *system = systems + i * ROWS * COLUMNS;
        double unknowns[UNKNOWNS], square = 0.0;
        solve_normal(system, unknowns);
        for (int row = 0; row < ROWS; row++) {
            double rest = (double)system[row * COLUMNS + UNKNOWNS];
            for (int k = 0; k < UNKNOWNS; k++) {
                rest -= unknowns[k] * (double)system[row * COLUMNS + k];
            }
            square += rest * rest;
        }
        for (int k = 0; ok && k < UNKNOWNS; k++) {
            ok = near("unknown", i * UNKNOWNS + k, (double)got[i * COLUMNS + k], unknowns[k], 1e-4);
        }
        ok = ok && near("rest", i, (double)got[i * COLUMNS + UNKNOWNS], sqrt(square), 1e-4);
    }
    return ok;
}

enum { STATES = 4, TERMS = 24, HALVINGS = 12 };

/* Rates from one state to another; what is lost is what the others get. */
static void expm_rates_prepare(struct clbench *b) {
    double *rates = make(b, 0, (size_t)b->size * STATES * STATES * sizeof *rates);
    float *times = make(b, 1, (size_t)b->size * sizeof *times);
    uint32_t state = 4139;
    for (long i = 0; i < b->size; i++) {
        double *own = rates + i * STATES * STATES;
        for (int k = 0; k < STATES * STATES; k++) {
            double rate = 0.05 + (double)random_unit(&state);
            if (k / STATES != k % STATES) {
                own[k] = rate, own[k / STATES * (STATES + 1)] -= rate;
            }
        }
        float size = random_unit(&state);
        times[i] = 0.01f + 8.0f * size * size * size;
    }
    make(b, 2, (size_t)b->size * STATES * STATES * sizeof(double));
    up(b, 0), up(b, 1);
}

static void expm_rates_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "expm_rates", RANGE1(round_up(count, 16), 0), B(0), B(1), V(count), B(2));
}

static void multiply(long double to[STATES][STATES], long double a[STATES][STATES], long double c[STATES][STATES]) {
    for (int i = 0; i < STATES; i++) {
        for (int k = 0; k < STATES; k++) {
            to[i][k] = 0.0L;
            for (int n = 0; n < STATES; n++) {
                to[i][k] += a[i][n] * c[n][k];
            }
        }
    }
}

/* The series of the exponential, for a 4096th part of the time. */
static void exponential(const double *rates, double time, long double sum[STATES][STATES]) {
    long double part[STATES][STATES], term[STATES][STATES], next[STATES][STATES];
    for (int i = 0; i < STATES * STATES; i++) {
        part[i / STATES][i % STATES] = ldexpl((long double)rates[i] * (long double)time, -HALVINGS);
        sum[i / STATES][i % STATES] = term[i / STATES][i % STATES] = i / STATES == i % STATES ? 1.0L : 0.0L;
    }
    for (int k = 1; k < TERMS; k++) {
        multiply(next, term, part);
        for (int i = 0; i < STATES * STATES; i++) {
            term[i / STATES][i % STATES] = next[i / STATES][i % STATES] / (long double)k;
            sum[i / STATES][i % STATES] += term[i / STATES][i % STATES];
        }
    }
    for (int k = 0; k < HALVINGS; k++) {
        multiply(next, sum, sum), memcpy(sum, next, sizeof next);
    }
}

/* Of many matrices not all are looked at. */
static int expm_rates_check(struct clbench *b) {
    const double *rates = b->buffer[0].host, *got = b->buffer[2].host;
    const float *times = b->buffer[1].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i += b->size / 4001 + 1) {
        long double want[STATES][STATES];
        exponential(rates + i * STATES * STATES, (double)times[i], want);
        for (int k = 0; ok && k < STATES * STATES; k++) {
            ok = near("share", i * STATES * STATES + k, got[i * STATES * STATES + k], (double)want[k / STATES][k % STATES], 1e-11);
        }
    }
    return ok;
}

enum { LEVELS = 24, MOST_OTHERS = 17 };

/* The first row of a level, when rows are in order. */
static long level_start(const struct clbench *b, long level) { return b->size * level / LEVELS; }

/* The rows of a level need unknowns of the level before and of others before that. In memory rows are mixed: `place` says where. */
static void level_solve_prepare(struct clbench *b) {
    long rows = b->size, used = 0;
    int *order = make(b, 0, (size_t)rows * sizeof *order), *starts = make(b, 1, (size_t)(rows + 1) * sizeof *starts);
    int *columns = make(b, 2, (size_t)rows * (MOST_OTHERS + 1) * sizeof *columns), *level_of = malloc((size_t)rows * sizeof *level_of);
    double *values = make(b, 3, (size_t)rows * (MOST_OTHERS + 1) * sizeof *values), *right = make(b, 4, (size_t)rows * sizeof *right);
    uint32_t state = 4153;
    for (long i = 0; i < rows; i++) {
        order[i] = (int)i;
    }
    for (long i = rows - 1; i > 0; i--) {
        long other = random_word(&state) % (uint32_t)(i + 1);
        int row = order[i];
        order[i] = order[other], order[other] = row;
    }
    for (long level = 0; level < LEVELS; level++) {
        for (long i = level_start(b, level); i < level_start(b, level + 1); i++) {
            level_of[order[i]] = (int)level;
        }
    }
    for (long row = 0; row < rows; row++) {
        long before = level_start(b, level_of[row]), others = before == 0 ? 0 : 3 + random_word(&state) % (MOST_OTHERS - 2);
        long nearest = before == 0 ? 0 : level_start(b, level_of[row] - 1);
        starts[row] = (int)used;
        for (long k = 0; k < others; k++) {
            long from = k == 0 ? nearest : 0;
            columns[used] = order[from + random_word(&state) % (uint32_t)(before - from)];
            values[used++] = (double)random_unit(&state) - 0.5;
        }
        columns[used] = (int)row, values[used++] = 4.0 + (double)random_unit(&state);
        right[row] = (double)random_unit(&state) * 10.0 - 5.0;
    }
    starts[rows] = (int)used;
    free(level_of);
    make(b, 5, (size_t)rows * sizeof(double));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4), up(b, 5);
}

static void level_solve_once(struct clbench *b) {
    for (long level = 0; level < LEVELS; level++) {
        cl_int first = (cl_int)level_start(b, level), count = (cl_int)level_start(b, level + 1) - first;
        launch(b, "level_solve", RANGE1(round_up(count, 64), 64), B(0), V(first), V(count), B(1), B(2), B(3), B(4), B(5));
    }
}

/* The matrix times what was found. */
static int level_solve_check(struct clbench *b) {
    const int *starts = b->buffer[1].host, *columns = b->buffer[2].host;
    const double *values = b->buffer[3].host, *right = b->buffer[4].host, *got = b->buffer[5].host;
    int ok = 1;
    down(b, 5);
    for (long row = 0; ok && row < b->size; row++) {
        double sum = 0.0;
        for (int i = starts[row]; i < starts[row + 1]; i++) {
            sum += values[i] * got[columns[i]];
        }
        ok = near("right side", row, sum, right[row], 1e-11);
    }
    return ok;
}

const struct workload round25_algebra_workloads[] = {
    WORKLOAD(round25_algebra, givens_qr, 7, 1801, 6007, 20011),
    WORKLOAD(round25_algebra, expm_rates, 101, 20011, 70001, 300007),
    WORKLOAD(round25_algebra, level_solve, 601, 200003, 600011, 2000003),
    END_OF_WORKLOADS,
};
