/* Physics. Sizes are particles, particles, cells. */
#include "workloads.h"

/* The mesh has about as many points as there are particles. */
static cl_int4 wanted_sides(const struct clbench *b) {
    cl_int side = (cl_int)cbrt((double)b->size) + 5;
    return (cl_int4){{side, side + 2, side + 3, 0}};
}

static void spread_charges_prepare(struct clbench *b) {
    cl_int4 sides = wanted_sides(b);
    size_t points = (size_t)sides.s[0] * (size_t)sides.s[1] * (size_t)sides.s[2];
    fill_unit(make(b, 0, (size_t)b->size * sizeof(cl_float4)), b->size * 4, 1443);
    make(b, 1, points * sizeof(cl_int)), make(b, 2, points * sizeof(float)), make(b, 3, (size_t)b->size * sizeof(cl_float4));
    up(b, 0);
}

static void spread_charges_once(struct clbench *b) {
    cl_int4 sides = wanted_sides(b);
    cl_int count = (cl_int)b->size, points = sides.s[0] * sides.s[1] * sides.s[2];
    size_t items = round_up(count, 64);
    launch(b, "clear_mesh", RANGE1(2048, 128), B(1), V(points));
    launch(b, "spread_charges", RANGE1(items, 64), B(0), V(count), V(sides), B(1));
    launch(b, "smooth_mesh", RANGE3(round_up(sides.s[0], 8), round_up(sides.s[1], 4), round_up(sides.s[2], 4), 8, 4, 4), B(1),
           V(sides), B(2));
    launch(b, "gather_forces", RANGE1(items, 64), B(0), V(count), V(sides), B(2), B(3));
}

/* Weight and slope at one of the points near a particle, and the point. A particle's place is rounded as the kernel does it. */
static int spline_point(float part_of_box, int side, int i, double *weight, double *slope) {
    float place = part_of_box * (float)side;
    double far = fabs(place - floor(place) - (i - 1)), sign = i < 2 ? -1.0 : 1.0;
    if (far >= 1.0) {
        *weight = pow(2.0 - far, 3.0) / 6.0, *slope = sign * 0.5 * (2.0 - far) * (2.0 - far);
    } else {
        *weight = 2.0 / 3.0 - far * far + 0.5 * far * far * far, *slope = sign * (2.0 * far - 1.5 * far * far);
    }
    return ((int)floor(place) + i - 1 + side) % side;
}

/* The 64 points near a particle: adds its charge to `mesh`, and to `sums` what the potential does to it. */
static void spline_points(const float *particle, const cl_int4 *sides, double *mesh, const double *potential, double sums[4]) {
    double w[3], s[3];
    for (int i = 0; i < 64; i++) {
        long at = 0;
        for (int axis = 2; axis >= 0; axis--) {
            int point = spline_point(particle[axis], sides->s[axis], i >> (2 * axis) & 3, &w[axis], &s[axis]);
            at = at * sides->s[axis] + point;
        }
        mesh[at] += particle[3] * w[0] * w[1] * w[2];
        sums[0] -= particle[3] * potential[at] * s[0] * w[1] * w[2];
        sums[1] -= particle[3] * potential[at] * w[0] * s[1] * w[2];
        sums[2] -= particle[3] * potential[at] * w[0] * w[1] * s[2];
        sums[3] += particle[3] * potential[at] * w[0] * w[1] * w[2];
    }
}

static int spread_charges_check(struct clbench *b) {
    cl_int4 sides = wanted_sides(b);
    long nx = sides.s[0], ny = sides.s[1], nz = sides.s[2], points = nx * ny * nz;
    const float *particles = b->buffer[0].host, *got = b->buffer[3].host;
    double *mesh = calloc((size_t)points * 2, sizeof *mesh), *potential = mesh + points, want[4];
    int ok = 1;
    down(b, 3);
    for (long i = 0; i < b->size; i++) {
        spline_points(particles + 4 * i, &sides, mesh, potential, want);
    }
    for (long i = 0; i < points; i++) {
        long x = i % nx, y = i / nx % ny, z = i / nx / ny;
        double around = mesh[i - x + (x + 1) % nx] + mesh[i - x + (x + nx - 1) % nx];
        around += mesh[(z * ny + (y + 1) % ny) * nx + x] + mesh[(z * ny + (y + ny - 1) % ny) * nx + x];
        around += mesh[((z + 1) % nz * ny + y) * nx + x] + mesh[((z + nz - 1) % nz * ny + y) * nx + x];
        potential[i] = mesh[i] - 0.125 * around;
    }
    for (long i = 0; ok && i < b->size; i += b->size / 20000 + 1) {
        memset(want, 0, sizeof want);
        spline_points(particles + 4 * i, &sides, mesh, potential, want);
        for (int k = 0; ok && k < 4; k++) {
            ok = near("force", 4 * i + k, got[4 * i + k], want[k], 2e-5);
        }
    }
    free(mesh);
    return ok;
}

