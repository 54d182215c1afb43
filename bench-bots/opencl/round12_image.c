/* Pictures. Sizes are pixels along x, pixels along x, pixels and voxels along x. */
#include "workloads.h"

enum { TILE = 16, LOW = 60, HIGH = 160 };

static cl_int height_of(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 5); }

/* Weak edges along a spiral that goes on and on, with a strong point now and then; weak dots everywhere. */
static void hysteresis_prepare(struct clbench *b) {
    size_t width = (size_t)b->size, pixels = width * (size_t)height_of(b);
    unsigned char *gradients = make(b, 0, pixels);
    uint32_t state = 1251, seeds = 0;
    for (size_t i = 0; i < pixels; i++) {
        double x = (double)(i % width) - (double)width / 2.0, y = (double)(i / width) - height_of(b) / 2.0;
        double turn = sqrt(x * x + y * y) / 20.0 - atan2(y, x) / 6.283185307;
        int on = turn - floor(turn) < 0.12;
        uint32_t word = random_word(&state) % 4096;
        int seed = on && (word < 4 || (i > pixels / 2 && seeds == 0));
        gradients[i] = (unsigned char)(seed ? 250 : on ? LOW + word % 90 : word % 9 == 0 ? LOW + 3 : word % LOW);
        seeds += (uint32_t)seed;
    }
    make(b, 1, pixels), make(b, 2, pixels), make(b, 3, sizeof(cl_int)), make(b, 4, pixels);
    up(b, 0);
}

/* Two launches at a time, from one buffer of states to the other and back, until the second changes nothing. */
static void hysteresis_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), pixels = width * height, *changed = b->buffer[3].host;
    cl_uchar low = LOW, high = HIGH;
    struct range range = RANGE2(round_up(width, TILE), round_up(height, TILE), TILE, TILE);
    launch(b, "edge_sort", RANGE1(4096, 128), B(0), V(pixels), V(low), V(high), B(1));
    do {
        launch(b, "edge_grow", range, B(1), V(width), V(height), B(2), B(3));
        *changed = 0;
        up(b, 3);
        launch(b, "edge_grow", range, B(2), V(width), V(height), B(1), B(3));
        down(b, 3);
    } while (*changed);
    launch(b, "edge_mark", RANGE1(4096, 128), B(1), V(pixels), B(4));
}

/* From each strong point to all that it touches. */
static int hysteresis_check(struct clbench *b) {
    const unsigned char *gradients = b->buffer[0].host, *got = b->buffer[4].host;
    long width = b->size, height = height_of(b), count = 0, strong = 0, edges = 0;
    unsigned char *want = calloc((size_t)(width * height), 1);
    long *stack = calloc((size_t)(width * height), sizeof *stack);
    int ok = 1;
    down(b, 4);
    for (long i = 0; i < width * height; i++) {
        if (gradients[i] >= HIGH) {
            want[i] = 255;
            stack[count++] = i;
            strong++;
        }
    }
    while (count > 0) {
        long at = stack[--count];
        for (long k = 0; k < 9; k++) {
            long x = at % width + k % 3 - 1, y = at / width + k / 3 - 1;
            if (x >= 0 && x < width && y >= 0 && y < height && !want[y * width + x] && gradients[y * width + x] >= LOW) {
                want[y * width + x] = 255;
                stack[count++] = y * width + x;
            }
        }
    }
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("edge", i, got[i], want[i]);
        edges += want[i] > 0;
    }
    free(want), free(stack);
    return ok && same("edges grow", 0, edges > 4 * strong, 1);
}

enum { CELL = 8, SHADES = 16, LAYERS = 256 / SHADES + 2 };

static cl_int columns_of(const struct clbench *b) { return (cl_int)(b->size / CELL + 3); }
static cl_int rows_of(const struct clbench *b) { return height_of(b) / CELL + 3; }

/* Areas of some shade, with noise. */
static void bilateral_grid_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b), cells = (long)columns_of(b) * rows_of(b) * LAYERS;
    unsigned char *picture = make(b, 0, (size_t)(width * height));
    uint32_t state = 1261;
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width, area = (x / 41 * 7 + y / 29 * 11 + (x + y) / 90) % 5;
        picture[i] = (unsigned char)(area * 55 + random_word(&state) % 36);
    }
    make(b, 1, (size_t)cells * sizeof(cl_int2)), make(b, 2, (size_t)cells * sizeof(cl_float2));
    make(b, 3, (size_t)cells * sizeof(cl_float2)), make(b, 4, (size_t)(width * height) * sizeof(float));
    up(b, 0);
}

