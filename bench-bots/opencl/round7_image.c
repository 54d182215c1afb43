/* Pictures. Sizes are pixels along a side. */
#include "workloads.h"

static cl_int height_of(const struct clbench *b) { return (cl_int)(b->size - b->size / 4); }

/* A grey picture of waves, hard-edged boxes and a little noise. */
static unsigned char *paint(struct clbench *b, int buffer, uint32_t state) {
    long width = b->size, height = height_of(b);
    unsigned char *src = make(b, buffer, (size_t)(width * height));
    for (long i = 0; i < width * height; i++) {
        double x = (double)(i % width), y = (double)(i / width);
        double light = 90.0 + 50.0 * sin(x / 23.0) * cos(y / 31.0) + 60.0 * y / (double)height;
        src[i] = (unsigned char)(light + 6.0 * random_unit(&state));
    }
    for (long k = 0; k < width * height / 900; k++) {
        long left = random_word(&state) % (uint32_t)width, top = random_word(&state) % (uint32_t)height;
        long right = left + 3 + random_word(&state) % 17, bottom = top + 3 + random_word(&state) % 17;
        unsigned char grey = (unsigned char)(random_word(&state) % 256);
        for (long y = top; y < bottom && y < height; y++) {
            for (long x = left; x < right && x < width; x++) {
                src[y * width + x] = grey;
            }
        }
    }
    up(b, buffer);
    return src;
}

enum { REGIONS_X = 9, REGIONS_Y = 7, BINS = 256 };
static const float clip = 2.5f;

static void clahe_prepare(struct clbench *b) {
    size_t bytes = (size_t)(b->size * height_of(b));
    paint(b, 0, 701);
    make(b, 1, bytes);
    make(b, 2, REGIONS_X * REGIONS_Y * BINS);
}

static cl_int region_width(const struct clbench *b) { return (cl_int)(b->size + REGIONS_X - 1) / REGIONS_X; }
static cl_int region_height(const struct clbench *b) { return (height_of(b) + REGIONS_Y - 1) / REGIONS_Y; }

static void clahe_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), w = region_width(b), h = region_height(b);
    cl_int2 tiles = {{REGIONS_X, REGIONS_Y}};
    launch(b, "clahe_tables", RANGE2(REGIONS_X * 16, REGIONS_Y * 16, 16, 16), B(0), V(width), V(height), V(w), V(h), V(clip),
           B(2));
    launch(b, "clahe_apply", RANGE2(round_up((width + 3) / 4, 32), round_up(height, 4), 32, 4), B(0), B(1), V(width), V(height),
           V(tiles), V(w), V(h), B(2));
}

/* The table of one region. */
static void region_table(struct clbench *b, long rx, long ry, unsigned char *table) {
    const unsigned char *src = b->buffer[0].host;
    long histogram[BINS] = {0}, area = 0, excess = 0, sum = 0;
    for (long y = ry * region_height(b); y < (ry + 1) * region_height(b) && y < height_of(b); y++) {
        for (long x = rx * region_width(b); x < (rx + 1) * region_width(b) && x < b->size; x++, area++) {
            histogram[src[y * b->size + x]]++;
        }
    }
    long limit = (long)(clip * (float)area / BINS);
    limit = limit < 1 ? 1 : limit;
    for (int i = 0; i < BINS; i++) {
        if (histogram[i] > limit) {
            excess += histogram[i] - limit;
            histogram[i] = limit;
        }
    }
    for (int i = 0; i < BINS; i++) {
        sum += histogram[i] + excess / BINS + (i < excess % BINS);
        table[i] = (unsigned char)((sum * 255 + area / 2) / (area > 0 ? area : 1));
    }
}

static int clahe_check(struct clbench *b) {
    const unsigned char *src = b->buffer[0].host, *got = b->buffer[1].host, *table = b->buffer[2].host;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long region = 0; ok && region < REGIONS_X * REGIONS_Y; region++) {
        unsigned char want[BINS];
        region_table(b, region % REGIONS_X, region / REGIONS_X, want);
        for (long i = 0; ok && i < BINS; i++) {
            ok = same("table", region * BINS + i, table[region * BINS + i], want[i]);
        }
    }
    for (long at = 0; ok && at < b->size * height_of(b); at++) {
        double tx = ((double)(at % b->size) + 0.5) / region_width(b) - 0.5, left = floor(tx);
        double ty = ((double)(at / b->size) + 0.5) / region_height(b) - 0.5, top = floor(ty), want = 0.0;
        for (int k = 0; k < 4; k++) {
            long rx = clamped((long)left + k % 2, REGIONS_X), ry = clamped((long)top + k / 2, REGIONS_Y);
            want += (k % 2 ? tx - left : 1.0 - tx + left) * (k / 2 ? ty - top : 1.0 - ty + top) *
                    table[(ry * REGIONS_X + rx) * BINS + src[at]];
        }
        ok = fabs(got[at] - want) < 0.51 || same("grey", at, got[at], lrint(want));
    }
    return ok;
}

