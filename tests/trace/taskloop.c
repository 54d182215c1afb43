/* One taskloop of 64 tasks, met by an implicit task. */
#include <stdio.h>

int main(void) {
    static int done[640];
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(64)
    for (int i = 0; i < 640; i++) {
        done[i]++;
    }
    for (int i = 0; i < 640; i++) {
        if (done[i] != 1) {
            return 1;
        }
    }
    puts("done");
    return 0;
}
