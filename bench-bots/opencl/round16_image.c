/* Pictures. Sizes are widths. */
#include "workloads.h"

static long rows_of(const struct clbench *b) { return b->size * 2 / 3 + 1; }

enum { SSIM_SIDE = 16, REACH = 5 };

/* A picture, and what is left of it: much noise at the left, less contrast at the right, the same in between. */
static void ssim_windows_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), pixels = width * height;
    unsigned char *firsts = make(b, 0, (size_t)pixels), *seconds = make(b, 1, (size_t)pixels);
    float *bell = make(b, 2, (2 * REACH + 1) * sizeof *bell), sum = 0.0f;
    uint32_t state = 1871;
    for (long i = 0; i < pixels; i++) {
        long x = i % width, y = i / width;
        double value = 120.0 + 60.0 * sin((double)x * 0.21) * cos((double)y * 0.13) + ((x / 16 + y / 16) % 2 ? 40.0 : 0.0);
        firsts[i] = (unsigned char)(value + random_word(&state) % 12);
        if (x < width / 3) {
            seconds[i] = (unsigned char)(firsts[i] / 2 + random_word(&state) % 100);
        } else {
            seconds[i] = x < width * 2 / 3 ? firsts[i] : (unsigned char)(100 + firsts[i] / 4);
        }
    }
    for (int i = 0; i <= 2 * REACH; i++) {
        bell[i] = expf(-(float)((i - REACH) * (i - REACH)) / (2.0f * 1.5f * 1.5f));
        sum += bell[i];
    }
    for (int i = 0; i <= 2 * REACH; i++) {
        bell[i] /= sum;
    }
    make(b, 3, (size_t)pixels * sizeof(float));
    make(b, 4, round_up(width, SSIM_SIDE) * round_up(height, SSIM_SIDE) / (SSIM_SIDE * SSIM_SIDE) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void ssim_windows_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b);
    launch(b, "ssim_windows", RANGE2(round_up(width, SSIM_SIDE), round_up(height, SSIM_SIDE), SSIM_SIDE, SSIM_SIDE), B(0), B(1),
           V(width), V(height), B(2), B(3), B(4));
}

static double alike_at(const struct clbench *b, long x, long y) {
    const unsigned char *firsts = b->buffer[0].host, *seconds = b->buffer[1].host;
    const float *bell = b->buffer[2].host;
    double mean[2] = {0.0}, square[2] = {0.0}, product = 0.0, c1 = 6.5025, c2 = 58.5225;
    for (long dy = -REACH; dy <= REACH; dy++) {
        for (long dx = -REACH; dx <= REACH; dx++) {
            long at = clamped(y + dy, rows_of(b)) * b->size + clamped(x + dx, b->size);
            double weight = (double)bell[dx + REACH] * (double)bell[dy + REACH], one = firsts[at], other = seconds[at];
            mean[0] += weight * one, mean[1] += weight * other, product += weight * one * other;
            square[0] += weight * one * one, square[1] += weight * other * other;
        }
    }
    product -= mean[0] * mean[1];
    square[0] -= mean[0] * mean[0], square[1] -= mean[1] * mean[1];
    return (2.0 * mean[0] * mean[1] + c1) * (2.0 * product + c2) /
           ((mean[0] * mean[0] + mean[1] * mean[1] + c1) * (square[0] + square[1] + c2));
}

static int ssim_windows_check(struct clbench *b) {
    const float *map = b->buffer[3].host, *parts = b->buffer[4].host;
    long pixels = b->size * rows_of(b);
    double sum = 0.0, got = 0.0, least = 1.0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < pixels; i++) {
        double want = alike_at(b, i % b->size, i / b->size);
        ok = near("alike", i, map[i], want, 1e-3);
        sum += want, least = fmin(least, want);
    }
    for (size_t i = 0; i < b->buffer[4].bytes / sizeof *parts; i++) {
        got += (double)parts[i];
    }
    return ok && near("mean", 0, got / (double)pixels, sum / (double)pixels, 1e-4) &&
           same("some differ", 0, least < 0.4 && sum > (double)pixels * 0.4, 1);
}

static long seeds_of(const struct clbench *b) { return b->size * rows_of(b) / 150 + 2; }

static void jump_flood_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b), pixels = width * height;
    cl_short2 *seeds = make(b, 0, (size_t)seeds_of(b) * sizeof *seeds);
    uint32_t state = 1873;
    for (long i = 0; i < seeds_of(b); i++) {
        /* More of them at the left. */
        float across = random_unit(&state);
        seeds[i] = (cl_short2){{(cl_short)(across * across * (float)width), (cl_short)(random_word(&state) % (uint32_t)height)}};
    }
    make(b, 1, (size_t)pixels * sizeof(cl_short2)), make(b, 2, (size_t)pixels * sizeof(cl_short2));
    make(b, 3, (size_t)pixels * sizeof(float)), make(b, 4, (size_t)pixels);
    up(b, 0);
}

