/* Vision. Sizes are columns of a picture, of which there are four for three rows. */
#include "workloads.h"

enum { WINDOW = 24, SCALES = 3, STAGES = 12, MOST_JUDGES = 3 * STAGES + STAGES * (STAGES - 1) };

struct judge {
    unsigned char parts[3][4];
    signed char weights[4];
    float threshold, below, above;
};
struct stage {
    cl_int first, count;
    float least;
};

static long rows_of(const struct clbench *b) { return b->size * 3 / 4; }

/* How many windows there are along a side of a picture. */
static long windows_along(long pixels, long scale) { return pixels < WINDOW * scale ? 0 : (pixels - WINDOW * scale) / scale + 1; }

static long windows_of(const struct clbench *b, long scale) {
    return windows_along(b->size, scale) * windows_along(rows_of(b), scale);
}

/* A judge has a rectangle and a half, a third or two quarters of it, which weigh as much. */
static struct judge make_judge(uint32_t *state) {
    struct judge judge = {.weights = {-1, 0, 0, 0}};
    int kind = (int)(random_word(state) % 5), width = 6 * (1 + (int)(random_word(state) % 3)), height = 6 + 2 * (width / 6);
    int x = (int)(random_word(state) % (uint32_t)(WINDOW - width + 1));
    int y = (int)(random_word(state) % (uint32_t)(WINDOW - height + 1));
    int parts[3][4] = {{x, y, width, height}, {x, y, width, height}, {0}};
    judge.weights[1] = kind == 1 ? 3 : 2;
    switch (kind) {
    case 0: parts[1][2] = width / 2; break;
    case 1: parts[1][2] = width / 3, parts[1][0] += width / 3; break;
    case 2: parts[1][3] = height / 2; break;
    default:
        judge.weights[2] = 2;
        for (int i = 1; i < 3; i++) {
            parts[i][0] = x + (i == kind - 2 ? width / 2 : 0), parts[i][1] = y + (i == 1 ? 0 : height / 2);
            parts[i][2] = width / 2, parts[i][3] = height / 2;
        }
    }
    for (int i = 0; i < 12; i++) {
        judge.parts[i / 4][i % 4] = (unsigned char)parts[i / 4][i % 4];
    }
    judge.threshold = 0.06f * (random_unit(state) - 0.5f);
    judge.below = (float)(random_word(state) % 65) / 64.0f, judge.above = 1.0f - judge.below;
    return judge;
}

static void haar_cascade_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), stride = width + 1, windows = 0;
    cl_uint *sums = make(b, 0, (size_t)(stride * (height + 1)) * sizeof *sums);
    cl_uint *squares = make(b, 1, (size_t)(stride * (height + 1)) * sizeof *squares);
    uint32_t state = 1693;
    for (long i = 0; i < width * height; i++) {
        double x = (double)(i % width), y = (double)(i / width);
        double value = 128.0 + 50.0 * sin(x * 0.11 + 2.0 * sin(y * 0.043)) * cos(y * 0.09) + 30.0 * sin(x * y * 0.0007);
        cl_uint pixel = (cl_uint)value + random_word(&state) % 32;
        cl_uint *to = sums + (i / width + 1) * stride + i % width + 1, *to_square = squares + (to - sums);
        to[0] = pixel + to[-1] + to[-stride] - to[-stride - 1];
        to_square[0] = pixel * pixel + to_square[-1] + to_square[-stride] - to_square[-stride - 1];
    }
    struct stage *stages = make(b, 2, STAGES * sizeof *stages);
    struct judge *judges = make(b, 3, MOST_JUDGES * sizeof *judges);
    for (int i = 0, first = 0; i < STAGES; first += stages[i++].count) {
        stages[i] = (struct stage){first, 3 + 2 * i, 0.0f};
        stages[i].least = 0.473f * (float)stages[i].count;
        for (int k = 0; k < stages[i].count; k++) {
            judges[first + k] = make_judge(&state);
        }
    }
    for (long scale = 1; scale <= SCALES; scale++) {
        windows += windows_of(b, scale);
    }
    make(b, 4, (size_t)windows), make(b, 5, (size_t)(windows / 4 + 64) * sizeof(cl_int4)), make(b, 6, sizeof(cl_uint));
    for (int i = 0; i < 4; i++) {
        up(b, i);
    }
}

