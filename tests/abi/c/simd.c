// simd on its own and with for, parallel for, taskloop, distribute; safelen, linear, aligned, declare simd, scan.
#include "check.h"

enum { N = 1000 };
static float a[N] __attribute__((aligned(64))), b[N], c[N];

#pragma omp declare simd uniform(scale) notinbranch
static float scaled(float x, float scale) { return x * scale; }

static void expect(float factor) {
    for (int i = 0; i < N; i++) {
        CHECK(c[i] == factor * i);
        c[i] = -1;
    }
}

int main(void) {
    float sum = 0;
    int last = 0, step = 0;
    for (int i = 0; i < N; i++) a[i] = i, b[i] = 2 * i;
#pragma omp simd aligned(a : 64) safelen(16) simdlen(8)
    for (int i = 0; i < N; i++) c[i] = a[i] + b[i];
    expect(3);
#pragma omp parallel for simd schedule(static) reduction(+ : sum) lastprivate(last)
    for (int i = 0; i < N; i++) {
        c[i] = scaled(a[i], 4);
        sum += 1;
        last = i;
    }
    expect(4);
    CHECK(sum == N && last == N - 1);
#pragma omp parallel
#pragma omp for simd schedule(static) linear(step : 2)
    for (int i = 0; i < N; i++) {
        c[i] = a[i] * 5;
        step += 2;
    }
    expect(5);
    EQUAL(step, 2 * N);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd grainsize(50)
    for (int i = 0; i < N; i++) c[i] = a[i] * 6;
    expect(6);
#pragma omp parallel for simd collapse(2) if (simd : N > 5)
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < N / 10; j++) c[i * (N / 10) + j] = a[i * (N / 10) + j] * 7;
    expect(7);
    int prefix[N], running = 0;
#pragma omp parallel for reduction(inscan, + : running)
    for (int i = 0; i < N; i++) {
        running += i;
#pragma omp scan inclusive(running)
        prefix[i] = running;
    }
    for (int i = 0; i < N; i++) EQUAL(prefix[i], i * (i + 1) / 2);
    EQUAL(running, N * (N - 1) / 2);
    running = 0;
#pragma omp simd reduction(inscan, + : running)
    for (int i = 0; i < N; i++) {
        prefix[i] = running;
#pragma omp scan exclusive(running)
        running += i;
    }
    for (int i = 0; i < N; i++) EQUAL(prefix[i], i * (i - 1) / 2);
    int loop_sum = 0;
#pragma omp parallel
#pragma omp loop bind(parallel) reduction(+ : loop_sum)
    for (int i = 0; i < N; i++) loop_sum += i;
    EQUAL(loop_sum, N * (N - 1) / 2);
    return 0;
}
