// The omp_* API: settings and what they read back, inside and outside of regions, ICVs private to a task.
#include "check.h"

static void threads(void) {
    int n = omp_get_max_threads();
    omp_set_num_threads(6);
    EQUAL(omp_get_max_threads(), 6);
#pragma omp parallel num_threads(2)
    {
        omp_set_num_threads(3 + omp_get_thread_num());
        EQUAL(omp_get_max_threads(), 3 + omp_get_thread_num());
#pragma omp task
        {
            omp_set_num_threads(9);
            EQUAL(omp_get_max_threads(), 9);
        }
#pragma omp taskwait
        EQUAL(omp_get_max_threads(), 3 + omp_get_thread_num());
    }
    EQUAL(omp_get_max_threads(), 6);
    omp_set_num_threads(n);
    CHECK(omp_get_num_procs() >= 1);
    CHECK(omp_get_thread_limit() >= n);
}

static void flags(void) {
    omp_set_dynamic(1);
    EQUAL(omp_get_dynamic(), 1);
    int count = 0, team = 0;
#pragma omp parallel num_threads(8)
    {
        add_int(&count, 1);
#pragma omp single
        team = omp_get_num_threads();
    }
    CHECK(team >= 1 && team <= 8 && count == team);
    omp_set_dynamic(0);
    EQUAL(omp_get_dynamic(), 0);
    omp_set_max_active_levels(3);
    EQUAL(omp_get_max_active_levels(), 3);
    CHECK(omp_get_supported_active_levels() >= 3);
    omp_set_nested(1);
    CHECK(omp_get_max_active_levels() > 1);
    EQUAL(omp_get_nested(), 1);
    omp_set_nested(0);
    EQUAL(omp_get_nested(), 0);
    EQUAL(omp_get_max_active_levels(), 1);
    EQUAL(omp_get_cancellation(), 0);
    EQUAL(omp_get_max_task_priority(), 0);
    CHECK(omp_get_proc_bind() >= omp_proc_bind_false);
}

static void outside(void) {
    EQUAL(omp_in_parallel(), 0);
    EQUAL(omp_in_final(), 0);
    EQUAL(omp_get_level(), 0);
    EQUAL(omp_get_active_level(), 0);
    EQUAL(omp_get_team_size(0), 1);
    EQUAL(omp_get_team_size(1), -1);
    EQUAL(omp_get_ancestor_thread_num(0), 0);
    EQUAL(omp_get_num_teams(), 1);
    EQUAL(omp_get_team_num(), 0);
    EQUAL(omp_is_initial_device(), 1);
    CHECK(omp_get_max_teams() >= 0);
    CHECK(omp_get_teams_thread_limit() >= 0);
}

static void clock_runs(void) {
    double start = omp_get_wtime(), tick = omp_get_wtick();
    CHECK(tick > 0 && tick < 1);
    struct timespec nap = {0, 20000000};
    nanosleep(&nap, NULL);
    double passed = omp_get_wtime() - start;
    CHECK(passed >= 0.0199 && passed < 30);
    double other = 0;
#pragma omp parallel num_threads(2) reduction(max : other)
    other = omp_get_wtime();
    CHECK(other >= start && other - start < 30);
}

static void schedules(void) {
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    for (int i = 0; i < 3; i++) {
        omp_sched_t kind = (omp_sched_t)0;
        int chunk = 0;
        omp_set_schedule(kinds[i], 5 + i);
        omp_get_schedule(&kind, &chunk);
        EQUAL((unsigned)kind & 0xfffu, kinds[i]);
        EQUAL(chunk, 5 + i);
    }
}

int main(void) {
    outside();
    threads();
    flags();
    outside();
    clock_runs();
    schedules();
    omp_set_default_device(0);
    EQUAL(omp_get_default_device(), 0);
    return 0;
}
