/* Choices. Sizes are rows, days, robots. */
#include "workloads.h"

enum { COLUMNS = 203, ROW_GROUP = 48 };

static const cl_float scale = 1.25f;

static void sparsemax_rows_prepare(struct clbench *b) {
    cl_ushort *values = make(b, 0, (size_t)b->size * COLUMNS * sizeof *values);
    uint32_t state = 4253;
    for (long i = 0; i < b->size * COLUMNS; i++) {
        uint32_t word = random_word(&state), power = i / COLUMNS % 3 == 0 ? 7 + word % 4 : 11 + word % 5;
        values[i] = (cl_ushort)((word >> 31) << 15 | power << 10 | (word >> 8 & 1023));
    }
    make(b, 1, (size_t)b->size * COLUMNS * sizeof(cl_ushort)), make(b, 2, (size_t)b->size * sizeof(float));
    up(b, 0);
}

static void sparsemax_rows_once(struct clbench *b) {
    cl_int columns = COLUMNS;
    launch(b, "sparsemax_rows", RANGE1((size_t)b->size * ROW_GROUP, ROW_GROUP), B(0), V(columns), V(scale), B(1), B(2));
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Sorted values tell how many of them stay. */
static int sparsemax_rows_check(struct clbench *b) {
    const cl_ushort *values = b->buffer[0].host, *got = b->buffer[1].host;
    const float *thresholds = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long row = 0; ok && row < b->size; row++) {
        double sorted[COLUMNS], sum = 0.0, threshold = 0.0;
        for (long k = 0; k < COLUMNS; k++) {
            sorted[k] = (double)scale * half_value(values[row * COLUMNS + k]);
        }
        qsort(sorted, COLUMNS, sizeof *sorted, by_value);
        for (long k = 0; k < COLUMNS; k++) {
            sum += sorted[k];
            threshold = 1.0 + (double)(k + 1) * sorted[k] > sum ? (sum - 1.0) / (double)(k + 1) : threshold;
        }
        ok = near("threshold", row, (double)thresholds[row], threshold, 1e-4);
        for (long k = row * COLUMNS; ok && k < (row + 1) * COLUMNS; k++) {
            ok = near("share", k, half_value(got[k]), fmax((double)scale * half_value(values[k]) - threshold, 0.0), 1e-3);
        }
    }
    return ok;
}

enum { TENORS = 12, YEARS = 30, SWAPS = 23, DAYS_GROUP = 32 };

static const int tenors[TENORS] = {1, 2, 3, 4, 5, 7, 10, 12, 15, 20, 25, 30};

static const cl_double basis_point = 1e-4;

struct swap {
    cl_int start, end;
    cl_double rate, amount;
};

static void swap_curves_prepare(struct clbench *b) {
    double *rates = make(b, 0, (size_t)b->size * TENORS * sizeof *rates);
    struct swap *swaps = make(b, 1, SWAPS * sizeof *swaps);
    uint32_t state = 4259;
    for (long i = 0; i < b->size; i++) {
        double level = 0.005 + 0.04 * (double)random_unit(&state), slope = 0.02 * (double)random_unit(&state) - 0.005;
        for (int k = 0; k < TENORS; k++) {
            rates[k * b->size + i] = level + slope * (1.0 - exp(-0.15 * tenors[k])) + 0.001 * (double)random_unit(&state);
        }
    }
    for (int i = 0; i < SWAPS; i++) {
        swaps[i].start = (cl_int)(random_word(&state) % 11), swaps[i].end = swaps[i].start + 1 + (cl_int)(random_word(&state) % 20);
        swaps[i].rate = 0.01 + 0.03 * (double)random_unit(&state), swaps[i].amount = 200.0 * (double)random_unit(&state) - 90.0;
    }
    make(b, 2, (size_t)b->size * (TENORS + 1) * sizeof(double));
    up(b, 0), up(b, 1);
}

static void swap_curves_once(struct clbench *b) {
    cl_int days = (cl_int)b->size, count = SWAPS;
    launch(b, "swap_curves", RANGE2(round_up(days, DAYS_GROUP), TENORS + 1, DAYS_GROUP, 1), B(0), V(days), B(1), V(count), V(basis_point),
           B(2));
}

/* What a swap of these years is worth at the beginning, by the factors. */
static double swap_value(const double *factors, int start, int end, double rate) {
    double value = factors[start] - factors[end];
    for (int year = start + 1; year <= end; year++) {
        value -= rate * factors[year];
    }
    return value;
}

/* For each rate the factor of its last year is looked for, between almost nothing and a lot, such that the swap is worth nothing. */
static void find_factors(const struct clbench *b, long day, int raised, double factors[YEARS + 1]) {
    const double *rates = b->buffer[0].host;
    factors[0] = 1.0;
    for (int k = 0; k < TENORS; k++) {
        int first = k == 0 ? 0 : tenors[k - 1], last = tenors[k];
        double rate = rates[k * b->size + day] + (k == raised ? basis_point : 0.0), low = 1e-3, high = 1.5;
        for (int turn = 0; turn < 70; turn++) {
            double middle = 0.5 * (low + high);
            for (int year = first + 1; year <= last; year++) {
                factors[year] = factors[first] * pow(middle / factors[first], (double)(year - first) / (double)(last - first));
            }
            *(swap_value(factors, 0, last, rate) > 0.0 ? &low : &high) = middle;
        }
    }
}

/* Of many days not all are looked at. */
static int swap_curves_check(struct clbench *b) {
    const struct swap *swaps = b->buffer[1].host;
    const double *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long day = 0; ok && day < b->size; day += b->size / 211 + 1) {
        for (long row = 0; ok && row <= TENORS; row++) {
            double factors[YEARS + 1], value = 0.0;
            find_factors(b, day, (int)row - 1, factors);
            for (int i = 0; i < SWAPS; i++) {
                value += swaps[i].amount * swap_value(factors, swaps[i].start, swaps[i].end, swaps[i].rate);
            }
            ok = near("value", row * b->size + day, got[row * b->size + day], value, 1e-9);
        }
    }
    return ok;
}

