/* Space. Sizes are bodies, cells along a side, orbits. */
#include "workloads.h"

enum { LEAF = 8, DEEPEST = 24 };

static const cl_float soft = 1e-4f;
static const double opening = 0.6; /* side by distance, from which on a cell is opened */

struct cell {
    cl_float4 mass;
    cl_float far;
    cl_int after, first, count;
};

/* The octants of a cube, one after the other, whose corner and side these are. */
static void by_octants(cl_float4 *bodies, long count, const double *corner, double side, long *starts) {
    cl_float4 *moved = malloc((size_t)count * sizeof *moved);
    long filled = 0;
    for (int octant = 0; octant < 8; octant++) {
        starts[octant] = filled;
        for (long i = 0; i < count; i++) {
            int of = 0;
            for (int axis = 0; axis < 3; axis++) {
                of |= (bodies[i].s[axis] >= corner[axis] + side / 2.0) << axis;
            }
            if (of == octant) {
                moved[filled++] = bodies[i];
            }
        }
    }
    starts[8] = filled;
    memcpy(bodies, moved, (size_t)count * sizeof *moved);
    free(moved);
}

/* Writes a cell and those below it at `at`, brings bodies into their order, and gives the place after the last. */
static cl_int tree_of(struct cell *cells, cl_int at, cl_float4 *bodies, long first, long count, const double *corner, double side,
                      int depth) {
    struct cell *cell = &cells[at++];
    double sums[4] = {0.0};
    for (long i = first; i < first + count; i++) {
        for (int axis = 0; axis < 4; axis++) {
            sums[axis] += bodies[i].s[3] * (axis < 3 ? bodies[i].s[axis] : 1.0);
        }
    }
    for (int axis = 0; axis < 4; axis++) {
        cell->mass.s[axis] = (cl_float)(axis < 3 ? sums[axis] / sums[3] : sums[3]);
    }
    cell->far = (cl_float)(side * side / (opening * opening));
    cell->first = (cl_int)first;
    if (count <= LEAF || depth == DEEPEST) {
        cell->count = (cl_int)count;
    } else {
        long starts[9];
        by_octants(bodies + first, count, corner, side, starts);
        for (int octant = 0; octant < 8; octant++) {
            double of[3] = {corner[0], corner[1], corner[2]};
            for (int axis = 0; axis < 3; axis++) {
                of[axis] += octant >> axis & 1 ? side / 2.0 : 0.0;
            }
            if (starts[octant + 1] > starts[octant]) {
                at = tree_of(cells, at, bodies, first + starts[octant], starts[octant + 1] - starts[octant], of, side / 2.0, depth + 1);
            }
        }
    }
    cell->after = at;
    return at;
}

/* Two clusters, denser towards their centres. */
static void barnes_hut_prepare(struct clbench *b) {
    cl_float4 *bodies = make(b, 0, (size_t)b->size * sizeof *bodies);
    struct cell *cells = make(b, 1, (size_t)b->size * 2 * sizeof *cells);
    const double corner[3] = {-2.0, -2.0, -2.0};
    uint32_t state = 1041;
    for (long i = 0; i < b->size; i++) {
        double way[3], square, reach = random_unit(&state);
        do {
            square = 1e-9;
            for (int axis = 0; axis < 3; axis++) {
                way[axis] = 2.0 * random_unit(&state) - 1.0;
                square += way[axis] * way[axis];
            }
        } while (square > 1.0);
        for (int axis = 0; axis < 3; axis++) {
            bodies[i].s[axis] = (cl_float)(reach * way[axis] / sqrt(square) + (i % 3 == 0 ? 0.8 : -0.4));
        }
        bodies[i].s[3] = (0.5f + random_unit(&state)) / (cl_float)b->size;
    }
    tree_of(cells, 0, bodies, 0, b->size, corner, 4.0, 0);
    make(b, 2, (size_t)b->size * sizeof(cl_float4));
    up(b, 0), up(b, 1);
}

static void barnes_hut_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, last = ((struct cell *)b->buffer[1].host)[0].after;
    launch(b, "barnes_hut", RANGE1(round_up(count, 64), 64), B(0), V(count), B(1), V(last), V(soft), B(2));
}

