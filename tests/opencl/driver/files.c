// Commands that read and write files: pieces, offsets, streams, pipes, every failure and every error. The argument is an empty folder.
#define _GNU_SOURCE
#include "check.h"
#include <CL/cl_vicinity.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define BYTES ((5u << 20) + 17)

static unsigned char from[BYTES], to[BYTES];
static cl_mem source, target;
static cl_command_queue unordered;

static const char *place(const char *name)
{
    static const char *folder;
    static char path[4096];
    if (folder == NULL)
        folder = name;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static cl_int status_of(cl_event event)
{
    cl_int status = 1;
    clWaitForEvents(1, &event);
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    OK(clReleaseEvent(event));
    return status;
}

static void clear_target(void)
{
    unsigned char zero = 0;
    OK(clEnqueueFillBuffer(queue, target, &zero, 1, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(queue));
}

/* Whether bytes of the target are these. */
static int has(size_t offset, size_t bytes, const unsigned char *expected)
{
    OK(clEnqueueReadBuffer(queue, target, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
    return memcmp(to, expected, bytes) == 0;
}

static void is_an_extension(void)
{
    char names[8192];
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, CL_VICINITY_DATA_TRANSFER_EXTENSION_NAME) != NULL);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, CL_VICINITY_DATA_TRANSFER_EXTENSION_NAME) != NULL);
    CHECK(clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueReadBufferToFil") == NULL);
}

/* Written and read in pieces at an offset, by commands that wait for each other alone; the descriptor is closed before they begin. */
static void in_pieces(void)
{
    int file = open(place("pieces"), O_RDWR | O_CREAT, 0600);
    cl_event gate = clCreateUserEvent(context, &error), written, read;
    cl_command_type kind = 0;
    cl_int status = 1;
    OK(clEnqueueReadBufferToFile(unordered, source, CL_FALSE, 3, BYTES - 3, file, 4099, 1, &gate, &written));
    OK(clEnqueueWriteBufferFromFile(unordered, target, CL_FALSE, 1, BYTES - 3, file, 4099, 1, &written, &read));
    OK(close(file));
    OK(clGetEventInfo(written, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    CHECK(kind == CL_COMMAND_READ_BUFFER_TO_FILE_VICINITY);
    OK(clGetEventInfo(written, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(CL_QUEUED, status);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &read));
    CHECK(has(1, BYTES - 3, from + 3));
    cl_ulong times[4];
    for (int at = 0; at < 4; at++)
        OK(clGetEventProfilingInfo(read, CL_PROFILING_COMMAND_QUEUED + at, sizeof times[at], &times[at], NULL));
    CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(written));
    OK(clReleaseEvent(read));
}

/* Commands without an order that go on from the descriptor's position have places of their own. */
static void positions(void)
{
    enum { BLOCKS = 20, BLOCK = 700000 / BLOCKS };
    int file = open(place("positions"), O_RDWR | O_CREAT, 0600), seen[256] = {0};
    for (int block = 0; block < BLOCKS; block++) {
        unsigned char pattern = (unsigned char)(block + 1);
        cl_event filled;
        OK(clEnqueueFillBuffer(unordered, target, &pattern, 1, block * BLOCK, BLOCK, 0, NULL, &filled));
        OK(clEnqueueReadBufferToFile(unordered, target, CL_FALSE, block * BLOCK, BLOCK, file,
                                     CL_FILE_POSITION_VICINITY, 1, &filled, NULL));
        OK(clReleaseEvent(filled));
    }
    OK(clFinish(unordered));
    CHECK(lseek(file, 0, SEEK_CUR) == BLOCKS * BLOCK);
    CHECK(pread(file, to, BLOCKS * BLOCK, 0) == BLOCKS * BLOCK);
    for (int block = 0; block < BLOCKS; block++) {
        CHECK(memcmp(to + block * BLOCK, to + block * BLOCK + 1, BLOCK - 1) == 0);
        seen[to[block * BLOCK]]++;
    }
    for (int block = 0; block < BLOCKS; block++)
        CHECK(seen[block + 1] == 1);
    OK(close(file));
}

/* Streams, between what the program itself writes and reads; `mode` is one for writing. */
static void streams(const char *name, const char *mode)
{
    size_t bytes = 1 << 20;
    int numbers[2] = {0, 0};
    FILE *file = fopen(place(name), mode);
    fprintf(file, "%d\n", 7);
    OK(clEnqueueReadBufferToStdioFile(queue, source, CL_FALSE, 5, bytes, file, 0, NULL, NULL));
    OK(clEnqueueReadBufferToStdioFile(queue, source, CL_TRUE, 0, 5, file, 0, NULL, NULL));
    fprintf(file, " %d\n", 8);
    CHECK(ftell(file) == (long)bytes + 2 + 5 + 3);
    if (strchr(mode, '+') == NULL) {
        OK(fclose(file));
        file = fopen(place(name), "r");
    }
    rewind(file);
    CHECK(fscanf(file, "%d", &numbers[0]) == 1 && fgetc(file) == '\n');
    clear_target();
    OK(clEnqueueWriteBufferFromStdioFile(queue, target, CL_FALSE, 9, bytes, file, 0, NULL, NULL));
    OK(clEnqueueWriteBufferFromStdioFile(queue, target, CL_TRUE, 0, 5, file, 0, NULL, NULL));
    CHECK(fscanf(file, "%d", &numbers[1]) == 1);
    CHECK(numbers[0] == 7 && numbers[1] == 8 && has(9, bytes, from + 5) && has(0, 5, from));
    OK(fclose(file));
}

static void appends(void)
{
    int file = open(place("appended"), O_RDWR | O_CREAT | O_APPEND, 0600);
    CHECK(write(file, "beginning", 9) == 9);
    OK(clEnqueueReadBufferToFile(queue, source, CL_FALSE, 0, BYTES, file, CL_FILE_POSITION_VICINITY, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadBufferToFile(queue, source, CL_FALSE, 0, 5, file, 0, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(pread(file, to, BYTES, 9) == BYTES && memcmp(to, from, BYTES) == 0);
    OK(close(file));
}

/* Both ends of a pipe that holds less than the commands want, and more such pipes than there are workers. */
static void pipes(void)
{
    enum { PIPES = 16 };
    int ends[PIPES][2];
    size_t bytes = BYTES / PIPES;
    clear_target();
    for (int at = 0; at < PIPES; at++) {
        OK(pipe(ends[at]));
        OK(clEnqueueReadBufferToFile(unordered, source, CL_FALSE, at * bytes, bytes, ends[at][1],
                                     CL_FILE_POSITION_VICINITY, 0, NULL, NULL));
    }
    for (int at = 0; at < PIPES; at++)
        OK(clEnqueueWriteBufferFromFile(unordered, target, CL_FALSE, at * bytes, bytes, ends[at][0],
                                        CL_FILE_POSITION_VICINITY, 0, NULL, NULL));
    OK(clFinish(unordered));
    CHECK(has(0, PIPES * bytes, from));
    for (int at = 0; at < PIPES; at++) {
        OK(close(ends[at][0]));
        OK(close(ends[at][1]));
    }
}

/* A failure is the event's, and those that wait for it fail; the next in the queue runs. */
static void fails(cl_int expected, cl_int enqueued, cl_event *failed)
{
    cl_event dependent;
    OK(enqueued);
    OK(clEnqueueMarkerWithWaitList(queue, 1, failed, &dependent));
    OK(clEnqueueWriteBuffer(queue, target, CL_TRUE, 0, 1, from, 0, NULL, NULL));
    IS(expected, status_of(*failed));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(dependent));
}

static void failures_of_files(void)
{
    cl_event event;
    int file = open(place("short"), O_RDWR | O_CREAT, 0600), full = open("/dev/full", O_RDWR), ends[2];
    OK(ftruncate(file, BYTES - 1));
    fails(CL_FILE_TOO_SHORT_VICINITY,
          clEnqueueWriteBufferFromFile(queue, target, CL_FALSE, 0, BYTES, file, 0, 0, NULL, &event), &event);
    FILE *stream = fdopen(file, "r");
    fails(CL_FILE_TOO_SHORT_VICINITY,
          clEnqueueWriteBufferFromStdioFile(queue, target, CL_FALSE, 0, BYTES, stream, 0, NULL, &event), &event);
    IS(CL_FILE_TOO_SHORT_VICINITY, clEnqueueWriteBufferFromFile(queue, target, CL_TRUE, 0, BYTES, file, 0, 0, NULL, NULL));
    OK(fclose(stream));
    fails(CL_FILE_ERROR_VICINITY - ENOSPC,
          clEnqueueReadBufferToFile(queue, source, CL_FALSE, 0, BYTES, full, 0, 0, NULL, &event), &event);
    CHECK(CL_FILE_ERRNO_VICINITY(CL_FILE_ERROR_VICINITY - ENOSPC) == ENOSPC);
    for (const char *mode = "w"; mode != NULL; mode = mode[0] == 'w' ? "a" : NULL) {
        stream = fopen("/dev/full", mode);
        fails(CL_FILE_ERROR_VICINITY - ENOSPC,
              clEnqueueReadBufferToStdioFile(queue, source, CL_FALSE, 0, 10, stream, 0, NULL, &event), &event);
        fclose(stream);
    }
    OK(close(full));
    OK(pipe(ends));
    OK(close(ends[0]));
    fails(CL_FILE_ERROR_VICINITY - EPIPE,
          clEnqueueReadBufferToFile(queue, source, CL_FALSE, 0, 10, ends[1], CL_FILE_POSITION_VICINITY, 0, NULL, &event), &event);
    OK(close(ends[1]));
    OK(pipe(ends));
    CHECK(write(ends[1], from, 9) == 9);
    OK(close(ends[1]));
    fails(CL_FILE_TOO_SHORT_VICINITY,
          clEnqueueWriteBufferFromFile(queue, target, CL_FALSE, 0, 10, ends[0], CL_FILE_POSITION_VICINITY, 0, NULL, &event), &event);
    OK(close(ends[0]));
}

/* What waits for a failure does nothing to its file. */
static void doomed(void)
{
    int file = open(place("doomed"), O_RDWR | O_CREAT, 0600), ends[2];
    cl_event gate = clCreateUserEvent(context, &error), events[2];
    OK(pipe(ends));
    OK(clEnqueueReadBufferToFile(unordered, source, CL_FALSE, 0, 10, file, 0, 1, &gate, &events[0]));
    OK(clEnqueueReadBufferToFile(unordered, source, CL_FALSE, 0, 10, ends[1], CL_FILE_POSITION_VICINITY, 1, &gate, &events[1]));
    OK(clSetUserEventStatus(gate, -5));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(events[0]));
    IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status_of(events[1]));
    OK(close(ends[1]));
    CHECK(read(ends[0], to, 1) == 0 && lseek(file, 0, SEEK_END) == 0);
    OK(close(ends[0]));
    OK(close(file));
    OK(clReleaseEvent(gate));
}

static void misuse(void)
{
    int file = open(place("misuse"), O_RDWR | O_CREAT, 0600), only = open(place("misuse"), O_WRONLY), ends[2];
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_mem foreign = clCreateBuffer(other, 0, 64, NULL, &error);
    cl_event event;
    OK(pipe(ends));
#define READ(queue, buffer, offset, size, file, place, count, list) \
    clEnqueueReadBufferToFile(queue, buffer, CL_FALSE, offset, size, file, place, count, list, &event)
    IS(CL_INVALID_COMMAND_QUEUE, READ(NULL, source, 0, 1, file, 0, 0, NULL));
    IS(CL_INVALID_MEM_OBJECT, READ(queue, NULL, 0, 1, file, 0, 0, NULL));
    IS(CL_INVALID_CONTEXT, READ(queue, foreign, 0, 1, file, 0, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, BYTES, 1, file, 0, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, 1, SIZE_MAX, file, 0, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, 0, 1, -1, 0, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, 0, 1, 1 << 20, 0, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, 0, 1, file, -2, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, 0, 1, file, INT64_MAX, 0, NULL));
    IS(CL_INVALID_VALUE, READ(queue, source, 0, 1, ends[1], 0, 0, NULL));
    IS(CL_INVALID_OPERATION, READ(queue, source, 0, 1, ends[0], CL_FILE_POSITION_VICINITY, 0, NULL));
    IS(CL_INVALID_EVENT_WAIT_LIST, READ(queue, source, 0, 1, file, 0, 1, NULL));
    IS(CL_INVALID_OPERATION, clEnqueueWriteBufferFromFile(queue, target, CL_TRUE, 0, 1, only, 0, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueReadBufferToStdioFile(queue, source, CL_TRUE, 0, 1, NULL, 0, NULL, NULL));
    IS(CL_INVALID_VALUE, clEnqueueWriteBufferFromStdioFile(queue, source, CL_TRUE, 0, 1, NULL, 0, NULL, NULL));
    OK(READ(queue, source, 0, 0, file, 0, 0, NULL));
    OK(status_of(event));
    OK(clReleaseMemObject(foreign));
    OK(clReleaseContext(other));
    OK(close(file));
    OK(close(only));
    OK(close(ends[0]));
    OK(close(ends[1]));
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    place(arguments[1]);
    begin();
    cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES,
                                    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    unordered = clCreateCommandQueueWithProperties(context, device, wanted, &error);
    OK(error);
    for (size_t at = 0; at < BYTES; at++)
        from[at] = (unsigned char)(at * 2654435761u >> 24);
    source = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, from, &error);
    target = clCreateBuffer(context, 0, BYTES, NULL, &error);
    OK(error);
    is_an_extension();
    in_pieces();
    positions();
    streams("stream", "w");
    streams("both", "w+");
    appends();
    pipes();
    failures_of_files();
    doomed();
    misuse();
    OK(clReleaseMemObject(source));
    OK(clReleaseMemObject(target));
    OK(clReleaseCommandQueue(unordered));
    end();
    return verdict();
}
