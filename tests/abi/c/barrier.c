// barrier: no thread passes before all arrive, hundreds of times, also inside nested teams.
#include "check.h"
#include <unistd.h>

enum { ROUNDS = 60 };

static void phases(int rounds) {
    int arrived = 0;
#pragma omp parallel
    {
        int team = omp_get_num_threads();
        for (int r = 1; r <= rounds; r++) {
            add_int(&arrived, 1);
#pragma omp barrier
            EQUAL(load_int(&arrived), r * team);
#pragma omp barrier
        }
    }
}

static void neighbours(void) {
    int *cell = calloc((size_t)omp_get_max_threads(), sizeof(int));
#pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        for (int r = 1; r <= ROUNDS; r++) {
            cell[me] = r;
#pragma omp barrier
            EQUAL(cell[(me + 1) % team], r);
            EQUAL(cell[(me + team - 1) % team], r);
#pragma omp barrier
        }
    }
    free(cell);
}

static void nested(void) {
    omp_set_max_active_levels(2);
    int outer = 0;
#pragma omp parallel num_threads(3)
    {
        int inner = 0;
#pragma omp parallel num_threads(2)
        for (int r = 1; r <= 30; r++) {
            add_int(&inner, 1);
#pragma omp barrier
            EQUAL(load_int(&inner), 2 * r);
#pragma omp barrier
        }
        add_int(&outer, 1);
#pragma omp barrier
        EQUAL(load_int(&outer), 3);
    }
}

/* One thread comes so late that the others sleep: all of them are woken, in teams of every shape. */
static void latecomers(void) {
    static const int sizes[] = {2, 9, 10, 17, 64, 100};
    omp_set_dynamic(0);
    for (int size = 0; size < 6; size++) {
        int arrived = 0;
#pragma omp parallel num_threads(sizes[size])
        for (int r = 1; r <= 4; r++) {
            if (omp_get_thread_num() == r % omp_get_num_threads()) usleep(5000);
            add_int(&arrived, 1);
#pragma omp barrier
            EQUAL(load_int(&arrived), r * sizes[size]);
#pragma omp barrier
        }
    }
}

int main(void) {
    phases(ROUNDS);
    latecomers();
    neighbours();
    nested();
    phases(5);
#pragma omp barrier
    return 0;
}
