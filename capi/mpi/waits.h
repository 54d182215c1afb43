/* Waits for messages, by tasks whose threads run others meanwhile (docs/decisions/054-waiting-for-messages.md). */
#ifndef VICINITY_MPI_WAITS_H
#define VICINITY_MPI_WAITS_H

#include <mpi.h>
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
/* A line of the library's on standard error. */
void say(const char *what);

#endif
