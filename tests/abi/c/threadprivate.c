// threadprivate: one copy a thread, kept from region to region, copyin, static and extern, big arrays.
#include "check.h"

struct state { int id; double values[50]; };

static int kept = 5;
static struct state state = {7, {1.5}};
static char big[20000];
#pragma omp threadprivate(kept, state, big)

static int local_static(int add) {
    static int sum = 100;
#pragma omp threadprivate(sum)
    sum += add;
    return sum;
}

int main(void) {
    int n = omp_get_max_threads();
    void **address = calloc((size_t)n, sizeof *address);
    omp_set_dynamic(0);
#pragma omp parallel
    {
        EQUAL(kept, 5);
        EQUAL(state.id, 7);
        CHECK(state.values[0] == 1.5);
        kept = omp_get_thread_num() * 10;
        state.id = -omp_get_thread_num();
        memset(big, omp_get_thread_num() + 1, sizeof big);
        address[omp_get_thread_num()] = &kept;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) CHECK(address[i] != address[j]);
    CHECK(address[0] == &kept);
    for (int round = 0; round < 5; round++) {
#pragma omp parallel
        {
            EQUAL(kept, omp_get_thread_num() * 10 + round);
            EQUAL(state.id, -omp_get_thread_num());
            EQUAL(big[19999], (char)(omp_get_thread_num() + 1));
            CHECK(address[omp_get_thread_num()] == &kept);
            kept++;
        }
    }
    kept = 77;
    state.id = 88;
    state.values[49] = 2.25;
    big[3] = 'c';
#pragma omp parallel copyin(kept, state, big)
    {
        EQUAL(kept, 77);
        EQUAL(state.id, 88);
        CHECK(state.values[49] == 2.25);
        EQUAL(big[3], 'c');
#pragma omp barrier
        kept = omp_get_thread_num();
    }
    EQUAL(kept, 0);
#pragma omp parallel
    EQUAL(kept, omp_get_thread_num());
#pragma omp parallel
    {
        EQUAL(local_static(1), 101);
        EQUAL(local_static(omp_get_thread_num()), 101 + omp_get_thread_num());
    }
    free(address);
    return 0;
}
