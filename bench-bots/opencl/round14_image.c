/* Pictures. Sizes are columns of a picture, columns of four bytes, points. */
#include "workloads.h"

enum { CELL = 16, SLIC_STEPS = 3 };

static const cl_float slic_compactness = 0.25f;

struct centre {
    float light, a, b, x, y;
};
struct totals {
    cl_int light, a, b, x, y, count;
};

/* Rows of a picture, and columns and rows of cells. */
static cl_int slic_height(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 1); }
static cl_int slic_cells(long pixels) { return (cl_int)((pixels + CELL - 1) / CELL); }

static void slic_pixels_prepare(struct clbench *b) {
    long width = b->size, height = slic_height(b), cells = slic_cells(width) * slic_cells(height);
    unsigned char *picture = make(b, 0, (size_t)(width * height) * 4);
    uint32_t state = 1567;
    for (long i = 0; i < width * height * 4; i++) {
        double x = (double)(i / 4 % width), y = (double)(i / 4 / width), phase = (double)(i % 4);
        double value = 120.0 + 60.0 * sin(x * 0.05 + phase) * cos(y * 0.06 - phase);
        value += sin(x * 0.013 + y * 0.02) > 0.0 ? 35.0 : -35.0;
        picture[i] = (unsigned char)(value + (double)(random_word(&state) % 16));
    }
    make(b, 1, (size_t)cells * sizeof(struct centre)), make(b, 2, (size_t)cells * sizeof(struct totals));
    make(b, 3, (size_t)(width * height) * sizeof(cl_int));
    up(b, 0);
}

static void slic_pixels_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = slic_height(b), columns = slic_cells(width), rows = slic_cells(height);
    cl_int cells = columns * rows;
    launch(b, "slic_start", RANGE2(round_up(columns, 8), round_up(rows, 8), 8, 8), B(0), V(width), V(height), V(columns), V(rows),
           B(1), B(2));
    for (int step = 0; step < SLIC_STEPS; step++) {
        launch(b, "slic_assign", RANGE2(round_up(width, CELL), round_up(height, CELL), CELL, CELL), B(0), V(width), V(height),
               V(columns), V(rows), V(slic_compactness), B(1), B(3), B(2));
        launch(b, "slic_update", RANGE1(round_up(cells, 64), 64), V(cells), B(1), B(2));
    }
}

/* The nearest centre to a pixel, of those of the nine cells around it that there are, in whole numbers: distances in 1/256. */
static long slic_nearest(const struct clbench *b, const cl_int (*centres)[5], long x, long y) {
    const unsigned char *pixel = (const unsigned char *)b->buffer[0].host + (y * b->size + x) * 4;
    long columns = slic_cells(b->size), rows = slic_cells(slic_height(b)), best = 0, least = INT64_MAX;
    for (long i = 0; i < 9; i++) {
        long column = x / CELL + i % 3 - 1, row = y / CELL + i / 3 - 1, sum = 0;
        if (column < 0 || column >= columns || row < 0 || row >= rows) {
            continue;
        }
        for (int k = 0; k < 5; k++) {
            long value = k < 3 ? pixel[k] : k == 3 ? x : y, off = 16 * value - centres[row * columns + column][k];
            sum += (k < 3 ? 4 : 1) * off * off;
        }
        if (sum < least) {
            least = sum, best = row * columns + column;
        }
    }
    return best;
}

static int slic_pixels_check(struct clbench *b) {
    const unsigned char *picture = b->buffer[0].host;
    const struct centre *got = b->buffer[1].host;
    const cl_int *labels = b->buffer[3].host;
    long width = b->size, height = slic_height(b), columns = slic_cells(width), cells = columns * slic_cells(height), moved = 0;
    cl_int(*centres)[5] = calloc((size_t)cells, sizeof *centres);
    long(*sums)[6] = calloc((size_t)cells, sizeof *sums);
    int ok = 1;
    down(b, 1), down(b, 3);
    for (long i = 0; i < cells; i++) {
        long x = i % columns * CELL + CELL / 2, y = i / columns * CELL + CELL / 2;
        x = x < width ? x : width - 1, y = y < height ? y : height - 1;
        for (int k = 0; k < 5; k++) {
            centres[i][k] = (cl_int)(16 * (k < 3 ? picture[(y * width + x) * 4 + k] : k == 3 ? x : y));
        }
    }
    for (int step = 0; ok && step < SLIC_STEPS; step++) {
        memset(sums, 0, (size_t)cells * sizeof *sums);
        for (long i = 0; ok && i < width * height; i++) {
            long x = i % width, y = i / width, best = slic_nearest(b, centres, x, y);
            for (int k = 0; k < 6; k++) {
                sums[best][k] += k < 3 ? picture[i * 4 + k] : k == 3 ? x : k == 4 ? y : 1;
            }
            if (step == SLIC_STEPS - 1) {
                ok = same("label", i, labels[i], best);
                moved += best != y / CELL * columns + x / CELL;
            }
        }
        for (long i = 0; i < cells * 5; i++) {
            long count = sums[i / 5][5];
            if (count > 0) {
                centres[i / 5][i % 5] = (cl_int)((32 * sums[i / 5][i % 5] + count) / (2 * count));
            }
        }
    }
    for (long i = 0; ok && i < cells; i++) {
        float values[5] = {got[i].light, got[i].a, got[i].b, got[i].x, got[i].y};
        for (int k = 0; ok && k < 5; k++) {
            ok = near("centre", i * 5 + k, 16.0 * (double)values[k], centres[i][k], 0.0);
        }
    }
    free(centres), free(sums);
    return ok && same("many pixels left their cell", 0, moved > width * height / 20, 1);
}

