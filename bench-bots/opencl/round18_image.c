/* Pictures. Sizes are widths. */
#include "workloads.h"

enum { COLOURS = 27, SPREAD = 48 };

static long height_of(const struct clbench *b) { return b->size * 3 / 4 + 1; }

static unsigned char channel(double value) { return (unsigned char)fmin(fmax(value, 0.0), 255.0); }

/* Waves of colours with a little noise. */
static void palette_dither_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b);
    cl_uchar4 *pixels = make(b, 0, (size_t)(width * height) * sizeof *pixels), *palette = make(b, 1, COLOURS * sizeof *palette);
    uint32_t state = 2203;
    for (long i = 0; i < width * height; i++) {
        double x = (double)(i % width) / (double)width, y = (double)(i / width) / (double)height;
        double noise = 12.0 * (double)random_unit(&state);
        pixels[i] = (cl_uchar4){{channel(noise + 120.0 + 130.0 * sin(7.0 * x)), channel(noise + 255.0 * x * y),
                                 channel(noise + 110.0 + 120.0 * cos(9.0 * y + 3.0 * x)), 255}};
    }
    for (int i = 0; i < COLOURS; i++) {
        uint32_t word = random_word(&state) >> 8;
        palette[i] = (cl_uchar4){{(cl_uchar)word, (cl_uchar)(word >> 8), (cl_uchar)(word >> 16), 255}};
    }
    make(b, 2, (size_t)(width * height));
    up(b, 0), up(b, 1);
}

static void palette_dither_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, colours = COLOURS, spread = SPREAD;
    struct range range = RANGE2((size_t)width, (size_t)height_of(b), 0, 0);
    launch(b, "palette_dither", range, B(0), V(width), B(1), V(colours), V(spread), B(2));
}

/* The pattern's number for a place: its bits are those of x and of both, from the lowest to the highest. */
static int pattern_at(long x, long y) {
    int number = 0;
    for (int bit = 0; bit < 3; bit++) {
        long own = x >> bit & 1, both = own ^ (y >> bit & 1);
        number = number * 4 + (int)(2 * both + (y >> bit & 1));
    }
    return number;
}

static int palette_dither_check(struct clbench *b) {
    const cl_uchar4 *pixels = b->buffer[0].host, *palette = b->buffer[1].host;
    const unsigned char *got = b->buffer[2].host;
    long width = b->size, height = height_of(b), uses[COLOURS] = {0}, used = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < width * height; i++) {
        int push = (2 * pattern_at(i % width, i / width) - 63) * SPREAD / 128, wanted[3], best = 0, nearest = INT32_MAX;
        for (int k = 0; k < 3; k++) {
            int moved = pixels[i].s[k] + push;
            wanted[k] = moved < 0 ? 0 : moved > 255 ? 255 : moved;
        }
        for (int j = 0; j < COLOURS; j++) {
            int off[3] = {wanted[0] - palette[j].s[0], wanted[1] - palette[j].s[1], wanted[2] - palette[j].s[2]};
            int red = (wanted[0] + palette[j].s[0]) / 2, far = (512 + red) * off[0] * off[0] / 256;
            far += 4 * off[1] * off[1] + (767 - red) * off[2] * off[2] / 256;
            best = far < nearest ? j : best, nearest = far < nearest ? far : nearest;
        }
        ok = same("number", i, got[i], best);
        uses[best]++;
    }
    for (int j = 0; j < COLOURS; j++) {
        used += uses[j] > 0;
    }
    return ok && same("many colours are used", 0, used > COLOURS / 2, 1);
}

/* Leaning bars, a disc, and some grey. */
static void smooth_steps_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b);
    cl_uchar4 *pixels = make(b, 0, (size_t)(width * height) * sizeof *pixels);
    uint32_t state = 2207;
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width, dx = x - width / 2, dy = y - height / 3;
        int is_bar = (5 * x + y) / 100 % 3 == 0 || (x - 7 * y + 7 * height) / 180 % 4 == 1, grey = (int)(random_word(&state) % 32);
        cl_uchar4 pixel = {{(cl_uchar)(60 + grey), (cl_uchar)(90 + grey), (cl_uchar)(200 - grey), 255}};
        pixel = is_bar ? (cl_uchar4){{(cl_uchar)(220 + grey), 190, (cl_uchar)(40 + grey), 200}} : pixel;
        pixels[i] = 9 * (dx * dx + dy * dy) < height * height ? (cl_uchar4){{20, (cl_uchar)(160 + grey), 90, 255}} : pixel;
    }
    make(b, 1, (size_t)(width * height) * sizeof(float)), make(b, 2, (size_t)(width * height) * sizeof(cl_uchar4));
    up(b, 0);
}

static void smooth_steps_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)height_of(b);
    struct range range = RANGE2(round_up(width, 16), round_up(height, 8), 16, 8);
    launch(b, "brightness", RANGE1((size_t)(width * height), 0), B(0), B(1));
    launch(b, "smooth_steps", range, B(0), B(1), V(width), V(height), B(2));
}

