/* Engineering. Sizes are a side of a sea, grains, cubes along a side of a body. */
#include "workloads.h"

enum { STEPS = 2, TILE = 16 };

static const cl_float water_step = 0.02f;
static const double gravity = 9.81, dry = 1e-4;

/* Hills, some of them above the water, that comes down as a dam breaks. Neighbours differ in depth and speed. */
static void shallow_hll_prepare(struct clbench *b) {
    cl_float4 *states = make(b, 0, (size_t)(b->size * b->size) * sizeof *states);
    uint32_t state = 2711;
    for (long i = 0; i < b->size * b->size; i++) {
        float x = (float)(i % b->size), y = (float)(i / b->size);
        float ground = 0.8f * sinf(0.13f * x) * cosf(0.11f * y), surface = x < 0.4f * (float)b->size ? 1.5f : 0.4f;
        float depth = fmaxf(surface - ground, 0.0f);
        states[i].s[0] = depth, states[i].s[3] = ground;
        states[i].s[1] = depth * (random_unit(&state) - 0.3f), states[i].s[2] = depth * (random_unit(&state) - 0.5f);
    }
    for (int i = 1; i <= STEPS; i++) {
        make(b, i, (size_t)(b->size * b->size) * sizeof *states);
    }
    up(b, 0);
}

static void shallow_hll_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    for (int i = 0; i < STEPS; i++) {
        struct range range = RANGE2(round_up(side, TILE), round_up(side, TILE), TILE, TILE);
        launch(b, "shallow_hll", range, B(i), V(side), V(side), V(water_step), B(i + 1));
    }
}

/* The flux of depth, momentum along and across from a state to another one that stands after it, without the ground's pressure. */
static void hll(const double left[3], const double right[3], double flux[3]) {
    double speeds[2] = {left[1], right[1]}, roots[2] = {sqrt(gravity * left[0]), sqrt(gravity * right[0])};
    double slow = fmin(fmin(speeds[0] - roots[0], speeds[1] - roots[1]), 0.0);
    double fast = fmax(fmax(speeds[0] + roots[0], speeds[1] + roots[1]), 0.0);
    for (int k = 0; k < 3; k++) {
        double before = left[0] * (k == 0 ? 1.0 : left[k]), behind = right[0] * (k == 0 ? 1.0 : right[k]);
        double from = before * speeds[0] + (k == 1 ? 0.5 * gravity * left[0] * left[0] : 0.0);
        double to = behind * speeds[1] + (k == 1 ? 0.5 * gravity * right[0] * right[0] : 0.0);
        flux[k] = fast > slow ? (fast * from - slow * to + slow * fast * (behind - before)) / (fast - slow) : 0.0;
    }
}

/* What a cell gains through its side in a direction, `axis` 1 or 2, `sign` 1 or -1. */
static void gain(const double *own, const double *other, int axis, int sign, double *gained) {
    double ground = fmax(own[3], other[3]), flux[3];
    double states[2][3];
    const double *both[2] = {own, other};
    for (int i = 0; i < 2; i++) {
        states[i][0] = fmax(both[i][0] + both[i][3] - ground, 0.0);
        states[i][1] = both[i][0] > dry ? both[i][axis] / both[i][0] : 0.0;
        states[i][2] = both[i][0] > dry ? both[i][3 - axis] / both[i][0] : 0.0;
    }
    double pressure = 0.5 * gravity * (own[0] * own[0] - states[0][0] * states[0][0]);
    if (states[0][0] < dry && states[1][0] < dry) {
        memset(flux, 0, sizeof flux);
    } else {
        hll(states[sign < 0], states[sign > 0], flux);
    }
    gained[0] -= (double)water_step * sign * flux[0];
    gained[axis] -= (double)water_step * sign * (flux[1] + pressure);
    gained[3 - axis] -= (double)water_step * sign * flux[2];
}

static void water_steps(long side, double *from, double *to) {
    for (long i = 0; i < side * side; i++) {
        const double *own = from + i * 4;
        double *gained = to + i * 4;
        memcpy(gained, own, 4 * sizeof *own);
        for (int k = 0; k < 4; k++) {
            int axis = 1 + k / 2, sign = k % 2 * 2 - 1;
            long x = i % side + (axis == 1) * sign, y = i / side + (axis == 2) * sign;
            double wall[4] = {own[0], axis == 1 ? -own[1] : own[1], axis == 2 ? -own[2] : own[2], own[3]};
            gain(own, x < 0 || y < 0 || x >= side || y >= side ? wall : from + (y * side + x) * 4, axis, sign, gained);
        }
        if (gained[0] < dry) {
            gained[1] = gained[2] = 0.0;
        }
    }
}

