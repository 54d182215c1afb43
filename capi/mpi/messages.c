/* Messages in the trace: every send, and every receive when it is complete (docs/trace.md). Without a trace, all passes through.
 *
 * The messages of one communicator, sender, receiver and tag are received in the order of their sends, by receives in the order
 * in which those were posted: whoever reads the traces of all ranks pairs them by that. */
#include "waits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A receive that is under way. */
struct receive {
    MPI_Request request;
    const struct communicator *communicator;
    uint64_t posted;
    struct receive *next;
};

enum { BUCKETS = 4096 };
static struct receive *under_way[BUCKETS];
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static struct receive **bucket_of(MPI_Request request) {
    uint64_t bits = 0;
    memcpy(&bits, &request, sizeof request < sizeof bits ? sizeof request : sizeof bits);
    return &under_way[(bits * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

static void remember(MPI_Request request, const struct communicator *communicator, uint64_t posted) {
    struct receive *receive = communicator == NULL ? NULL : malloc(sizeof *receive);
    if (receive == NULL) return;
    struct receive **bucket = bucket_of(request);
    pthread_mutex_lock(&guard);
    *receive = (struct receive){request, communicator, posted, *bucket};
    *bucket = receive;
    pthread_mutex_unlock(&guard);
}

/* Takes a receive out; its communicator is NULL if the request is of something else. The oldest one of this name: MPI may have
 * given the name again to another one since this one was complete. */
static struct receive forget(MPI_Request request) {
    struct receive found = {.communicator = NULL};
    struct receive **oldest = NULL;
    if (request == MPI_REQUEST_NULL) return found;
    pthread_mutex_lock(&guard);
    for (struct receive **link = bucket_of(request); *link != NULL; link = &(*link)->next)
        if ((*link)->request == request) oldest = link;
    if (oldest != NULL) {
        struct receive *receive = *oldest;
        found = *receive;
        *oldest = receive->next;
        free(receive);
    }
    pthread_mutex_unlock(&guard);
    return found;
}

static void note(int receives, const struct communicator *communicator, int peer, int tag, size_t bytes, uint64_t began,
                 uint64_t posted) {
    vicinity_message message = {.receives = receives,
                                .peer = world_rank(communicator, peer),
                                .tag = tag,
                                .communicator = communicator->name,
                                .bytes = bytes,
                                .began = began,
                                .posted = posted};
    vicinity_trace_message(&message);
}

static void sent(int target, int tag, MPI_Comm comm, int count, MPI_Datatype type, uint64_t began) {
    const struct communicator *communicator = target == MPI_PROC_NULL ? NULL : known(comm);
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    if (communicator != NULL && size >= 0) note(0, communicator, target, tag, (size_t)count * (size_t)size, began, began);
}

static void received(const struct communicator *communicator, const MPI_Status *status, uint64_t began, uint64_t posted) {
    MPI_Count bytes = 0;
    int cancelled = 0;
    if (communicator == NULL || status->MPI_SOURCE < 0) return;
    if (PMPI_Test_cancelled(status, &cancelled) != MPI_SUCCESS || cancelled) return;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    note(1, communicator, status->MPI_SOURCE, status->MPI_TAG, bytes > 0 ? (size_t)bytes : 0, began, posted);
}

/* A request that was `before` is over: it has failed if there is an error. */
static void over(MPI_Request before, int error, const MPI_Status *status, uint64_t began) {
    struct receive receive = forget(before);
    if (error == MPI_SUCCESS) received(receive.communicator, status, began, receive.posted);
}

void completed_in_trace(MPI_Request before, const MPI_Status *status) {
    if (traces()) over(before, MPI_SUCCESS, status, vicinity_trace_now());
}

#define SEND(name, send)                                                                                           \
    EXPORT int MPI_##name(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {    \
        if (!traces()) return send(data, count, type, target, tag, comm);                                          \
        uint64_t began = vicinity_trace_now();                                                                     \
        int error = send(data, count, type, target, tag, comm);                                                    \
        if (error == MPI_SUCCESS) sent(target, tag, comm, count, type, began);                                     \
        return error;                                                                                              \
    }

SEND(Send, helped_Send)
SEND(Ssend, helped_Ssend)
SEND(Rsend, helped_Rsend)
SEND(Bsend, PMPI_Bsend)

#define ISEND(name)                                                                                               \
    EXPORT int MPI_##name(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,     \
                          MPI_Request *request) {                                                                 \
        if (!traces()) return PMPI_##name(data, count, type, target, tag, comm, request);                         \
        uint64_t began = vicinity_trace_now();                                                                    \
        int error = PMPI_##name(data, count, type, target, tag, comm, request);                                   \
        if (error == MPI_SUCCESS) sent(target, tag, comm, count, type, began);                                    \
        return error;                                                                                             \
    }

ISEND(Isend)
ISEND(Issend)
ISEND(Irsend)
ISEND(Ibsend)

EXPORT int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request *request) {
    uint64_t posted = traces() ? vicinity_trace_now() : 0;
    int error = PMPI_Irecv(data, count, type, source, tag, comm, request);
    if (posted != 0 && error == MPI_SUCCESS && source != MPI_PROC_NULL) remember(*request, known(comm), posted);
    return error;
}

EXPORT int MPI_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    if (!traces()) return helped_Recv(data, count, type, source, tag, comm, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    uint64_t began = vicinity_trace_now();
    int error = helped_Recv(data, count, type, source, tag, comm, status);
    if (error == MPI_SUCCESS) received(known(comm), status, began, began);
    return error;
}

