// Nested regions: max-active-levels, levels, ancestors, team sizes, one team inside each thread.
#include "check.h"

static void two_levels(void) {
    int inner = 0;
    omp_set_max_active_levels(2);
    EQUAL(omp_get_max_active_levels(), 2);
#pragma omp parallel num_threads(3)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(4) firstprivate(outer)
        {
            EQUAL(omp_get_level(), 2);
            EQUAL(omp_get_active_level(), 2);
            EQUAL(omp_get_num_threads(), 4);
            EQUAL(omp_get_team_size(0), 1);
            EQUAL(omp_get_team_size(1), 3);
            EQUAL(omp_get_team_size(2), 4);
            EQUAL(omp_get_team_size(3), -1);
            EQUAL(omp_get_ancestor_thread_num(0), 0);
            EQUAL(omp_get_ancestor_thread_num(1), outer);
            EQUAL(omp_get_ancestor_thread_num(2), omp_get_thread_num());
            EQUAL(omp_get_ancestor_thread_num(-1), -1);
            EQUAL(omp_get_ancestor_thread_num(3), -1);
            add_int(&inner, 1);
        }
        EQUAL(omp_get_level(), 1);
        EQUAL(omp_get_thread_num(), outer);
        EQUAL(omp_get_num_threads(), 3);
    }
    EQUAL(inner, 12);
}

static void level_not_allowed(void) {
    int inner = 0;
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(3)
    {
#pragma omp parallel num_threads(4)
        {
            EQUAL(omp_get_num_threads(), 1);
            EQUAL(omp_get_level(), 2);
            EQUAL(omp_get_active_level(), 1);
            CHECK(omp_in_parallel());
            add_int(&inner, 1);
        }
    }
    EQUAL(inner, 3);
    omp_set_max_active_levels(0);
#pragma omp parallel num_threads(3)
    EQUAL(omp_get_num_threads(), 1);
}

static int deep(int level, int most) {
    int count = 0;
    if (level > most) return 1;
#pragma omp parallel num_threads(2) reduction(+ : count)
    {
        EQUAL(omp_get_level(), level);
        count += deep(level + 1, most);
    }
    return count;
}

static void work_inside(void) {
    enum { N = 500 };
    static int table[4][N];
    omp_set_max_active_levels(4);
    for (int round = 0; round < 3; round++) {
#pragma omp parallel for num_threads(4)
        for (int row = 0; row < 4; row++) {
#pragma omp parallel for num_threads(3) schedule(dynamic, 7)
            for (int i = 0; i < N; i++) table[row][i] += row + i;
        }
    }
    for (int row = 0; row < 4; row++)
        for (int i = 0; i < N; i++) EQUAL(table[row][i], 3 * (row + i));
}

int main(void) {
    CHECK(omp_get_supported_active_levels() >= 8);
    two_levels();
    level_not_allowed();
    omp_set_max_active_levels(5);
    EQUAL(deep(1, 5), 32);
    EQUAL(deep(1, 5), 32);
    work_inside();
    return 0;
}
