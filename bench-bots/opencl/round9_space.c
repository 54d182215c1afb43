/* Space. Sizes are cells along a side, atoms, tensors. */
#include "workloads.h"

static const cl_float time_step = 0.8f, lift = 0.15f, fade = 0.98f;

static cl_int4 box_of(const struct clbench *b) {
    return (cl_int4){{(cl_int)b->size, (cl_int)(b->size * 3 / 4 + 1), (cl_int)(b->size / 2 + 3), 0}};
}

static long cells_of(const struct clbench *b) { return (long)box_of(b).s[0] * box_of(b).s[1] * box_of(b).s[2]; }

/* Eddies of some sizes around a ball. */
static void smoke_advect_prepare(struct clbench *b) {
    cl_int4 box = box_of(b);
    long cells = cells_of(b);
    cl_float4 *now = make(b, 0, (size_t)cells * sizeof *now);
    unsigned char *solid = make(b, 1, (size_t)cells);
    for (long at = 0; at < cells; at++) {
        double x = (double)(at % box.s[0]), y = (double)(at / box.s[0] % box.s[1]), z = (double)(at / box.s[0] / box.s[1]);
        double away = hypot(hypot(x - box.s[0] * 0.4, y - box.s[1] * 0.5), z - box.s[2] * 0.5);
        solid[at] = away < box.s[2] * 0.2;
        now[at].s[0] = (float)(1.5 + sin(0.21 * y + 0.1 * z) + 0.5 * cos(0.53 * z));
        now[at].s[1] = (float)(sin(0.17 * x) * cos(0.11 * z) + 0.6 * sin(0.47 * z + 0.2 * x));
        now[at].s[2] = (float)(cos(0.19 * x + 0.23 * y));
        now[at].s[3] = (float)(fmax(0.0, 2.0 - away * 4.0 / box.s[0]));
        for (int k = 0; solid[at] && k < 4; k++) {
            now[at].s[k] = 0.0f;
        }
    }
    make(b, 2, (size_t)cells * sizeof(cl_float4));
    make(b, 3, (size_t)cells * sizeof(cl_float));
    up(b, 0), up(b, 1);
}

static void smoke_advect_once(struct clbench *b) {
    cl_int4 box = box_of(b);
    struct range all = RANGE3(round_up(box.s[0], 8), round_up(box.s[1], 8), round_up(box.s[2], 4), 8, 8, 4);
    launch(b, "smoke_advect", all, B(0), B(1), V(box), V(time_step), V(lift), V(fade), B(2));
    launch(b, "smoke_divergence", all, B(2), B(1), V(box), B(3));
}

/* The value of a place: all cells' that are less than one away from it, each with its tent's height. */
static double smoke_at(const struct clbench *b, const double *place, int part) {
    const cl_float4 *now = b->buffer[0].host;
    cl_int4 box = box_of(b);
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        double weight = 1.0;
        long at = 0;
        for (int axis = 2; axis >= 0; axis--) {
            double cell = floor(place[axis]) + (i >> axis & 1);
            weight *= 1.0 - fabs(place[axis] - cell);
            at = at * box.s[axis] + (long)fmin(cell, box.s[axis] - 1);
        }
        sum += weight * now[at].s[part];
    }
    return sum;
}

/* A place is known up to 2^-24 of the side, and the field changes by at most one and a half from cell to cell. */
static int smoke_advect_check(struct clbench *b) {
    const cl_float4 *now = b->buffer[0].host, *got = b->buffer[2].host;
    const float *divergence = b->buffer[3].host;
    const unsigned char *solid = b->buffer[1].host;
    cl_int4 box = box_of(b);
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long at = 0; ok && at < cells_of(b); at++) {
        long index[3] = {at % box.s[0], at / box.s[0] % box.s[1], at / box.s[0] / box.s[1]}, step = 1;
        double place[3], want[4] = {0.0, 0.0, 0.0, 0.0}, flow = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = fmin(box.s[axis] - 1, fmax(0.0, (double)index[axis] - time_step * now[at].s[axis]));
            flow += index[axis] + 1 < box.s[axis] ? got[at + step].s[axis] / 2.0 : 0.0;
            flow -= index[axis] > 0 ? got[at - step].s[axis] / 2.0 : 0.0;
            step *= box.s[axis];
        }
        for (int part = 0; !solid[at] && part < 4; part++) {
            want[part] = smoke_at(b, place, part);
        }
        want[3] *= fade;
        want[1] += time_step * lift * want[3];
        for (int part = 0; ok && part < 4; part++) {
            ok = near("smoke", at * 4 + part, got[at].s[part], want[part], 1e-4);
        }
        ok = ok && near("divergence", at, divergence[at], solid[at] ? 0.0 : flow, 2e-6);
    }
    return ok;
}

