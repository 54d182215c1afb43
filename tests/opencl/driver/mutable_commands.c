// Launches in command buffers that are changed between replays: what changes, what does not, and every error.
#include "command_buffers.h"

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int) };
static cl_program program;
static cl_mem one, two;
static const size_t items = ITEMS, few = ITEMS / 4;
static const cl_ulong changeable[] = {FLAGS, MUTABLE | SIMULTANEOUS_USE, 0};

static cl_kernel kernel_of(const char *name)
{
    cl_kernel made = clCreateKernel(program, name, &error);
    OK(error);
    return made;
}

static recording buffer_with(const cl_ulong *properties)
{
    recording made = _clCreateCommandBufferKHR(1, &queue, properties, &error);
    OK(error);
    return made;
}

static cl_kernel add_kernel(int number)
{
    cl_kernel add = kernel_of("add");
    OK(clSetKernelArg(add, 0, sizeof one, &one));
    OK(clSetKernelArg(add, 1, sizeof number, &number));
    return add;
}

static void *launch(recording buffer, cl_kernel kernel, const cl_ulong *properties, const size_t *local)
{
    void *handle = NULL;
    OK(_clCommandNDRangeKernelKHR(buffer, NULL, properties, kernel, 1, NULL, &items, local, 0, NULL, NULL, &handle));
    CHECK(handle != NULL);
    return handle;
}

static cl_int change(recording buffer, struct change wish)
{
    const cl_uint kind = 0;
    const void *wishes[] = {&wish};
    return _clUpdateMutableCommandsKHR(buffer, 1, &kind, wishes);
}

static void clear(void)
{
    OK(clEnqueueFillBuffer(queue, one, &(int){0}, 4, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, two, &(int){0}, 4, 0, BYTES, 0, NULL, NULL));
}

// The values from `first` to `end` are `inside`, the others `outside`.
static void expect_values(cl_mem where, int first, int end, int inside, int outside, int line)
{
    int found[ITEMS] = {0}, wrong = 0;
    OK(clEnqueueReadBuffer(queue, where, CL_TRUE, 0, BYTES, found, 0, NULL, NULL));
    for (int at = 0; at < ITEMS; at++)
        wrong += found[at] != (at >= first && at < end ? inside : outside);
    if (wrong) {
        printf("line %d: %d values are wrong, the first is %d\n", line, wrong, found[0]);
        failures++;
    }
}
#define VALUES(...) expect_values(__VA_ARGS__, __LINE__)

static void all_that_can_be_changed(void)
{
    cl_kernel add = add_kernel(3);
    recording buffer = buffer_with(changeable);
    void *command = launch(buffer, add, NULL, NULL);
    OK(_clCommandCopyBufferKHR(INTO(buffer), one, two, 0, 0, BYTES, ALONE));
    OK(_clFinalizeCommandBufferKHR(buffer));
    clear();
    replay(buffer);
    VALUES(two, 0, ITEMS, 3, 0);

    int five = 5;
    struct argument number = {1, sizeof five, &five}, where = {0, 0, NULL};
    OK(change(buffer, (struct change){.command = command, .num_args = 1, .args = &number}));
    replay(buffer);
    VALUES(two, 0, ITEMS, 8, 0);
    OK(change(buffer, (struct change){.command = command, .work_dim = 1, .global_size = &few}));
    replay(buffer);
    VALUES(two, 0, few, 13, 8);
    OK(change(buffer, (struct change){.command = command, .offset = &few, .local_size = &(size_t){4}}));
    replay(buffer);
    VALUES(one, 0, 2 * few, 13, 8);
    // Shared memory in place of a buffer, and what else may be told; the kernel itself has the arguments it had.
    int *shared = clSVMAlloc(context, 0, BYTES, 0);
    memset(shared, 0, BYTES);
    where.value = shared;
    struct exec_info pointers = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(void *), &shared};
    OK(change(buffer, (struct change){.command = command, .num_svm_args = 1, .svm_args = &where, .num_exec_infos = 1, .exec_infos = &pointers}));
    replay(buffer);
    CHECK(shared[few] == 5 && shared[2 * few - 1] == 5 && shared[0] == 0 && shared[2 * few] == 0);
    clear();
    OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
    VALUES(one, 0, ITEMS, 3, 0);
    // No items at all, and some again.
    OK(change(buffer, (struct change){.command = command, .global_size = &(size_t){0}}));
    replay(buffer);
    CHECK(shared[few] == 5);
    OK(change(buffer, (struct change){.command = command, .global_size = &few}));
    replay(buffer);
    CHECK(shared[few] == 10);
    OK(_clUpdateMutableCommandsKHR(buffer, 0, NULL, NULL));
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseKernel(add));
    clSVMFree(context, shared);
}

