/* Pictures. Sizes are pixels along a side. */
#include "workloads.h"

/* As the kernel has it. */
struct lens {
    cl_float2 focal, centre, flat_focal, flat_centre;
    cl_float4 bend;
    cl_int width, height, out_width, out_height;
};

static cl_int lower(const struct clbench *b) { return (cl_int)(b->size - b->size / 3); }

/* Its picture is a bit smaller than what it becomes, and not quite in the middle. */
static struct lens lens_of(const struct clbench *b) {
    float side = (float)b->size;
    cl_int width = (cl_int)(b->size - b->size / 8), height = width - width / 4;
    return (struct lens){.focal = {{0.33f * side, 0.34f * side}},
                         .centre = {{0.5f * (float)width + 1.7f, 0.5f * (float)height - 2.3f}},
                         .flat_focal = {{0.31f * side, 0.31f * side}},
                         .flat_centre = {{0.49f * side, 0.5f * (float)lower(b)}},
                         .bend = {{-0.031f, 0.0072f, -0.0051f, 0.0008f}},
                         .width = width, .height = height, .out_width = (cl_int)b->size, .out_height = lower(b)};
}

static void undistort_prepare(struct clbench *b) {
    struct lens lens = lens_of(b);
    cl_uchar4 *src = make(b, 0, (size_t)lens.width * (size_t)lens.height * sizeof *src);
    uint32_t state = 601;
    make(b, 1, (size_t)lens.out_width * (size_t)lens.out_height * sizeof(cl_uchar4));
    for (long i = 0; i < (long)lens.width * lens.height; i++) {
        double x = (double)(i % lens.width), y = (double)(i / lens.width);
        for (int k = 0; k < 4; k++) {
            double light = 0.5 + 0.4 * sin(x / (7.0 + 2.0 * k)) * cos(y / (11.0 - k)) + 0.1 * random_unit(&state);
            src[i].s[k] = k == 3 ? 255 : (cl_uchar)(255.0 * fmin(1.0, light));
        }
    }
    up(b, 0);
}

static void undistort_once(struct clbench *b) {
    struct lens lens = lens_of(b);
    launch(b, "undistort", RANGE2(round_up(lens.out_width, 16), round_up(lens.out_height, 16), 16, 16), V(lens), B(0), B(1));
}