static long held_index(const struct clbench *b, long x, long y) {
    long width = b->size, height = height_of(b);
    return (y < 0 ? 0 : y < height ? y : height - 1) * width + (x < 0 ? 0 : x < width ? x : width - 1);
}

/* In 256ths, as all of these numbers are whole ones then. */
static long bright_at(const struct clbench *b, long x, long y) {
    const cl_uchar4 *pixel = (const cl_uchar4 *)b->buffer[0].host + held_index(b, x, y);
    return 77 * pixel->s[0] + 150 * pixel->s[1] + 29 * pixel->s[2];
}

/* Of the neighbours (dx, dy) of a pixel, how uneven the line across one of them is, twice for that through the middle. */
static long uneven(const struct clbench *b, long x, long y, int is_level) {
    long sum = 0;
    for (int k = -1; k <= 1; k++) {
        long line[3];
        for (int i = -1; i <= 1; i++) {
            line[i + 1] = bright_at(b, x + (is_level ? k : i), y + (is_level ? i : k));
        }
        sum += (k == 0 ? 2 : 1) * labs(line[0] + line[2] - 2 * line[1]);
    }
    return sum;
}

/* Which share of the colour beyond an edge a pixel gets, and the place of that colour; 0 where there is no edge. */
static double share_beyond(const struct clbench *b, long x, long y, long *beyond) {
    long here = bright_at(b, x, y), most = here, least = here, middle = 0;
    for (int i = 0; i < 9; i++) {
        long other = bright_at(b, x + i % 3 - 1, y + i / 3 - 1);
        middle += i == 4 ? 0 : i % 2 == 1 ? 2 * other : other;
        most = i % 2 == 1 && other > most ? other : most, least = i % 2 == 1 && other < least ? other : least;
    }
    if (most - least < 8 * 256 || 8 * (most - least) < most) {
        return 0.0;
    }
    double part = fmin(fabs((double)middle / 12.0 - (double)here) / (double)(most - least), 1.0);
    double soft = part * part * (3.0 - 2.0 * part);
    int is_level = uneven(b, x, y, 1) >= uneven(b, x, y, 0);
    long dx = is_level ? 0 : 1, dy = 1 - dx, ends[2], offs[2];
    long steps[2] = {labs(bright_at(b, x - dx, y - dy) - here), labs(bright_at(b, x + dx, y + dy) - here)};
    long side = steps[0] >= steps[1] ? -1 : 1, mean = here + bright_at(b, x + side * dx, y + side * dy);
    *beyond = held_index(b, x + side * dx, y + side * dy);
    for (int i = 0; i < 2; i++) {
        long enough = steps[0] > steps[1] ? steps[0] : steps[1], back = i == 0 ? -1 : 1;
        for (ends[i] = 1; ends[i] < 12; ends[i]++) {
            long at = x + back * ends[i] * dy, row = y + back * ends[i] * dx;
            offs[i] = bright_at(b, at, row) + bright_at(b, at + side * dx, row + side * dy) - mean;
            if (2 * labs(offs[i]) >= enough) {
                break;
            }
        }
    }
    int is_step = (offs[ends[0] >= ends[1]] < 0) != (2 * here < mean);
    double nearer = (double)(ends[0] < ends[1] ? ends[0] : ends[1]);
    double shift = is_step ? 0.5 - nearer / (double)(ends[0] + ends[1]) : 0.0;
    return fmax(shift, 0.75 * soft * soft);
}

static int smooth_steps_check(struct clbench *b) {
    const cl_uchar4 *pixels = b->buffer[0].host, *got = b->buffer[2].host;
    long width = b->size, height = height_of(b), changed = 0;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < width * height; i++) {
        long beyond = i;
        double share = share_beyond(b, i % width, i / width, &beyond);
        for (int k = 0; ok && k < 4; k++) {
            double wanted = (double)pixels[i].s[k] * (1.0 - share) + (double)pixels[beyond].s[k] * share;
            ok = same("channel is near", i * 4 + k, fabs(wanted - got[i].s[k]) < 0.502, 1);
        }
        changed += share > 0.1;
    }
    return ok && same("some pixels change", 0, changed > width * height / 100 && changed < width * height / 2, 1);
}

enum { ROUNDS = 20 };

/* Leaning strokes and rings of several widths. */
static void thin_strokes_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b);
    unsigned char *pixels = make(b, 0, (size_t)(width * height));
    uint32_t state = 2213;
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width, dx = x % 97 - 48, dy = y % 89 - 44, around = dx * dx + dy * dy;
        int is_ring = around > 26 * 26 && around < 36 * 36, is_stroke = (3 * x + 7 * y) % 331 < 60 && (x / 97 + y / 89) % 3 != 0;
        pixels[i] = ((is_ring && x / 97 % 2 == 0) || is_stroke) && random_word(&state) % 400 > 0;
    }
    make(b, 1, (size_t)(width * height)), make(b, 2, (size_t)(width * height)), make(b, 3, ROUNDS * sizeof(cl_int));
    up(b, 0);
}