static void haar_cascade_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b), stages = STAGES, base = 0;
    cl_uint most = (cl_uint)(b->buffer[5].bytes / sizeof(cl_int4));
    launch(b, "clear_found", RANGE1(1, 1), B(6));
    for (cl_int scale = 1; scale <= SCALES; scale++) {
        long columns = windows_along(width, scale), rows = windows_along(height, scale);
        if (columns * rows > 0) {
            launch(b, "haar_cascade", RANGE2(round_up(columns, 16), round_up(rows, 8), 16, 8), B(0), B(1), V(width), V(height),
                   V(scale), B(2), V(stages), B(3), V(base), B(4), B(5), V(most), B(6));
            base += (cl_int)(columns * rows);
        }
    }
}

static long rectangle_of(const cl_uint *sums, long stride, long x, long y, long width, long height) {
    const cl_uint *upper = sums + y * stride + x, *lower = upper + height * stride;
    return (cl_uint)(lower[width] - lower[0] - upper[width] + upper[0]);
}

/* Through how many stages a window gets, or -1 if rounding might decide. */
static int stages_passed(const struct clbench *b, long x, long y, long scale) {
    const cl_uint *sums = b->buffer[0].host, *squares = b->buffer[1].host;
    const struct stage *stages = b->buffer[2].host;
    const struct judge *judges = b->buffer[3].host;
    long side = WINDOW * scale, stride = b->size + 1;
    double area = (double)(side * side), sum = (double)rectangle_of(sums, stride, x, y, side, side);
    double deviation = sqrt(area * (double)rectangle_of(squares, stride, x, y, side, side) - sum * sum);
    for (int stage = 0; stage < STAGES; stage++) {
        double votes = 0.0;
        for (int k = stages[stage].first; k < stages[stage].first + stages[stage].count; k++) {
            double value = 0.0, threshold = (double)judges[k].threshold * deviation;
            for (int i = 0; i < 3; i++) {
                const unsigned char *part = judges[k].parts[i];
                value += judges[k].weights[i] * (double)rectangle_of(sums, stride, x + part[0] * scale, y + part[1] * scale,
                                                                     part[2] * scale, part[3] * scale);
            }
            if (fabs(value - threshold) < 1e-5 * fabs(threshold)) {
                return -1;
            }
            votes += (double)(value < threshold ? judges[k].below : judges[k].above);
        }
        if (fabs(votes - (double)stages[stage].least) < 1e-4) {
            return -1;
        }
        if (votes < (double)stages[stage].least) {
            return stage;
        }
    }
    return STAGES;
}

static int haar_cascade_check(struct clbench *b) {
    const unsigned char *passed = b->buffer[4].host;
    const cl_int *found = b->buffer[5].host;
    const cl_uint *founds = b->buffer[6].host;
    long bases[SCALES + 2] = {0}, unsure = 0, through = 0, stages = 0;
    int ok = 1;
    down(b, 4), down(b, 5), down(b, 6);
    for (long scale = 1; scale <= SCALES; scale++) {
        long columns = windows_along(b->size, scale), count = windows_of(b, scale);
        bases[scale + 1] = bases[scale] + count;
        for (long i = 0; ok && i < count; i++) {
            int want = stages_passed(b, i % columns * scale, i / columns * scale, scale), got = passed[bases[scale] + i];
            unsure += want < 0;
            ok = want < 0 || same("stages", bases[scale] + i, got, want);
            through += got == STAGES, stages += got;
        }
    }
    long windows = bases[SCALES + 1];
    unsigned char *seen = calloc(1, (size_t)windows);
    ok = ok && same("found", 0, *founds, through);
    for (long i = 0; ok && i < through; i++) {
        const cl_int *at = found + 4 * i;
        ok = same("a scale is right", i, at[3] >= 1 && at[3] <= SCALES && at[2] == at[3] * WINDOW, 1);
        if (ok) {
            long window = bases[at[3]] + at[1] / at[3] * windows_along(b->size, at[3]) + at[0] / at[3];
            ok = same("a window is one", i, window >= 0 && window < windows, 1) && same("again", i, seen[window]++, 0) &&
                 same("stages of what is found", i, passed[window], STAGES);
        }
    }
    free(seen);
    return ok && same("few are unsure", 0, unsure <= windows / 100, 1) &&
           same("some get far", 0, stages > windows / 2 && through < windows / 4 + 64, 1);
}