enum { SPEEDS = 33, TURNS = 21, SPEEDS_GROUP = 11, TURNS_GROUP = 7, STEPS = 30 };

struct robot {
    cl_float2 place, goal;
    cl_float heading, speed, turn, fastest;
};

static const cl_int2 cells = {{231, 173}};

static const cl_float step = 0.1f;

/* Round things that are in the way, and that is felt around them. */
static void window_paths_prepare(struct clbench *b) {
    struct robot *robots = make(b, 0, (size_t)b->size * sizeof *robots);
    unsigned char *costs = make(b, 1, (size_t)(cells.s[0] * cells.s[1]));
    uint32_t state = 4261;
    for (int i = 0; i < 90; i++) {
        double x = (double)random_unit(&state) * cells.s[0], y = (double)random_unit(&state) * cells.s[1];
        double size = 1.0 + 4.0 * (double)random_unit(&state);
        for (int k = 0; k < cells.s[0] * cells.s[1]; k++) {
            double away = hypot(k % cells.s[0] + 0.5 - x, k / cells.s[0] + 0.5 - y) - size;
            double cost = away < 0.0 ? 254.0 : 254.0 * exp(-0.4 * away);
            costs[k] = cost > costs[k] ? (unsigned char)cost : costs[k];
        }
    }
    for (long i = 0; i < b->size; i++) {
        struct robot *robot = robots + i;
        for (int tries = 0; tries < 100; tries++) {
            robot->place.s[0] = random_unit(&state) * (float)cells.s[0], robot->place.s[1] = random_unit(&state) * (float)cells.s[1];
            if (costs[(int)robot->place.s[1] * cells.s[0] + (int)robot->place.s[0]] < 100) {
                break;
            }
        }
        robot->goal.s[0] = random_unit(&state) * (float)cells.s[0], robot->goal.s[1] = random_unit(&state) * (float)cells.s[1];
        robot->heading = 6.0f * random_unit(&state), robot->speed = 1.0f + 5.0f * random_unit(&state);
        robot->turn = random_unit(&state) - 0.5f, robot->fastest = 7.0f;
    }
    make(b, 2, (size_t)b->size * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void window_paths_once(struct clbench *b) {
    launch(b, "no_bests", RANGE1((size_t)b->size, 0), B(2));
    launch(b, "window_paths", RANGE3(SPEEDS, TURNS, (size_t)b->size, SPEEDS_GROUP, TURNS_GROUP, 1), B(0), B(1), V(cells), V(step), B(2));
}

static double felt(const unsigned char *costs, double x, double y) {
    double sum = 0.0;
    x = fmin(fmax(x - 0.5, 0.0), cells.s[0] - 1.001), y = fmin(fmax(y - 0.5, 0.0), cells.s[1] - 1.001);
    for (int k = 0; k < 4; k++) {
        int column = (int)x + k % 2, row = (int)y + k / 2;
        sum += costs[row * cells.s[0] + column] * (1.0 - fabs(x - column)) * (1.0 - fabs(y - row));
    }
    return sum;
}

static double score_of(const struct clbench *b, const struct robot *robot, int candidate) {
    double speed = (double)robot->speed + (candidate % SPEEDS - SPEEDS / 2) * 0.125, heading = (double)robot->heading, worst = 0.0;
    double turn = (double)robot->turn + (candidate / SPEEDS - TURNS / 2) * 0.08, x = (double)robot->place.s[0], y = (double)robot->place.s[1];
    speed = fmin(fmax(speed, 0.0), (double)robot->fastest);
    for (int i = 0; i < STEPS; i++) {
        x += speed * 0.1 * cos(heading), y += speed * 0.1 * sin(heading), heading += turn * 0.1;
        worst = fmax(worst, felt(b->buffer[1].host, x, y));
    }
    double right = (double)robot->goal.s[0] - x, up_there = (double)robot->goal.s[1] - y, left = hypot(right, up_there) + 0.01;
    double facing = 0.5 + 0.5 * (right * cos(heading) + up_there * sin(heading)) / left;
    double good = 0.4 * facing + 0.4 / (1.0 + 0.1 * left) + 0.2 * speed / (double)robot->fastest;
    return worst < 200.0 ? (1.0 - worst / 200.0) * good : 0.0;
}

/* The path that was chosen is as good as told, and none is much better. */
static int window_paths_check(struct clbench *b) {
    const struct robot *robots = b->buffer[0].host;
    const cl_uint *got = b->buffer[2].host;
    long going = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        int candidate = got[i] & 1023;
        double told = (double)(got[i] >> 10) / 4194303.0, best = 0.0;
        for (int k = 0; k < SPEEDS * TURNS; k++) {
            best = fmax(best, score_of(b, robots + i, k));
        }
        ok = same("is a candidate", i, candidate < SPEEDS * TURNS, 1) && near("best", i, told, best, 1e-4) &&
             near("score", i, told, score_of(b, robots + i, candidate), 1e-4);
        going += best > 0.3;
    }
    return ok && same("many can go on", going, going > b->size / 2, 1);
}

const struct workload round25_choices_workloads[] = {
    WORKLOAD(round25_choices, sparsemax_rows, 37, 9001, 30011, 100003),
    WORKLOAD(round25_choices, swap_curves, 67, 7001, 20011, 70001),
    WORKLOAD(round25_choices, window_paths, 5, 53, 211, 1009),
    END_OF_WORKLOADS,
};
