/* Models. Sizes are options, and pixels along a side. */
#include "workloads.h"

enum { STEPS = 255 };
static const float rate = 0.04f;

static void binomial_put_prepare(struct clbench *b) {
    static const float low[4] = {60.0f, 80.0f, 0.25f, 0.1f}, high[4] = {140.0f, 120.0f, 3.0f, 0.5f};
    uint32_t state = 341;
    float *option = make(b, 0, (size_t)b->size * sizeof(cl_float4));
    for (long i = 0; i < 4 * b->size; i++) {
        option[i] = low[i % 4] + (high[i % 4] - low[i % 4]) * random_unit(&state);
    }
    make(b, 1, (size_t)b->size * sizeof(float));
    up(b, 0);
}

static void binomial_put_once(struct clbench *b) {
    size_t group = STEPS + 1;
    launch(b, "binomial_put", RANGE1((size_t)b->size * group, group), V(rate), B(0), B(1));
}

/* The tree in double precision, with the assets' prices anew in each step. */
static double put_price(const float *option) {
    double span = option[2] / (double)STEPS, jump = option[3] * sqrt(span);
    double chance = (exp(rate * span) - exp(-jump)) / (exp(jump) - exp(-jump)), worth = exp(-rate * span);
    double power[2 * STEPS + 1], value[STEPS + 1];
    for (int i = 0; i <= 2 * STEPS; i++) {
        power[i] = option[0] * exp(jump * (i - STEPS));
    }
    for (int i = 0; i <= STEPS; i++) {
        value[i] = fmax(option[1] - power[2 * i], 0.0);
    }
    for (int left = STEPS - 1; left >= 0; left--) {
        for (int i = 0; i <= left; i++) {
            double held = worth * (chance * value[i + 1] + (1.0 - chance) * value[i]);
            value[i] = fmax(held, option[1] - power[2 * i - left + STEPS]);
        }
    }
    return value[0];
}

static int binomial_put_check(struct clbench *b) {
    const float *option = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        ok = near("price", i, got[i], put_price(option + 4 * i), 1e-3);
    }
    return ok;
}

static const cl_float3 eye = {{0.2f, 1.4f, -3.2f, 0.0f}};

static void distance_field_prepare(struct clbench *b) { make(b, 0, (size_t)(b->size * b->size) * sizeof(float)); }

static void distance_field_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "distance_field", RANGE2(round_up(n, 8), round_up(n, 8), 8, 8), V(n), V(n), V(eye), B(0));
}

struct place {
    double x, y, z;
};

static double distance_to(struct place p) {
    double to_ring = hypot(hypot(p.x, p.z) - 1.0, p.y) - 0.35;
    double to_ball = hypot(hypot(p.x - 0.9, p.y - 0.5), p.z + 0.4) - 0.5;
    double blend = fmin(1.0, fmax(0.0, 0.5 + 2.5 * (to_ball - to_ring)));
    double solid = to_ball + (to_ring - to_ball) * blend - 0.2 * blend * (1.0 - blend);
    return fmin(solid, p.y + 0.7);
}

/* How the solid's distance changes along an axis there. */
static double slope(struct place p, int axis) {
    struct place ahead = p, behind = p;
    double *along_ahead[3] = {&ahead.x, &ahead.y, &ahead.z}, *along_behind[3] = {&behind.x, &behind.y, &behind.z};
    *along_ahead[axis] += 0.01;
    *along_behind[axis] -= 0.01;
    return distance_to(ahead) - distance_to(behind);
}

static double light_of(long x, long y, long n) {
    static const double sun[3] = {0.6, 0.8, -0.5};
    double ray[3] = {(double)(2 * x - n) / (double)n, 0.5 - 2.0 * (double)y / (double)n, 1.6}, gone = 0.0, free = 1.0;
    double long_ray = sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2]);
    for (int step = 0; step < 80 && gone < 20.0; step++, gone += free) {
        struct place p = {eye.s[0] + gone * ray[0] / long_ray, eye.s[1] + gone * ray[1] / long_ray,
                          eye.s[2] + gone * ray[2] / long_ray};
        free = distance_to(p);
        if (free < 0.001) {
            double towards = 0.0, squares = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                double s = slope(p, axis);
                towards += s * sun[axis];
                squares += s * s;
            }
            return 0.2 + 0.8 * fmax(towards / sqrt(squares * 1.25), 0.0);
        }
    }
    return 0.1;
}

/* Rays that graze an edge may end elsewhere by rounding, and one in a hundred pixels is allowed that. */
static int distance_field_check(struct clbench *b) {
    const float *got = b->buffer[0].host;
    long n = b->size, off = 0;
    down(b, 0);
    for (long i = 0; i < n * n; i++) {
        off += !(fabs(got[i] - light_of(i % n, i / n, n)) < 5e-3);
    }
    return off <= n * n / 100 || same("pixels that are off", n * n, off, 0);
}

const struct workload round3_models_workloads[] = {
    WORKLOAD(round3_models, binomial_put, 3, 31, 211, 1009),
    WORKLOAD(round3_models, distance_field, 45, 125, 317, 1021),
    END_OF_WORKLOADS,
};
