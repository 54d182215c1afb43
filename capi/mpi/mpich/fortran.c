/* MPICH's functions of `use mpi_f08` without data (mpi_x_f08_): they call those of C by their inner names (PMPI), where no library
 * stands before them, and these call them by the outer ones. Those with data (mpi_x_f08ts_), and all of mpif.h and `use mpi`, call
 * the outer ones themselves.
 *
 * Handles and statuses are the same in C. Indices count from 1, also with MPICH 4.0, whose own begin at 0 here. Statuses that are to
 * be ignored are the addresses of variables, which not every MPI of this interface has. The error may be left out. */
#include "../waits.h"

#define INT const MPI_Fint *
#define OUT MPI_Fint *

#pragma weak MPIR_F08_MPI_STATUS_IGNORE_OBJ
#pragma weak MPIR_F08_MPI_STATUSES_IGNORE_OBJ

static MPI_Status *one_or_none(MPI_Status *status) {
    return (void *)status == (void *)&MPIR_F08_MPI_STATUS_IGNORE_OBJ ? MPI_STATUS_IGNORE : status;
}

static MPI_Status *all_or_none(MPI_Status statuses[]) {
    return (void *)statuses == (void *)MPIR_F08_MPI_STATUSES_IGNORE_OBJ ? MPI_STATUSES_IGNORE : statuses;
}

/* A function whose body is an expression that is an error code. */
#define FORTRAN(name, parameters, ...)           \
    EXPORT void mpi_##name##_f08_ parameters;    \
    void mpi_##name##_f08_ parameters {          \
        int code = __VA_ARGS__;                  \
        if (error != NULL) *error = code;        \
    }

FORTRAN(init, (OUT error), MPI_Init(NULL, NULL))
FORTRAN(init_thread, (INT required, OUT provided, OUT error), MPI_Init_thread(NULL, NULL, *required, provided))
FORTRAN(finalize, (OUT error), MPI_Finalize())

FORTRAN(probe, (INT source, INT tag, MPI_Comm *comm, MPI_Status *status, OUT error),
        MPI_Probe(*source, *tag, *comm, one_or_none(status)))
FORTRAN(mprobe, (INT source, INT tag, MPI_Comm *comm, MPI_Message *message, MPI_Status *status, OUT error),
        MPI_Mprobe(*source, *tag, *comm, message, one_or_none(status)))
FORTRAN(barrier, (MPI_Comm *comm, OUT error), MPI_Barrier(*comm))

/* Waits ---------------------------------------------------------------------------------------- */

static int counted(int code, MPI_Fint *index) {
    if (code == MPI_SUCCESS && *index != MPI_UNDEFINED) ++*index;
    return code;
}

static int counted_all(int code, const MPI_Fint *count, MPI_Fint indices[]) {
    bool are_told = (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS) && *count != MPI_UNDEFINED;
    for (int i = 0; are_told && i < *count; i++) indices[i]++;
    return code;
}

FORTRAN(wait, (MPI_Request *request, MPI_Status *status, OUT error), MPI_Wait(request, one_or_none(status)))
FORTRAN(test, (MPI_Request *request, OUT done, MPI_Status *status, OUT error), MPI_Test(request, done, one_or_none(status)))
FORTRAN(waitall, (INT count, MPI_Request requests[], MPI_Status statuses[], OUT error),
        MPI_Waitall(*count, requests, all_or_none(statuses)))
FORTRAN(testall, (INT count, MPI_Request requests[], OUT done, MPI_Status statuses[], OUT error),
        MPI_Testall(*count, requests, done, all_or_none(statuses)))
FORTRAN(waitany, (INT count, MPI_Request requests[], OUT index, MPI_Status *status, OUT error),
        counted(MPI_Waitany(*count, requests, index, one_or_none(status)), index))
FORTRAN(testany, (INT count, MPI_Request requests[], OUT index, OUT done, MPI_Status *status, OUT error),
        counted(MPI_Testany(*count, requests, index, done, one_or_none(status)), index))
FORTRAN(waitsome, (INT count, MPI_Request requests[], OUT done, MPI_Fint indices[], MPI_Status statuses[], OUT error),
        counted_all(MPI_Waitsome(*count, requests, done, indices, all_or_none(statuses)), done, indices))
FORTRAN(testsome, (INT count, MPI_Request requests[], OUT done, MPI_Fint indices[], MPI_Status statuses[], OUT error),
        counted_all(MPI_Testsome(*count, requests, done, indices, all_or_none(statuses)), done, indices))
FORTRAN(request_free, (MPI_Request *request, OUT error), MPI_Request_free(request))

/* Communicators, whose names in the trace follow from the order in which they are made ----------- */

FORTRAN(comm_dup, (MPI_Comm *comm, MPI_Comm *made, OUT error), MPI_Comm_dup(*comm, made))
FORTRAN(comm_dup_with_info, (MPI_Comm *comm, MPI_Info *info, MPI_Comm *made, OUT error), MPI_Comm_dup_with_info(*comm, *info, made))
FORTRAN(comm_create, (MPI_Comm *comm, MPI_Group *group, MPI_Comm *made, OUT error), MPI_Comm_create(*comm, *group, made))
FORTRAN(comm_split, (MPI_Comm *comm, INT colour, INT key, MPI_Comm *made, OUT error), MPI_Comm_split(*comm, *colour, *key, made))
FORTRAN(comm_split_type, (MPI_Comm *comm, INT type, INT key, MPI_Info *info, MPI_Comm *made, OUT error),
        MPI_Comm_split_type(*comm, *type, *key, *info, made))
FORTRAN(cart_create, (MPI_Comm *comm, INT count, INT sizes, INT periods, INT reorder, MPI_Comm *made, OUT error),
        MPI_Cart_create(*comm, *count, sizes, periods, *reorder, made))
FORTRAN(cart_sub, (MPI_Comm *comm, INT kept, MPI_Comm *made, OUT error), MPI_Cart_sub(*comm, kept, made))
