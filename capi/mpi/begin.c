/* Begin and end: MPI is asked for threads, and the runtime to poll for messages. */
#define _GNU_SOURCE
#include "waits.h"

#include <dlfcn.h>
#include <stdio.h>

void say(const char *what) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fprintf(stderr, "vicinity: %s\n", what);
}

/* Whether the program's OpenMP runtime is the library that this one uses. */
static bool runs_on_vicinity(void) {
    Dl_info theirs, ours;
    void *function = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
    return function != NULL && dladdr(function, &theirs) != 0 &&
           dladdr((void *)(uintptr_t)vicinity_version, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

/* MPI has begun, and gives this level of threads. */
static void begin(int provided) {
    const bool is_ours = runs_on_vicinity();
    if (is_ours) begin_tracing();
    if (provided < MPI_THREAD_MULTIPLE)
        say("this MPI does not give MPI_THREAD_MULTIPLE, so tasks that wait for messages keep their threads: "
            "use an MPI that was built with thread support");
    else if (!is_ours)
        say("the program's OpenMP runtime is not Vicinity, so tasks that wait for messages keep their threads: "
            "start it with vicinity run --mpi");
    else if (vicinity_poll(poll_messages, NULL) != VICINITY_SUCCESS)
        say("a tool watches tasks (OMPT), or something else polls, so tasks that wait for messages keep their threads");
    else
        begin_helping();
}

EXPORT int MPI_Init(int *argc, char ***argv) {
    int provided = MPI_THREAD_SINGLE;
    int error = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    if (error == MPI_SUCCESS) begin(provided);
    return error;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int error = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided);
    (void)required; /* More is given than was asked for, as MPI allows. */
    if (error == MPI_SUCCESS) begin(*provided);
    return error;
}

EXPORT int MPI_Finalize(void) {
    stop_helping();
    return PMPI_Finalize();
}
