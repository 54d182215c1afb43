/* Worlds. Sizes are elements, a side of cells, a side of land, the width of a picture. */
#include "workloads.h"

enum { NODES = 8, OF_ELEMENT = NODES * NODES * NODES, FACTORS = 7 };

static const cl_double lambda = 0.3;

/* Lobatto's nodes of an element's side, and what slope each node's polynomial has at each node. */
static void fill_slopes(double slopes[NODES][NODES]) {
    static const double nodes[NODES] = {-1.0, -0.8717401485096066, -0.5917001814331423, -0.2092992179024789,
                                        0.2092992179024789, 0.5917001814331423, 0.8717401485096066, 1.0};
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < NODES; k++) {
            slopes[i][k] = 0.0;
            for (int left_out = 0; left_out < NODES; left_out++) {
                double product = left_out == k ? 0.0 : 1.0 / (nodes[k] - nodes[left_out]);
                for (int n = 0; n < NODES; n++) {
                    product *= n == k || n == left_out ? 1.0 : (nodes[i] - nodes[n]) / (nodes[k] - nodes[n]);
                }
                slopes[i][k] += product;
            }
        }
    }
}

static void spectral_ax_prepare(struct clbench *b) {
    double *values = make(b, 0, (size_t)b->size * OF_ELEMENT * sizeof *values);
    double *factors = make(b, 1, (size_t)b->size * OF_ELEMENT * FACTORS * sizeof *factors);
    uint32_t state = 4397;
    for (long i = 0; i < b->size * OF_ELEMENT; i++) {
        values[i] = (double)random_unit(&state) * 2.0 - 1.0;
    }
    for (long i = 0; i < b->size * OF_ELEMENT * FACTORS; i++) {
        long kind = i / OF_ELEMENT % FACTORS;
        factors[i] = kind == 0 || kind == 3 || kind >= 5 ? 0.5 + (double)random_unit(&state) : 0.3 * (double)random_unit(&state) - 0.15;
    }
    fill_slopes(make(b, 2, NODES * NODES * sizeof(double)));
    make(b, 3, (size_t)b->size * OF_ELEMENT * sizeof(double));
    up(b, 0), up(b, 1), up(b, 2);
}

static void spectral_ax_once(struct clbench *b) {
    launch(b, "spectral_ax", RANGE2((size_t)b->size * NODES, NODES, NODES, NODES), B(0), B(1), B(2), V(lambda), B(3));
}

/* The slopes of a node's values along an axis, or what slopes along it add to other nodes: `is_back`. */
static void along(double slopes[NODES][NODES], const double *from, int axis, int is_back, double *to) {
    static const int steps[3] = {1, NODES, NODES * NODES};
    for (int i = 0; i < OF_ELEMENT; i++) {
        int place = i / steps[axis] % NODES, start = i - place * steps[axis];
        for (int k = 0; k < NODES; k++) {
            to[i] += (is_back ? slopes[k][place] : slopes[place][k]) * from[start + k * steps[axis]];
        }
    }
}

/* Of many elements not all are looked at. */
static int spectral_ax_check(struct clbench *b) {
    static const int factor_of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const double *values = b->buffer[0].host, *factors = b->buffer[1].host, *got = b->buffer[3].host;
    double slopes[NODES][NODES];
    int ok = 1;
    fill_slopes(slopes);
    down(b, 3);
    for (long element = 0; ok && element < b->size; element += b->size / 501 + 1) {
        const double *own = values + element * OF_ELEMENT, *factor = factors + element * OF_ELEMENT * FACTORS;
        double sloping[3][OF_ELEMENT] = {{0.0}}, want[OF_ELEMENT];
        for (int i = 0; i < OF_ELEMENT; i++) {
            want[i] = lambda * factor[6 * OF_ELEMENT + i] * own[i];
        }
        for (int axis = 0; axis < 3; axis++) {
            along(slopes, own, axis, 0, sloping[axis]);
        }
        for (int axis = 0; axis < 3; axis++) {
            double flux[OF_ELEMENT] = {0.0};
            for (int i = 0; i < 3 * OF_ELEMENT; i++) {
                int other = i / OF_ELEMENT, node = i % OF_ELEMENT;
                flux[node] += factor[factor_of[axis][other] * OF_ELEMENT + node] * sloping[other][node];
            }
            along(slopes, flux, axis, 1, want);
        }
        for (int i = 0; ok && i < OF_ELEMENT; i++) {
            ok = near("result", element * OF_ELEMENT + i, got[element * OF_ELEMENT + i], want[i], 1e-10);
        }
    }
    return ok;
}

