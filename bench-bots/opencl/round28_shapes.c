/* Shapes. Sizes are pairs of bodies, polygons, points. */
#include "workloads.h"

enum { FORMS = 9, BODIES = 600, TURNS = 32, PAIR_GROUP = 32, MOST_CORNERS = 8 + FORMS };

/* As the kernel has it. */
struct body {
    cl_float4 turn, place;
    cl_int first, corners, unused[2];
};

/* Half the sides of a form, which is a box. */
static double half_side(long form, int axis) {
    return 0.3 + mixed_word((uint32_t)(3 * form + axis)) % 100 / 100.0;
}

/* Boxes' corners, among points inside of them. */
static void fill_corners(float *corners, uint32_t *state) {
    for (long form = 0; form < FORMS; form++) {
        for (long i = 0; i < 8 + form; i++) {
            for (int axis = 0; axis < 3; axis++) {
                double share = i % 2 == 0 && i / 2 < form ? 0.9 * (double)random_unit(state) - 0.45
                    : (i - (i / 2 < form ? i / 2 + 1 : form)) >> axis & 1 ? 1.0 : -1.0;
                corners[3 * (form * MOST_CORNERS + i) + axis] = (float)(share * half_side(form, axis));
            }
        }
    }
}

static void gjk_pairs_prepare(struct clbench *b) {
    struct body *bodies = make(b, 0, BODIES * sizeof *bodies);
    cl_int2 *pairs = make(b, 2, (size_t)b->size * sizeof *pairs);
    uint32_t state = 4643;
    fill_corners(make(b, 1, FORMS * MOST_CORNERS * 3 * sizeof(float)), &state);
    for (long i = 0; i < BODIES; i++) {
        double square = 0.0, far = 0.0;
        for (int k = 0; k < 4; k++) {
            bodies[i].turn.s[k] = random_unit(&state) - 0.5f;
            bodies[i].place.s[k] = 3.6f * random_unit(&state);
            square += (double)(bodies[i].turn.s[k] * bodies[i].turn.s[k]);
            far += k < 3 ? pow(half_side(i % FORMS, k), 2.0) : 0.0;
        }
        for (int k = 0; k < 4; k++) {
            bodies[i].turn.s[k] /= (float)sqrt(square);
        }
        bodies[i].place.s[3] = (float)sqrt(far) + 0.001f;
        bodies[i].first = (cl_int)(i % FORMS) * MOST_CORNERS, bodies[i].corners = 8 + (cl_int)(i % FORMS);
    }
    for (long i = 0; i < b->size; i++) {
        pairs[i].s[0] = (cl_int)(random_word(&state) % BODIES);
        pairs[i].s[1] = (cl_int)((pairs[i].s[0] + 1 + random_word(&state) % (BODIES - 1)) % BODIES);
    }
    make(b, 3, (size_t)b->size);
    up(b, 0), up(b, 1), up(b, 2);
}

static void gjk_pairs_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, most = TURNS;
    launch(b, "gjk_pairs", RANGE1(round_up(b->size, PAIR_GROUP), PAIR_GROUP), B(0), B(1), B(2),
           V(count), V(most), B(3));
}

/* A body's axes, as long as half its sides. */
static void axes_of(const struct body *body, long form, double axes[3][3]) {
    const float *q = body->turn.s;
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
        2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
        2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++) {
        axes[i / 3][i % 3] = rows[i] * half_side(form, i / 3);
    }
}

static double along(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* How far apart two boxes are along the axis that tells most, of their faces' and those across two
 * edges; less than 0 if they meet. */
static double gap_between(const struct body *a, long a_form, const struct body *b, long b_form) {
    double axes[2][3][3], most = -INFINITY, way[3], between[3];
    axes_of(a, a_form, axes[0]), axes_of(b, b_form, axes[1]);
    for (int k = 0; k < 3; k++) {
        between[k] = (double)b->place.s[k] - (double)a->place.s[k];
    }
    for (int i = 0; i < 15; i++) {
        const double *u = axes[0][i % 3], *v = axes[1][i / 3 % 3];
        for (int k = 0; k < 3; k++) {
            way[k] = i < 9 ? u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]
                : axes[i / 12][i % 3][k];
        }
        double far = sqrt(along(way, way)), gap = fabs(along(between, way));
        for (int k = 0; k < 6; k++) {
            gap -= fabs(along(axes[k / 3][k % 3], way));
        }
        most = far < 1e-6 ? most : fmax(most, gap / far);
    }
    return most;
}

