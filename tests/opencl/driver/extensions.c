// Extensions: what the device says of them, and what they do.
#include "check.h"

#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES 0x4233

static char names[4096];

static cl_version version_of(const char *name)
{
    static cl_name_version all[64];
    size_t bytes = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof all, all, &bytes));
    for (size_t at = 0; at < bytes / sizeof all[0]; at++)
        if (strcmp(all[at].name, name) == 0)
            return all[at].version;
    return 0;
}

static void lists(void)
{
    static const char *const expected[] = {
        "cl_ext_float_atomics", "cl_khr_3d_image_writes", "cl_khr_create_command_queue", "cl_khr_depth_images", "cl_khr_device_uuid", "cl_khr_extended_bit_ops",
        "cl_khr_image2d_from_buffer", "cl_khr_priority_hints", "cl_khr_suggested_local_work_size", "cl_khr_throttle_hints",
    };
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    for (size_t at = 0; at < sizeof expected / sizeof expected[0]; at++) {
        CHECK(strstr(names, expected[at]) != NULL);
        CHECK(version_of(expected[at]) == CL_MAKE_VERSION(1, 0, 0));
    }
    CHECK(version_of("cl_khr_integer_dot_product") == CL_MAKE_VERSION(2, 0, 0));
}

static void numbers(void)
{
    unsigned char device_number[17], driver_number[16], again[16], luid[8];
    cl_bool is_valid = 42;
    cl_uint mask = 42;
    size_t size = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof device_number, device_number, &size));
    CHECK(size == CL_UUID_SIZE_KHR);
    OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof again, again, NULL));
    CHECK(memcmp(device_number, again, 16) == 0);
    IS(CL_INVALID_VALUE, clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, 15, again, NULL));
    OK(clGetDeviceInfo(device, CL_DRIVER_UUID_KHR, sizeof driver_number, driver_number, &size));
    CHECK(size == CL_UUID_SIZE_KHR && memcmp(device_number, driver_number, 16) != 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_LUID_VALID_KHR, sizeof is_valid, &is_valid, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_LUID_KHR, sizeof luid, luid, &size));
    OK(clGetDeviceInfo(device, CL_DEVICE_NODE_MASK_KHR, sizeof mask, &mask, NULL));
    CHECK(is_valid == CL_FALSE && size == CL_LUID_SIZE_KHR && mask == 0);

    cl_bitfield capabilities = 42;
    OK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES, 8, &capabilities, NULL));
    CHECK(capabilities == 0x70007);
    OK(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES, 8, &capabilities, NULL));
    CHECK(capabilities == 0x70007);
    OK(clGetDeviceInfo(device, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES, 8, &capabilities, NULL));
    CHECK(capabilities == 0);
    cl_bool fast[6];
    OK(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, 8, &capabilities, NULL));
    CHECK(capabilities == 3);
    OK(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, sizeof fast, fast, &size));
    CHECK(size == sizeof fast);
    OK(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR, sizeof fast, fast,
                       &size));
    CHECK(size == sizeof fast);
}

typedef cl_command_queue(CL_API_CALL *create_queue)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);

static void queues(void)
{
    create_queue create = (create_queue)clGetExtensionFunctionAddressForPlatform(
        platform, "clCreateCommandQueueWithPropertiesKHR");
    CHECK(create != NULL);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0, 0, 0}, told[8];
    static const cl_queue_properties hints[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};
    for (int hint = 0; hint < 2; hint++) {
        list[2] = hints[hint];
        for (cl_queue_properties value = 0; value <= 5; value++) {
            list[3] = value;
            cl_command_queue one = create(context, device, list, &error);
            if (value != 1 && value != 2 && value != 4) {
                CHECK(one == NULL);
                IS(CL_INVALID_VALUE, error);
                continue;
            }
            OK(error);
            size_t size = 0;
            OK(clGetCommandQueueInfo(one, CL_QUEUE_PROPERTIES_ARRAY, sizeof told, told, &size));
            CHECK(size == sizeof list && memcmp(told, list, size) == 0);
            cl_command_queue_properties bits = 0;
            OK(clGetCommandQueueInfo(one, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL));
            CHECK(bits == CL_QUEUE_PROFILING_ENABLE);
            OK(clReleaseCommandQueue(one));
        }
    }
    list[2] = 0x1234;
    CHECK(create(context, device, list, &error) == NULL);
    IS(CL_INVALID_VALUE, error);
    CHECK(create(NULL, device, NULL, &error) == NULL);
    IS(CL_INVALID_CONTEXT, error);
}

