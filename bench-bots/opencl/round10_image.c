/* Pictures. Sizes are pixels along a side. */
#include "workloads.h"

enum { REACH = 3, SQUARE = (REACH + 1) * (REACH + 1) };

static cl_int two_thirds(const struct clbench *b) { return (cl_int)(b->size * 2 / 3 + 1); }
/* Discs of colour on a ground that changes slowly, and noise. */
static void paint(struct clbench *b, int buffer, uint32_t state) {
    long width = b->size, height = two_thirds(b);
    unsigned char *pixels = make(b, buffer, (size_t)(width * height) * 4);
    for (long at = 0; at < width * height; at++) {
        double x = (double)(at % width), y = (double)(at / width);
        int disc = hypot(fmod(x, 41.0) - 20.0, fmod(y, 37.0) - 18.0) < 14.0;
        for (int k = 0; k < 4; k++) {
            double ground = 100.0 + 60.0 * sin(x / (50.0 + 9.0 * k)) * cos(y / (40.0 - 7.0 * k));
            pixels[at * 4 + k] = (unsigned char)(disc ? 230.0 - ground : ground + random_unit(&state) * 30.0);
        }
    }
    up(b, buffer);
}

static void kuwahara_prepare(struct clbench *b) {
    paint(b, 0, 1011);
    make(b, 1, b->buffer[0].bytes);
}

static void kuwahara_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b);
    launch(b, "kuwahara", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), B(0), V(width), V(height), B(1));
}

static const unsigned char *pixel_of(const struct clbench *b, long x, long y) {
    return (unsigned char *)b->buffer[0].host + (clamped(y, two_thirds(b)) * b->size + clamped(x, b->size)) * 4;
}

/* How much the grey of a square varies, from what each pixel is off the mean; and its sums of colours. */
static long variation_of(const struct clbench *b, long left, long top, long *sums) {
    long greys[SQUARE], total = 0, variation = 0;
    memset(sums, 0, 4 * sizeof *sums);
    for (long i = 0; i < SQUARE; i++) {
        const unsigned char *pixel = pixel_of(b, left + i % (REACH + 1), top + i / (REACH + 1));
        greys[i] = (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) / 256;
        total += greys[i];
        for (int k = 0; k < 4; k++) {
            sums[k] += pixel[k];
        }
    }
    for (long i = 0; i < SQUARE; i++) {
        variation += (SQUARE * greys[i] - total) * (SQUARE * greys[i] - total);
    }
    return variation;
}

/* All numbers are whole. */
static int kuwahara_check(struct clbench *b) {
    const unsigned char *got = b->buffer[1].host;
    long pixels = b->size * two_thirds(b), chosen[4] = {0};
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < pixels; at++) {
        long x = at % b->size, y = at / b->size, sums[4][4], best = 0, least = 0;
        for (long square = 0; square < 4; square++) {
            long varies = variation_of(b, x - (square % 2 == 0) * REACH, y - (square < 2) * REACH, sums[square]);
            if (square == 0 || varies < least) {
                least = varies, best = square;
            }
        }
        chosen[best]++;
        for (int k = 0; ok && k < 4; k++) {
            ok = same("colour", at * 4 + k, got[at * 4 + k], (sums[best][k] + SQUARE / 2) / SQUARE);
        }
    }
    for (int square = 0; ok && square < 4; square++) {
        ok = same("each square is chosen", square, chosen[square] * 20 > pixels, 1);
    }
    return ok;
}

struct block {
    cl_ushort ends[2];
    cl_uint choices;
};

static long blocks_across(const struct clbench *b) { return (b->size + 3) / 4; }
static long blocks_down(const struct clbench *b) { return (two_thirds(b) + 3) / 4; }

static void bc1_blocks_prepare(struct clbench *b) {
    paint(b, 0, 1021);
    make(b, 1, (size_t)(blocks_across(b) * blocks_down(b)) * sizeof(struct block));
}

static void bc1_blocks_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b);
    launch(b, "bc1_blocks", RANGE2((size_t)blocks_across(b), (size_t)blocks_down(b), 0, 0), B(0), V(width), V(height), B(1));
}

/* What a block's choice shows in one channel, as the format's description has it: bits are repeated to fill a byte. */
static int shown(const struct block *block, int choice, int channel) {
    static const int weights[4] = {3, 0, 2, 1};
    int at[2];
    for (int end = 0; end < 2; end++) {
        int bits = channel == 1 ? 6 : 5, value = block->ends[end] >> (channel == 0 ? 11 : channel == 1 ? 5 : 0);
        value &= (1 << bits) - 1;
        at[end] = value << (8 - bits) | value >> (2 * bits - 8);
    }
    return (weights[choice] * at[0] + (3 - weights[choice]) * at[1]) / 3;
}

