// target regions without a device run on the host: data, update, nowait with depend, declare target.
#include "check.h"

enum { N = 300 };
#pragma omp declare target
static int global = 4;
static int twice(int x) { return 2 * x; }
#pragma omp end declare target

static void regions(void) {
    int a[N], b[N], sum = 0, on_host = -1;
    for (int i = 0; i < N; i++) a[i] = i, b[i] = 0;
#pragma omp target map(tofrom : on_host)
    on_host = omp_is_initial_device();
    EQUAL(on_host, 1);
#pragma omp target teams distribute parallel for map(to : a) map(from : b) map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        b[i] = twice(a[i]) + global;
        sum += 1;
    }
    EQUAL(sum, N);
    for (int i = 0; i < N; i++) EQUAL(b[i], 2 * i + 4);
    int count = 0;
#pragma omp target parallel map(tofrom : count) num_threads(3)
    {
#pragma omp atomic
        count++;
    }
    CHECK(count >= 1 && count <= 3);
#pragma omp target simd map(tofrom : a)
    for (int i = 0; i < N; i++) a[i] += 1;
    EQUAL(a[N - 1], N);
    int first = 9, mine = 3;
#pragma omp target firstprivate(first) private(mine) if (0) thread_limit(2)
    {
        mine = first;
        first = mine + 1;
    }
    EQUAL(first, 9);
    EQUAL(mine, 3);
}

static void data(void) {
    int *x = malloc(sizeof *x * N);
    for (int i = 0; i < N; i++) x[i] = i;
#pragma omp target data map(tofrom : x[0 : N])
    {
#pragma omp target
        for (int i = 0; i < N; i++) x[i] *= 3;
#pragma omp target update from(x[0 : N])
        EQUAL(x[10], 30);
#pragma omp target update to(x[0 : 10]) if (1)
    }
    EQUAL(x[N - 1], 3 * (N - 1));
#pragma omp target enter data map(to : x[0 : N])
#pragma omp target map(alloc : x[0 : N])
    x[1] = 77;
#pragma omp target exit data map(from : x[0 : N])
    EQUAL(x[1], 77);
#pragma omp target data map(x[0 : N]) use_device_ptr(x)
    CHECK(x != NULL);
    free(x);
}

static void asynchronous(void) {
    int x = 1, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
        x = 5;
#pragma omp target nowait depend(in : x) depend(out : y) map(tofrom : x, y)
        y = x + 1;
#pragma omp target update nowait depend(inout : y) to(y)
#pragma omp target enter data nowait depend(inout : y) map(to : y)
#pragma omp target exit data nowait depend(inout : y) map(from : y)
#pragma omp task depend(inout : y) shared(y)
        y *= 10;
#pragma omp taskwait
        EQUAL(y, 60);
    }
}

int main(void) {
    regions();
    data();
    asynchronous();
    return 0;
}
