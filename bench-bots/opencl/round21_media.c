/* Media. Sizes are a picture's side, which has whole blocks of 8, pictures, frames. */
#include "workloads.h"

enum { BLOCK = 8 };

/* Blocks move by up to 32 samples, some beyond the edges. */
static void quarter_sample_prepare(struct clbench *b) {
    long samples = b->size * b->size, blocks = samples / (BLOCK * BLOCK);
    unsigned char *last = make(b, 0, (size_t)samples);
    cl_char2 *vectors = make(b, 1, (size_t)blocks * sizeof *vectors);
    cl_short *residuals = make(b, 2, (size_t)samples * sizeof *residuals);
    uint32_t state = 2683;
    for (long i = 0; i < samples; i++) {
        uint32_t word = random_word(&state);
        last[i] = (unsigned char)(word % 5 == 0 ? word >> 8 : (unsigned long)(i % b->size * 3 + i / b->size * 2));
        residuals[i] = (cl_short)(word >> 16 & 3 ? 0 : (int)(word >> 20 & 63) - 32);
    }
    for (long i = 0; i < blocks; i++) {
        vectors[i].s[0] = (signed char)random_word(&state), vectors[i].s[1] = (signed char)random_word(&state);
    }
    make(b, 3, (size_t)samples);
    up(b, 0), up(b, 1), up(b, 2);
}

static void quarter_sample_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    launch(b, "quarter_sample", RANGE2((size_t)side, (size_t)side, BLOCK, BLOCK), B(0), B(1), B(2), V(side), V(side), B(3));
}

static int byte_of(long value) { return value < 0 ? 0 : value > 255 ? 255 : (int)value; }

static const int taps[6] = {1, -5, 20, 20, -5, 1};

/* The filter's sum in the middle between a sample and the one to its right, or itself. */
static long row_sum(const struct clbench *b, long x, long y, int is_half) {
    const unsigned char *row = (const unsigned char *)b->buffer[0].host + clamped(y, b->size) * b->size;
    long sum = 0;
    for (long k = 0; is_half && k < 6; k++) {
        sum += taps[k] * row[clamped(x + k - 2, b->size)];
    }
    return is_half ? sum : row[clamped(x, b->size)];
}

/* A value at a place in halves of samples. */
static int at_halves(const struct clbench *b, long x, long y) {
    int is_half_x = x & 1, shift = 5 * (is_half_x + (int)(y & 1));
    long sum = 0;
    if (y & 1) {
        for (long k = 0; k < 6; k++) {
            sum += taps[k] * row_sum(b, x >> 1, (y >> 1) + k - 2, is_half_x);
        }
    } else {
        sum = row_sum(b, x >> 1, y >> 1, is_half_x);
    }
    return byte_of(shift > 0 ? (sum + (1 << (shift - 1))) >> shift : sum);
}

/* Places between halves have the mean of two of them: those beside them, or where they are between rows and columns, those of them that
 * are no middles of four samples. */
static int at_quarters(const struct clbench *b, long x, long y) {
    long left = x >> 1, right = (x + 1) >> 1, above = y >> 1, below = (y + 1) >> 1;
    if (left != right && above != below) {
        long even_y = above & 1 ? below : above, odd_y = above & 1 ? above : below;
        long even_x = left & 1 ? right : left, odd_x = left & 1 ? left : right;
        return (at_halves(b, odd_x, even_y) + at_halves(b, even_x, odd_y) + 1) >> 1;
    }
    return (at_halves(b, left, above) + at_halves(b, right, below) + 1) >> 1;
}

/* Of large pictures not all samples are looked at. */
static int quarter_sample_check(struct clbench *b) {
    const cl_char2 *vectors = b->buffer[1].host;
    const cl_short *residuals = b->buffer[2].host;
    const unsigned char *got = b->buffer[3].host;
    long step = b->size * b->size / 400009 + 1;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size * b->size; i += step) {
        long x = i % b->size, y = i / b->size;
        const cl_char *vector = vectors[y / BLOCK * (b->size / BLOCK) + x / BLOCK].s;
        ok = same("sample", i, got[i], byte_of(at_quarters(b, x * 4 + vector[0], y * 4 + vector[1]) + residuals[i]));
    }
    return ok;
}

enum { ROWS = 32, PIXEL_BYTES = 3, ROW_BYTES = 32 * PIXEL_BYTES };

static int nearest_of(int left, int above, int corner) {
    int off[3] = {abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)};
    return off[0] <= off[1] && off[0] <= off[2] ? left : off[1] <= off[2] ? above : corner;
}

/* Buffer 2 has the pictures as they were before the filters. */
static void png_rows_prepare(struct clbench *b) {
    long bytes = b->size * ROWS * ROW_BYTES;
    unsigned char *filtered = make(b, 0, (size_t)(bytes + b->size * ROWS)), *pixels = make(b, 2, (size_t)bytes);
    uint32_t state = 2687;
    for (long i = 0; i < bytes; i++) {
        uint32_t word = random_word(&state);
        pixels[i] = (unsigned char)(word % 8 == 0 ? word >> 8 : (unsigned long)(i / ROW_BYTES * 5 + i % ROW_BYTES * 2));
    }
    for (long row = 0; row < b->size * ROWS; row++) {
        const unsigned char *line = pixels + row * ROW_BYTES;
        int filter = (int)(random_word(&state) % 5);
        filtered[row * (ROW_BYTES + 1)] = (unsigned char)filter;
        for (int i = 0; i < ROW_BYTES; i++) {
            int has_left = i >= PIXEL_BYTES, has_above = row % ROWS > 0;
            int left = has_left ? line[i - PIXEL_BYTES] : 0, above = has_above ? line[i - ROW_BYTES] : 0;
            int corner = has_left && has_above ? line[i - ROW_BYTES - PIXEL_BYTES] : 0;
            int guesses[5] = {0, left, above, (left + above) / 2, nearest_of(left, above, corner)};
            filtered[row * (ROW_BYTES + 1) + 1 + i] = (unsigned char)(line[i] - guesses[filter]);
        }
    }
    make(b, 1, (size_t)bytes);
    up(b, 0);
}

