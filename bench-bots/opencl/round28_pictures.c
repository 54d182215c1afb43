/* Pictures. Sizes are widths of pictures, blocks in a row. */
#include "workloads.h"
#include <limits.h>

enum { RADIUS = 6, LINES = 32, COLUMN = 64 };
static const cl_float least_spread = 150.0f;

static long height_of(const struct clbench *b) { return b->size * 3 / 4; }

/* Slopes, round edges, and a little noise. */
static unsigned char shade_at(long x, long y) {
    long ring = ((x - 90) * (x - 90) + (y - 70) * (y - 70)) / 900 % 3;
    return (unsigned char)(20 + (x * 3 + y) / 8 % 70 + 45 * ring +
                           mixed_word((uint32_t)(y * 4099 + x)) % 17);
}

static void guided_filter_prepare(struct clbench *b) {
    long width = b->size, pixels = width * height_of(b);
    unsigned char *picture = make(b, 0, (size_t)pixels);
    for (long i = 0; i < pixels; i++) {
        picture[i] = shade_at(i % width, i / width);
    }
    for (int i = 1; i < 4; i++) {
        make(b, i, (size_t)pixels * sizeof(cl_float2));
    }
    make(b, 4, (size_t)pixels);
    up(b, 0);
}

static void guided_filter_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)height_of(b);
    struct range rows = RANGE2(round_up(width, COLUMN), (size_t)height, COLUMN, 1);
    struct range columns = RANGE2((size_t)width, round_up(height, COLUMN), 1, COLUMN);
    launch(b, "window_rows", RANGE1(round_up(height, LINES), LINES), B(0), V(width), V(height), B(1));
    launch(b, "window_columns", RANGE1(round_up(width, LINES), LINES), B(1), V(width), V(height),
           V(least_spread), B(2));
    launch(b, "line_rows", rows, B(2), V(width), B(3));
    launch(b, "guided_filter", columns, B(3), B(0), V(width), V(height), B(4));
}

/* Means over all windows: `sums[k]` has one row and one column more. */
static void window_means(const double *values, long width, long height, double *sums, double *means) {
    long across = width + 1;
    for (long i = 0; i < width * height; i++) {
        long at = (i / width + 1) * across + i % width + 1;
        sums[at] = values[i] + sums[at - 1] + sums[at - across] - sums[at - across - 1];
    }
    for (long i = 0; i < width * height; i++) {
        long left = clamped(i % width - RADIUS, width), right = clamped(i % width + RADIUS, width) + 1;
        long top = clamped(i / width - RADIUS, height), end = clamped(i / width + RADIUS, height) + 1;
        double sum = sums[end * across + right] - sums[end * across + left] -
                     sums[top * across + right] + sums[top * across + left];
        means[i] = sum / (double)((right - left) * (end - top));
    }
}

static int guided_filter_check(struct clbench *b) {
    const unsigned char *picture = b->buffer[0].host, *got = b->buffer[4].host;
    long width = b->size, height = height_of(b), pixels = width * height;
    double *own = calloc((size_t)((width + 1) * (height + 1) + 4 * pixels), sizeof *own);
    double *squares = own + pixels, *slopes = squares + pixels, *rests = slopes + pixels;
    double *sums = rests + pixels;
    int ok = 1;
    down(b, 4);
    for (long i = 0; i < pixels; i++) {
        own[i] = picture[i], squares[i] = own[i] * own[i];
    }
    window_means(own, width, height, sums, rests);
    window_means(squares, width, height, sums, slopes);
    for (long i = 0; i < pixels; i++) {
        double spread = slopes[i] - rests[i] * rests[i];
        slopes[i] = spread / (spread + (double)least_spread), rests[i] *= 1.0 - slopes[i];
    }
    window_means(slopes, width, height, sums, squares);
    window_means(rests, width, height, sums, slopes);
    for (long i = 0; ok && i < pixels; i++) {
        double want = squares[i] * own[i] + slopes[i];
        ok = near("shade", i, got[i], want, 0.52 / fmax(want, 1.0));
    }
    free(own);
    return ok;
}

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

