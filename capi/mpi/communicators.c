/* Communicators in the trace: a name that is the same on all of their ranks, and which rank of MPI_COMM_WORLD is which of theirs.
 *
 * All ranks of a communicator make the communicators of it in one order. So the name of a new one follows from that of the
 * old one, how many the old one had before, and who is the new one's first rank. Communicators that are made otherwise are
 * named by their ranks: two of them with the same ranks have one name. Intercommunicators have none. */
#include "waits.h"

#include <stdlib.h>

static int keyval = MPI_KEYVAL_INVALID;
static bool on;

bool traces(void) { return on; }

static uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t mix = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
    return mix ^ (mix >> 33);
}

/* Who is who; NULL without memory. What is made here stays: messages that are under way name it. */
static struct communicator *ranks_of(MPI_Comm comm) {
    int between = 0, size = 0;
    MPI_Group own, world;
    PMPI_Comm_test_inter(comm, &between);
    if (between) return NULL;
    PMPI_Comm_size(comm, &size);
    struct communicator *communicator = malloc(sizeof *communicator + (size_t)size * sizeof(int));
    int *numbers = malloc((size_t)size * sizeof *numbers);
    if (communicator == NULL || numbers == NULL) {
        free(communicator);
        free(numbers);
        return NULL;
    }
    *communicator = (struct communicator){.size = size};
    for (int i = 0; i < size; i++) numbers[i] = i;
    PMPI_Comm_group(comm, &own);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(own, size, numbers, world, communicator->ranks);
    PMPI_Group_free(&own);
    PMPI_Group_free(&world);
    free(numbers);
    for (int i = 0; i < size; i++) communicator->name = mixed(communicator->name, (uint64_t)communicator->ranks[i]);
    return communicator;
}

const struct communicator *known(MPI_Comm comm) {
    struct communicator *communicator;
    int found = 0;
    PMPI_Comm_get_attr(comm, keyval, &communicator, &found);
    if (found) return communicator;
    communicator = ranks_of(comm);
    if (communicator != NULL) PMPI_Comm_set_attr(comm, keyval, communicator);
    return communicator;
}

int world_rank(const struct communicator *communicator, int rank) {
    return rank >= 0 && rank < communicator->size ? communicator->ranks[rank] : rank;
}

/* `made` is a new communicator of `parent`, or none for this rank. */
static int name_child(MPI_Comm parent, int error, const MPI_Comm *made) {
    if (!on || error != MPI_SUCCESS) return error;
    struct communicator *old = (struct communicator *)known(parent);
    if (old == NULL) return error;
    uint64_t before = atomic_fetch_add(&old->children, 1) + 1;
    struct communicator *communicator = *made == MPI_COMM_NULL ? NULL : ranks_of(*made);
    if (communicator == NULL) return error;
    communicator->name = mixed(mixed(old->name, before), (uint64_t)communicator->ranks[0]);
    PMPI_Comm_set_attr(*made, keyval, communicator);
    return error;
}

void begin_tracing(void) {
    if (vicinity_trace_now() == 0) return;
    int error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    on = error == MPI_SUCCESS && known(MPI_COMM_WORLD) != NULL;
}

/* A function that makes a communicator, `*made`, of `comm`. */
#define MAKES(name, parameters, ...) \
    EXPORT int MPI_##name parameters { return name_child(comm, PMPI_##name(__VA_ARGS__), made); }

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), comm, made)
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), comm, info, made)
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), comm, group, made)
MAKES(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made), comm, colour, key, made)
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), comm, type, key, info, made)
MAKES(Cart_create, (MPI_Comm comm, int count, const int sizes[], const int periods[], int reorder, MPI_Comm *made), comm,
      count, sizes, periods, reorder, made)
MAKES(Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm *made), comm, kept, made)
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out, const int targets[],
       const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made),
      comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made)