enum { CELL = 8, ANGLES = 9, PARTS = 4 * ANGLES };

static cl_int2 cells_of(const struct clbench *b) { return (cl_int2){{(cl_int)b->size / CELL, height_of(b) / CELL}}; }

static void hog_cells_prepare(struct clbench *b) {
    cl_int2 cells = cells_of(b);
    size_t count = (size_t)(cells.s[0] * cells.s[1]);
    paint(b, 0, 702);
    make(b, 1, count * ANGLES * sizeof(float));
    make(b, 2, count * PARTS * sizeof(float));
}

static void hog_cells_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b);
    cl_int2 cells = cells_of(b);
    launch(b, "hog_cells", RANGE2(round_up(cells.s[0] * CELL, 16), round_up(cells.s[1] * CELL, 16), 16, 16), B(0), V(width),
           V(height), V(cells), B(1));
    launch(b, "hog_blocks", RANGE2(round_up(cells.s[0], 16), round_up(cells.s[1], 4), 16, 4), B(1), V(cells), B(2));
}

/* The votes of a cell. */
static void vote(struct clbench *b, long cx, long cy, double *votes) {
    const unsigned char *src = b->buffer[0].host;
    long width = b->size, height = height_of(b);
    memset(votes, 0, ANGLES * sizeof *votes);
    for (long y = cy * CELL; y < (cy + 1) * CELL; y++) {
        for (long x = cx * CELL; x < (cx + 1) * CELL; x++) {
            double dx = src[y * width + clamped(x + 1, width)] - src[y * width + clamped(x - 1, width)];
            double dy = src[clamped(y + 1, height) * width + x] - src[clamped(y - 1, height) * width + x];
            double angle = atan2(dy, dx), at = (angle < 0.0 ? angle + M_PI : angle) * ANGLES / M_PI - 0.5;
            long bin = (long)floor(at);
            votes[(bin + ANGLES) % ANGLES] += hypot(dx, dy) * (1.0 - at + (double)bin);
            votes[(bin + 1) % ANGLES] += hypot(dx, dy) * (at - (double)bin);
        }
    }
}

static double length_of(const double *part, double square) {
    for (int i = 0; i < PARTS; i++) {
        square += part[i] * part[i];
    }
    return sqrt(square);
}

static int hog_cells_check(struct clbench *b) {
    const float *histogram = b->buffer[1].host, *got = b->buffer[2].host;
    cl_int2 cells = cells_of(b);
    long columns = cells.s[0] - 1, count = columns * (cells.s[1] - 1);
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long block = 0; ok && block < count; block++) {
        double part[PARTS], once, twice;
        for (int c = 0; c < 4; c++) {
            vote(b, block % columns + c % 2, block / columns + c / 2, part + c * ANGLES);
        }
        long first = (block / columns * cells.s[0] + block % columns) * ANGLES;
        for (int a = 0; ok && a < ANGLES; a++) {
            ok = fabs(histogram[first + a] - part[a]) < 1.0 || near("votes", first + a, histogram[first + a], part[a], 1e-3);
        }
        once = length_of(part, 0.01);
        for (int i = 0; i < PARTS; i++) {
            part[i] = fmin(part[i] / once, 0.2);
        }
        twice = length_of(part, 0.0001);
        for (int i = 0; ok && i < PARTS; i++) {
            ok = near("block", block * PARTS + i, got[block * PARTS + i], part[i] / twice, 5e-3);
        }
    }
    return ok;
}

enum { ARC = 9, BORDER = 16, WORDS = 8, TESTS = 32 * WORDS };
static const cl_int threshold = 20;

static cl_int capacity_of(const struct clbench *b) { return (cl_int)(b->size * height_of(b) / 50); }

/* Buffer 6, which is not the device's, is to tell which pixels were corners already. */
static void fast_corners_prepare(struct clbench *b) {
    size_t capacity = (size_t)capacity_of(b);
    uint32_t state = 713;
    paint(b, 0, 703);
    make(b, 1, (size_t)(b->size * height_of(b)) * sizeof(cl_ushort));
    make(b, 2, capacity * sizeof(cl_int2));
    make(b, 3, sizeof(cl_int));
    cl_char *pairs = make(b, 4, TESTS * sizeof(cl_char4));
    make(b, 5, capacity * WORDS * sizeof(cl_uint));
    make(b, 6, (size_t)(b->size * height_of(b)));
    for (int i = 0; i < 4 * TESTS; i++) {
        pairs[i] = (cl_char)(random_word(&state) % 27) - 13;
    }
    up(b, 4);
}