/* The two colours that a square of pixels should have, the greater word first. */
static void ends_of(const struct clbench *b, long bx, long by, cl_ushort *ends) {
    static const int tops[3] = {31, 63, 31}, places[3] = {11, 5, 0};
    double means[3] = {0.0}, slopes[3] = {0.0};
    int low[3] = {255, 255, 255}, high[3] = {0, 0, 0};
    for (int pass = 0; pass < 2; pass++) {
        for (long k = 0; k < 16; k++) {
            const unsigned char *pixel = pixel_of(b, 4 * bx + k % 4, 4 * by + k / 4);
            for (int c = 0; c < 3; c++) {
                low[c] = pixel[c] < low[c] ? pixel[c] : low[c], high[c] = pixel[c] > high[c] ? pixel[c] : high[c];
                means[c] += pass == 0 ? pixel[c] / 16.0 : 0.0;
                slopes[c] += pass == 1 ? (pixel[c] - means[c]) * (pixel[1] - means[1]) : 0.0;
            }
        }
    }
    unsigned words[2] = {0, 0};
    for (int c = 0; c < 3; c++) {
        int inset = (high[c] - low[c]) / 16, turned = slopes[c] < 0.0;
        words[turned] |= (unsigned)floor((high[c] - inset) * tops[c] / 255.0 + 0.5) << places[c];
        words[!turned] |= (unsigned)floor((low[c] + inset) * tops[c] / 255.0 + 0.5) << places[c];
    }
    ends[0] = (cl_ushort)(words[0] > words[1] ? words[0] : words[1]);
    ends[1] = (cl_ushort)(words[0] > words[1] ? words[1] : words[0]);
}

/* The ends, and whether what is shown of each pixel is as near to it as any choice. Whole numbers; the means of 16 are exact. */
static int bc1_blocks_check(struct clbench *b) {
    const struct block *got = b->buffer[1].host;
    long count = blocks_across(b) * blocks_down(b), used[4] = {0};
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < count; i++) {
        long bx = i % blocks_across(b), by = i / blocks_across(b);
        cl_ushort ends[2];
        ends_of(b, bx, by, ends);
        ok = same("first colour", i, got[i].ends[0], ends[0]) && same("second colour", i, got[i].ends[1], ends[1]);
        for (long k = 0; ok && k < 16; k++) {
            const unsigned char *pixel = pixel_of(b, 4 * bx + k % 4, 4 * by + k / 4);
            long distances[4] = {0}, least = 0, choice = got[i].choices >> (2 * k) & 3;
            for (int c = 0; c < 12; c++) {
                long off = shown(&got[i], c / 3, c % 3) - pixel[c % 3];
                distances[c / 3] += off * off;
            }
            for (int c = 1; c < 4; c++) {
                least = distances[c] < distances[least] ? c : least;
            }
            used[choice]++;
            ok = same("distance", i * 16 + k, distances[choice], distances[least]);
        }
    }
    for (int c = 0; ok && c < 4; c++) {
        ok = same("each choice is used", c, used[c] > count, 1);
    }
    return ok;
}

enum { ANGLES = 180, MOST_PEAKS = 4096, UNIT = 1 << 14 };

static cl_int bins_of(const struct clbench *b) { return (cl_int)(b->size / 2 + hypot((double)b->size, two_thirds(b)) / 2.0) + 4; }
static cl_int middle_of(const struct clbench *b) { return (cl_int)b->size / 2 + 2; }
static cl_int enough_of(const struct clbench *b) { return (cl_int)b->size / 5; }

