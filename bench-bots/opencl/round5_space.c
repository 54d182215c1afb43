/* Things in space. Sizes are masses along a side, boxes along a side, pixels along a side twice. */
#include "workloads.h"

enum { STEPS = 7, LINKS = 12 };

/* As the kernel has it. */
struct cloth {
    cl_float4 wind, ball;
    cl_float rest, stiffness, damping, dt;
};

static const struct cloth cloth = {.wind = {{0.02f, 0.01f, 0.3f, 0.0f}}, .ball = {{0.5f, -0.5f, 0.34f, 0.3f}}, .rest = 0.01f,
                                   .stiffness = 60.0f, .damping = 0.05f, .dt = 0.002f};

static cl_int cloth_rows(const struct clbench *b) { return (cl_int)(b->size - b->size / 5); }

/* A waving sheet of which some masses of the first row are held. */
static void cloth_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * cloth_rows(b)) * sizeof(cl_float4);
    cl_float4 *at = make(b, 0, bytes), *before = make(b, 1, bytes);
    uint32_t state = 511;
    make(b, 2, bytes);
    for (long i = 0; i < b->size * cloth_rows(b); i++) {
        float u = (float)(i % b->size), v = (float)(i / b->size);
        at[i] = (cl_float4){{cloth.rest * u, -cloth.rest * v, 0.05f * sinf(u / 9.0f) + 0.001f * random_unit(&state), 40.0f}};
        at[i].s[3] = v == 0.0f && i % 8 == 0 ? 0.0f : at[i].s[3] + 10.0f * random_unit(&state);
        before[i] = at[i];
        before[i].s[2] -= at[i].s[3] == 0.0f ? 0.0f : 0.0005f * random_unit(&state);
    }
}

/* Three buffers take turns; the last step's result is in the third one. */
static void cloth_once(struct clbench *b) {
    cl_int cols = (cl_int)b->size, rows = cloth_rows(b);
    up(b, 0), up(b, 1);
    for (int step = 0, now = 0; step < STEPS; step++, now = (now + 2) % 3) {
        launch(b, "cloth_step", RANGE2(round_up(cols, 16), round_up(rows, 8), 16, 8), V(cloth), V(cols), V(rows), B(now),
               B((now + 1) % 3), B((now + 2) % 3));
    }
}

struct place {
    double at[3], before[3], inverse_mass;
};

static double distance(const double *a, const double *b, double *d) {
    double squares = 0.0;
    for (int k = 0; k < 3; k++) {
        d[k] = b[k] - a[k];
        squares += d[k] * d[k];
    }
    return sqrt(squares);
}

