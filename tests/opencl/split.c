// One kernel, split by hand among the sub-devices of a context: each has a queue, a part of the indices, a buffer and an allocation of
// its own, and a part of a buffer that all have. Where there is one node, there is nothing to divide.
#define _GNU_SOURCE
#include "place.h"
#include <CL/cl_ext.h>

enum { ITEMS = 1 << 19, ATTEMPTS = 10, ROUNDS = 200 };

static const char *source = "kernel void step(global int *to, int from) {\n"
                            "    int i = get_global_id(0);\n"
                            "    to[i - from] = 3 * i + 1;\n"
                            "}\n"
                            "kernel void work(global int *to, int rounds) {\n"
                            "    int i = get_global_id(0), x = i;\n"
                            "    for (int round = 0; round < rounds; round++) x = x * 1664525 + 1013904223;\n"
                            "    to[i] = x;\n"
                            "}\n";

static void launch(cl_command_queue queue, cl_kernel kernel, cl_mem to, int from, size_t first, size_t count) {
    OK(clSetKernelArg(kernel, 0, sizeof to, &to));
    OK(clSetKernelArg(kernel, 1, sizeof from, &from));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, &first, &count, NULL, 0, NULL, NULL));
    OK(clFlush(queue));
}

/* Allocations for a sub-device are at its place, in any context, and kernels write to them there. */
static void own_allocations(cl_context context, cl_device_id *parts, cl_command_queue *queues, cl_kernel kernel, cl_uint count) {
    clDeviceMemAllocINTEL_fn allocate;
    clMemFreeINTEL_fn release;
    cl_platform_id platform;
    cl_int code;
    size_t each = ITEMS / count, size = each * sizeof(int);
    int *memory[MOST], seen[MOST + 1] = {0};
    OK(clGetDeviceInfo(parts[0], CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL));
    allocate = (clDeviceMemAllocINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL");
    release = (clMemFreeINTEL_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemFreeINTEL");
    CHECK(allocate != NULL && release != NULL);
    for (cl_uint i = 0; i < count; i++) {
        int from = (int)(i * each);
        memory[i] = allocate(context, parts[i], NULL, size, 0, &code);
        OK(code);
        OK(clSetKernelArgSVMPointer(kernel, 0, memory[i]));
        OK(clSetKernelArg(kernel, 1, sizeof from, &from));
        OK(clEnqueueNDRangeKernel(queues[i], kernel, 1, &(size_t){i * each}, &each, NULL, 0, NULL, NULL));
    }
    for (cl_uint i = 0; i < count; i++) {
        OK(clFinish(queues[i]));
        for (size_t at = 0; at < each; at++) EQUAL(memory[i][at], 3 * (i * each + at) + 1);
        int place = place_of(memory[i], size);
        CHECK(place < MOST);
        EQUAL(seen[place]++, 0);
        printf("sub-device %u of %u: all pages of its allocation at %d\n", i, count, place);
        OK(release(context, memory[i]));
    }
}

/* The node of a sub-device's memory, by a context of its own. */
static int node_at(cl_device_id part) {
    cl_int code;
    cl_context alone = clCreateContext(NULL, 1, &part, NULL, NULL, &code);
    OK(code);
    int *memory = clSVMAlloc(alone, CL_MEM_READ_WRITE, PAGE, 0);
    CHECK(memory != NULL);
    *memory = 1;
    int node = page_node(memory);
    clSVMFree(alone, memory);
    OK(clReleaseContext(alone));
    return node;
}

/* All parts of a buffer that nobody has touched begin at once. */
static void begin_together(cl_context context, cl_command_queue *queues, cl_kernel kernel, cl_mem all, cl_uint count) {
    cl_int code;
    size_t each = ITEMS / count;
    cl_event gate = clCreateUserEvent(context, &code);
    OK(code);
    OK(clSetKernelArg(kernel, 0, sizeof all, &all));
    OK(clSetKernelArg(kernel, 1, sizeof(int), &(int){ROUNDS}));
    for (cl_uint i = 0; i < count; i++) {
        OK(clEnqueueNDRangeKernel(queues[i], kernel, 1, &(size_t){i * each}, &each, NULL, 1, &gate, NULL));
        OK(clFlush(queues[i]));
    }
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (cl_uint i = 0; i < count; i++) OK(clFinish(queues[i]));
    OK(clReleaseEvent(gate));
}

/* Memory is where it is touched first, so each page of such a buffer says where its work-groups ran. Workers that have nothing to do help
 * others: so half of the pages at least are where they should be, and if not, once more. */
static void touched_first(cl_context context, cl_device_id *parts, cl_command_queue *queues, cl_program program, cl_uint count) {
    cl_int code;
    size_t each = ITEMS / count, pages = each * sizeof(int) / PAGE, right[MOST] = {0}, sum = 0;
    cl_kernel kernel = clCreateKernel(program, "work", &code);
    OK(code);
    for (int attempt = 0; attempt < ATTEMPTS && 2 * sum < count * pages; attempt++) {
        cl_mem all = clCreateBuffer(context, 0, ITEMS * sizeof(int), NULL, &code);
        OK(code);
        begin_together(context, queues, kernel, all, count);
        char *mapped = clEnqueueMapBuffer(queues[0], all, CL_TRUE, CL_MAP_READ, 0, ITEMS * sizeof(int), 0, NULL, NULL, &code);
        OK(code);
        sum = 0;
        for (cl_uint i = 0; i < count; i++) {
            int node = node_at(parts[i]);
            right[i] = 0;
            for (size_t page = 0; page < pages; page++) right[i] += page_node(mapped + i * each * sizeof(int) + page * PAGE) == node;
            sum += right[i];
        }
        OK(clEnqueueUnmapMemObject(queues[0], all, mapped, 0, NULL, NULL));
        OK(clFinish(queues[0]));
        OK(clReleaseMemObject(all));
    }
    for (cl_uint i = 0; i < count; i++) printf("sub-device %u of %u: its work-groups touched %zu of %zu pages there\n", i, count, right[i], pages);
    CHECK(2 * sum >= count * pages);
    OK(clReleaseKernel(kernel));
}

static void check(cl_command_queue queue, cl_mem buffer, size_t first, size_t count) {
    static int result[ITEMS];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof *result, result, 0, NULL, NULL));
    for (size_t i = 0; i < count; i++) EQUAL(result[i], 3 * (first + i) + 1);
}

