// Many loops in a row without barriers: threads may be far ahead of one another.
#include "check.h"

enum { ROUNDS = 400, N = 37 };
static int hits[ROUNDS][N];

int main(void) {
    int singles = 0, sections = 0;
#pragma omp parallel
    {
        for (int r = 0; r < ROUNDS; r++) {
            if (omp_get_thread_num() == 0 && r % 64 == 0) busy(30000);
            switch (r % 4) {
            case 0:
#pragma omp for schedule(dynamic) nowait
                for (int i = 0; i < N; i++) add_int(&hits[r][i], 1);
                break;
            case 1:
#pragma omp for schedule(guided) nowait
                for (long i = 0; i < N; i++) add_int(&hits[r][i], 1);
                break;
            case 2:
#pragma omp single nowait
                add_int(&singles, 1);
#pragma omp for schedule(static) nowait
                for (int i = 0; i < N; i++) add_int(&hits[r][i], 1);
                break;
            default:
#pragma omp sections nowait
                {
#pragma omp section
                    add_int(&sections, 1);
#pragma omp section
                    add_int(&sections, 1);
                }
#pragma omp for schedule(dynamic, 4) nowait
                for (unsigned long long i = 0; i < N; i++) add_int(&hits[r][i], 1);
            }
        }
    }
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < N; i++) EQUAL(hits[r][i], 1);
    EQUAL(singles, ROUNDS / 4);
    EQUAL(sections, ROUNDS / 4 * 2);
    return 0;
}