static void thin_strokes_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)height_of(b);
    struct range range = RANGE2(round_up(width, 32), round_up(height, 4), 32, 4);
    launch(b, "none_removed", RANGE1(ROUNDS, 0), B(3));
    for (cl_int round = 0; round < ROUNDS; round++) {
        int from = round == 0 ? 0 : 2 - round % 2, to = 1 + round % 2;
        launch(b, "thin_strokes", range, B(from), V(width), V(height), V(round), B(3), B(to));
    }
}

static int is_removed(const unsigned char *pixel, long width, int half) {
    long steps[9] = {-width, -width + 1, 1, width + 1, width, width - 1, -1, -width - 1, -width};
    int count = 0, beginnings = 0, p[8];
    for (int i = 0; i < 8; i++) {
        p[i] = pixel[steps[i]];
        count += p[i], beginnings += p[i] == 0 && pixel[steps[i + 1]] != 0;
    }
    int one = half == 0 ? p[0] * p[2] * p[4] : p[0] * p[2] * p[6], other = half == 0 ? p[2] * p[4] * p[6] : p[0] * p[4] * p[6];
    return count >= 2 && count <= 6 && beginnings == 1 && one == 0 && other == 0;
}

static int thin_strokes_check(struct clbench *b) {
    long width = b->size, height = height_of(b), count = 0, left = 0;
    unsigned char *pixels = malloc((size_t)(width * height)), *marks = malloc((size_t)(width * height));
    const unsigned char *before = b->buffer[0].host, *got = b->buffer[2].host;
    const cl_int *removed = b->buffer[3].host;
    int ok = 1;
    down(b, 2), down(b, 3);
    memcpy(pixels, before, (size_t)(width * height));
    for (int round = 0; ok && round < ROUNDS; round++) {
        int any = 0;
        for (long i = 0; i < width * height; i++) {
            long x = i % width, y = i / width;
            int is_inner = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
            marks[i] = pixels[i] && is_inner && is_removed(pixels + i, width, round % 2);
            any |= marks[i];
        }
        for (long i = 0; i < width * height; i++) {
            pixels[i] = pixels[i] && !marks[i];
        }
        ok = same("round removes", round, removed[round], any);
    }
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("pixel", i, got[i], pixels[i]);
        count += before[i], left += pixels[i];
    }
    free(pixels), free(marks);
    return ok && same("strokes are thin", 0, left > count / 50 && left < count / 2, 1);
}

static void exact_distances_prepare(struct clbench *b) {
    long width = b->size, height = height_of(b);
    unsigned char *dots = make(b, 0, (size_t)(width * height));
    uint32_t state = 2221;
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width;
        int is_arc = labs(x * x + y * y - width * width / 3) < width / 2;
        dots[i] = x % 23 != 5 && (is_arc || (random_word(&state) % 900 == 0 && 2 * x > y));
    }
    make(b, 1, (size_t)(width * height) * sizeof(cl_int)), make(b, 2, (size_t)(width * height) * sizeof(cl_ushort2));
    make(b, 3, (size_t)(width * height) * sizeof(float));
    up(b, 0);
}

static void exact_distances_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)height_of(b);
    launch(b, "column_distances", RANGE1(round_up(width, 16), 16), B(0), V(width), V(height), B(1));
    launch(b, "exact_distances", RANGE1(round_up(height, 8), 0), B(1), V(width), V(height), B(2), B(3));
}

/* From here down or up to a dot of the column; as many as both sides where there is none. */
static long down_or_up(const struct clbench *b, long x, long y) {
    const unsigned char *dots = b->buffer[0].host;
    long width = b->size, height = height_of(b);
    for (long far = 0; far < height; far++) {
        if ((y >= far && dots[(y - far) * width + x]) || (y + far < height && dots[(y + far) * width + x])) {
            return far;
        }
    }
    return width + height;
}

static int exact_distances_check(struct clbench *b) {
    const cl_int *columns = b->buffer[1].host;
    const float *got = b->buffer[3].host;
    long width = b->size, height = height_of(b);
    int ok = 1;
    down(b, 1), down(b, 3);
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("distance in the column", i, columns[i], down_or_up(b, i % width, i / width));
    }
    for (long i = 0; ok && i < width * height; i++) {
        long x = i % width, best = (long)columns[i] * columns[i];
        for (long far = 1; far * far < best; far++) {
            long before = x >= far ? columns[i - far] : 1 << 20, after = x + far < width ? columns[i + far] : 1 << 20;
            long nearer = before < after ? before : after, squared = far * far + nearer * nearer;
            best = squared < best ? squared : best;
        }
        ok = near("distance", i, (double)got[i], sqrt((double)best), 1e-6);
    }
    return ok;
}

const struct workload round18_image_workloads[] = {
    WORKLOAD(round18_image, palette_dither, 75, 401, 1601, 4001),
    WORKLOAD(round18_image, smooth_steps, 101, 601, 1999, 4999),
    WORKLOAD(round18_image, thin_strokes, 99, 401, 1301, 4001),
    WORKLOAD(round18_image, exact_distances, 83, 601, 1999, 5003),
    END_OF_WORKLOADS,
};
