/* vicinity.h: Vicinity's C API: tasks without a compiler, memory by distribution, topology.
 *
 * For C99 and C++. Link with -lvicinity. docs/c-api.md is the manual.
 * Functions that return int return VICINITY_SUCCESS or an error code, unless their comment says
 * otherwise. */
#ifndef VICINITY_H
#define VICINITY_H

#include <stddef.h>
#include <stdint.h>

#define VICINITY_VERSION_MAJOR 0
#define VICINITY_VERSION_MINOR 1
#define VICINITY_VERSION_PATCH 0
#define VICINITY_VERSION \
    (VICINITY_VERSION_MAJOR * 10000 + VICINITY_VERSION_MINOR * 100 + VICINITY_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#define VICINITY_NOEXCEPT noexcept
#else
#define VICINITY_NOEXCEPT
#endif

/* Errors and version ------------------------------------------------------------------------ */

enum {
    VICINITY_SUCCESS = 0,
    VICINITY_ERROR_ARGUMENT = -1,    /* a null pointer, or a number out of range */
    VICINITY_ERROR_LOCATION = -2,    /* this machine has no such location */
    VICINITY_ERROR_UNSUPPORTED = -3  /* not in this version of the library */
};

/* What a code means, in English; never null, valid for ever. */
const char *vicinity_strerror(int code) VICINITY_NOEXCEPT;

/* VICINITY_VERSION of the library that is loaded. */
int vicinity_version(void) VICINITY_NOEXCEPT;

/* Tasks ------------------------------------------------------------------------------------- */

/* A task or a range of tasks, to wait for. */
typedef struct vicinity_task vicinity_task;
/* Tasks that are waited for together. */
typedef struct vicinity_group vicinity_group;
/* Tasks that start by themselves, from any thread. */
typedef struct vicinity_stream vicinity_stream;

typedef void (*vicinity_function)(void *argument);
/* The iterations from begin to end, end not included. */
typedef void (*vicinity_range_function)(size_t begin, size_t end, void *argument);

/* How a task uses data: one of the first three, and the hint if it is what the task uses most. */
enum {
    VICINITY_IN = 1,
    VICINITY_OUT = 2,
    VICINITY_INOUT = 3,
    VICINITY_INTENSIVE = 0x100
};

typedef struct vicinity_dependence {
    void *address;  /* two tasks depend on each other if they name the same address */
    size_t length;  /* in bytes */
    int access;
} vicinity_dependence;

/* Any location will do. */
#define VICINITY_ANYWHERE (-1)

typedef struct vicinity_options {
    size_t size; /* sizeof(vicinity_options) */
    const vicinity_dependence *dependences;
    size_t dependence_count;
    vicinity_group *group; /* null: none */
    int priority;          /* from 0; higher ones run first */
    int location;          /* a location, or VICINITY_ANYWHERE */
    vicinity_stream *stream; /* null: none */
    const void *subject;     /* the function that traces name the task after; null: its own */
} vicinity_options;

/* The defaults, to change members of: vicinity_options options = VICINITY_OPTIONS; */
#define VICINITY_OPTIONS {sizeof(vicinity_options), 0, 0, 0, 0, VICINITY_ANYWHERE, 0, 0}

/* Creates a task that calls function(argument). options and task may be null. Give *task to
 * vicinity_wait or vicinity_release, once. */
int vicinity_task_create(vicinity_function function, void *argument,
                         const vicinity_options *options, vicinity_task **task) VICINITY_NOEXCEPT;

/* Creates tasks that call function(begin, end, argument). Every number below count is in one call,
 * and each call has grain numbers at most. With a grain of 0 the library chooses. */
int vicinity_task_range(vicinity_range_function function, void *argument, size_t count,
                        size_t grain, const vicinity_options *options,
                        vicinity_task **task) VICINITY_NOEXCEPT;

/* Waits until a task, or a whole range, is finished. The handle cannot be used again. */
int vicinity_wait(vicinity_task *task) VICINITY_NOEXCEPT;

/* Gives a handle up without waiting. */
int vicinity_release(vicinity_task *task) VICINITY_NOEXCEPT;

/* 1 if it is finished, 0 if not, or an error code. */
int vicinity_is_finished(vicinity_task *task) VICINITY_NOEXCEPT;

/* Waits until all tasks of the calling task are finished; outside of regions, the thread's. */
int vicinity_wait_all(void) VICINITY_NOEXCEPT;

int vicinity_group_create(vicinity_group **group) VICINITY_NOEXCEPT;
/* Waits until all tasks of the group are finished; it can be used again after that. */
int vicinity_group_wait(vicinity_group *group) VICINITY_NOEXCEPT;
/* Gives the group up; its tasks go on. */
int vicinity_group_destroy(vicinity_group *group) VICINITY_NOEXCEPT;

/* Tasks whose options name a stream start by themselves, whether anybody waits or not. */
int vicinity_stream_create(vicinity_stream **stream) VICINITY_NOEXCEPT;
/* Waits until all tasks of the stream are finished; it can be used again after that. */
int vicinity_stream_wait(vicinity_stream *stream) VICINITY_NOEXCEPT;
/* Gives the stream up; its tasks go on. */
int vicinity_stream_destroy(vicinity_stream *stream) VICINITY_NOEXCEPT;

/* Returns when *word, which others change atomically, is not value. Meanwhile it runs tasks. */
int vicinity_wait_word(const uint32_t *word, uint32_t value) VICINITY_NOEXCEPT;
/* To be called after the word was changed: wakes those that wait for it. */
int vicinity_wake_word(const uint32_t *word) VICINITY_NOEXCEPT;

/* One wait of a task, which another thread ends: zeroes at first. While it waits its thread runs
 * other tasks of the region, whichever are ready, and it goes on on that thread. */
typedef struct vicinity_pause {
    uint64_t opaque[2];
} vicinity_pause;
/* 1 if the calling task's thread could run others while it waits, 0 if it had better wait by
 * itself. */
int vicinity_pause_helps(void) VICINITY_NOEXCEPT;
/* Returns when the pause is ended, maybe before. */
int vicinity_pause_wait(vicinity_pause *pause) VICINITY_NOEXCEPT;
/* Ends it, once. It need not exist any more when this returns. */
int vicinity_pause_end(vicinity_pause *pause) VICINITY_NOEXCEPT;

/* Returns how many waits there still are. */
typedef int (*vicinity_poll_function)(void *argument);
/* Has threads that look for tasks call function(argument), one at a time and from now on, to end
 * the pauses, and fulfill the events, whose time has come. From now on tasks that wait are set
 * aside (docs/c-api.md, Pauses). There is one such function in a process: for another one, or where
 * a tool watches tasks (OMPT), VICINITY_ERROR_UNSUPPORTED. */
int vicinity_poll(vicinity_poll_function function, void *argument) VICINITY_NOEXCEPT;
/* Has a thread that sleeps begin to poll: to be called where something is awaited, and nobody
 * pauses for it. */
int vicinity_poll_wake(void) VICINITY_NOEXCEPT;

/* Calls function(argument) while the workers run the tasks that it creates. Returns when all are
 * finished. threads counts the caller; 0 means as many as the settings say. */
int vicinity_run(vicinity_function function, void *argument, int threads) VICINITY_NOEXCEPT;

/* 1 if tasks are recorded (VICINITY_TRACE), 0 if not. A library that runs several pieces of work in
 * one task may want to make a task of each then. */
int vicinity_is_traced(void) VICINITY_NOEXCEPT;
/* The trace's clock; 0 where nothing is recorded. */
uint64_t vicinity_trace_now(void) VICINITY_NOEXCEPT;
/* One end of a message between the processes of a job, for the trace. */
typedef struct vicinity_message {
    int receives;          /* 0: it was sent */
    int peer;              /* the other process, by its number in the job */
    int tag;
    uint64_t communicator; /* a name, the same in all processes */
    size_t bytes;
    uint64_t began;        /* when the call began that has sent or received it */
    uint64_t posted;       /* when that was asked for: receives match sends in this order */
} vicinity_message;
/* Records that a message was sent, or has been received, just now. */
int vicinity_trace_message(const vicinity_message *message) VICINITY_NOEXCEPT;

/* Topology ---------------------------------------------------------------------------------- */

/* How many locations there are; numbered from 0. */
int vicinity_num_locations(void) VICINITY_NOEXCEPT;
/* How many processors this process may use. */
int vicinity_num_processors(void) VICINITY_NOEXCEPT;
/* The location of the calling thread. */
int vicinity_current_location(void) VICINITY_NOEXCEPT;
/* Writes the numbers of a location's processors, capacity at most; *count becomes their number. */
int vicinity_location_processors(int location, int *processors, size_t capacity, size_t *count)
    VICINITY_NOEXCEPT;

/* The NUMA node, by the kernel's number, that a location's memory is on, or an error code. */
int vicinity_location_node(int location) VICINITY_NOEXCEPT;
/* The distance from the processors of one location to the memory of another, in tenths of the
 * distance to their own, or an error code. */
int vicinity_distance(int from, int to) VICINITY_NOEXCEPT;

/* Memory ------------------------------------------------------------------------------------ */

/* Distributions over the locations. */
enum {
    OMP_MALLOC_STANDARD = 0, /* the operating system decides, at the first touch */
    OMP_MALLOC_FINE = 1,     /* pages over all locations in turn */
    OMP_MALLOC_COARSE = 2    /* whole allocations over locations in turn */
};

/* Memory distributed as OMP_DATA_DISTRIBUTION says; null if there is too little. */
void *omp_malloc(size_t size) VICINITY_NOEXCEPT;
void *omp_malloc_specific(size_t size, int distribution) VICINITY_NOEXCEPT;
/* Memory at one location, or at the nearest one with memory; null if there is no such location. */
void *vicinity_malloc_at(size_t size, int location) VICINITY_NOEXCEPT;
/* Frees memory of these, or of any omp_ routine. */
void vicinity_free(void *pointer) VICINITY_NOEXCEPT;

/* Writes how many bytes of a block are at each location, for count locations at most. Bytes that
 * nobody has touched are at none. */
int vicinity_locate(const void *pointer, size_t size, size_t *bytes_per_location, size_t count)
    VICINITY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
