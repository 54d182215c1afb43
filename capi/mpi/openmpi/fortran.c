/* Open MPI's functions for Fortran that wait, or that traces tell of: those of mpif.h and `use mpi` (mpi_x_), and those of
 * `use mpi_f08` (mpi_x_f08_), which pass the same arguments, but may leave the error out. Open MPI's own call those of C by their inner
 * names (PMPI), where no library stands before them; these call them by the outer ones. MPICH's need no such file.
 *
 * Handles are numbers in Fortran, statuses six of them, indices count from 1, and what C knows as null pointers are the addresses
 * of variables. */
#include "../waits.h"

#include <stdlib.h>

#define INT MPI_Fint *

extern char mpi_fortran_bottom_[], mpi_fortran_in_place_[], mpi_fortran_status_ignore_[], mpi_fortran_statuses_ignore_[];

static void *memory(void *data) {
    if (data == (void *)mpi_fortran_in_place_) return MPI_IN_PLACE;
    return data == (void *)mpi_fortran_bottom_ ? MPI_BOTTOM : data;
}

static bool is_wanted(const MPI_Fint *status) {
    const void *place = status;
    return place != (void *)mpi_fortran_status_ignore_ && place != (void *)mpi_fortran_statuses_ignore_;
}

static void tell_status(const MPI_Status *status, MPI_Fint *told) {
    if (is_wanted(told)) PMPI_Status_c2f(status, told);
}

/* A function of both interfaces, whose body is an expression that is an error code. */
#define FORTRAN(name, parameters, ...)                                                                   \
    EXPORT void mpi_##name##_ parameters;                                                                \
    EXPORT void mpi_##name##_f08_ parameters __attribute__((alias("mpi_" #name "_")));                   \
    void mpi_##name##_ parameters {                                                                      \
        int code = __VA_ARGS__;                                                                          \
        if (error != NULL) *error = code;                                                                \
    }

#define COMM PMPI_Comm_f2c(*comm)
#define TYPE(type) PMPI_Type_f2c(*type)

static int init_thread(int required, MPI_Fint *provided) {
    int level;
    int code = MPI_Init_thread(NULL, NULL, required, &level);
    if (code == MPI_SUCCESS) *provided = level;
    return code;
}

FORTRAN(init, (INT error), MPI_Init(NULL, NULL))
FORTRAN(init_thread, (INT required, INT provided, INT error), init_thread(*required, provided))
FORTRAN(finalize, (INT error), MPI_Finalize())

/* Messages ------------------------------------------------------------------------------------- */

#define SEND(name, send)                                                                       \
    FORTRAN(name, (void *data, INT count, INT type, INT target, INT tag, INT comm, INT error), \
            send(memory(data), *count, TYPE(type), *target, *tag, COMM))

SEND(send, MPI_Send)
SEND(ssend, MPI_Ssend)
SEND(rsend, MPI_Rsend)
SEND(bsend, MPI_Bsend)

typedef int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int begin(isend send, void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Fint *request) {
    MPI_Request begun;
    int code = send(memory(data), count, type, peer, tag, comm, &begun);
    if (code == MPI_SUCCESS) *request = PMPI_Request_c2f(begun);
    return code;
}

static int irecv(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
    return MPI_Irecv((void *)data, count, type, peer, tag, comm, request);
}

#define BEGIN(name, send)                                                                                  \
    FORTRAN(name, (void *data, INT count, INT type, INT peer, INT tag, INT comm, INT request, INT error), \
            begin(send, data, *count, TYPE(type), *peer, *tag, COMM, request))

BEGIN(isend, MPI_Isend)
BEGIN(issend, MPI_Issend)
BEGIN(irsend, MPI_Irsend)
BEGIN(ibsend, MPI_Ibsend)
BEGIN(irecv, irecv)

/* Ends a function that has a status. */
static int with_status(int code, const MPI_Status *status, MPI_Fint *told) {
    if (code == MPI_SUCCESS) tell_status(status, told);
    return code;
}

#define STATUS (&(MPI_Status){0})

/* `call` names the status `own`. */
#define WITH_STATUS(call)                             \
    ({                                                \
        MPI_Status *own = STATUS;                     \
        int code_ = call;                             \
        with_status(code_, own, status);              \
    })

FORTRAN(recv, (void *data, INT count, INT type, INT source, INT tag, INT comm, INT status, INT error),
        WITH_STATUS(MPI_Recv(memory(data), *count, TYPE(type), *source, *tag, COMM, own)))
