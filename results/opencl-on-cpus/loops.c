/* The kernels of `on-cpus loops` as loops of OpenMP, with the same numbers: an item is an iteration. -DSIMD asks for vectors in
 * words. Built with the strictness of OpenCL's default options, and with the vector functions of glibc, of which its header tells
 * gcc under -ffast-math alone; clang has -fveclib. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined __clang__
#define VECTORS __attribute__((simd("notinbranch")))
VECTORS float expf(float);
VECTORS float logf(float);
VECTORS float sinf(float);
VECTORS float cosf(float);
#endif

#define DO(words) _Pragma(#words)
#ifdef SIMD
#define ITEMS DO(omp parallel for simd)
#define ROWS DO(omp parallel for)
#define IN_ROW DO(omp simd)
#else
#define ITEMS DO(omp parallel for)
#define ROWS DO(omp parallel for)
#define IN_ROW
#endif

enum { LONG = 1000000, STRIDE = 4, SIDE = 1280, INNER = 400, WIDTH = 800, HEIGHT = 400, POINTS = 32768, SAMPLES = 512 };

static float *a, *b, *c, *d;

static void square(void) {
    ITEMS
    for (int i = 0; i < LONG; i++)
        c[i] = a[i] * a[i];
}

static void vector_add(void) {
    ITEMS
    for (int i = 0; i < LONG; i++)
        c[i] = a[i] + b[i];
}

static void chain(void) {
    ITEMS
    for (int i = 0; i < LONG; i++) {
        c[i] = a[i];
        c[i] *= b[i];
        c[i] *= b[i];
        c[i] *= b[i];
        c[i] *= b[i];
        c[i] *= b[i];
        c[i] *= b[i];
    }
}

static void strided(void) {
    int stride = atoi("4"); /* not known to the compiler, as an argument of a kernel is not */
    ITEMS
    for (int i = 0; i < LONG; i++)
        c[i * stride] = a[i * stride] * b[i * stride];
}

static inline float normal_below(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) *
                 (k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212560f + k * 1.3302744f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

static void black_scholes(void) {
    ITEMS
    for (int i = 0; i < SIDE * SIDE; i++) {
        float s = a[i], x = b[i], root = sqrtf(2.0f);
        float d1 = (logf(s / x) + (0.02f + 0.5f * 0.09f) * 2.0f) / (0.3f * root), d2 = d1 - 0.3f * root;
        float later = x * expf(-0.02f * 2.0f), n1 = normal_below(d1), n2 = normal_below(d2);
        c[i] = s * n1 - later * n2;
        d[i] = later * (1.0f - n2) - s * (1.0f - n1);
    }
}

static void product_naive(void) {
    ROWS
    for (int y = 0; y < HEIGHT; y++) {
        IN_ROW
        for (int x = 0; x < WIDTH; x++) {
            float sum = 0.0f;
            for (int k = 0; k < INNER; k++)
                sum += a[y * INNER + k] * b[k * WIDTH + x];
            c[y * WIDTH + x] = sum;
        }
    }
}

static void phases(void) {
    ITEMS
    for (int i = 0; i < POINTS; i++) {
        float re = 0.0f, im = 0.0f, x = a[i];
        for (int k = 0; k < SAMPLES; k++) {
            const float *s = b + 4 * k;
            float angle = 6.2831853f * (s[0] * x + s[1] * x * 0.5f + s[2] * 0.25f);
            re += s[3] * cosf(angle);
            im += s[3] * sinf(angle);
        }
        c[2 * i] = re;
        c[2 * i + 1] = im;
    }
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/* As time_of of host.c times launches. */
static double time_of(void (*loop)(void)) {
    double begun = now_ms(), once;
    do {
        double start = now_ms();
        loop();
        once = now_ms() - start;
    } while (now_ms() < begun + 25.0);
    int row = once >= 3.0 ? 1 : (int)(3.0 / once) + 1;
    double least = INFINITY, start = now_ms();
    do {
        double from = now_ms();
        for (int i = 0; i < row; i++)
            loop();
        least = fmin(least, (now_ms() - from) / row);
    } while (now_ms() < start + 50.0);
    return least;
}

static float *numbers(size_t count, size_t first) {
    float *values = aligned_alloc(4096, count * sizeof *values);
    for (size_t i = 0; values != NULL && i < count; i++)
        values[i] = 0.5f + (float)((first + i) * 7919 % 1000) * 0.001f;
    return values;
}

int main(void) {
    const struct {
        const char *name, *size;
        void (*loop)(void);
    } loops[] = {{"square", "1000000", square},          {"vector_add", "1000000", vector_add}, {"chain", "1000000", chain},
                 {"strided", "1000000", strided},        {"black_scholes", "1280 x 1280", black_scholes},
                 {"product_naive", "800 x 400 x 400", product_naive}, {"phases", "32768", phases}};
    size_t count = 4096 * 1024;
    a = numbers(count, 0), b = numbers(count, 5), c = numbers(count, 0), d = numbers(count, 0);
    for (size_t at = 0; at < sizeof loops / sizeof *loops; at++) {
        double ms = time_of(loops[at].loop), sum = 0.0;
        for (size_t i = 0; i < 16; i++)
            sum += c[i];
        printf("{\"kernel\": \"%s\", \"size\": \"%s\", \"variant\": \"\", \"ms\": %.6g, \"sum\": %.6g}\n", loops[at].name,
               loops[at].size, ms, sum);
    }
    return 0;
}
