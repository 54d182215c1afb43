/* Pictures. Sizes are pixels along a side. */
#include "workloads.h"

enum { STEPS = 4, REACH = 3 };

static const cl_float enough = 0.05f;

static cl_int two_thirds(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 1); }
/* Waves, stripes and smooth ground. */
static unsigned char scene(double x, double y) {
    double strength = fmin(1.0, fmax(0.0, 1.5 * sin(x / 37.0) + cos(y / 29.0) + 0.6));
    return (unsigned char)(128.5 + strength * (50.0 * sin(0.43 * x + 0.12 * y) + 45.0 * sin(0.09 * x - 0.51 * y)));
}

static void lucas_kanade_prepare(struct clbench *b) {
    long width = b->size, height = two_thirds(b);
    unsigned char *before = make(b, 0, (size_t)(width * height)), *after = make(b, 1, (size_t)(width * height));
    for (long at = 0; at < width * height; at++) {
        double x = (double)(at % width), y = (double)(at / width);
        before[at] = scene(x, y);
        after[at] = scene(x - 1.3 * sin(y / 40.0), y - 0.9 * cos(x / 50.0));
    }
    make(b, 2, (size_t)(width * height) * sizeof(cl_float2));
    up(b, 0), up(b, 1);
}

static void lucas_kanade_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b), steps = STEPS;
    launch(b, "lucas_kanade", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), B(0), B(1), V(width), V(height),
           V(steps), V(enough), B(2));
}

static double pixel_of(const struct clbench *b, int buffer, long x, long y) {
    return ((unsigned char *)b->buffer[buffer].host)[clamped(y, two_thirds(b)) * b->size + clamped(x, b->size)];
}

/* The second frame between its pixels, as a sum of tents. */
static double tents(const struct clbench *b, double x, double y) {
    double sum = 0.0;
    x = fmin((double)b->size - 1.0, fmax(0.0, x)), y = fmin((double)two_thirds(b) - 1.0, fmax(0.0, y));
    for (long j = (long)y; j <= (long)y + 1; j++) {
        for (long i = (long)x; i <= (long)x + 1; i++) {
            sum += (1.0 - fabs(x - (double)i)) * (1.0 - fabs(y - (double)j)) * pixel_of(b, 1, i, j);
        }
    }
    return sum;
}

/* Whether the flow of a pixel can be told: not where a decision is too near to call. */
static int flow_of(const struct clbench *b, long x, long y, double *shift) {
    double xx = 0.0, xy = 0.0, yy = 0.0, change_x = 1.0, change_y = 1.0;
    shift[0] = shift[1] = 0.0;
    for (int step = -1; step < STEPS; step++) {
        double pull_x = 0.0, pull_y = 0.0;
        for (long v = y - REACH; v <= y + REACH; v++) {
            for (long u = x - REACH; u <= x + REACH; u++) {
                double gx = (pixel_of(b, 0, u + 1, v) - pixel_of(b, 0, u - 1, v)) / 2.0;
                double gy = (pixel_of(b, 0, u, v + 1) - pixel_of(b, 0, u, v - 1)) / 2.0;
                if (step < 0) {
                    xx += gx * gx, xy += gx * gy, yy += gy * gy;
                } else {
                    double error = pixel_of(b, 0, u, v) - tents(b, (double)u + shift[0], (double)v + shift[1]);
                    pull_x += error * gx, pull_y += error * gy;
                }
            }
        }
        double determinant = xx * yy - xy * xy, limit = 0.02 * (xx + yy) * (xx + yy);
        if (step < 0) {
            if (xx + yy <= 800.0 || determinant < 0.999 * limit) {
                return 1;
            }
            if (determinant < 1.001 * limit) {
                return 0;
            }
            continue;
        }
        change_x = (yy * pull_x - xy * pull_y) / determinant, change_y = (xx * pull_y - xy * pull_x) / determinant;
        shift[0] += change_x, shift[1] += change_y;
        double part = (change_x * change_x + change_y * change_y) / (enough * enough);
        if (step < STEPS - 1 && fabs(part - 1.0) < 0.1) {
            return 0;
        }
        if (part < 1.0) {
            return 1;
        }
    }
    return 1;
}

