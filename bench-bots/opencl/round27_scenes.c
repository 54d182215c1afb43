/* Scenes. Sizes are items, a width of a picture, a side of a mesh. */
#include "workloads.h"

enum { MAPS = 6, WIDE = 320, HIGH = 240, STEPS = 300, SKIPPED = 20, FLAME_GROUP = 64, FRAME = 16 };

/* As the kernels have it. */
struct map {
    cl_float2 across, down, shift;
    cl_float colour;
    cl_uint until;
    cl_int kind, unused;
};

static const struct map maps[MAPS] = {
    {{{0.6f, 0.2f}}, {{-0.2f, 0.6f}}, {{0.3f, -0.1f}}, 0.1f, 4000000, 0, 0},
    {{{0.5f, -0.4f}}, {{0.4f, 0.5f}}, {{-0.6f, 0.3f}}, 0.9f, 7500000, 1, 0},
    {{{-0.4f, 0.3f}}, {{0.5f, 0.4f}}, {{0.2f, 0.8f}}, 0.4f, 10000000, 2, 0},
    {{{0.7f, 0.0f}}, {{0.1f, -0.5f}}, {{-0.2f, -0.5f}}, 0.7f, 12500000, 3, 0},
    {{{0.4f, 0.1f}}, {{-0.1f, 0.4f}}, {{0.5f, 0.2f}}, 0.2f, 15000000, 4, 0},
    {{{0.3f, 0.0f}}, {{0.0f, 0.3f}}, {{0.9f, -0.8f}}, 1.0f, 1 << 24, 0, 0},
};
static const cl_float scale = 90.0f, factor = 0.2f;

static void fractal_flame_prepare(struct clbench *b) {
    memcpy(make(b, 0, sizeof maps), maps, sizeof maps);
    for (int i = 1; i < 4; i++) {
        make(b, i, WIDE * HIGH * sizeof(cl_uint));
    }
    up(b, 0);
}

static void fractal_flame_once(struct clbench *b) {
    cl_int kinds = MAPS, steps = STEPS, width = WIDE, height = HIGH;
    struct range pixels = RANGE2(WIDE, HIGH, FRAME, FRAME);
    launch(b, "no_flame", RANGE1(WIDE * HIGH / 2, 64), B(1), B(2));
    launch(b, "fractal_flame", RANGE1((size_t)b->size, FLAME_GROUP), B(0), V(kinds), V(steps),
           V(width), V(height), V(scale), B(1), B(2));
    launch(b, "show_flame", pixels, B(1), B(2), V(width), V(height), V(factor), B(3));
}

static void bend(int kind, double *x, double *y) {
    double square = *x * *x + *y * *y, x_before = *x, y_before = *y;
    if (kind == 1 || kind == 3) {
        *x = sin(*x), *y = kind == 1 ? sin(*y) : *y;
    } else if (kind == 2) {
        *x *= 4.0 / (square + 4.0), *y *= 4.0 / (square + 4.0);
    } else if (kind == 4) {
        *x = x_before * sin(square) - y_before * cos(square);
        *y = x_before * cos(square) + y_before * sin(square);
    }
}

/* The way of one item's point, added to `hits`. */
static void play(uint32_t state, double *hits) {
    double x = 0.1, y = 0.2;
    for (int step = 0; step < STEPS + SKIPPED; step++) {
        const struct map *map = maps;
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        for (; state >> 8 >= map->until; map++) {
        }
        double from_x = x, from_y = y;
        x = from_x * (double)map->across.s[0] + from_y * (double)map->down.s[0];
        y = from_x * (double)map->across.s[1] + from_y * (double)map->down.s[1];
        x += (double)map->shift.s[0], y += (double)map->shift.s[1];
        bend(map->kind, &x, &y);
        long column = (long)floor(x * (double)scale) + WIDE / 2;
        long row = (long)floor(y * (double)scale) + HIGH / 2;
        if (step >= SKIPPED && column >= 0 && column < WIDE && row >= 0 && row < HIGH) {
            hits[row * WIDE + column] += 1.0;
        }
    }
}

