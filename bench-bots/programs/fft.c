/* Fast Fourier transform, radix 2, recursive: tasks for the halves and for the butterflies.
 *
 * SIZE is the number of points and must be a power of two, CUTOFF the points at and below which no
 * more tasks are made. The even and the odd points are transformed in a task each; the butterflies
 * that join the halves are split into tasks of CUTOFF points.
 */
#include "bench.h"

#include <complex.h>
#include <math.h>

typedef double complex point;

static long cutoff;
static point *roots; /* e^(-2 pi i k / size) for k < size / 2 */
static long size;

/* Joins the transforms of the even points in out[0..half) and of the odd ones in
 * out[half..2 half), for the butterflies `from` to `to`. */
static void join(point *out, long half, long from, long to) {
    long step = size / (2 * half);
    for (long k = from; k < to; k++) {
        double re = creal(roots[k * step]), im = cimag(roots[k * step]);
        double odd_re = creal(out[half + k]), odd_im = cimag(out[half + k]);
        point turned = (re * odd_re - im * odd_im) + (re * odd_im + im * odd_re) * I;
        point even = out[k];
        out[k] = even + turned;
        out[half + k] = even - turned;
    }
}

/* out := the transform of in[0], in[stride], in[2 stride], ..., n points */
static void transform(const point *in, long stride, point *out, long n) {
    long half = n / 2;
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    if (n <= cutoff) {
        transform(in, 2 * stride, out, half);
        transform(in + stride, 2 * stride, out + half, half);
        join(out, half, 0, half);
        return;
    }
    bench_count_task();
#pragma omp task
    transform(in, 2 * stride, out, half);
    bench_count_task();
#pragma omp task
    transform(in + stride, 2 * stride, out + half, half);
#pragma omp taskwait
    for (long from = 0; from < half; from += cutoff) {
        long to = from + cutoff < half ? from + cutoff : half;
        bench_count_task();
#pragma omp task
        join(out, half, from, to);
    }
#pragma omp taskwait
}

/* The check: eight of the frequencies by the definition of the transform. */
static int is_transform(const point *in, const point *out) {
    for (long probe = 0; probe < 8; probe++) {
        long frequency = probe * (size / 8) + (probe < size / 8 ? probe : 0);
        point sum = 0;
        for (long i = 0; i < size; i++) {
            long k = (long)((unsigned long)i * (unsigned long)frequency % (unsigned long)size);
            sum += in[i] * (k < size / 2 ? roots[k] : -roots[k - size / 2]);
        }
        if (cabs(sum - out[frequency]) > 1e-9 * (double)size) {
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {1 << 10, 64}, {1 << 20, 512}, {1 << 22, 512}, {1 << 24, 512}};
    struct bench bench = bench_start("fft", classes, argc, argv);
    size = bench.size;
    cutoff = bench.cutoff;
    if (size < 8 || (size & (size - 1)) != 0) {
        bench_usage(bench.name, "SIZE must be a power of two, 8 or more");
    }
    point *in = bench_alloc((size_t)size * sizeof(point));
    point *out = bench_alloc((size_t)size * sizeof(point));
    roots = bench_alloc((size_t)(size / 2) * sizeof(point));
    uint64_t state = 5;
    for (long i = 0; i < size; i++) {
        in[i] = (double)(bench_random(&state) >> 11) * 0x1p-53 - 0.5;
        out[i] = 0;
    }
    for (long k = 0; k < size / 2; k++) {
        double angle = -2.0 * 3.14159265358979323846 * (double)k / (double)size;
        roots[k] = cos(angle) + sin(angle) * I;
    }

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        transform(in, 1, out, size);
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    int ok = is_transform(in, out);
    free(in);
    free(out);
    free(roots);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