typedef cl_int(CL_API_CALL *suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);

static void sizes(void)
{
    suggest ask =
        (suggest)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    CHECK(ask != NULL);
    const char *code = "kernel void f(global uint *size, local int *l) {\n"
                       "    if (get_global_id(0) == get_global_offset(0))\n"
                       "        for (int d = 0; d < 3; d++) size[d] = get_enqueued_local_size(d);\n"
                       "}\n"
                       "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void g() {}\n";
    cl_program program = build(code, "-cl-std=CL3.0");
    cl_kernel f = clCreateKernel(program, "f", &error), g = clCreateKernel(program, "g", &error);
    OK(error);
    size_t found[3] = {7, 7, 7}, offset[3] = {5, 0, 1}, global[3] = {8, 4, 2}, none[3] = {8, 0, 2};
    size_t huge[3] = {SIZE_MAX, 2, 2};
    IS(CL_INVALID_KERNEL_ARGS, ask(queue, f, 1, NULL, global, found));
    cl_mem memory = clCreateBuffer(context, 0, 64, NULL, &error);
    OK(error);
    OK(clSetKernelArg(f, 0, sizeof memory, &memory));
    OK(clSetKernelArg(f, 1, 64, NULL));
    IS(CL_INVALID_COMMAND_QUEUE, ask((cl_command_queue)f, f, 1, NULL, global, found));
    IS(CL_INVALID_KERNEL, ask(queue, NULL, 1, NULL, global, found));
    IS(CL_INVALID_KERNEL, ask(queue, (cl_kernel)queue, 1, NULL, global, found));
    IS(CL_INVALID_WORK_DIMENSION, ask(queue, f, 0, NULL, global, found));
    IS(CL_INVALID_WORK_DIMENSION, ask(queue, f, 4, NULL, global, found));
    IS(CL_INVALID_GLOBAL_WORK_SIZE, ask(queue, f, 2, NULL, NULL, found));
    IS(CL_INVALID_GLOBAL_WORK_SIZE, ask(queue, f, 3, NULL, none, found));
    IS(CL_INVALID_GLOBAL_WORK_SIZE, ask(queue, f, 3, NULL, huge, found));
    IS(CL_INVALID_GLOBAL_OFFSET, ask(queue, f, 2, huge, global, found));
    IS(CL_INVALID_VALUE, ask(queue, f, 2, NULL, global, NULL));
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue stranger = clCreateCommandQueueWithProperties(other, device, NULL, &error);
    IS(CL_INVALID_CONTEXT, ask(stranger, f, 1, NULL, global, found));
    OK(clReleaseCommandQueue(stranger));
    OK(clReleaseContext(other));
    CHECK(found[0] == 7 && found[1] == 7 && found[2] == 7);
    OK(ask(queue, g, 2, NULL, global, found));
    CHECK(found[0] == 4 && found[1] == 2 && found[2] == 7);
    static const size_t lengths[] = {1, 3, 16, 113, 640, 4099};
    for (int at = 0; at < 6 * 6; at++) {
        cl_uint seen[3];
        global[0] = lengths[at % 6];
        global[1] = lengths[at / 6];
        OK(ask(queue, f, 3, offset, global, found));
        OK(clEnqueueNDRangeKernel(queue, f, 3, offset, global, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
        CHECK(seen[0] == found[0] && seen[1] == found[1] && seen[2] == found[2]);
    }
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(f));
    OK(clReleaseKernel(g));
    OK(clReleaseProgram(program));
}

static cl_kernel kernel_of(const char *code, const char *options)
{
    cl_program program = build(code, options);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    OK(clReleaseProgram(program));
    return kernel;
}

// Runs it on so many items, with shared memory.
static void run(cl_kernel kernel, size_t items, void *a, void *b)
{
    OK(clSetKernelArgSVMPointer(kernel, 0, a));
    OK(clSetKernelArgSVMPointer(kernel, 1, b));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(kernel));
}