/* Stripes in several directions, and smooth parts. */
static void fxaa_edges_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b);
    size_t origin[3] = {0, 0, 0}, region[3] = {(size_t)width, (size_t)height, 1};
    unsigned char *picture = make_image(b, 0, width, height);
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width, part = x / 80 + y / 60;
        long is_bright = (x * (1 + part % 5) + y * (7 - part % 4)) / 160 % 2;
        picture[4 * i] = (unsigned char)(30 + 180 * is_bright + x % 20);
        picture[4 * i + 1] = (unsigned char)(40 + 150 * is_bright + y % 20);
        picture[4 * i + 2] = (unsigned char)(60 + 40 * (part % 3));
        picture[4 * i + 3] = 255;
    }
    make_image(b, 1, width, height);
    cl_need(clEnqueueWriteImage(b->queue, b->buffer[0].device, CL_TRUE, origin, region, 0, 0,
                                picture, 0, NULL, NULL), "clEnqueueWriteImage");
}

static void fxaa_edges_once(struct clbench *b) {
    struct range range = RANGE2(round_up(b->size, 8), round_up(height_of(b), 8), 8, 8);
    launch(b, "fxaa_edges", range, B(0), B(1));
}

/* What a picture has at a place between its pixels, in bytes. */
static void seen_at(const struct clbench *b, double x, double y, double share, double sum[4]) {
    const unsigned char *picture = b->buffer[0].host;
    double left = floor(x - 0.5), top = floor(y - 0.5);
    for (int i = 0; i < 16; i++) {
        long at_x = clamped((long)left + i % 2, b->size);
        long at_y = clamped((long)top + i / 2 % 2, height_of(b));
        double weight = (i % 2 ? x - 0.5 - left : left + 1.5 - x) *
                        (i / 2 % 2 ? y - 0.5 - top : top + 1.5 - y);
        sum[i / 4] += share * weight * picture[4 * (at_y * b->size + at_x) + i / 4];
    }
}

static double light_of(const double colour[4]) {
    return (0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]) / 255.0;
}

/* What a pixel should become. */
static void without_stairs(const struct clbench *b, long column, long row, double want[4]) {
    double at_x = (double)column + 0.5, at_y = (double)row + 0.5, lights[5], low = 1.0, high = 0.0;
    for (int i = 0; i < 5; i++) {
        double colour[4] = {0.0};
        seen_at(b, at_x + (i == 4 ? 0 : i % 2 ? 1 : -1), at_y + (i == 4 ? 0 : i / 2 ? 1 : -1), 1.0,
                colour);
        lights[i] = light_of(colour), low = fmin(low, lights[i]), high = fmax(high, lights[i]);
    }
    memset(want, 0, 4 * sizeof *want);
    if (high - low < fmax(1.0 / 24.0, high / 8.0)) {
        seen_at(b, at_x, at_y, 1.0, want);
        return;
    }
    double x = lights[2] + lights[3] - lights[0] - lights[1], near_by[4] = {0.0};
    double y = lights[0] + lights[2] - lights[1] - lights[3];
    double rest = fmax((lights[0] + lights[1] + lights[2] + lights[3]) / 32.0, 1.0 / 128.0);
    rest += fmin(fabs(x), fabs(y));
    x = fmin(fmax(x / rest, -8.0), 8.0), y = fmin(fmax(y / rest, -8.0), 8.0);
    for (int side = -1; side < 2; side += 2) {
        seen_at(b, at_x + side * x / 6.0, at_y + side * y / 6.0, 0.5, near_by);
        seen_at(b, at_x + side * x / 6.0, at_y + side * y / 6.0, 0.25, want);
        seen_at(b, at_x + side * x / 2.0, at_y + side * y / 2.0, 0.25, want);
    }
    if (light_of(want) < low || light_of(want) > high) {
        memcpy(want, near_by, sizeof near_by);
    }
}

