// Sub-groups: every function, in groups of all shapes, against what the specification says computed here; and every error.
#include "check.h"
#include <limits.h>
#include <math.h>

#define SUB_GROUP_SIZES 0x4108
#define REQUIRED_SUB_GROUP_SIZE 0x410A

static const char *source =
    "#define N(x) if (out) out[at * 64 + which++] = (int)(x);\n"
    "__kernel void places(__global int *out) {\n"
    "    size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n"
    "    int which = 0;\n"
    "    N(get_local_linear_id()) N(get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)))\n"
    "    N(get_sub_group_id()) N(get_sub_group_local_id()) N(get_sub_group_size()) N(get_max_sub_group_size())\n"
    "    N(get_num_sub_groups()) N(get_enqueued_num_sub_groups())\n"
    "    N(get_local_size(0) * get_local_size(1) * get_local_size(2))\n"
    "    N(get_local_id(0)) N(get_local_id(1)) N(get_local_id(2))\n"
    "}\n"
    "#define ALL(T) \\\n"
    "    N(sub_group_reduce_add((T)x)) N(sub_group_reduce_min((T)x)) N(sub_group_reduce_max((T)x)) \\\n"
    "    N(sub_group_scan_inclusive_add((T)x)) N(sub_group_scan_exclusive_add((T)x)) \\\n"
    "    N(sub_group_scan_inclusive_max((T)x)) N(sub_group_scan_inclusive_min((T)x)) \\\n"
    "    N(sub_group_broadcast((T)x, 0)) N(sub_group_shuffle((T)x, (uint)x & 3)) N(sub_group_shuffle_xor((T)x, 1))\n"
    "#define KERNELS(T) \\\n"
    "__kernel void all_##T(__global const int *in, __global int *out) { \\\n"
    "    size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0); \\\n"
    "    int which = 0, x = in[at]; \\\n"
    "    ALL(T) \\\n"
    "    N(sub_group_any(x > 90)) N(sub_group_all(x > 5)) N(sub_group_ballot(x & 1).x) N(sub_group_shuffle_up((T)x, 2)) \\\n"
    "    N(sub_group_shuffle_down((T)x, 3)) N(sub_group_rotate((T)x, 1)) \\\n"
    "    if (x % 3 == 0) { \\\n"
    "        N(sub_group_non_uniform_reduce_add((T)x)) N(sub_group_non_uniform_scan_exclusive_add((T)x)) \\\n"
    "        N(sub_group_non_uniform_reduce_mul((T)1)) N(sub_group_broadcast_first((T)x)) N(sub_group_elect()) \\\n"
    "        N(sub_group_non_uniform_any(x > 50)) N(sub_group_ballot(1).x) N(sub_group_clustered_reduce_max((T)x, 4)) \\\n"
    "    } \\\n"
    "}\n"
    "KERNELS(char) KERNELS(ushort) KERNELS(int) KERNELS(ulong) KERNELS(float) KERNELS(double)\n"
    "__attribute__((intel_reqd_sub_group_size(16))) KERNELS(uint)\n"
    "__attribute__((intel_reqd_sub_group_size(32))) KERNELS(short)\n"
    // Sums by sub-groups, then of their sums, by the first one.
    "__kernel void sum(__global const int *in, __global int *out, __local int *sums) {\n"
    "    int s = sub_group_reduce_add(in[get_global_id(0)]);\n"
    "    if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = s;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_sub_group_id() == 0) {\n"
    "        int t = 0;\n"
    "        for (uint k = get_sub_group_local_id(); k < get_num_sub_groups(); k += get_max_sub_group_size()) t += sums[k];\n"
    "        t = sub_group_reduce_add(t);\n"
    "        if (get_sub_group_local_id() == 0) out[get_group_id(0)] = t;\n"
    "    }\n"
    "}\n"
    // Neighbours by way of local memory.
    "__kernel void neighbours(__global const int *in, __global int *out, __local int *room) {\n"
    "    uint at = get_local_id(0), lane = get_sub_group_local_id(), first = at - lane;\n"
    "    int sum = 0;\n"
    "    for (uint k = 0; k < 5; ++k) {\n"
    "        room[at] = in[get_global_id(0)] * (int)(k + 1);\n"
    "        sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        sum += room[first + (lane + k) % get_sub_group_size()];\n"
    "        sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    out[get_global_id(0)] = sum;\n"
    "}\n";

#define MOST_ITEMS 4096
static int in[MOST_ITEMS], out[MOST_ITEMS * 64], places[MOST_ITEMS * 64];
static cl_mem input, output;

