/* What programs with locations as devices of OpenMP share: how many devices there are, and of how many threads each. */
#ifndef DEVICES_H
#define DEVICES_H
#include "placement.h"

enum { MOST = 16 };

static int count, threads;

/* From the command line: PROGRAM COUNT THREADS. */
static inline void told(int argc, char **argv) {
    count = argc > 2 ? atoi(argv[1]) : 0;
    threads = argc > 2 ? atoi(argv[2]) : 0;
    CHECK(count > 0 && count <= MOST);
}

#endif