enum { LEVELS = 64, NEARER = 30, FARTHER = 9 };

static const cl_int small_step = 8, large_step = 64;

/* How far a pixel of the left picture is at the right of that of the right one: a disc is near. */
static long shift_at(const struct clbench *b, long x, long y) {
    long dx = x - b->size * 3 / 5, dy = y - rows_of(b) / 2;
    return (dx * dx + dy * dy) * 16 < b->size * b->size ? NEARER : FARTHER + y * 8 / rows_of(b);
}

static void semi_global_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), pixels = width * height;
    unsigned char *left = make(b, 0, (size_t)pixels), *right = make(b, 1, (size_t)pixels);
    uint32_t state = 1697;
    for (long i = 0; i < pixels; i++) {
        double x = (double)(i % width), y = (double)(i / width);
        right[i] = (unsigned char)(110.0 + 40.0 * sin(x * 0.31 + y * 0.17) * sin(y * 0.23 - x * 0.05) + random_word(&state) % 90);
    }
    for (long i = 0; i < pixels; i++) {
        long from = i % width - shift_at(b, i % width, i / width);
        left[i] = (unsigned char)((from < 0 ? 100 : right[i / width * width + from]) + random_word(&state) % 6);
    }
    make(b, 2, (size_t)(pixels * LEVELS)), make(b, 3, (size_t)(pixels * LEVELS) * sizeof(cl_ushort));
    make(b, 4, (size_t)pixels * sizeof(cl_short));
    up(b, 0), up(b, 1);
}

static void semi_global_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b), is_first = 1;
    launch(b, "fit_costs", RANGE3(LEVELS, (size_t)width, (size_t)height, LEVELS, 1, 1), B(0), B(1), V(width), V(height), B(2));
    for (int way = 0; way < 4; way++) {
        int across = way < 2, back = way % 2;
        cl_int2 origin = {{back && across ? width - 1 : 0, back && !across ? height - 1 : 0}};
        cl_int2 apart = {{!across, across}}, forward = {{across * (1 - 2 * back), !across * (1 - 2 * back)}};
        cl_int lines = across ? height : width, length = across ? width : height;
        launch(b, "path_costs", RANGE1((size_t)lines * LEVELS, LEVELS), B(2), V(width), V(origin), V(apart), V(forward),
               V(length), V(small_step), V(large_step), V(is_first), B(3));
        is_first = 0;
    }
    launch(b, "choose_levels", RANGE2(round_up(width, 32), round_up(height, 4), 32, 4), B(3), V(width), V(height), B(4));
}

/* The value of a row at a place in halves of pixels; the border goes on beyond it. */
static int half_pixel(const unsigned char *row, long width, long halves) {
    long one = halves >> 1, other = (halves + 1) >> 1;
    one = one < 0 ? 0 : one, other = other >= width ? width - 1 : other;
    return (row[one] + row[other]) / 2;
}

static int fit_cost(const unsigned char *left, const unsigned char *right, long width, long x, long level) {
    long other = x - level;
    int least = 60, apart[2];
    if (other < 0) {
        return least;
    }
    for (int way = 0; way < 2; way++) {
        const unsigned char *in = way == 0 ? right : left;
        int value = way == 0 ? left[x] : right[other], low = 255, high = 0;
        for (long k = -1; k <= 1; k++) {
            int between = half_pixel(in, width, 2 * (way == 0 ? other : x) + k);
            low = between < low ? between : low, high = between > high ? between : high;
        }
        apart[way] = value < low ? low - value : value > high ? value - high : 0;
        least = apart[way] < least ? apart[way] : least;
    }
    return least;
}

