/* Waits for messages, by tasks whose threads run others meanwhile (docs/decisions/054-waiting-for-messages.md). */
#ifndef VICINITY_MPI_WAITS_H
#define VICINITY_MPI_WAITS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vicinity.h>

#define EXPORT __attribute__((visibility("default")))

/* What a wait is for. */
enum kind {
    ALL,    /* every request of an array */
    ANY,    /* one of them */
    SOME,   /* at least one of them */
    PROBE,  /* a message that could be received */
    MPROBE, /* the same, taken out of MPI's queue */
};

/* One wait. Of a task that is set aside it lies on that task's stack; the others have an event, and lie in memory of
 * their own. It belongs to whoever polls from `await` until its pause has ended or its event is fulfilled. */
struct wait {
    enum kind kind;
    int error; /* what the MPI function is to return */
    int count; /* of requests and statuses */
    int left;  /* ALL: requests that are not complete */
    MPI_Request *requests;
    MPI_Status *statuses; /* or MPI_STATUSES_IGNORE */
    int *index;           /* ANY: which one it is; SOME: how many there are */
    int *indices;         /* SOME: which ones */
    int source, tag;      /* PROBE, MPROBE: the envelope */
    MPI_Comm comm;
    MPI_Message *message; /* MPROBE */
    struct wait *next;
    vicinity_pause pause;
    uintptr_t event; /* of a detached task; 0: a task waits */
};

/* Whether tasks that wait give their threads to others; the same on all ranks. */
bool has_begun(void);
/* Whether the calling task's thread could run others while it waits. */
bool helps(void);
/* Waits, and returns the error. */
int await(struct wait *wait);
/* Waits for one request that was started with this error. */
int finish(int error, MPI_Request *request, MPI_Status *status);
/* The polling function of the runtime. */
int poll_messages(void *unused);
/* Has those that look at `helps` from now on wait by themselves. */
void stop_helping(void);
/* The opposite. */
void begin_helping(void);

/* MPI's functions of these names, for tasks that give their threads to others. */
int helped_Wait(MPI_Request *request, MPI_Status *status);
int helped_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int helped_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int helped_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]);
int helped_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int helped_Send(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int helped_Ssend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int helped_Rsend(const void *data, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm);
int helped_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int target, int out_tag, void *in, int in_count,
                    MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status);
int helped_Sendrecv_replace(void *data, int count, MPI_Datatype type, int target, int out_tag, int source, int in_tag,
                            MPI_Comm comm, MPI_Status *status);

/* What the trace knows of a communicator. */
struct communicator {
    uint64_t name; /* the same on all ranks */
    _Atomic uint64_t children;
    int size;
    int ranks[]; /* in MPI_COMM_WORLD */
};
/* Whether messages are recorded. */
bool traces(void);
/* Finds that out, when MPI has begun. */
void begin_tracing(void);
/* NULL where there is none. */
const struct communicator *known(MPI_Comm comm);
/* The rank in MPI_COMM_WORLD of a communicator's rank. */
int world_rank(const struct communicator *communicator, int rank);
/* A request is complete that nobody waits for by a function of MPI. */
void completed_in_trace(MPI_Request before, const MPI_Status *status);

/* A line of the library's on standard error. */
void say(const char *what);

#endif
