/* Pictures. Sizes are widths. */
#include "workloads.h"

enum { METERS = 128, PARTS = 24 };

static const cl_float grey = 0.18f, fall_off = 0.6f;

static long picture_height(const struct clbench *b) { return b->size * 5 / 8; }

/* Some of the pixels are black or nearly so. */
static void hdr_develop_prepare(struct clbench *b) {
    long pixels = b->size * picture_height(b);
    cl_ushort *picture = make(b, 0, (size_t)(pixels * 4) * sizeof *picture);
    uint32_t state = 2333;
    for (long i = 0; i < pixels; i++) {
        unsigned exponent = 6 + random_word(&state) % 6 + (unsigned)(i / 97 % 5);
        exponent = i % 53 == 11 ? 0 : exponent;
        for (long k = 0; k < 3; k++) {
            picture[i * 4 + k] = (cl_ushort)(exponent << 10 | random_word(&state) % 1024);
        }
        picture[i * 4 + 3] = 15 << 10;
    }
    make(b, 1, PARTS * sizeof(float)), make(b, 2, sizeof(float)), make(b, 3, (size_t)pixels * 4);
    up(b, 0);
}

static void hdr_develop_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)picture_height(b), pixels = width * height, parts = PARTS;
    launch(b, "light_parts", RANGE1(PARTS * METERS, METERS), B(0), V(pixels), B(1));
    launch(b, "find_exposure", RANGE1(1, 1), B(1), V(parts), V(pixels), V(grey), B(2));
    struct range range = RANGE2(round_up(width, 32), round_up(height, 4), 32, 4);
    launch(b, "hdr_develop", range, B(0), V(width), V(height), B(2), V(fall_off), B(3));
}

static double shown(double light) {
    light = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14);
    light = fmin(light, 1.0);
    return 255.0 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1.0 / 2.4) - 0.055);
}

static double bright(const double light[3]) { return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]; }

static int hdr_develop_check(struct clbench *b) {
    const cl_ushort *picture = b->buffer[0].host;
    const float *exposure = b->buffer[2].host;
    const unsigned char *got = b->buffer[3].host;
    long width = b->size, height = picture_height(b);
    double sum = 0.0, light[3];
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; i < width * height; i++) {
        light[0] = half_value(picture[i * 4]), light[1] = half_value(picture[i * 4 + 1]), light[2] = half_value(picture[i * 4 + 2]);
        sum += log2(1e-4 + bright(light));
    }
    double wanted = (double)grey / exp2(sum / (double)(width * height));
    ok = near("exposure", 0, (double)exposure[0], wanted, 1e-3);
    for (long i = 0; ok && i < width * height; i++) {
        double x = ((double)(i % width) + 0.5) / (double)width - 0.5, y = ((double)(i / width) + 0.5) / (double)height - 0.5;
        double spread = 1.0 + (double)fall_off * (x * x + y * y);
        for (int k = 0; k < 3; k++) {
            light[k] = half_value(picture[i * 4 + k]) * (double)exposure[0] * spread * spread;
        }
        double all = bright(light), share = fmin(all / 0.02, 1.0);
        share = share * share * (3.0 - 2.0 * share);
        for (int k = 0; ok && k < 3; k++) {
            double want = shown(all + share * (light[k] - all));
            ok = same("shown pixel is near", i * 4 + k, fabs(got[i * 4 + k] - want) < 0.52, 1);
        }
        ok = ok && same("pixel is opaque", i, got[i * 4 + 3], 255);
    }
    return ok;
}

enum { GRID_COLUMNS = 17, GRID_ROWS = 13 };

static const cl_int black = 64;
static const cl_float4 gains = {{1.9f, 1.0f, 1.05f, 1.6f}};

static long raw_stride(const struct clbench *b) { return (b->size / 4 * 5 + 15) / 16 * 16; }

