/* Pictures of one value a pixel. Sizes are pixels along a side. */
#include "workloads.h"

/* A picture is a little lower than wide. */
static cl_int lower(const struct clbench *b) { return (cl_int)(b->size - b->size / 4); }

/* Between 0 and 1: waves, stripes and noise. */
static double scene(double x, double y, uint32_t *noise) {
    double wave = 0.25 * sin(x / 17.0) * cos(y / 29.0) + 0.1 * sin(x * y / 900.0);
    return 0.35 + wave + (sin((2.0 * x - y) / 37.0) > 0.5 ? 0.2 : 0.0) + 0.1 * random_unit(noise);
}

enum { SEARCH = 5 };
static const float inv_h2 = 22.0f;

static void nonlocal_means_prepare(struct clbench *b) {
    long pixels = b->size * lower(b);
    float *in = make(b, 0, (size_t)pixels * sizeof *in);
    uint32_t state = 501;
    make(b, 1, (size_t)pixels * sizeof(float));
    for (long i = 0; i < pixels; i++) {
        in[i] = (float)scene((double)(i % b->size), (double)(i / b->size), &state);
    }
    up(b, 0);
}

static void nonlocal_means_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = lower(b);
    launch(b, "nonlocal_means", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), B(0), B(1), V(width), V(height),
           V(inv_h2));
}

/* Every fifth pixel. */
static int nonlocal_means_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    long width = b->size, height = lower(b);
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < width * height; at += 5) {
        double sum = 0.0, weights = 0.0;
        for (long place = 0; place < (2 * SEARCH + 1) * (2 * SEARCH + 1); place++) {
            long x = at % width, y = at / width;
            long dx = place % (2 * SEARCH + 1) - SEARCH, dy = place / (2 * SEARCH + 1) - SEARCH;
            double away = 0.0;
            for (long k = 0; k < 9; k++) {
                long px = x + k % 3 - 1, py = y + k / 3 - 1;
                double d = (double)in[clamped(py, height) * width + clamped(px, width)] -
                           in[clamped(py + dy, height) * width + clamped(px + dx, width)];
                away += d * d;
            }
            double weight = exp(-away * inv_h2);
            sum += weight * in[clamped(y + dy, height) * width + clamped(x + dx, width)];
            weights += weight;
        }
        ok = near("pixel", at, got[at], sum / weights, 1e-4);
    }
    return ok;
}

/* As the kernel has it. */
struct sensor {
    cl_int width, height, pitch, black;
    cl_float4 balance;
};

/* Ten bits a pixel; rows begin at multiples of 16 pixels. */
static struct sensor sensor_of(const struct clbench *b) {
    float unit = 255.0f / (16.0f * 959.0f);
    return (struct sensor){.width = (cl_int)b->size, .height = lower(b), .pitch = (cl_int)round_up(b->size, 16), .black = 64,
                           .balance = {{1.9f * unit, unit, 1.4f * unit, 0.0f}}};
}

static void demosaic_prepare(struct clbench *b) {
    struct sensor s = sensor_of(b);
    cl_ushort *raw = make(b, 0, (size_t)s.pitch * (size_t)s.height * sizeof *raw);
    uint32_t state = 502;
    make(b, 1, (size_t)s.width * (size_t)s.height * 4);
    for (long i = 0; i < (long)s.pitch * s.height; i++) {
        double light = scene((double)(i % s.pitch), (double)(i / s.pitch), &state);
        raw[i] = (cl_ushort)(64.0 + 900.0 * fmin(1.0, fmax(0.0, light)) * (i % s.pitch % 2 == i / s.pitch % 2 ? 0.6 : 1.0));
    }
    up(b, 0);
}

static void demosaic_once(struct clbench *b) {
    struct sensor s = sensor_of(b);
    launch(b, "demosaic", RANGE2(round_up(s.width, 32), round_up(s.height, 4), 32, 4), V(s), B(0), B(1));
}

/* The filters, in sixteenths: what is one colour where another one is measured. */
static const int green_there[25] = {0, 0, -2, 0, 0, 0, 0, 4, 0, 0, -2, 4, 8, 4, -2, 0, 0, 4, 0, 0, 0, 0, -2, 0, 0};
static const int along_row[25] = {0, 0, 1, 0, 0, 0, -2, 0, -2, 0, -2, 8, 10, 8, -2, 0, -2, 0, -2, 0, 0, 0, 1, 0, 0};
static const int along_column[25] = {0, 0, -2, 0, 0, 0, -2, 8, -2, 0, 1, 0, 10, 0, 1, 0, -2, 8, -2, 0, 0, 0, -2, 0, 0};
static const int opposite[25] = {0, 0, -3, 0, 0, 0, 4, 0, 4, 0, -3, 0, 12, 0, -3, 0, 4, 0, 4, 0, 0, 0, -3, 0, 0};
static const int itself[25] = {[12] = 16};

static long mirror_of(long i, long n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; }

static int demosaic_check(struct clbench *b) {
    /* By the pixel's place in its square, and by colour. */
    static const int *const filters[4][3] = {{itself, green_there, opposite},
                                             {along_row, itself, along_column},
                                             {along_column, itself, along_row},
                                             {opposite, green_there, itself}};
    const cl_ushort *raw = b->buffer[0].host;
    const unsigned char *got = b->buffer[1].host;
    struct sensor s = sensor_of(b);
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < (long)s.width * s.height * 4; at++) {
        long x = at / 4 % s.width, y = at / 4 / s.width, sum = 0;
        for (long k = 0; at % 4 < 3 && k < 25; k++) {
            long value = raw[mirror_of(y + k / 5 - 2, s.height) * s.pitch + mirror_of(x + k % 5 - 2, s.width)] - s.black;
            sum += value * filters[y % 2 * 2 + x % 2][at % 4][k];
        }
        /* The nearest whole number, but for rounding before. */
        double value = at % 4 == 3 ? 255.0 : fmin(255.0, fmax(0.0, (double)sum * s.balance.s[at % 4]));
        ok = fabs(got[at] - value) < 0.501 || same("colour", at, got[at], lrint(value));
    }
    return ok;
}

