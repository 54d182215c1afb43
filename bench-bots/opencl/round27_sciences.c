/* Sciences. Sizes are a side of a plate, a side of a plane of cells, models of a market. */
#include "workloads.h"
#include <complex.h>

enum { TILE = 16, PARTS_OF_TIME = 6 };

struct alloy {
    cl_float spacing, time_step, width, strength, turned, arms, latent, tau;
};

static const struct alloy alloy = {0.03f, 1e-4f, 0.01f, 0.04f, 0.3f, 6.0f, 1.6f, 3e-4f};

/* A round seed of a crystal in a melt that is too cold, more so in some places. */
static void dendrite_growth_prepare(struct clbench *b) {
    cl_float2 *cells = make(b, 0, (size_t)(b->size * b->size) * sizeof *cells);
    uint32_t state = 4457;
    for (long i = 0; i < b->size * b->size; i++) {
        double x = (double)(i % b->size) - 0.5 * (double)b->size;
        double y = (double)(i / b->size) - 0.45 * (double)b->size;
        cells[i].s[0] = (float)(0.5 - 0.5 * tanh((hypot(x, y) - 0.25 * (double)b->size) * 0.6));
        cells[i].s[1] = cells[i].s[0] * 0.8f + 0.1f * random_unit(&state);
    }
    make(b, 1, (size_t)(b->size * b->size) * sizeof *cells);
    make(b, 2, (size_t)(b->size * b->size) * sizeof *cells);
    make(b, 3, (size_t)(b->size * b->size) * sizeof(cl_float4));
    up(b, 0);
}

static void dendrite_growth_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    struct range range = RANGE2(round_up(side, TILE), round_up(side, TILE), TILE, TILE);
    for (int step = 0; step < PARTS_OF_TIME; step++) {
        int from = step == 0 ? 0 : 2 - step % 2, to = 1 + step % 2;
        launch(b, "dendrite_edges", range, B(from), V(side), V(alloy), B(3));
        launch(b, "dendrite_growth", range, B(from), B(3), V(side), V(alloy), B(to));
    }
}

/* The value of a cell some steps away, on a plate whose edges meet. */
static double beside(const double *values, long side, long at, long right, long down) {
    long x = (at % side + right + side) % side, y = (at / side + down + side) % side;
    return values[y * side + x];
}

/* Half of what changes along an axis, in cells. */
static double slope_of(const double *values, long side, long at, int axis) {
    return 0.5 * (beside(values, side, at, !axis, axis) - beside(values, side, at, -!axis, -axis));
}

/* A step: `all` has how solid cells are, how warm, three parts of their edges, and room. */
static void grow(double *all, long side) {
    long count = side * side;
    double *solid = all, *warm = all + count, *x_parts = all + 2 * count;
    double *y_parts = all + 3 * count, *squares = all + 4 * count;
    double spacing = (double)alloy.spacing, step = (double)alloy.time_step, *room = all + 5 * count;
    for (long i = 0; i < count; i++) {
        double x = slope_of(solid, side, i, 0) / spacing, y = slope_of(solid, side, i, 1) / spacing;
        double angle = (double)alloy.arms * (atan2(y, x) - (double)alloy.turned);
        double width = (double)alloy.width * (1.0 + (double)alloy.strength * cos(angle));
        double change = -(double)alloy.width * (double)alloy.arms * (double)alloy.strength *
            sin(angle);
        x_parts[i] = width * change * x, y_parts[i] = width * change * y;
        squares[i] = width * width;
    }
    for (long i = 0; i < count; i++) {
        double bend = -12.0 * solid[i], heat = -4.0 * warm[i];
        double drive = 0.9 / acos(-1.0) * atan(10.0 * (1.0 - warm[i]));
        for (int k = 0; k < 9; k++) {
            int right = k % 3 - 1, down = k / 3 - 1, is_near = abs(right) + abs(down) == 1;
            bend += k == 4 ? 0.0 : (is_near ? 2.0 : 1.0) * beside(solid, side, i, right, down);
            heat += is_near ? beside(warm, side, i, right, down) : 0.0;
        }
        double sum = (slope_of(x_parts, side, i, 1) - slope_of(y_parts, side, i, 0)) / spacing;
        for (int axis = 0; axis < 2; axis++) {
            sum += slope_of(squares, side, i, axis) * slope_of(solid, side, i, axis) /
                (spacing * spacing);
        }
        sum += squares[i] * bend / (3.0 * spacing * spacing) +
            solid[i] * (1.0 - solid[i]) * (solid[i] - 0.5 + drive);
        room[2 * i] = solid[i] + step / (double)alloy.tau * sum;
        room[2 * i + 1] = warm[i] + step * heat / (spacing * spacing) +
            (double)alloy.latent * (room[2 * i] - solid[i]);
    }
    for (long i = 0; i < count; i++) {
        solid[i] = room[2 * i], warm[i] = room[2 * i + 1];
    }
}