/* Of all nodes, memory is where a sub-device's commands touch it first; of some, it goes to their places in turn. */
static void split(cl_device_id *parts, cl_uint count, int takes_turns) {
    cl_int code;
    cl_context context = clCreateContext(NULL, count, parts, NULL, NULL, &code);
    OK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, count, parts, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "step", &code);
    OK(code);
    cl_command_queue queues[MOST] = {NULL};
    cl_mem own[MOST], all = clCreateBuffer(context, 0, ITEMS * sizeof(int), NULL, &code);
    OK(code);
    size_t each = ITEMS / count, size = each * sizeof(int);
    int seen[MOST + 1] = {0};
    for (cl_uint i = 0; i < count; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, parts[i], NULL, &code);
        OK(code);
        own[i] = clCreateBuffer(context, 0, size, NULL, &code);
        OK(code);
        launch(queues[i], kernel, own[i], (int)(i * each), i * each, each);
        launch(queues[i], kernel, all, 0, i * each, each);
    }
    for (cl_uint i = 0; i < count; i++) OK(clFinish(queues[i]));
    check(queues[0], all, 0, each * count);
    for (cl_uint i = 0; i < count; i++) {
        check(queues[i], own[i], i * each, each);
        void *mapped = clEnqueueMapBuffer(queues[i], own[i], CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &code);
        OK(code);
        seen[place_of(mapped, size)]++;
        OK(clEnqueueUnmapMemObject(queues[i], own[i], mapped, 0, NULL, NULL));
        OK(clFinish(queues[i]));
        OK(clReleaseMemObject(own[i]));
    }
    for (cl_uint i = 0; i < count && takes_turns; i++) EQUAL(seen[i], 1);
    own_allocations(context, parts, queues, kernel, count);
    if (!takes_turns && truth_is_the_kernel()) touched_first(context, parts, queues, program, count);
    for (cl_uint i = 0; i < count; i++) OK(clReleaseCommandQueue(queues[i]));
    OK(clReleaseMemObject(all));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseContext(context));
}

int main(void) {
    cl_device_id device = our_device(), parts[MOST];
    const cl_device_partition_property by_node[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_device_affinity_domain domains = 0;
    cl_uint count = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domains, &domains, NULL));
    if (!(domains & CL_DEVICE_AFFINITY_DOMAIN_NUMA)) return 0;
    OK(clCreateSubDevices(device, by_node, MOST, parts, &count));
    CHECK(count > 1);
    split(parts, count, 0);
    split(parts, count - 1, 1);
    return 0;
}