enum { ANGLES = 8, CORNERS = 8, CELLS_GROUP = 4, KINDS = 3 };

static const cl_float flux_of_edges = 0.25f;

/* How much is caught, how much begins. */
static const cl_float2 materials[KINDS] = {{{0.3f, 0.05f}}, {{6.0f, 0.0f}}, {{1.1f, 1.5f}}};

static long cells_of(const struct clbench *b) { return b->size * b->size * b->size; }

/* The first cell of a diagonal plane, of all in their order. */
static long plane_start(const struct clbench *b, const unsigned char *cells, long plane) {
    long low = 0, high = cells_of(b);
    while (low < high) {
        long middle = (low + high) / 2;
        const unsigned char *cell = cells + 4 * middle;
        *(cell[0] + cell[1] + cell[2] < plane ? &low : &high) = cell[0] + cell[1] + cell[2] < plane ? middle + 1 : middle;
    }
    return low;
}

static void sn_sweep_prepare(struct clbench *b) {
    long side = b->size, used = 0;
    unsigned char *cells = make(b, 0, (size_t)cells_of(b) * 4), *kinds = make(b, 3, (size_t)cells_of(b));
    cl_float4 *directions = make(b, 1, ANGLES * sizeof *directions);
    for (long plane = 0; plane <= 3 * (side - 1); plane++) {
        for (long z = 0; z < side; z++) {
            for (long y = 0; y < side; y++) {
                long x = plane - z - y;
                if (x >= 0 && x < side) {
                    cells[used++] = (unsigned char)x, cells[used++] = (unsigned char)y, cells[used++] = (unsigned char)z, used++;
                }
            }
        }
    }
    for (int i = 0; i < ANGLES; i++) {
        double flat = 0.1 + 0.8 * i / (ANGLES - 1), turn = 0.2 + 1.2 * (i * 5 % ANGLES) / ANGLES, rest = sqrt(1.0 - flat * flat);
        directions[i] = (cl_float4){{(float)(rest * cos(turn)), (float)(rest * sin(turn)), (float)flat, 1.0f / (ANGLES * CORNERS)}};
    }
    for (long i = 0; i < cells_of(b); i++) {
        long x = i % side, y = i / side % side, z = i / side / side;
        kinds[i] = (unsigned char)(x * 3 > side && x * 2 < side && y * 3 > side ? 1 : z * 4 < side && y * 4 < side ? 2 : 0);
    }
    memcpy(make(b, 2, sizeof materials), materials, sizeof materials);
    make(b, 4, (size_t)(CORNERS * 3 * side * side) * ANGLES * sizeof(float));
    make(b, 5, (size_t)(CORNERS * cells_of(b)) * sizeof(float)), make(b, 6, (size_t)cells_of(b) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void sn_sweep_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    launch(b, "enter_edges", RANGE1((size_t)(CORNERS * 3 * side * side) * ANGLES, 64), B(4), V(flux_of_edges));
    for (long plane = 0; plane <= 3 * (side - 1); plane++) {
        cl_int first = (cl_int)plane_start(b, b->buffer[0].host, plane), count = (cl_int)plane_start(b, b->buffer[0].host, plane + 1) - first;
        launch(b, "sn_sweep", RANGE3(ANGLES, round_up(count, CELLS_GROUP), CORNERS, ANGLES, CELLS_GROUP, 1), B(0), V(first), V(count), V(side),
               B(1), B(2), B(3), B(4), B(5));
    }
    launch(b, "all_corners", RANGE1((size_t)cells_of(b), 0), B(5), B(6));
}

/* One cell and one direction: the flux in the middle. What comes in becomes what goes out. */
static double through_cell(cl_float4 direction, cl_float2 material, double *edges[3]) {
    int is_empty[3] = {0};
    for (;;) {
        double above = (double)material.s[1], below = (double)material.s[0], mean;
        int again = 0;
        for (int axis = 0; axis < 3; axis++) {
            above += (double)direction.s[axis] * *edges[axis] * (is_empty[axis] ? 1.0 : 2.0);
            below += is_empty[axis] ? 0.0 : 2.0 * (double)direction.s[axis];
        }
        mean = above / below;
        for (int axis = 0; axis < 3; axis++) {
            if (!is_empty[axis] && 2.0 * mean < *edges[axis]) {
                is_empty[axis] = again = 1;
            }
        }
        for (int axis = 0; !again && axis < 3; axis++) {
            *edges[axis] = is_empty[axis] ? 0.0 : 2.0 * mean - *edges[axis];
        }
        if (!again) {
            return mean;
        }
    }
}

static void sweep_from(const struct clbench *b, int corner, cl_float4 direction, double *edges, double *sums) {
    const unsigned char *kinds = b->buffer[3].host;
    long n = b->size;
    for (long i = 0; i < 3 * n * n; i++) {
        edges[i] = (double)flux_of_edges;
    }
    for (long i = 0; i < cells_of(b); i++) {
        long x = i % n, y = i / n % n, z = i / n / n;
        double *own[3] = {edges + z * n + y, edges + n * n + z * n + x, edges + 2 * n * n + y * n + x};
        x = corner & 1 ? n - 1 - x : x, y = corner & 2 ? n - 1 - y : y, z = corner & 4 ? n - 1 - z : z;
        long place = (z * n + y) * n + x;
        sums[place] += (double)direction.s[3] * through_cell(direction, materials[kinds[place]], own);
    }
}

static int sn_sweep_check(struct clbench *b) {
    const cl_float4 *directions = b->buffer[1].host;
    const float *got = b->buffer[6].host;
    double *edges = malloc((size_t)(3 * b->size * b->size) * sizeof *edges), *sums = calloc((size_t)cells_of(b), sizeof *sums);
    int ok = 1;
    down(b, 6);
    for (int i = 0; i < CORNERS * ANGLES; i++) {
        sweep_from(b, i / ANGLES, directions[i % ANGLES], edges, sums);
    }
    for (long i = 0; ok && i < cells_of(b); i++) {
        ok = near("flux", i, (double)got[i], sums[i], 1e-5);
    }
    free(edges), free(sums);
    return ok;
}

enum { RAINS = 5 };

struct weather {
    cl_float step, rain, pull, carries, digs, drops, dries;
};

static const struct weather weather = {0.05f, 0.04f, 9.0f, 0.8f, 0.6f, 0.4f, 0.1f};

static void erode_terrain_prepare(struct clbench *b) {
    float *heights = make(b, 0, (size_t)(b->size * b->size) * sizeof *heights);
    uint32_t state = 4409;
    for (long i = 0; i < b->size * b->size; i++) {
        double x = (double)(i % b->size) * 0.07, y = (double)(i / b->size) * 0.07;
        heights[i] = (float)(6.0 + 3.0 * sin(x) * cos(0.7 * y) + 1.2 * sin(2.9 * x + y) + 0.1 * (double)random_unit(&state));
    }
    for (int i = 1; i < 4; i++) {
        make(b, i, (size_t)(b->size * b->size) * sizeof(cl_float4));
    }
    make(b, 4, (size_t)(b->size * b->size) * sizeof(cl_float2));
    up(b, 0);
}

static void erode_terrain_once(struct clbench *b) {
    size_t side = (size_t)b->size;
    launch(b, "first_land", RANGE2(side, side, 0, 0), B(0), B(1), B(3));
    for (int rain = 0; rain < RAINS; rain++) {
        launch(b, "water_flows", RANGE2(side, side, 0, 0), B(1), V(weather), B(3));
        launch(b, "move_water", RANGE2(side, side, 0, 0), B(1), B(3), V(weather), B(2), B(4));
        launch(b, "carry_soil", RANGE2(side, side, 0, 0), B(2), B(4), V(weather), B(1));
    }
}

/* Land on the host, with a flow in each of four directions. */
struct land {
    long side;
    double *ground, *water, *soil, *flows[4], *speeds[2], *next;
};

/* The cell in a direction, or -1. */
static long beside(long side, long at, int direction) {
    switch (direction) {
    case 0: return at % side > 0 ? at - 1 : -1;
    case 1: return at % side < side - 1 ? at + 1 : -1;
    case 2: return at >= side ? at - side : -1;
    default: return at + side < side * side ? at + side : -1;
    }
}

static void let_flow(struct land *land) {
    double step = (double)weather.step, rain = step * (double)weather.rain;
    for (long at = 0; at < land->side * land->side; at++) {
        double leaves = 0.0, there = land->water[at] + rain;
        for (int k = 0; k < 4; k++) {
            long other = beside(land->side, at, k);
            double fall = other < 0 ? 0.0 : land->ground[at] + there - land->ground[other] - land->water[other];
            land->flows[k][at] = other < 0 ? 0.0 : fmax(land->flows[k][at] + step * (double)weather.pull * fall, 0.0);
            leaves += step * land->flows[k][at];
        }
        for (int k = 0; k < 4 && leaves > there; k++) {
            land->flows[k][at] *= there / leaves;
        }
    }
}

static double clamped_ground(const struct land *land, long at, int direction) {
    long other = beside(land->side, at, direction);
    return land->ground[other < 0 ? at : other];
}

/* The ground changes only when all slopes are known. */
static void dig(struct land *land) {
    double step = (double)weather.step;
    for (long at = 0; at < land->side * land->side; at++) {
        double comes[4], more = 0.0, before = land->water[at] + step * (double)weather.rain, slope[2], size, fast;
        for (int k = 0; k < 4; k++) {
            long other = beside(land->side, at, k);
            comes[k] = other < 0 ? 0.0 : land->flows[k ^ 1][other], more += step * (comes[k] - land->flows[k][at]);
        }
        double after = fmax(before + more, 0.0), depth = 0.5 * (before + after), *speeds[2] = {land->speeds[0] + at, land->speeds[1] + at};
        for (int axis = 0; axis < 2; axis++) {
            double way = comes[2 * axis] - land->flows[2 * axis][at] + land->flows[2 * axis + 1][at] - comes[2 * axis + 1];
            *speeds[axis] = depth > 1e-4 ? 0.5 * way / depth : 0.0;
            slope[axis] = 0.5 * (clamped_ground(land, at, 2 * axis + 1) - clamped_ground(land, at, 2 * axis));
        }
        fast = hypot(*speeds[0], *speeds[1]), size = hypot(slope[0], slope[1]);
        *speeds[0] /= fmax(fast, 1.0), *speeds[1] /= fmax(fast, 1.0);
        double most = (double)weather.carries * fmax(size / sqrt(1.0 + size * size), 0.05) * fmin(fast, 1.0), soil = land->soil[at];
        double change = step * (double)(soil < most ? weather.digs : weather.drops) * (most - soil);
        land->next[at] = land->ground[at] - change, land->soil[at] += change;
        land->water[at] = after * (1.0 - step * (double)weather.dries);
    }
    memcpy(land->ground, land->next, (size_t)(land->side * land->side) * sizeof *land->next);
}

static void carry(struct land *land) {
    double step = (double)weather.step, end = (double)(land->side - 1);
    for (long at = 0; at < land->side * land->side; at++) {
        double x = fmin(fmax((double)(at % land->side) - step * land->speeds[0][at], 0.0), end), sum = 0.0;
        double y = fmin(fmax((double)(at / land->side) - step * land->speeds[1][at], 0.0), end);
        for (int k = 0; k < 4; k++) {
            long column = clamped((long)x, land->side - 1) + k % 2, row = clamped((long)y, land->side - 1) + k / 2;
            sum += land->soil[row * land->side + column] * (1.0 - fabs(x - (double)column)) * (1.0 - fabs(y - (double)row));
        }
        land->next[at] = sum;
    }
    memcpy(land->soil, land->next, (size_t)(land->side * land->side) * sizeof *land->next);
}

static int erode_terrain_check(struct clbench *b) {
    const float *heights = b->buffer[0].host;
    const cl_float4 *got = b->buffer[1].host;
    long cells = b->size * b->size;
    double *all = calloc((size_t)cells * 10, sizeof *all), dug = 0.0;
    struct land land = {b->size, all, all + cells, all + 2 * cells, {NULL}, {all + 7 * cells, all + 8 * cells}, all + 9 * cells};
    int ok = 1;
    down(b, 1);
    for (int k = 0; k < 4; k++) {
        land.flows[k] = all + (3 + k) * cells;
    }
    for (long at = 0; at < cells; at++) {
        land.ground[at] = (double)heights[at];
    }
    for (int rain = 0; rain < RAINS; rain++) {
        let_flow(&land), dig(&land), carry(&land);
    }
    for (long at = 0; ok && at < cells; at++) {
        ok = near("ground", at, (double)got[at].s[0], land.ground[at], 1e-5) &&
             near("water", at, (double)got[at].s[1], land.water[at], 1e-5) &&
             near("soil", at, (double)got[at].s[2], land.soil[at], 1e-4);
        dug += fabs(land.ground[at] - (double)heights[at]);
    }
    free(all);
    return ok && same("something was dug", 0, dug > 1e-4 * (double)cells, 1);
}

enum { BALLS = 9, SAMPLES = 4, MOST_BOUNCES = 6, NOTHING = -1, MATT = 0, MIRROR = 1, GLASS = 2 };

struct ball {
    cl_float4 ball, light, colour;
};

static const struct ball balls[BALLS] = {
    {{{0.0f, -100.0f, 0.0f, 100.0f}}, {{0.0f, 0.0f, 0.0f, MATT}}, {{0.7f, 0.7f, 0.65f, 0.0f}}},
    {{{-1.6f, 0.8f, 0.2f, 0.8f}}, {{0.0f, 0.0f, 0.0f, MIRROR}}, {{0.9f, 0.9f, 0.9f, 0.0f}}},
    {{{0.2f, 0.7f, 1.3f, 0.7f}}, {{0.0f, 0.0f, 0.0f, GLASS}}, {{0.95f, 1.0f, 0.97f, 0.0f}}},
    {{{1.7f, 0.9f, -0.3f, 0.9f}}, {{0.0f, 0.0f, 0.0f, MATT}}, {{0.8f, 0.2f, 0.15f, 0.0f}}},
    {{{-0.4f, 0.4f, -1.0f, 0.5f}}, {{0.0f, 0.0f, 0.0f, MATT}}, {{0.2f, 0.5f, 0.8f, 0.0f}}},
    {{{0.6f, 3.2f, 0.0f, 0.6f}}, {{6.0f, 5.5f, 4.5f, MATT}}, {{0.0f, 0.0f, 0.0f, 0.0f}}},
    {{{-1.0f, 0.25f, 1.9f, 0.25f}}, {{0.0f, 0.0f, 0.0f, GLASS}}, {{1.0f, 0.9f, 0.8f, 0.0f}}},
    {{{1.3f, 0.3f, 1.7f, 0.3f}}, {{0.3f, 0.5f, 0.9f, MATT}}, {{0.5f, 0.5f, 0.5f, 0.0f}}},
    {{{-3.0f, 1.5f, -2.5f, 1.5f}}, {{0.0f, 0.0f, 0.0f, MIRROR}}, {{0.6f, 0.7f, 0.6f, 0.0f}}},
};

static long picture_height(const struct clbench *b) { return b->size * 3 / 4; }

static void path_spheres_prepare(struct clbench *b) {
    memcpy(make(b, 0, sizeof balls), balls, sizeof balls);
    make(b, 1, (size_t)(b->size * picture_height(b)) * 3 * sizeof(float));
    up(b, 0);
}

static void path_spheres_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)picture_height(b), count = BALLS, samples = SAMPLES;
    launch(b, "path_spheres", RANGE2(round_up(width, 8), round_up(height, 8), 8, 8), B(0), V(count), V(width), V(height), V(samples), B(1));
}