/* Where a mass is a step later. */
static void moved(const struct place *places, long cols, long rows, long i, double *to) {
    static const int links[LINKS][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
                                        {2, 0}, {-2, 0}, {0, 2}, {0, -2}};
    const struct place *p = &places[i];
    double dt = cloth.dt, force[3], d[3], centre[3] = {cloth.ball.s[0], cloth.ball.s[1], cloth.ball.s[2]};
    for (int k = 0; k < 3; k++) {
        force[k] = cloth.wind.s[k] - cloth.damping * (p->at[k] - p->before[k]) / dt - (k == 1 ? 9.81 / p->inverse_mass : 0.0);
    }
    for (int link = 0; link < LINKS; link++) {
        long x = i % cols + links[link][0], y = i / cols + links[link][1];
        if (x >= 0 && y >= 0 && x < cols && y < rows) {
            double now = distance(p->at, places[y * cols + x].at, d), rest = cloth.rest * hypot(links[link][0], links[link][1]);
            for (int k = 0; k < 3; k++) {
                force[k] += d[k] * cloth.stiffness * (now - rest) / now;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        to[k] = 2.0 * p->at[k] - p->before[k] + force[k] * p->inverse_mass * dt * dt;
    }
    double away = distance(centre, to, d);
    for (int k = 0; k < 3 && away < cloth.ball.s[3]; k++) {
        to[k] = centre[k] + d[k] * cloth.ball.s[3] / away;
    }
}

static int cloth_check(struct clbench *b) {
    const cl_float4 *at = b->buffer[0].host, *before = b->buffer[1].host, *got = b->buffer[2].host;
    long count = b->size * cloth_rows(b);
    struct place *now = malloc((size_t)count * sizeof *now), *next = malloc((size_t)count * sizeof *next);
    int ok = 1;
    for (long i = 0; i < count; i++) {
        now[i].inverse_mass = at[i].s[3];
        for (int k = 0; k < 3; k++) {
            now[i].at[k] = at[i].s[k], now[i].before[k] = before[i].s[k];
        }
    }
    for (int step = 0; step < STEPS; step++) {
        struct place *free_again = now;
        memcpy(next, now, (size_t)count * sizeof *now);
        for (long i = 0; i < count; i++) {
            if (now[i].inverse_mass > 0.0) {
                moved(now, b->size, cloth_rows(b), i, next[i].at);
                memcpy(next[i].before, now[i].at, sizeof next[i].before);
            }
        }
        now = next, next = free_again;
    }
    down(b, 2);
    for (long i = 0; ok && i < 3 * count; i++) {
        ok = near("place", i, got[i / 3].s[i % 3], now[i / 3].at[i % 3], 2e-5);
    }
    free(now);
    free(next);
    return ok;
}

enum { FULL = 64 };
static const float box_width = 3.0f, cutoff2 = 6.25f, sigma2 = 0.36f, epsilon = 1.3f;

/* Particles on a grid in each box, not quite in their places, and some of them missing. */
static void box_forces_prepare(struct clbench *b) {
    long boxes = b->size * b->size * b->size;
    cl_uint *begin = make(b, 0, (size_t)(boxes + 1) * sizeof *begin), count = 0;
    cl_float4 *place = make(b, 1, (size_t)boxes * FULL * sizeof *place);
    uint32_t state = 512;
    make(b, 2, (size_t)boxes * FULL * sizeof(cl_float4));
    for (long box = 0; box < boxes; box++) {
        long corner[3] = {box % b->size, box / b->size % b->size, box / b->size / b->size};
        for (int i = 0; i < FULL; i++) {
            if (random_unit(&state) < 0.7f) {
                for (int k = 0; k < 3; k++) {
                    float step = (float)(i >> 2 * k & 3) + 0.4f + 0.2f * random_unit(&state);
                    place[count].s[k] = box_width * ((float)corner[k] + step / 4.0f);
                }
                count++;
            }
        }
        begin[box + 1] = count;
    }
    up(b, 0), up(b, 1);
}

static void box_forces_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    launch(b, "box_forces", RANGE1((size_t)(b->size * b->size * b->size) * FULL, FULL), B(0), B(1), V(side), V(cutoff2),
           V(sigma2), V(epsilon), B(2));
}

/* About three hundred particles, each with all the others. */
static int box_forces_check(struct clbench *b) {
    const cl_uint *begin = b->buffer[0].host;
    const cl_float4 *place = b->buffer[1].host, *got = b->buffer[2].host;
    long count = begin[b->size * b->size * b->size];
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < count; i += count / 300 + 1) {
        double want[4] = {0.0, 0.0, 0.0, 0.0};
        for (long j = 0; j < count; j++) {
            double d[3], squares = 0.0;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)place[i].s[k] - place[j].s[k];
                squares += d[k] * d[k];
            }
            if (j != i && squares < cutoff2) {
                double s6 = pow(sigma2 / squares, 3.0);
                want[3] += 2.0 * epsilon * (s6 * s6 - s6);
                for (int k = 0; k < 3; k++) {
                    want[k] += 24.0 * epsilon * (2.0 * s6 * s6 - s6) / squares * d[k];
                }
            }
        }
        for (int k = 0; ok && k < 4; k++) {
            ok = near(k < 3 ? "force" : "energy", 4 * i + k, got[i].s[k], want[k], 2e-3);
        }
    }
    return ok;
}

enum { TRIANGLES = 4096, IN_LEAF = 4 };

/* As the kernel has them. */
struct node {
    float low[3];
    int first;
    float high[3];
    int count;
};

struct triangle {
    cl_float4 corner, edge1, edge2;
};

struct camera {
    cl_float4 eye, corner, right, down;
};

static const struct camera camera = {
    {{0.4f, 0.6f, -2.2f, 0.0f}}, {{-0.6f, 0.35f, 1.0f, 0.0f}}, {{1.1f, 0.02f, 0.1f, 0.0f}}, {{0.03f, -0.9f, 0.0f, 0.0f}}};
static int axis_of_order;

static float middle(const struct triangle *t, int k) { return t->corner.s[k] + (t->edge1.s[k] + t->edge2.s[k]) / 3.0f; }

static int by_middle(const void *a, const void *b) {
    float x = middle(a, axis_of_order), y = middle(b, axis_of_order);
    return (x > y) - (x < y);
}