static int first_step(const struct clbench *b) {
    int step = 1;
    while (2 * step < b->size) {
        step *= 2;
    }
    return step;
}

static void jump_flood_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b), pixels = width * height, count = (cl_int)seeds_of(b);
    struct range range = RANGE2(round_up(width, 32), round_up(height, 4), 32, 4);
    int from = 1;
    launch(b, "forget_seeds", RANGE1(round_up(pixels, 128), 128), B(1), V(pixels));
    launch(b, "plant_seeds", RANGE1(round_up(count, 64), 64), B(0), V(count), V(width), B(1));
    for (cl_int step = first_step(b); step > 0; step /= 2, from = 3 - from) {
        launch(b, "flood_step", range, B(from), V(width), V(height), V(step), B(3 - from));
    }
    launch(b, "cell_distances", range, B(from), V(width), V(height), B(3), B(4));
}

static long square_apart(cl_short2 seed, long x, long y) {
    return (seed.s[0] - x) * (seed.s[0] - x) + (seed.s[1] - y) * (seed.s[1] - y);
}

/* The same steps, one pixel after another; of seeds that are as near as each other the first one is kept. */
static void flood(const struct clbench *b, cl_short2 *now, cl_short2 *next) {
    const cl_short2 *seeds = b->buffer[0].host;
    long width = b->size, height = rows_of(b), pixels = width * height;
    memset(now, -1, (size_t)pixels * sizeof *now);
    for (long i = 0; i < seeds_of(b); i++) {
        now[seeds[i].s[1] * width + seeds[i].s[0]] = seeds[i];
    }
    for (long step = first_step(b); step > 0; step /= 2) {
        for (long i = 0; i < pixels; i++) {
            long x = i % width, y = i / width;
            next[i] = now[i];
            for (long k = 0; k < 9; k++) {
                long column = x + (k % 3 - 1) * step, row = y + (k / 3 - 1) * step;
                if (column >= 0 && column < width && row >= 0 && row < height && now[row * width + column].s[0] >= 0) {
                    cl_short2 seed = now[row * width + column];
                    int is_nearer = next[i].s[0] < 0 || square_apart(seed, x, y) < square_apart(next[i], x, y);
                    next[i] = is_nearer ? seed : next[i];
                }
            }
        }
        memcpy(now, next, (size_t)pixels * sizeof *now);
    }
}

/* The steps are right, and so is what they lead to, but for few pixels. */
static int jump_flood_check(struct clbench *b) {
    const cl_short2 *seeds = b->buffer[0].host;
    const float *distances = b->buffer[3].host;
    const unsigned char *borders = b->buffer[4].host;
    long width = b->size, height = rows_of(b), pixels = width * height, looked_at = 0, wrong = 0, border_count = 0;
    cl_short2 *now = calloc((size_t)pixels * 2, sizeof *now);
    int ok = 1;
    down(b, 3), down(b, 4);
    flood(b, now, now + pixels);
    for (long i = 0; ok && i < pixels; i++) {
        long x = i % width, y = i / width;
        int right = x + 1 < width && memcmp(now + i, now + i + 1, sizeof *now) != 0;
        int below = y + 1 < height && memcmp(now + i, now + i + width, sizeof *now) != 0;
        ok = near("distance", i, distances[i], sqrt((double)square_apart(now[i], x, y)), 1e-5) &&
             same("border", i, borders[i], right || below ? 255 : 0);
        border_count += right || below;
    }
    for (long i = 0; ok && i < pixels; i += pixels / 500 + 1, looked_at++) {
        long least = INT32_MAX;
        for (long k = 0; k < seeds_of(b); k++) {
            long square = square_apart(seeds[k], i % width, i / width);
            least = square < least ? square : least;
        }
        wrong += fabs((double)distances[i] - sqrt((double)least)) > 1e-3;
    }
    free(now);
    return ok && same("few are wrong", 0, wrong <= looked_at / 20, 1) &&
           same("there are cells", 0, border_count > pixels / 20 && border_count < pixels / 2, 1);
}

enum { VIEW_STEPS = 16, LIGHT_STEPS = 8 };

static const cl_float haze_amount = 1.7f, sun_height = -0.03f, sun_light = 22.0f;
static const double ground = 6360.0, air_top = 6420.0;

static cl_float4 sun_of(void) {
    float level = sqrtf(1.0f - sun_height * sun_height);
    return (cl_float4){{level * 0.6f, sun_height, level * 0.8f, sun_light}};
}

static void sky_scatter_prepare(struct clbench *b) { make(b, 0, (size_t)(b->size * rows_of(b)) * 4); }

