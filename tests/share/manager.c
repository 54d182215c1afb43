/* manager: stands for libtcm.so.1. It has as many processors as MANAGED says, grants what is left of them, and says at the end
 * how often it was asked, how much it has granted at most, and how many permits are not given back. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
    int32_t least, most;
    void *constraints;
    uint32_t count;
    int32_t priority;
    uint32_t flags;
    char reserved[4];
};
struct granted {
    uint32_t *threads;
    void **masks;
    uint32_t size;
    uint8_t state;
    uint32_t flags;
};
struct permit {
    uint32_t threads;
};
enum { PENDING = 2, ACTIVE = 4, RIGID = 2 };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static uint32_t all, used, most, asked, open;

uint32_t tcmConnect(uint32_t (*changed)(void *, void *, uint32_t), uint64_t *client) {
    const char *managed = getenv("MANAGED");
    if (managed == NULL || changed == NULL) return 0x7ffffffe;
    all = (uint32_t)atoi(managed);
    *client = 77;
    return 0;
}

#ifndef OLD
uint32_t tcmRequestPermit(uint64_t client, struct request request, void *argument, void **handle, struct granted *granted) {
    (void)argument;
    if (client != 77 || request.flags != RIGID || request.least > request.most || granted->size != 1) abort();
    if (request.constraints != NULL || request.count != 0 || *handle != NULL) abort();
    struct permit *permit = calloc(1, sizeof *permit);
    pthread_mutex_lock(&guard);
    uint32_t left = all - used;
    granted->state = left < (uint32_t)request.least ? PENDING : ACTIVE;
    if (granted->state == ACTIVE) permit->threads = left < (uint32_t)request.most ? left : (uint32_t)request.most;
    *granted->threads = permit->threads;
    used += permit->threads;
    if (used > most) most = used;
    asked++;
    open++;
    pthread_mutex_unlock(&guard);
    *handle = permit;
    return 0;
}
#endif

uint32_t tcmReleasePermit(struct permit *permit) {
    pthread_mutex_lock(&guard);
    used -= permit->threads;
    open--;
    pthread_mutex_unlock(&guard);
    free(permit);
    return 0;
}

__attribute__((destructor)) static void at_the_end(void) {
    printf("asked %u, granted %u, open %u\n", asked, most, open);
}
