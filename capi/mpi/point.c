/* Messages from one rank to another, and waiting for them: what the functions of messages.c do, and those without a trace. */
#include "waits.h"

#include <omp.h>
#include <stdlib.h>
#include <vicinity_mpi.h>

int helped_Wait(MPI_Request *request, MPI_Status *status) {
    return has_begun() ? finish(MPI_SUCCESS, request, status) : PMPI_Wait(request, status);
}

/* Whether all are complete; none is changed. */
static bool are_complete(int count, MPI_Request requests[]) {
    int done = 1;
    for (int i = 0; i < count && done; i++)
        if (PMPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    return done;
}

int helped_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    int done;
    if (!helps() || count <= 0) return PMPI_Waitall(count, requests, statuses);
    /* Open MPI 4.1's MPI_Waitall may not return where one of several threads' requests has failed. */
    if (are_complete(count, requests)) return PMPI_Testall(count, requests, &done, statuses);
    struct wait wait = {.kind = ALL, .count = count, .requests = requests, .statuses = statuses};
    return await(&wait);
}

int helped_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    if (!helps()) return PMPI_Waitany(count, requests, index, status);
    int done = 0;
    int error = PMPI_Testany(count, requests, index, &done, status);
    if (error != MPI_SUCCESS || done) return error;
    struct wait wait = {.kind = ANY, .count = count, .requests = requests, .statuses = status, .index = index};
    return await(&wait);
}

int helped_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    if (!helps()) return PMPI_Waitsome(count, requests, done, indices, statuses);
    int error = PMPI_Testsome(count, requests, done, indices, statuses);
    if (error != MPI_SUCCESS || *done != 0) return error;
    struct wait wait = {.kind = SOME,
                        .count = count,
                        .requests = requests,
                        .statuses = statuses,
                        .index = done,
                        .indices = indices};
    return await(&wait);
}

int helped_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Request request;
    if (!helps()) return PMPI_Recv(data, count, type, source, tag, comm, status);
    return finish(PMPI_Irecv(data, count, type, source, tag, comm, &request), &request, status);
}

EXPORT int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    MPI_Request request;
    if (!helps()) return PMPI_Mrecv(data, count, type, message, status);
    return finish(PMPI_Imrecv(data, count, type, message, &request), &request, status);
}

#define SEND(send, isend)                                                                                          \
    int helped_##send(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm) {    \
        MPI_Request request;                                                                                       \
        if (!helps()) return PMPI_##send(data, count, type, target, tag, comm);                                    \
        return finish(PMPI_##isend(data, count, type, target, tag, comm, &request), &request, MPI_STATUS_IGNORE); \
    }

SEND(Send, Isend)
SEND(Ssend, Issend)
SEND(Rsend, Irsend)

/* A send and a receive that belong together: waits for both. The receive was started already. */
static int both(int error, MPI_Request requests[2], MPI_Status *status) {
    if (error != MPI_SUCCESS) {
        PMPI_Cancel(&requests[1]);
        PMPI_Request_free(&requests[1]);
        return error;
    }
    MPI_Status statuses[2];
    error = helped_Waitall(2, requests, statuses);
    if (status != MPI_STATUS_IGNORE) *status = statuses[1];
    if (error != MPI_ERR_IN_STATUS) return error;
    return statuses[0].MPI_ERROR != MPI_SUCCESS ? statuses[0].MPI_ERROR : statuses[1].MPI_ERROR;
}

int helped_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int target, int out_tag, void *in,
                        int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                        MPI_Status *status) {
    if (!helps())
        return PMPI_Sendrecv(out, out_count, out_type, target, out_tag, in, in_count, in_type, source, in_tag, comm,
                             status);
    MPI_Request requests[2];
    int error = PMPI_Irecv(in, in_count, in_type, source, in_tag, comm, &requests[1]);
    if (error != MPI_SUCCESS) return error;
    return both(PMPI_Isend(out, out_count, out_type, target, out_tag, comm, &requests[0]), requests, status);
}

int helped_Sendrecv_replace(void *data, int count, MPI_Datatype type, int target, int out_tag, int source,
                                int in_tag, MPI_Comm comm, MPI_Status *status) {
    int bytes = 0, packed = 0;
    if (!helps()) return PMPI_Sendrecv_replace(data, count, type, target, out_tag, source, in_tag, comm, status);
    int error = PMPI_Pack_size(count, type, comm, &bytes);
    if (error != MPI_SUCCESS) return error;
    void *copy = malloc(bytes > 0 ? (size_t)bytes : 1);
    if (copy == NULL) return MPI_ERR_NO_MEM;
    error = PMPI_Pack(data, count, type, copy, bytes, &packed, comm);
    if (error == MPI_SUCCESS)
        error = helped_Sendrecv(copy, packed, MPI_PACKED, target, out_tag, data, count, type, source, in_tag, comm,
                             status);
    free(copy);
    return error;
}

EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    if (!helps()) return PMPI_Probe(source, tag, comm, status);
    struct wait wait = {.kind = PROBE, .source = source, .tag = tag, .comm = comm, .statuses = status};
    int done = 0;
    int error = PMPI_Iprobe(source, tag, comm, &done, status);
    return error != MPI_SUCCESS || done ? error : await(&wait);
}

EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    if (!helps()) return PMPI_Mprobe(source, tag, comm, message, status);
    struct wait wait = {
        .kind = MPROBE, .source = source, .tag = tag, .comm = comm, .message = message, .statuses = status};
    int done = 0;
    int error = PMPI_Improbe(source, tag, comm, &done, message, status);
    return error != MPI_SUCCESS || done ? error : await(&wait);
}

EXPORT int vicinity_mpi_fulfill(MPI_Request *request, MPI_Status *status, omp_event_handle_t event) {
    return vicinity_mpi_fulfill_all(1, request, status, event);
}

/* A wait in memory of its own, with a copy of the requests behind it. */
static struct wait *detached(int count, MPI_Request requests[], MPI_Status statuses[], omp_event_handle_t event) {
    struct wait *wait = malloc(sizeof *wait + (size_t)count * sizeof *requests);
    if (wait == NULL) return NULL;
    *wait = (struct wait){.kind = ALL, .count = count, .statuses = statuses, .event = (uintptr_t)event};
    wait->requests = (MPI_Request *)(wait + 1);
    for (int i = 0; i < count; i++) {
        wait->requests[i] = requests[i];
        requests[i] = MPI_REQUEST_NULL;
    }
    return wait;
}

EXPORT int vicinity_mpi_fulfill_all(int count, MPI_Request requests[], MPI_Status statuses[],
                                    omp_event_handle_t event) {
    if (count < 0 || (count > 0 && requests == NULL)) return MPI_ERR_ARG;
    if (count == 0 || !helps()) {
        int error = PMPI_Waitall(count, requests, statuses);
        if (error == MPI_SUCCESS) omp_fulfill_event(event);
        return error;
    }
    struct wait *wait = detached(count, requests, statuses, event);
    return wait == NULL ? MPI_ERR_NO_MEM : await(wait);
}