enum { CHAIN = 60, TERMS = 3 };

struct torsion {
    cl_int atoms[4];
    cl_float strength, phase;
    cl_int folds, unused;
};

static long torsions_of(const struct clbench *b) { return b->size / CHAIN * (CHAIN - 3) * TERMS; }

static void cross_of(const double *a, const double *b, double *product) {
    for (int i = 0; i < 3; i++) {
        product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static double dot_of(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The way from an atom to the next: as long as ways are, and between 45 and 90 degrees away from the last one. */
static void turn(double *way, uint32_t *state) {
    double other[3], aside[3], bend = 0.8 + 0.7 * random_unit(state), length = 1.3 + 0.3 * random_unit(state);
    do {
        for (int i = 0; i < 3; i++) {
            other[i] = random_unit(state) - 0.5;
        }
        cross_of(way, other, aside);
    } while (dot_of(aside, aside) < 0.01);
    double along = cos(bend) * length / sqrt(dot_of(way, way)), across = sin(bend) * length / sqrt(dot_of(aside, aside));
    for (int i = 0; i < 3; i++) {
        way[i] = along * way[i] + across * aside[i];
    }
}

/* Chains of atoms, each four in a row with some terms, which are in no order. */
static void torsions_prepare(struct clbench *b) {
    long atoms = b->size, count = torsions_of(b);
    cl_float4 *places = make(b, 0, (size_t)atoms * sizeof *places);
    struct torsion *torsions = make(b, 1, (size_t)count * sizeof *torsions);
    uint32_t state = 931;
    double place[3] = {0.0, 0.0, 0.0}, way[3] = {1.0, 0.0, 0.0};
    for (long i = 0; i < atoms; i++) {
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = i % CHAIN == 0 ? 80.0 * random_unit(&state) : place[axis] + way[axis];
            places[i].s[axis] = (float)place[axis];
        }
        turn(way, &state);
    }
    for (long i = 0; i < count; i++) {
        cl_int first = (cl_int)(i / TERMS / (CHAIN - 3) * CHAIN + i / TERMS % (CHAIN - 3));
        torsions[i] = (struct torsion){{first, first + 1, first + 2, first + 3}, 0.2f + 2.0f * random_unit(&state),
                                       (float)(random_word(&state) % 2) * 3.14159265f, 1 + (cl_int)(random_word(&state) % 3), 0};
    }
    for (long i = count - 1; i > 0; i--) {
        long other = (long)(random_word(&state) % (uint32_t)(i + 1));
        struct torsion held = torsions[i];
        torsions[i] = torsions[other], torsions[other] = held;
    }
    make(b, 2, (size_t)atoms * sizeof(cl_float4));
    make(b, 3, (size_t)count * sizeof(cl_float));
    up(b, 0), up(b, 1);
}

static void torsions_once(struct clbench *b) {
    cl_int atoms = (cl_int)b->size, count = (cl_int)torsions_of(b);
    launch(b, "torsion_clear", RANGE1(round_up(atoms, 256), 256), B(2), V(atoms));
    launch(b, "torsion_forces", RANGE1(round_up(count, 64), 64), B(0), B(1), V(count), B(2), B(3));
}

static double energy_of(const struct torsion *t, double places[4][3]) {
    double ways[3][3], one[3], other[3];
    for (int i = 0; i < 9; i++) {
        ways[i / 3][i % 3] = places[i / 3 + 1][i % 3] - places[i / 3][i % 3];
    }
    cross_of(ways[0], ways[1], one), cross_of(ways[1], ways[2], other);
    double angle = atan2(sqrt(dot_of(ways[1], ways[1])) * dot_of(ways[0], other), dot_of(one, other));
    return t->strength * (1.0 + cos(t->folds * angle - t->phase));
}

/* Forces are differences of energies. A term's are below 20, an atom has 12 terms, and a term is as exact as its angle, which a
 * dozen roundings make. */
static int torsions_check(struct clbench *b) {
    const cl_float4 *places = b->buffer[0].host, *got = b->buffer[2].host;
    const struct torsion *torsions = b->buffer[1].host;
    const float *energies = b->buffer[3].host;
    double *want = calloc((size_t)b->size * 3, sizeof *want), step = 1e-5;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < torsions_of(b); i++) {
        const struct torsion *t = &torsions[i];
        double four[4][3];
        for (int k = 0; k < 12; k++) {
            four[k / 3][k % 3] = places[t->atoms[k / 3]].s[k % 3];
        }
        ok = near("energy", i, energies[i], energy_of(t, four), 1e-4);
        for (int k = 0; k < 12; k++) {
            double *to = &four[k / 3][k % 3], here = *to;
            *to = here + step;
            double above = energy_of(t, four);
            *to = here - step;
            double below = energy_of(t, four);
            *to = here;
            want[t->atoms[k / 3] * 3 + k % 3] -= (above - below) / (2.0 * step);
        }
    }
    for (long i = 0; ok && i < b->size * 3; i++) {
        ok = near("force", i, got[i / 3].s[i % 3], want[i], 2e-4);
    }
    free(want);
    return ok;
}

static const cl_double background = 0.05;

/* Tensors of one, two or three strong directions with noise, as a scan of a head has them; a third is background. */
static void tensor_axes_prepare(struct clbench *b) {
    double *planes = make(b, 0, (size_t)b->size * 6 * sizeof *planes);
    uint32_t state = 941;
    for (long i = 0; i < b->size; i++) {
        double strength = i / 50 % 3 == 0 ? 0.001 : 1.0;
        for (long direction = 0; direction < 3; direction++) {
            double way[3], weight = direction <= (long)(random_word(&state) % 3) ? strength : 0.1 * strength;
            for (int k = 0; k < 3; k++) {
                way[k] = random_unit(&state) - 0.5;
            }
            for (long k = 0, plane = 0; k < 3; k++) {
                for (long l = k; l < 3; l++, plane++) {
                    planes[plane * b->size + i] += weight * (way[k] * way[l] + (k == l ? 0.1 : 0.0));
                }
            }
        }
    }
    make(b, 1, (size_t)b->size * 7 * sizeof(double));
    up(b, 0);
}

static void tensor_axes_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "tensor_axes", RANGE1(round_up(count, 64), 64), B(0), V(count), V(background), B(1));
}