EXPORT int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int target, int out_tag, void *in,
                        int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                        MPI_Status *status) {
    MPI_Status own;
    uint64_t began = traces() ? vicinity_trace_now() : 0;
    if (began != 0 && status == MPI_STATUS_IGNORE) status = &own;
    int error = helped_Sendrecv(out, out_count, out_type, target, out_tag, in, in_count, in_type, source, in_tag, comm,
                                status);
    if (began == 0 || error != MPI_SUCCESS) return error;
    sent(target, out_tag, comm, out_count, out_type, began);
    received(known(comm), status, began, began);
    return error;
}

EXPORT int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int target, int out_tag, int source,
                                int in_tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    uint64_t began = traces() ? vicinity_trace_now() : 0;
    if (began != 0 && status == MPI_STATUS_IGNORE) status = &own;
    int error = helped_Sendrecv_replace(data, count, type, target, out_tag, source, in_tag, comm, status);
    if (began == 0 || error != MPI_SUCCESS) return error;
    sent(target, out_tag, comm, count, type, began);
    received(known(comm), status, began, began);
    return error;
}

EXPORT int MPI_Request_free(MPI_Request *request) {
    if (traces()) forget(*request);
    return PMPI_Request_free(request);
}

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    if (!traces()) return helped_Wait(request, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    MPI_Request before = *request;
    uint64_t began = vicinity_trace_now();
    int error = helped_Wait(request, status);
    over(before, error, status, began);
    return error;
}

EXPORT int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    if (!traces()) return PMPI_Test(request, done, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    MPI_Request before = *request;
    uint64_t began = vicinity_trace_now();
    int error = PMPI_Test(request, done, status);
    if (error != MPI_SUCCESS || *done) over(before, error, status, began);
    return error;
}

/* Several requests: what they were before a call, and statuses of our own where the program wants none. */
struct several {
    int count;
    uint64_t began;
    MPI_Request *before;
    MPI_Status *statuses;
    MPI_Status *own;
};

/* False where there is no trace, or no memory: then nothing is noted. */
static bool begin_several(struct several *all, int count, const MPI_Request requests[], MPI_Status statuses[]) {
    if (!traces() || count <= 0) return false;
    bool ignores = statuses == MPI_STATUSES_IGNORE;
    all->before = malloc((size_t)count * sizeof *requests);
    all->own = ignores ? calloc((size_t)count, sizeof *all->own) : NULL;
    all->statuses = ignores ? all->own : statuses;
    if (all->before == NULL || all->statuses == NULL) {
        free(all->before);
        free(all->own);
        return false;
    }
    memcpy(all->before, requests, (size_t)count * sizeof *requests);
    all->count = count;
    all->began = vicinity_trace_now();
    return true;
}

/* `done` of them are over: those of `indices`, or the first ones. In what failed, the statuses say which are complete, and what
 * has no request any more has failed. */
static int end_several(struct several *all, const MPI_Request requests[], int error, int done, const int indices[]) {
    for (int i = 0; (error == MPI_SUCCESS || error == MPI_ERR_IN_STATUS) && i < done; i++) {
        int at = indices == NULL ? i : indices[i];
        if (error != MPI_SUCCESS && all->statuses[i].MPI_ERROR != MPI_SUCCESS) continue;
        over(all->before[at], MPI_SUCCESS, &all->statuses[i], all->began);
        all->before[at] = MPI_REQUEST_NULL;
    }
    for (int i = 0; error != MPI_SUCCESS && i < all->count; i++)
        if (requests[i] == MPI_REQUEST_NULL) forget(all->before[i]);
    free(all->before);
    free(all->own);
    return error;
}

EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    struct several all;
    if (!begin_several(&all, count, requests, statuses)) return helped_Waitall(count, requests, statuses);
    return end_several(&all, requests, helped_Waitall(count, requests, all.statuses), count, NULL);
}

EXPORT int MPI_Testall(int count, MPI_Request requests[], int *done, MPI_Status statuses[]) {
    struct several all;
    if (!begin_several(&all, count, requests, statuses)) return PMPI_Testall(count, requests, done, statuses);
    int error = PMPI_Testall(count, requests, done, all.statuses);
    return end_several(&all, requests, error, error != MPI_SUCCESS || *done ? count : 0, NULL);
}

EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct several all;
    if (!begin_several(&all, count, requests, statuses))
        return helped_Waitsome(count, requests, done, indices, statuses);
    int error = helped_Waitsome(count, requests, done, indices, all.statuses);
    return end_several(&all, requests, error, *done == MPI_UNDEFINED ? 0 : *done, indices);
}

EXPORT int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    struct several all;
    if (!begin_several(&all, count, requests, statuses))
        return PMPI_Testsome(count, requests, done, indices, statuses);
    int error = PMPI_Testsome(count, requests, done, indices, all.statuses);
    return end_several(&all, requests, error, *done == MPI_UNDEFINED ? 0 : *done, indices);
}

EXPORT int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    struct several all;
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    if (!begin_several(&all, count, requests, status)) return helped_Waitany(count, requests, index, status);
    int error = helped_Waitany(count, requests, index, status);
    return end_several(&all, requests, error, *index == MPI_UNDEFINED ? 0 : 1, index);
}

EXPORT int MPI_Testany(int count, MPI_Request requests[], int *index, int *done, MPI_Status *status) {
    struct several all;
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    if (!begin_several(&all, count, requests, status)) return PMPI_Testany(count, requests, index, done, status);
    int error = PMPI_Testany(count, requests, index, done, status);
    return end_several(&all, requests, error, *done && *index != MPI_UNDEFINED ? 1 : 0, index);
}