/* Buffer 6 has the pixels before they are packed, on this side alone. */
static void packed_raw10_prepare(struct clbench *b) {
    long width = b->size, height = picture_height(b), stride = raw_stride(b);
    unsigned char *bytes = make(b, 0, (size_t)(stride * height));
    float *grid = make(b, 1, GRID_COLUMNS * GRID_ROWS * sizeof *grid);
    cl_ushort *raw = make(b, 6, (size_t)(width * height) * sizeof *raw);
    uint32_t state = 2339;
    for (long i = 0; i < width * height; i++) {
        unsigned char *five = bytes + i / width * stride + i % width / 4 * 5;
        raw[i] = (cl_ushort)(random_word(&state) % (i % 7 == 0 ? 1024 : 600));
        five[i % 4] = (unsigned char)(raw[i] >> 2), five[4] |= (unsigned char)((raw[i] & 3) << i % 4 * 2);
    }
    for (int i = 0; i < GRID_COLUMNS * GRID_ROWS; i++) {
        float x = (float)(i % GRID_COLUMNS - 8) / 8.0f, y = (float)(i / GRID_COLUMNS - 6) / 6.0f;
        grid[i] = 1.0f + 0.7f * (x * x + y * y) + 0.02f * random_unit(&state);
    }
    make(b, 2, (size_t)(width * height) * sizeof(cl_ushort));
    up(b, 0), up(b, 1);
}

static void packed_raw10_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)picture_height(b), stride = (cl_int)raw_stride(b);
    struct range range = RANGE2(round_up(width / 4, 64), (size_t)height, 64, 1);
    launch(b, "packed_raw10", range, B(0), V(width), V(height), V(stride), V(black), V(gains), B(1), B(2));
}

/* Of large pictures not all pixels are looked at. */
static int packed_raw10_check(struct clbench *b) {
    const float *grid = b->buffer[1].host;
    const cl_ushort *raw = b->buffer[6].host, *got = b->buffer[2].host;
    long width = b->size, height = picture_height(b), step = width * height / 1000003 + 1, most = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < width * height; i += step) {
        long x = i % width, y = i / width;
        double column = (double)x * (GRID_COLUMNS - 1) / (double)(width - 1), row = (double)y * (GRID_ROWS - 1) / (double)(height - 1);
        double bend = 0.0;
        for (int k = 0; k < GRID_COLUMNS * GRID_ROWS; k++) {
            double away_x = fabs(column - k % GRID_COLUMNS), away_y = fabs(row - (double)(k / GRID_COLUMNS));
            bend += away_x < 1.0 && away_y < 1.0 ? (1.0 - away_x) * (1.0 - away_y) * (double)grid[k] : 0.0;
        }
        double light = raw[i] > black ? raw[i] - black : 0;
        light = fmin(16.0 * light * (double)gains.s[y % 2 * 2 + x % 2] * bend, 65535.0);
        ok = same("pixel is near", i, fabs(got[i] - light) < 0.6, 1);
        most += got[i] == 65535;
    }
    return ok && same("few are too bright", 0, most < width * height / step / 4, 1);
}

enum { BLOCK = 4, MODES = 9, RIM = 8 };

static const cl_int price = 6;

static long block_columns(const struct clbench *b) { return b->size / BLOCK; }
static long block_rows(const struct clbench *b) { return picture_height(b) / BLOCK; }

/* Stripes of many directions. */
static void intra_modes_prepare(struct clbench *b) {
    long stride = b->size + 2 * RIM, height = picture_height(b) + 2 * RIM;
    unsigned char *picture = make(b, 0, (size_t)(stride * height));
    uint32_t state = 2341;
    for (long i = 0; i < stride * height; i++) {
        double x = (double)(i % stride), y = (double)(i / stride), turn = (double)(i % stride / 24 + i / stride / 24 * 3) * 0.37;
        double stripe = sin((x * cos(turn) + y * sin(turn)) * 0.7);
        picture[i] = (unsigned char)(120.0 + 90.0 * stripe + (double)(random_word(&state) % 16));
    }
    make(b, 1, (size_t)(block_columns(b) * block_rows(b))), make(b, 2, (size_t)(block_columns(b) * block_rows(b)) * sizeof(cl_ushort));
    up(b, 0);
}

static void intra_modes_once(struct clbench *b) {
    cl_int stride = (cl_int)b->size + 2 * RIM, columns = (cl_int)block_columns(b), rows = (cl_int)block_rows(b);
    struct range range = RANGE2(round_up(columns, 16), round_up(rows, 4), 16, 4);
    launch(b, "intra_modes", range, B(0), V(stride), V(columns), V(rows), V(price), B(1), B(2));
}

/* Of the pixels around a block: above it those from -1 on, left of it those from 0 on. */
struct around {
    int above[9], left[4];
};