FORTRAN(sendrecv,
        (void *out, INT out_count, INT out_type, INT target, INT out_tag, void *in, INT in_count, INT in_type, INT source,
         INT in_tag, INT comm, INT status, INT error),
        WITH_STATUS(MPI_Sendrecv(memory(out), *out_count, TYPE(out_type), *target, *out_tag, memory(in), *in_count,
                                 TYPE(in_type), *source, *in_tag, COMM, own)))
FORTRAN(sendrecv_replace,
        (void *data, INT count, INT type, INT target, INT out_tag, INT source, INT in_tag, INT comm, INT status, INT error),
        WITH_STATUS(MPI_Sendrecv_replace(memory(data), *count, TYPE(type), *target, *out_tag, *source, *in_tag, COMM, own)))
FORTRAN(probe, (INT source, INT tag, INT comm, INT status, INT error),
        WITH_STATUS(MPI_Probe(*source, *tag, COMM, own)))

static int mprobe(int source, int tag, MPI_Comm comm, MPI_Fint *message, MPI_Status *status) {
    MPI_Message found;
    int code = MPI_Mprobe(source, tag, comm, &found, status);
    if (code == MPI_SUCCESS) *message = PMPI_Message_c2f(found);
    return code;
}

static int mrecv(void *data, int count, MPI_Datatype type, MPI_Fint *message, MPI_Status *status) {
    MPI_Message taken = PMPI_Message_f2c(*message);
    int code = MPI_Mrecv(data, count, type, &taken, status);
    if (code == MPI_SUCCESS) *message = PMPI_Message_c2f(taken);
    return code;
}

FORTRAN(mprobe, (INT source, INT tag, INT comm, INT message, INT status, INT error),
        WITH_STATUS(mprobe(*source, *tag, COMM, message, own)))
FORTRAN(mrecv, (void *data, INT count, INT type, INT message, INT status, INT error),
        WITH_STATUS(mrecv(memory(data), *count, TYPE(type), message, own)))

/* Waits ---------------------------------------------------------------------------------------- */

/* Requests of Fortran as C has them, and statuses. */
struct several {
    int count;
    MPI_Request *requests;
    MPI_Status *statuses;
};

/* False without memory. */
static bool begin_several(struct several *all, int count, const MPI_Fint requests[]) {
    size_t room = count > 0 ? (size_t)count : 1;
    *all = (struct several){.count = count, .requests = malloc(room * sizeof *all->requests)};
    all->statuses = all->requests == NULL ? NULL : calloc(room, sizeof *all->statuses);
    if (all->statuses == NULL) {
        free(all->requests);
        return false;
    }
    for (int i = 0; i < count; i++) all->requests[i] = PMPI_Request_f2c(requests[i]);
    return true;
}

/* Tells of the first `told` statuses. Requests that failed for another reason than one of them are left as they are. */
static int end_several(struct several *all, int code, MPI_Fint requests[], int told, MPI_Fint statuses[]) {
    for (int i = 0; i < all->count && (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS); i++)
        requests[i] = PMPI_Request_c2f(all->requests[i]);
    for (int i = 0; i < told && is_wanted(statuses) && (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS); i++)
        PMPI_Status_c2f(&all->statuses[i], &statuses[i * (int)(sizeof(MPI_Status) / sizeof(MPI_Fint))]);
    free(all->requests);
    free(all->statuses);
    return code;
}

static int all_of(int count, MPI_Fint requests[], MPI_Fint *done, MPI_Fint statuses[]) {
    struct several all;
    int is_done = 1;
    if (!begin_several(&all, count, requests)) return MPI_ERR_NO_MEM;
    int code = done == NULL ? MPI_Waitall(count, all.requests, all.statuses)
                            : MPI_Testall(count, all.requests, &is_done, all.statuses);
    if (done != NULL) *done = is_done;
    return end_several(&all, code, requests, is_done ? count : 0, statuses);
}

static int any_of(int count, MPI_Fint requests[], MPI_Fint *index, MPI_Fint *done, MPI_Fint *status) {
    struct several all;
    int is_done = 1, which = MPI_UNDEFINED;
    if (!begin_several(&all, count, requests)) return MPI_ERR_NO_MEM;
    int code = done == NULL ? MPI_Waitany(count, all.requests, &which, all.statuses)
                            : MPI_Testany(count, all.requests, &which, &is_done, all.statuses);
    *index = which == MPI_UNDEFINED ? which : which + 1;
    if (done != NULL) *done = is_done;
    return end_several(&all, code, requests, is_done, status);
}

typedef int (*some)(int, MPI_Request[], int *, int[], MPI_Status[]);

