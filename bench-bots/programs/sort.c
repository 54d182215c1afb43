/* Parallel merge sort of 32-bit numbers: tasks both for sorting and for merging.
 *
 * A range longer than the cutoff is sorted as four quarters in four tasks, merged pairwise in two
 * tasks, and merged once more; a merge longer than the cutoff splits both inputs around one value
 * into two tasks. Below the cutoff the same work is done without tasks.
 */
#include "bench.h"

typedef int32_t number;

static long cutoff;

enum { INSERTION = 24 };

static void insertion_sort(number *a, long n) {
    for (long i = 1; i < n; i++) {
        number value = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > value; j--) {
            a[j] = a[j - 1];
        }
        a[j] = value;
    }
}

static void merge_serially(const number *a, long na, const number *b, long nb, number *out) {
    long i = 0, j = 0;
    while (i < na && j < nb) {
        *out++ = a[i] <= b[j] ? a[i++] : b[j++];
    }
    memcpy(out, a + i, (size_t)(na - i) * sizeof(number));
    memcpy(out + (na - i), b + j, (size_t)(nb - j) * sizeof(number));
}

static void sort_serially(number *a, number *spare, long n) {
    if (n <= INSERTION) {
        insertion_sort(a, n);
        return;
    }
    long half = n / 2;
    sort_serially(a, spare, half);
    sort_serially(a + half, spare + half, n - half);
    memcpy(spare, a, (size_t)n * sizeof(number));
    merge_serially(spare, half, spare + half, n - half, a);
}

/* How many of the sorted a[0..n) are less than `value`. */
static long count_less(const number *a, long n, number value) {
    long low = 0;
    while (n > 0) {
        long half = n / 2;
        if (a[low + half] < value) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

static void merge(const number *a, long na, const number *b, long nb, number *out) {
    if (na < nb) {
        merge(b, nb, a, na, out);
        return;
    }
    if (na + nb <= cutoff) {
        merge_serially(a, na, b, nb, out);
        return;
    }
    long ia = na / 2;
    long ib = count_less(b, nb, a[ia]);
    bench_count_task();
#pragma omp task
    merge(a, ia, b, ib, out);
    bench_count_task();
#pragma omp task
    merge(a + ia, na - ia, b + ib, nb - ib, out + ia + ib);
#pragma omp taskwait
}

static void sort(number *a, number *spare, long n) {
    if (n <= cutoff || n < 4) {
        sort_serially(a, spare, n);
        return;
    }
    long quarter = n / 4;
    for (long i = 0; i < 4; i++) {
        bench_count_task();
#pragma omp task
        sort(a + i * quarter, spare + i * quarter, i < 3 ? quarter : n - 3 * quarter);
    }
#pragma omp taskwait
    bench_count_task();
#pragma omp task
    merge(a, quarter, a + quarter, quarter, spare);
    bench_count_task();
#pragma omp task
    merge(a + 2 * quarter, quarter, a + 3 * quarter, n - 3 * quarter, spare + 2 * quarter);
#pragma omp taskwait
    merge(spare, 2 * quarter, spare + 2 * quarter, n - 2 * quarter, a);
}

/* Unchanged by any reordering, and by hardly anything else. */
static uint64_t checksum(const number *a, long n) {
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        sum += bench_mix((uint64_t)a[i]);
    }
    return sum;
}

static int is_sorted(const number *a, long n) {
    for (long i = 1; i < n; i++) {
        if (a[i - 1] > a[i]) {
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {20000, 500}, {2 << 20, 2048}, {8 << 20, 2048}, {32 << 20, 2048}};
    struct bench bench = bench_start("sort", classes, argc, argv);
    long n = bench.size;
    cutoff = bench.cutoff;
    number *a = bench_alloc((size_t)n * sizeof(number));
    number *spare = bench_alloc((size_t)n * sizeof(number));
    uint64_t state = 1;
    for (long i = 0; i < n; i++) {
        a[i] = (number)bench_random(&state);
        spare[i] = 0;
    }
    uint64_t before = checksum(a, n);

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        sort(a, spare, n);
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    int ok = is_sorted(a, n) && checksum(a, n) == before;
    free(a);
    free(spare);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
