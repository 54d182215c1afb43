/* Science. Sizes are orbitals, legs of a voyage, a side of a picture. */
#include "workloads.h"

static cl_int filled_of(const struct clbench *b) { return (cl_int)(b->size / 4 + 1); }

/* Integrals that lose with distance, as those of orbitals in a row; all orbitals in all others. */
static void four_index_prepare(struct clbench *b) {
    long n = b->size;
    size_t bytes = (size_t)(n * n * n * n) * sizeof(double);
    double *integrals = make(b, 0, bytes), *coefficients = make(b, 1, (size_t)(n * n) * sizeof(double));
    double *levels = make(b, 2, (size_t)n * sizeof(double));
    uint32_t state = 4027;
    for (long i = 0; i < n * n * n * n; i++) {
        double p = (double)(i / (n * n * n)), q = (double)(i / (n * n) % n), r = (double)(i / n % n), s = (double)(i % n);
        integrals[i] = exp(-0.3 * (fabs(p - q) + fabs(r - s))) / (1.0 + 0.4 * fabs(p + q - r - s));
    }
    for (long i = 0; i < n * n; i++) {
        coefficients[i] = 2.0 * ((double)random_unit(&state) - 0.5) / sqrt((double)n);
    }
    for (long i = 0; i < n; i++) {
        levels[i] = (double)(i - filled_of(b)) + (i < filled_of(b) ? -0.5 : 0.5) + 0.3 * (double)random_unit(&state);
    }
    make(b, 3, bytes), make(b, 4, bytes), make(b, 5, (size_t)(filled_of(b) * filled_of(b)) * sizeof(double));
    up(b, 0), up(b, 1), up(b, 2);
}

static void four_index_once(struct clbench *b) {
    cl_int orbitals = (cl_int)b->size, filled = filled_of(b);
    size_t n = (size_t)b->size;
    struct range items = RANGE3(n, n, n, 0, 0, 0);
    launch(b, "quarter_turn", items, B(0), B(1), V(orbitals), B(3));
    launch(b, "quarter_turn", items, B(3), B(1), V(orbitals), B(4));
    launch(b, "quarter_turn", items, B(4), B(1), V(orbitals), B(3));
    launch(b, "quarter_turn", items, B(3), B(1), V(orbitals), B(4));
    launch(b, "pair_energies", RANGE2((size_t)filled, (size_t)filled, 0, 0), B(4), B(2), V(orbitals), V(filled), B(5));
}

/* The integrals of a pair of new orbitals with all others: two of four sums are for that pair alone. */
static void pair_integrals(const struct clbench *b, long i, long a, double *half_done) {
    const double *integrals = b->buffer[0].host, *coefficients = b->buffer[1].host;
    long n = b->size;
    for (long rs = 0; rs < n * n; rs++) {
        half_done[rs] = 0.0;
        for (long pq = 0; pq < n * n; pq++) {
            half_done[rs] += coefficients[pq / n * n + i] * coefficients[pq % n * n + a] * integrals[pq * n * n + rs];
        }
    }
}

static int four_index_check(struct clbench *b) {
    const double *coefficients = b->buffer[1].host, *levels = b->buffer[2].host, *got = b->buffer[4].host, *energies = b->buffer[5].host;
    long n = b->size, filled = filled_of(b), pairs = n * n, step_on = pairs / 37 + 1;
    double *half_done = malloc((size_t)pairs * sizeof *half_done);
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long pair = 0; ok && pair < pairs; pair += step_on) {
        pair_integrals(b, pair / n, pair % n, half_done);
        for (long other = 0; ok && other < pairs; other += 3) {
            double sum = 0.0;
            for (long rs = 0; rs < n * n; rs++) {
                sum += coefficients[rs / n * n + other / n] * coefficients[rs % n * n + other % n] * half_done[rs];
            }
            ok = near("integral", pair * pairs + other, got[pair * pairs + other], sum, 1e-11);
        }
    }
    for (long pair = 0; ok && pair < filled * filled; pair++) {
        long i = pair % filled, j = pair / filled;
        double sum = 0.0;
        for (long ac = 0; ac < pairs; ac++) {
            long a = ac / n, c = ac % n;
            double direct = got[((i * n + a) * n + j) * n + c], crossed = got[((i * n + c) * n + j) * n + a];
            sum += a < filled || c < filled ? 0.0 : direct * (2.0 * direct - crossed) / (levels[i] + levels[j] - levels[a] - levels[c]);
        }
        ok = near("energy", pair, energies[pair], sum, 1e-11);
    }
    free(half_done);
    return ok;
}

enum { PORTS = 60 };

struct earth {
    cl_double equator, flattening;
};

static const struct earth earth = {6378137.0, 1.0 / 298.257223563};

struct line {
    cl_double metres, bearing;
    cl_int turns, unused;
};