static long inside(long i, long n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Catmull and Rom's weight at a distance. */
static double weight_at(double d) {
    d = fabs(d);
    return d < 1.0 ? 1.0 + d * d * (1.5 * d - 2.5) : d < 2.0 ? 2.0 + d * (d * (2.5 - 0.5 * d) - 4.0) : 0.0;
}

static double looked_up(struct clbench *b, const struct lens *lens, double u, double v, int k) {
    const cl_uchar4 *src = b->buffer[0].host;
    double sum = 0.0;
    for (long j = (long)floor(v) - 1; j <= (long)floor(v) + 2; j++) {
        for (long i = (long)floor(u) - 1; i <= (long)floor(u) + 2; i++) {
            sum += weight_at(u - (double)i) * weight_at(v - (double)j) *
                   src[inside(j, lens->height) * lens->width + inside(i, lens->width)].s[k];
        }
    }
    return fmin(255.0, fmax(0.0, sum));
}

static int undistort_check(struct clbench *b) {
    const cl_uchar4 *got = b->buffer[1].host;
    struct lens lens = lens_of(b);
    long outside = 0, count = (long)lens.out_width * lens.out_height;
    int ok = 1;
    down(b, 1);
    for (long at = 0; ok && at < count; at++) {
        double px = ((double)(at % lens.out_width) - lens.flat_centre.s[0]) / lens.flat_focal.s[0];
        double py = ((double)(at / lens.out_width) - lens.flat_centre.s[1]) / lens.flat_focal.s[1];
        double r = hypot(px, py), angle = atan(r), bent = angle;
        for (int k = 0; k < 4; k++) {
            bent += lens.bend.s[k] * pow(angle, 3 + 2 * k);
        }
        double scale = r > 1e-6 ? bent / r : 1.0;
        double u = px * scale * lens.focal.s[0] + lens.centre.s[0], v = py * scale * lens.focal.s[1] + lens.centre.s[1];
        double margin = fmin(fmin(u, lens.width - 1 - u), fmin(v, lens.height - 1 - v));
        outside += margin < 0.0;
        for (int k = 0; ok && k < 4 && fabs(margin) > 1e-2; k++) {
            double want = k == 3 ? 255.0 : margin < 0.0 ? 0.0 : looked_up(b, &lens, u, v, k);
            ok = fabs(got[at].s[k] - want) < 0.6 || same("colour", 4 * at + k, got[at].s[k], lrint(want));
        }
    }
    return ok && same("few outside", 0, outside * 2 < count, 1);
}

enum { ANGLES = 180, ELLIPSES = 6, FILTER_ITEMS = 128 };

/* A body of ellipses: middle, half axes, turn, density; lengths in halves of the side. */
static const double body[ELLIPSES][6] = {{0.0, 0.0, 0.62, 0.85, 0.1, 1.0},   {0.02, -0.03, 0.55, 0.77, 0.1, -0.4},
                                         {0.22, 0.1, 0.12, 0.3, -0.3, -0.3}, {-0.2, 0.05, 0.14, 0.36, 0.35, -0.35},
                                         {0.0, 0.4, 0.2, 0.15, 0.0, 0.5},    {0.05, -0.5, 0.06, 0.05, 0.6, 0.9}};

static cl_int detectors_of(const struct clbench *b) { return (cl_int)(b->size + b->size / 2); }

/* What a ray meets of all ellipses. */
static double shadow(double angle, double t) {
    double sum = 0.0;
    for (int i = 0; i < ELLIPSES; i++) {
        const double *e = body[i];
        double turned = angle - e[4], a2 = pow(e[2] * cos(turned), 2.0) + pow(e[3] * sin(turned), 2.0);
        double d = t - e[0] * cos(angle) - e[1] * sin(angle);
        sum += d * d < a2 ? 2.0 * e[5] * e[2] * e[3] * sqrt(a2 - d * d) / a2 : 0.0;
    }
    return sum;
}

static void back_project_prepare(struct clbench *b) {
    long detectors = detectors_of(b);
    float *sinogram = make(b, 0, (size_t)(ANGLES * detectors) * sizeof *sinogram);
    cl_float2 *direction = make(b, 1, ANGLES * sizeof *direction);
    double half = (double)b->size / 2.0;
    make(b, 2, (size_t)(ANGLES * detectors) * sizeof *sinogram);
    make(b, 3, (size_t)(b->size * b->size) * sizeof(float));
    for (long i = 0; i < ANGLES * detectors; i++) {
        double angle = M_PI * (double)(i / detectors) / ANGLES;
        direction[i / detectors] = (cl_float2){{(float)cos(angle), (float)sin(angle)}};
        sinogram[i] = (float)(half * shadow(angle, ((double)(i % detectors) - 0.5 * (double)(detectors - 1)) / half));
    }
    up(b, 0), up(b, 1);
}

static void back_project_once(struct clbench *b) {
    cl_int detectors = detectors_of(b), side = (cl_int)b->size, angles = ANGLES;
    launch(b, "ramp_filter", RANGE1(ANGLES * FILTER_ITEMS, FILTER_ITEMS), B(0), B(2), V(detectors),
           LOCAL((size_t)detectors * sizeof(float)));
    launch(b, "back_project", RANGE2(round_up(side, 16), round_up(side, 16), 16, 16), B(2), B(1), V(angles), V(detectors),
           V(side), B(3));
}

static double *filter(const float *sinogram, long detectors) {
    double *filtered = calloc((size_t)(ANGLES * detectors), sizeof *filtered);
    for (long i = 0; i < ANGLES * detectors; i++) {
        const float *row = sinogram + i / detectors * detectors;
        filtered[i] = 0.25 * sinogram[i];
        for (long j = (i % detectors + 1) % 2; j < detectors; j += 2) {
            double away = M_PI * (double)(i % detectors - j);
            filtered[i] -= row[j] / (away * away);
        }
    }
    return filtered;
}

/* Some thousand pixels. */
static int back_project_check(struct clbench *b) {
    const float *got = b->buffer[3].host;
    const cl_float2 *direction = b->buffer[1].host;
    long detectors = detectors_of(b), side = b->size;
    double *filtered = filter(b->buffer[0].host, detectors);
    int ok = 1;
    down(b, 3);
    for (long at = 0; ok && at < side * side; at += side * side / 20000 + 1) {
        double x = (double)(at % side) - 0.5 * (double)(side - 1), y = (double)(at / side) - 0.5 * (double)(side - 1), sum = 0.0;
        for (long a = 0; a < ANGLES && 4.0 * (x * x + y * y) <= (double)(side * side); a++) {
            double t = x * direction[a].s[0] + y * direction[a].s[1] + 0.5 * (double)(detectors - 1);
            const double *row = filtered + a * detectors + (long)t;
            sum += row[0] + (row[1] - row[0]) * (t - floor(t));
        }
        ok = near("density", at, got[at], sum * M_PI / ANGLES, 1e-3);
    }
    free(filtered);
    return ok;
}

static const cl_int octaves = 6;
static const cl_uint seed = 0x6f2a91u;

static cl_int planet_height(const struct clbench *b) { return (cl_int)(b->size / 2); }

static void planet_texture_prepare(struct clbench *b) {
    size_t pixels = (size_t)b->size * (size_t)planet_height(b);
    make(b, 0, pixels * sizeof(float));
    make(b, 1, pixels * sizeof(cl_uchar4));
}

static void planet_texture_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = planet_height(b);
    launch(b, "planet_texture", RANGE2(round_up(width, 32), round_up(height, 8), 32, 8), V(width), V(height), V(octaves), V(seed),
           B(0), B(1));
}