// What was enqueued before a change is as it was before it, though it runs later.
static void changes_are_for_what_is_enqueued_after(void)
{
    enum { REPLAYS = 20 };
    cl_kernel add = add_kernel(0);
    recording buffer = buffer_with(changeable);
    void *first = launch(buffer, add, NULL, NULL), *second = launch(buffer, add, NULL, NULL);
    OK(_clFinalizeCommandBufferKHR(buffer));
    OK(clReleaseKernel(add));
    clear();
    cl_event gate = clCreateUserEvent(context, &error);
    int expected = 0;
    for (int number = 0; number < REPLAYS; number++) {
        struct argument low = {1, sizeof number, &number}, high = {1, sizeof(int), &(int){1000 * number}};
        // The later one of two changes of the same launch counts, with what the earlier one changed besides.
        struct change changes[] = {{.command = first, .num_args = 1, .args = &high},
                                   {.command = second, .num_args = 1, .args = &high},
                                   {.command = first, .num_args = 1, .args = &low}};
        const void *all[] = {&changes[0], &changes[1], &changes[2]};
        OK(_clUpdateMutableCommandsKHR(buffer, 3, (cl_uint[3]){0}, all));
        OK(_clEnqueueCommandBufferKHR(0, NULL, buffer, 1, &gate, NULL));
        expected += 1001 * number;
    }
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    VALUES(one, 0, ITEMS, expected, 0);
}

static cl_uint state_of(recording buffer)
{
    cl_uint state = 42;
    OK(_clGetCommandBufferInfoKHR(buffer, INFO_STATE, sizeof state, &state, NULL));
    return state;
}