static void fast_corners_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = height_of(b), capacity = capacity_of(b);
    struct range pixels = RANGE2(round_up(width, 32), round_up(height, 8), 32, 8);
    *(cl_int *)b->buffer[3].host = 0;
    up(b, 3);
    launch(b, "corner_scores", pixels, B(0), V(width), V(height), V(threshold), B(1));
    launch(b, "keep_corners", pixels, B(1), V(width), V(height), V(capacity), B(2), B(3));
    launch(b, "describe_corners", RANGE1(256 * 32, 32), B(0), V(width), B(2), B(3), V(capacity), B(4), B(5));
}

/* The circle's places one after the other, and whether enough of them in a row differ alike. */
static long score_at(struct clbench *b, long x, long y) {
    static const int dx[16] = {0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1};
    const unsigned char *src = b->buffer[0].host;
    int sign[16], sum[2] = {0, 0}, found = 0;
    for (int i = 0; i < 16; i++) {
        int d = src[(y - dx[(i + 4) % 16]) * b->size + x + dx[i]] - src[y * b->size + x];
        sign[i] = d > threshold ? 1 : d < -threshold ? -1 : 0;
        sum[sign[i] < 0] += sign[i] == 0 ? 0 : abs(d) - threshold;
    }
    for (int from = 0; from < 16; from++) {
        int length = 0;
        while (length < ARC && sign[from] != 0 && sign[(from + length) % 16] == sign[from]) {
            length++;
        }
        found |= length == ARC;
    }
    return !found ? 0 : sum[0] > sum[1] ? sum[0] : sum[1];
}

static int is_kept(const cl_ushort *scores, long width, long at) {
    for (long k = 0; k < 9; k++) {
        long other = scores[at + (k / 3 - 1) * width + k % 3 - 1];
        if (other > scores[at] || (k < 4 && other == scores[at])) {
            return 0;
        }
    }
    return scores[at] != 0;
}

static int square_sum(struct clbench *b, long x, long y) {
    const unsigned char *src = b->buffer[0].host;
    int sum = 0;
    for (long k = 0; k < 9; k++) {
        sum += src[(y + k / 3 - 1) * b->size + x + k % 3 - 1];
    }
    return sum;
}

static int is_described(struct clbench *b, long corner) {
    const cl_int2 at = ((cl_int2 *)b->buffer[2].host)[corner];
    const cl_char4 *pair = b->buffer[4].host;
    const cl_uint *got = (cl_uint *)b->buffer[5].host + corner * WORDS;
    int ok = 1;
    for (int i = 0; ok && i < TESTS; i++) {
        int darker = square_sum(b, at.s[0] + pair[i].s[0], at.s[1] + pair[i].s[1]) <
                     square_sum(b, at.s[0] + pair[i].s[2], at.s[1] + pair[i].s[3]);
        ok = same("bit", corner * TESTS + i, got[i / 32] >> i % 32 & 1, darker);
    }
    return ok;
}

static int fast_corners_check(struct clbench *b) {
    const cl_ushort *scores = b->buffer[1].host;
    const cl_int2 *corner = b->buffer[2].host;
    const cl_int *count = b->buffer[3].host;
    long width = b->size, height = height_of(b), all = 0;
    int ok = 1;
    down(b, 1), down(b, 2), down(b, 3), down(b, 5);
    for (long at = 0; ok && at < width * height; at++) {
        long x = at % width, y = at / width;
        int inner = x >= BORDER && y >= BORDER && x < width - BORDER && y < height - BORDER;
        ok = same("score", at, scores[at], inner ? score_at(b, x, y) : 0);
        all += inner && is_kept(scores, width, at);
    }
    ok = ok && same("corners", 0, *count, all) && same("enough", 0, all > 2 && all < capacity_of(b), 1);
    unsigned char *seen = b->buffer[6].host;
    for (long i = 0; ok && i < all; i++) {
        long at = corner[i].s[1] * width + corner[i].s[0];
        ok = same("kept once", i, is_kept(scores, width, at) && seen[at]++ == 0, 1) && is_described(b, i);
    }
    return ok;
}

const struct workload round7_image_workloads[] = {
    WORKLOAD(round7_image, clahe, 125, 1301, 3001, 6001),
    WORKLOAD(round7_image, hog_cells, 125, 801, 2001, 4001),
    WORKLOAD(round7_image, fast_corners, 125, 1301, 3001, 6001),
    END_OF_WORKLOADS,
};