enum { MESH = 63, PUSHES = 4 };

static const cl_float push_step = 0.05f;

static void boris_push_prepare(struct clbench *b) {
    fill_between(make(b, 0, (size_t)b->size * sizeof(cl_float2)), b->size * 2, 1453, 0.0f, (float)MESH);
    for (int axis = 0; axis < 3; axis++) {
        fill_between(make(b, 1 + axis, (size_t)b->size * sizeof(float)), b->size, 1459 + (uint32_t)axis, -2.0f, 2.0f);
    }
    for (int i = 0; i < 2; i++) {
        fill_between(make(b, 4 + i, MESH * MESH * sizeof(cl_float4)), MESH * MESH * 4, 1471 + (uint32_t)i, -3.0f, 4.0f);
        up(b, 4 + i);
    }
}

static void boris_push_once(struct clbench *b) {
    cl_int side = MESH, count = (cl_int)b->size;
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
    for (int i = 0; i < PUSHES; i++) {
        launch(b, "boris_push", RANGE1(8192, 128), B(0), B(1), B(2), B(3), B(4), B(5), V(side), V(count), V(push_step));
    }
}

/* A component of a field at a place, by the parts of the area that is across from each of four points. */
static double double_field(const float *field, const double place[2]) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        int x = (int)place[0] + i % 2, y = (int)place[1] + i / 2;
        sum += (1.0 - fabs(place[0] - x)) * (1.0 - fabs(place[1] - y)) * field[4 * (y % MESH * MESH + x % MESH)];
    }
    return sum;
}

/* The push with the turn solved for: u - h u x B is known, and its solution is in closed form. */
static void double_push(const struct clbench *b, double place[2], double speed[3]) {
    double e[3], m[3], v[3], along = 0.0, square = 0.0, half_step = 0.5 * (double)push_step;
    for (int k = 0; k < 3; k++) {
        e[k] = half_step * double_field((const float *)b->buffer[4].host + k, place);
        m[k] = half_step * double_field((const float *)b->buffer[5].host + k, place);
        v[k] = speed[k] + e[k];
        along += v[k] * m[k], square += m[k] * m[k];
    }
    for (int k = 0; k < 3; k++) {
        double turned = v[(k + 1) % 3] * m[(k + 2) % 3] - v[(k + 2) % 3] * m[(k + 1) % 3];
        speed[k] = 2.0 * (v[k] + turned + along * m[k]) / (1.0 + square) - v[k] + e[k];
    }
    for (int k = 0; k < 2; k++) {
        place[k] += (double)push_step * speed[k];
        place[k] -= floor(place[k] / MESH) * MESH;
    }
}

static int boris_push_check(struct clbench *b) {
    float *start = malloc((size_t)b->size * 5 * sizeof *start);
    const float *places = b->buffer[0].host;
    int ok = 1;
    memcpy(start, b->buffer[0].host, b->buffer[0].bytes);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(start + (2 + axis) * b->size, b->buffer[1 + axis].host, b->buffer[1].bytes);
    }
    down(b, 0), down(b, 1), down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        double place[2] = {start[2 * i], start[2 * i + 1]};
        double speed[3] = {start[2 * b->size + i], start[3 * b->size + i], start[4 * b->size + i]};
        for (int push = 0; push < PUSHES; push++) {
            double_push(b, place, speed);
        }
        for (int k = 0; k < 3; k++) {
            ok = ok && near("speed", 3 * i + k, ((const float *)b->buffer[1 + k].host)[i], speed[k], 2e-4);
            ok = ok && (k == 2 || near("place", 2 * i + k, remainder(places[2 * i + k] - place[k], MESH), 0.0, 2e-4));
        }
    }
    free(start);
    return ok;
}

enum { OUTER = 8, INNER = 5 };

static const cl_float nerve_step = 0.025f;

