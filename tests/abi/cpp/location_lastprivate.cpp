// Variables of a taskloop spread over locations that are firstprivate and lastprivate: each task starts with the value
// from before the loop, although the last iteration may be through before others begin.
// clang 19 leaves out the update of such variables.
// compilers: gcc
// env: VICINITY_LOCATIONS=cores
// threads: 1 2 8
#include "check.h"

enum { TRIPS = 64, SWEEPS = 200, BEFORE = 7 };

struct Object {
    int number;
    Object(int start) : number(start) {}
    Object(const Object &other) : number(other.number) {}
    Object &operator=(const Object &other) {
        number = other.number;
        return *this;
    }
};

static void sweep(int &referred) {
    static int late;
    int plain = BEFORE;
    Object object(BEFORE);
    referred = BEFORE;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(TRIPS) firstprivate(plain, object, referred) lastprivate(plain, object, referred)
    for (int i = 0; i < TRIPS; i++) {
        add_int(&late, plain != BEFORE || object.number != BEFORE || referred != BEFORE);
        plain = 100 + i;
        object.number = 200 + i;
        referred = 300 + i;
    }
    EQUAL(late, 0);
    EQUAL(plain, 100 + TRIPS - 1);
    EQUAL(object.number, 200 + TRIPS - 1);
    EQUAL(referred, 300 + TRIPS - 1);
}

int main() {
    int referred;
    for (int i = 0; i < SWEEPS; i++) sweep(referred);
}
