/* Pictures. Sizes are pixels along a side. */
#include "workloads.h"

static cl_int two_thirds(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 1); }

/* Patches of three kinds with holes, so that what hangs together is of all sizes. */
static void component_labels_prepare(struct clbench *b) {
    long width = b->size, height = two_thirds(b), pixels = width * height;
    unsigned char *picture = make(b, 0, (size_t)pixels);
    uint32_t state = 811;
    for (long at = 0; at < pixels; at++) {
        long x = at % width, y = at / width;
        double wave = sin((double)x * 0.043 + 2.0 * sin((double)y * 0.021)) + cos((double)y * 0.037 + sin((double)x * 0.012));
        picture[at] = (unsigned char)(random_word(&state) % 100 < 30 ? 0 : wave > 0.5 ? 90 : wave > -0.4 ? 1 : 200);
    }
    make(b, 1, (size_t)pixels * sizeof(cl_uint));
    make(b, 2, (size_t)pixels * sizeof(cl_uint));
    up(b, 0);
}

static void component_labels_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b);
    struct range all = RANGE2(round_up(width, 32), round_up(height, 4), 32, 4);
    launch(b, "label_start", all, B(0), V(width), V(height), B(1), B(2));
    launch(b, "label_merge", all, B(0), V(width), V(height), B(1));
    launch(b, "label_finish", all, V(width), V(height), B(1), B(2));
}

/* The part of a pixel, coloured with its first pixel's number from there on. */
static long flood(const unsigned char *picture, cl_uint *want, long *stack, long width, long height, long first) {
    long depth = 0, area = 0;
    want[first] = (cl_uint)first;
    stack[depth++] = first;
    while (depth > 0) {
        long at = stack[--depth], x = at % width, y = at / width;
        long left = x > 0 ? at - 1 : at, right = x + 1 < width ? at + 1 : at;
        long next[4] = {left, right, y > 0 ? at - width : at, y + 1 < height ? at + width : at};
        area++;
        for (int i = 0; i < 4; i++) {
            if (picture[next[i]] == picture[first] && want[next[i]] == UINT32_MAX) {
                want[next[i]] = (cl_uint)first;
                stack[depth++] = next[i];
            }
        }
    }
    return area;
}

static int component_labels_check(struct clbench *b) {
    long width = b->size, height = two_thirds(b), pixels = width * height, greatest = 0;
    const unsigned char *picture = b->buffer[0].host;
    const cl_uint *label = b->buffer[1].host, *area = b->buffer[2].host;
    cl_uint *want = malloc((size_t)pixels * sizeof *want);
    long *stack = malloc((size_t)pixels * sizeof *stack);
    int ok = 1;
    down(b, 1), down(b, 2);
    memset(want, 0xff, (size_t)pixels * sizeof *want);
    for (long at = 0; ok && at < pixels; at++) {
        long size = 0;
        if (picture[at] != 0 && want[at] == UINT32_MAX) {
            size = flood(picture, want, stack, width, height, at);
            greatest = size > greatest ? size : greatest;
        }
        ok = same("label", at, label[at], want[at]) && same("area", at, area[at], size);
    }
    free(want), free(stack);
    return ok && same("some are great", 0, greatest > width, 1);
}

/* Three fifths as wide, seven tenths as high. */
static cl_int new_width(const struct clbench *b) { return (cl_int)(b->size * 3 / 5); }
static cl_int new_height(const struct clbench *b) { return two_thirds(b) * 7 / 10; }

static void lanczos_prepare(struct clbench *b) {
    long width = b->size, height = two_thirds(b);
    unsigned char *in = make(b, 0, (size_t)(width * height) * 4);
    uint32_t state = 821;
    for (long i = 0; i < width * height * 4; i++) {
        long x = i / 4 % width, y = i / 4 / width;
        in[i] = (unsigned char)((x / 9 + y / 7 + i % 4) % 2 * 180 + (long)(random_word(&state) % 76));
    }
    make(b, 1, (size_t)(new_width(b) * height) * sizeof(cl_float4));
    make(b, 2, (size_t)new_width(b) * (size_t)new_height(b) * 4);
    up(b, 0);
}

static void lanczos_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b), across = new_width(b), along = new_height(b);
    cl_float wide = (cl_float)width / (cl_float)across, high = (cl_float)height / (cl_float)along;
    launch(b, "lanczos_rows", RANGE2(round_up(across, 16), round_up(height, 8), 16, 8), B(0), V(width), V(height), V(across),
           V(wide), B(1));
    launch(b, "lanczos_columns", RANGE2(round_up(across, 16), round_up(along, 8), 16, 8), B(1), V(across), V(height), V(along),
           V(high), B(2));
}

/* The weights of one new pixel, that of `*first` first; gives how many. */
static int weights_of(long at, double scale, double *weights, long *first) {
    double centre = ((double)at + 0.5) * scale - 0.5, pi = acos(-1.0), total = 0.0;
    int count = 0;
    *first = (long)floor(centre - 3.0 * scale);
    for (long i = *first; (double)i <= centre + 3.0 * scale; i++, count++) {
        double t = pi * ((double)i - centre) / scale;
        weights[count] = fabs(t) >= 3.0 * pi ? 0.0 : fabs(t) < 1e-9 ? 1.0 : 3.0 * sin(t) * sin(t / 3.0) / (t * t);
        total += weights[count];
    }
    for (int i = 0; i < count; i++) {
        weights[i] /= total;
    }
    return count;
}