static void bilateral_grid_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), columns = columns_of(b), rows = rows_of(b), layers = LAYERS;
    cl_int cells = columns * rows * layers;
    launch(b, "grid_clear", RANGE1((size_t)cells * 2, 0), B(1));
    launch(b, "grid_splat", RANGE2((size_t)width, (size_t)height, 0, 0), B(0), V(width), V(columns), V(rows), B(1));
    launch(b, "grid_floats", RANGE1(round_up(cells, 128), 128), B(1), V(cells), B(2));
    for (cl_int axis = 0; axis < 3; axis++) {
        launch(b, "grid_blur", RANGE3(round_up(columns, 8), round_up(rows, 8), round_up(layers, 2), 8, 8, 2), B(2 + axis % 2),
               V(columns), V(rows), V(layers), V(axis), B(3 - axis % 2));
    }
    launch(b, "grid_slice", RANGE2(round_up(width, 32), round_up(height, 4), 32, 4), B(0), V(width), V(height), V(columns),
           V(rows), B(3), B(4));
}

/* What a cell gives to another, `off` from it along an axis. */
static double weight(long off) {
    static const double weights[3] = {6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0};
    return off > 2 || off < -2 ? 0.0 : weights[off < 0 ? -off : off];
}

/* Each pixel of some: a sum over the pixels around it, by how near their cells are. */
static int bilateral_grid_check(struct clbench *b) {
    const unsigned char *picture = b->buffer[0].host;
    const float *got = b->buffer[4].host;
    long width = b->size, height = height_of(b);
    int ok = 1;
    down(b, 4);
    for (long at = 0; ok && at < width * height; at += width * height / 400 + 1) {
        long x = at % width, y = at / width;
        double sums[2] = {0.0, 0.0};
        for (long v = y < 28 ? 0 : y - 28; v < y + 28 && v < height; v++) {
            for (long u = x < 28 ? 0 : x - 28; u < x + 28 && u < width; u++) {
                long other = picture[v * width + u], cell[3] = {(u + 4) / CELL, (v + 4) / CELL, (other + 8) / SHADES};
                double place[3] = {x / 8.0, y / 8.0, picture[at] / 16.0}, part = 1.0;
                for (int axis = 0; axis < 3; axis++) {
                    long low = (long)place[axis];
                    double share = place[axis] - (double)low;
                    part *= (1.0 - share) * weight(cell[axis] - low) + share * weight(cell[axis] - low - 1);
                }
                sums[0] += part * (double)other, sums[1] += part;
            }
        }
        ok = near("shade", at, got[at], sums[0] / sums[1], 1e-5);
    }
    return ok;
}

enum { COLOURS = 64, TOP = 4096 };

static const cl_float step = 0.7f;
static const cl_float4 eye = {{1.9f, -0.7f, 0.2f, 0.0f}}, corner = {{0.7f, 0.15f, 0.95f, 0.0f}};
static const cl_float4 right = {{-0.8f, 0.7f, 0.05f, 0.0f}}, below = {{0.15f, 0.1f, -1.05f, 0.0f}};

static cl_int voxels_along(const struct clbench *b) { return (cl_int)(b->size / 2 + 16); }

/* A ball with a hard core and holes in it, in a haze; nothing is at the sides. */
static void volume_cast_prepare(struct clbench *b) {
    long n = voxels_along(b);
    cl_short *voxels = make(b, 0, (size_t)(n * n * n) * sizeof *voxels);
    cl_float4 *colours = make(b, 1, (COLOURS + 1) * sizeof *colours);
    for (long i = 0; i < n * n * n; i++) {
        long z = i / n / n, y = i / n % n, x = i % n;
        double half = (double)n / 2.0, u = (double)x / half - 1.0, v = (double)y / half - 1.0, w = (double)z / half - 1.0;
        double value = 1.2 - sqrt(u * u + v * v + w * w) + 0.25 * sin(9.0 * u) * sin(11.0 * v) * sin(10.0 * w);
        int is_side = x < 3 || y < 3 || z < 3 || x > n - 4 || y > n - 4 || z > n - 4;
        voxels[i] = is_side || value < 0.0 ? 0 : (cl_short)(value > 1.0 ? TOP - 1 : value * (TOP - 1));
    }
    for (int i = 0; i <= COLOURS; i++) {
        float part = (float)i / COLOURS, haze = i > 12 && i < 24 ? 0.006f : 0.0f;
        colours[i] = (cl_float4){{part, 0.9f - 0.6f * part, 0.3f + 0.5f * (float)(i % 16) / 16.0f, i > 34 ? 0.25f * part : haze}};
    }
    make(b, 2, (size_t)(b->size * height_of(b)) * sizeof(cl_uchar4));
    up(b, 0), up(b, 1);
}