/* A point at the edge of a pixel may be counted in the next one. */
static int fractal_flame_check(struct clbench *b) {
    static const double from[3] = {1.0, 0.3, 0.1}, to[3] = {0.2, 0.6, 1.0};
    const cl_uint *hits = b->buffer[1].host, *colours = b->buffer[2].host;
    const cl_uchar4 *picture = b->buffer[3].host;
    double *want = calloc(WIDE * HIGH, sizeof *want), apart = 0.0, sum = 0.0;
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3);
    for (long i = 0; i < b->size; i++) {
        play((uint32_t)(i + 1) * 2654435761u, want);
    }
    for (long i = 0; ok && i < WIDE * HIGH; i++) {
        double share = hits[i] == 0 ? 0.0 : colours[i] / 256.0 / hits[i];
        double light = sqrt(fmin((double)factor * log1p(hits[i]), 1.0));
        apart += fabs(want[i] - hits[i]), sum += want[i];
        for (int k = 0; ok && k < 3; k++) {
            double value = 255.0 * light * (from[k] + (to[k] - from[k]) * share);
            ok = share <= 1.0 && near("shade", i, picture[i].s[k], value, 0.6 / fmax(value, 1.0));
        }
    }
    free(want);
    return ok && same("points are where they should", 0, apart < 0.01 * sum, 1) &&
           same("most points are in the picture", 0, sum > 0.5 * (double)b->size * STEPS, 1);
}

enum { PANORAMA = 1024, VIEW_SIDE = 8 };

/* As the kernel has it. */
struct camera {
    cl_float4 right, up, ahead;
    cl_float spread, unused[3];
};

static const struct camera camera = {
    {{0.8f, 0.0f, -0.6f, 0.0f}}, {{-0.216f, 0.9329523f, -0.288f, 0.0f}},
    {{0.5597714f, 0.36f, 0.7463618f, 0.0f}}, 0.9f, {0.0f}};
static const cl_image_format of_bytes = {CL_RGBA, CL_UNORM_INT8};

/* Makes buffer `i` an image, whose elements are the buffer's on the host. */
static unsigned char *make_image(struct clbench *b, int i, long width, long height) {
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = (size_t)width,
        .image_height = (size_t)height};
    unsigned char *host = make(b, i, (size_t)(width * height * 4));
    cl_int code;
    clReleaseMemObject(b->buffer[i].device);
    b->buffer[i].device = clCreateImage(b->context, CL_MEM_READ_WRITE, &of_bytes, &desc, NULL,
                                        &code);
    cl_need(code, "clCreateImage");
    return host;
}

static void equirect_view_prepare(struct clbench *b) {
    static const size_t origin[3] = {0, 0, 0}, region[3] = {PANORAMA, PANORAMA / 2, 1};
    unsigned char *panorama = make_image(b, 0, PANORAMA, PANORAMA / 2);
    for (long i = 0; i < PANORAMA * PANORAMA / 2; i++) {
        double angle = (double)(i % PANORAMA) * 2.0 * acos(-1.0) / PANORAMA;
        double height = (double)(i / PANORAMA) * 2.0 / PANORAMA;
        panorama[4 * i] = (unsigned char)(127.5 + 90.0 * sin(9.0 * angle) * sin(40.0 * height));
        panorama[4 * i + 1] = (unsigned char)(255.0 * height);
        panorama[4 * i + 2] = (unsigned char)(120 + mixed_word((uint32_t)i) % 64);
        panorama[4 * i + 3] = 255;
    }
    make_image(b, 1, b->size, b->size * 3 / 4);
    cl_need(clEnqueueWriteImage(b->queue, b->buffer[0].device, CL_TRUE, origin, region, 0, 0,
                                panorama, 0, NULL, NULL), "clEnqueueWriteImage");
}

static void equirect_view_once(struct clbench *b) {
    struct range range = RANGE2(round_up(b->size, VIEW_SIDE), round_up(b->size * 3 / 4, VIEW_SIDE),
                                VIEW_SIDE, VIEW_SIDE);
    launch(b, "equirect_view", range, B(0), V(camera), B(1));
}

/* The panorama's mean around a place, with weights. */
static double mean_at(const unsigned char *panorama, double column, double row, int k) {
    double left = floor(column - 0.5), top = floor(row - 0.5), x = column - 0.5 - left;
    double y = row - 0.5 - top, sum = 0.0;
    for (int i = 0; i < 4; i++) {
        long at_x = ((long)left + i % 2 + PANORAMA) % PANORAMA;
        long at_y = clamped((long)top + i / 2, PANORAMA / 2);
        sum += (i % 2 ? x : 1.0 - x) * (i / 2 ? y : 1.0 - y) *
            panorama[4 * (at_y * PANORAMA + at_x) + k];
    }
    return sum;
}