static int dendrite_growth_check(struct clbench *b) {
    const cl_float2 *first = b->buffer[0].host, *got = b->buffer[2].host;
    long count = b->size * b->size;
    double *all = malloc((size_t)count * 7 * sizeof *all), more = 0.0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; i < count; i++) {
        all[i] = (double)first[i].s[0], all[count + i] = (double)first[i].s[1];
    }
    for (int step = 0; step < PARTS_OF_TIME; step++) {
        grow(all, b->size);
    }
    for (long i = 0; ok && i < count; i++) {
        more += all[i] - (double)first[i].s[0];
        ok = near("solid", i, (double)got[i].s[0], all[i], 2e-5) &&
            near("warm", i, (double)got[i].s[1], all[count + i], 2e-5);
    }
    free(all);
    return ok && same("the crystal grew", 0, more > 0.0, 1);
}

enum { TERMS = 16, IN_CELL = 8, CHARGES_GROUP = 64 };

static void multipole_shift_prepare(struct clbench *b) {
    long side = b->size, cells = side * side, filled = 0;
    cl_float4 *charges = make(b, 0, (size_t)(cells * (2 * IN_CELL - 1)) * sizeof *charges);
    int *starts = make(b, 1, (size_t)(cells + 1) * sizeof *starts);
    float *binomials = make(b, 3, TERMS * TERMS * sizeof *binomials);
    uint32_t state = 4463;
    for (long i = 0; i < cells; i++) {
        for (uint32_t k = random_word(&state) % (2 * IN_CELL); k > 0; k--) {
            cl_float4 *charge = charges + filled++;
            charge->s[0] = (float)(i % side) + 0.999f * random_unit(&state);
            charge->s[1] = (float)(i / side) + 0.999f * random_unit(&state);
            charge->s[2] = 2.0f * random_unit(&state) - 1.0f;
        }
        starts[i + 1] = (int)filled;
    }
    for (int i = 0; i < TERMS * TERMS; i++) {
        binomials[i] = i < TERMS || i % TERMS == 0 ? 1.0f : binomials[i - 1] + binomials[i - TERMS];
    }
    make(b, 2, (size_t)cells * TERMS * sizeof(cl_float2));
    make(b, 4, (size_t)cells * TERMS * sizeof(cl_float2));
    make(b, 5, (size_t)filled * sizeof(float));
    up(b, 0), up(b, 1), up(b, 3);
}

static void multipole_shift_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, count = ((const int *)b->buffer[1].host)[side * side];
    launch(b, "cell_moments", RANGE2((size_t)side, (size_t)side, 0, 0), B(0), B(1), V(side), B(2));
    launch(b, "multipole_shift", RANGE2((size_t)side * TERMS, (size_t)side, TERMS, 1), B(2), B(3),
           V(side), B(4));
    launch(b, "far_potential", RANGE1(round_up(count, CHARGES_GROUP), CHARGES_GROUP), B(0),
           V(count), V(side), B(4), B(5));
}

/* Charge by charge, in those cells whose parents touch. */
static int multipole_shift_check(struct clbench *b) {
    const cl_float4 *charges = b->buffer[0].host;
    const int *starts = b->buffer[1].host;
    const float *got = b->buffer[5].host;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < starts[b->size * b->size]; i++) {
        double own_x = (double)charges[i].s[0], own_y = (double)charges[i].s[1], sum = 0.0;
        long x = (long)own_x, y = (long)own_y;
        for (long cell = 0; cell < 36; cell++) {
            long at_x = x / 2 * 2 - 2 + cell % 6, at_y = y / 2 * 2 - 2 + cell / 6;
            long other = at_y * b->size + at_x;
            int is_there = at_x >= 0 && at_y >= 0 && at_x < b->size && at_y < b->size;
            int is_listed = is_there && (labs(at_x - x) > 1 || labs(at_y - y) > 1);
            for (int k = is_listed ? starts[other] : 0; is_listed && k < starts[other + 1]; k++) {
                sum += (double)charges[k].s[2] *
                    log(hypot((double)charges[k].s[0] - own_x, (double)charges[k].s[1] - own_y));
            }
        }
        ok = near("potential", i, (double)got[i], sum, 1e-3);
    }
    return ok;
}

enum { STRIKES = 128, TIMES = 6, PIECES = 2000, CHECKED = 9 };

struct heston {
    cl_double start, back, mean, wild, linked;
};

static const cl_double interest = 0.03;
static const double complex unit = CMPLX(0.0, 1.0);

