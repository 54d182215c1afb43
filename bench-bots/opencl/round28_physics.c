/* Physics. Sizes are spheres, spins, cells. */
#include "workloads.h"
#include <complex.h>

enum { DEEP = 160, SPHERE_GROUP = 64 };

/* From fog to dust, some of it black. */
static void mie_scatter_prepare(struct clbench *b) {
    double *sizes = make(b, 0, (size_t)b->size * sizeof *sizes);
    cl_double2 *refractions = make(b, 1, (size_t)b->size * sizeof *refractions);
    uint32_t state = 4621;
    for (long i = 0; i < b->size; i++) {
        sizes[i] = exp(log(0.2) + (double)random_unit(&state) * log(200.0));
        refractions[i].s[0] = 1.2 + 0.6 * (double)random_unit(&state);
        refractions[i].s[1] = i % 3 == 0 ? 0.5 * (double)random_unit(&state) : 0.0;
    }
    make(b, 2, (size_t)b->size * sizeof(cl_double4));
    up(b, 0), up(b, 1);
}

static void mie_scatter_once(struct clbench *b) {
    cl_int spheres = (cl_int)b->size;
    launch(b, "mie_scatter", RANGE1(round_up(b->size, SPHERE_GROUP), SPHERE_GROUP), B(0), B(1),
           V(spheres), B(2));
}

/* Riccati's function of order n - 1 over that of order n, by a continued fraction. */
static double complex ratio_at(int n, double complex z) {
    double complex ratio = (2 * DEEP + 1) / z;
    for (int k = DEEP - 1; k >= n; k--) {
        ratio = (2 * k + 1) / z - 1.0 / ratio;
    }
    return ratio;
}

/* The kernel's four numbers for a sphere. */
static void scattered_by(double size, double complex m, double want[4]) {
    double psi = sin(size), chi = cos(size), chi_before = -sin(size), forward = 0.0;
    double taken = 0.0, scattered = 0.0;
    double complex a_before = 0.0, b_before = 0.0;
    int terms = (int)(size + 4.0 * cbrt(size) + 2.0);
    for (int n = 1; n <= terms; n++) {
        double before = psi, chi_next = (2 * n - 1) / size * chi - chi_before;
        double complex inside = ratio_at(n, m * size) - n / (m * size);
        psi /= creal(ratio_at(n, size));
        chi_before = chi, chi = chi_next;
        double complex a_share = inside / m + n / size, b_share = inside * m + n / size;
        double complex wave = psi - I * chi, wave_before = before - I * chi_before;
        double complex a = (a_share * psi - before) / (a_share * wave - wave_before);
        double complex b = (b_share * psi - before) / (b_share * wave - wave_before);
        taken += (2 * n + 1) * creal(a + b);
        scattered += (2 * n + 1) * creal(a * conj(a) + b * conj(b));
        forward += (2.0 * n + 1.0) / (n * (n + 1.0)) * creal(a * conj(b));
        forward += n == 1 ? 0.0 : (n - 1.0) * (n + 1.0) / n *
            creal(a_before * conj(a) + b_before * conj(b));
        a_before = a, b_before = b;
    }
    want[0] = 2.0 / (size * size) * taken, want[1] = 2.0 / (size * size) * scattered;
    want[2] = want[0] - want[1], want[3] = 2.0 * forward / scattered;
}

/* The series loses digits where a sphere resonates: these waves are small there, which go upwards. */
static int mie_scatter_check(struct clbench *b) {
    const double *sizes = b->buffer[0].host;
    const cl_double2 *refractions = b->buffer[1].host;
    const cl_double4 *got = b->buffer[2].host;
    long apart = b->size / 1000 + 1;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i += apart) {
        double want[4];
        scattered_by(sizes[i], refractions[i].s[0] + I * refractions[i].s[1], want);
        for (int k = 0; ok && k < 4; k++) {
            ok = near("efficiency", 4 * i + k, got[i].s[k], want[k], 1e-4);
        }
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = refractions[i].s[1] > 0.0 || near("nothing absorbed", i, got[i].s[2], 0.0, 1e-4);
    }
    return ok;
}

enum { SPINS = 64, EVENTS = 10, LISTENED = 2, REPEATS = 24 };