static void add_pull(const cl_float4 *here, const cl_float4 *mass, double *sums) {
    double way[3], square = soft;
    for (int axis = 0; axis < 3; axis++) {
        way[axis] = (double)mass->s[axis] - here->s[axis];
        square += way[axis] * way[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        sums[axis] += mass->s[3] * way[axis] / (square * sqrt(square));
    }
    sums[3] += 1.0;
}

/* The same from a cell down, each opened one calling for its children. Whether all decisions were clear. */
static int below(const struct clbench *b, cl_int at, const cl_float4 *here, double *sums) {
    const cl_float4 *bodies = b->buffer[0].host;
    const struct cell *cells = b->buffer[1].host, *cell = &cells[at];
    double square = 0.0;
    int clear = 1;
    for (int axis = 0; axis < 3; axis++) {
        square += pow((double)cell->mass.s[axis] - here->s[axis], 2.0);
    }
    if (fabs(square / cell->far - 1.0) < 1e-5) {
        return 0;
    }
    if (square > cell->far) {
        add_pull(here, &cell->mass, sums);
    } else if (cell->count > 0) {
        for (cl_int k = 0; k < cell->count; k++) {
            add_pull(here, &bodies[cell->first + k], sums);
        }
    } else {
        for (cl_int child = at + 1; clear && child < cell->after; child = cells[child].after) {
            clear = below(b, child, here, sums);
        }
    }
    return clear;
}

/* `native_rsqrt` is as exact as a driver likes: 11 bits here, which its cube has thrice, and part of a sum's parts cancel. Against the
 * sum over all bodies the tree is right to a few percent; that says that the tree itself is right. */
static int barnes_hut_check(struct clbench *b) {
    const cl_float4 *bodies = b->buffer[0].host, *got = b->buffer[2].host;
    long unclear = 0, tried = 0;
    double off = 0.0, all = 0.0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i += b->size / 2000 + 1, tried++) {
        double sums[4] = {0.0};
        if (!below(b, 0, &bodies[i], sums)) {
            unclear++;
            continue;
        }
        ok = same("parts", i, (long)got[i].s[3], (long)sums[3]);
        for (int axis = 0; ok && axis < 3; axis++) {
            ok = near("pull", i * 3 + axis, got[i].s[axis], sums[axis], 2e-3);
        }
        if (tried % 50 == 0) {
            double whole[4] = {0.0};
            for (long k = 0; k < b->size; k++) {
                add_pull(&bodies[i], &bodies[k], whole);
            }
            for (int axis = 0; axis < 3; axis++) {
                off += fabs(got[i].s[axis] - whole[axis]), all += fabs(whole[axis]);
            }
        }
    }
    return ok && same("most are clear", 0, unclear * 4 < tried, 1) && near("all bodies", 0, off / all, 0.0, 0.03);
}

enum { WIDE = 16, HIGH = 8, ARM = 4 };

/* Of a second derivative of eighth order. */
static const double weights[ARM + 1] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};

static cl_int high_of(const struct clbench *b) { return (cl_int)(b->size * 3 / 4 + 1); }
static cl_int deep_of(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 2); }
static cl_int row_of(const struct clbench *b) { return (cl_int)round_up(b->size, WIDE) + 2 * ARM; }
static cl_int plane_of(const struct clbench *b) { return row_of(b) * ((cl_int)round_up(high_of(b), HIGH) + 2 * ARM); }