static int above(const struct around *around, long i) { return i < -1 ? around->left[-i - 2] : around->above[(i < 7 ? i : 7) + 1]; }
static int left(const struct around *around, long i) { return i < 0 ? above(around, -i - 2) : around->left[i < 3 ? i : 3]; }

/* Where a pixel lies on the edge, along a direction; halves of steps are means of two. A direction of `across` pixels along
 * the edge for each two pixels away from it. */
static int on_edge(const struct around *around, int is_above, long twice) {
    int (*pixel)(const struct around *, long) = is_above ? above : left;
    long at = twice >= 0 ? twice / 2 : -((1 - twice) / 2);
    if (twice % 2 != 0) {
        return (pixel(around, at) + pixel(around, at + 1) + 1) / 2;
    }
    return (pixel(around, at - 1) + 2 * pixel(around, at) + pixel(around, at + 1) + 2) / 4;
}

/* A pixel of a block as a mode has it. */
static int guess(const struct around *around, int mode, long x, long y) {
    int sum = 4;
    switch (mode) {
    case 0: return above(around, x);
    case 1: return left(around, y);
    case 2:
        for (int i = 0; i < BLOCK; i++) {
            sum += above(around, i) + left(around, i);
        }
        return sum / 8;
    case 3: return on_edge(around, 1, 2 * (x + y + 1));
    case 4: return on_edge(around, 1, 2 * (x - y - 1));
    case 5: return 2 * x < y ? on_edge(around, 0, 2 * (y - 2 * x - 2)) : on_edge(around, 1, 2 * x - y - 1);
    case 6: return 2 * y < x ? on_edge(around, 1, 2 * (x - 2 * y - 2)) : on_edge(around, 0, 2 * y - x - 1);
    case 7: return on_edge(around, 1, 2 * x + y + 1);
    default: return x + 2 * y > 5 ? around->left[3] : on_edge(around, 0, 2 * y + x + 1);
    }
}

/* The sum of a Hadamard transform, each of its numbers from all of the differences. */
static int sum_transformed(const int off[BLOCK][BLOCK]) {
    static const int signs[BLOCK][BLOCK] = {{1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, -1, 1}, {1, -1, 1, -1}};
    int all = 0;
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        int sum = 0;
        for (int k = 0; k < BLOCK * BLOCK; k++) {
            sum += signs[i / BLOCK][k / BLOCK] * signs[i % BLOCK][k % BLOCK] * off[k / BLOCK][k % BLOCK];
        }
        all += abs(sum);
    }
    return all / 2;
}

static int best_mode(const unsigned char *block, long stride, int *best) {
    struct around around;
    int found = 0;
    for (int i = 0; i < 9; i++) {
        around.above[i] = block[i - 1 - stride];
        around.left[i % 4] = block[i % 4 * stride - 1];
    }
    *best = 1 << 20;
    for (int mode = 0; mode < MODES; mode++) {
        int off[BLOCK][BLOCK], cost = price * (mode == 2 ? 1 : 4);
        for (long i = 0; i < BLOCK * BLOCK; i++) {
            off[i / BLOCK][i % BLOCK] = block[i / BLOCK * stride + i % BLOCK] - guess(&around, mode, i % BLOCK, i / BLOCK);
        }
        cost += sum_transformed(off);
        found = cost < *best ? mode : found, *best = cost < *best ? cost : *best;
    }
    return found;
}

static int intra_modes_check(struct clbench *b) {
    const unsigned char *picture = b->buffer[0].host, *modes = b->buffer[1].host;
    const cl_ushort *costs = b->buffer[2].host;
    long stride = b->size + 2 * RIM, columns = block_columns(b), counts[MODES] = {0};
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < columns * block_rows(b); i++) {
        int cost = 0;
        int mode = best_mode(picture + (i / columns * BLOCK + RIM) * stride + i % columns * BLOCK + RIM, stride, &cost);
        ok = same("cost", i, costs[i], cost) && same("mode", i, modes[i], mode);
        counts[mode]++;
    }
    for (int i = 0; ok && i < MODES; i++) {
        ok = same("mode is chosen somewhere", i, counts[i] > 0, 1);
    }
    return ok;
}

enum { RELAXATIONS = 10, SIDE = 16 };

static const cl_float smooth = 12.0f;