static double chance(uint32_t *state) {
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return (*state >> 8) * 0x1p-24;
}

static double product_of(const double a[3], const double c[3]) { return a[0] * c[0] + a[1] * c[1] + a[2] * c[2]; }

static void make_unit(double a[3]) {
    double size = sqrt(product_of(a, a));
    for (int k = 0; k < 3; k++) {
        a[k] /= size;
    }
}

static int meet(const double from[3], const double way[3], double *distance) {
    int nearest = NOTHING;
    *distance = 1e30;
    for (int i = 0; i < BALLS; i++) {
        double apart[3], radius = (double)balls[i].ball.s[3];
        for (int k = 0; k < 3; k++) {
            apart[k] = (double)balls[i].ball.s[k] - from[k];
        }
        double middle = product_of(apart, way), square = radius * radius - product_of(apart, apart) + middle * middle;
        for (int side = -1; square >= 0.0 && side <= 1; side += 2) {
            double at = middle + side * sqrt(square);
            if (at > 1e-3 && at < *distance) {
                *distance = at, nearest = i;
            }
        }
    }
    return nearest;
}

static void scatter(const double normal[3], uint32_t *state, double way[3]) {
    double angle = 2.0 * acos(-1.0) * chance(state), share = chance(state), other[3] = {fabs(normal[0]) > 0.5 ? 0.0 : 1.0, 0.0, 0.0}, v[3];
    other[1] = 1.0 - other[0];
    for (int k = 0; k < 3; k++) {
        v[k] = other[(k + 1) % 3] * normal[(k + 2) % 3] - other[(k + 2) % 3] * normal[(k + 1) % 3];
    }
    make_unit(v);
    for (int k = 0; k < 3; k++) {
        double w = normal[(k + 1) % 3] * v[(k + 2) % 3] - normal[(k + 2) % 3] * v[(k + 1) % 3];
        way[k] = sqrt(share) * (cos(angle) * v[k] + sin(angle) * w) + sqrt(1.0 - share) * normal[k];
    }
    make_unit(way);
}

