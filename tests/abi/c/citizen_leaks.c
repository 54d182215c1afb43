// Nothing piles up: memory, threads and open files after many regions, tasks, sizes and foreign threads.
// peer-fails: libomp crashes on tasks in the teams of foreign threads
// threads: 2 8
#include "check.h"
#include <dirent.h>
#include <pthread.h>

static long pages(void) {
    long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld %ld", &total, &resident) == 2);
    fclose(f);
    return resident;
}

static int entries(const char *path) {
    int n = 0;
    DIR *directory = opendir(path);
    CHECK(directory != NULL);
    while (readdir(directory)) n++;
    closedir(directory);
    return n;
}

static void *foreign(void *unused) {
    int x = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) shared(x)
    {
        sum++;
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : x)
            x++;
        }
    }
    CHECK(x == 20 && sum == 2);
    return unused;
}

static void use(int rounds) {
    omp_set_max_active_levels(2);
    for (int round = 0; round < rounds; round++) {
        int n = round % 4 + 1, sum = 0, x = 0;
#pragma omp parallel num_threads(n) reduction(+ : sum) shared(x)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 10; i++) sum++;
#pragma omp single
            for (int i = 0; i < 40; i++) {
                char payload[3000] = {(char)i};
#pragma omp task depend(inout : x) firstprivate(payload)
                x += payload[1] + 1;
            }
            if (round % 16 == 0) {
#pragma omp parallel num_threads(2)
                busy(10);
            }
        }
        CHECK(sum == 10 && x == 40);
        omp_lock_t lock;
        omp_init_lock(&lock);
        omp_destroy_lock(&lock);
        if (round % 8 == 0) {
            pthread_t thread;
            CHECK(pthread_create(&thread, NULL, foreign, NULL) == 0);
            pthread_join(thread, NULL);
        }
    }
}

int main(void) {
    omp_set_dynamic(0);
    use(100);
    long before = pages();
    int threads = entries("/proc/self/task"), files = entries("/proc/self/fd");
    use(1200);
    long grown = pages() - before;
    if (grown > 1500) FAIL("%ld pages more than before", grown);
    CHECK(entries("/proc/self/task") <= threads + 8);
    EQUAL(entries("/proc/self/fd"), files);
    return 0;
}
