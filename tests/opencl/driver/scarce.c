// What there is too little memory for: an error code, or an event that ends with one, and a process that lives on.
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static const char *source =
    "#define WORK(ROOM) for (int i = 0; i < n; i++) a[(i * 7919l + out[g]) & (ROOM - 1)] = i + g;\n"
    "#define LAST(ROOM) a[((n - 1) * 7919l + out[g]) & (ROOM - 1)]\n"
    "kernel void in_turn(global int *out, int n) {\n"
    "  int a[4 << 20], g = get_global_id(0);\n"
    "  WORK(4 << 20)\n"
    "  out[g] = LAST(4 << 20);\n"
    "}\n"
    "kernel void kept(global int *out, int n) {\n"
    "  int a[4 << 20], g = get_global_id(0);\n"
    "  WORK(4 << 20)\n"
    "  if (n < 0) out[g ^ 1] = 0;\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "  out[g] = LAST(4 << 20);\n"
    "}\n"
    "kernel void several(global int *out, int n) {\n"
    "  int a[2048], b[1024], c[4096], d[1 << 17], g = get_global_id(0);\n"
    "  WORK(2048)\n"
    "  for (int i = 0; i < n; i++) { b[i] = a[i & 2047]; c[i + out[g]] = b[i / 2]; d[i << 10] = c[i]; }\n"
    "  out[g] = LAST(2048) + 0 * (d[0] + c[1] + b[2]);\n"
    "}\n"
    "kernel void small(global int *out, int n) {\n"
    "  int a[2048], g = get_global_id(0);\n"
    "  WORK(2048)\n"
    "  out[g] = LAST(2048);\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(4096, 1, 1))) void required(global int *out, int n) {\n"
    "  int a[4 << 20], g = get_global_id(0);\n"
    "  WORK(4 << 20)\n"
    "  if (n < 0) out[g ^ 1] = 0;\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "  out[g] = LAST(4 << 20);\n"
    "}\n"
    "kernel __attribute__((work_group_size_hint(8192, 1, 1))) void hinted(global int *out, int n) {\n"
    "  int g = get_global_id(0);\n"
    "  out[g] = get_local_size(0) <= 4096 ? 9 + g : 0;\n"
    "}\n"
    "kernel void huge(global int *out, int n) {\n"
    "  int a[1l << 40], g = get_global_id(0);\n"
    "  WORK((1l << 40))\n"
    "  out[g] = LAST((1l << 40));\n"
    "}\n"
    "kernel void half_a_gigabyte(global int *out, int n) {\n"
    "  int a[128 << 20], g = get_global_id(0);\n"
    "  WORK((128 << 20))\n"
    "  out[g] = LAST((128 << 20));\n"
    "}\n"
    "kernel void with_local(global int *out, int n, local int *a) { a[0] = n; out[0] = a[0]; }\n"
    "kernel void wide(global int *out, int n) { out[0] = printf(\"%999999999d\", n); }\n";

enum { MOST = 8192, NUMBER = 10 };

static cl_program program;
static cl_mem memory;

static cl_kernel kernel_of(const char *name)
{
    static int number = NUMBER;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clSetKernelArg(kernel, 1, sizeof number, &number));
    return kernel;
}

static cl_int enqueue(cl_kernel kernel, size_t items, size_t local, cl_event *event)
{
    int zero = 0;
    OK(clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, MOST * sizeof zero, 0, NULL, NULL));
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, local ? &local : NULL, 0, NULL, event);
}

// What the kernels above compute, at each item of a range.
static void runs(cl_kernel kernel, size_t items, size_t local)
{
    static int out[MOST];
    OK(enqueue(kernel, items, local, NULL));
    OK(clFinish(queue));
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, items * sizeof *out, out, 0, NULL, NULL));
    size_t wrong = 0;
    for (size_t item = 0; item < items; item++)
        wrong += out[item] != NUMBER - 1 + (int)item;
    IS(0, (cl_int)wrong);
}

static size_t most_items(cl_kernel kernel)
{
    size_t most = 0;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    return most;
}

static cl_ulong private_bytes(cl_kernel kernel)
{
    cl_ulong bytes = 0;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    return bytes;
}

