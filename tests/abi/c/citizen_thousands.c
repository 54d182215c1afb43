// A team of 4,096 threads, where the system lets so many exist; else a smaller team and the right sums all the same.
// threads: 4096
// env: OMP_STACKSIZE=64K
// peer-fails: libgomp ends the process where so many threads cannot be made
// peer-fails: libomp ends the process where so many threads cannot be made
#include "check.h"

int main(void) {
    omp_set_dynamic(0);
    for (int round = 0; round < 2; round++) {
        int count = 0, team = 0, iterations = 0;
        long sum = 0;
#pragma omp parallel reduction(+ : sum)
        {
            add_int(&count, 1);
            sum += omp_get_thread_num();
#pragma omp single
            team = omp_get_num_threads();
#pragma omp for schedule(dynamic, 16)
            for (int i = 0; i < 10000; i++) add_int(&iterations, 1);
        }
        CHECK(team >= 1 && team <= 4096);
        EQUAL(count, team);
        EQUAL(sum, (long)team * (team - 1) / 2);
        EQUAL(iterations, 10000);
    }
    return 0;
}