static void arguments_may_come_later(void)
{
    cl_kernel add = kernel_of("add");
    const cl_ulong later[] = {UPDATABLE_FIELDS, ARGUMENTS, 0};
    int two_numbers[] = {2, 4};
    recording buffer = buffer_with(changeable);
    IS(CL_INVALID_KERNEL_ARGS, _clCommandNDRangeKernelKHR(INTO(buffer), add, 1, NULL, &items, NULL, ALONE));
    void *command = launch(buffer, add, later, NULL), *other = launch(buffer, add, later, NULL);
    OK(_clFinalizeCommandBufferKHR(buffer));
    CHECK(state_of(buffer) == STATE_FINALIZED);
    IS(CL_INVALID_OPERATION, _clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    struct argument both[] = {{0, sizeof one, &one}, {1, sizeof(int), two_numbers}}, rest = {1, sizeof(int), two_numbers + 1};
    OK(change(buffer, (struct change){.command = command, .num_args = 2, .args = both}));
    OK(change(buffer, (struct change){.command = other, .num_args = 1, .args = both}));
    CHECK(state_of(buffer) == STATE_FINALIZED);
    IS(CL_INVALID_OPERATION, _clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    OK(change(buffer, (struct change){.command = other, .num_args = 1, .args = &rest}));
    CHECK(state_of(buffer) == STATE_EXECUTABLE);
    clear();
    replay(buffer);
    VALUES(one, 0, ITEMS, 6, 0);
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(clReleaseKernel(add));
}

static void what_a_handle_says(void)
{
    cl_kernel add = add_kernel(1);
    const cl_ulong properties[] = {UPDATABLE_FIELDS, GLOBAL_SIZE | OFFSET, 0};
    cl_ulong told[4] = {7, 7, 7, 7};
    recording buffer = buffer_with(changeable);
    void *command = NULL, *bare = NULL, *of = NULL;
    size_t size = 42, offset[2] = {4, 8}, global[2] = {16, 2}, local[2] = {4, 1}, three[3] = {9, 9, 9};
    cl_uint number = 0;
    OK(_clCommandNDRangeKernelKHR(buffer, NULL, properties, add, 2, offset, global, local, 0, NULL, NULL, &command));
    OK(_clCommandNDRangeKernelKHR(INTO(buffer), add, 1, NULL, &items, NULL, 0, NULL, NULL, &bare));
#define TOLD(what, name, into) OK(_clGetMutableCommandInfoKHR(what, name, sizeof into, &into, &size))
    TOLD(command, COMMAND_QUEUE, of);
    CHECK(of == (void *)queue);
    TOLD(command, COMMAND_BUFFER, of);
    CHECK(of == buffer);
    TOLD(command, COMMAND_KERNEL, of);
    CHECK(of == (void *)add);
    TOLD(command, COMMAND_TYPE, number);
    CHECK(number == CL_COMMAND_NDRANGE_KERNEL);
    TOLD(command, COMMAND_DIMENSIONS, number);
    CHECK(number == 2 && size == sizeof number);
    TOLD(command, COMMAND_PROPERTIES, told);
    CHECK(size == sizeof properties && memcmp(told, properties, sizeof properties) == 0);
    TOLD(bare, COMMAND_PROPERTIES, told);
    CHECK(size == 0);
    TOLD(command, COMMAND_OFFSET, three);
    CHECK(size == sizeof offset && three[0] == 4 && three[1] == 8 && three[2] == 9);
    TOLD(command, COMMAND_GLOBAL_SIZE, three);
    CHECK(three[0] == 16 && three[1] == 2);
    TOLD(command, COMMAND_LOCAL_SIZE, three);
    CHECK(three[0] == 4 && three[1] == 1);
    TOLD(bare, COMMAND_LOCAL_SIZE, three);
    CHECK(size == sizeof(size_t) && three[0] == 0);
    OK(_clFinalizeCommandBufferKHR(buffer));
    OK(change(buffer, (struct change){.command = command, .offset = local, .global_size = offset}));
    TOLD(command, COMMAND_OFFSET, three);
    CHECK(three[0] == 4 && three[1] == 1);
    TOLD(command, COMMAND_GLOBAL_SIZE, three);
    CHECK(three[0] == 4 && three[1] == 8);
    IS(CL_INVALID_VALUE, _clGetMutableCommandInfoKHR(command, COMMAND_TYPE, 1, &number, NULL));
    IS(CL_INVALID_VALUE, _clGetMutableCommandInfoKHR(command, 0, 0, NULL, &size));
    IS(INVALID_MUTABLE_COMMAND, _clGetMutableCommandInfoKHR(NULL, COMMAND_TYPE, 0, NULL, &size));
    IS(INVALID_MUTABLE_COMMAND, _clGetMutableCommandInfoKHR(buffer, COMMAND_TYPE, 0, NULL, &size));
    OK(_clReleaseCommandBufferKHR(buffer));
    IS(INVALID_MUTABLE_COMMAND, _clGetMutableCommandInfoKHR(command, COMMAND_TYPE, 0, NULL, &size));
    OK(clReleaseKernel(add));
}

static void wrong_properties(void)
{
    cl_kernel add = add_kernel(1);
    const cl_ulong unknown[] = {42, 1, 0}, many[] = {UPDATABLE_FIELDS, 1 << 20, 0}, twice[] = {UPDATABLE_FIELDS, 1, UPDATABLE_FIELDS, 1, 0},
                   asserts[] = {DISPATCH_ASSERTS, 1, 0}, other[] = {DISPATCH_ASSERTS, 2, 0}, with_asserts[] = {FLAGS, MUTABLE, BUFFER_ASSERTS, 1, 0};
    const size_t local = 4;
    recording buffer = buffer_with(changeable), asserting = buffer_with(with_asserts);
#define LAUNCH(expected, into, list, size) IS(expected, _clCommandNDRangeKernelKHR(into, NULL, list, add, 1, NULL, &items, size, ALONE))
    LAUNCH(CL_INVALID_VALUE, buffer, unknown, &local);
    LAUNCH(CL_INVALID_VALUE, buffer, many, &local);
    LAUNCH(CL_INVALID_VALUE, buffer, twice, &local);
    LAUNCH(CL_INVALID_VALUE, buffer, other, &local);
    LAUNCH(CL_INVALID_VALUE, buffer, asserts, NULL);
    LAUNCH(CL_SUCCESS, buffer, asserts, &local);
    LAUNCH(CL_INVALID_VALUE, asserting, NULL, NULL);
    LAUNCH(CL_SUCCESS, asserting, NULL, &local);
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(_clReleaseCommandBufferKHR(asserting));
    OK(clReleaseKernel(add));
}

static void wrong_changes(void)
{
    cl_kernel add = add_kernel(1);
    const cl_ulong nothing[] = {UPDATABLE_FIELDS, 0, 0};
    const size_t local = 4, uneven = 5;
    recording buffer = buffer_with(changeable), other = buffer_with(changeable), fixed = buffer_with(NULL);
    void *command = launch(buffer, add, NULL, &local), *rigid = launch(buffer, add, nothing, &local);
    void *alien = launch(other, add, NULL, NULL), *stiff = launch(fixed, add, NULL, NULL);
    int number = 9;
    struct argument good = {1, sizeof number, &number}, bad = {1, 3, &number}, none = {7, sizeof number, &number};
    struct exec_info odd = {42, 0, NULL};
#define CHANGE(expected, ...) IS(expected, change(buffer, (struct change){__VA_ARGS__}))
    CHANGE(CL_INVALID_OPERATION, .command = command, .global_size = &few);
    OK(_clFinalizeCommandBufferKHR(buffer));
    OK(_clFinalizeCommandBufferKHR(other));
    OK(_clFinalizeCommandBufferKHR(fixed));
    IS(CL_INVALID_OPERATION, change(fixed, (struct change){.command = stiff, .global_size = &few}));
    IS(INVALID_COMMAND_BUFFER, change(NULL, (struct change){.command = command}));
    CHANGE(INVALID_MUTABLE_COMMAND, .command = NULL);
    CHANGE(INVALID_MUTABLE_COMMAND, .command = buffer);
    CHANGE(INVALID_MUTABLE_COMMAND, .command = alien);
    CHANGE(CL_INVALID_OPERATION, .command = command, .work_dim = 2);
    CHANGE(CL_INVALID_OPERATION, .command = rigid, .global_size = &few);
    CHANGE(CL_INVALID_OPERATION, .command = rigid, .local_size = &few);
    CHANGE(CL_INVALID_OPERATION, .command = rigid, .offset = &few);
    CHANGE(CL_INVALID_OPERATION, .command = rigid, .num_args = 1, .args = &good);
    CHANGE(CL_INVALID_OPERATION, .command = rigid, .num_svm_args = 1, .svm_args = &good);
    CHANGE(CL_INVALID_OPERATION, .command = rigid, .num_exec_infos = 1, .exec_infos = &odd);
    CHANGE(CL_INVALID_VALUE, .command = command, .num_args = 1);
    CHANGE(CL_INVALID_VALUE, .command = command, .args = &good);
    CHANGE(CL_INVALID_VALUE, .command = command, .num_svm_args = 1);
    CHANGE(CL_INVALID_VALUE, .command = command, .svm_args = &good);
    CHANGE(CL_INVALID_VALUE, .command = command, .num_exec_infos = 1);
    CHANGE(CL_INVALID_VALUE, .command = command, .exec_infos = &odd);
    CHANGE(CL_INVALID_VALUE, .command = command, .num_exec_infos = 1, .exec_infos = &odd);
    CHANGE(CL_INVALID_ARG_SIZE, .command = command, .num_args = 1, .args = &bad);
    CHANGE(CL_INVALID_ARG_INDEX, .command = command, .num_args = 1, .args = &none);
    CHANGE(CL_INVALID_WORK_GROUP_SIZE, .command = command, .local_size = &(size_t){0});
    CHANGE(CL_INVALID_OPERATION, .command = command, .local_size = &uneven);
    const cl_uint kinds[] = {0, 0}, unknown[] = {0, 1};
    struct change first = {.command = command, .num_args = 1, .args = &good}, second = {.command = rigid, .num_args = 1, .args = &bad};
    const void *both[] = {&first, &second}, *half[] = {&first, NULL};
    IS(CL_INVALID_VALUE, _clUpdateMutableCommandsKHR(buffer, 2, NULL, both));
    IS(CL_INVALID_VALUE, _clUpdateMutableCommandsKHR(buffer, 2, kinds, NULL));
    IS(CL_INVALID_VALUE, _clUpdateMutableCommandsKHR(buffer, 0, kinds, NULL));
    IS(CL_INVALID_VALUE, _clUpdateMutableCommandsKHR(buffer, 0, NULL, both));
    IS(CL_INVALID_VALUE, _clUpdateMutableCommandsKHR(buffer, 2, unknown, both));
    IS(CL_INVALID_VALUE, _clUpdateMutableCommandsKHR(buffer, 2, kinds, half));
    // If one of them is wrong, none is made.
    IS(CL_INVALID_OPERATION, _clUpdateMutableCommandsKHR(buffer, 2, kinds, both));
    clear();
    replay(buffer);
    VALUES(one, 0, ITEMS, 2, 0);
    OK(_clReleaseCommandBufferKHR(buffer));
    OK(_clReleaseCommandBufferKHR(other));
    OK(_clReleaseCommandBufferKHR(fixed));
    OK(clReleaseKernel(add));
}

int main(void)
{
    begin();
    find_functions();
    char names[4096];
    cl_bitfield fields = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_command_buffer_mutable_dispatch") != NULL);
    OK(clGetDeviceInfo(device, MUTABLE_CAPABILITIES, sizeof fields, &fields, NULL));
    CHECK(fields == (OFFSET | GLOBAL_SIZE | LOCAL_SIZE | ARGUMENTS | EXEC_INFO));
    program = build("kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }", "-cl-std=CL3.0");
    one = clCreateBuffer(context, 0, BYTES, NULL, &error);
    two = clCreateBuffer(context, 0, BYTES, NULL, &error);
    all_that_can_be_changed();
    changes_are_for_what_is_enqueued_after();
    arguments_may_come_later();
    what_a_handle_says();
    wrong_properties();
    wrong_changes();
    OK(clReleaseMemObject(one));
    OK(clReleaseMemObject(two));
    OK(clReleaseProgram(program));
    end();
    return verdict();
}
