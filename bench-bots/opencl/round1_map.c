/* Elements by themselves. Sizes are elements, or pixels along a side; most are odd. */
#include "workloads.h"

static void two_arrays(struct clbench *b, float low, float high) {
    float *in = make(b, 0, (size_t)b->size * sizeof(float));
    fill_between(in, b->size, 101, low, high);
    make(b, 1, (size_t)b->size * sizeof(float));
    up(b, 0);
}

static void wave_packet_prepare(struct clbench *b) { two_arrays(b, -3.0f, 3.0f); }

static void wave_packet_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "wave_packet", RANGE1(8192, 64), V(n), B(0), B(1));
}

static int wave_packet_check(struct clbench *b) {
    const float *x = b->buffer[0].host, *y = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        double v = x[i];
        ok = near("wave", i, y[i], sin(6.0 * v) * exp(-v * v) + log(1.0 + fabs(v)), 1e-5);
    }
    return ok;
}

static const float factor = 2.5f;

static void saxpy_prepare(struct clbench *b) {
    two_arrays(b, -1.0f, 1.0f);
    fill_unit(make(b, 2, (size_t)b->size * sizeof(float)), b->size, 102);
}

/* The sum is made in place: what was there is written again before each run. */
static void saxpy_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    memcpy(b->buffer[1].host, b->buffer[2].host, b->buffer[1].bytes);
    up(b, 1);
    launch(b, "saxpy", RANGE1(round_up(b->size, 64), 64), V(n), V(factor), B(0), B(1));
}

static int saxpy_check(struct clbench *b) {
    const float *x = b->buffer[0].host, *y = b->buffer[1].host, *before = b->buffer[2].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        ok = near("saxpy", i, y[i], (double)factor * x[i] + before[i], 1e-6);
    }
    return ok;
}

static void fill_bytes(unsigned char *bytes, size_t count, uint32_t seed) {
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(random_word(&seed) >> 24);
    }
}

static void grey_prepare(struct clbench *b) {
    fill_bytes(make(b, 0, 4 * (size_t)b->size), 4 * (size_t)b->size, 103);
    make(b, 1, (size_t)b->size);
    up(b, 0);
}

static void grey_once(struct clbench *b) { launch(b, "grey", RANGE1((size_t)b->size, 0), B(0), B(1)); }

static int grey_check(struct clbench *b) {
    const unsigned char *p = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("grey", i, got[i], (77 * p[4 * i] + 150 * p[4 * i + 1] + 29 * p[4 * i + 2] + 128) >> 8);
    }
    return ok;
}

static void sepia_prepare(struct clbench *b) {
    size_t bytes = 4 * (size_t)(b->size * b->size);
    fill_bytes(make(b, 0, bytes), bytes, 104);
    make(b, 1, bytes);
    up(b, 0);
}

static void sepia_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "sepia", RANGE2(round_up(n, 16), round_up(n, 16), 16, 16), V(n), V(n), B(0), B(1));
}

static int sepia_check(struct clbench *b) {
    static const double mix[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
    const unsigned char *p = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * b->size; i++, p += 4) {
        for (int c = 0; ok && c < 3; c++) {
            double value = fmin(255.0, mix[c][0] * p[0] + mix[c][1] * p[1] + mix[c][2] * p[2]);
            /* The nearest whole number, but for rounding before. */
            ok = fabs(got[4 * i + c] - value) < 0.501 || same("sepia", 4 * i + c, got[4 * i + c], lrint(value));
        }
        ok = ok && same("opacity", i, got[4 * i + 3], p[3]);
    }
    return ok;
}

static const float time_step = 0.02f;

static void leapfrog_prepare(struct clbench *b) {
    fill_between(make(b, 0, 32 * (size_t)b->size), 8 * b->size, 105, -1.0f, 1.0f);
    make(b, 1, 32 * (size_t)b->size);
    up(b, 0);
}

static void leapfrog_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "leapfrog", RANGE1(round_up(b->size, 128), 128), V(n), V(time_step), B(0), B(1));
}

