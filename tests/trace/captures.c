/* Tasks that capture as much as fits into their records, and check it. They are created by all threads and run by any. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 8, TASKS = 2000 };

typedef struct {
    long word[WORDS];
} block;

static void create(long first)
{
    for (int task = 0; task < TASKS; task++) {
        block mine;
        for (int i = 0; i < WORDS; i++)
            mine.word[i] = first + i;
#pragma omp task firstprivate(mine)
        {
            for (int i = 1; i < WORDS; i++)
                if (mine.word[i] != mine.word[0] + i) {
                    fprintf(stderr, "a task got %lx for %lx\n", mine.word[i], mine.word[0] + i);
                    _exit(1);
                }
        }
    }
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
    create(0x123456789abcdef + 100 * omp_get_thread_num());
    return 0;
}