/* What rounding can do: 255 * 3 * 2^-24 to a grey value, and that divided by the least eigenvalue's part of the gradient, which is
 * at least 0.02 of four. The tensor itself is exact in floats. */
static int lucas_kanade_check(struct clbench *b) {
    long width = b->size, pixels = width * two_thirds(b), unclear = 0, moving = 0;
    const cl_float2 *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long at = 0; ok && at < pixels; at++) {
        double want[2];
        if (!flow_of(b, at % width, at / width, want)) {
            unclear++;
            continue;
        }
        moving += want[0] != 0.0;
        for (int axis = 0; ok && axis < 2; axis++) {
            ok = near("flow", at * 2 + axis, got[at].s[axis], want[axis], 1e-3);
        }
    }
    return ok && same("most are clear", 0, unclear * 8 < pixels, 1) && same("some move", 0, moving * 8 > pixels, 1);
}

enum { DISPARITIES = 32, WIDE = 4, HIGH = 3 };

/* The right picture is the left one, moved by what its row and column say, with noise. */
static void census_stereo_prepare(struct clbench *b) {
    long width = b->size, height = two_thirds(b), pixels = width * height;
    unsigned char *left = make(b, 0, (size_t)pixels * 2), *right = left + pixels;
    uint32_t state = 911;
    for (long at = 0; at < pixels; at++) {
        left[at] = (unsigned char)(random_word(&state) % 190 + (at / width / 11 + at % width / 13) % 2 * 60);
    }
    for (long at = 0; at < pixels; at++) {
        long x = at % width + 2 + at / width % 64 / 4 + at % width / 40 % 3 * 5;
        right[at] = (unsigned char)(left[at / width * width + clamped(x, width)] + random_word(&state) % 6);
    }
    make(b, 1, (size_t)pixels * sizeof(cl_ulong) * 2);
    make(b, 2, (size_t)pixels * sizeof(cl_short));
    up(b, 0);
}

static void census_stereo_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b);
    launch(b, "census_bits", RANGE3(round_up(width, 32), round_up(height, 8), 2, 32, 8, 1), B(0), V(width), V(height), B(1));
    launch(b, "stereo_match", RANGE2(round_up(width, 64), round_up(height, 4), 64, 4), B(1), V(width), V(height), B(2));
}

/* How many of the window's pixels are darker than the centre in one picture only. */
static long census_distance(const struct clbench *b, long x, long y, long d) {
    const unsigned char *left = b->buffer[0].host, *right = left + b->size * two_thirds(b);
    long width = b->size, at = y * width + x, sum = 0;
    int zero[2] = {x < WIDE || y < HIGH || x >= width - WIDE || y >= two_thirds(b) - HIGH, x - d < WIDE};
    for (long j = -HIGH; j <= HIGH; j++) {
        for (long i = -WIDE; i <= WIDE; i++) {
            long to = at + j * width + i;
            int in_left = !zero[0] && left[to] < left[at];
            int in_right = !zero[0] && !zero[1] && right[to - d] < right[at - d];
            sum += in_left != in_right;
        }
    }
    return sum;
}

static long disparity_of(const struct clbench *b, long x, long y) {
    long cost[DISPARITIES] = {0}, best = 0, others = 1L << 30;
    if (x < WIDE + DISPARITIES || x >= b->size - WIDE - 1 || y <= HIGH || y >= two_thirds(b) - HIGH - 1) {
        return -1;
    }
    for (long d = 0; d < DISPARITIES; d++) {
        for (long i = 0; i < 9; i++) {
            cost[d] += census_distance(b, x + i % 3 - 1, y + i / 3 - 1, d);
        }
        best = cost[d] < cost[best] ? d : best;
    }
    for (long d = 0; d < DISPARITIES; d++) {
        if ((d < best - 1 || d > best + 1) && cost[d] < others) {
            others = cost[d];
        }
    }
    if (10 * cost[best] > 9 * others) {
        return -1;
    }
    if (best == 0 || best == DISPARITIES - 1 || cost[best - 1] + cost[best + 1] <= 2 * cost[best]) {
        return 16 * best;
    }
    return 16 * best + 8 * (cost[best - 1] - cost[best + 1]) / (cost[best - 1] + cost[best + 1] - 2 * cost[best]);
}

