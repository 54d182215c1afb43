// mutexinoutset orders nothing within the set: a member that may run does not wait for one that may not yet.
// peer-fails: libgomp takes it for inout, and so waits for ever
#include "check.h"

int main(void) {
    for (int round = 0; round < 10; round++) {
        int x = 0, gate = 0, order = 0, second_at = 0, first_at = 0;
#pragma omp parallel
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task depend(out : gate) detach(event) shared(gate)
            gate = 1;
            // Cannot run before the event; its set has a later member, which can.
#pragma omp task depend(in : gate) depend(mutexinoutset : x) shared(x, order, first_at)
            {
                x++;
                first_at = ++order;
            }
#pragma omp task depend(mutexinoutset : x) firstprivate(event) shared(x, order, second_at)
            {
                x++;
                second_at = ++order;
                omp_fulfill_event(event);
            }
#pragma omp taskwait
        }
        EQUAL(x, 2);
        EQUAL(second_at, 1);
        EQUAL(first_at, 2);
    }
    return 0;
}