/* As the kernel has them. */
struct event {
    cl_int kind;
    cl_float angle, phase, duration;
};
struct spin {
    cl_float slow, fast, turn, strength, place;
};

/* A spin echo, which is listened to before and at its height. */
static const struct event events[EVENTS] = {
    {0, 1.2f, 0.0f, 0.0f},   {1, 0.0f, 0.0f, 0.004f}, {3, 0.0f, 0.0f, 0.0f},
    {2, 9.0f, 0.0f, 0.003f}, {0, 3.1f, 1.5f, 0.0f},   {2, 9.0f, 0.0f, 0.003f},
    {1, 0.0f, 0.0f, 0.004f}, {3, 0.0f, 0.0f, 0.0f},   {4, 0.0f, 0.0f, 0.0f},
    {1, 0.0f, 0.0f, 0.3f}};

static void bloch_spins_prepare(struct clbench *b) {
    struct spin *spins = make(b, 0, (size_t)b->size * sizeof *spins);
    size_t groups = round_up(b->size, SPINS) / SPINS;
    uint32_t state = 4637;
    for (long i = 0; i < b->size; i++) {
        spins[i].slow = 1.0f + random_unit(&state), spins[i].fast = 10.0f + 10.0f * random_unit(&state);
        spins[i].turn = 80.0f * random_unit(&state) - 30.0f;
        spins[i].strength = 0.9f + 0.2f * random_unit(&state);
        spins[i].place = 2.0f * random_unit(&state) - 1.0f;
    }
    memcpy(make(b, 1, sizeof events), events, sizeof events);
    make(b, 2, groups * LISTENED * REPEATS * sizeof(cl_float2));
    make(b, 3, LISTENED * REPEATS * sizeof(cl_float2));
    up(b, 0), up(b, 1);
}

static void bloch_spins_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, kinds = EVENTS, repeats = REPEATS;
    cl_int listened = LISTENED * REPEATS, groups = (cl_int)(round_up(b->size, SPINS) / SPINS);
    launch(b, "bloch_spins", RANGE1(round_up(b->size, SPINS), SPINS), B(0), V(count), B(1), V(kinds),
           V(repeats), V(listened), B(2));
    launch(b, "add_heard", RANGE1(LISTENED * REPEATS, 1), B(2), V(groups), V(listened), V(count),
           B(3));
}

/* One spin's way; what lies across the field is a complex number. */
static void follow(const struct spin *spin, double complex *heard) {
    double complex across = 0.0;
    double along = 1.0;
    for (int i = 0; i < EVENTS * REPEATS; i++) {
        const struct event *event = &events[i % EVENTS];
        double duration = (double)event->duration, angle = (double)event->angle;
        if (event->kind == 0) {
            double complex axis = cexp(I * (double)event->phase), seen = across / axis;
            double turn = angle * (double)spin->strength, up = cimag(seen);
            across = (creal(seen) + I * (cos(turn) * up - sin(turn) * along)) * axis;
            along = sin(turn) * up + cos(turn) * along;
        } else if (event->kind == 3) {
            *heard++ += across;
        } else if (event->kind == 4) {
            across = 0.0;
        } else {
            double turn = (double)spin->turn * duration;
            turn += event->kind == 2 ? angle * (double)spin->place : 0.0;
            across *= cexp(I * turn - duration * (double)spin->fast);
            along = 1.0 + (along - 1.0) * exp(-duration * (double)spin->slow);
        }
    }
}

static int bloch_spins_check(struct clbench *b) {
    const cl_float2 *got = b->buffer[3].host;
    double complex want[LISTENED * REPEATS] = {0.0};
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < b->size; i++) {
        follow((const struct spin *)b->buffer[0].host + i, want);
    }
    for (long i = 0; ok && i < LISTENED * REPEATS; i++) {
        ok = near("x", i, (double)got[i].s[0], creal(want[i]) / (double)b->size, 2e-5) &&
             near("y", i, (double)got[i].s[1], cimag(want[i]) / (double)b->size, 2e-5);
    }
    return ok && same("something is heard", 0, cabs(want[LISTENED * REPEATS - 1]) > 0.1 * (double)b->size, 1);
}

enum { SPECIES = 4, CELL_GROUP = 7 };
static const cl_double end_time = 4.0, most_error = 1e-4;