/* Waves around a source, faster in deeper layers; nothing moves in the border. */
static void seismic_wave_prepare(struct clbench *b) {
    size_t bytes = (size_t)plane_of(b) * (size_t)(deep_of(b) + 2 * ARM) * sizeof(float);
    float *now = make(b, 0, bytes), *past = make(b, 1, bytes), *speeds = make(b, 2, bytes);
    make(b, 4, bytes), make(b, 5, bytes);
    float *of = make(b, 3, sizeof weights / 2);
    for (int k = 0; k <= ARM; k++) {
        of[k] = (float)weights[k];
    }
    for (long z = 0; z < deep_of(b); z++) {
        for (long y = 0; y < high_of(b); y++) {
            for (long x = 0; x < b->size; x++) {
                long at = (z + ARM) * plane_of(b) + (y + ARM) * row_of(b) + x + ARM;
                double distance = hypot(hypot((double)x - b->size * 0.4, (double)y - b->size * 0.3), (double)z - 5.0);
                now[at] = (float)(cos(distance * 0.9) * exp(-distance / 30.0));
                past[at] = (float)(cos(distance * 0.9 + 0.3) * exp(-distance / 30.0));
                speeds[at] = (float)(0.06 + 0.05 * floor(3.0 * z / deep_of(b) + 0.3 * sin(x / 9.0)));
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        up(b, i);
    }
}

static void seismic_wave_once(struct clbench *b) {
    cl_int4 size = {{(cl_int)b->size, high_of(b), deep_of(b), row_of(b)}};
    cl_int plane = plane_of(b);
    struct range range = RANGE2(round_up(b->size, WIDE), round_up(high_of(b), HIGH), WIDE, HIGH);
    launch(b, "seismic_step", range, B(0), B(1), B(2), V(size), V(plane), B(3), B(4));
    launch(b, "seismic_step", range, B(4), B(0), B(2), V(size), V(plane), B(3), B(5));
}

/* A sum of 25 terms of which none is above 9, times a speed below 0.3, and three more of about 1: 2^-24 of each, and so in both steps. */
static int seismic_wave_check(struct clbench *b) {
    const float *speeds = b->buffer[2].host, *got[2] = {b->buffer[4].host, b->buffer[5].host};
    long row = row_of(b), plane = plane_of(b), strides[3] = {1, row, plane};
    double moved = 0.0;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (int step = 0; step < 2; step++) {
        const float *now = step == 0 ? b->buffer[0].host : got[0], *past = b->buffer[step == 0 ? 1 : 0].host;
        for (long i = 0; ok && i < b->size * high_of(b) * deep_of(b); i++) {
            long x = i % b->size, y = i / b->size % high_of(b), z = i / b->size / high_of(b);
            long at = (z + ARM) * plane + (y + ARM) * row + x + ARM;
            double sum = 0.0;
            for (int k = -ARM * 3; k <= ARM * 3 + 2; k++) {
                long arm = (k + ARM * 3) / 3 - ARM;
                sum += weights[labs(arm)] * now[at + arm * strides[(k + ARM * 3) % 3]];
            }
            double want = 2.0 * now[at] - past[at] + speeds[at] * sum;
            moved += fabs(want - past[at]);
            ok = near("wave", at, got[step][at], want, 2e-6);
        }
    }
    return ok && same("it moves", 0, moved > 0.01 * (double)(b->size * high_of(b) * deep_of(b)), 1);
}

enum { TIMES = 24 };

static const cl_double between = 0.37;

/* Most are closed, some nearly parabolas, every ninth is open. */
static void kepler_orbits_prepare(struct clbench *b) {
    long orbits = b->size;
    double *elements = make(b, 0, (size_t)orbits * 6 * sizeof *elements);
    uint32_t state = 1051;
    for (long i = 0; i < orbits; i++) {
        int open = i % 9 == 4;
        double u = random_unit(&state);
        elements[i] = (open ? -1.0 : 1.0) * (1.1 + 5.0 * random_unit(&state));
        elements[orbits + i] = open ? 1.05 + 2.0 * u : i % 5 == 0 ? 0.97 * sqrt(u) : 0.2 * u;
        for (int k = 2; k < 6; k++) {
            elements[k * orbits + i] = (k == 2 ? 3.1 : 6.28) * random_unit(&state) - (k == 5 ? 2.0 : 0.0);
        }
    }
    make(b, 1, (size_t)orbits * TIMES * 3 * sizeof(double));
    up(b, 0);
}

static void kepler_orbits_once(struct clbench *b) {
    cl_int orbits = (cl_int)b->size, times = TIMES;
    launch(b, "kepler_orbits", RANGE2((size_t)orbits, TIMES, 0, 0), B(0), V(orbits), V(between), V(times), B(1));
}

/* The eccentric anomaly by halving: the left side of Kepler's equation grows with it. */
static double anomaly_of(double mean, double e) {
    double low = -40.0, high = 40.0;
    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2.0;
        double left = e < 1.0 ? middle - e * sin(middle) : e * sinh(middle) - middle;
        *(left < mean ? &low : &high) = middle;
    }
    return (low + high) / 2.0;
}

static void turn(double *from, double *to, double angle) {
    double kept = *from;
    *from = kept * cos(angle) - *to * sin(angle), *to = kept * sin(angle) + *to * cos(angle);
}

/* Means of up to 20 radians are exact to 4e-15; the anomaly is so to 33 times that where the eccentricity is 0.97, and places to a
 * few times as much; open orbits reach some dozens of units. */
static int kepler_orbits_check(struct clbench *b) {
    const double *elements = b->buffer[0].host, *got = b->buffer[1].host;
    long orbits = b->size;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < orbits * TIMES; at += orbits * TIMES / 20000 + 1) {
        long i = at % orbits;
        double axis = fabs(elements[i]), e = elements[orbits + i];
        double angle = anomaly_of(elements[5 * orbits + i] + (double)(at / orbits) * between * pow(axis, -1.5), e), place[3];
        place[0] = e < 1.0 ? axis * (cos(angle) - e) : axis * (e - cosh(angle));
        place[1] = axis * sqrt(fabs(1.0 - e * e)) * (e < 1.0 ? sin(angle) : sinh(angle));
        place[2] = 0.0;
        turn(&place[0], &place[1], elements[4 * orbits + i]);
        turn(&place[1], &place[2], elements[2 * orbits + i]);
        turn(&place[0], &place[1], elements[3 * orbits + i]);
        for (int axis_of = 0; ok && axis_of < 3; axis_of++) {
            ok = near("place", at * 3 + axis_of, got[at * 3 + axis_of], place[axis_of], 2e-12);
        }
    }
    return ok;
}

const struct workload round10_space_workloads[] = {
    WORKLOAD(round10_space, barnes_hut, 300, 4001, 16007, 80021),
    WORKLOAD(round10_space, seismic_wave, 21, 101, 201, 401),
    WORKLOAD(round10_space, kepler_orbits, 70, 2003, 8009, 40009),
    END_OF_WORKLOADS,
};