static void large_arrays(void)
{
    cl_kernel in_turn = kernel_of("in_turn"), kept = kernel_of("kept"), several = kernel_of("several");
    CHECK(most_items(in_turn) == 4096 && private_bytes(in_turn) >= 16 * MIB);
    runs(in_turn, 100, 0);
    runs(in_turn, 4096, 4096);
    runs(several, 4096, 64);
    size_t most = most_items(kept);
    // Of 64 GiB for a group there would have to be at least 256 GiB for each processor.
    CHECK(most >= 1 && (most & (most - 1)) == 0 && private_bytes(kept) >= 16 * MIB);
    runs(kept, 32, 0);
    runs(kept, 32, most < 4 ? most : 4);
    if (most < 4096)
        IS(CL_INVALID_WORK_GROUP_SIZE, enqueue(kept, 4096, most * 2, NULL));
    cl_kernel required = kernel_of("required");
    if (most < 4096) {
        IS(CL_OUT_OF_RESOURCES, enqueue(required, 4096, 4096, NULL));
        IS(CL_OUT_OF_RESOURCES, enqueue(required, 4096, 0, NULL));
    }
    cl_kernel huge = kernel_of("huge"), hinted = kernel_of("hinted");
    CHECK(most_items(huge) >= 1);
    IS(CL_OUT_OF_RESOURCES, enqueue(huge, 16, 0, NULL));
    runs(hinted, MOST, 0);
    runs(in_turn, 16, 16);
    OK(clReleaseKernel(in_turn));
    OK(clReleaseKernel(kept));
    OK(clReleaseKernel(several));
    OK(clReleaseKernel(required));
    OK(clReleaseKernel(huge));
    OK(clReleaseKernel(hinted));
}

static void *on_a_small_stack(void *unused)
{
    cl_kernel small = kernel_of("small"), several = kernel_of("several"), in_turn = kernel_of("in_turn");
    for (int time = 0; time < 50; time++) {
        runs(small, 1024, 0);
        runs(several, 16, 0);
        runs(in_turn, 16, 0);
    }
    OK(clReleaseKernel(small));
    OK(clReleaseKernel(several));
    OK(clReleaseKernel(in_turn));
    return unused;
}

static void local_memory(void)
{
    cl_kernel kernel = kernel_of("with_local");
    size_t sizes[] = {(size_t)1 << 40, (size_t)1 << 62, (size_t)-1, (size_t)-128};
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++) {
        OK(clSetKernelArg(kernel, 2, sizes[at], NULL));
        IS(CL_OUT_OF_RESOURCES, enqueue(kernel, 1, 1, NULL));
    }
    OK(clReleaseKernel(kernel));
}

static void CL_CALLBACK never(void *block)
{
    (void)block;
    CHECK(!"called");
}

/* No more memory than there is now, and a little. */
static void limit(struct rlimit *before, size_t more)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    getrlimit(RLIMIT_AS, before);
    struct rlimit now = {(size_t)pages * (size_t)sysconf(_SC_PAGESIZE) + more, before->rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &now) == 0);
}

// Where the system gives no more.
static void refused(void)
{
    size_t size = 512 * MIB;
    char *block = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(block != MAP_FAILED);
    cl_kernel kernel = kernel_of("half_a_gigabyte"), wide = kernel_of("wide"), in_turn = kernel_of("in_turn");
    runs(in_turn, 16, 0);
    struct rlimit before;
    limit(&before, 256 * MIB);

    clCreateBuffer(context, 0, size, NULL, &error);
    IS(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
    CHECK(clSVMAlloc(context, 0, size, 0) == NULL);
    IS(CL_OUT_OF_HOST_MEMORY,
       clEnqueueNativeKernel(queue, never, block, size, 0, NULL, NULL, 0, NULL, NULL));
    const char *text = block;
    clCreateProgramWithSource(context, 1, &text, &size, &error);
    IS(CL_OUT_OF_HOST_MEMORY, error);

    cl_event event, after = NULL;
    cl_int status = CL_SUCCESS, code = enqueue(kernel, 4096, 64, &event);
    if (code == CL_SUCCESS) {
        OK(clEnqueueMarkerWithWaitList(queue, 1, &event, &after));
        OK(clFinish(queue));
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        IS(CL_OUT_OF_RESOURCES, status);
        OK(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status);
        OK(clReleaseEvent(event));
        OK(clReleaseEvent(after));
    } else {
        IS(CL_OUT_OF_RESOURCES, code);
    }
    int printed = 7;
    OK(enqueue(wide, 1, 1, NULL));
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof printed, &printed, 0, NULL, NULL));
    IS(-1, printed);
    runs(in_turn, 16, 0);

    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    if (code == CL_SUCCESS)
        runs(kernel, 4, 0);
    munmap(block, size);
    OK(clReleaseKernel(kernel));
    OK(clReleaseKernel(wide));
    OK(clReleaseKernel(in_turn));
}

int main(void)
{
    begin();
    program = build(source, "");
    memory = clCreateBuffer(context, 0, MOST * sizeof(int), NULL, &error);
    large_arrays();
    local_memory();
    refused();

    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
    CHECK(pthread_create(&thread, &attributes, on_a_small_stack, NULL) == 0);
    pthread_join(thread, NULL);

    OK(clReleaseMemObject(memory));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