static cl_ulong field(cl_ulong count) { return count >= 64 ? ~(cl_ulong)0 : ((cl_ulong)1 << count) - 1; }

enum { VALUES = 8 };
static const cl_ulong values[VALUES] = {
    0, ~(cl_ulong)0, 1, 0x8000000080008080, 0x7fffffff7fff7f7f, 0x0123456789abcdef, 0x96a55a69f00f3cc3, 0x5555555555555555,
};

// Each item has an offset and a count, and goes through all pairs of values.
static void bits(const char *type, const char *unsigned_type, cl_uint width, const char *options)
{
    static cl_ulong results[65 * 65][VALUES][4];
    static char code[2048];
    snprintf(code, sizeof code,
             "#define T %s\n"
             "#define U %s\n"
             "#define SAME(x) ((ulong)(U)(x))\n"
             "kernel void f(constant ulong *v, global ulong *r) {\n"
             "    uint offset = get_global_id(0) / %u, count = get_global_id(0) %% %u;\n"
             "    if (offset + count > %u) return;\n"
             "    r += get_global_id(0) * 4 * %u;\n"
             "    for (int at = 0; at < %u; at++, r += 4) {\n"
             "        T base = (T)v[at], other = (T)v[(at + 3) %% %u];\n"
             "        r[0] = SAME(bitfield_insert(base, other, offset, count));\n"
             "        r[1] = (ulong)(long)bitfield_extract_signed(base, offset, count);\n"
             "        r[2] = bitfield_extract_unsigned(base, offset, count);\n"
             "        r[3] = SAME(bit_reverse(base));\n"
             "    }\n"
             "}\n",
             type, unsigned_type, width + 1, width + 1, width, VALUES, VALUES, VALUES);
    run(kernel_of(code, options), (width + 1) * (width + 1), (void *)values, results);
    cl_ulong all = field(width);
    for (cl_uint item = 0; item < (width + 1) * (width + 1); item++) {
        cl_uint offset = item / (width + 1), count = item % (width + 1);
        if (offset + count > width)
            continue;
        for (int at = 0; at < VALUES; at++) {
            cl_ulong base = values[at] & all, other = values[(at + 3) % VALUES] & all, *result = results[item][at];
            cl_ulong mask = count == 0 ? 0 : field(count) << offset, reversed = 0;
            cl_ulong small = count == 0 ? 0 : base >> offset & field(count);
            int is_negative = count > 0 && small >> (count - 1) & 1;
            for (cl_uint bit = 0; bit < width; bit++)
                reversed |= (base >> bit & 1) << (width - 1 - bit);
            CHECK(result[0] == ((base & ~mask) | (count == 0 ? 0 : other << offset & mask)));
            CHECK(result[1] == (is_negative ? small | ~field(count) : small));
            CHECK(result[2] == small);
            CHECK(result[3] == reversed);
        }
    }
}

