// OMP_STACKSIZE: frames of 12 MiB on every thread when 16 MiB were asked for, in regions and in tasks.
// env: OMP_STACKSIZE=16M
#include "check.h"
#include <sys/resource.h>

enum { BYTES = 12 << 20 };

__attribute__((noinline)) static int touch(int seed) {
    volatile char frame[BYTES];
    int sum = 0;
    for (int i = 0; i < BYTES; i += 65536) frame[i] = (char)(seed + i / 65536);
    for (int i = 0; i < BYTES; i += 65536) sum += frame[i] == (char)(seed + i / 65536);
    return sum;
}

int main(void) {
    int wrong = 0;
    omp_set_dynamic(0);
#pragma omp parallel reduction(+ : wrong)
    {
        // The first thread's stack is the shell's affair.
        if (omp_get_thread_num() != 0) wrong += touch(omp_get_thread_num()) != BYTES / 65536;
    }
    EQUAL(wrong, 0);
#pragma omp parallel shared(wrong)
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i)
            if (omp_get_thread_num() != 0 && touch(i) != BYTES / 65536) add_int(&wrong, 1);
        }
    }
    EQUAL(wrong, 0);
    return 0;
}
