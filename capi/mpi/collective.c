/* Collective operations, through their nonblocking forms, in every task or in none: MPI does not match those with the others.
 * Each is defined by its parameters and its arguments. */
#include "waits.h"

#define COLLECTIVE(name, iname, parameters, ...)                                         \
    EXPORT int MPI_##name parameters {                                                   \
        MPI_Request request;                                                             \
        if (!has_begun()) return PMPI_##name(__VA_ARGS__);                                   \
        return finish(PMPI_##iname(__VA_ARGS__, &request), &request, MPI_STATUS_IGNORE); \
    }

/* What is sent and received, in one piece or with a count and a place for each rank. */
#define OUT const void *out, int out_count, MPI_Datatype out_type
#define OUTS const void *out, const int out_counts[], const int out_places[], MPI_Datatype out_type
#define IN void *in, int in_count, MPI_Datatype in_type
#define INS void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type
#define ONE out, out_count, out_type
#define EACH out, out_counts, out_places, out_type

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), comm)
COLLECTIVE(Bcast, Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), data, count, type, root,
           comm)
COLLECTIVE(Gather, Igather, (OUT, IN, int root, MPI_Comm comm), ONE, in, in_count, in_type, root, comm)
COLLECTIVE(Gatherv, Igatherv, (OUT, INS, int root, MPI_Comm comm), ONE, in, in_counts, in_places, in_type, root, comm)
COLLECTIVE(Scatter, Iscatter, (OUT, IN, int root, MPI_Comm comm), ONE, in, in_count, in_type, root, comm)
COLLECTIVE(Scatterv, Iscatterv, (OUTS, IN, int root, MPI_Comm comm), EACH, in, in_count, in_type, root, comm)
COLLECTIVE(Allgather, Iallgather, (OUT, IN, MPI_Comm comm), ONE, in, in_count, in_type, comm)
COLLECTIVE(Allgatherv, Iallgatherv, (OUT, INS, MPI_Comm comm), ONE, in, in_counts, in_places, in_type, comm)
COLLECTIVE(Alltoall, Ialltoall, (OUT, IN, MPI_Comm comm), ONE, in, in_count, in_type, comm)
COLLECTIVE(Alltoallv, Ialltoallv, (OUTS, INS, MPI_Comm comm), EACH, in, in_counts, in_places, in_type, comm)
COLLECTIVE(Alltoallw, Ialltoallw,
           (const void *out, const int out_counts[], const int out_places[], const MPI_Datatype out_types[], void *in,
            const int in_counts[], const int in_places[], const MPI_Datatype in_types[], MPI_Comm comm),
           out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm)
COLLECTIVE(Reduce, Ireduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), out, in, count,
           type, op, root, comm)

#define REDUCTION(name, iname)                                                                                      \
    COLLECTIVE(name, iname, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), out, \
               in, count, type, op, comm)

REDUCTION(Allreduce, Iallreduce)
REDUCTION(Reduce_scatter_block, Ireduce_scatter_block)
REDUCTION(Scan, Iscan)
REDUCTION(Exscan, Iexscan)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), out, in, counts,
           type, op, comm)

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, (OUT, IN, MPI_Comm comm), ONE, in, in_count, in_type, comm)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, (OUT, INS, MPI_Comm comm), ONE, in, in_counts, in_places, in_type,
           comm)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, (OUT, IN, MPI_Comm comm), ONE, in, in_count, in_type, comm)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, (OUTS, INS, MPI_Comm comm), EACH, in, in_counts, in_places, in_type,
           comm)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *out, const int out_counts[], const MPI_Aint out_places[], const MPI_Datatype out_types[], void *in,
            const int in_counts[], const MPI_Aint in_places[], const MPI_Datatype in_types[], MPI_Comm comm),
           out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm)
