/* Pictures of bytes, and a board of them. Sizes are pixels along a side. */
#include "workloads.h"

/* A picture of waves with some noise, of `channels` bytes a pixel. */
static void fill_picture(unsigned char *to, long width, long height, int channels, uint32_t seed) {
    for (long i = 0; i < width * height * channels; i++) {
        double x = (double)(i / channels % width), y = (double)(i / channels / width), channel = (double)(i % channels);
        double wave = 70.0 * sin(x / (19.0 + channel)) * cos(y / 23.0), bar = sin((x + 2.0 * y) / 31.0) > 0.4 ? 50.0 : 0.0;
        to[i] = (unsigned char)(100.0 + wave + bar + 20.0 * random_unit(&seed));
    }
}

/* The picture is a little lower than wide. */
static cl_int picture_height(const struct clbench *b) { return (cl_int)(b->size - b->size / 4); }

enum { RADIUS = 3 };
static const float by_distance = 0.09f, by_colour = 0.0011f;

static void bilateral_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * picture_height(b)) * 4;
    fill_picture(make(b, 0, bytes), b->size, picture_height(b), 4, 401);
    make(b, 1, bytes);
    up(b, 0);
}

static void bilateral_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = picture_height(b);
    launch(b, "bilateral", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), V(width), V(height), V(by_distance),
           V(by_colour), B(0), B(1));
}

/* Every third pixel. */
static int bilateral_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host, *got = b->buffer[1].host;
    long width = b->size, height = picture_height(b);
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < width * height; at += 3) {
        const unsigned char *centre = in + 4 * at;
        double sum[3] = {0.0, 0.0, 0.0}, weights = 0.0;
        for (long dy = -RADIUS; dy <= RADIUS; dy++) {
            for (long dx = -RADIUS; dx <= RADIUS; dx++) {
                const unsigned char *there =
                    in + 4 * (clamped(at / width + dy, height) * width + clamped(at % width + dx, width));
                double away = 0.0;
                for (int c = 0; c < 3; c++) {
                    away += (there[c] - centre[c]) * (there[c] - centre[c]);
                }
                double weight = exp(-(double)(dx * dx + dy * dy) * by_distance - away * by_colour);
                weights += weight;
                for (int c = 0; c < 3; c++) {
                    sum[c] += weight * there[c];
                }
            }
        }
        for (int c = 0; ok && c < 3; c++) {
            /* The nearest whole number, but for rounding before. */
            double value = sum[c] / weights;
            ok = fabs(got[4 * at + c] - value) < 0.51 || same("colour", 4 * at + c, got[4 * at + c], lrint(value));
        }
        ok = ok && same("opacity", at, got[4 * at + 3], centre[3]);
    }
    return ok;
}

static const cl_ushort low = 70, high = 160;

/* Rows begin at multiples of 32 bytes. */
static cl_int pitch_of(const struct clbench *b) { return (cl_int)round_up(b->size, 32); }

static void edge_thin_prepare(struct clbench *b) {
    size_t pixels = (size_t)pitch_of(b) * (size_t)picture_height(b);
    fill_picture(make(b, 0, pixels), pitch_of(b), picture_height(b), 1, 402);
    make(b, 1, pixels * sizeof(cl_ushort));
    make(b, 2, pixels);
    make(b, 3, pixels);
    up(b, 0);
}

static void edge_thin_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = picture_height(b), pitch = pitch_of(b);
    struct range range = RANGE2(round_up(width, 32), round_up(height, 8), 32, 8);
    launch(b, "gradient", range, V(width), V(height), V(pitch), B(0), B(1), B(2));
    launch(b, "edge_thin", range, V(width), V(height), V(pitch), V(low), V(high), B(1), B(2), B(3));
}

struct slope {
    int x, y;
};

static struct slope slope_at(struct clbench *b, long x, long y) {
    struct slope slope = {0, 0};
    const unsigned char *in = b->buffer[0].host;
    if (x == 0 || y == 0 || x == b->size - 1 || y == picture_height(b) - 1) {
        return slope;
    }
    for (int k = 0; k < 9; k++) {
        int dx = k % 3 - 1, dy = k / 3 - 1, value = in[(y + dy) * pitch_of(b) + x + dx];
        slope.x += dx * (2 - abs(dy)) * value;
        slope.y += dy * (2 - abs(dx)) * value;
    }
    return slope;
}

static int strength_at(struct clbench *b, long x, long y) {
    struct slope slope = slope_at(b, x, y);
    return abs(slope.x) + abs(slope.y);
}