static void fourier_options_prepare(struct clbench *b) {
    double *strikes = make(b, 0, STRIKES * sizeof *strikes);
    double *times = make(b, 1, TIMES * sizeof *times);
    struct heston *models = make(b, 2, (size_t)b->size * sizeof *models);
    double *market = make(b, 3, STRIKES * TIMES * sizeof *market);
    uint32_t state = 4481;
    for (int i = 0; i < STRIKES * TIMES; i++) {
        strikes[i % STRIKES] = 0.7 + 0.005 * (i % STRIKES);
        times[i / STRIKES] = 0.25 * (1 + i / STRIKES * 1.5);
        market[i] = fmax(1.0 - strikes[i % STRIKES], 0.0) + 0.08 * sqrt(times[i / STRIKES]);
    }
    for (long i = 0; i < b->size; i++) {
        models[i].start = 0.02 + 0.06 * (double)random_unit(&state);
        models[i].back = 1.0 + 2.0 * (double)random_unit(&state);
        models[i].mean = 0.03 + 0.05 * (double)random_unit(&state);
        models[i].wild = 0.2 + 0.3 * (double)random_unit(&state);
        models[i].linked = -0.8 + 0.6 * (double)random_unit(&state);
    }
    make(b, 4, (size_t)b->size * TIMES * STRIKES * sizeof(double));
    make(b, 5, (size_t)b->size * TIMES * sizeof(double));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void fourier_options_once(struct clbench *b) {
    struct range range = RANGE3(STRIKES, TIMES, (size_t)b->size, STRIKES, 1, 1);
    launch(b, "fourier_options", range, B(0), B(1), B(2), V(interest), B(3), B(4), B(5));
}

/* The mean of the price to the power of `i * often`, by Heston's formula. */
static double complex mean_of_power(const struct heston *model, double time, double complex often) {
    double square = model->wild * model->wild;
    double complex step = unit * often;
    double complex free_part = model->back - model->linked * model->wild * step;
    double complex bend = csqrt(free_part * free_part + square * (step + often * often));
    double complex fade = cexp(-bend * time);
    double complex ratio = (free_part - bend) / (free_part + bend);
    double complex by_mean = (free_part - bend) * time -
        2.0 * clog((1.0 - ratio * fade) / (1.0 - ratio));
    double complex by_start = (free_part - bend) * (1.0 - fade) / (1.0 - ratio * fade);
    return cexp(step * interest * time +
                (model->back * model->mean * by_mean + model->start * by_start) / square);
}

/* Values by the integral of Gil-Pelaez: two chances that the price will be above the strike. */
static int surface_is_right(const struct clbench *b, long number) {
    const double *strikes = b->buffer[0].host, *times = b->buffer[1].host, *got = b->buffer[4].host;
    const struct heston *model = (const struct heston *)b->buffer[2].host + number / TIMES;
    double time = times[number % TIMES], sums[STRIKES] = {0.0}, width = 100.0 / sqrt(time) / PIECES;
    for (int i = 0; i < PIECES; i++) {
        double often = (i + 0.5) * width;
        double complex one = mean_of_power(model, time, often - unit);
        double complex other = mean_of_power(model, time, often);
        for (int k = 0; k < STRIKES; k += CHECKED) {
            double complex turn = cexp(-unit * often * log(strikes[k])) / (unit * often);
            sums[k] += creal(turn *
                             (exp(-interest * time) * one -
                              strikes[k] * exp(-interest * time) * other)) * width;
        }
    }
    int ok = 1;
    for (int k = 0; ok && k < STRIKES; k += CHECKED) {
        double want = 0.5 * (1.0 - strikes[k] * exp(-interest * time)) + sums[k] / acos(-1.0);
        ok = near("value", number * STRIKES + k, got[number * STRIKES + k], want, 1e-5);
    }
    return ok;
}

static int fourier_options_check(struct clbench *b) {
    const double *market = b->buffer[3].host, *got = b->buffer[4].host, *errors = b->buffer[5].host;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; ok && i < b->size * TIMES; i++) {
        double sum = 0.0;
        for (int k = 0; k < STRIKES; k++) {
            double off = got[i * STRIKES + k] - market[i % TIMES * STRIKES + k];
            sum += off * off;
        }
        ok = surface_is_right(b, i) && near("error", i, errors[i], sqrt(sum / STRIKES), 1e-9);
    }
    return ok;
}

const struct workload round27_sciences_workloads[] = {
    WORKLOAD(round27_sciences, dendrite_growth, 35, 150, 401, 1201),
    WORKLOAD(round27_sciences, multipole_shift, 6, 30, 64, 128),
    WORKLOAD(round27_sciences, fourier_options, 2, 31, 101, 401),
    END_OF_WORKLOADS,
};