static int equirect_view_check(struct clbench *b) {
    const unsigned char *panorama = b->buffer[0].host;
    unsigned char *got = b->buffer[1].host;
    long width = b->size, height = b->size * 3 / 4;
    size_t origin[3] = {0, 0, 0}, region[3] = {(size_t)width, (size_t)height, 1};
    int ok = 1;
    cl_need(clEnqueueReadImage(b->queue, b->buffer[1].device, CL_TRUE, origin, region, 0, 0, got, 0,
                               NULL, NULL), "clEnqueueReadImage");
    for (long i = 0; ok && i < width * height; i++) {
        double way[3], pi = acos(-1.0), scaled = (double)camera.spread / (double)width;
        double x = scaled * (double)(2 * (i % width) + 1 - width);
        double y = scaled * (double)(2 * (i / width) + 1 - height);
        for (int k = 0; k < 3; k++) {
            way[k] = (double)camera.ahead.s[k] + x * (double)camera.right.s[k] -
                y * (double)camera.up.s[k];
        }
        double square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        double column = atan2(way[0], way[2]) / (2.0 * pi) * PANORAMA;
        double row = acos(way[1] / sqrt(square)) / pi * PANORAMA / 2;
        for (int k = 0; ok && k < 3; k++) {
            double want = mean_at(panorama, column, row, k) / square;
            ok = near("light", 3 * i + k, got[4 * i + k], want, 1.5 / fmax(want, 1.0));
        }
    }
    return ok;
}

enum { PASSES = 6, MOST_NEIGHBOURS = 8 };

static cl_float flow_step(const struct clbench *b) { return 0.2f / (cl_float)(b->size * b->size); }

/* Where a vertex of the mesh is in memory: the places of neighbours lie apart. */
static int place_of(const struct clbench *b, long x, long y) {
    long side = b->size, at = (y + side) % side * side + (x + side) % side;
    return (int)(at * 7919 % (side * side));
}

/* Which of its two diagonals a square of the mesh has. */
static int is_rising(const struct clbench *b, long x, long y) {
    return (int)(mixed_word((uint32_t)place_of(b, x, y)) & 1);
}