/* Lines, and as many pixels of noise. */
static void hough_lines_prepare(struct clbench *b) {
    long width = b->size, height = two_thirds(b);
    unsigned char *edges = make(b, 0, (size_t)(width * height));
    uint32_t state = 1031;
    for (int line = 0; line < 14; line++) {
        double angle = (double)(line * 37 % ANGLES) * acos(-1.0) / ANGLES, reach = (double)(width + height);
        double x = width * random_unit(&state), y = height * random_unit(&state);
        for (double along = -reach; along < reach; along += 0.7) {
            long px = lround(x + along * sin(angle)), py = lround(y - along * cos(angle));
            if (px >= 0 && px < width && py >= 0 && py < height) {
                edges[py * width + px] = 255;
            }
        }
    }
    for (long i = 0; i < width * height / 40; i++) {
        edges[random_word(&state) % (uint32_t)(width * height)] = (unsigned char)(100 + random_word(&state) % 156);
    }
    make(b, 1, (size_t)(width * height) * sizeof(cl_ushort2));
    cl_short2 *directions = make(b, 2, ANGLES * sizeof *directions);
    for (int i = 0; i < ANGLES; i++) {
        directions[i].s[0] = (cl_short)lround(UNIT * cos(i * acos(-1.0) / ANGLES));
        directions[i].s[1] = (cl_short)lround(UNIT * sin(i * acos(-1.0) / ANGLES));
    }
    make(b, 3, (size_t)ANGLES * (size_t)bins_of(b) * sizeof(cl_int));
    make(b, 4, MOST_PEAKS * sizeof(cl_int4));
    make(b, 5, sizeof(cl_int)), make(b, 6, sizeof(cl_int));
    up(b, 0), up(b, 2);
}

static void hough_lines_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = two_thirds(b), bins = bins_of(b), middle = middle_of(b), enough = enough_of(b);
    cl_int angles = ANGLES, most = MOST_PEAKS;
    *(cl_int *)b->buffer[5].host = *(cl_int *)b->buffer[6].host = 0;
    up(b, 5), up(b, 6);
    launch(b, "hough_places", RANGE2(round_up(width, 32), round_up(height, 8), 32, 8), B(0), V(width), V(height), B(1), B(5));
    launch(b, "hough_votes", RANGE1(ANGLES * 128, 128), B(1), B(5), B(2), V(bins), V(middle),
           LOCAL((size_t)bins * sizeof(cl_int)), B(3));
    launch(b, "hough_peaks", RANGE2((size_t)bins, ANGLES, 0, 0), B(3), V(bins), V(angles), V(enough), V(most), B(4), B(6));
}

/* Votes with a sum that grows along each row; and whether all peaks are among those found, and no others. */
static int hough_lines_check(struct clbench *b) {
    const unsigned char *edges = b->buffer[0].host;
    const cl_short2 *directions = b->buffer[2].host;
    const cl_int *got = b->buffer[3].host;
    const cl_int4 *peaks = b->buffer[4].host;
    long bins = bins_of(b), places = 0, count = 0;
    cl_int *want = calloc((size_t)(ANGLES * bins), sizeof *want);
    int ok = 1;
    down(b, 3), down(b, 4), down(b, 5), down(b, 6);
    for (long at = 0; at < b->size * two_thirds(b); at++) {
        places += edges[at] >= 128;
    }
    for (long angle = 0; angle < ANGLES; angle++) {
        for (long y = 0; y < two_thirds(b); y++) {
            long along = 2 * UNIT * (long)middle_of(b) + y * directions[angle].s[1];
            for (long x = 0; x < b->size; x++, along += directions[angle].s[0]) {
                want[angle * bins + along / (2 * UNIT)] += edges[y * b->size + x] >= 128;
            }
        }
    }
    for (long at = 0; ok && at < ANGLES * bins; at++) {
        cl_int around[8] = {0}, greatest = enough_of(b) - 1;
        ok = same("votes", at, got[at], want[at]);
        if (at / bins == 0 || at / bins == ANGLES - 1 || at % bins == 0 || at % bins == bins - 1) {
            continue;
        }
        for (int i = 0; i < 8; i++) {
            int to = i < 4 ? i : i + 1;
            around[i] = want[at + (to / 3 - 1) * bins + to % 3 - 1];
            greatest = around[i] > greatest ? around[i] : greatest;
        }
        count += want[at] > greatest;
    }
    long found = *(cl_int *)b->buffer[6].host;
    ok = ok && same("places", 0, *(cl_int *)b->buffer[5].host, places) && same("peaks", 0, found, count) &&
         same("some peaks", 0, found > 3 && found <= MOST_PEAKS, 1);
    for (long i = 0; ok && i < found; i++) {
        long at = peaks[i].s[0] * bins + peaks[i].s[1];
        ok = same("votes of peak", i, peaks[i].s[2], want[at]);
        want[at] = -1; /* so that none is found twice */
    }
    free(want);
    return ok;
}

const struct workload round10_image_workloads[] = {
    WORKLOAD(round10_image, kuwahara, 61, 401, 1201, 4001),
    WORKLOAD(round10_image, bc1_blocks, 61, 1101, 2503, 7001),
    WORKLOAD(round10_image, hough_lines, 90, 701, 1601, 4001),
    END_OF_WORKLOADS,
};