static int census_stereo_check(struct clbench *b) {
    long width = b->size, pixels = width * two_thirds(b), sure = 0, tried = 0;
    const cl_short *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long at = 0; ok && at < pixels; at += pixels / 5000 + 1, tried++) {
        long want = disparity_of(b, at % width, at / width);
        sure += want >= 0;
        ok = same("disparity", at, got[at], want);
    }
    return ok && same("some are sure", 0, sure * 5 > tried && sure < tried, 1);
}

enum { LAYERS = 9, MODES = 5 };

struct layer {
    cl_int left, top, width, height, first, mode;
    cl_float opacity;
    cl_int visible;
};

static void over_layers_prepare(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b), first = 0;
    struct layer *layers = make(b, 1, LAYERS * sizeof *layers);
    uint32_t state = 921;
    for (int i = 0; i < LAYERS; i++) {
        cl_int part = width / 4 + (cl_int)(random_word(&state) % (uint32_t)width) * 3 / 4;
        layers[i] = (struct layer){.left = (cl_int)(random_word(&state) % (uint32_t)width) - width / 4,
                                   .top = (cl_int)(random_word(&state) % (uint32_t)height) - height / 4,
                                   .width = part, .height = part * 3 / 4, .first = first, .mode = i % MODES,
                                   .opacity = 0.3f + 0.7f * random_unit(&state), .visible = i != 6};
        first += layers[i].width * layers[i].height;
    }
    unsigned char *pixels = make(b, 0, (size_t)first * 4);
    for (cl_int i = 0; i < first * 4; i++) {
        cl_int edge = i / 4 / 16 % 3;
        pixels[i] = (unsigned char)(i % 4 < 3 ? random_word(&state) : edge == 0 ? 0 : edge == 1 ? 255 : random_word(&state));
    }
    make(b, 2, (size_t)width * (size_t)height * 4);
    up(b, 0), up(b, 1);
}

static const cl_uchar4 paper = {{250, 240, 200, 255}};

static void over_layers_once(struct clbench *b) {
    cl_int count = LAYERS;
    launch(b, "over_layers", RANGE2((size_t)b->size, (size_t)two_thirds(b), 0, 0), B(0), B(1), V(count), V(paper), B(2));
}

static double blend(int mode, double above, double below) {
    switch (mode) {
    case 1:
        return above * below;
    case 2:
        return 1.0 - (1.0 - above) * (1.0 - below);
    case 3:
        return below < 0.5 ? 2.0 * above * below : 1.0 - 2.0 * (1.0 - above) * (1.0 - below);
    case 4:
        return above < below ? above : below;
    default:
        return above;
    }
}

/* A byte is what is nearest, or its neighbour where nine layers' rounding, 255 * 9 * 3 * 2^-24, makes the difference. */
static int over_layers_check(struct clbench *b) {
    const unsigned char *pixels = b->buffer[0].host, *got = b->buffer[2].host;
    const struct layer *layers = b->buffer[1].host;
    long width = b->size;
    int ok = 1;
    down(b, 2);
    for (long at = 0; ok && at < width * two_thirds(b) * 4; at++) {
        long part = at % 4, x = at / 4 % width, y = at / 4 / width;
        double want = part == 3 ? 1.0 : paper.s[part] / 255.0;
        for (int i = 0; part < 3 && i < LAYERS; i++) {
            const struct layer *l = &layers[i];
            if (l->visible && x >= l->left && x < l->left + l->width && y >= l->top && y < l->top + l->height) {
                const unsigned char *pixel = pixels + 4 * (l->first + (y - l->top) * l->width + x - l->left);
                double alpha = pixel[3] / 255.0 * l->opacity;
                want = (1.0 - alpha) * want + alpha * blend(l->mode, pixel[part] / 255.0, want);
            }
        }
        ok = fabs(got[at] - 255.0 * want) < 0.501 || near("colour", at, got[at], 255.0 * want, 0.0);
    }
    return ok;
}

const struct workload round9_image_workloads[] = {
    WORKLOAD(round9_image, lucas_kanade, 61, 203, 403, 1201),
    WORKLOAD(round9_image, census_stereo, 75, 243, 507, 1603),
    WORKLOAD(round9_image, over_layers, 90, 701, 1303, 4001),
    END_OF_WORKLOADS,
};