/* Adds the costs of the paths that come from one side: of each pixel after the one that they come from. */
static void add_paths(const unsigned char *costs, long width, long height, long dx, long dy, cl_int *paths, cl_int *sums) {
    for (long i = 0; i < width * height; i++) {
        long at = dx + dy > 0 ? i : width * height - 1 - i, x = at % width - dx, y = at / width - dy;
        int is_inside = x >= 0 && x < width && y >= 0 && y < height;
        const cl_int *before = paths + (at - dy * width - dx) * LEVELS;
        int lowest = INT32_MAX;
        for (int k = 0; is_inside && k < LEVELS; k++) {
            lowest = before[k] < lowest ? before[k] : lowest;
        }
        for (int k = 0; k < LEVELS; k++) {
            int least = is_inside ? lowest + large_step : 0;
            for (int other = k - 1; is_inside && other <= k + 1; other++) {
                int cost = other < 0 || other >= LEVELS ? least : before[other] + (other == k ? 0 : small_step);
                least = cost < least ? cost : least;
            }
            paths[at * LEVELS + k] = costs[at * LEVELS + k] + least - (is_inside ? lowest : 0);
            sums[at * LEVELS + k] += paths[at * LEVELS + k];
        }
    }
}

/* The first level that is cheapest, of those that are inside the picture: of a pixel of the left picture, or of the right one. */
static long cheapest(const cl_int *sums, long width, long x, int is_right) {
    long best = 0;
    for (long k = 1; k < LEVELS && x + is_right * k < width; k++) {
        if (sums[(x + is_right * k) * LEVELS + k] < sums[(x + is_right * best) * LEVELS + best]) {
            best = k;
        }
    }
    return best;
}

static long chosen_level(const cl_int *sums, long width, long x) {
    const cl_int *own = sums + x * LEVELS;
    long best = cheapest(sums, width, x, 0), back;
    for (long k = 0; k < LEVELS; k++) {
        if ((k < best - 1 || k > best + 1) && own[k] * 9 < own[best] * 10) {
            return -1;
        }
    }
    if (best > x) {
        return -1;
    }
    back = cheapest(sums, width, x - best, 1);
    if (labs(back - best) > 1) {
        return -1;
    }
    if (best == 0 || best == LEVELS - 1) {
        return best * 16;
    }
    return best * 16 + (own[best - 1] - own[best + 1]) * 8 / (own[best - 1] + own[best + 1] - 2 * own[best]);
}

static int semi_global_check(struct clbench *b) {
    const unsigned char *left = b->buffer[0].host, *right = b->buffer[1].host;
    const cl_short *got = b->buffer[4].host;
    long width = b->size, height = rows_of(b), cells = width * height * LEVELS, right_ones = 0;
    unsigned char *costs = calloc(1, (size_t)cells);
    cl_int *paths = calloc((size_t)cells * 2, sizeof *paths), *sums = paths + cells;
    int ok = 1;
    down(b, 4);
    for (long i = 0; i < cells; i++) {
        long row = i / LEVELS / width * width;
        costs[i] = (unsigned char)fit_cost(left + row, right + row, width, i / LEVELS % width, i % LEVELS);
    }
    add_paths(costs, width, height, 1, 0, paths, sums), add_paths(costs, width, height, -1, 0, paths, sums);
    add_paths(costs, width, height, 0, 1, paths, sums), add_paths(costs, width, height, 0, -1, paths, sums);
    for (long i = 0; ok && i < width * height; i++) {
        ok = same("level", i, got[i], chosen_level(sums + i / width * width * LEVELS, width, i % width));
        right_ones += labs(got[i] - 16 * shift_at(b, i % width, i / width)) <= 16;
    }
    free(costs), free(paths);
    return ok && same("many are right", 0, right_ones > width * height / 4, 1);
}

enum { MODES = 4, FRAMES = 8 };

static cl_float learning_rate(int frame) { return fmaxf(0.05f, 0.9f / (float)(frame + 2)); }

