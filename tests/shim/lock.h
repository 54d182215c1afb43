/* What the programs that call the shim's atomics share: a lock that only counts, and checks that look whether it is free. */
#ifndef LOCK_H
#define LOCK_H

#include <stdio.h>

static int held, taken;

void GOMP_atomic_start(void) { held++, taken++; }
void GOMP_atomic_end(void) { held--; }

static int failures;

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition) || held != 0) {                                                          \
            printf("line %d: %s\n", __LINE__, #condition);                                        \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)

#endif