static void run(cl_program program, const char *name, const size_t *global, const size_t *local, size_t room)
{
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    int placed = strcmp(name, "places") == 0;
    cl_uint index = 0;
    if (!placed)
        OK(clSetKernelArg(kernel, index++, sizeof input, &input));
    OK(clSetKernelArg(kernel, index++, sizeof output, &output));
    if (room)
        OK(clSetKernelArg(kernel, index, room, NULL));
    int zero = -77;
    OK(clEnqueueFillBuffer(queue, output, &zero, sizeof zero, 0, sizeof out, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof out, placed ? places : out, 0, NULL, NULL));
    OK(clReleaseKernel(kernel));
}

/* What a value becomes in a type, as an int. */
static long as_type(const char *type, long x)
{
    return strcmp(type, "char") == 0     ? (signed char)x
           : strcmp(type, "ushort") == 0 ? (unsigned short)x
           : strcmp(type, "short") == 0  ? (short)x
                                         : x;
}

/* The items of the group `group` in the order of their linear numbers. */
static int order[MOST_ITEMS], group_items;
static void collect(int group, size_t items)
{
    group_items = 0;
    for (size_t at = 0; at < items; at++)
        if (places[at * 64 + 1] == group) {
            order[places[at * 64]] = (int)at;
            group_items++;
        }
}

static void expect(const char *type, int at, int which, long value)
{
    if (out[at * 64 + which] != (int)value && ++failures < 20)
        printf("%s: item %d, number %d: %d, not %ld\n", type, at, which, out[at * 64 + which], value);
}

/* One sub-group: `count` items from `first` on, of `most`. */
static void check_sub_group(const char *type, const int *first, int count, int most)
{
    long sum = 0, least = 0, largest = 0, sums[32], any = 0, all = 1, bits = 0, thirds = 0, ones = 0, third_any = 0;
    int first_third = -1;
    for (int lane = 0; lane < count; lane++) {
        long x = in[first[lane]];
        sum += x;
        sums[lane] = sum;
        least = lane ? (x < least ? x : least) : x;
        largest = lane ? (x > largest ? x : largest) : x;
        any |= x > 90;
        all &= x > 5;
        bits |= (x & 1) << lane;
        if (x % 3 == 0) {
            first_third = first_third < 0 ? lane : first_third;
            thirds += x;
            ones |= 1l << lane;
            third_any |= x > 50;
        }
    }
    long before = 0, most_yet = 0, least_yet = 0;
    for (int lane = 0; lane < count; lane++) {
        int at = first[lane];
        long x = in[at];
        most_yet = lane && most_yet > x ? most_yet : x;
        least_yet = lane && least_yet < x ? least_yet : x;
        const long fixed[] = {sum, least, largest, sums[lane], sums[lane] - x, most_yet, least_yet, in[first[0]]};
        for (int which = 0; which < 8; which++)
            expect(type, at, which, as_type(type, fixed[which]));
        if ((x & 3) < count)
            expect(type, at, 8, as_type(type, in[first[x & 3]]));
        if ((lane ^ 1) < count)
            expect(type, at, 9, as_type(type, in[first[lane ^ 1]]));
        expect(type, at, 10, any);
        expect(type, at, 11, all);
        expect(type, at, 12, bits);
        if (lane >= 2)
            expect(type, at, 13, as_type(type, in[first[lane - 2]]));
        if (lane + 3 < count)
            expect(type, at, 14, as_type(type, in[first[lane + 3]]));
        if (count == most)
            expect(type, at, 15, as_type(type, in[first[(lane + 1) % most]]));
        if (x % 3)
            continue;
        long cluster = LONG_MIN;
        for (int other = lane & ~3; other < (lane & ~3) + 4 && other < count; other++)
            if (in[first[other]] % 3 == 0 && in[first[other]] > cluster)
                cluster = in[first[other]];
        const long parted[] = {thirds, before, 1, in[first[first_third]], lane == first_third, third_any, ones, cluster};
        for (int which = 0; which < 8; which++)
            expect(type, at, 16 + which, which == 4 || which == 5 || which == 6 ? parted[which] : as_type(type, parted[which]));
        before += x;
    }
}

static void check_shape(cl_program program, const size_t *global, const size_t *local)
{
    static const char *types[] = {"char", "ushort", "int", "ulong", "float", "double", "uint", "short"};
    size_t items = global[0] * global[1] * global[2];
    run(program, "places", global, local, 0);
    int groups = 0, usual = places[5];
    for (size_t at = 0; at < items; at++) {
        const int *of = places + at * 64;
        groups = of[1] >= groups ? of[1] + 1 : groups;
        int full = of[8] / usual * usual;
        CHECK(of[5] == usual && of[2] == of[0] / usual && of[3] == of[0] % usual);
        CHECK(of[4] == (of[0] < full ? usual : of[8] - full));
        CHECK(of[6] == (of[8] + usual - 1) / usual);
        CHECK(of[7] == (int)(local[0] * local[1] * local[2] + usual - 1) / usual);
    }
    for (int type = 0; type < 8; type++) {
        char name[16];
        snprintf(name, sizeof name, "all_%s", types[type]);
        run(program, name, global, local, 0);
        int most = type == 6 ? 16 : type == 7 ? 32 : usual;
        for (int group = 0; group < groups; group++) {
            collect(group, items);
            for (int first = 0; first < group_items; first += most)
                check_sub_group(types[type], order + first, group_items - first < most ? group_items - first : most, most);
        }
    }
}

