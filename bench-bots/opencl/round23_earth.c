/* The earth. Sizes are columns of air, a side of a terrain, places. */
#include "workloads.h"

enum { LEVELS = 48 };

struct level {
    cl_float pressure, density, factor, depth;
};

static const cl_float rain_step = 20.0f;

/* Air that is wet below and cold above, with clouds and showers in some columns. */
static void rain_columns_prepare(struct clbench *b) {
    struct level *levels = make(b, 0, LEVELS * sizeof *levels);
    size_t bytes = (size_t)b->size * LEVELS * sizeof(float);
    float *temperatures = make(b, 1, bytes), *vapours = make(b, 2, bytes), *clouds = make(b, 3, bytes), *rains = make(b, 4, bytes);
    double height = 0.0;
    uint32_t state = 3023;
    for (long k = 0; k < LEVELS; k++) {
        double depth = 60.0 + 6.0 * (double)k, middle = height + 0.5 * depth, warmth = 298.0 - 0.0062 * middle;
        double pressure = 1e5 * pow(1.0 - 0.0062 * middle / 298.0, 5.5);
        levels[k].pressure = (float)pressure, levels[k].density = (float)(pressure / (287.0 * warmth)), levels[k].depth = (float)depth;
        levels[k].factor = (float)sqrt((double)levels[0].density / (double)levels[k].density);
        for (long i = 0; i < b->size; i++) {
            double vapour_pressure = 611.2 * exp(17.67 * (warmth - 273.15) / (warmth - 29.65)), chance = (double)random_unit(&state);
            long at = k * b->size + i, is_cloudy = i % 64 < 20 + i / 64 % 30 && k > 8 && k < 34;
            temperatures[at] = (float)(warmth + 2.0 * chance - 1.0);
            vapours[at] = (float)(0.622 * vapour_pressure / pressure * (0.55 + 0.5 * (double)random_unit(&state)));
            clouds[at] = is_cloudy ? 0.003f * random_unit(&state) : 0.0f;
            rains[at] = i % 64 < i / 64 % 25 && k < 28 ? 0.004f * random_unit(&state) : 0.0f;
        }
        height += depth;
    }
    make(b, 5, (size_t)b->size * LEVELS * sizeof(cl_float4)), make(b, 6, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

static void rain_columns_once(struct clbench *b) {
    cl_int columns = (cl_int)b->size;
    launch(b, "rain_columns", RANGE1(round_up(columns, 64), 64), B(0), V(columns), V(rain_step), B(1), B(2), B(3), B(4), B(5), B(6));
}

static double falls_with(const struct level *level, double rain) {
    return rain > 0.0 ? 36.34 * (double)level->factor * pow(0.001 * (double)level->density * rain, 0.1364) : 0.0;
}

/* Lets a column's rain fall; gives what reaches the ground, or -1 where the number of steps is in doubt. */
static double let_fall(const struct level *levels, double rain[LEVELS]) {
    double fastest = 0.0, sum = 0.0;
    for (int k = 0; k < LEVELS; k++) {
        fastest = fmax(fastest, (double)rain_step * falls_with(levels + k, rain[k]) / (double)levels[k].depth);
    }
    int steps = 1 + (int)fastest;
    for (int i = 0; i < steps; i++) {
        double part = (double)rain_step / steps, flows[LEVELS + 1] = {0.0};
        for (int k = 0; k < LEVELS; k++) {
            flows[k] = (double)levels[k].density * rain[k] * falls_with(levels + k, rain[k]);
        }
        for (int k = 0; k < LEVELS; k++) {
            rain[k] += part * (flows[k + 1] - flows[k]) / (double)levels[k].density / (double)levels[k].depth;
            rain[k] = fmax(rain[k], 0.0);
        }
        sum += part * flows[0];
    }
    return fabs(fastest - rint(fastest)) < 1e-4 && fastest > 0.5 ? -1.0 : sum;
}

/* Of temperature, vapour, cloud and rain, in this order. */
static void change_water(const struct level *level, double values[4]) {
    double pressure = (double)level->pressure, density = (double)level->density, step = (double)rain_step, latent = 2.5e6, heat = 1004.6;
    double change = fmin(step * (0.001 * fmax(values[2] - 0.001, 0.0) + 2.2 * values[2] * pow(values[3], 0.875)), values[2]);
    double over = 611.2 * exp(17.67 * (values[0] - 273.15) / (values[0] - 29.65)), most = 0.622 * over / (pressure - over);
    double slope = 1.0 + latent * latent * most / (heat * 461.5 * values[0] * values[0]);
    values[2] -= change, values[3] += change;
    double condensed = fmax((values[1] - most) / slope, -values[2]), dried = 0.0;
    if (values[1] < most && values[3] > 0.0) {
        double wet = density * values[3], rate = (1.6 + 30.39 * pow(wet, 0.2046)) * pow(wet, 0.525) * (1.0 - values[1] / most);
        rate /= 2.03e4 + 9.584e6 / (pressure * most);
        dried = fmin(fmin(step * rate / density, values[3]), fmax((most - values[1]) / slope + condensed, 0.0));
    }
    values[0] += latent / heat * (condensed - dried), values[1] += dried - condensed, values[2] += condensed, values[3] -= dried;
}

/* Water is a few grams of a kilogram, so it is compared in grams. Of many columns not all are looked at. */
static int rain_columns_check(struct clbench *b) {
    const struct level *levels = b->buffer[0].host;
    const cl_float4 *next = b->buffer[5].host;
    const float *fallen = b->buffer[6].host;
    long step_on = b->size / 3001 + 1;
    int ok = 1, rainy = 0;
    down(b, 5), down(b, 6);
    for (long i = 0; ok && i < b->size; i += step_on) {
        double rain[LEVELS];
        for (long k = 0; k < LEVELS; k++) {
            rain[k] = (double)((const float *)b->buffer[4].host)[k * b->size + i];
        }
        double sum = let_fall(levels, rain);
        if (sum < 0.0) {
            continue;
        }
        ok = near("fallen", i, 1e2 * (double)fallen[i], 1e2 * sum, 1e-3);
        rainy += sum > 1e-3;
        for (long k = 0; ok && k < LEVELS; k++) {
            long at = k * b->size + i;
            double values[4] = {0.0, 0.0, 0.0, rain[k]};
            for (int n = 0; n < 3; n++) {
                values[n] = (double)((const float *)b->buffer[1 + n].host)[at];
            }
            change_water(levels + k, values);
            ok = near("temperature", at, (double)next[at].s[0], values[0], 2e-6);
            for (int n = 1; ok && n < 4; n++) {
                ok = near("grams of water", at * 4 + n, 1e3 * (double)next[at].s[n], 1e3 * values[n], 5e-4);
            }
        }
    }
    return ok && same("some rain falls", 0, rainy > 0 || b->size < 100, 1);
}

enum { ROUNDS = 12 };

static const cl_int least_stream = 60;

/* Hills of all widths: each has half the height of those that are twice as wide. */
static void drain_basins_prepare(struct clbench *b) {
    cl_ushort *heights = make(b, 0, (size_t)(b->size * b->size) * sizeof *heights);
    for (long i = 0; i < b->size * b->size; i++) {
        double sum = 0.0;
        for (uint32_t power = 1; power < 8; power++) {
            double x = ldexp((double)(i % b->size), -(int)power), y = ldexp((double)(i / b->size), -(int)power), corners[4];
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t column = (uint32_t)x + k % 2, row = (uint32_t)y + k / 2;
                corners[k] = mixed_word(column + row * 4099u + power * 0x1000003u) * 0x1p-32;
            }
            x -= floor(x), y -= floor(y);
            sum += ldexp((1.0 - y) * ((1.0 - x) * corners[0] + x * corners[1]) + y * ((1.0 - x) * corners[2] + x * corners[3]), (int)power);
        }
        heights[i] = (cl_ushort)(250.0 * sum);
    }
    for (int i = 1; i < 5; i++) {
        make(b, i, (size_t)(b->size * b->size) * sizeof(cl_int));
    }
    make(b, 5, (size_t)b->size * sizeof(cl_int2));
    up(b, 0);
}

/* Ways have less than 2^12 cells. */
static void drain_basins_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, cells = side * side;
    size_t padded = round_up(side, 16), items = round_up(cells, 16);
    launch(b, "steepest_ways", RANGE2(padded, padded, 16, 16), B(0), V(side), V(side), B(1), B(2));
    for (int i = 0; i < ROUNDS; i++) {
        int from = i % 2 * 2 + 1, to = 4 - from;
        launch(b, "keep_drained", RANGE1(items, 0), B(from + 1), V(cells), B(to + 1));
        launch(b, "drain_basins", RANGE1(items, 0), B(from), B(from + 1), V(cells), B(to), B(to + 1));
    }
    launch(b, "stream_columns", RANGE2((size_t)side, 64, 1, 64), B(2), V(side), V(side), V(least_stream), B(5));
}