/* Pixels that are nearly at an edge may be taken for others. */
static int fxaa_edges_check(struct clbench *b) {
    unsigned char *got = b->buffer[1].host, *before = b->buffer[0].host;
    long width = b->size, height = height_of(b), others = 0, changed = 0;
    size_t origin[3] = {0, 0, 0}, region[3] = {(size_t)width, (size_t)height, 1};
    cl_need(clEnqueueReadImage(b->queue, b->buffer[1].device, CL_TRUE, origin, region, 0, 0, got, 0,
                               NULL, NULL), "clEnqueueReadImage");
    for (long i = 0; i < width * height; i++) {
        double want[4], apart = 0.0;
        without_stairs(b, i % width, i / width, want);
        for (int k = 0; k < 4; k++) {
            apart = fmax(apart, fabs(want[k] - got[4 * i + k]));
        }
        others += apart > 2.0, changed += memcmp(got + 4 * i, before + 4 * i, 4) != 0;
    }
    return same("few pixels are others", others, others * 200 < width * height, 1) &&
           same("edges are there", changed, changed * 20 > width * height, 1);
}

enum { BLOCK = 8, REACH = 2, REACHED = 5, PLACES = REACHED * REACHED, PAD = 11, BIT_COST = 6 };

static long blocks_down(const struct clbench *b) { return (b->size * 2 / 3 + 2) / 3 * 3; }

static long stride_of(const struct clbench *b) { return b->size * BLOCK + 2 * PAD; }

/* The frame before, and what moved since. */
static void satd_costs_prepare(struct clbench *b) {
    long width = b->size * BLOCK, height = blocks_down(b) * BLOCK, stride = stride_of(b);
    unsigned char *frame = make(b, 0, (size_t)(width * height));
    unsigned char *before = make(b, 1, (size_t)(stride * (height + 2 * PAD)));
    for (long i = 0; i < stride * (height + 2 * PAD); i++) {
        before[i] = shade_at(i % stride, i / stride);
    }
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width;
        uint32_t way = mixed_word((uint32_t)(y / 24 * 100 + x / 32));
        frame[i] = (unsigned char)(before[(y + PAD + way % 7 - 3) * stride + x + PAD + way / 7 % 7 -
                                          3] + mixed_word((uint32_t)i) % 8);
    }
    make(b, 2, (size_t)(b->size * blocks_down(b) * PLACES) * sizeof(cl_uint));
    make(b, 3, (size_t)(b->size * blocks_down(b)) * sizeof(cl_char2));
    up(b, 0), up(b, 1);
}

static void satd_costs_once(struct clbench *b) {
    cl_int stride = (cl_int)stride_of(b), pad = PAD;
    size_t across = (size_t)b->size, blocks = (size_t)blocks_down(b);
    launch(b, "satd_costs", RANGE3(across, blocks, PLACES, 5, 3, 5), B(0), B(1), V(stride), V(pad),
           B(2));
    launch(b, "cheapest_places", RANGE1(across * blocks, 0), B(2), B(3));
}

/* Hadamard's transform by its signs, first along rows and then along columns. */
static long cost_of(const unsigned char *own, long width, const unsigned char *other, long stride) {
    long half[BLOCK][BLOCK], all = 0;
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        half[i / BLOCK][i % BLOCK] = 0;
        for (int k = 0; k < BLOCK; k++) {
            long value = own[i / BLOCK * width + k] - other[i / BLOCK * stride + k];
            half[i / BLOCK][i % BLOCK] += __builtin_parity((unsigned)(k & i % BLOCK)) ? -value : value;
        }
    }
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        long sum = 0;
        for (int k = 0; k < BLOCK; k++) {
            long value = half[k][i % BLOCK];
            sum += __builtin_parity((unsigned)(k & i / BLOCK)) ? -value : value;
        }
        all += labs(sum);
    }
    return (all + 2) / 4;
}

static int satd_costs_check(struct clbench *b) {
    const unsigned char *frame = b->buffer[0].host, *before = b->buffer[1].host;
    const cl_uint *costs = b->buffer[2].host;
    const cl_char2 *ways = b->buffer[3].host;
    long width = b->size * BLOCK, stride = stride_of(b);
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size * blocks_down(b); i++) {
        long x = i % b->size * BLOCK, y = i / b->size * BLOCK, best = 0, least = LONG_MAX;
        for (long k = 0; ok && k < PLACES; k++) {
            long dx = k % REACHED - REACH, dy = k / REACHED - REACH;
            long cost = cost_of(frame + y * width + x, width,
                                before + (y + dy + PAD) * stride + x + dx + PAD, stride) +
                        BIT_COST * (labs(dx) + labs(dy));
            ok = same("cost", i * PLACES + k, costs[i * PLACES + k], cost);
            best = cost < least ? k : best, least = cost < least ? cost : least;
        }
        ok = ok && same("x", i, ways[i].s[0], best % REACHED - REACH) &&
             same("y", i, ways[i].s[1], best / REACHED - REACH);
    }
    return ok;
}