/* Places of a voyage; some are where the last one was, and some nearly opposite to it. */
static void vincenty_legs_prepare(struct clbench *b) {
    cl_double2 *places = make(b, 0, ((size_t)b->size + 1) * sizeof *places);
    cl_float2 *ports = make(b, 1, PORTS * sizeof *ports);
    uint32_t state = 4049;
    for (long i = 0; i <= b->size; i++) {
        places[i].s[0] = 2.6 * ((double)random_unit(&state) - 0.5), places[i].s[1] = 6.2 * ((double)random_unit(&state) - 0.5);
        if (i > 0 && i % 41 == 7) {
            places[i] = places[i - 1];
        } else if (i > 0 && i % 67 == 11) {
            places[i].s[0] = -places[i - 1].s[0] + 0.0002 * (double)random_unit(&state);
            places[i].s[1] = places[i - 1].s[1] + (places[i - 1].s[1] > 0.0 ? -3.1412 : 3.1412);
        } else if (i > 0 && i % 3 != 0) {
            for (int k = 0; k < 2; k++) {
                places[i].s[k] = 0.9 * places[i - 1].s[k] + 0.1 * places[i].s[k];
            }
        }
    }
    for (int i = 0; i < PORTS; i++) {
        ports[i].s[0] = 2.4f * (random_unit(&state) - 0.5f), ports[i].s[1] = 6.2f * (random_unit(&state) - 0.5f);
    }
    make(b, 2, (size_t)b->size * sizeof(struct line));
    make(b, 3, (size_t)b->size * sizeof(cl_int)), make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void vincenty_legs_once(struct clbench *b) {
    cl_int legs = (cl_int)b->size, ports = PORTS;
    struct range items = RANGE1(round_up(legs, 64), 64);
    launch(b, "vincenty_legs", items, B(0), V(legs), V(earth), B(2));
    launch(b, "nearest_ports", items, B(0), V(legs), B(1), V(ports), B(3), B(4));
}

/* The same line by Vincenty's direct formula: where a ship is that goes as far in that direction. */
static void arrive(const double from[2], double metres, double bearing, double to[2]) {
    double f = earth.flattening, pole = earth.equator * (1.0 - f), reduced = atan((1.0 - f) * tan(from[0]));
    double start = atan2(tan(reduced), cos(bearing)), azimuth = cos(reduced) * sin(bearing), square = 1.0 - azimuth * azimuth;
    double u = square * (earth.equator * earth.equator / (pole * pole) - 1.0);
    double a = 1.0 + u / 16384.0 * (4096.0 + u * (-768.0 + u * (320.0 - 175.0 * u)));
    double c = u / 1024.0 * (256.0 + u * (-128.0 + u * (74.0 - 47.0 * u)));
    double arc = metres / (pole * a), middle = 0.0;
    for (int turn = 0; turn < 60; turn++) {
        middle = cos(2.0 * start + arc);
        double inner = cos(arc) * (2.0 * middle * middle - 1.0);
        inner -= c / 6.0 * middle * (4.0 * pow(sin(arc), 2.0) - 3.0) * (4.0 * middle * middle - 3.0);
        arc = metres / (pole * a) + c * sin(arc) * (middle + 0.25 * c * inner);
    }
    middle = cos(2.0 * start + arc);
    double across = sin(reduced) * sin(arc) - cos(reduced) * cos(arc) * cos(bearing);
    double lambda = atan2(sin(arc) * sin(bearing), cos(reduced) * cos(arc) - sin(reduced) * sin(arc) * cos(bearing));
    double g = f / 16.0 * square * (4.0 + f * (4.0 - 3.0 * square));
    to[0] = atan2(sin(reduced) * cos(arc) + cos(reduced) * sin(arc) * cos(bearing), (1.0 - f) * hypot(azimuth, across));
    to[1] = from[1] + lambda - (1.0 - g) * f * azimuth * (arc + g * sin(arc) * (middle + g * cos(arc) * (2.0 * middle * middle - 1.0)));
}

static double angle_between(const double from[2], double north, double east) {
    double u = sin(0.5 * (north - from[0])), v = sin(0.5 * (east - from[1]));
    return 2.0 * asin(sqrt(fmin(u * u + cos(from[0]) * cos(north) * v * v, 1.0)));
}

static int vincenty_legs_check(struct clbench *b) {
    const cl_double2 *places = b->buffer[0].host;
    const cl_float2 *ports = b->buffer[1].host;
    const struct line *lines = b->buffer[2].host;
    const cl_int *nearest = b->buffer[3].host;
    const float *arcs = b->buffer[4].host;
    long endless = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        const double from[2] = {places[i].s[0], places[i].s[1]};
        double to[2], apart = angle_between(from, places[i + 1].s[0], places[i + 1].s[1]);
        endless += lines[i].turns < 0;
        if (lines[i].turns > 0) {
            arrive(from, lines[i].metres, lines[i].bearing, to);
            ok = same("a place is not reached", i, angle_between(places[i + 1].s, to[0], to[1]) < 1e-9, 1) &&
                 near("metres", i, lines[i].metres * 1e-6, apart * 6.371, 0.01);
        } else {
            double east = fabs(remainder(places[i + 1].s[1] - from[1], 2.0 * acos(-1.0)));
            ok = same("nowhere, or nearly opposite", i, lines[i].turns == 0 ? apart < 1e-9 : apart > 3.08 || east > 3.12, 1) &&
                 near("metres", i, lines[i].metres, 0.0, 0.0);
        }
        double best = 9.0;
        for (int k = 0; k < PORTS; k++) {
            best = fmin(best, angle_between(from, (double)ports[k].s[0], (double)ports[k].s[1]));
        }
        const cl_float2 *port = ports + (nearest[i] < 0 || nearest[i] >= PORTS ? 0 : nearest[i]);
        ok = ok && near("arc", i, (double)arcs[i], best, 2e-5) &&
             near("arc to the port", i, angle_between(from, (double)port->s[0], (double)port->s[1]), best, 2e-5);
    }
    return ok && same("some are endless, few", endless, endless > 0 && endless < b->size / 30, 1);
}