static int some_of(some wait, int count, MPI_Fint requests[], MPI_Fint *done, MPI_Fint indices[], MPI_Fint statuses[]) {
    struct several all;
    if (!begin_several(&all, count, requests)) return MPI_ERR_NO_MEM;
    *done = 0;
    int code = wait(count, all.requests, done, indices, all.statuses);
    int told = *done == MPI_UNDEFINED ? 0 : *done;
    for (int i = 0; i < told; i++) indices[i]++;
    return end_several(&all, code, requests, told, statuses);
}

/* One, whose error is its own. */
static int one(MPI_Fint *request, MPI_Fint *done, MPI_Fint *status) {
    MPI_Request waits = PMPI_Request_f2c(*request);
    MPI_Status own;
    int is_done = 1;
    int code = done == NULL ? MPI_Wait(&waits, &own) : MPI_Test(&waits, &is_done, &own);
    if (done != NULL) *done = is_done;
    if (code == MPI_SUCCESS || waits == MPI_REQUEST_NULL) *request = PMPI_Request_c2f(waits);
    return is_done ? with_status(code, &own, status) : code;
}

static int free_request(MPI_Fint *request) {
    MPI_Request freed = PMPI_Request_f2c(*request);
    int code = MPI_Request_free(&freed);
    if (code == MPI_SUCCESS) *request = PMPI_Request_c2f(freed);
    return code;
}

FORTRAN(wait, (INT request, INT status, INT error), one(request, NULL, status))
FORTRAN(test, (INT request, INT done, INT status, INT error), one(request, done, status))
FORTRAN(waitall, (INT count, INT requests, INT statuses, INT error), all_of(*count, requests, NULL, statuses))
FORTRAN(testall, (INT count, INT requests, INT done, INT statuses, INT error), all_of(*count, requests, done, statuses))
FORTRAN(waitany, (INT count, INT requests, INT index, INT status, INT error), any_of(*count, requests, index, NULL, status))
FORTRAN(testany, (INT count, INT requests, INT index, INT done, INT status, INT error),
        any_of(*count, requests, index, done, status))
FORTRAN(waitsome, (INT count, INT requests, INT done, INT indices, INT statuses, INT error),
        some_of(MPI_Waitsome, *count, requests, done, indices, statuses))
FORTRAN(testsome, (INT count, INT requests, INT done, INT indices, INT statuses, INT error),
        some_of(MPI_Testsome, *count, requests, done, indices, statuses))
FORTRAN(request_free, (INT request, INT error), free_request(request))

/* Collective operations ------------------------------------------------------------------------ */

#define OUT void *out, INT out_count, INT out_type
#define OUTS void *out, INT out_counts, INT out_places, INT out_type
#define IN void *in, INT in_count, INT in_type
#define INS void *in, INT in_counts, INT in_places, INT in_type
#define ONE_OUT memory(out), *out_count, TYPE(out_type)
#define EACH_OUT memory(out), out_counts, out_places, TYPE(out_type)
#define ONE_IN memory(in), *in_count, TYPE(in_type)
#define EACH_IN memory(in), in_counts, in_places, TYPE(in_type)

FORTRAN(barrier, (INT comm, INT error), MPI_Barrier(COMM))
FORTRAN(bcast, (void *data, INT count, INT type, INT root, INT comm, INT error),
        MPI_Bcast(memory(data), *count, TYPE(type), *root, COMM))
FORTRAN(gather, (OUT, IN, INT root, INT comm, INT error), MPI_Gather(ONE_OUT, ONE_IN, *root, COMM))
FORTRAN(gatherv, (OUT, INS, INT root, INT comm, INT error), MPI_Gatherv(ONE_OUT, EACH_IN, *root, COMM))
FORTRAN(scatter, (OUT, IN, INT root, INT comm, INT error), MPI_Scatter(ONE_OUT, ONE_IN, *root, COMM))
FORTRAN(scatterv, (OUTS, IN, INT root, INT comm, INT error), MPI_Scatterv(EACH_OUT, ONE_IN, *root, COMM))
FORTRAN(allgather, (OUT, IN, INT comm, INT error), MPI_Allgather(ONE_OUT, ONE_IN, COMM))
FORTRAN(allgatherv, (OUT, INS, INT comm, INT error), MPI_Allgatherv(ONE_OUT, EACH_IN, COMM))
FORTRAN(alltoall, (OUT, IN, INT comm, INT error), MPI_Alltoall(ONE_OUT, ONE_IN, COMM))
FORTRAN(alltoallv, (OUTS, INS, INT comm, INT error), MPI_Alltoallv(EACH_OUT, EACH_IN, COMM))

/* False without memory, or where there is no such communicator: then `code` says so. A type for each of the other ranks, or of
 * all. */