static void all_bits(void)
{
    bits("char", "uchar", 8, "");
    bits("uchar", "uchar", 8, "-cl-std=CL3.0");
    bits("short", "ushort", 16, "-cl-std=CL3.0");
    bits("ushort", "ushort", 16, "");
    bits("int", "uint", 32, "-cl-std=CL2.0");
    bits("uint", "uint", 32, "-cl-std=CL3.0");
    bits("long", "ulong", 64, "");
    bits("ulong", "ulong", 64, "-cl-std=CL3.0");
    // Vectors are their elements.
    cl_ulong given[4] = {values[5], values[6], values[3], values[4]};
    cl_int same[4 * 4] = {0};
    run(kernel_of("kernel void f(global uchar8 *v, global int *r) {\n"
                  "    uchar8 a = v[get_global_id(0)], b = v[(get_global_id(0) + 1) % 4];\n"
                  "    uchar8 in = bitfield_insert(a, b, 3, 4), back = bit_reverse(a), u = bitfield_extract_unsigned(a, 2, 5);\n"
                  "    char8 s = bitfield_extract_signed(a, 2, 5);\n"
                  "    r += 4 * get_global_id(0);\n"
                  "    r[0] = in.s5 == bitfield_insert(a.s5, b.s5, 3, 4) && in.s2 == bitfield_insert(a.s2, b.s2, 3, 4);\n"
                  "    r[1] = back.s7 == bit_reverse(a.s7) && back.s0 == bit_reverse(a.s0);\n"
                  "    r[2] = u.s1 == bitfield_extract_unsigned(a.s1, 2, 5) && u.s6 == bitfield_extract_unsigned(a.s6, 2, 5);\n"
                  "    r[3] = s.s1 == bitfield_extract_signed(a.s1, 2, 5) && s.s6 == bitfield_extract_signed(a.s6, 2, 5);\n"
                  "}\n", "-cl-std=CL3.0"),
        4, given, same);
    for (int at = 0; at < 16; at++)
        CHECK(same[at] == 1);
}

static cl_long saturated(cl_long sum, cl_long least, cl_long most)
{
    return sum < least ? least : sum > most ? most : sum;
}

static cl_uint next(void)
{
    static cl_ulong state = 42;
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 32;
}

static void dots(const char *options)
{
    enum { ITEMS = 1000 };
    static struct { cl_uint a, b, sum; } in[ITEMS];
    static cl_uint out[ITEMS][16];
    for (int at = 0; at < ITEMS; at++) {
        in[at].a = at == 0 ? 0x80808080 : at == 1 ? 0xffffffff : next();
        in[at].b = at == 0 ? 0x80808080 : at == 1 ? 0xffffffff : next();
        in[at].sum = at % 4 == 0 ? 0x7fffffff : at % 4 == 1 ? 0x80000000 : at % 4 == 2 ? 0xffffffff : next();
    }
    run(kernel_of("kernel void f(global uint *in, global uint *out) {\n"
                  "    uint a = in[3 * get_global_id(0)], b = in[3 * get_global_id(0) + 1], sum = in[3 * get_global_id(0) + 2];\n"
                  "    out += 16 * get_global_id(0);\n"
                  "    out[0] = dot(as_uchar4(a), as_uchar4(b));\n"
                  "    out[1] = dot(as_char4(a), as_char4(b));\n"
                  "    out[2] = dot(as_uchar4(a), as_char4(b));\n"
                  "    out[3] = dot(as_char4(a), as_uchar4(b));\n"
                  "    out[4] = dot_acc_sat(as_uchar4(a), as_uchar4(b), sum);\n"
                  "    out[5] = dot_acc_sat(as_char4(a), as_char4(b), (int)sum);\n"
                  "    out[6] = dot_acc_sat(as_uchar4(a), as_char4(b), (int)sum);\n"
                  "    out[7] = dot_acc_sat(as_char4(a), as_uchar4(b), (int)sum);\n"
                  "    out[8] = dot_4x8packed_uu_uint(a, b);\n"
                  "    out[9] = dot_4x8packed_ss_int(a, b);\n"
                  "    out[10] = dot_4x8packed_us_int(a, b);\n"
                  "    out[11] = dot_4x8packed_su_int(a, b);\n"
                  "    out[12] = dot_acc_sat_4x8packed_uu_uint(a, b, sum);\n"
                  "    out[13] = dot_acc_sat_4x8packed_ss_int(a, b, sum);\n"
                  "    out[14] = dot_acc_sat_4x8packed_us_int(a, b, sum);\n"
                  "    out[15] = dot_acc_sat_4x8packed_su_int(a, b, sum);\n"
                  "}\n", options),
        ITEMS, in, out);
    for (int at = 0; at < ITEMS; at++) {
        cl_long sums[4] = {0};
        for (int byte = 0; byte < 4; byte++) {
            unsigned char a = in[at].a >> 8 * byte, b = in[at].b >> 8 * byte;
            sums[0] += a * b;
            sums[1] += (signed char)a * (signed char)b;
            sums[2] += a * (signed char)b;
            sums[3] += (signed char)a * b;
        }
        for (int kind = 0; kind < 4; kind++) {
            cl_long sum = kind == 0 ? saturated(sums[0] + in[at].sum, 0, CL_UINT_MAX)
                                    : saturated(sums[kind] + (cl_int)in[at].sum, CL_INT_MIN, CL_INT_MAX);
            CHECK(out[at][kind] == (cl_uint)sums[kind] && out[at][8 + kind] == (cl_uint)sums[kind]);
            CHECK(out[at][4 + kind] == (cl_uint)sum && out[at][12 + kind] == (cl_uint)sum);
        }
    }
}

