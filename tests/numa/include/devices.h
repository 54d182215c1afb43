/* What programs with locations as devices of OpenMP share: how many devices there are, of how many threads each, and where regions and
 * pages are. */
#ifndef DEVICES_H
#define DEVICES_H
#include "placement.h"

/* gcc 12 does not declare them. */
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *, const size_t *, const size_t *, int,
                                 int, int, omp_depend_t *);
void *omp_target_memset(void *, int, size_t, int);
void *omp_target_memset_async(void *, int, size_t, int, int, omp_depend_t *);

enum { MOST = 16 };

static int count, threads;
/* Threads of regions that were not where they should be. */
static int strays;

/* From the command line: PROGRAM COUNT THREADS. */
static inline void told(int argc, char **argv) {
    count = argc > 2 ? atoi(argv[1]) : 0;
    threads = argc > 2 ? atoi(argv[2]) : 0;
    CHECK(count > 0 && count <= MOST);
    CHECK(here_location() >= 0);
}

/* Called by threads of a region: it is on this device, and the thread on a processor there. */
static inline void note_device(int device) {
    if (omp_get_device_num() != device || here_location() != device) add_int(&strays, 1);
}

/* Whole pages of a range are at a device. */
static inline void check_at(const char *what, const void *start, size_t bytes, int device) {
    uintptr_t first = ((uintptr_t)start + PAGE - 1) / PAGE * PAGE, end = (uintptr_t)start + bytes;
    for (; first + PAGE <= end; first += PAGE) {
        int at = where((const char *)first);
        if (at != device) FAIL("%s: the page at byte %zu of %zu is at %d, not %d", what, (size_t)(first - (uintptr_t)start), bytes, at, device);
    }
}

/* Whether pages that are mapped go to the device: clang says nothing of maps, and only the kernel moves pages. */
static inline int maps_move(void) {
#ifdef __clang__
    return 0;
#else
    return truth_is_the_kernel();
#endif
}

/* Memory at a device. */
static inline void *at_device(size_t bytes, int device) {
    void *block = omp_target_alloc(bytes, device);
    CHECK(block != NULL);
    return block;
}

#endif