enum { ECHOES = 12 };

static const cl_float threshold = 0.1f;

static cl_int height_of(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 1); }

/* What is right: a height, a rate, a ground. A sixth of all pixels is outside of what is seen. */
static void right_decay(const struct clbench *b, long pixel, double right[3]) {
    long x = pixel % b->size, y = pixel / b->size;
    double wave = sin(0.11 * (double)x) * cos(0.07 * (double)y), other = sin(0.05 * (double)(x + 2 * y));
    right[0] = (x / 5 + y / 3) % 6 == 0 ? 0.0 : 1.0 + 0.4 * wave, right[1] = 3.0 + 1.8 * other;
    right[2] = right[0] == 0.0 ? 0.01 : 0.2 + 0.1 * wave * other;
}

static void decay_fits_prepare(struct clbench *b) {
    long pixels = b->size * height_of(b);
    float *echoes = make(b, 0, (size_t)pixels * ECHOES * sizeof *echoes), *times = make(b, 1, ECHOES * sizeof *times);
    uint32_t state = 4051;
    for (int i = 0; i < ECHOES; i++) {
        times[i] = 0.05f + 0.12f * (float)i;
    }
    for (long i = 0; i < pixels * ECHOES; i++) {
        double right[3];
        right_decay(b, i % pixels, right);
        echoes[i] = (float)(right[0] * exp(-right[1] * (double)times[i / pixels]) + right[2]) + 0.01f * (random_unit(&state) - 0.5f);
    }
    make(b, 2, (size_t)pixels * sizeof(cl_float4));
    up(b, 0), up(b, 1);
}

static void decay_fits_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), echoes = ECHOES, most = 40;
    launch(b, "decay_fits", RANGE2(round_up(width, 8), round_up(height, 8), 8, 8), B(0), V(width), V(height), B(1), V(echoes), V(threshold),
           V(most), B(2));
}

/* The height and the ground that fit a rate best, and what they miss: a straight line through points. */
static double missed_with(const struct clbench *b, long pixel, double rate, double fit[3]) {
    const float *echoes = b->buffer[0].host, *times = b->buffer[1].host;
    long pixels = b->size * height_of(b);
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, missed = 0.0;
    for (long i = 0; i < ECHOES; i++) {
        double decay = exp(-rate * (double)times[i]), value = (double)echoes[i * pixels + pixel];
        x += decay / ECHOES, y += value / ECHOES, xx += decay * decay / ECHOES, xy += decay * value / ECHOES;
    }
    fit[0] = (xy - x * y) / (xx - x * x), fit[1] = rate, fit[2] = y - fit[0] * x;
    for (long i = 0; i < ECHOES; i++) {
        missed += pow((double)echoes[i * pixels + pixel] - fit[0] * exp(-rate * (double)times[i]) - fit[2], 2.0);
    }
    return sqrt(missed / ECHOES);
}

/* The golden section finds the best rate. */
static double best_fit(const struct clbench *b, long pixel, double fit[3]) {
    double low = 0.2, high = 12.0, part = 0.5 * (sqrt(5.0) - 1.0);
    for (int turn = 0; turn < 60; turn++) {
        double one = high - part * (high - low), other = low + part * (high - low);
        if (missed_with(b, pixel, one, fit) < missed_with(b, pixel, other, fit)) {
            high = other;
        } else {
            low = one;
        }
    }
    return missed_with(b, pixel, 0.5 * (low + high), fit);
}

static int decay_fits_check(struct clbench *b) {
    const float *echoes = b->buffer[0].host;
    const cl_float4 *got = b->buffer[2].host;
    long pixels = b->size * height_of(b), step_on = pixels / 2003 + 1;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < pixels; i += step_on) {
        double fit[3] = {0.0}, missed = 0.0;
        if (echoes[i] >= threshold) {
            missed = best_fit(b, i, fit);
        }
        for (int k = 0; ok && k < 3; k++) {
            ok = near("fit", i * 3 + k, (double)got[i].s[k], fit[k], 5e-3);
        }
        ok = ok && near("missed", i, (double)got[i].s[3], missed, 1e-5);
    }
    return ok;
}

const struct workload round24_science_workloads[] = {
    WORKLOAD(round24_science, four_index, 7, 25, 41, 63),
    WORKLOAD(round24_science, vincenty_legs, 301, 40009, 150001, 600011),
    WORKLOAD(round24_science, decay_fits, 17, 201, 403, 1003),
    END_OF_WORKLOADS,
};