enum { REACH = 15, WINDOW = 2 * REACH + 1, ROW_PIXELS = 256 };

static long hat_height(const struct clbench *b) { return b->size * 3 / 4 * 4 + 8; }

static void top_hat_prepare(struct clbench *b) {
    long width = b->size * 4, height = hat_height(b), bytes = width * height;
    unsigned char *picture = make(b, 0, (size_t)bytes);
    uint32_t state = 1571;
    for (long i = 0; i < bytes; i++) {
        long spot = (i % width / 9 * 7 + i / width / 11 * 5) % 13 == 0 ? 60 : 0;
        picture[i] = (unsigned char)(40 + (i % width + i / width) % 512 / 5 + spot + random_word(&state) % 24);
    }
    for (int i = 1; i < 4; i++) {
        make(b, i, (size_t)bytes);
    }
    up(b, 0);
}

static void top_hat_once(struct clbench *b) {
    cl_int quads = (cl_int)b->size, width = quads * 4, height = (cl_int)hat_height(b), sixteens = width * height / 16;
    cl_uchar lowest = 255, highest = 0;
    struct range rows = RANGE2(round_up(width, ROW_PIXELS) / 4, (size_t)height, 64, 1);
    struct range columns = RANGE2(round_up(quads, 32), round_up((height + WINDOW - 1) / WINDOW, 2), 32, 2);
    launch(b, "highest_in_rows", rows, B(0), V(width), V(lowest), B(1));
    launch(b, "highest_in_columns", columns, B(1), V(quads), V(height), V(lowest), B(2));
    launch(b, "highest_in_rows", rows, B(2), V(width), V(highest), B(1));
    launch(b, "highest_in_columns", columns, B(1), V(quads), V(height), V(highest), B(2));
    launch(b, "less_opened", RANGE1(round_up(sixteens, 64), 64), B(0), B(2), V(sixteens), B(3));
}

/* The lowest or highest pixel of each window along rows (`step` of 1) or columns. */
static void hat_pass(const unsigned char *in, long width, long height, long step, int lowest, unsigned char *out) {
    for (long i = 0; i < width * height; i++) {
        long at = step == 1 ? i % width : i / width, count = step == 1 ? width : height;
        int best = in[i];
        for (long k = -REACH; k <= REACH; k++) {
            if (at + k >= 0 && at + k < count) {
                int value = in[i + k * step];
                best = (lowest ? value < best : value > best) ? value : best;
            }
        }
        out[i] = (unsigned char)best;
    }
}

static int top_hat_check(struct clbench *b) {
    const unsigned char *picture = b->buffer[0].host, *got = b->buffer[3].host;
    long width = b->size * 4, height = hat_height(b), bytes = width * height, bright = 0;
    unsigned char *one = calloc(2, (size_t)bytes), *other = one + bytes;
    int ok = 1;
    down(b, 3);
    hat_pass(picture, width, height, 1, 1, one);
    hat_pass(one, width, height, width, 1, other);
    hat_pass(other, width, height, 1, 0, one);
    hat_pass(one, width, height, width, 0, other);
    for (long i = 0; ok && i < bytes; i++) {
        ok = same("pixel", i, got[i], picture[i] - other[i]);
        bright += got[i] > 50;
    }
    free(one);
    return ok && same("some are bright", 0, bright > 0 && bright < bytes / 2, 1);
}

enum { DESCRIBED = 300, SAMPLES = 16, BINS = 128 };

static const double pi = 3.14159265358979323846;

static long described_height(void) { return DESCRIBED * 3 / 4; }