static int leapfrog_check(struct clbench *b) {
    const float *before = b->buffer[0].host, *after = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++, before += 8, after += 8) {
        double square = 0.01f, position[3], velocity[3];
        for (int c = 0; c < 3; c++) {
            square += (double)before[c] * before[c];
        }
        for (int c = 0; c < 3; c++) {
            velocity[c] = before[4 + c] - before[c] * (double)time_step / (square * sqrt(square));
            position[c] = before[c] + velocity[c] * (double)time_step;
        }
        /* Near the floor rounding decides which side of it a particle is. */
        int floor = position[1] < -1.0;
        if (fabs(position[1] + 1.0) > 1e-5) {
            position[1] = floor ? -2.0 - position[1] : position[1];
            velocity[1] = floor ? -0.8 * velocity[1] : velocity[1];
            for (int c = 0; ok && c < 3; c++) {
                ok = near("position", i, after[c], position[c], 1e-4) &&
                     near("velocity", i, after[4 + c], velocity[c], 1e-4);
            }
        }
    }
    return ok;
}

static const float rate = 0.03f, volatility = 0.25f;

static void option_prices_prepare(struct clbench *b) {
    static const float low[3] = {10.0f, 10.0f, 0.2f}, high[3] = {50.0f, 50.0f, 5.0f};
    for (int i = 0; i < 3; i++) {
        fill_between(make(b, i, (size_t)b->size * sizeof(float)), b->size, 106 + (uint32_t)i, low[i], high[i]);
        up(b, i);
    }
    make(b, 3, (size_t)b->size * sizeof(float));
    make(b, 4, (size_t)b->size * sizeof(float));
}

static void option_prices_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "option_prices", RANGE1(round_up(b->size, 128), 128), V(n), V(rate), V(volatility), B(0), B(1), B(2),
           B(3), B(4));
}

static int option_prices_check(struct clbench *b) {
    const float *stock = b->buffer[0].host, *strike = b->buffer[1].host, *years = b->buffer[2].host;
    const float *call = b->buffer[3].host, *put = b->buffer[4].host;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        double s = stock[i], t = years[i], v = volatility, deviation = v * sqrt(t);
        double d1 = (log(s / strike[i]) + (rate + 0.5 * v * v) * t) / deviation;
        double discounted = strike[i] * exp(-(double)rate * t), root = sqrt(0.5);
        double price = 0.5 * (s * erfc(-root * d1) - discounted * erfc(-root * (d1 - deviation)));
        ok = near("call", i, call[i], price, 1e-4) && near("put", i, put[i], price - s + discounted, 1e-4);
    }
    return ok;
}

static const float exposure = 1.7f, gamma_value = 0.4545f;

static void tone_curve_prepare(struct clbench *b) { two_arrays(b, 0.0f, 10.0f); }

static void tone_curve_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "tone_curve", RANGE1(round_up(b->size, 256), 256), V(n), V(exposure), V(gamma_value), B(0), B(1));
}

static int tone_curve_check(struct clbench *b) {
    const float *light = b->buffer[0].host, *shown = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        double v = (double)exposure * light[i];
        ok = near("tone", i, shown[i], fmin(1.0, pow(v / (1.0 + v), gamma_value)), 1e-5);
    }
    return ok;
}

const struct workload round1_map_workloads[] = {
    WORKLOAD(round1_map, wave_packet, 1003, 500003, 4000003, 16000003),
    WORKLOAD(round1_map, saxpy, 1003, 2000003, 16000003, 64000003),
    WORKLOAD(round1_map, grey, 1024, 2097152, 16777216, 67108864),
    WORKLOAD(round1_map, sepia, 61, 767, 2043, 4093),
    WORKLOAD(round1_map, leapfrog, 1003, 500003, 2000003, 8000003),
    WORKLOAD(round1_map, option_prices, 1003, 300003, 2000003, 8000003),
    WORKLOAD(round1_map, tone_curve, 1003, 500003, 4000003, 16000003),
    END_OF_WORKLOADS,
};