/* A ring with bumps, of which each square is two triangles. Its vertices have 4 to 8 neighbours. */
static void cotangent_flow_prepare(struct clbench *b) {
    long side = b->size, count = side * side, *column = malloc((size_t)count * sizeof *column);
    long filled = 0;
    int *starts = make(b, 0, (size_t)(count + 1) * sizeof *starts);
    int *neighbours = make(b, 1, (size_t)(count * MOST_NEIGHBOURS) * sizeof *neighbours);
    float *places = make(b, 2, (size_t)count * 3 * sizeof *places);
    for (long i = 0; i < count; i++) {
        column[place_of(b, i % side, i / side)] = i;
    }
    for (long i = 0; i < count; i++) {
        long x = column[i] % side, y = column[i] / side;
        uint32_t state = mixed_word((uint32_t)i + 4451);
        double turn = 2.0 * acos(-1.0) / (double)side;
        double angle = turn * ((double)x + 0.3 * (double)random_unit(&state));
        double around = turn * ((double)y + 0.3 * (double)random_unit(&state));
        double thick = 0.6 + 0.03 * sin(9.0 * angle) * cos(7.0 * around);
        places[3 * i] = (float)((1.0 + thick * cos(around)) * cos(angle));
        places[3 * i + 1] = (float)((1.0 + thick * cos(around)) * sin(angle));
        places[3 * i + 2] = (float)(thick * sin(around));
        starts[i] = (int)filled;
        for (int k = 0; k < 4; k++) {
            static const int ways[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
            int across = ways[k][0] + ways[k + 1][0], down = ways[k][1] + ways[k + 1][1];
            neighbours[filled++] = place_of(b, x + ways[k][0], y + ways[k][1]);
            if (is_rising(b, across > 0 ? x : x - 1, down > 0 ? y : y - 1) == (across == down)) {
                neighbours[filled++] = place_of(b, x + across, y + down);
            }
        }
    }
    starts[count] = (int)filled;
    make(b, 3, (size_t)count * 3 * sizeof *places), make(b, 4, (size_t)count * 3 * sizeof *places);
    make(b, 5, (size_t)count * sizeof *places);
    up(b, 0), up(b, 1), up(b, 2);
    free(column);
}

static void cotangent_flow_once(struct clbench *b) {
    cl_int vertices = (cl_int)(b->size * b->size);
    cl_float step = flow_step(b);
    for (int pass = 0; pass < PASSES; pass++) {
        int from = pass == 0 ? 2 : 3 + pass % 2, to = 4 - pass % 2;
        launch(b, "cotangent_flow", RANGE1(round_up(vertices, 128), 128), B(0), B(1), V(vertices),
               V(step), B(from), B(to), B(5));
    }
}

/* Adds what a triangle does to its three vertices: `sums` has three pulls and an area for each. */
static void pull_triangle(const double *places, const int corners[3], double *sums) {
    for (int k = 0; k < 3; k++) {
        const double *tip = places + 3 * corners[k], *one = places + 3 * corners[(k + 1) % 3];
        const double *other = places + 3 * corners[(k + 2) % 3];
        double u[3], v[3], product = 0.0, square = 0.0;
        for (int i = 0; i < 3; i++) {
            u[i] = one[i] - tip[i], v[i] = other[i] - tip[i], product += u[i] * v[i];
        }
        for (int i = 0; i < 3; i++) {
            double part = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
            square += part * part;
        }
        for (int i = 0; i < 3; i++) {
            double pull = 0.5 * product / sqrt(square) * (other[i] - one[i]);
            sums[4 * corners[(k + 1) % 3] + i] += pull, sums[4 * corners[(k + 2) % 3] + i] -= pull;
        }
        sums[4 * corners[k] + 3] += sqrt(square) / 6.0;
    }
}

/* The same surface triangle after triangle. */
static int cotangent_flow_check(struct clbench *b) {
    const float *first = b->buffer[2].host, *got = b->buffer[3].host;
    const float *curvatures = b->buffer[5].host;
    long side = b->size, count = side * side;
    double *places = malloc((size_t)count * 3 * sizeof *places);
    double *sums = malloc((size_t)count * 4 * sizeof *sums);
    int ok = 1;
    down(b, 3), down(b, 5);
    for (long i = 0; i < 3 * count; i++) {
        places[i] = (double)first[i];
    }
    for (int pass = 0; pass < PASSES; pass++) {
        memset(sums, 0, (size_t)count * 4 * sizeof *sums);
        for (long i = 0; i < count; i++) {
            long x = i % side, y = i / side;
            int corners[4] = {place_of(b, x, y), place_of(b, x + 1, y), place_of(b, x + 1, y + 1),
                place_of(b, x, y + 1)};
            int rising = is_rising(b, x, y);
            int one[3] = {corners[0], corners[1], corners[rising ? 2 : 3]};
            int other[3] = {corners[rising ? 0 : 1], corners[2], corners[3]};
            pull_triangle(places, one, sums), pull_triangle(places, other, sums);
        }
        for (long i = 0; i < 3 * count; i++) {
            places[i] += (double)flow_step(b) * sums[i / 3 * 4 + i % 3] / sums[i / 3 * 4 + 3];
        }
    }
    for (long i = 0; ok && i < count; i++) {
        double curvature = 0.5 * hypot(hypot(sums[4 * i], sums[4 * i + 1]), sums[4 * i + 2]) /
            sums[4 * i + 3];
        ok = near("curvature", i, (double)curvatures[i], curvature,
                  fmax(1e-3, 2e-7 * (double)count));
        for (int k = 0; ok && k < 3; k++) {
            ok = near("place", 3 * i + k, (double)got[3 * i + k], places[3 * i + k], 1e-5);
        }
    }
    free(places), free(sums);
    return ok;
}

const struct workload round27_scenes_workloads[] = {
    WORKLOAD(round27_scenes, fractal_flame, 64, 1024, 4096, 16384),
    WORKLOAD(round27_scenes, equirect_view, 60, 300, 1000, 3000),
    WORKLOAD(round27_scenes, cotangent_flow, 20, 150, 301, 1009),
    END_OF_WORKLOADS,
};
