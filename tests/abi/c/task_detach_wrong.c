// What is fulfilled and is no event ends the program with a line that says so: no crash, and no wait for ever.
// threads: 2
#define CHECK_CHILD_PROCESSES
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include "check.h"

static omp_event_handle_t handle(uintptr_t value) { return (omp_event_handle_t)value; }

int main(int argc, char **argv)
{
    static uint64_t zeroes[8];
    if (argc < 2) {
        const char *kinds[] = {"null", "small", "odd", "zeroes", "code", "twice"};
        for (int i = 0; i < 6; i++) {
            char text[1024];
            int status = run_self("timeout --signal=KILL 20", kinds[i], text, sizeof text);
            if (status == 0 || status == 137 || !strstr(text, "omp_fulfill_event: 0") || !strstr(text, "is not the event"))
                FAIL("%s: status %d: %s", kinds[i], status, text);
        }
        return 0;
    }
    if (!strcmp(argv[1], "null")) omp_fulfill_event(handle(0));
    if (!strcmp(argv[1], "small")) omp_fulfill_event(handle(0x5000));
    if (!strcmp(argv[1], "odd")) omp_fulfill_event(handle((uintptr_t)zeroes + 1));
    if (!strcmp(argv[1], "zeroes")) omp_fulfill_event(handle((uintptr_t)zeroes));
    if (!strcmp(argv[1], "code")) omp_fulfill_event(handle((uintptr_t)main & ~(uintptr_t)15));
    omp_event_handle_t event;
#pragma omp parallel num_threads(1)
    {
#pragma omp task detach(event)
        {
        }
        omp_fulfill_event(event);
#pragma omp taskwait
        if (!strcmp(argv[1], "twice")) omp_fulfill_event(event);
    }
    return 0;
}