static cl_float4 scaled(cl_float4 from, float by) {
    return (cl_float4){{from.s[0] * by, from.s[1] * by, from.s[2] * by, 0.0f}};
}

static void volume_cast_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), n = voxels_along(b);
    cl_float4 from = scaled(eye, (float)n), to = scaled(corner, (float)n);
    cl_float4 along = scaled(right, (float)n / (float)width), down_by = scaled(below, (float)n / (float)height);
    launch(b, "volume_cast", RANGE2(round_up(width, 8), round_up(height, 8), 8, 8), B(0), V(n), B(1), V(from), V(to), V(along),
           V(down_by), V(width), V(height), V(step), B(2));
}

/* Between the eight voxels around a place. */
static double density(const cl_short *voxels, long n, const double *p) {
    double sum = 0.0;
    for (int k = 0; k < 8; k++) {
        double part = 1.0;
        long at = 0;
        for (int axis = 2; axis >= 0; axis--) {
            long low = (long)p[axis], up_by = k >> axis & 1;
            part *= up_by ? p[axis] - (double)low : 1.0 - (p[axis] - (double)low);
            at = at * n + low + up_by;
        }
        sum += part * voxels[at];
    }
    return sum;
}

/* The opacity of a place, and its colour, lit from where the ray comes. */
static double seen(const struct clbench *b, const double *p, const double *way, double *colour) {
    const cl_short *voxels = b->buffer[0].host;
    const cl_float4 *colours = b->buffer[1].host;
    long n = voxels_along(b);
    double value = density(voxels, n, p) * (COLOURS - 1) / TOP, part = value - floor(value), mixed[4], size = 0.0, light = 0.0;
    for (int k = 0; k < 4; k++) {
        mixed[k] = (1.0 - part) * colours[(int)value].s[k] + part * colours[(int)value + 1].s[k];
    }
    for (int axis = 0; mixed[3] > (double)0.01f && axis < 3; axis++) {
        double a[3] = {p[0], p[1], p[2]}, c[3] = {p[0], p[1], p[2]};
        a[axis] += 0.5, c[axis] -= 0.5;
        double slope = density(voxels, n, a) - density(voxels, n, c);
        size += slope * slope, light += slope * way[axis];
    }
    for (int k = 0; k < 3; k++) {
        colour[k] = mixed[k] * (mixed[3] > (double)0.01f ? 0.3 + 0.7 * fabs(light) / (sqrt(size) + 100.0) : 1.0);
    }
    return mixed[3];
}

static void look(const struct clbench *b, long x, long y, double *sum) {
    double n = voxels_along(b), size = 0.0, from = 0.0, to = 1e30, way[3], colour[3];
    for (int k = 0; k < 3; k++) {
        way[k] = n * (corner.s[k] + ((double)x + 0.5) / (double)b->size * right.s[k] +
                      ((double)y + 0.5) / height_of(b) * below.s[k] - eye.s[k]);
        size += way[k] * way[k];
    }
    for (int k = 0; k < 3; k++) {
        way[k] /= sqrt(size);
        double one = (1.0 - n * eye.s[k]) / way[k], other = (n - 2.0 - n * eye.s[k]) / way[k];
        from = fmax(from, fmin(one, other)), to = fmin(to, fmax(one, other));
    }
    for (double t = from; t < to && sum[3] < (double)0.98f; t += step) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = fmin(fmax(n * eye.s[k] + t * way[k], 1.0), n - 2.001);
        }
        double part = (1.0 - sum[3]) * seen(b, p, way, colour);
        for (int k = 0; k < 3; k++) {
            sum[k] += part * colour[k];
        }
        sum[3] += part;
    }
}

/* A ray may end a step sooner or later by rounding, which is worth up to 0.02 of white. */
static int volume_cast_check(struct clbench *b) {
    const cl_uchar4 *got = b->buffer[2].host;
    long off = 0, tried = 0, some = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size * height_of(b); i += b->size * height_of(b) / 20000 + 1, tried++) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        look(b, i % b->size, i / b->size, sum);
        for (int k = 0; ok && k < 4; k++) {
            double difference = fabs(got[i].s[k] - 255.0 * sum[k]);
            off += difference > 0.6;
            ok = same("close to the colour", i, difference < 6.0, 1);
        }
        some += sum[3] > 0.5;
    }
    return ok && same("most are closer", 0, off * 50 < tried, 1) && same("some see the ball", 0, some * 8 > tried, 1);
}

const struct workload round12_image_workloads[] = {
    WORKLOAD(round12_image, hysteresis, 61, 151, 401, 801),
    WORKLOAD(round12_image, bilateral_grid, 75, 701, 1501, 4001),
    WORKLOAD(round12_image, volume_cast, 31, 81, 161, 401),
    END_OF_WORKLOADS,
};