static bool types_of(const MPI_Fint numbers[], MPI_Comm comm, MPI_Datatype **types, int *code) {
    int between = 0, size = 0;
    *code = PMPI_Comm_test_inter(comm, &between);
    if (*code == MPI_SUCCESS) *code = between ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
    if (*code != MPI_SUCCESS) return false;
    *types = malloc((size_t)size * sizeof **types);
    if (*types == NULL) *code = MPI_ERR_NO_MEM;
    for (int i = 0; *types != NULL && i < size; i++) (*types)[i] = PMPI_Type_f2c(numbers[i]);
    return *types != NULL;
}

static int alltoallw(void *out, INT out_counts, INT out_places, INT out_types, void *in, INT in_counts, INT in_places, INT in_types,
                     MPI_Comm comm) {
    MPI_Datatype *sent = NULL, *received = NULL;
    int code;
    const void *source = memory(out);
    /* In place, the arguments about what is sent mean nothing. */
    if ((source == MPI_IN_PLACE || types_of(out_types, comm, &sent, &code)) && types_of(in_types, comm, &received, &code))
        code = MPI_Alltoallw(source, out_counts, out_places, sent, memory(in), in_counts, in_places, received, comm);
    free(sent);
    free(received);
    return code;
}

FORTRAN(alltoallw, (OUTS, INS, INT comm, INT error),
        alltoallw(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, COMM))
FORTRAN(neighbor_allgather, (OUT, IN, INT comm, INT error), MPI_Neighbor_allgather(ONE_OUT, ONE_IN, COMM))
FORTRAN(neighbor_allgatherv, (OUT, INS, INT comm, INT error), MPI_Neighbor_allgatherv(ONE_OUT, EACH_IN, COMM))
FORTRAN(neighbor_alltoall, (OUT, IN, INT comm, INT error), MPI_Neighbor_alltoall(ONE_OUT, ONE_IN, COMM))
FORTRAN(neighbor_alltoallv, (OUTS, INS, INT comm, INT error), MPI_Neighbor_alltoallv(EACH_OUT, EACH_IN, COMM))

#define REDUCES(name, reduce)                                                              \
    FORTRAN(name, (void *out, void *in, INT count, INT type, INT op, INT comm, INT error), \
            reduce(memory(out), memory(in), *count, TYPE(type), PMPI_Op_f2c(*op), COMM))

REDUCES(allreduce, MPI_Allreduce)
REDUCES(reduce_scatter_block, MPI_Reduce_scatter_block)
REDUCES(scan, MPI_Scan)
REDUCES(exscan, MPI_Exscan)
FORTRAN(reduce, (void *out, void *in, INT count, INT type, INT op, INT root, INT comm, INT error),
        MPI_Reduce(memory(out), memory(in), *count, TYPE(type), PMPI_Op_f2c(*op), *root, COMM))
FORTRAN(reduce_scatter, (void *out, void *in, INT counts, INT type, INT op, INT comm, INT error),
        MPI_Reduce_scatter(memory(out), memory(in), counts, TYPE(type), PMPI_Op_f2c(*op), COMM))

/* Communicators, whose names in the trace follow from the order in which they are made ----------- */

static int made(int code, MPI_Comm comm, MPI_Fint *told) {
    if (code == MPI_SUCCESS) *told = PMPI_Comm_c2f(comm);
    return code;
}

/* `call` names the new one `own`. */
#define MAKES(name, parameters, call)      \
    FORTRAN(name, parameters, ({           \
                MPI_Comm own;              \
                int code_ = call;          \
                made(code_, own, new_one); \
            }))

MAKES(comm_dup, (INT comm, INT new_one, INT error), MPI_Comm_dup(COMM, &own))
MAKES(comm_create, (INT comm, INT group, INT new_one, INT error), MPI_Comm_create(COMM, PMPI_Group_f2c(*group), &own))
MAKES(comm_split, (INT comm, INT colour, INT key, INT new_one, INT error), MPI_Comm_split(COMM, *colour, *key, &own))
MAKES(comm_split_type, (INT comm, INT type, INT key, INT info, INT new_one, INT error),
      MPI_Comm_split_type(COMM, *type, *key, PMPI_Info_f2c(*info), &own))
MAKES(cart_create, (INT comm, INT count, INT sizes, INT periods, INT reorder, INT new_one, INT error),
      MPI_Cart_create(COMM, *count, sizes, periods, *reorder, &own))
MAKES(cart_sub, (INT comm, INT kept, INT new_one, INT error), MPI_Cart_sub(COMM, kept, &own))
