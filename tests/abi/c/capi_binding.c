// Bound threads run on exactly the processors of the place that they say they have: in outer and inner regions,
// in regions of changing size, and in those of a thread that OpenMP does not know.
// env: OMP_PLACES=threads OMP_PROC_BIND=spread,close
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>

static void bound(void) {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    EQUAL(sched_getaffinity(0, sizeof mine, &mine), 0);
    int place = omp_get_place_num();
    CHECK(place >= 0 && place < omp_get_num_places());
    int count = omp_get_place_num_procs(place);
    int *ids = malloc(sizeof(int) * (size_t)count);
    omp_get_place_proc_ids(place, ids);
    EQUAL(CPU_COUNT(&mine), count);
    for (int i = 0; i < count; i++) CHECK(CPU_ISSET(ids[i], &mine));
    free(ids);
}

/* The place is one of the thread's own partition. */
static void inside_partition(void) {
    int count = omp_get_partition_num_places(), found = 0;
    int *places = malloc(sizeof(int) * (size_t)count);
    omp_get_partition_place_nums(places);
    for (int i = 0; i < count; i++) found += places[i] == omp_get_place_num();
    EQUAL(found, 1);
    free(places);
}

static void regions(int n) {
    int first = -1;
#pragma omp parallel num_threads(n)
    {
        bound();
        inside_partition();
#pragma omp parallel num_threads(2)
        bound();
        bound();
    }
#pragma omp parallel num_threads(n) proc_bind(master)
    {
#pragma omp masked
        first = omp_get_place_num();
#pragma omp barrier
        EQUAL(omp_get_place_num(), first);
        bound();
    }
#pragma omp parallel num_threads(n) proc_bind(close)
    {
        bound();
        int places = omp_get_num_places();
        if (omp_get_num_threads() <= places)
            EQUAL(omp_get_place_num(), (first + omp_get_thread_num()) % places);
    }
    bound();
}

static void *stranger(void *argument) {
    regions(*(int *)argument);
    return NULL;
}

int main(void) {
    int n = omp_get_max_threads();
    omp_set_max_active_levels(2);
    EQUAL(omp_get_proc_bind(), omp_proc_bind_spread);
    for (int size = 1; size <= n; size += 1 + size / 3) regions(size);
    pthread_t thread;
    pthread_create(&thread, NULL, stranger, &n);
    pthread_join(thread, NULL);
    regions(n);
    return 0;
}