static void sift_describe_prepare(struct clbench *b) {
    long height = described_height(), pixels = DESCRIBED * height;
    float *picture = make(b, 0, (size_t)pixels * sizeof *picture), *points = make(b, 2, (size_t)b->size * sizeof(cl_float4));
    uint32_t state = 1579;
    for (long i = 0; i < pixels; i++) {
        double x = (double)(i % DESCRIBED), y = (double)(i / DESCRIBED);
        double value = sin(x * 0.21 + 2.0 * sin(y * 0.07)) + cos(y * 0.17 - x * 0.05) + 0.5 * sin(x * y * 0.003);
        picture[i] = (float)value + 0.2f * random_unit(&state);
    }
    for (long i = 0; i < b->size; i++) {
        points[4 * i] = random_unit(&state) * (float)DESCRIBED, points[4 * i + 1] = random_unit(&state) * (float)height;
        points[4 * i + 2] = 0.5f + random_unit(&state), points[4 * i + 3] = (random_unit(&state) - 0.5f) * 6.28f;
    }
    make(b, 1, (size_t)pixels * sizeof(cl_float2)), make(b, 3, (size_t)b->size * BINS);
    up(b, 0), up(b, 2);
}

static void sift_describe_once(struct clbench *b) {
    cl_int width = DESCRIBED, height = (cl_int)described_height();
    launch(b, "slopes", RANGE2(round_up(width, 32), round_up(height, 4), 32, 4), B(0), V(width), V(height), B(1));
    launch(b, "describe_points", RANGE1((size_t)b->size * 64, 64), B(1), V(width), V(height), B(2), B(3));
}

static double picture_slope(const float *picture, long x, long y, int down) {
    long height = described_height(), step = down ? DESCRIBED : 1, at = y * DESCRIBED + x;
    int first = down ? y == 0 : x == 0, last = down ? y == height - 1 : x == DESCRIBED - 1;
    return (double)picture[last ? at : at + step] - (double)picture[first ? at : at - step];
}

/* A slope between the four pixels around a place. */
static double slope_between(const float *picture, double x, double y, int down) {
    double width = DESCRIBED, height = (double)described_height(), sum = 0.0;
    x = fmin(fmax(x, 0.0), width - 1.0), y = fmin(fmax(y, 0.0), height - 1.0);
    long left = (long)fmin(x, width - 2.0), top = (long)fmin(y, height - 2.0);
    for (long i = 0; i < 4; i++) {
        double weight = (1.0 - fabs(x - (double)(left + i % 2))) * (1.0 - fabs(y - (double)(top + i / 2)));
        sum += weight * picture_slope(picture, left + i % 2, top + i / 2, down);
    }
    return sum;
}

/* The bins of a point: what each sample is worth to each of them, which is nothing for most. */
static void describe(const float *picture, const float *point, double *bins) {
    double scale = (double)point[2], sine = sin((double)point[3]), cosine = cos((double)point[3]);
    memset(bins, 0, BINS * sizeof *bins);
    for (int sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        double u = sample % SAMPLES - 7.5, v = sample / SAMPLES - 7.5;
        double x = (double)point[0] + scale * (cosine * u - sine * v), y = (double)point[1] + scale * (sine * u + cosine * v);
        double gx = slope_between(picture, x, y, 0), gy = slope_between(picture, x, y, 1);
        double size = sqrt(gx * gx + gy * gy) * exp(-(u * u + v * v) / 128.0);
        double angle = fmod(atan2(gy, gx) - (double)point[3] + 5.0 * pi, 2.0 * pi) * 4.0 / pi;
        for (int i = 0; i < BINS; i++) {
            double column = fabs(u / 4.0 + 1.5 - i / 8 % 4), row = fabs(v / 4.0 + 1.5 - i / 32), off = fabs(angle - i % 8);
            off = fmin(off, 8.0 - off);
            if (column < 1.0 && row < 1.0 && off < 1.0) {
                bins[i] += size * (1.0 - column) * (1.0 - row) * (1.0 - off);
            }
        }
    }
}

static int sift_describe_check(struct clbench *b) {
    const float *picture = b->buffer[0].host, *points = b->buffer[2].host;
    const unsigned char *got = b->buffer[3].host;
    double bins[BINS];
    int ok = 1;
    down(b, 3);
    for (long id = 0; ok && id < b->size; id += b->size / 3000 + 1) {
        describe(picture, points + 4 * id, bins);
        for (int round = 0; round < 2; round++) {
            double square = 0.0;
            for (int i = 0; i < BINS; i++) {
                square += bins[i] * bins[i];
            }
            for (int i = 0; i < BINS; i++) {
                bins[i] = bins[i] / sqrt(square);
                bins[i] = round == 0 ? fmin(bins[i], 0.2) : fmin(bins[i] * 512.0, 255.0);
            }
        }
        for (int i = 0; ok && i < BINS; i++) {
            ok = near("byte in 64 parts", id * BINS + i, got[id * BINS + i] / 64.0, bins[i] / 64.0, 0.01);
        }
    }
    return ok;
}

const struct workload round14_image_workloads[] = {
    WORKLOAD(round14_image, slic_pixels, 61, 301, 1001, 5001),
    WORKLOAD(round14_image, top_hat, 23, 253, 703, 2003),
    WORKLOAD(round14_image, sift_describe, 21, 151, 2001, 30011),
    END_OF_WORKLOADS,
};