static int shallow_hll_check(struct clbench *b) {
    const float *start = b->buffer[0].host, *got = b->buffer[STEPS].host;
    long count = b->size * b->size * 4;
    double *states[STEPS + 1];
    int ok = 1;
    down(b, STEPS);
    for (int i = 0; i <= STEPS; i++) {
        states[i] = calloc((size_t)count, sizeof(double));
    }
    for (long i = 0; i < count; i++) {
        states[0][i] = (double)start[i];
    }
    for (int i = 0; i < STEPS; i++) {
        water_steps(b->size, states[i], states[i + 1]);
    }
    for (long i = 0; ok && i < count; i++) {
        ok = near("state", i, (double)got[i], states[STEPS][i], 1e-4);
    }
    for (int i = 0; i <= STEPS; i++) {
        free(states[i]);
    }
    return ok;
}

enum { SLOTS = 12 };

struct grains {
    float stiffness, damping, sliding, friction, cell;
    int cells;
};

/* A cell is as wide as the largest grain, and has about one of them. */
static struct grains grains_of(const struct clbench *b) {
    return (struct grains){1000.0f, 6.0f, 8.0f, 0.4f, 1.0f, (int)cbrt((double)b->size) + 1};
}

static void grain_contacts_prepare(struct clbench *b) {
    struct grains model = grains_of(b);
    size_t bytes = (size_t)b->size * sizeof(cl_float4), cells = (size_t)model.cells * (size_t)model.cells * (size_t)model.cells;
    cl_float4 *places = make(b, 0, bytes), *speeds = make(b, 1, bytes), *spins = make(b, 2, bytes);
    uint32_t state = 2713;
    for (long i = 0; i < b->size; i++) {
        for (int k = 0; k < 3; k++) {
            places[i].s[k] = random_unit(&state) * (float)model.cells * model.cell;
            speeds[i].s[k] = random_unit(&state) - 0.5f, spins[i].s[k] = random_unit(&state) - 0.5f;
        }
        places[i].s[3] = 0.35f + 0.15f * random_unit(&state);
    }
    make(b, 3, cells * sizeof(cl_int)), make(b, 4, cells * SLOTS * sizeof(cl_int));
    make(b, 5, bytes), make(b, 6, bytes);
    up(b, 0), up(b, 1), up(b, 2);
}

static void grain_contacts_once(struct clbench *b) {
    struct grains model = grains_of(b);
    cl_int grains = (cl_int)b->size;
    launch(b, "no_grains", RANGE1((size_t)model.cells * (size_t)model.cells * (size_t)model.cells, 0), B(3));
    launch(b, "sort_grains", RANGE1(2048, 64), B(0), V(grains), V(model), B(3), B(4));
    launch(b, "grain_forces", RANGE1(round_up(grains, 64), 64), B(0), B(1), B(2), V(grains), V(model), B(3), B(4), B(5), B(6));
}

static void cross_of(const double a[3], const double c[3], double product[3]) {
    for (int k = 0; k < 3; k++) {
        product[k] = a[(k + 1) % 3] * c[(k + 2) % 3] - a[(k + 2) % 3] * c[(k + 1) % 3];
    }
}