static void sky_scatter_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)rows_of(b);
    cl_float4 sun = sun_of();
    launch(b, "sky_scatter", RANGE2(round_up(width, 16), round_up(height, 8), 16, 8), V(width), V(height), V(sun), V(haze_amount),
           B(0));
}

static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double way_out(const double *from, const double *along) {
    double middle = dot3(from, along);
    return sqrt(middle * middle - dot3(from, from) + air_top * air_top) - middle;
}

static void add_density(const double *from, const double *along, double far, double step, double *sums) {
    double place[3];
    for (int k = 0; k < 3; k++) {
        place[k] = from[k] + along[k] * far;
    }
    double height = sqrt(dot3(place, place)) - ground;
    sums[0] += exp(-height / 8.0) * step, sums[1] += exp(-height / 1.2) * step;
}

/* The light of one colour after another, in 255ths of what can be shown. `shaded` counts places where there is no sun. */
static void sky_colours(const double *along, double *colours, long *shaded) {
    static const double air_parts[3] = {5.8e-3, 13.5e-3, 33.1e-3};
    cl_float4 sun = sun_of();
    double light[3] = {(double)sun.s[0], (double)sun.s[1], (double)sun.s[2]}, eye[3] = {0.0, ground + 0.2, 0.0};
    double step = way_out(eye, along) / VIEW_STEPS, haze = 4.0e-3 * (double)haze_amount, depth[2] = {0.0}, sums[6] = {0.0};
    for (int i = 0; i < VIEW_STEPS; i++) {
        double far = step * (i + 0.5), place[3], here[2] = {0.0}, all[2];
        for (int k = 0; k < 3; k++) {
            place[k] = eye[k] + along[k] * far;
        }
        add_density(eye, along, far, step, here);
        depth[0] += here[0], depth[1] += here[1];
        double middle = dot3(place, light), light_step = way_out(place, light) / LIGHT_STEPS;
        if (middle < 0.0 && dot3(place, place) - middle * middle < ground * ground) {
            ++*shaded;
            continue;
        }
        memcpy(all, depth, sizeof all);
        for (int k = 0; k < LIGHT_STEPS; k++) {
            add_density(place, light, light_step * (k + 0.5), light_step, all);
        }
        for (int k = 0; k < 3; k++) {
            double left = exp(-(air_parts[k] * all[0] + 1.1 * haze * all[1]));
            sums[k] += left * here[0], sums[3 + k] += left * here[1];
        }
    }
    double cosine = dot3(along, light), pi = 3.14159265358979, g = 0.76;
    double air_phase = 3.0 / (16.0 * pi) * (1.0 + cosine * cosine);
    double haze_phase = 3.0 / (8.0 * pi) * (1.0 - g * g) * (1.0 + cosine * cosine) /
                        ((2.0 + g * g) * pow(1.0 + g * g - 2.0 * g * cosine, 1.5));
    for (int k = 0; k < 3; k++) {
        double got = (double)sun_light * (sums[k] * air_parts[k] * air_phase + sums[3 + k] * haze * haze_phase);
        colours[k] = 255.0 * pow(1.0 - exp(-got), 1.0 / 2.2);
    }
}

/* Rounding may put a place in the shade or out of it; so few pixels may differ. */
static int sky_scatter_check(struct clbench *b) {
    const unsigned char *out = b->buffer[0].host;
    long width = b->size, height = rows_of(b), side = width < height ? width : height, off = 0, inside = 0, shaded = 0;
    int ok = 1;
    down(b, 0);
    for (long i = 0; ok && i < width * height; i++) {
        double x = (double)(2 * (i % width) + 1 - width) / (double)side, y = (double)(2 * (i / width) + 1 - height) / (double)side;
        double square = x * x + y * y, colours[3] = {0.0}, along[3] = {x, sqrt(fmax(1.0 - square, 0.0)), y};
        int differs = 0;
        if (fabs(square - 1.0) < 1e-5) {
            continue;
        }
        if (square < 1.0) {
            sky_colours(along, colours, &shaded), inside++;
        }
        for (int k = 0; k < 3; k++) {
            differs |= fabs(out[4 * i + k] - colours[k]) > 1.2;
        }
        off += differs;
        ok = same("opaque", i, out[4 * i + 3], 255) && (square < 1.0 || same("black", i, differs, 0));
    }
    return ok && same("few differ", 0, off <= inside / 100, 1) && same("some are in the shade", 0, shaded > 0, 1);
}

const struct workload round16_image_workloads[] = {
    WORKLOAD(round16_image, ssim_windows, 61, 401, 1001, 3001),
    WORKLOAD(round16_image, jump_flood, 77, 251, 1101, 3001),
    WORKLOAD(round16_image, sky_scatter, 37, 101, 501, 2001),
    END_OF_WORKLOADS,
};