static void png_rows_once(struct clbench *b) {
    cl_uint pictures = (cl_uint)b->size;
    cl_int rows = ROWS, row_bytes = ROW_BYTES, pixel_bytes = PIXEL_BYTES;
    launch(b, "png_rows", RANGE1(round_up(b->size, 32), 32), B(0), V(pictures), V(rows), V(row_bytes), V(pixel_bytes), B(1));
}

static int png_rows_check(struct clbench *b) {
    const unsigned char *got = b->buffer[1].host, *wanted = b->buffer[2].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * ROWS * ROW_BYTES; i++) {
        ok = same("byte", i, got[i], wanted[i]);
    }
    return ok;
}

enum { FRAME = 256, MOST_TAPS = 12 };

struct predictor {
    cl_short taps[MOST_TAPS];
    unsigned char order, shift;
    cl_ushort unused;
};

/* What a frame's channels have of left and right. */
static void channels_of(int mode, int left, int right, int pair[2]) {
    pair[0] = mode == 2 ? left - right : mode == 3 ? (left + right) >> 1 : left;
    pair[1] = mode == 1 || mode == 3 ? left - right : right;
}

/* Buffer 5 has the sound that was predicted: waves and noise. */
static void lpc_restore_prepare(struct clbench *b) {
    long frames = b->size, channels = frames * 2;
    cl_int *residuals = make(b, 0, (size_t)(channels * FRAME) * sizeof *residuals);
    struct predictor *predictors = make(b, 1, (size_t)channels * sizeof *predictors);
    unsigned char *modes = make(b, 2, (size_t)frames);
    make(b, 3, (size_t)(channels * FRAME) * sizeof(cl_int)), make(b, 4, (size_t)(frames * FRAME) * sizeof(cl_short2));
    cl_short2 *sound = make(b, 5, (size_t)(frames * FRAME) * sizeof *sound);
    uint32_t state = 2689;
    for (long i = 0; i < frames * FRAME; i++) {
        double angle = 0.03 * (double)i, loud = 9000.0 + 6000.0 * sin(1e-4 * (double)i);
        for (int k = 0; k < 2; k++) {
            sound[i].s[k] = (cl_short)(loud * sin(angle + k) + loud * sin(2.7 * angle) + (double)random_unit(&state) * 900.0);
        }
    }
    for (long channel = 0; channel < channels; channel++) {
        long frame = channel / 2;
        struct predictor *own = predictors + channel;
        int samples[FRAME], pair[2];
        modes[frame] = channel % 2 == 0 ? (unsigned char)(random_word(&state) % 4) : modes[frame];
        own->order = (unsigned char)(random_word(&state) % (MOST_TAPS + 1)), own->shift = (unsigned char)(10 + random_word(&state) % 5);
        for (int k = 0; k < own->order; k++) {
            double tap = k == 0 ? 1.8 : k == 1 ? -0.9 : (double)random_unit(&state) * 0.2 - 0.1;
            own->taps[k] = (cl_short)(tap * (1 << own->shift));
        }
        for (int i = 0; i < FRAME; i++) {
            channels_of(modes[frame], sound[frame * FRAME + i].s[0], sound[frame * FRAME + i].s[1], pair);
            samples[i] = pair[channel % 2];
            int64_t sum = 0;
            for (int k = 0; i >= own->order && k < own->order; k++) {
                sum += (int64_t)own->taps[k] * samples[i - 1 - k];
            }
            residuals[i * channels + channel] = samples[i] - (int)(sum >> own->shift);
        }
    }
    up(b, 0), up(b, 1), up(b, 2);
}

static void lpc_restore_once(struct clbench *b) {
    cl_int frames = (cl_int)b->size, channels = frames * 2, length = FRAME;
    launch(b, "lpc_restore", RANGE1(round_up(channels, 64), 64), B(0), B(1), V(channels), V(length), B(3));
    launch(b, "stereo_samples", RANGE2(FRAME, (size_t)frames, 128, 1), B(3), B(2), V(frames), V(length), B(4));
}

static int lpc_restore_check(struct clbench *b) {
    const cl_short2 *got = b->buffer[4].host, *wanted = b->buffer[5].host;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size * FRAME; i++) {
        ok = same("left", i, got[i].s[0], wanted[i].s[0]) && same("right", i, got[i].s[1], wanted[i].s[1]);
    }
    return ok;
}

const struct workload round21_media_workloads[] = {
    WORKLOAD(round21_media, quarter_sample, 40, 504, 1200, 4000),
    WORKLOAD(round21_media, png_rows, 33, 403, 2503, 20011),
    WORKLOAD(round21_media, lpc_restore, 21, 803, 5003, 40009),
    END_OF_WORKLOADS,
};