static int gjk_pairs_check(struct clbench *b) {
    const struct body *bodies = b->buffer[0].host;
    const cl_int2 *pairs = b->buffer[2].host;
    const unsigned char *got = b->buffer[3].host;
    long undecided = 0, meeting = 0;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        int one = pairs[i].s[0], other = pairs[i].s[1];
        double gap = gap_between(bodies + one, one % FORMS, bodies + other, other % FORMS);
        undecided += got[i] == 3, meeting += got[i] == 2;
        if (fabs(gap) > 1e-4 && got[i] != 3) {
            ok = same("bodies meet", i, got[i] == 2, gap < 0.0);
        }
    }
    return ok && same("few are undecided", 0, undecided * 500 <= b->size, 1) &&
           same("some meet", 0, meeting * 5 > b->size && meeting * 5 < 4 * b->size, 1);
}

enum { EDGES = 7, MOST_SIDES = 14 };
static const cl_float2 window[EDGES] = {
    {{-3.0f, -2.0f}}, {{1.0f, -3.1f}}, {{3.5f, -1.5f}}, {{4.0f, 1.0f}}, {{2.0f, 3.2f}},
    {{-1.0f, 3.0f}}, {{-3.6f, 1.0f}}};

/* Stars, some of them inside the window, most of them partly. */
static void clip_polygons_prepare(struct clbench *b) {
    cl_float2 *corners = make(b, 0, (size_t)(b->size * MOST_SIDES) * sizeof *corners);
    cl_uint *starts = make(b, 1, (size_t)(b->size + 1) * sizeof *starts), at = 0;
    uint32_t state = 4649;
    for (long i = 0; i < b->size; i++) {
        float x = 8.0f * random_unit(&state) - 4.0f, y = 8.0f * random_unit(&state) - 4.0f;
        cl_uint sides = 3 + random_word(&state) % (MOST_SIDES - 2);
        float size = 0.5f + 2.5f * random_unit(&state);
        for (cl_uint k = 0; k < sides; k++, at++) {
            double angle = 2.0 * acos(-1.0) * k / sides;
            float far = size * (0.4f + 0.6f * random_unit(&state));
            corners[at].s[0] = x + far * (float)cos(angle), corners[at].s[1] = y + far * (float)sin(angle);
        }
        starts[i + 1] = at;
    }
    memcpy(make(b, 2, sizeof window), window, sizeof window);
    make(b, 3, (size_t)b->size * sizeof(cl_float)), make(b, 4, (size_t)b->size);
    up(b, 0), up(b, 1), up(b, 2);
}

static void clip_polygons_once(struct clbench *b) {
    cl_int edges = EDGES;
    launch(b, "clip_polygons", RANGE1((size_t)b->size, 0), B(0), B(1), B(2), V(edges), B(3), B(4));
}