static void hodgkin_huxley_prepare(struct clbench *b) {
    float *cells = make(b, 0, (size_t)b->size * 4 * sizeof *cells);
    cl_int *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts);
    cl_int *neighbours = make(b, 2, (size_t)b->size * 9 * sizeof *neighbours);
    float *strengths = make(b, 3, (size_t)b->size * 9 * sizeof *strengths);
    uint32_t state = 1481;
    for (long i = 0; i < b->size; i++) {
        cells[4 * i] = -75.0f + 40.0f * random_unit(&state), cells[4 * i + 1] = 0.05f + 0.2f * random_unit(&state);
        cells[4 * i + 2] = 0.4f + 0.3f * random_unit(&state), cells[4 * i + 3] = 0.3f + 0.1f * random_unit(&state);
        starts[i + 1] = starts[i] + 2 + (cl_int)(random_word(&state) % 8);
        for (cl_int k = starts[i]; k < starts[i + 1]; k++) {
            long jump = random_word(&state) % 4 == 0 ? (long)(random_word(&state) % (uint32_t)b->size) : k - starts[i] + 1;
            neighbours[k] = (cl_int)((i + jump) % b->size), strengths[k] = 0.02f + 0.1f * random_unit(&state);
        }
    }
    make(b, 4, (size_t)b->size * sizeof(float));
    fill_between(make(b, 5, (size_t)b->size * sizeof(float)), b->size, 1483, 0.0f, 15.0f);
    up(b, 1), up(b, 2), up(b, 3), up(b, 5);
}

static void hodgkin_huxley_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, steps = INNER;
    struct range range = RANGE1(round_up(count, 64), 64);
    up(b, 0);
    for (int i = 0; i < OUTER; i++) {
        launch(b, "nerve_currents", range, B(0), B(1), B(2), B(3), V(count), B(4));
        launch(b, "nerve_steps", range, B(0), B(4), B(5), V(count), V(nerve_step), V(steps));
    }
}

static double double_gate(double open, double opening, double closing) {
    double end = opening / (opening + closing);
    return end + (open - end) * exp(-(opening + closing) * (double)nerve_step);
}

static double double_ramp(double x) { return fabs(x) < 1e-6 ? 1.0 : -x / expm1(-x); }

static void double_nerve(double cell[4], double flow) {
    for (int i = 0; i < INNER; i++) {
        double v = cell[0], sodium, potassium, total, rest;
        cell[1] = double_gate(cell[1], double_ramp(0.1 * (v + 40.0)), 4.0 * exp((v + 65.0) / -18.0));
        cell[2] = double_gate(cell[2], 0.07 * exp((v + 65.0) / -20.0), 1.0 / (1.0 + exp((v + 35.0) / -10.0)));
        cell[3] = double_gate(cell[3], 0.1 * double_ramp(0.1 * (v + 55.0)), 0.125 * exp((v + 65.0) / -80.0));
        sodium = 120.0 * pow(cell[1], 3.0) * cell[2], potassium = 36.0 * pow(cell[3], 4.0), total = sodium + potassium + 0.3;
        rest = (sodium * 50.0 - potassium * 77.0 - 0.3 * 54.387 + flow) / total;
        cell[0] = rest + (v - rest) * exp(-total * (double)nerve_step);
    }
}

static int hodgkin_huxley_check(struct clbench *b) {
    float *got = b->buffer[0].host;
    const cl_int *starts = b->buffer[1].host, *neighbours = b->buffer[2].host;
    const float *strengths = b->buffer[3].host, *drives = b->buffer[5].host;
    double *cells = malloc((size_t)b->size * 5 * sizeof *cells), *flows = cells + 4 * b->size, highest = -100.0;
    int ok = 1;
    for (long i = 0; i < b->size * 4; i++) {
        cells[i] = got[i];
    }
    down(b, 0);
    for (int outer = 0; outer < OUTER; outer++) {
        for (long i = 0; i < b->size; i++) {
            flows[i] = drives[i];
            for (cl_int k = starts[i]; k < starts[i + 1]; k++) {
                flows[i] += strengths[k] * (cells[4 * neighbours[k]] - cells[4 * i]);
            }
        }
        for (long i = 0; i < b->size; i++) {
            double_nerve(cells + 4 * i, flows[i]);
        }
    }
    for (long i = 0; ok && i < b->size * 4; i++) {
        ok = near("cell", i, got[i], cells[i], 5e-4);
        highest = fmax(highest, cells[i]);
    }
    free(cells);
    return ok && same("some cell fires", 0, highest > 20.0, 1);
}

const struct workload round13_physics_workloads[] = {
    WORKLOAD(round13_physics, spread_charges, 301, 10007, 60013, 500009),
    WORKLOAD(round13_physics, boris_push, 503, 50021, 200003, 2000003),
    WORKLOAD(round13_physics, hodgkin_huxley, 301, 3001, 20011, 200003),
    END_OF_WORKLOADS,
};
