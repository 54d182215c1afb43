// cancel sections: sections not begun are left out, the threads meet, later ones are whole.
// env: OMP_CANCELLATION=true
#include "check.h"

int main(void) {
    for (int round = 0; round < 20; round++) {
        int runs = 0, whole = 0, after = 0;
#pragma omp parallel
        {
#pragma omp sections
            {
#pragma omp section
                {
                    add_int(&runs, 1);
#pragma omp cancel sections
                    FAIL("the cancelling section went on");
                }
#pragma omp section
                {
#pragma omp cancellation point sections
                    add_int(&runs, 1);
                }
#pragma omp section
                {
                    SPIN_UNTIL(load_int(&runs) > 0);
#pragma omp cancellation point sections
                    add_int(&runs, 1);
                }
            }
            add_int(&after, 1);
#pragma omp barrier
            EQUAL(load_int(&after), omp_get_num_threads());
#pragma omp sections
            {
#pragma omp section
                add_int(&whole, 1);
#pragma omp section
                add_int(&whole, 1);
            }
        }
        CHECK(runs >= 1 && runs <= 3);
        EQUAL(whole, 2);
    }
    int runs = 0;
#pragma omp parallel num_threads(1)
#pragma omp sections
    {
#pragma omp section
        runs++;
#pragma omp section
        {
            runs++;
#pragma omp cancel sections
            runs += 100;
        }
#pragma omp section
        runs += 1000;
    }
    EQUAL(runs, 2);
    return 0;
}
