// Sub-devices by NUMA node: their memory is at their locations, their commands run there. Where there is one node, there is
// nothing to divide. With VICINITY_TEST_TRUTH=kernel the kernel is asked where memory is, and not the library.
#define _GNU_SOURCE
#include "place.h"
#include <time.h>

enum { TASKS = 64, SIZES = 3 };
static const size_t sizes[SIZES] = {100000, (size_t)1 << 20, (size_t)5 << 20};

static int (*here)(void);

/* Of a context's buffer, of memory that its program shares, and of a copy. */
static int place_of_new(cl_context context, cl_command_queue queue, size_t size, int kind) {
    static char data[(size_t)5 << 20];
    cl_int code;
    if (kind == 2) {
        char *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
        CHECK(shared != NULL);
        memset(shared, 1, size);
        int place = place_of(shared, size);
        clSVMFree(context, shared);
        return place;
    }
    cl_mem buffer = clCreateBuffer(context, kind ? CL_MEM_COPY_HOST_PTR : 0, size, kind ? data : NULL, &code);
    OK(code);
    OK(clEnqueueFillBuffer(queue, buffer, &(int){5}, sizeof(int), 0, size / 128 * 128, 0, NULL, NULL));
    char *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
    OK(code);
    EQUAL(mapped[4], 5);
    memset(mapped, 1, size);
    int place = place_of(mapped, size);
    OK(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(buffer));
    return place;
}

static void millisecond(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

static void note_place(void *place) {
    millisecond();
    __atomic_store_n(*(int **)place, here(), __ATOMIC_RELEASE);
}

/* How many of some tasks ran there, while nobody else had anything to do. */
static int ran_at(cl_command_queue queue, int place) {
    static int places[TASKS];
    int right = 0;
    for (int i = 0; i < TASKS; i++) {
        int *result = &places[i];
        *result = -1;
        OK(clEnqueueNativeKernel(queue, note_place, &result, sizeof result, 0, NULL, NULL, 0, NULL, NULL));
    }
    for (int i = 0; i < TASKS; i++) {
        while (__atomic_load_n(&places[i], __ATOMIC_ACQUIRE) < 0) millisecond();
        right += places[i] == place;
    }
    return right;
}

int main(void) {
    cl_device_id device = our_device(), parts[MOST];
    const cl_device_partition_property by_node[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_device_affinity_domain domains = 0;
    cl_uint count = 0, units = 0, all_units = 0;
    cl_int code;
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domains, &domains, NULL));
    if (!(domains & CL_DEVICE_AFFINITY_DOMAIN_NUMA)) return 0;
    OK(clCreateSubDevices(device, by_node, MOST, parts, &count));
    CHECK(count > 1);
    int seen[MOST] = {0};
    for (cl_uint i = 0; i < count; i++) {
        OK(clGetDeviceInfo(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
        all_units += units;
        cl_context context = clCreateContext(NULL, 1, &parts[i], NULL, NULL, &code);
        OK(code);
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, parts[i], NULL, &code);
        OK(code);
        here = library("vicinity_current_location");
        int place = place_of_new(context, queue, sizes[0], 0);
        CHECK(place < MOST);
        for (int round = 0; round < SIZES * 3; round++)
            EQUAL(place_of_new(context, queue, sizes[round / 3], round % 3), place);
        EQUAL(seen[place]++, 0);
        /* On a busy machine the workers of a place may have to wait for a processor, and others help: then once more. */
        int right = 0;
        for (int attempt = 0; attempt < 10 && right * 2 < TASKS; attempt++) right = ran_at(queue, place);
        printf("sub-device %u of %u units: memory at %d, %d of %d tasks there\n", i, units, place, right, TASKS);
        CHECK(right * 2 >= TASKS);
        OK(clReleaseCommandQueue(queue));
        OK(clReleaseContext(context));
    }
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    EQUAL(all_units, units);
    /* Two of more: their places in turn. */
    if (count > 2) {
        cl_context context = clCreateContext(NULL, 2, parts, NULL, NULL, &code);
        OK(code);
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, parts[1], NULL, &code);
        OK(code);
        int one = place_of_new(context, queue, sizes[1], 0), other = place_of_new(context, queue, sizes[1], 1);
        CHECK(one != other);
        EQUAL(place_of_new(context, queue, sizes[1], 2), one);
        OK(clReleaseCommandQueue(queue));
        OK(clReleaseContext(context));
    }
    for (cl_uint i = 0; i < count; i++) OK(clReleaseDevice(parts[i]));
    return 0;
}
