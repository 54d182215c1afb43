// A chain of 100,000 tasks held back by an event until it is whole, then run off: nobody waits while creating it.
// env: OMP_STACKSIZE=256K
// peer-fails: libgomp waits for the event when its task limit is reached
// peer-fails: libomp overflows its stack
#include "check.h"

enum { MANY = 100000 };

int main(void) {
    static long chain;
#pragma omp parallel
#pragma omp single
    {
        int gate = 0;
        omp_event_handle_t event;
#pragma omp task depend(out : chain) detach(event) shared(gate)
        store_int(&gate, 1);
        for (int i = 0; i < MANY; i++) {
#pragma omp task depend(inout : chain)
            chain++;
        }
        EQUAL(chain, 0);
        omp_fulfill_event(event);
#pragma omp taskwait
        EQUAL(chain, MANY);
        EQUAL(gate, 1);
    }
    return 0;
}
