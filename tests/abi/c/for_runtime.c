// schedule(runtime) obeys OMP_SCHEDULE and omp_set_schedule; omp_get_schedule tells what is in force.
// env: OMP_SCHEDULE=static,5
#include "check.h"

enum { N = 600 };
static int owner[N], count[N];

static void run(void) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < N; i++) {
        owner[i] = omp_get_thread_num();
        add_int(&count[i], 1);
    }
    for (int i = 0; i < N; i++) {
        EQUAL(count[i], 1);
        count[i] = 0;
    }
}

static void in_force(omp_sched_t want, int want_chunk) {
    omp_sched_t kind;
    int chunk = -1;
    omp_get_schedule(&kind, &chunk);
    EQUAL((unsigned)kind & 0x7fffffffu, want);
    EQUAL(chunk, want_chunk);
}

int main(void) {
    int threads = omp_get_max_threads();
    in_force(omp_sched_static, 5);
    run();
    for (int i = 0; i < N; i++) EQUAL(owner[i], i / 5 % threads);

    omp_set_schedule(omp_sched_static, 9);
    in_force(omp_sched_static, 9);
    run();
    for (int i = 0; i < N; i++) EQUAL(owner[i], i / 9 % threads);

    omp_set_schedule(omp_sched_dynamic, 6);
    in_force(omp_sched_dynamic, 6);
    run();
    for (int i = 0; i < N; i++) EQUAL(owner[i], owner[i / 6 * 6]);

    omp_set_schedule(omp_sched_guided, 4);
    in_force(omp_sched_guided, 4);
    run();

    omp_set_schedule(omp_sched_auto, 1);
    run();

    omp_set_schedule((omp_sched_t)((unsigned)omp_sched_dynamic | (unsigned)omp_sched_monotonic), 2);
#pragma omp parallel
    {
        int previous = -1;
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; i++) {
            CHECK(i > previous);
            previous = i;
            add_int(&count[i], 1);
        }
    }
    for (int i = 0; i < N; i++) EQUAL(count[i], 1);

#pragma omp parallel num_threads(2)
    {
        // The setting is each implicit task's own.
        omp_set_schedule(omp_sched_guided, 3 + omp_get_thread_num());
        in_force(omp_sched_guided, 3 + omp_get_thread_num());
    }
    in_force(omp_sched_dynamic, 2);
    return 0;
}