/* Where a level line enters the window and leaves it, by all edges' half planes. */
static void window_at(double y, double *low, double *high) {
    *low = -INFINITY, *high = INFINITY;
    for (int i = 0; i < EDGES; i++) {
        const float *from = window[i].s, *to = window[(i + 1) % EDGES].s;
        double rise = (double)to[1] - (double)from[1], run = (double)to[0] - (double)from[0];
        double x = (double)from[0] + run * (y - (double)from[1]) / rise;
        *low = rise < 0.0 ? fmax(*low, x) : *low, *high = rise > 0.0 ? fmin(*high, x) : *high;
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The area by many level lines through a polygon. */
static double seen_area(const cl_float2 *corners, cl_uint sides, int lines) {
    double top = INFINITY, end = -INFINITY, sum = 0.0;
    for (cl_uint i = 0; i < sides; i++) {
        top = fmin(top, (double)corners[i].s[1]), end = fmax(end, (double)corners[i].s[1]);
    }
    top = fmax(top, -3.1), end = fmin(end, 3.2);
    for (int line = 0; line < lines && top < end; line++) {
        double y = top + (end - top) * (line + 0.5) / lines, places[MOST_SIDES], low, high;
        size_t count = 0;
        window_at(y, &low, &high);
        for (cl_uint i = 0; i < sides; i++) {
            const float *a = corners[i].s, *c = corners[(i + 1) % sides].s;
            if (((double)a[1] < y) != ((double)c[1] < y)) {
                places[count++] = (double)a[0] + ((double)c[0] - (double)a[0]) * (y - (double)a[1]) /
                    ((double)c[1] - (double)a[1]);
            }
        }
        qsort(places, count, sizeof *places, by_value);
        for (size_t i = 0; i + 1 < count; i += 2) {
            sum += fmax(fmin(places[i + 1], high) - fmax(places[i], low), 0.0);
        }
    }
    return top < end ? sum * (end - top) / lines : 0.0;
}

static int clip_polygons_check(struct clbench *b) {
    const cl_float2 *corners = b->buffer[0].host;
    const cl_uint *starts = b->buffer[1].host;
    const cl_float *areas = b->buffer[3].host;
    const unsigned char *left = b->buffer[4].host;
    long apart = b->size / 2000 + 1, empty = 0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i += apart) {
        double want = seen_area(corners + starts[i], starts[i + 1] - starts[i], 2000);
        empty += want == 0.0;
        ok = near("area", i, (double)areas[i], want, 2e-3) &&
             same("corners", i, want > 1e-3 ? left[i] >= 3 : 1, 1);
    }
    return ok && same("some are not seen", 0, empty * 50 * apart < b->size * 25, 1);
}

enum { ROUND = 26, HIGH = 13, POINTS = 48, TRIANGLES = 2 * ROUND * HIGH };

/* A ball with bumps, whose rings of vertices are closed by two poles. */
static void fill_surface(float *vertices, int *triangles) {
    for (int i = 0; i <= ROUND * HIGH + 1; i++) {
        double height = i == 0 ? 0.0 : (i - 1) / ROUND + 1, angle = 2.0 * acos(-1.0) * i / ROUND;
        double tilt = acos(-1.0) * height / (HIGH + 1);
        double far = 1.0 + 0.3 * sin(3.0 * angle) * sin(tilt) + 0.2 * cos(2.0 * tilt);
        vertices[3 * i] = (float)(far * sin(tilt) * cos(angle));
        vertices[3 * i + 1] = (float)(far * sin(tilt) * sin(angle));
        vertices[3 * i + 2] = (float)(far * cos(tilt));
    }
    for (int i = 0; i < ROUND * HIGH; i++) {
        int next = i % ROUND == ROUND - 1 ? i - ROUND + 1 : i + 1, is_last = i / ROUND == HIGH - 1;
        int below = is_last ? ROUND * HIGH + 1 : i + ROUND + 1;
        int first[3] = {i + 1, below, next + 1}, second[3] = {next + 1, below, next + ROUND + 1};
        int cap[3] = {0, i % ROUND + 1, next % ROUND + 1};
        memcpy(triangles + 6 * i, first, sizeof first);
        memcpy(triangles + 6 * i + 3, is_last ? cap : second, sizeof second);
    }
}

static void winding_numbers_prepare(struct clbench *b) {
    float *vertices = make(b, 0, (ROUND * HIGH + 2) * 3 * sizeof *vertices);
    int *triangles = make(b, 1, TRIANGLES * 3 * sizeof *triangles);
    cl_float4 *points = make(b, 2, (size_t)b->size * sizeof *points);
    fill_surface(vertices, triangles);
    fill_between((float *)points, 4 * b->size, 4651, -1.1f, 1.1f);
    make(b, 3, (size_t)b->size * sizeof(cl_float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void winding_numbers_once(struct clbench *b) {
    cl_int count = TRIANGLES, asked = (cl_int)b->size;
    launch(b, "winding_numbers", RANGE1(round_up(b->size, POINTS), POINTS), B(0), B(1), V(count), B(2),
           V(asked), B(3));
}

/* How often the surface is met on the way along an axis, once out and once in. */
static long crossings(const struct clbench *b, const float *point) {
    const float *vertices = b->buffer[0].host;
    const int *triangles = b->buffer[1].host;
    long sum = 0;
    for (int i = 0; i < TRIANGLES; i++) {
        double x[3], y[3], z[3], sides[3];
        for (int k = 0; k < 3; k++) {
            const float *vertex = vertices + 3 * triangles[3 * i + k];
            x[k] = (double)vertex[0] - (double)point[0], y[k] = (double)vertex[1] - (double)point[1];
            z[k] = (double)vertex[2] - (double)point[2];
        }
        for (int k = 0; k < 3; k++) {
            sides[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - y[(k + 1) % 3] * x[(k + 2) % 3];
        }
        double height = sides[0] * z[0] + sides[1] * z[1] + sides[2] * z[2];
        int is_left = sides[0] > 0.0 && sides[1] > 0.0 && sides[2] > 0.0;
        int is_right = sides[0] < 0.0 && sides[1] < 0.0 && sides[2] < 0.0;
        sum += is_left && height > 0.0 ? 1 : is_right && height < 0.0 ? -1 : 0;
    }
    return sum;
}

static int winding_numbers_check(struct clbench *b) {
    const cl_float4 *points = b->buffer[2].host;
    const cl_float *got = b->buffer[3].host;
    long inside = 0;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        long want = crossings(b, points[i].s);
        inside += want == 1;
        ok = near("number", i, (double)got[i], (double)want, 1e-3);
    }
    return ok && same("some are inside", 0, inside * 10 > b->size && inside * 10 < 9 * b->size, 1);
}

const struct workload round28_shapes_workloads[] = {
    WORKLOAD(round28_shapes, gjk_pairs, 601, 20011, 70001, 300007),
    WORKLOAD(round28_shapes, clip_polygons, 301, 15013, 70001, 300007),
    WORKLOAD(round28_shapes, winding_numbers, 50, 701, 3001, 12007),
    END_OF_WORKLOADS,
};
