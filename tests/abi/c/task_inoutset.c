// inoutset: members run in any order and together, sets wait for what came before; omp_all_memory waits for all.
// compilers: clang
// flags: -fopenmp-version=51
#include "check.h"

static void sets(void) {
    int x = 0, members = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(inoutset : x) shared(x, members) firstprivate(round)
            {
                EQUAL(x, round);
                add_int(&members, 1);
            }
        }
        for (int i = 0; i < 3; i++) {
#pragma omp task depend(in : x) shared(x, members) firstprivate(round)
            EQUAL(load_int(&members), 8 * (round + 1));
        }
#pragma omp task depend(inout : x) shared(x, members) firstprivate(round)
        {
            EQUAL(members, 8 * (round + 1));
            x++;
        }
    }
#pragma omp taskwait
    EQUAL(x, 10);
}

static void together(void) {
    // A member that cannot run yet does not hold up the next one.
    int x = 0, gate = 0;
    omp_event_handle_t event;
#pragma omp task depend(out : gate) detach(event) shared(gate)
    gate = 1;
#pragma omp task depend(in : gate) depend(inoutset : x) shared(x)
    add_int(&x, 1);
#pragma omp task depend(inoutset : x) firstprivate(event) shared(x)
    {
        add_int(&x, 1);
        omp_fulfill_event(event);
    }
#pragma omp task depend(in : x) shared(x)
    EQUAL(x, 2);
#pragma omp taskwait
    EQUAL(x, 2);
}

static void everything(void) {
    int a = 0, b = 0, c = 0;
    for (int round = 0; round < 10; round++) {
#pragma omp task depend(out : a) shared(a)
        a++;
#pragma omp task depend(inout : b) shared(b)
        b++;
#pragma omp task depend(mutexinoutset : c) shared(c)
        c++;
#pragma omp task depend(out : omp_all_memory) shared(a, b, c) firstprivate(round)
        {
            EQUAL(a, round + 1);
            EQUAL(b, round + 1);
            EQUAL(c, 3 * round + 1);
            c++;
        }
#pragma omp task depend(in : a) shared(c) firstprivate(round)
        CHECK(c >= 3 * round + 2);
#pragma omp task depend(inout : omp_all_memory) shared(c)
        c++;
    }
#pragma omp taskwait
    EQUAL(c, 30);
#pragma omp task depend(inout : omp_all_memory) if (0) shared(a)
    a = -1;
    EQUAL(a, -1);
}

int main(void) {
#pragma omp parallel
    {
#pragma omp single
        {
            sets();
            together();
            everything();
        }
        sets();
    }
    return 0;
}