/* Waves that move, by some of a pixel. */
static void flow_relax_prepare(struct clbench *b) {
    long width = b->size, height = picture_height(b);
    uint32_t state = 2347;
    for (int k = 0; k < 2; k++) {
        unsigned char *picture = make(b, k, (size_t)(width * height));
        for (long i = 0; i < width * height; i++) {
            double x = (double)(i % width) - 0.8 * k, y = (double)(i / width) + 0.5 * k;
            double wave = 128.0 + 50.0 * sin(x * 0.21 + 0.05 * y) + 40.0 * cos(y * 0.17 - x * 0.04);
            picture[i] = (unsigned char)(wave + (double)(random_word(&state) % 5));
        }
        up(b, k);
    }
    make(b, 2, (size_t)(width * height) * sizeof(cl_float4));
    make(b, 3, (size_t)(width * height) * sizeof(cl_float2)), make(b, 4, (size_t)(width * height) * sizeof(cl_float2));
    make(b, 5, (size_t)(width * height) * sizeof(cl_float2));
    up(b, 5);
}

/* Buffer 5 has no motion, with which it begins. */
static void flow_relax_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)picture_height(b);
    struct range range = RANGE2(round_up(width, SIDE), round_up(height, SIDE), SIDE, SIDE);
    launch(b, "flow_slopes", range, B(0), B(1), V(width), V(height), V(smooth), B(2));
    for (int i = 0; i < RELAXATIONS; i++) {
        int from = i == 0 ? 5 : 4 - i % 2, to = 3 + i % 2;
        launch(b, "flow_relax", range, B(2), B(from), V(width), V(height), B(to));
    }
}

/* How brightness changes from a pixel of the first picture to the right, down, and to the second picture. */
static void slope_of(const struct clbench *b, long i, double slope[3]) {
    long width = b->size, height = picture_height(b);
    slope[0] = slope[1] = slope[2] = 0.0;
    for (int k = 0; k < 8; k++) {
        const unsigned char *picture = b->buffer[k / 4].host;
        double value = 0.25 * picture[clamped(i / width + k / 2 % 2, height) * width + clamped(i % width + k % 2, width)];
        slope[0] += k % 2 != 0 ? value : -value;
        slope[1] += k / 2 % 2 != 0 ? value : -value;
        slope[2] += k / 4 != 0 ? value : -value;
    }
}

static void relax(const struct clbench *b, const double *from, double *to) {
    long width = b->size, height = picture_height(b);
    for (long i = 0; i < width * height; i++) {
        double slope[3], mean[2] = {0.0, 0.0};
        for (long k = 0; k < 9; k++) {
            long other = clamped(i / width + k / 3 - 1, height) * width + clamped(i % width + k % 3 - 1, width);
            double weight = k == 4 ? 0.0 : k % 2 != 0 ? 1.0 / 6.0 : 1.0 / 12.0;
            mean[0] += weight * from[other * 2], mean[1] += weight * from[other * 2 + 1];
        }
        slope_of(b, i, slope);
        double step = slope[0] * mean[0] + slope[1] * mean[1] + slope[2];
        step /= (double)smooth * (double)smooth + slope[0] * slope[0] + slope[1] * slope[1];
        to[i * 2] = mean[0] - slope[0] * step, to[i * 2 + 1] = mean[1] - slope[1] * step;
    }
}

static int flow_relax_check(struct clbench *b) {
    const float *got = b->buffer[3 + (RELAXATIONS - 1) % 2].host;
    long count = b->size * picture_height(b) * 2;
    double *flows[2] = {calloc((size_t)count, sizeof(double)), calloc((size_t)count, sizeof(double))};
    int ok = 1;
    down(b, 3 + (RELAXATIONS - 1) % 2);
    for (int i = 0; i < RELAXATIONS; i++) {
        relax(b, flows[i % 2], flows[1 - i % 2]);
    }
    for (long i = 0; ok && i < count; i++) {
        ok = near("flow", i, (double)got[i], flows[RELAXATIONS % 2][i], 1e-5);
    }
    free(flows[0]), free(flows[1]);
    return ok;
}

const struct workload round19_image_workloads[] = {
    WORKLOAD(round19_image, hdr_develop, 100, 220, 2000, 5000),
    WORKLOAD(round19_image, packed_raw10, 104, 1000, 4000, 8000),
    WORKLOAD(round19_image, intra_modes, 200, 400, 1920, 3840),
    WORKLOAD(round19_image, flow_relax, 70, 300, 1500, 5000),
    END_OF_WORKLOADS,
};