static int lanczos_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host, *got = b->buffer[2].host;
    long width = b->size, height = two_thirds(b), across = new_width(b), along = new_height(b);
    int ok = 1;
    down(b, 2);
    for (long at = 0; ok && at < across * along * 4; at += across * along / 30000 + 1) {
        double row_weights[32], column_weights[32], sum = 0.0;
        long first_x, first_y;
        int columns = weights_of(at / 4 % across, (float)width / (float)across, row_weights, &first_x);
        int rows = weights_of(at / 4 / across, (float)height / (float)along, column_weights, &first_y);
        for (int j = 0; j < rows; j++) {
            for (int i = 0; i < columns; i++) {
                long pixel = clamped(first_y + j, height) * width + clamped(first_x + i, width);
                sum += column_weights[j] * row_weights[i] * in[pixel * 4 + at % 4];
            }
        }
        sum = fmin(255.0, fmax(0.0, sum));
        ok = fabs(got[at] - sum) < 0.52 || near("colour", at, got[at], sum, 0.0);
    }
    return ok;
}

enum { FRAMES = 5, BAND = 32, SPAN = 256 };

static cl_int rows_of(const struct clbench *b) { return (cl_int)(b->size / 3 + 2); }

static void seam_cost_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), pixels = width * height * FRAMES;
    unsigned char *grey = make(b, 0, (size_t)pixels);
    uint32_t state = 831;
    for (long i = 0; i < pixels; i++) {
        double wave = 60.0 * sin((double)(i % width) * 0.05) * cos((double)(i / width) * 0.08);
        grey[i] = (unsigned char)(100.0 + wave + random_word(&state) % 32);
    }
    make(b, 1, (size_t)pixels * sizeof(cl_int));
    make(b, 2, (size_t)pixels * sizeof(cl_int));
    make(b, 3, (size_t)height * FRAMES * sizeof(cl_int));
    up(b, 0);
}

static void seam_cost_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = rows_of(b);
    size_t groups = round_up(width, SPAN - 2 * BAND) / (SPAN - 2 * BAND);
    launch(b, "seam_energy", RANGE3(round_up(width, 64), round_up(height, 2), FRAMES, 64, 2, 1), B(0), V(width), V(height), B(1));
    for (cl_int top = 0; top < height; top += BAND) {
        launch(b, "seam_band", RANGE2(groups * SPAN, FRAMES, SPAN, 1), B(1), V(width), V(height), V(top), B(2));
    }
    launch(b, "seam_trace", RANGE1(FRAMES * SPAN, SPAN), B(2), V(width), V(height), B(3));
}

/* A frame: its costs row by row, then the way back, of equal ways the one further left. */
static int seam_of_frame(const unsigned char *grey, const cl_int *cost, const cl_int *seam, long width, long height) {
    int ok = 1;
    for (long y = 0; ok && y < height; y++) {
        for (long x = 0; ok && x < width; x++) {
            long best = y == 0 ? 0 : cost[(y - 1) * width + x];
            for (long near_x = x - 1; y > 0 && near_x <= x + 1; near_x++) {
                if (near_x >= 0 && near_x < width && cost[(y - 1) * width + near_x] < best) {
                    best = cost[(y - 1) * width + near_x];
                }
            }
            best += labs((long)grey[y * width + clamped(x + 1, width)] - grey[y * width + clamped(x - 1, width)]);
            best += labs((long)grey[clamped(y + 1, height) * width + x] - grey[clamped(y - 1, height) * width + x]);
            ok = same("cost", y * width + x, cost[y * width + x], best);
        }
    }
    long low = 0, high = width - 1;
    for (long y = height - 1; ok && y >= 0; y--) {
        long best = low;
        for (long x = low; x <= high; x++) {
            best = cost[y * width + x] < cost[y * width + best] ? x : best;
        }
        ok = same("seam", y, seam[y], best);
        low = clamped(best - 1, width), high = clamped(best + 1, width);
    }
    return ok;
}

static int seam_cost_check(struct clbench *b) {
    long width = b->size, height = rows_of(b), pixels = width * height;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long frame = 0; ok && frame < FRAMES; frame++) {
        ok = seam_of_frame((unsigned char *)b->buffer[0].host + frame * pixels, (cl_int *)b->buffer[2].host + frame * pixels,
                           (cl_int *)b->buffer[3].host + frame * height, width, height);
    }
    return ok;
}

const struct workload round8_image_workloads[] = {
    WORKLOAD(round8_image, component_labels, 107, 501, 1103, 3001),
    WORKLOAD(round8_image, lanczos, 101, 201, 403, 1201),
    WORKLOAD(round8_image, seam_cost, 203, 701, 1103, 3001),
    END_OF_WORKLOADS,
};
