// Worksharing outside any region, and in functions called from a region.
#include "check.h"

enum { N = 100 };
static int hits[N];

static void loop(void) {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < N; i++) add_int(&hits[i], 1);
}

static void everything(int *sections, int *singles) {
    loop();
#pragma omp sections
    {
#pragma omp section
        add_int(sections, 1);
#pragma omp section
        add_int(sections, 1);
#pragma omp section
        add_int(sections, 1);
    }
#pragma omp single
    add_int(singles, 1);
#pragma omp for ordered schedule(static)
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        hits[i]++;
    }
#pragma omp master
    add_int(singles, 10);
#pragma omp barrier
}

int main(void) {
    int sections = 0, singles = 0;
    everything(&sections, &singles);
    EQUAL(sections, 3);
    EQUAL(singles, 11);
#pragma omp parallel
    everything(&sections, &singles);
    EQUAL(sections, 6);
    EQUAL(singles, 22);
    for (int i = 0; i < N; i++) EQUAL(hits[i], 4);
    return 0;
}