/* Adds what a touched grain, or the floor, does to a grain: `normal` points to the latter. */
static void add_touch(const struct grains *model, const double normal[3], double overlap, const double speed[3], double radius,
                      double force[3], double moment[3]) {
    double closing = 0.0, slip = 0.0, sideways[3], drag[3], turning[3];
    for (int k = 0; k < 3; k++) {
        closing += speed[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        sideways[k] = speed[k] - closing * normal[k], slip += sideways[k] * sideways[k];
    }
    double push = fmax((double)model->stiffness * overlap - (double)model->damping * closing, 0.0);
    double size = fmin((double)model->sliding, (double)model->friction * push / sqrt(slip));
    for (int k = 0; k < 3; k++) {
        drag[k] = -size * sideways[k], force[k] += push * normal[k] + drag[k];
    }
    cross_of(drag, normal, turning);
    for (int k = 0; k < 3; k++) {
        moment[k] += radius * turning[k];
    }
}

/* Force and moment of a grain, or 0 where it may or may not touch something. */
static int forces_on(const struct clbench *b, const struct grains *model, long at, double force[3], double moment[3]) {
    const cl_float4 *places = b->buffer[0].host, *speeds = b->buffer[1].host, *spins = b->buffer[2].host;
    double radius = (double)places[at].s[3];
    int is_certain = 1;
    memset(force, 0, 3 * sizeof *force), memset(moment, 0, 3 * sizeof *moment);
    force[2] = -gravity * pow(radius, 3.0);
    for (long i = -1; i < b->size; i++) {
        double normal[3] = {0.0, 0.0, 1.0}, away = (double)places[at].s[2], reach = radius, speed[3], spin[3], turning[3];
        if (i >= 0 && i != at) {
            reach += (double)places[i].s[3], away = 0.0;
            for (int k = 0; k < 3; k++) {
                normal[k] = (double)places[at].s[k] - (double)places[i].s[k], away += normal[k] * normal[k];
            }
            away = sqrt(away);
        }
        is_certain = is_certain && (i == at || fabs(reach - away) > 1e-5);
        if (i == at || away >= reach) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            normal[k] /= i >= 0 ? away : 1.0;
            speed[k] = (double)speeds[at].s[k] - (i >= 0 ? (double)speeds[i].s[k] : 0.0);
            spin[k] = radius * (double)spins[at].s[k] + (i >= 0 ? (double)places[i].s[3] * (double)spins[i].s[k] : 0.0);
        }
        cross_of(normal, spin, turning);
        for (int k = 0; k < 3; k++) {
            speed[k] += turning[k];
        }
        add_touch(model, normal, reach - away, speed, radius, force, moment);
    }
    return is_certain;
}

/* Of many grains not all are looked at. */
static int grain_contacts_check(struct clbench *b) {
    struct grains model = grains_of(b);
    const cl_float4 *forces = b->buffer[5].host, *moments = b->buffer[6].host;
    long step = b->size / 503 + 1;
    int ok = 1;
    down(b, 5), down(b, 6);
    for (long i = 0; ok && i < b->size; i += step) {
        double force[3], moment[3];
        int is_certain = forces_on(b, &model, i, force, moment);
        for (int k = 0; ok && is_certain && k < 3; k++) {
            ok = near("force", i * 3 + k, (double)forces[i].s[k], force[k], 2e-3) &&
                 near("moment", i * 3 + k, (double)moments[i].s[k], moment[k], 2e-3);
        }
    }
    return ok;
}

struct tetrahedron {
    int nodes[4];
    float inverse[9], volume;
};

static const cl_float shear = 400.0f, bulk = 900.0f, body_step = 1e-3f;

static long nodes_of(const struct clbench *b) { return (b->size + 1) * (b->size + 1) * (b->size + 1); }

/* The inverse of a matrix of three rows, and its determinant. */
static double inverse_of(double matrix[3][3], double inverse[3][3]) {
    double size = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            int r = (k + 1) % 3, s = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[i][k] = matrix[r][c] * matrix[s][d] - matrix[r][d] * matrix[s][c];
        }
    }
    for (int k = 0; k < 3; k++) {
        size += matrix[0][k] * inverse[k][0];
    }
    for (int i = 0; i < 9; i++) {
        inverse[i / 3][i % 3] /= size;
    }
    return size;
}

/* Each cube is six tetrahedra, one for each order of the axes, along which it is walked from a corner to the opposite one. At rest nodes
 * are one apart, and the body is stretched and shaken. */
static void tet_forces_prepare(struct clbench *b) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    long side = b->size + 1, nodes = nodes_of(b), cubes = b->size * b->size * b->size;
    const long steps[3] = {1, side, side * side};
    struct tetrahedron *tetrahedra = make(b, 0, (size_t)cubes * 6 * sizeof *tetrahedra);
    cl_float4 *places = make(b, 1, (size_t)nodes * sizeof *places), *speeds = make(b, 2, (size_t)nodes * sizeof *speeds);
    uint32_t state = 2719;
    for (long i = 0; i < nodes; i++) {
        for (int k = 0; k < 3; k++) {
            float rest = (float)(i / steps[k] % side);
            places[i].s[k] = rest * (k == 0 ? 1.2f : 0.95f) + 0.2f * random_unit(&state);
            speeds[i].s[k] = random_unit(&state) - 0.5f;
        }
        places[i].s[3] = i % side == 0 ? 0.0f : 0.5f + random_unit(&state);
    }
    for (long i = 0; i < cubes * 6; i++) {
        long cube = i / 6, node = cube % b->size + cube / b->size % b->size * side + cube / b->size / b->size * side * side;
        double edges[3][3] = {{0.0}}, inverse[3][3];
        tetrahedra[i].nodes[0] = (int)node;
        for (int k = 0; k < 3; k++) {
            node += steps[orders[i % 6][k]];
            tetrahedra[i].nodes[k + 1] = (int)node;
            for (int later = k; later < 3; later++) {
                edges[orders[i % 6][k]][later] = 1.0;
            }
        }
        tetrahedra[i].volume = (float)(fabs(inverse_of(edges, inverse)) / 6.0);
        for (int k = 0; k < 9; k++) {
            tetrahedra[i].inverse[k] = (float)inverse[k / 3][k % 3];
        }
    }
    make(b, 3, (size_t)nodes * 3 * sizeof(cl_float));
    make(b, 4, (size_t)nodes * sizeof *places), make(b, 5, (size_t)nodes * sizeof *speeds);
    up(b, 0), up(b, 1), up(b, 2);
}

