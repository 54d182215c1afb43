/* What is awaited, and polling for it.
 *
 * Whoever waits pushes its wait onto `incoming`. One thread at a time polls (the runtime sees to that): it takes what came in.
 * The requests of those that wait for all of theirs go into one array, which one call tests; the other waits are tested one by
 * one. */
#include "waits.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool helping;
static _Atomic(struct wait *) incoming;
/* How many waits there are: nobody polls for none. */
static atomic_int waiting;

/* The rest belongs to whoever polls. */

/* Whose a request is. */
struct slot {
    struct wait *wait;
    int index;
};

static struct {
    int count, capacity;
    MPI_Request *requests;
    struct slot *slots;
    int *indices;         /* room for answers */
    MPI_Status *statuses; /* likewise */
} requests;

/* Those that are tested one by one. */
static struct wait *others;

bool has_begun(void) { return atomic_load_explicit(&helping, memory_order_relaxed); }

bool helps(void) { return has_begun() && vicinity_pause_helps() == 1; }

void begin_helping(void) { atomic_store(&helping, true); }

void stop_helping(void) { atomic_store(&helping, false); }

static void push(struct wait *wait) {
    atomic_fetch_add(&waiting, 1);
    /* Release: pairs with the acquire in `take_incoming`. */
    wait->next = atomic_load_explicit(&incoming, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&incoming, &wait->next, wait, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

int await(struct wait *wait) {
    push(wait);
    if (wait->event != 0) {
        vicinity_poll_wake();
        return MPI_SUCCESS;
    }
    vicinity_pause_wait(&wait->pause);
    return wait->error;
}

int finish(int error, MPI_Request *request, MPI_Status *status) {
    int done = 0;
    if (error == MPI_SUCCESS) error = PMPI_Test(request, &done, status);
    if (error != MPI_SUCCESS || done) return error;
    if (!helps()) return PMPI_Wait(request, status);
    struct wait wait = {.kind = ALL, .count = 1, .requests = request, .statuses = status};
    return await(&wait);
}

/* The wait is over, and belongs to its task again. */
static void end(struct wait *wait) {
    atomic_fetch_sub(&waiting, 1);
    if (wait->event == 0) {
        vicinity_pause_end(&wait->pause);
        return;
    }
    omp_event_handle_t event = (omp_event_handle_t)wait->event;
    free(wait);
    omp_fulfill_event(event);
}

/* Room for more requests; false if there is no memory. */
static bool reserve(int more) {
    if (requests.count + more <= requests.capacity) return true;
    size_t capacity = 2 * (size_t)(requests.count + more);
    MPI_Request *array = realloc(requests.requests, capacity * sizeof *array);
    if (array != NULL) requests.requests = array;
    struct slot *slots = realloc(requests.slots, capacity * sizeof *slots);
    if (slots != NULL) requests.slots = slots;
    int *indices = realloc(requests.indices, capacity * sizeof *indices);
    if (indices != NULL) requests.indices = indices;
    MPI_Status *statuses = realloc(requests.statuses, capacity * sizeof *statuses);
    if (statuses != NULL) requests.statuses = statuses;
    if (array == NULL || slots == NULL || indices == NULL || statuses == NULL) return false;
    requests.capacity = (int)capacity;
    return true;
}

/* As MPI has it: the fields for errors are written where one of several requests failed, and then all are. */
static void note_error(struct wait *wait, int error) {
    if (wait->error != MPI_SUCCESS) return;
    wait->error = wait->count > 1 ? MPI_ERR_IN_STATUS : error;
    for (int i = 0; wait->statuses != MPI_STATUSES_IGNORE && i < wait->count; i++)
        wait->statuses[i].MPI_ERROR = MPI_SUCCESS;
}

/* Request `index` of a wait is complete. */
static void completed(struct wait *wait, int index, MPI_Request now, const MPI_Status *status, int error) {
    if (wait->event != 0 && error == MPI_SUCCESS) completed_in_trace(wait->requests[index], status);
    wait->requests[index] = now;
    if (error != MPI_SUCCESS) note_error(wait, error);
    if (wait->statuses != MPI_STATUSES_IGNORE) {
        int kept = wait->statuses[index].MPI_ERROR;
        wait->statuses[index] = *status;
        wait->statuses[index].MPI_ERROR = wait->error != MPI_SUCCESS || wait->event != 0 ? error : kept;
    }
    if (--wait->left == 0) end(wait);
}

/* Puts the requests of a wait into the array, but those that are complete, or are none. */
static void take(struct wait *wait) {
    if (!reserve(wait->count)) {
        wait->error = MPI_ERR_NO_MEM;
        return end(wait);
    }
    wait->left = wait->count;
    for (int i = 0, count = wait->count; i < count; i++) {
        int done = 0;
        MPI_Status status;
        memset(&status, 0, sizeof status);
        MPI_Request request = wait->requests[i];
        int error = PMPI_Test(&request, &done, &status);
        if (error != MPI_SUCCESS || done) {
            completed(wait, i, request, &status, error);
            continue;
        }
        requests.requests[requests.count] = request;
        requests.slots[requests.count++] = (struct slot){wait, i};
    }
}

static void take_incoming(void) {
    struct wait *newest = atomic_exchange_explicit(&incoming, NULL, memory_order_acquire);
    struct wait *oldest = NULL;
    while (newest != NULL) {
        struct wait *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest != NULL) {
        struct wait *wait = oldest;
        oldest = wait->next;
        if (wait->kind == ALL) {
            take(wait);
        } else {
            wait->next = others;
            others = wait;
        }
    }
}

/* Requests that are complete leave the array. */
static void close_gaps(void) {
    int kept = 0;
    for (int i = 0; i < requests.count; i++) {
        if (requests.slots[i].wait == NULL) continue;
        requests.requests[kept] = requests.requests[i];
        requests.slots[kept++] = requests.slots[i];
    }
    requests.count = kept;
}

static void take_out(int at, const MPI_Status *status, int error) {
    struct slot slot = requests.slots[at];
    requests.slots[at].wait = NULL;
    completed(slot.wait, slot.index, requests.requests[at], status, error);
}

/* Asks for each request by itself: some call failed that asked for all. */
static void test_each(void) {
    for (int i = 0; i < requests.count; i++) {
        int done = 0;
        MPI_Status status;
        memset(&status, 0, sizeof status);
        int error = PMPI_Test(&requests.requests[i], &done, &status);
        if (error != MPI_SUCCESS || done) take_out(i, &status, error);
    }
}

static void test_requests(void) {
    int done = 0;
    int error = PMPI_Testsome(requests.count, requests.requests, &done, requests.indices, requests.statuses);
    if ((error != MPI_SUCCESS && error != MPI_ERR_IN_STATUS) || done == MPI_UNDEFINED) {
        test_each();
    } else {
        for (int i = 0; i < done; i++) {
            const MPI_Status *status = &requests.statuses[i];
            take_out(requests.indices[i], status, error == MPI_SUCCESS ? MPI_SUCCESS : status->MPI_ERROR);
        }
    }
    close_gaps();
}

/* Whether a wait of the other kinds is over. */
static bool test(struct wait *wait) {
    int done = 0;
    switch (wait->kind) {
    case ANY:
        wait->error = PMPI_Testany(wait->count, wait->requests, wait->index, &done, wait->statuses);
        break;
    case SOME:
        wait->error = PMPI_Testsome(wait->count, wait->requests, wait->index, wait->indices, wait->statuses);
        done = *wait->index != 0;
        break;
    case PROBE:
        wait->error = PMPI_Iprobe(wait->source, wait->tag, wait->comm, &done, wait->statuses);
        break;
    case MPROBE:
        wait->error =
            PMPI_Improbe(wait->source, wait->tag, wait->comm, &done, wait->message, wait->statuses);
        break;
    case ALL:
        break;
    }
    return done || wait->error != MPI_SUCCESS;
}

/* Waits of the other kinds that are tested at once. A probe goes through all messages that nobody has received yet: were all waits
 * tested, thousands of them would keep tasks from beginning whose messages other ranks wait for. */
enum { MOST_TESTED = 64 };

static void test_others(void) {
    /* Where to go on: nobody else takes waits out. */
    static struct wait **link = &others;
    for (int tested = 0; tested < MOST_TESTED && *link != NULL; tested++) {
        struct wait *wait = *link;
        if (test(wait)) {
            *link = wait->next;
            end(wait);
        } else {
            link = &wait->next;
        }
    }
    if (*link == NULL) link = &others;
}

int poll_messages(void *unused) {
    (void)unused;
    if (atomic_load_explicit(&waiting, memory_order_relaxed) == 0) return 0;
    take_incoming();
    if (requests.count > 0) test_requests();
    test_others();
    return atomic_load_explicit(&waiting, memory_order_relaxed);
}
