/* What a program tells the library that stands before libvicinity.so.1: which of its tasks are refused. */
#ifndef FAILING_H
#define FAILING_H
#include <stdatomic.h>

struct refusals {
    /* So many tasks are made first, then so many are refused. */
    atomic_int passing, failing;
    /* How many of the refused were ranges of tasks. */
    atomic_int ranges;
};

#endif