static void tet_forces_once(struct clbench *b) {
    cl_int numbers = (cl_int)nodes_of(b) * 3, count = (cl_int)(b->size * b->size * b->size * 6);
    launch(b, "no_forces", RANGE1(round_up(numbers, 128), 128), B(3), V(numbers));
    launch(b, "tet_forces", RANGE1(round_up(count, 64), 64), B(0), V(count), B(1), V(shear), V(bulk), B(3));
    launch(b, "move_nodes", RANGE1((size_t)nodes_of(b), 0), B(1), B(2), B(3), V(body_step), B(4), B(5));
}

/* Adds a tetrahedron's forces: its stress is the derivative of the energy by the bent edges. */
static void add_tetrahedron(const struct tetrahedron *own, const cl_float4 *places, double *forces) {
    double bent[3][3] = {{0.0}}, against[3][3], stress[3][3];
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 9; i++) {
            double edge = (double)places[own->nodes[i / 3 + 1]].s[row] - (double)places[own->nodes[0]].s[row];
            bent[row][i % 3] += edge * (double)own->inverse[i];
        }
    }
    double size = inverse_of(bent, against), volume = fmax(size, 0.1);
    for (int i = 0; i < 9; i++) {
        double turned = against[i % 3][i / 3] * size / volume;
        stress[i / 3][i % 3] = (double)shear * (bent[i / 3][i % 3] - turned) + (double)bulk * log(volume) * turned;
    }
    for (int i = 0; i < 27; i++) {
        int node = i / 9, row = i / 3 % 3, column = i % 3;
        double force = -(double)own->volume * stress[row][column] * (double)own->inverse[node * 3 + column];
        forces[own->nodes[node + 1] * 3 + row] += force, forces[own->nodes[0] * 3 + row] -= force;
    }
}

static int tet_forces_check(struct clbench *b) {
    const struct tetrahedron *tetrahedra = b->buffer[0].host;
    const cl_float4 *places = b->buffer[1].host, *speeds = b->buffer[2].host;
    const cl_float4 *new_places = b->buffer[4].host, *new_speeds = b->buffer[5].host;
    const float *got = b->buffer[3].host;
    double *forces = calloc((size_t)nodes_of(b) * 3, sizeof *forces);
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5);
    for (long i = 0; i < b->size * b->size * b->size * 6; i++) {
        add_tetrahedron(tetrahedra + i, places, forces);
    }
    for (long i = 0; ok && i < nodes_of(b) * 3; i++) {
        long node = i / 3, k = i % 3;
        double mass = (double)places[node].s[3], speed = (double)speeds[node].s[k];
        speed += mass > 0.0 ? (double)body_step * (forces[i] / mass - (k == 2 ? gravity : 0.0)) : 0.0;
        ok = near("force", i, (double)got[i], forces[i], 5e-3) && near("speed", i, (double)new_speeds[node].s[k], speed, 1e-4) &&
             near("place", i, (double)new_places[node].s[k], (double)places[node].s[k] + (double)body_step * speed, 1e-5);
    }
    free(forces);
    return ok;
}

const struct workload round21_engineering_workloads[] = {
    WORKLOAD(round21_engineering, shallow_hll, 37, 203, 503, 2003),
    WORKLOAD(round21_engineering, grain_contacts, 301, 10007, 60013, 500009),
    WORKLOAD(round21_engineering, tet_forces, 3, 17, 30, 60),
    END_OF_WORKLOADS,
};