enum { FRAMES = 19, WIDE_GROUP = 11, HIGH_GROUP = 4 };
static const cl_float most_apart = 2.2f;

/* Stars over a sky that differs from night to night, and some bright points of one night alone. */
static void sigma_clip_prepare(struct clbench *b) {
    long pixels = b->size * height_of(b);
    cl_ushort *exposures = make(b, 0, (size_t)(pixels * FRAMES) * sizeof *exposures);
    cl_float *skies = make(b, 1, FRAMES * sizeof *skies);
    uint32_t state = 4603;
    for (int i = 0; i < FRAMES; i++) {
        skies[i] = (cl_float)(300 + random_word(&state) % 200);
    }
    for (long i = 0; i < pixels * FRAMES; i++) {
        uint32_t star = mixed_word((uint32_t)(i % pixels)), word = random_word(&state);
        uint32_t noise = (word & 31) + (word >> 5 & 31) + (word >> 10 & 31) + (word >> 15 & 31);
        exposures[i] = (cl_ushort)((uint32_t)skies[i / pixels] + star % 97 + noise +
                                   (star % 64 == 0 ? 5000 : 0) + (word >> 20) % 50 / 49 * 900);
    }
    make(b, 2, (size_t)pixels * sizeof(cl_float)), make(b, 3, (size_t)pixels);
    up(b, 0), up(b, 1);
}

static void sigma_clip_once(struct clbench *b) {
    cl_int frames = FRAMES, width = (cl_int)b->size, height = (cl_int)height_of(b);
    struct range range = RANGE2(round_up(width, WIDE_GROUP), round_up(height, HIGH_GROUP),
                                WIDE_GROUP, HIGH_GROUP);
    launch(b, "sigma_clip", range, B(0), B(1), V(frames), V(width), V(height), V(most_apart), B(2),
           B(3));
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean of values without those that are far away; how many there are left. */
static int clipped_mean(double *values, double *mean) {
    int count = FRAMES;
    qsort(values, FRAMES, sizeof *values, by_value);
    for (int turn = 0; turn < 5; turn++) {
        double sum = 0.0, squares = 0.0, median = values[count / 2] * 0.5;
        int left = 0;
        median += values[(count - 1) / 2] * 0.5;
        for (int i = 0; i < count; i++) {
            sum += values[i], squares += values[i] * values[i];
        }
        *mean = sum / count;
        double reach = (double)most_apart * sqrt(fmax(squares / count - *mean * *mean, 0.0));
        for (int i = 0; i < count; i++) {
            values[left] = values[i], left += fabs(values[i] - median) <= reach;
        }
        if (left == count) {
            break;
        }
        count = left;
    }
    return count;
}

/* Rounding may keep a value more or less. */
static int sigma_clip_check(struct clbench *b) {
    const cl_ushort *exposures = b->buffer[0].host;
    const cl_float *skies = b->buffer[1].host, *means = b->buffer[2].host;
    const unsigned char *kept = b->buffer[3].host;
    long pixels = b->size * height_of(b), others = 0;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < pixels; i++) {
        double values[FRAMES], mean = 0.0;
        for (long k = 0; k < FRAMES; k++) {
            values[k] = (double)exposures[k * pixels + i] - (double)skies[k];
        }
        if (clipped_mean(values, &mean) != kept[i]) {
            others++;
        } else {
            ok = near("mean", i, (double)means[i], mean, 1e-5);
        }
    }
    return ok && same("few kept others", others, others * 500 <= pixels, 1);
}

const struct workload round28_pictures_workloads[] = {
    WORKLOAD(round28_pictures, guided_filter, 61, 517, 1003, 3001),
    WORKLOAD(round28_pictures, fxaa_edges, 60, 501, 1003, 3001),
    WORKLOAD(round28_pictures, satd_costs, 10, 45, 120, 240),
    WORKLOAD(round28_pictures, sigma_clip, 51, 203, 601, 1501),
    END_OF_WORKLOADS,
};