/* Frames of a wall with a lamp that flickers; a ball rolls along and has a shadow. */
static void background_mixture_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), pixels = width * height;
    unsigned char *frames = make(b, 0, (size_t)(pixels * FRAMES) * 4);
    uint32_t state = 1699;
    for (long i = 0; i < pixels * FRAMES; i++) {
        long frame = i / pixels, x = i % width, y = i / width % height;
        double dx = (double)x - (double)width * (double)(frame + 1) / 10.0, dy = (double)y - (double)height * 0.5;
        double radius = (double)height * 0.2, base = 120.0 + 50.0 * sin((double)x * 0.05) * cos((double)y * 0.03);
        base += y < height / 3 && frame % 3 == 1 ? 45.0 : 0.0;
        if (dx * dx * 0.3 + (dy - radius) * (dy - radius) * 3.0 < radius * radius) {
            base *= 0.7;
        }
        for (int k = 0; k < 3; k++) {
            double value = dx * dx + dy * dy < radius * radius ? 60.0 + 70.0 * k : base - 15.0 * k;
            frames[4 * i + k] = (unsigned char)(value + random_word(&state) % 7);
        }
    }
    make(b, 1, (size_t)pixels * sizeof(cl_int));
    make(b, 2, (size_t)(pixels * MODES) * sizeof(float)), make(b, 3, (size_t)(pixels * MODES) * sizeof(float));
    make(b, 4, (size_t)(pixels * MODES) * sizeof(cl_float4)), make(b, 5, (size_t)pixels), make(b, 6, (size_t)pixels);
    up(b, 0);
}

static void background_mixture_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b), pixels = width * height;
    for (int frame = 0; frame < FRAMES; frame++) {
        cl_int from = frame * pixels, is_first = frame == 0;
        cl_float rate = learning_rate(frame);
        launch(b, "background_mixture", RANGE1(round_up(pixels, 128), 128), B(0), V(pixels), V(from), V(rate), V(is_first), B(1),
               B(2), B(3), B(4), B(5));
        launch(b, "most_of_nine", RANGE2(round_up(width, 32), round_up(height, 8), 32, 8), B(5), V(width), V(height), B(6));
    }
}

struct mode {
    double weight, variance, mean[3];
};

/* Whether one number is less than another, and if that is far from sure. */
static int is_less(double one, double other, int *unsure) {
    *unsure |= fabs(one - other) < 1e-4 * (fabs(one) + fabs(other) + 1e-3);
    return one < other;
}

/* What a pixel is by one mode of those that are the background. */
static int kind_by_mode(const struct mode *mode, const unsigned char *pixel, int kind, int *unsure) {
    double square = 0.0, product = 0.0, length = 0.0, off = 0.0, share;
    for (int k = 0; k < 3; k++) {
        square += (pixel[k] - mode->mean[k]) * (pixel[k] - mode->mean[k]);
        product += pixel[k] * mode->mean[k], length += mode->mean[k] * mode->mean[k];
    }
    if (is_less(square, 16.0 * mode->variance, unsure)) {
        return 0;
    }
    share = product / fmax(length, 1.0);
    for (int k = 0; k < 3; k++) {
        off += (share * mode->mean[k] - pixel[k]) * (share * mode->mean[k] - pixel[k]);
    }
    if (kind == 255 && !is_less(share, 0.5, unsure) && is_less(share, 1.0, unsure) &&
        is_less(off, 16.0 * mode->variance * share * share, unsure)) {
        return 127;
    }
    return kind;
}

