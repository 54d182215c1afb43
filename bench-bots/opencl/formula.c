/* Black-Scholes and Mandelbrot. Sizes are options, or points along a side. */
#include "parameters.h"
#include "workloads.h"

static void black_scholes_prepare(struct clbench *b) {
    for (int i = 0; i < 5; i++) {
        float *values = make(b, i, (size_t)b->size * sizeof(float));
        fill_unit(values, b->size, 34 + (uint32_t)i);
        for (long k = 0; k < b->size; k++) {
            values[k] = i < 2 ? 5.0f + 25.0f * values[k] : 0.25f + 9.75f * values[k];
        }
        up(b, i);
    }
}

static void black_scholes_once(struct clbench *b) {
    launch(b, "black_scholes", RANGE1((size_t)b->size, 64), V(rate), V(volatility), B(0), B(1), B(2), B(3), B(4));
}

static double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }

static int black_scholes_check(struct clbench *b) {
    const float *price = b->buffer[0].host, *strike = b->buffer[1].host, *years = b->buffer[2].host;
    const float *call = b->buffer[3].host, *put = b->buffer[4].host;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i++) {
        double s = price[i], t = years[i], v = volatility * sqrt(t);
        double d1 = (log(s / strike[i]) + (rate + 0.5 * volatility * volatility) * t) / v, d2 = d1 - v;
        double later = strike[i] * exp(-rate * t);
        ok = near("call", i, call[i], s * normal(d1) - later * normal(d2), 1e-4) &&
             near("put", i, put[i], later * normal(-d2) - s * normal(-d1), 1e-4);
    }
    return ok;
}

static float scale_of(const struct clbench *b) { return 2.5f / (float)b->size; }

static void mandelbrot_set_prepare(struct clbench *b) { make(b, 0, (size_t)(b->size * b->size) * sizeof(cl_int)); }

static void mandelbrot_set_once(struct clbench *b) {
    cl_int n = (cl_int)b->size, limit = LIMIT;
    cl_float scale = scale_of(b);
    launch(b, "mandelbrot_set", RANGE2((size_t)n, (size_t)n, 64, 1), V(n), V(limit), V(scale), B(0));
}

/* A point near the border may leave at another step when a product and a sum are rounded together. */
static int mandelbrot_set_check(struct clbench *b) {
    const cl_int *got = b->buffer[0].host;
    long n = b->size, differ = 0, total = 0;
    down(b, 0);
    for (long at = 0; at < n * n; at += 7, total++) {
        float cr = (float)(at % n) * scale_of(b) - 2.0f, ci = (float)(at / n) * scale_of(b) - 1.25f;
        float re = 0.0f, im = 0.0f;
        int step = 0;
        for (; step < LIMIT && re * re + im * im <= 4.0f; step++) {
            float next = re * re - im * im + cr;
            im = 2.0f * re * im + ci;
            re = next;
        }
        differ += got[at] != step;
    }
    if (differ * 50 > total) {
        fprintf(stderr, "%ld of %ld points left at another step\n", differ, total);
    }
    return differ * 50 <= total;
}

const struct workload formula_workloads[] = {
    WORKLOAD(formula, black_scholes, 1024, 1048576, 4194304, 16777216),
    WORKLOAD(formula, mandelbrot_set, 64, 512, 1536, 4096),
    END_OF_WORKLOADS,
};