/* Makes node `at` of some triangles: halves of them, in the order along the longest axis, until few are left. */
static void plant(struct node *nodes, int *used, int at, struct triangle *triangles, int first, int count) {
    struct node *node = &nodes[at];
    *node = (struct node){.first = first, .count = count};
    for (int k = 0; k < 3; k++) {
        node->low[k] = INFINITY, node->high[k] = -INFINITY;
        for (const struct triangle *t = triangles + first; t < triangles + first + count; t++) {
            float second = t->corner.s[k] + t->edge1.s[k], third = t->corner.s[k] + t->edge2.s[k];
            node->low[k] = fminf(node->low[k], fminf(t->corner.s[k], fminf(second, third)) - 1e-5f);
            node->high[k] = fmaxf(node->high[k], fmaxf(t->corner.s[k], fmaxf(second, third)) + 1e-5f);
        }
        axis_of_order = k == 0 || node->high[k] - node->low[k] > node->high[axis_of_order] - node->low[axis_of_order]
                            ? k : axis_of_order;
    }
    if (count > IN_LEAF) {
        qsort(triangles + first, (size_t)count, sizeof *triangles, by_middle);
        node->first = *used, node->count = 0;
        *used += 2;
        plant(nodes, used, node->first, triangles, first, count / 2);
        plant(nodes, used, node->first + 1, triangles, first + count / 2, count - count / 2);
    }
}

static cl_uint picture_height(const struct clbench *b) { return (cl_uint)(b->size - b->size / 4); }

static void tree_rays_prepare(struct clbench *b) {
    struct node *nodes = make(b, 0, 2 * TRIANGLES * sizeof *nodes);
    struct triangle *triangles = make(b, 1, TRIANGLES * sizeof *triangles);
    size_t pixels = (size_t)b->size * picture_height(b);
    uint32_t state = 513;
    int used = 1;
    make(b, 2, pixels * sizeof(float));
    make(b, 3, pixels * sizeof(cl_int));
    for (int i = 0; i < TRIANGLES; i++) {
        for (int k = 0; k < 3; k++) {
            triangles[i].corner.s[k] = 2.0f * random_unit(&state) - 1.0f;
            triangles[i].edge1.s[k] = 0.12f * (random_unit(&state) - 0.5f);
            triangles[i].edge2.s[k] = 0.12f * (random_unit(&state) - 0.5f);
        }
    }
    plant(nodes, &used, 0, triangles, 0, TRIANGLES);
    up(b, 0), up(b, 1);
}

static void tree_rays_once(struct clbench *b) {
    cl_uint width = (cl_uint)b->size, height = picture_height(b);
    launch(b, "tree_rays", RANGE2(round_up(width, 8), round_up(height, 8), 8, 8), B(0), B(1), V(camera), V(width), V(height),
           B(2), B(3));
}

/* What a, b and c span. */
static double volume(const double *a, const float *b, const float *c) {
    return a[0] * ((double)b[1] * c[2] - (double)b[2] * c[1]) + a[1] * ((double)b[2] * c[0] - (double)b[0] * c[2]) +
           a[2] * ((double)b[0] * c[1] - (double)b[1] * c[0]);
}

/* Which triangle a ray meets first, of all, and where, by Cramer's rule. */
static int met_first(const struct triangle *triangles, const double *direction, double *nearest) {
    int which = -1;
    *nearest = INFINITY;
    for (int i = 0; i < TRIANGLES; i++) {
        const struct triangle *t = &triangles[i];
        double from[3], det = volume(direction, t->edge1.s, t->edge2.s), crossed[3];
        for (int k = 0; k < 3; k++) {
            from[k] = (double)camera.eye.s[k] - t->corner.s[k];
        }
        for (int k = 0; k < 3; k++) {
            crossed[k] = direction[(k + 1) % 3] * from[(k + 2) % 3] - direction[(k + 2) % 3] * from[(k + 1) % 3];
        }
        double u = 0.0, v = 0.0, away = -volume(from, t->edge1.s, t->edge2.s) / det;
        for (int k = 0; k < 3; k++) {
            u += crossed[k] * t->edge2.s[k] / det;
            v -= crossed[k] * t->edge1.s[k] / det;
        }
        if (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && away > 1e-4 && away < *nearest) {
            which = i, *nearest = away;
        }
    }
    return which;
}

/* Every seventh pixel. Rounding may decide where a ray just passes a triangle, so one of 500 may differ. */
static int tree_rays_check(struct clbench *b) {
    const float *depth = b->buffer[2].host;
    const cl_int *hit = b->buffer[3].host;
    long height = picture_height(b), differ = 0, met = 0, count = 0;
    down(b, 2), down(b, 3);
    for (long at = 0; at < b->size * height; at += 7, count++) {
        double direction[3], squares = 0.0, nearest;
        for (int k = 0; k < 3; k++) {
            direction[k] = camera.corner.s[k] + camera.right.s[k] * ((double)(at % b->size) + 0.5) / (double)b->size +
                           camera.down.s[k] * ((double)(at / b->size) + 0.5) / (double)height;
            squares += direction[k] * direction[k];
        }
        for (int k = 0; k < 3; k++) {
            direction[k] /= sqrt(squares);
        }
        int which = met_first(b->buffer[1].host, direction, &nearest);
        met += which >= 0;
        differ += hit[at] != which || (which < 0 ? depth[at] != INFINITY : fabs(depth[at] - nearest) > 1e-3);
    }
    if (differ * 500 > count || met * 4 < count) {
        printf("rays: %ld of %ld differ, %ld meet a triangle\n", differ, count, met);
    }
    return differ * 500 <= count && met * 4 >= count;
}

