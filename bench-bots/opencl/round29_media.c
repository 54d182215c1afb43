/* Media. Sizes are pixels of a row, blocks. */
#include "workloads.h"

enum { TILE = 16 };

static const cl_image_format of_floats = {CL_RGBA, CL_FLOAT};

static long height_of(const struct clbench *b) { return b->size * 5 / 8; }

/* Makes buffer `i` an image, whose elements are the buffer's on the host. */
static float *make_image(struct clbench *b, int i, long width, long height) {
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = (size_t)width,
        .image_height = (size_t)height};
    float *host = make(b, i, (size_t)(width * height) * sizeof(cl_float4));
    cl_int code;
    clReleaseMemObject(b->buffer[i].device);
    b->buffer[i].device = clCreateImage(b->context, CL_MEM_READ_WRITE, &of_floats, &desc, NULL, &code);
    cl_need(code, "clCreateImage");
    return host;
}

/* A floor that goes through the focus, a disc in front of it, and lamps. */
static void bokeh_gather_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b);
    size_t origin[3] = {0, 0, 0}, region[3] = {(size_t)width, (size_t)height, 1};
    float *picture = make_image(b, 0, width, height);
    for (long i = 0; i < width * height; i++) {
        double x = (double)(i % width) / (double)width, y = (double)(i / width) / (double)width;
        double is_dark = ((long)(x * 24.0) + (long)(y * 24.0)) % 2 ? 0.2 : 1.0;
        double blur = 6.0 * pow(fmax(fabs(y - 0.35) - fmax(0.08, 30.0 / (double)width), 0.0) / 0.25, 1.2);
        blur = hypot(x - 0.7, y - 0.4) < 0.12 ? -5.0 - 8.0 * (x - 0.7) : blur;
        for (int k = 0; k < 3; k++) {
            picture[4 * i + k] = (float)(is_dark * (0.3 + 0.2 * k) * (1.0 - x) + 0.1);
            picture[4 * i + k] += mixed_word((uint32_t)(i / 2)) % 300 == 0 ? 6.0f : 0.0f;
        }
        picture[4 * i + 3] = (float)blur;
    }
    make_image(b, 1, width, height);
    make(b, 2, round_up(width, TILE) / TILE * (round_up(height, TILE) / TILE) * sizeof(cl_float));
    cl_need(clEnqueueWriteImage(b->queue, b->buffer[0].device, CL_TRUE, origin, region, 0, 0, picture, 0, NULL, NULL),
            "clEnqueueWriteImage");
}

static void bokeh_gather_once(struct clbench *b) {
    struct range range = RANGE2(round_up(b->size, TILE), round_up(height_of(b), TILE), TILE, TILE);
    launch(b, "widest_blur", range, B(0), B(2));
    launch(b, "bokeh_gather", range, B(0), B(2), B(1));
}

/* What a picture has at a place between its pixels. */
static void seen_at(const struct clbench *b, double x, double y, double seen[4]) {
    const float *picture = b->buffer[0].host;
    double left = floor(x - 0.5), top = floor(y - 0.5);
    seen[0] = seen[1] = seen[2] = seen[3] = 0.0;
    for (int i = 0; i < 16; i++) {
        long at_x = clamped((long)left + i % 2, b->size), at_y = clamped((long)top + i / 2 % 2, height_of(b));
        double weight = (i % 2 ? x - 0.5 - left : left + 1.5 - x) * (i / 2 % 2 ? y - 0.5 - top : top + 1.5 - y);
        seen[i / 4] += weight * (double)picture[4 * (at_y * b->size + at_x) + i / 4];
    }
}

/* The widest blur of a tile and of those around it. */
static float widest_near(const struct clbench *b, long x, long y) {
    const float *picture = b->buffer[0].host;
    long first_x = (x / TILE - 1) * TILE, first_y = (y / TILE - 1) * TILE;
    float widest = 0.0f;
    for (long i = 0; i < 9 * TILE * TILE; i++) {
        long at_x = first_x + i % (3 * TILE), at_y = first_y + i / (3 * TILE);
        if (at_x >= 0 && at_y >= 0 && at_x < b->size && at_y < height_of(b)) {
            widest = fmaxf(widest, fabsf(picture[4 * (at_y * b->size + at_x) + 3]));
        }
    }
    return widest;
}

