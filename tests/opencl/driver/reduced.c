// Numbers that kernels only add to, or keep the least of: in launches long and short, of parts of buffers, of one buffer for all, of none, of
// memory by its address, and from two queues at once.
#include "check.h"

enum { ITEMS = 1 << 20, BINS = 256, LEAST = 16, MANY = 1 << 19 };

static const char source[] =
    "kernel void count(global const uint *in, global uint *bins, global int *least, global ulong *seen) {\n"
    "  uint x = in[get_global_id(0)];\n"
    "  atomic_inc(&bins[x & 255]);\n"
    "  atomic_min(&least[x & 15], (int)(x >> 4) - 77777);\n"
    "  if (seen) atom_or(seen + (x & 1), 1UL << (x & 63)); }\n"
    "kernel void halves(global const uint *in, global uint *bins) { atomic_sub(&bins[in[256 + get_global_id(0)] & 255], 3); }\n";

static cl_uint input[ITEMS], bins[BINS];
static cl_int least[LEAST];
static cl_ulong seen[2];

static cl_mem copy_of(void *from, size_t size) {
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, from, &error);
    OK(error);
    return made;
}

static cl_kernel kernel_of(cl_program program, const char *name, int count, cl_mem *arguments) {
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    for (int at = 0; at < count; at++)
        OK(clSetKernelArg(kernel, at, sizeof(cl_mem), arguments[at] ? &arguments[at] : NULL));
    return kernel;
}

static void run(cl_command_queue where, cl_kernel kernel, size_t items) {
    OK(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &items, (size_t[]){64}, 0, NULL, NULL));
}

/* Memory by its address: for the device alone, and for everybody. */
static void addresses(cl_program program, cl_mem in, clDeviceMemAllocINTEL_fn allocate, clSetKernelArgMemPointerINTEL_fn set) {
    cl_uint *own = allocate(context, device, NULL, (BINS + 64) * sizeof(cl_uint), 64, &error);
    OK(error);
    cl_uint *both = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, sizeof bins, 0);
    cl_kernel kernel = kernel_of(program, "halves", 1, &in);
    cl_uint wanted[BINS] = {0};
    memset(own, 0, (BINS + 64) * sizeof(cl_uint));
    memset(both, 0, sizeof bins);
    OK(set(kernel, 1, own + 64));
    run(queue, kernel, ITEMS / 2);
    OK(clSetKernelArgSVMPointer(kernel, 1, both));
    run(queue, kernel, ITEMS / 2);
    OK(clFinish(queue));
    for (int i = 0; i < ITEMS / 2; i++) wanted[input[256 + i] & 255] -= 3;
    CHECK(memcmp(own + 64, wanted, sizeof wanted) == 0);
    CHECK(memcmp(both, wanted, sizeof wanted) == 0);
}

/* What a launch of `count` does. */
static void expect(size_t items) {
    for (size_t i = 0; i < items; i++) {
        cl_uint x = input[i];
        cl_int number = (cl_int)(x >> 4) - 77777;
        bins[x & 255]++;
        if (number < least[x & 15]) least[x & 15] = number;
        seen[x & 1] |= (cl_ulong)1 << (x & 63);
    }
}

static void same(cl_mem buffer, const void *wanted, size_t size) {
    static char got[MANY * 4];
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, got, 0, NULL, NULL));
    CHECK(memcmp(got, wanted, size) == 0);
}

int main(void) {
    begin();
    cl_program program = build(source, "");
    for (size_t i = 0; i < ITEMS; i++) input[i] = (cl_uint)i * 2654435761u >> 7;
    for (int i = 0; i < LEAST; i++) least[i] = 1000000 + i;
    for (int i = 0; i < BINS; i++) bins[i] = 4294967000u + i;
    cl_mem all[4] = {copy_of(input, sizeof input), copy_of(bins, sizeof bins), copy_of(least, sizeof least), copy_of(seen, sizeof seen)};
    cl_kernel count = kernel_of(program, "count", 4, all);

    /* Often enough for code for this size. */
    for (int round = 0; round < 30; round++) {
        size_t items = round % 3 == 2 ? 128 : ITEMS >> round % 3;
        run(queue, count, items);
        expect(items);
    }
    same(all[1], bins, sizeof bins);
    same(all[2], least, sizeof least);
    same(all[3], seen, sizeof seen);

    /* No `seen`, and more room than numbers, which end within the last. */
    cl_mem room = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof bins + 3, NULL, &error);
    OK(error);
    OK(clEnqueueCopyBuffer(queue, all[1], room, 0, 0, sizeof bins, 0, NULL, NULL));
    cl_kernel fewer = kernel_of(program, "count", 4, (cl_mem[]){all[0], room, all[2], NULL});
    run(queue, fewer, ITEMS);
    expect(ITEMS);
    same(room, bins, sizeof bins);

    /* Parts of one buffer, and one buffer for both arguments. */
    static cl_uint shared[MANY];
    for (int i = 0; i < MANY; i++) shared[i] = input[i];
    cl_mem whole = copy_of(shared, sizeof shared);
    cl_kernel halves = kernel_of(program, "halves", 2, (cl_mem[]){whole, whole});
    run(queue, halves, MANY / 2);
    for (int i = 0; i < MANY / 2; i++) shared[shared[256 + i] & 255] -= 3;
    same(whole, shared, sizeof shared);
    cl_buffer_region region = {BINS * 8, BINS * 4};
    cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    cl_kernel parted = kernel_of(program, "halves", 2, (cl_mem[]){all[0], part});
    run(queue, parted, ITEMS / 2);
    for (int i = 0; i < ITEMS / 2; i++) shared[BINS * 2 + (input[256 + i] & 255)] -= 3;
    same(whole, shared, sizeof shared);

    addresses(program, all[0], clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL"),
              clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL"));

    /* From two queues at once. */
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    OK(error);
    cl_kernel again = kernel_of(program, "count", 4, all);
    OK(clEnqueueCopyBuffer(queue, room, all[1], 0, 0, sizeof bins, 0, NULL, NULL));
    OK(clFinish(queue));
    for (int round = 0; round < 10; round++) {
        run(queue, count, ITEMS);
        run(other, again, ITEMS);
        OK(clFlush(queue));
        OK(clFlush(other));
        expect(ITEMS);
        expect(ITEMS);
    }
    OK(clFinish(other));
    same(all[1], bins, sizeof bins);
    same(all[2], least, sizeof least);
    return verdict();
}
