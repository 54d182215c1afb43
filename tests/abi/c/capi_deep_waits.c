// Tasks that each create the next one and wait for a group of others: whoever waits may run any task meanwhile, and so piles
// one waiting task upon the other. The stack must not overflow before the group's task is finished.
// peer-fails: libgomp the regions would be another runtime's
// peer-fails: libomp the regions would be another runtime's
// flags: -I../capi/include -L../target/dist/lib -Wl,-rpath,$ORIGIN/../../../dist/lib -lvicinity
#include "check.h"
#include <unistd.h>
#include <vicinity.h>

enum { LINKS = 20000 };

static vicinity_group *slow, *chain;
static int ended;

static void take_long(void *argument) {
    (void)argument;
    usleep(300000);
}

static void wait_for_slow(void *argument) {
    vicinity_options options = VICINITY_OPTIONS;
    char *links = argument;
    options.group = chain;
    if (links > (char *)0 + 1)
        EQUAL(vicinity_task_create(wait_for_slow, links - 1, &options, NULL), VICINITY_SUCCESS);
    EQUAL(vicinity_group_wait(slow), VICINITY_SUCCESS);
    add_int(&ended, 1);
}

int main(void) {
    EQUAL(vicinity_group_create(&slow), VICINITY_SUCCESS);
    EQUAL(vicinity_group_create(&chain), VICINITY_SUCCESS);
#pragma omp parallel
#pragma omp single
    {
        vicinity_options options = VICINITY_OPTIONS;
        options.group = slow;
        EQUAL(vicinity_task_create(take_long, NULL, &options, NULL), VICINITY_SUCCESS);
        options.group = chain;
        EQUAL(vicinity_task_create(wait_for_slow, (char *)0 + LINKS, &options, NULL), VICINITY_SUCCESS);
        EQUAL(vicinity_group_wait(chain), VICINITY_SUCCESS);
    }
    EQUAL(ended, LINKS);
    EQUAL(vicinity_group_destroy(slow), VICINITY_SUCCESS);
    EQUAL(vicinity_group_destroy(chain), VICINITY_SUCCESS);
    return 0;
}
