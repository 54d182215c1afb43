// Stands before libvicinity.so.1 and refuses some tasks, as if there were no memory for them.
#define _GNU_SOURCE
#include "failing.h"
#include <dlfcn.h>
#include <stddef.h>

struct refusals refusals;

enum { REFUSED = -3 };

static int refuses(void)
{
    if (refusals.passing > 0) {
        refusals.passing--;
        return 0;
    }
    if (refusals.failing > 0) {
        refusals.failing--;
        return 1;
    }
    return 0;
}

int vicinity_task_create(void *function, void *argument, const void *options, void **task)
{
    int (*next)(void *, void *, const void *, void **) = dlsym(RTLD_NEXT, "vicinity_task_create");
    return refuses() ? REFUSED : next(function, argument, options, task);
}

int vicinity_task_range(void *function, void *argument, size_t count, size_t grain, const void *options,
                        void **task)
{
    int (*next)(void *, void *, size_t, size_t, const void *, void **) =
        dlsym(RTLD_NEXT, "vicinity_task_range");
    if (!refuses())
        return next(function, argument, count, grain, options, task);
    refusals.ranges++;
    return REFUSED;
}