// Sums, least and greatest of what all items bring, in global and local memory, by functions of each space.
static void atomics(void)
{
    struct { cl_float f[3]; cl_float g[3]; cl_double d[3]; cl_float old; } at = {
        {0, 1000, -1000}, {0, 1000, -1000}, {0, 1000, -1000}, 0,
    };
    cl_int unused = 0;
    run(kernel_of("kernel void f(global atomic_float *x, global int *unused) {\n"
                  "    local atomic_float l[3];\n"
                  "    global atomic_double *d = (global atomic_double *)(x + 6);\n"
                  "    atomic_float *any = (atomic_float *)(x + 3);\n"
                  "    int i = get_global_id(0);\n"
                  "    if (get_local_id(0) == 0) { atomic_init(l, 0.0f); atomic_init(l + 1, 1000.0f); atomic_init(l + 2, -1000.0f); }\n"
                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                  "    atomic_fetch_add(l, 2.0f); atomic_fetch_sub(l, 1.0f);\n"
                  "    atomic_fetch_min(l + 1, i * 0.5f); atomic_fetch_max(l + 2, i * 0.5f);\n"
                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                  "    if (get_local_id(0) == 0) {\n"
                  "        atomic_fetch_add_explicit(x, atomic_load(l), memory_order_relaxed);\n"
                  "        atomic_fetch_min_explicit(x + 1, atomic_load(l + 1), memory_order_acq_rel, memory_scope_device);\n"
                  "        atomic_fetch_max(x + 2, atomic_load(l + 2));\n"
                  "        atomic_fetch_add(any, atomic_load(l));\n"
                  "        atomic_fetch_min(any + 1, atomic_load(l + 1));\n"
                  "        atomic_fetch_max(any + 2, atomic_load(l + 2));\n"
                  "    }\n"
                  "    atomic_fetch_add(d, 0.25); atomic_fetch_min(d + 1, -i * 2.0); atomic_fetch_max(d + 2, i * 3.0);\n"
                  "}\n", "-cl-std=CL3.0"),
        1024, &at, &unused);
    CHECK(at.f[0] == 1024 && at.f[1] == 0 && at.f[2] == 511.5f);
    CHECK(at.g[0] == 1024 && at.g[1] == 0 && at.g[2] == 511.5f);
    CHECK(at.d[0] == 256 && at.d[1] == -2046 && at.d[2] == 3069);
}

// A kernel sees the macros of what is offered, in every language, and no others.
static void macros(void)
{
    static const char *const standards[] = {"-cl-std=CL1.0", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};
    for (int at = 0; at < 4; at++)
        OK(clReleaseProgram(build(
            "#if !defined cl_khr_extended_bit_ops || !defined cl_khr_integer_dot_product || !defined cl_khr_fp64\n"
            "#error there are\n"
            "#endif\n"
            "#if __OPENCL_C_VERSION__ >= 200 && !(defined cl_ext_float_atomics && defined __opencl_c_ext_fp32_global_atomic_add)\n"
            "#error there are\n"
            "#endif\n"
            "#if defined cl_khr_subgroup_named_barrier || defined cl_khr_kernel_clock\n"
            "#error there are not\n"
            "#endif\n"
            "kernel void f() {}\n",
            standards[at])));
}

int main(void)
{
    begin();
    lists();
    numbers();
    queues();
    sizes();
    all_bits();
    dots("-cl-std=CL3.0");
    dots("");
    atomics();
    macros();
    end();
    return verdict();
}