static void gathered(const struct clbench *b, long x, long y, float widest, double want[4]) {
    const float *own = (const float *)b->buffer[0].host + 4 * (y * b->size + x);
    double all = 1.0 / (1.0 + (double)own[3] * (double)own[3]), golden = acos(-1.0) * (3.0 - sqrt(5.0)), tap[4];
    int taps = (int)(widest * widest);
    taps = taps < 8 ? 8 : taps > 96 ? 96 : taps;
    for (int k = 0; k < 3; k++) {
        want[k] = all * (double)own[k];
    }
    for (int i = 0; i < taps; i++) {
        double far = (double)widest * sqrt((i + 0.5) / taps);
        seen_at(b, (double)x + 0.5 + far * cos(i * golden), (double)y + 0.5 + far * sin(i * golden), tap);
        double blur = tap[3] < 0.0 ? -tap[3] : fmin(tap[3], 1.5 * fabs((double)own[3]) + 0.5);
        double share = fmin(fmax(blur - far + 1.0, 0.0), 1.0) / (1.0 + blur * blur);
        all += share;
        for (int k = 0; k < 3; k++) {
            want[k] += share * tap[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        want[k] /= all;
    }
}

static int bokeh_gather_check(struct clbench *b) {
    const float *picture = b->buffer[0].host;
    float *got = b->buffer[1].host;
    long width = b->size, height = height_of(b), sharp = 0, seen = 0;
    size_t origin[3] = {0, 0, 0}, region[3] = {(size_t)width, (size_t)height, 1};
    int ok = 1;
    cl_need(clEnqueueReadImage(b->queue, b->buffer[1].device, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL),
            "clEnqueueReadImage");
    for (long i = 0; ok && i < width * height; i += 13, seen++) {
        float widest = widest_near(b, i % width, i / width);
        double want[4] = {0.0};
        gathered(b, i % width, i / width, widest, want);
        sharp += widest < 0.5f;
        for (int k = 0; ok && k < 4; k++) {
            ok = near("colour", 4 * i + k, (double)got[4 * i + k],
                      widest < 0.5f || k == 3 ? (double)picture[4 * i + k] : want[k], 1e-3);
        }
    }
    return ok && same("a part is sharp", 0, sharp * 100 > seen && sharp * 2 < seen, 1);
}

enum { SIDE = 32, TOGETHER = 2, ACROSS = 24 };

/* As the kernel has it. */
struct block {
    cl_ushort x, y;
    cl_uchar rows, columns;
    cl_ushort unused;
};

static long stride_of(void) { return ACROSS * SIDE; }

/* Blocks in another order than their places, most of them with few coefficients. */
static void inverse_dct32_prepare(struct clbench *b) {
    long down_blocks = (b->size + ACROSS - 1) / ACROSS, bytes = down_blocks * SIDE * stride_of();
    struct block *blocks = make(b, 0, (size_t)b->size * sizeof *blocks);
    cl_short *coefficients = make(b, 1, (size_t)(b->size * SIDE * SIDE) * sizeof *coefficients);
    unsigned char *predicted = make(b, 2, (size_t)bytes);
    uint32_t state = 4787;
    for (long i = 0; i < b->size; i++) {
        long place = b->size % 7 ? i * 7 % b->size : i;
        uint32_t word = random_word(&state) >> 8, most = word % 4 == 0 ? 32 : 12;
        blocks[i].x = (cl_ushort)(place % ACROSS * SIDE), blocks[i].y = (cl_ushort)(place / ACROSS * SIDE);
        blocks[i].rows = (cl_uchar)(word % 11 == 0 ? 0 : 1 + (word >> 4) % most);
        blocks[i].columns = (cl_uchar)(word % 11 == 0 ? 0 : 1 + (word >> 12) % most);
        for (long k = 0; k < SIDE * SIDE; k++) {
            long row = k / SIDE, column = k % SIDE, wide = 4000 / (1 + row * row + column * column) + 60;
            if (row < blocks[i].rows && column < blocks[i].columns) {
                coefficients[i * SIDE * SIDE + k] = (cl_short)((long)(random_word(&state) >> 8) % (2 * wide) - wide);
            }
        }
    }
    for (long i = 0; i < bytes; i++) {
        predicted[i] = (unsigned char)(random_word(&state) >> 24);
    }
    make(b, 3, (size_t)bytes);
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void inverse_dct32_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, stride = (cl_int)stride_of();
    launch(b, "inverse_dct32", RANGE2(SIDE, round_up(b->size, TOGETHER), SIDE, TOGETHER), B(0), V(count), B(1), B(2),
           B(3), V(stride));
}

/* How much of a coefficient is in a place, by the sign and the size of its cosine. */
static long in_place(long k, long place) {
    static const signed char sizes[33] = {64, 90, 90, 90, 89, 88, 87, 85, 83, 82, 80, 78, 75, 73, 70, 67, 64,
        61, 57, 54, 50, 46, 43, 38, 36, 31, 25, 22, 18, 13, 9, 4, 0};
    long angle = k * (2 * place + 1) % 128;
    angle = angle > 64 ? 128 - angle : angle;
    return angle > 32 ? -sizes[64 - angle] : sizes[angle];
}

static void restored(const cl_short *coefficients, long rest[SIDE][SIDE]) {
    long half[SIDE][SIDE];
    for (long i = 0; i < SIDE * SIDE; i++) {
        long y = i / SIDE, x = i % SIDE, sum = 64;
        for (long k = 0; k < SIDE; k++) {
            sum += in_place(k, y) * coefficients[k * SIDE + x];
        }
        sum >>= 7;
        half[y][x] = sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum;
    }
    for (long i = 0; i < SIDE * SIDE; i++) {
        long y = i / SIDE, x = i % SIDE, sum = 2048;
        for (long k = 0; k < SIDE; k++) {
            sum += in_place(k, x) * half[y][k];
        }
        rest[y][x] = sum >> 12;
    }
}

static int inverse_dct32_check(struct clbench *b) {
    const struct block *blocks = b->buffer[0].host;
    const cl_short *coefficients = b->buffer[1].host;
    const unsigned char *predicted = b->buffer[2].host, *picture = b->buffer[3].host;
    long rest[SIDE][SIDE];
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i++) {
        restored(coefficients + i * SIDE * SIDE, rest);
        for (long k = 0; ok && k < SIDE * SIDE; k++) {
            long at = (blocks[i].y + k / SIDE) * stride_of() + blocks[i].x + k % SIDE;
            ok = same("pixel", at, picture[at], clamped(predicted[at] + rest[k / SIDE][k % SIDE], 256));
        }
    }
    return ok;
}

const struct workload round29_media_workloads[] = {
    WORKLOAD(round29_media, bokeh_gather, 181, 269, 601, 1201),
    WORKLOAD(round29_media, inverse_dct32, 37, 1201, 5003, 20011),
    END_OF_WORKLOADS,
};