/* Where a cell's water runs to. */
static long runs_to(const cl_ushort *heights, long side, long cell) {
    long best = cell;
    int most = 0;
    static const int columns[8] = {1, 1, 0, -1, -1, -1, 0, 1}, rows[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    for (int k = 0; k < 8; k++) {
        long x = cell % side + columns[k], y = cell / side + rows[k];
        if (x >= 0 && y >= 0 && x < side && y < side) {
            int drop = (heights[cell] - heights[y * side + x]) * (rows[k] * columns[k] != 0 ? 70 : 99);
            best = drop > most ? y * side + x : best, most = drop > most ? drop : most;
        }
    }
    return best;
}

/* From the springs downwards: a cell hands its water on as soon as it has all of those above it. */
static int drain_basins_check(struct clbench *b) {
    const cl_ushort *heights = b->buffer[0].host;
    const cl_int *got = b->buffer[2].host;
    const cl_int2 *columns = b->buffer[5].host;
    long cells = b->size * b->size, *waiting = calloc((size_t)cells, sizeof *waiting), *drained = calloc((size_t)cells, sizeof *drained);
    cl_int2 *streams = calloc((size_t)b->size, sizeof *streams);
    int ok = 1;
    down(b, 2), down(b, 5);
    for (long i = 0; i < cells; i++) {
        long to = runs_to(heights, b->size, i);
        waiting[to] += to != i, drained[i] = 1;
    }
    for (long i = 0; i < cells; i++) {
        for (long at = i; waiting[at] == 0;) {
            long to = runs_to(heights, b->size, at);
            waiting[at] = -1;
            if (to != at) {
                drained[to] += drained[at], waiting[to]--;
                at = to;
            }
        }
    }
    for (long i = 0; ok && i < cells; i++) {
        ok = same("drained", i, got[i], drained[i]);
        cl_int *column = streams[i % b->size].s, is_stream = drained[i] >= least_stream;
        column[0] += is_stream, column[1] += is_stream ? (cl_int)drained[i] : 0;
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("streams", i, columns[i].s[0], streams[i].s[0]) && same("water", i, columns[i].s[1], streams[i].s[1]);
    }
    free(waiting), free(drained), free(streams);
    return ok;
}

enum { DEGREE = 60, TERMS = (DEGREE + 1) * (DEGREE + 2) / 2 };

struct planet {
    cl_double radius, mass, gravity;
};

static const struct planet planet = {6378136.3, 3.986004415e14, 9.80665};

/* Where the term of an order and a degree is: orders one after the other. */
static int term_at(int degree, int order) { return order * (DEGREE + 1) - order * (order - 1) / 2 + degree - order; }

/* Coefficients fall with the square of the degree, as Kaula says of the earth's. */
static void geoid_heights_prepare(struct clbench *b) {
    cl_double4 *places = make(b, 0, (size_t)b->size * sizeof *places);
    cl_double2 *coefficients = make(b, 1, TERMS * sizeof *coefficients), *factors = make(b, 2, TERMS * sizeof *factors);
    uint32_t state = 3037;
    for (int order = 0; order <= DEGREE; order++) {
        for (int degree = order; degree <= DEGREE; degree++) {
            double n = degree, m = order, size = degree < 2 ? 0.0 : 2e-5 / (n * n);
            int at = term_at(degree, order);
            for (int k = 0; k < 2; k++) {
                coefficients[at].s[k] = size * ((double)random_unit(&state) - 0.5) * (k == 1 && order == 0 ? 0.0 : 1.0);
            }
            if (degree > order) {
                factors[at].s[0] = sqrt((2.0 * n - 1.0) * (2.0 * n + 1.0) / ((n - m) * (n + m)));
                factors[at].s[1] = sqrt((2.0 * n + 1.0) * (n + m - 1.0) * (n - m - 1.0) / ((n - m) * (n + m) * (2.0 * n - 3.0)));
            }
        }
    }
    for (long i = 0; i < b->size; i++) {
        double latitude = 3.1 * ((double)random_unit(&state) - 0.5);
        places[i].s[0] = sin(latitude), places[i].s[1] = cos(latitude), places[i].s[2] = 6.28 * (double)random_unit(&state);
        places[i].s[3] = planet.radius * (1.0 - places[i].s[0] * places[i].s[0] / 298.25 + 1e-3 * (double)random_unit(&state));
    }
    make(b, 3, (size_t)b->size * sizeof(cl_double2));
    up(b, 0), up(b, 1), up(b, 2);
}

static void geoid_heights_once(struct clbench *b) {
    launch(b, "geoid_heights", RANGE1((size_t)b->size, 0), B(0), B(1), B(2), V(planet), B(3));
}

/* The functions of Legendre of a degree by those of the one before, of all orders: sectors by the order below. */
static void next_degree(int degree, double sine, double cosine, double rows[3][DEGREE + 2]) {
    double n = degree;
    memcpy(rows[0], rows[1], sizeof rows[0]), memcpy(rows[1], rows[2], sizeof rows[1]);
    for (int order = 0; order <= degree; order++) {
        double m = order;
        if (order == degree) {
            rows[2][order] = degree == 0 ? 1.0 : rows[1][order - 1] * cosine * sqrt(degree == 1 ? 3.0 : 1.0 + 0.5 / n);
        } else {
            double last = n - 1.0, share = order < degree - 1 ? sqrt((last * last - m * m) / (4.0 * last * last - 1.0)) : 0.0;
            rows[2][order] = (sine * rows[1][order] - share * rows[0][order]) * sqrt((4.0 * n * n - 1.0) / (n * n - m * m));
        }
    }
}

/* Of many places not all are looked at. */
static int geoid_heights_check(struct clbench *b) {
    const cl_double4 *places = b->buffer[0].host;
    const cl_double2 *coefficients = b->buffer[1].host, *got = b->buffer[3].host;
    long step_on = b->size / 1009 + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += step_on) {
        double rows[3][DEGREE + 2] = {{0.0}}, sums[2] = {0.0}, radius = places[i].s[3];
        for (int degree = 0; degree <= DEGREE; degree++) {
            next_degree(degree, places[i].s[0], places[i].s[1], rows);
            for (int order = 0; order <= degree; order++) {
                const double *pair = coefficients[term_at(degree, order)].s;
                double turn = order * places[i].s[2], term = pow(planet.radius / radius, degree) * rows[2][order];
                term *= pair[0] * cos(turn) + pair[1] * sin(turn);
                sums[0] += term, sums[1] += term * (degree - 1);
            }
        }
        ok = near("height", i, got[i].s[0], planet.mass / radius / planet.gravity * sums[0], 1e-9) &&
             near("gravity", i, got[i].s[1], planet.mass / radius / radius * sums[1] * 1e5, 1e-9);
    }
    return ok;
}

const struct workload round23_earth_workloads[] = {
    WORKLOAD(round23_earth, rain_columns, 301, 4001, 20011, 100003),
    WORKLOAD(round23_earth, drain_basins, 41, 403, 1003, 3001),
    WORKLOAD(round23_earth, geoid_heights, 31, 8009, 40009, 300007),
    END_OF_WORKLOADS,
};