static uint32_t hash_at(const long *cell, uint32_t salt) {
    static const uint32_t primes[3] = {73856093u, 19349663u, 83492791u};
    for (int k = 2; k >= 0; k--) {
        salt = mixed_word((uint32_t)cell[k] * primes[k] ^ salt);
    }
    return salt;
}

/* The corners of a tetrahedron: each goes one further than the last one, along the greatest distance that is left. */
static double noise_at(const double *p, uint32_t salt) {
    static const int slopes[16][3] = {{1, 1, 0},  {-1, 1, 0},  {1, -1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, 1},
                                      {1, 0, -1}, {-1, 0, -1}, {0, 1, 1},  {0, -1, 1},  {0, 1, -1}, {0, -1, -1},
                                      {1, 1, 0},  {0, -1, 1},  {-1, 1, 0}, {0, -1, -1}};
    long cell[3];
    double d[3], left[3], skew = (p[0] + p[1] + p[2]) / 3.0, sum = 0.0;
    for (int k = 0; k < 3; k++) {
        cell[k] = (long)floor(p[k] + skew);
    }
    for (int k = 0; k < 3; k++) {
        left[k] = d[k] = p[k] - (double)cell[k] + (double)(cell[0] + cell[1] + cell[2]) / 6.0;
    }
    for (int corner = 0; corner < 4; corner++) {
        double t = 0.5 - d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
        const int *slope = slopes[hash_at(cell, salt) % 16];
        sum += t > 0.0 ? t * t * t * t * (slope[0] * d[0] + slope[1] * d[1] + slope[2] * d[2]) : 0.0;
        int along = left[0] >= left[1] && left[0] >= left[2] ? 0 : left[1] >= left[2] ? 1 : 2;
        cell[along]++;
        left[along] = -INFINITY;
        for (int k = 0; k < 3; k++) {
            d[k] += 1.0 / 6.0 - (k == along);
        }
    }
    return 70.0 * sum;
}