static int edge_at(struct clbench *b, long x, long y) {
    struct slope slope = slope_at(b, x, y);
    int strength = abs(slope.x) + abs(slope.y), dx = 1, dy = 1;
    if (strength <= low) {
        return 0;
    }
    if (abs(slope.y) * 128 < abs(slope.x) * 53) {
        dy = 0;
    } else if (abs(slope.x) * 128 < abs(slope.y) * 53) {
        dx = 0;
    } else if ((slope.x < 0) != (slope.y < 0)) {
        dy = -1;
    }
    int greatest = strength >= strength_at(b, x + dx, y + dy) && strength > strength_at(b, x - dx, y - dy);
    return !greatest ? 0 : strength > high ? 255 : 128;
}

static int edge_thin_check(struct clbench *b) {
    const unsigned char *got = b->buffer[3].host;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size * picture_height(b); i++) {
        long x = i % b->size, y = i / b->size;
        ok = same("edge", i, got[y * pitch_of(b) + x], edge_at(b, x, y));
    }
    return ok;
}

enum { TONES = 256 };

static void equalise_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * picture_height(b)) * 4;
    fill_picture(make(b, 0, bytes), b->size, picture_height(b), 4, 403);
    make(b, 1, 3 * TONES * sizeof(cl_uint));
    make(b, 2, 3 * TONES);
    make(b, 3, bytes);
    up(b, 0);
}

/* An item counts about sixteen pixels, as far apart as there are items. */
static void equalise_once(struct clbench *b) {
    cl_uint pixels = (cl_uint)(b->size * picture_height(b));
    memset(b->buffer[1].host, 0, b->buffer[1].bytes);
    up(b, 1);
    launch(b, "tone_counts", RANGE1(round_up(pixels / 16 + 1, 128), 128), V(pixels), B(0), B(1));
    launch(b, "tone_table", RANGE1(3 * TONES, TONES), V(pixels), B(1), B(2));
    launch(b, "tone_apply", RANGE1(round_up(pixels, 64), 64), V(pixels), B(2), B(0), B(3));
}

static int equalise_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host, *got = b->buffer[3].host;
    long pixels = b->size * picture_height(b);
    int ok = 1;
    down(b, 3);
    for (int c = 0; ok && c < 4; c++) {
        long counts[TONES] = {0}, up_to = 0, becomes[TONES];
        for (long i = 0; i < pixels; i++) {
            counts[in[4 * i + c]]++;
        }
        for (int tone = 0; tone < TONES; tone++) {
            up_to += counts[tone];
            becomes[tone] = c == 3 ? tone : (up_to * (TONES - 1) + pixels / 2) / pixels;
        }
        for (long i = 0; ok && i < pixels; i++) {
            ok = same("tone", 4 * i + c, got[4 * i + c], becomes[in[4 * i + c]]);
        }
    }
    return ok;
}

/* An even number, so that the last board is the first buffer's, as the first one is. */
enum { GENERATIONS = 4 };

/* Buffer 2 keeps the first board. */
static void life_bytes_prepare(struct clbench *b) {
    size_t cells = (size_t)(b->size * picture_height(b));
    unsigned char *first = make(b, 2, cells);
    uint32_t state = 404;
    make(b, 0, cells);
    make(b, 1, cells);
    for (size_t i = 0; i < cells; i++) {
        first[i] = random_word(&state) >> 29 < 3;
    }
}

static void life_bytes_once(struct clbench *b) {
    cl_uint width = (cl_uint)b->size, height = (cl_uint)picture_height(b);
    memcpy(b->buffer[0].host, b->buffer[2].host, b->buffer[0].bytes);
    up(b, 0);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        int from = generation % 2;
        launch(b, "life_bytes", RANGE2(round_up(width, 64), round_up(height, 4), 64, 4), V(width), V(height), B(from),
               B(1 - from));
    }
}

/* Each living cell tells its neighbours. */
static int life_bytes_check(struct clbench *b) {
    long width = b->size, height = picture_height(b);
    unsigned char *board = b->buffer[2].host, *got = b->buffer[0].host, *told = malloc((size_t)(width * height));
    int ok = told != NULL;
    down(b, 0);
    for (int generation = 0; ok && generation < GENERATIONS; generation++) {
        memset(told, 0, (size_t)(width * height));
        for (long i = 0; i < width * height; i++) {
            for (int k = 0; board[i] && k < 9; k++) {
                long x = (i % width + k % 3 + width - 1) % width, y = (i / width + k / 3 + height - 1) % height;
                told[y * width + x] += k != 4;
            }
        }
        for (long i = 0; i < width * height; i++) {
            board[i] = told[i] == 3 || (told[i] == 2 && board[i]);
        }
    }
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("cell", i, got[i], board[i]);
    }
    free(told);
    return ok;
}

const struct workload round4_image_workloads[] = {
    WORKLOAD(round4_image, bilateral, 45, 205, 605, 1605),
    WORKLOAD(round4_image, edge_thin, 61, 901, 1501, 4001),
    WORKLOAD(round4_image, equalise, 61, 901, 1501, 3001),
    WORKLOAD(round4_image, life_bytes, 61, 501, 1501, 4001),
    END_OF_WORKLOADS,
};