static void check_memory(cl_program program)
{
    const size_t global[] = {1000, 1, 1}, local[] = {200, 1, 1};
    run(program, "sum", global, local, 200 * sizeof(int));
    for (int group = 0; group < 5; group++) {
        int sum = 0;
        for (int item = 0; item < 200; item++)
            sum += in[group * 200 + item];
        CHECK(out[group] == sum);
    }
    run(program, "places", global, local, 0);
    run(program, "neighbours", global, local, 200 * sizeof(int));
    for (int at = 0; at < 1000; at++) {
        int lane = places[at * 64 + 3], count = places[at * 64 + 4], sum = 0;
        for (int k = 0; k < 5; k++)
            sum += in[at - lane + (lane + k) % count] * (k + 1);
        CHECK(out[at] == sum);
    }
}

static void check_questions(cl_program program)
{
    cl_kernel kernel = clCreateKernel(program, "all_uint", &error);
    OK(error);
    size_t local[] = {5, 7, 1}, number = 0, sizes[3] = {9, 9, 9}, bytes = 0;
#define ASK(name, input_size, input, size, value) clGetKernelSubGroupInfo(kernel, device, name, input_size, input, size, value, &bytes)
    OK(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, local, sizeof number, &number));
    CHECK(number == 16 && bytes == sizeof number);
    OK(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, local, sizeof number, &number));
    CHECK(number == 3);
    number = 4;
    OK(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof number, &number, sizeof sizes, sizes));
    CHECK(sizes[0] == 64 && sizes[1] == 1 && sizes[2] == 1);
    number = 1 << 20;
    OK(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof number, &number, sizeof sizes, sizes));
    CHECK(sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0);
    OK(ASK(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof number, &number));
    CHECK(number > 0 && number <= MOST_ITEMS / 16);
    OK(ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof number, &number));
    CHECK(number == 0);
    OK(ASK(REQUIRED_SUB_GROUP_SIZE, 0, NULL, sizeof number, &number));
    CHECK(number == 16);
    IS(CL_INVALID_VALUE, ASK(0x1234, 0, NULL, sizeof number, &number));
    IS(CL_INVALID_VALUE, ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0, NULL, sizeof number, &number));
    IS(CL_INVALID_VALUE, ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 3, local, sizeof number, &number));
    IS(CL_INVALID_VALUE, ASK(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1, &number));
    IS(CL_INVALID_KERNEL, clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof number, &number, NULL));
    OK(clReleaseKernel(kernel));
    cl_uint most = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
    CHECK(most > 0);
    OK(clGetDeviceInfo(device, SUB_GROUP_SIZES, sizeof sizes, sizes, &bytes));
    CHECK(bytes == sizeof sizes && sizes[0] == 8 && sizes[1] == 16 && sizes[2] == 32);
}

/* A size that is not offered is an error of the program. */
static void check_refusal(void)
{
    const char *odd = "__attribute__((intel_reqd_sub_group_size(24))) __kernel void k(__global int *a) { a[0] = sub_group_any(1); }";
    cl_program program = clCreateProgramWithSource(context, 1, &odd, NULL, &error);
    OK(error);
    IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    char log[4096] = "";
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "kernel 'k': sub-groups of 24 items; there are some of 8, 16 and 32"));
    OK(clReleaseProgram(program));
}

int main(void)
{
    begin();
    for (int at = 0; at < MOST_ITEMS; at++)
        in[at] = at * 37 % 101;
    input = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
    OK(error);
    output = clCreateBuffer(context, 0, sizeof out, NULL, &error);
    OK(error);
    cl_program program = build(source, "-cl-std=CL3.0");
    static const size_t shapes[][6] = {
        {64, 1, 1, 64, 1, 1}, {60, 1, 1, 20, 1, 1}, {100, 1, 1, 64, 1, 1}, {7, 1, 1, 7, 1, 1},   {8, 8, 1, 8, 8, 1},
        {16, 6, 2, 8, 3, 2},  {15, 6, 1, 5, 3, 1},  {18, 10, 1, 8, 4, 1}, {3, 5, 7, 3, 5, 7}, {1, 64, 1, 1, 32, 1},
    };
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
        check_shape(program, shapes[shape], shapes[shape] + 3);
    check_memory(program);
    check_questions(program);
    check_refusal();
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(input));
    OK(clReleaseMemObject(output));
    end();
    return verdict();
}