/* The way on from a ball. */
static void leave(const struct ball *ball, const double normal[3], double way[3], uint32_t *state) {
    double straight = product_of(normal, way), facing[3], cosine = fabs(straight), ratio = straight > 0.0 ? 1.5 : 1.0 / 1.5;
    double square = 1.0 - ratio * ratio * (1.0 - cosine * cosine), through = sqrt(fmax(square, 0.0));
    int kind = (int)ball->light.s[3], is_reflected = kind == MIRROR;
    for (int k = 0; k < 3; k++) {
        facing[k] = straight > 0.0 ? -normal[k] : normal[k];
    }
    if (kind == MATT) {
        scatter(facing, state, way);
        return;
    }
    if (kind == GLASS) {
        is_reflected = square < 0.0 || chance(state) < 0.04 + 0.96 * pow(1.0 - (straight > 0.0 ? through : cosine), 5.0);
    }
    for (int k = 0; k < 3; k++) {
        way[k] = is_reflected ? way[k] + 2.0 * cosine * facing[k] : ratio * way[k] + (ratio * cosine - through) * facing[k];
    }
    make_unit(way);
}

static void follow(double from[3], double way[3], uint32_t *state, double sum[3]) {
    static const double low[3] = {0.9, 0.85, 0.8}, high[3] = {0.3, 0.5, 0.9};
    double share[3] = {1.0, 1.0, 1.0}, distance, normal[3];
    for (int bounce = 0; bounce < MOST_BOUNCES; bounce++) {
        int met = meet(from, way, &distance);
        for (int k = 0; met == NOTHING && k < 3; k++) {
            sum[k] += share[k] * 0.4 * (low[k] + (high[k] - low[k]) * (0.5 + 0.5 * way[1]));
        }
        if (met == NOTHING) {
            return;
        }
        const struct ball *ball = balls + met;
        for (int k = 0; k < 3; k++) {
            sum[k] += share[k] * (double)ball->light.s[k], from[k] += distance * way[k];
            normal[k] = (from[k] - (double)ball->ball.s[k]) / (double)ball->ball.s[3];
        }
        double most = bounce > 2 ? fmax(share[0], fmax(share[1], share[2])) : 1.0;
        if (bounce > 2 && chance(state) >= most) {
            return;
        }
        for (int k = 0; k < 3; k++) {
            share[k] *= (double)ball->colour.s[k] / most;
        }
        leave(ball, normal, way, state);
    }
}