/* The modes after one more frame, and what the pixel is. */
static int learn_pixel(struct mode *modes, int *used, const unsigned char *pixel, double rate, int *unsure) {
    int kind = 255, match = -1;
    double so_far = 0.0, sum = 0.0, square = 0.0;
    for (int i = 0; i < *used && match < 0; so_far += modes[i++].weight) {
        square = 0.0;
        for (int k = 0; k < 3; k++) {
            square += (pixel[k] - modes[i].mean[k]) * (pixel[k] - modes[i].mean[k]);
        }
        kind = is_less(so_far, 0.85, unsure) ? kind_by_mode(modes + i, pixel, kind, unsure) : kind;
        match = is_less(square, 9.0 * modes[i].variance, unsure) ? i : -1;
    }
    for (int i = 0; i < *used; i++) {
        modes[i].weight *= 1.0 - rate;
    }
    if (match >= 0) {
        struct mode *mode = modes + match;
        mode->weight += rate;
        for (int k = 0; k < 3; k++) {
            mode->mean[k] += rate / mode->weight * (pixel[k] - mode->mean[k]);
        }
        mode->variance = fmin(fmax(mode->variance + rate / mode->weight * (square - mode->variance), 4.0), 75.0);
    } else {
        match = *used < MODES ? (*used)++ : MODES - 1;
        modes[match] = (struct mode){match == 0 ? 1.0 : rate, 15.0, {pixel[0], pixel[1], pixel[2]}};
    }
    for (int i = match; i > 0 && is_less(modes[i - 1].weight, modes[i].weight, unsure); i--) {
        struct mode kept = modes[i];
        modes[i] = modes[i - 1], modes[i - 1] = kept;
    }
    for (int i = 0; i < *used; i++) {
        sum += modes[i].weight;
    }
    for (int i = 0; i < *used; i++) {
        modes[i].weight /= sum;
    }
    return kind;
}

static int check_modes(const struct clbench *b, long pixel, const struct mode *modes, int used) {
    const cl_int *got_used = b->buffer[1].host;
    const float *weights = b->buffer[2].host, *variances = b->buffer[3].host, *means = b->buffer[4].host;
    long pixels = b->size * rows_of(b);
    int ok = same("modes", pixel, got_used[pixel], used);
    for (long i = 0; ok && i < used; i++) {
        long at = i * pixels + pixel;
        ok = near("weight", at, weights[at], modes[i].weight, 1e-4) &&
             near("variance", at, variances[at], modes[i].variance, 1e-3);
        for (long k = 0; ok && k < 3; k++) {
            ok = near("mean", 4 * at + k, means[4 * at + k], modes[i].mean[k], 1e-4);
        }
    }
    return ok;
}

static int background_mixture_check(struct clbench *b) {
    const unsigned char *frames = b->buffer[0].host, *mask = b->buffer[5].host, *out = b->buffer[6].host;
    long width = b->size, height = rows_of(b), pixels = width * height, unsure_ones = 0, counts[256] = {0};
    int ok = 1;
    for (int i = 1; i <= 6; i++) {
        down(b, i);
    }
    for (long i = 0; ok && i < pixels; i++) {
        struct mode modes[MODES];
        int used = 0, unsure = 0, kind = 0;
        for (int frame = 0; frame < FRAMES; frame++) {
            kind = learn_pixel(modes, &used, frames + (frame * pixels + i) * 4, (double)learning_rate(frame), &unsure);
        }
        ok = unsure || (same("kind", i, mask[i], kind) && check_modes(b, i, modes, used));
        unsure_ones += unsure;
        counts[mask[i]]++;
    }
    for (long i = 0; ok && i < pixels; i++) {
        int count = 0;
        for (long k = 0; k < 9; k++) {
            long x = i % width + k % 3 - 1, y = i / width + k / 3 - 1;
            count += x >= 0 && x < width && y >= 0 && y < height && mask[y * width + x] == 255;
        }
        ok = same("most of nine", i, out[i], count >= 5 ? 255 : 0);
    }
    return ok && same("few are unsure", 0, unsure_ones <= pixels / 10, 1) &&
           same("all kinds are there", 0, counts[0] > pixels / 2 && counts[127] > 0 && counts[255] > 0, 1);
}

const struct workload round15_vision_workloads[] = {
    WORKLOAD(round15_vision, haar_cascade, 61, 221, 801, 2001),
    WORKLOAD(round15_vision, semi_global, 77, 113, 401, 1001),
    WORKLOAD(round15_vision, background_mixture, 61, 301, 1001, 2501),
    END_OF_WORKLOADS,
};