static double nearest_point(const double *p) {
    double nearest = INFINITY;
    for (int i = 0; i < 27; i++) {
        long cell[3] = {(long)floor(p[0]) + i % 3 - 1, (long)floor(p[1]) + i / 3 % 3 - 1, (long)floor(p[2]) + i / 9 - 1};
        uint32_t h = hash_at(cell, seed);
        double squares = 0.0;
        for (int k = 0; k < 3; k++) {
            squares += pow((double)cell[k] + (h >> 10 * k & 1023) / 1024.0 - p[k], 2.0);
        }
        nearest = fmin(nearest, sqrt(squares));
    }
    return nearest;
}

/* The colour at a height, which is the device's own. */
static void planet_colour(double height, const double *p, double latitude, double *colour) {
    static const double land[6][3] = {{196, 184, 128}, {84, 140, 60},   {46, 96, 44},
                                      {110, 92, 70},   {128, 120, 116}, {240, 244, 248}};
    static const double shallow[3] = {40, 120, 170}, deep[3] = {6, 24, 70}, ice[3] = {250, 250, 255};
    double from_ice = fmin(1.0, fmax(0.0, (fabs(latitude) - 1.1) / 0.2));
    double q[3] = {9.0 * p[0] + 20.0, 9.0 * p[1] + 20.0, 9.0 * p[2] + 20.0};
    double shade = 0.75 + 0.25 * fmin(1.0, nearest_point(q)), at = 5.0 * fmin(2.0 * height, 0.9999);
    from_ice *= from_ice * (3.0 - 2.0 * from_ice);
    for (int k = 0; k < 3; k++) {
        const double *band = land[height < 0.0 ? 0 : (int)at];
        double ground = height < 0.0 ? shallow[k] + (deep[k] - shallow[k]) * fmin(1.0, -2.0 * height)
                                     : shade * (band[k] + (band[k + 3] - band[k]) * (at - floor(at)));
        colour[k] = ground + (ice[k] - ground) * from_ice;
    }
}

/* Every third pixel. */
static int planet_texture_check(struct clbench *b) {
    const float *relief = b->buffer[0].host;
    const cl_uchar4 *colours = b->buffer[1].host;
    long width = b->size, height = planet_height(b), dry = 0;
    int ok = 1;
    down(b, 0), down(b, 1);
    for (long at = 0; ok && at < width * height; at += 3) {
        double longitude = 2.0 * M_PI * ((double)(at % width) + 0.5) / (double)width, want = 0.0, colour[3], q[3];
        double latitude = M_PI * (((double)(at / width) + 0.5) / (double)height - 0.5);
        double p[3] = {cos(latitude) * cos(longitude), sin(latitude), cos(latitude) * sin(longitude)};
        for (int o = 0; o < octaves; o++) {
            for (int k = 0; k < 3; k++) {
                q[k] = o == 0 ? p[k] * 1.7 + 10.0 : q[k] * 2.03 + 3.1;
            }
            want += ldexp(noise_at(q, seed + (uint32_t)o), -1 - o);
        }
        dry += relief[at] >= 0.0f;
        ok = near("height", at, relief[at], want, 2e-3);
        planet_colour(relief[at], p, latitude, colour);
        for (int k = 0; ok && k < 3; k++) {
            ok = fabs(colours[at].s[k] - colour[k]) < 0.6 || same("colour", 3 * at + k, colours[at].s[k], lrint(colour[k]));
        }
    }
    return ok && same("land and sea", 0, dry * 36 > width * height && dry * 36 < width * height * 11, 1);
}

const struct workload round6_image_workloads[] = {
    WORKLOAD(round6_image, undistort, 61, 1001, 2001, 4001),
    WORKLOAD(round6_image, back_project, 45, 301, 701, 1501),
    WORKLOAD(round6_image, planet_texture, 61, 601, 1501, 3001),
    END_OF_WORKLOADS,
};