/* A ray that just touches a ball may miss it as well: a few pixels differ, and all of them hardly together. */
static int path_spheres_check(struct clbench *b) {
    const float *got = b->buffer[1].host;
    long width = b->size, height = picture_height(b), wrong = 0;
    double all = 0.0, wanted = 0.0;
    down(b, 1);
    for (long i = 0; i < width * height; i++) {
        uint32_t state = mixed_word((uint32_t)i + 1);
        double sum[3] = {0.0}, apart = 0.0;
        for (int sample = 0; sample < SAMPLES; sample++) {
            double from[3] = {0.0, 1.0, 5.0}, right = (double)(i % width) + chance(&state) - 0.5 * (double)width;
            double way[3] = {right / (double)height, (0.5 * (double)height - (double)(i / width) - chance(&state)) / (double)height, -1.1};
            make_unit(way), follow(from, way, &state, sum);
        }
        for (int k = 0; k < 3; k++) {
            double value = (double)got[3 * i + k];
            apart = fmax(apart, fabs(value - sum[k] / SAMPLES)), all += value, wanted += sum[k] / SAMPLES;
        }
        wrong += !(apart < 0.01);
    }
    return same("most pixels are right", wrong, wrong <= width * height / 200, 1) && near("light", 0, all / wanted, 1.0, 0.01);
}

const struct workload round26_worlds_workloads[] = {
    WORKLOAD(round26_worlds, spectral_ax, 7, 601, 2003, 7001),
    WORKLOAD(round26_worlds, sn_sweep, 5, 22, 40, 70),
    WORKLOAD(round26_worlds, erode_terrain, 23, 251, 503, 1009),
    WORKLOAD(round26_worlds, path_spheres, 40, 160, 400, 1000),
    END_OF_WORKLOADS,
};