static void first_air(long i, double y[SPECIES]) {
    y[0] = 0.0, y[1] = 0.2 + mixed_word((uint32_t)i) % 100 / 100.0;
    y[2] = 0.5 - i % 7 * 0.05, y[3] = 0.6 - y[2];
}

static void stiff_kinetics_prepare(struct clbench *b) {
    cl_double2 *cells = make(b, 0, (size_t)b->size * sizeof *cells);
    uint32_t state = 4639;
    for (long i = 0; i < b->size; i++) {
        cells[i].s[0] = 0.7 + 0.5 * (double)random_unit(&state);
        cells[i].s[1] = i % 5 == 0 ? 0.0 : 2.0 * (double)random_unit(&state);
    }
    make(b, 1, (size_t)b->size * sizeof(cl_double4)), make(b, 2, (size_t)b->size * sizeof(cl_int));
    up(b, 0);
}

static void stiff_kinetics_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    cl_double4 *air = b->buffer[1].host;
    for (long i = 0; i < b->size; i++) {
        first_air(i, air[i].s);
    }
    up(b, 1);
    launch(b, "stiff_kinetics", RANGE1(round_up(b->size, CELL_GROUP), CELL_GROUP), B(0), V(count),
           V(end_time), V(most_error), B(1), B(2));
}

static void derivative(const double *y, const double *k, double *f) {
    f[0] = k[0] - k[1] * y[0] + k[2] * y[1] - k[3] * y[0] * y[1] - k[5] * y[0] * y[3] + k[6] * y[3];
    f[1] = k[1] * y[0] - k[2] * y[1] - k[3] * y[0] * y[1] - k[4] * y[1] * y[2];
    f[2] = k[5] * y[0] * y[3] + k[6] * y[3] - k[4] * y[1] * y[2], f[3] = -f[2];
}

/* The oxygen atoms are so few that a step of a formula of second order can be taken for them: the
 * slower rest follows with small steps of the trapezoidal rule, solved again and again. */
static void long_way(double warmth, double light, double y[SPECIES]) {
    double k[7] = {2e-3 * light, 1e3 * pow(warmth, -2.4), 0.5 * light, 8.0 * exp(2.0 - 2.0 / warmth),
        20.0 * exp(1.4 - 1.4 / warmth), 50.0, light};
    double now = 0.0, step = 2e-5, before[SPECIES], f[SPECIES], g[SPECIES];
    while (now < end_time) {
        step = fmin(fmin(step * 1.01, 2e-3), end_time - now);
        memcpy(before, y, sizeof before), derivative(before, k, f);
        for (int turn = 0; turn < 12; turn++) {
            double out = k[1] + k[3] * y[1] + k[5] * y[3];
            derivative(y, k, g);
            y[0] = (before[0] + step / 2 * (f[0] + g[0] + out * y[0])) / (1.0 + step / 2 * out);
            derivative(y, k, g);
            for (int i = 1; i < SPECIES; i++) {
                y[i] = before[i] + step / 2 * (f[i] + g[i]);
            }
        }
        now += step;
    }
}

/* Some cells by small steps, and that no nitrogen is lost. */
static int stiff_kinetics_check(struct clbench *b) {
    const cl_double2 *cells = b->buffer[0].host;
    const cl_double4 *got = b->buffer[1].host;
    const cl_int *steps = b->buffer[2].host;
    long apart = b->size / 20 + 1;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < b->size; i++) {
        ok = near("nitrogen", i, got[i].s[2] + got[i].s[3], 0.6, 1e-9) &&
             same("steps", i, steps[i] > 10 && steps[i] < 2000, 1);
    }
    for (long i = 0; ok && i < b->size; i += apart) {
        double want[SPECIES];
        first_air(i, want), long_way(cells[i].s[0], cells[i].s[1], want);
        for (int k = 0; ok && k < SPECIES; k++) {
            ok = near("air", SPECIES * i + k, got[i].s[k], want[k], 2e-3);
        }
    }
    return ok;
}

const struct workload round28_physics_workloads[] = {
    WORKLOAD(round28_physics, mie_scatter, 31, 2003, 9001, 40009),
    WORKLOAD(round28_physics, bloch_spins, 101, 2003, 10007, 50021),
    WORKLOAD(round28_physics, stiff_kinetics, 15, 701, 3001, 20011),
    END_OF_WORKLOADS,
};