/* Three numbers are the eigenvalues if their sum, the sum of their squares and their product are the tensor's trace, its elements'
 * squares' sum and its determinant. An axis is one if the tensor only stretches it. Some hundred roundings are below 1e-13. */
static int tensor_is_right(const double *m, const double *got, long at) {
    double square = m[0] * m[0] + m[3] * m[3] + m[5] * m[5] + 2.0 * (m[1] * m[1] + m[2] * m[2] + m[4] * m[4]);
    double trace = m[0] + m[3] + m[5], *v = (double[]){got[3], got[4], got[5]};
    double determinant = m[0] * (m[3] * m[5] - m[4] * m[4]) - m[1] * (m[1] * m[5] - m[4] * m[2]) +
                         m[2] * (m[1] * m[4] - m[3] * m[2]);
    double uneven = 1.5 * (1.0 - trace * trace / (3.0 * square));
    int ok = near("trace", at, got[0] + got[1] + got[2], trace, 1e-12) &&
             near("squares", at, got[0] * got[0] + got[1] * got[1] + got[2] * got[2], square, 1e-12) &&
             near("determinant", at, got[0] * got[1] * got[2], determinant, 1e-12) &&
             near("length", at, dot_of(v, v), 1.0, 1e-12) && near("anisotropy", at, got[6] * got[6], uneven, 1e-12) &&
             same("order", at, got[0] >= got[1] && got[1] >= got[2], 1);
    const int rows[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int k = 0; ok && k < 3; k++) {
        double along = m[rows[k][0]] * v[0] + m[rows[k][1]] * v[1] + m[rows[k][2]] * v[2];
        ok = near("axis", at, along, got[0] * v[k], 1e-12);
    }
    return ok;
}

static int tensor_axes_check(struct clbench *b) {
    const double *planes = b->buffer[0].host, *out = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        double m[6], got[7];
        for (long k = 0; k < 7; k++) {
            m[k % 6] = planes[k % 6 * b->size + i], got[k] = out[k * b->size + i];
        }
        if (m[0] + m[3] + m[5] < background) {
            for (int k = 0; ok && k < 7; k++) {
                ok = near("background", i, got[k], 0.0, 0.0);
            }
        } else {
            ok = tensor_is_right(m, got, i);
        }
    }
    return ok;
}

const struct workload round9_space_workloads[] = {
    WORKLOAD(round9_space, smoke_advect, 21, 83, 131, 301),
    WORKLOAD(round9_space, torsions, 607, 20003, 100003, 600011),
    WORKLOAD(round9_space, tensor_axes, 501, 20011, 100003, 600011),
    END_OF_WORKLOADS,
};
