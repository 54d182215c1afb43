// Static loops: every iteration once, blocks contiguous, chunks dealt in turn, the same twice over.
#include "check.h"

enum { N = 1003 };
static int owner[N], count[N];

static void once(void) {
    for (int i = 0; i < N; i++) {
        EQUAL(count[i], 1);
        count[i] = 0;
    }
}

static void plain(void) {
    int lengths[256] = {0}, threads = omp_get_max_threads();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
        count[i]++;
        owner[i] = omp_get_thread_num();
    }
    once();
    for (int i = 0; i < N; i++) {
        CHECK(i == 0 || owner[i] >= owner[i - 1]);
        lengths[owner[i]]++;
    }
    for (int t = 0; t < threads; t++) CHECK(lengths[t] >= N / threads - 1 && lengths[t] <= N / threads + 1);
}

static void chunked(int chunk) {
    int threads = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for schedule(static, chunk)
        for (int i = 0; i < N; i++) {
            count[i]++;
            owner[i] = omp_get_thread_num();
        }
    }
    once();
    for (int i = 0; i < N; i++) EQUAL(owner[i], i / chunk % threads);
}

static void same_threads_nowait(void) {
    static int first[N];
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++) first[i] = omp_get_thread_num();
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) EQUAL(first[i], omp_get_thread_num());
    }
}

static void clauses(void) {
    int last = -1, both = 5, lin = 10;
    long sum = 0;
#pragma omp parallel for lastprivate(last) firstprivate(both) reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        last = i * 2;
        sum += i + both;
    }
    EQUAL(last, 2 * (N - 1));
    EQUAL(sum, (long)N * (N - 1) / 2 + 5L * N);
#pragma omp parallel for linear(lin : 3)
    for (int i = 0; i < N; i++) {
        EQUAL(lin, 10 + 3 * i);
        lin += 3;
    }
    EQUAL(lin, 10 + 3 * N);
}

static void empty_and_short(void) {
    int runs = 0;
    volatile int zero = 0;
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < zero; i++) add_int(&runs, 100);
#pragma omp for schedule(static, 4)
        for (int i = 5; i < zero; i++) add_int(&runs, 100);
#pragma omp for
        for (int i = zero; i < 1; i++) add_int(&runs, 1);
#pragma omp for
        for (int i = 10; i > 7 + zero; i--) add_int(&runs, 1);
    }
    EQUAL(runs, 4);
}

int main(void) {
    plain();
    for (int chunk = 1; chunk < 40; chunk += 6) chunked(chunk);
    chunked(N);
    chunked(10 * N);
    same_threads_nowait();
    clauses();
    empty_and_short();
    return 0;
}
