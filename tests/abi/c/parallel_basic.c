// Parallel regions: default team, num_threads, if, thread numbers, private and shared data.
#include "check.h"

static void whole_team(int expected) {
    int seen[256] = {0}, threads = 0;
#pragma omp parallel shared(seen, threads)
    {
        int me = omp_get_thread_num();
        CHECK(me >= 0 && me < omp_get_num_threads());
        add_int(&seen[me], 1);
        if (me == 0) threads = omp_get_num_threads();
        EQUAL(omp_in_parallel(), omp_get_num_threads() > 1);
        EQUAL(omp_get_level(), 1);
    }
    EQUAL(threads, expected);
    for (int i = 0; i < 256; i++) EQUAL(seen[i], i < threads);
}

static void asked_for(int n) {
    int count = 0;
#pragma omp parallel num_threads(n)
    {
        EQUAL(omp_get_num_threads(), n);
        add_int(&count, 1);
    }
    EQUAL(count, n);
}

static void serialized(int yes) {
    int count = 0, private_value = 7, first = 9;
#pragma omp parallel if (!yes) private(private_value) firstprivate(first)
    {
        EQUAL(first, 9);
        private_value = omp_get_thread_num();
        first += private_value;
        add_int(&count, 1);
        if (yes) {
            EQUAL(omp_get_num_threads(), 1);
            EQUAL(omp_in_parallel(), 0);
            EQUAL(omp_get_level(), 1);
            EQUAL(omp_get_active_level(), 0);
        }
    }
    EQUAL(private_value, 7);
    EQUAL(first, 9);
    EQUAL(count, yes ? 1 : omp_get_max_threads());
}

static void set_by_call(int n) {
    int before = omp_get_max_threads();
    omp_set_num_threads(n);
    EQUAL(omp_get_max_threads(), n);
    whole_team(n);
    omp_set_num_threads(before);
}

static void sizes_one_after_another(void) {
    int total = 0, expected = 0;
    for (int round = 0; round < 60; round++) {
        int n = round * 7 % 9 + 1;
        expected += n;
#pragma omp parallel num_threads(n)
        add_int(&total, 1);
    }
    EQUAL(total, expected);
}

int main(void) {
    omp_set_dynamic(0);
    EQUAL(omp_get_num_threads(), 1);
    EQUAL(omp_get_thread_num(), 0);
    const char *env = getenv("OMP_NUM_THREADS");
    if (env) EQUAL(omp_get_max_threads(), atoi(env));
    whole_team(omp_get_max_threads());
    for (int n = 1; n <= 9; n++) asked_for(n);
    serialized(0);
    serialized(1);
    set_by_call(3);
    sizes_one_after_another();
    whole_team(omp_get_max_threads());
    return 0;
}