enum { BLOCK = 16, REACH = 8 };
static const cl_uint lambda = 3;

static long blocks_of(long side) { return (side + BLOCK - 1) / BLOCK; }

/* The second frame is the first one, moved, with noise. */
static void block_motion_prepare(struct clbench *b) {
    long pixels = b->size * lower(b), blocks = blocks_of(b->size) * blocks_of(lower(b));
    unsigned char *now = make(b, 0, (size_t)pixels), *before = make(b, 1, (size_t)pixels);
    uint32_t state = 503;
    make(b, 2, (size_t)blocks * sizeof(cl_short2));
    make(b, 3, (size_t)blocks * sizeof(cl_uint));
    for (long i = 0; i < pixels; i++) {
        double x = (double)(i % b->size), y = (double)(i / b->size);
        before[i] = (unsigned char)(230.0 * fmax(0.0, scene(x, y, &state)));
        now[i] = (unsigned char)(230.0 * fmax(0.0, scene(x + 4.0 * sin(y / 60.0), y - 3.0 - x / 200.0, &state)));
    }
    up(b, 0), up(b, 1);
}

static void block_motion_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = lower(b);
    launch(b, "block_motion", RANGE2(round_up(width, BLOCK), round_up(height, BLOCK), BLOCK, BLOCK), B(0), B(1), V(width),
           V(height), V(lambda), B(2), B(3));
}

static long cost_of(struct clbench *b, long x, long y, long dx, long dy) {
    const unsigned char *now = b->buffer[0].host, *before = b->buffer[1].host;
    long width = b->size, height = lower(b), cost = (long)lambda * (labs(dx) + labs(dy));
    for (long i = 0; i < BLOCK * BLOCK; i++) {
        long from_x = x + i % BLOCK, from_y = y + i / BLOCK;
        cost += labs((long)now[clamped(from_y, height) * width + clamped(from_x, width)] -
                     before[clamped(from_y + dy, height) * width + clamped(from_x + dx, width)]);
    }
    return cost;
}

/* The first place of the least cost. */
static int block_motion_check(struct clbench *b) {
    const cl_short2 *motion = b->buffer[2].host;
    const cl_uint *cost = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long block = 0; ok && block < blocks_of(b->size) * blocks_of(lower(b)); block++) {
        long x = block % blocks_of(b->size) * BLOCK, y = block / blocks_of(b->size) * BLOCK, least = -1, at_x = 0, at_y = 0;
        for (long dy = -REACH; dy < REACH; dy++) {
            for (long dx = -REACH; dx < REACH; dx++) {
                long here = cost_of(b, x, y, dx, dy);
                if (least < 0 || here < least) {
                    least = here, at_x = dx, at_y = dy;
                }
            }
        }
        ok = same("cost", block, cost[block], least) && same("x", block, motion[block].s[0], at_x) &&
             same("y", block, motion[block].s[1], at_y);
    }
    return ok;
}

enum { SCAN = 128 };
static const cl_int radius = 9;
static const cl_uint percent = 15;

static void summed_area_prepare(struct clbench *b) {
    long pixels = b->size * lower(b);
    unsigned char *page = make(b, 0, (size_t)pixels);
    uint32_t state = 504;
    make(b, 1, (size_t)pixels * sizeof(cl_uint));
    make(b, 2, (size_t)pixels);
    for (long i = 0; i < pixels; i++) {
        page[i] = (unsigned char)(230.0 * fmax(0.0, scene((double)(i % b->size), (double)(i / b->size), &state)));
    }
    up(b, 0);
}

static void summed_area_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = lower(b);
    launch(b, "sum_rows", RANGE1((size_t)height * SCAN, SCAN), B(0), B(1), V(width));
    launch(b, "sum_columns", RANGE1(round_up(width, 64), 64), B(1), V(width), V(height));
    launch(b, "local_threshold", RANGE2(round_up(width, 16), round_up(height, 8), 16, 8), B(0), B(1), B(2), V(width), V(height),
           V(radius), V(percent));
}

static int summed_area_check(struct clbench *b) {
    const unsigned char *page = b->buffer[0].host, *got = b->buffer[2].host;
    long width = b->size, height = lower(b);
    int ok = 1;
    down(b, 2);
    for (long at = 0; ok && at < width * height; at++) {
        long x = at % width, y = at / width, sum = 0, area = 0;
        for (long from_y = y - radius; from_y <= y + radius; from_y++) {
            for (long from_x = x - radius; from_x <= x + radius; from_x++) {
                int inside = from_x >= 0 && from_y >= 0 && from_x < width && from_y < height;
                sum += inside ? page[from_y * width + from_x] : 0;
                area += inside;
            }
        }
        ok = same("ink", at, got[at], page[at] * area * 100 < sum * (100 - (long)percent) ? 0 : 255);
    }
    return ok;
}

const struct workload round5_picture_workloads[] = {
    WORKLOAD(round5_picture, nonlocal_means, 45, 181, 605, 1605),
    WORKLOAD(round5_picture, demosaic, 61, 701, 1501, 4001),
    WORKLOAD(round5_picture, block_motion, 61, 405, 1005, 2005),
    WORKLOAD(round5_picture, summed_area, 61, 901, 1501, 3001),
    END_OF_WORKLOADS,
};
