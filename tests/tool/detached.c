/* Its own tool: prints the events of detachable tasks, one whose event is fulfilled early, and one whose event is fulfilled late. */
#include "own.h"
#include <omp.h>
#include <stdio.h>

static void schedules(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
    static const char *const names[] = {"-", "complete", "yield", "cancel", "detach", "early", "late", "switch", "wait"};
    printf("%s%s%s\n", names[status], prior->value ? " task" : "", next ? "" : " alone");
}

static void creates(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences, const void *from) {
    (void)creator, (void)frame, (void)flags, (void)dependences, (void)from;
    task->value = 1;
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_task_create, (ompt_callback_t)creates);
    set(ompt_callback_task_schedule, (ompt_callback_t)schedules);
    return 1;
}

int main(void) {
#pragma omp parallel num_threads(1)
    {
        omp_event_handle_t early, late;
#pragma omp task detach(early)
        omp_fulfill_event(early);
#pragma omp taskwait
#pragma omp task detach(late)
        puts("body");
#pragma omp taskyield
        puts("fulfilling");
        omp_fulfill_event(late);
#pragma omp taskwait
    }
    return 0;
}