static const float level = 0.15f;

static void contour_lines_prepare(struct clbench *b) {
    long points = b->size * picture_height(b);
    float *field = make(b, 0, (size_t)points * sizeof *field);
    uint32_t state = 514;
    make(b, 1, 2 * (size_t)points * sizeof(cl_float4));
    make(b, 2, 2 * (size_t)points * sizeof(cl_uint));
    make(b, 3, sizeof(cl_uint));
    for (long i = 0; i < points; i++) {
        double x = (double)(i % b->size), y = (double)(i / b->size);
        field[i] = (float)(sin(x / 13.0) * cos(y / 7.0) + 0.5 * sin((x + y) / 29.0) + 0.2 * random_unit(&state));
    }
    up(b, 0);
}

static void contour_lines_once(struct clbench *b) {
    cl_uint width = (cl_uint)b->size, height = picture_height(b);
    *(cl_uint *)b->buffer[3].host = 0;
    up(b, 3);
    launch(b, "contour_lines", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), B(0), V(width), V(height), V(level),
           B(1), B(2), B(3));
}

/* Whether a point is on an edge of a cell, and the field is as high as the line there. */
static int on_line(struct clbench *b, long at, long x, long y, const float *point) {
    const float *field = b->buffer[0].host;
    double u = (double)point[0] - (double)x, v = (double)point[1] - (double)y, row[2];
    for (int k = 0; k < 2; k++) {
        const float *left = field + (y + k) * b->size + x;
        row[k] = left[0] + u * ((double)left[1] - left[0]);
    }
    int edge = u == 0.0 || u == 1.0 || v == 0.0 || v == 1.0;
    return same("edge", at, edge && u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0, 1) &&
           near("height", at, row[0] + v * (row[1] - row[0]), level, 3e-4);
}

static int whole(float value) { return value == floorf(value); }

/* Whether a line between two edges that meet in a corner is around a corner above, where opposite corners are. */
static int around_above(struct clbench *b, long at, const float *line, long turns) {
    const float *field = b->buffer[0].host;
    if (turns < 4 || whole(line[0]) == whole(line[2]) || whole(line[1]) == whole(line[3])) {
        return 1;
    }
    long x = (long)(whole(line[0]) ? line[0] : line[2]), y = (long)(whole(line[1]) ? line[1] : line[3]);
    return same("around", at, field[y * b->size + x] > level, 1);
}

static long turns_of(struct clbench *b, long cell) {
    static const int turn[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    const float *field = (const float *)b->buffer[0].host + cell;
    long turns = 0;
    for (int k = 0; k < 4; k++) {
        turns += (field[turn[k][1] * b->size + turn[k][0]] > level) != (field[turn[k + 1][1] * b->size + turn[k + 1][0]] > level);
    }
    return turns;
}

/* Around a cell, a line begins or ends wherever one corner is above and the next one is not, or the other way about. */
static int contour_lines_check(struct clbench *b) {
    const cl_float4 *lines = b->buffer[1].host;
    const cl_uint *cells = b->buffer[2].host;
    long width = b->size, height = picture_height(b), want = 0;
    cl_uint count, *found = calloc((size_t)(width * height), sizeof *found);
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3);
    count = *(cl_uint *)b->buffer[3].host;
    for (long at = 0; ok && at < (long)count && at < 2 * width * height; at++) {
        long x = cells[at] % width, y = cells[at] / width;
        ok = same("cell", at, x + 1 < width && y + 1 < height, 1) && on_line(b, at, x, y, lines[at].s) &&
             on_line(b, at, x, y, lines[at].s + 2) && around_above(b, at, lines[at].s, turns_of(b, cells[at]));
        found[cells[at] % (width * height)]++;
    }
    for (long at = 0; ok && at < width * (height - 1); at++) {
        long turns = at % width + 1 < width ? turns_of(b, at) : 0;
        ok = same("lines", at, found[at], turns / 2);
        want += turns / 2;
    }
    free(found);
    return ok && same("lines of all cells", 0, count, want);
}

const struct workload round5_space_workloads[] = {
    WORKLOAD(round5_space, cloth, 45, 205, 605, 1605),
    WORKLOAD(round5_space, box_forces, 3, 7, 15, 31),
    WORKLOAD(round5_space, tree_rays, 45, 181, 501, 1501),
    WORKLOAD(round5_space, contour_lines, 61, 1101, 3001, 6001),
    END_OF_WORKLOADS,
};
