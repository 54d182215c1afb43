// Programs in SPIR-V: made, specialized, built, linked, refused; and without anybody who reads it.
#include "check.h"

/* kernel void f(global int *x) { int m = max(x[i], LEAST); x[i] = TWICE ? m + m : m; }, i the global id; in the module:
     OpDecorate %least SpecId 7
     OpDecorate %twice SpecId 8
     %least = OpSpecConstant %uint 42
     %twice = OpSpecConstantTrue %bool
     %more = OpExtInst %uint %1 s_max %old %least
     %both = OpIAdd %uint %more %more
     %new = OpSelect %uint %twice %both %more
     OpStore %at %new Aligned 4
*/
static const cl_uint module[] = {
    0x07230203, 0x00010200, 0x00070000, 0x00000018, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000005, 0x00020011, 0x00000006, 0x00020011, 0x0000000b, 0x0005000b, 0x00000001, 0x6e65704f,
    0x732e4c43, 0x00006474, 0x0003000e, 0x00000002, 0x00000002, 0x0005000f, 0x00000006, 0x00000002,
    0x00000066, 0x00000003, 0x00030003, 0x00000003, 0x00018e70, 0x00040047, 0x00000003, 0x0000000b,
    0x0000001c, 0x00030047, 0x00000003, 0x00000016, 0x00040047, 0x00000004, 0x00000001, 0x00000007,
    0x00040047, 0x00000005, 0x00000001, 0x00000008, 0x00040015, 0x00000006, 0x00000020, 0x00000000,
    0x00040015, 0x00000007, 0x00000040, 0x00000000, 0x00020014, 0x00000008, 0x00040017, 0x00000009,
    0x00000007, 0x00000003, 0x00040020, 0x0000000a, 0x00000001, 0x00000009, 0x00020013, 0x0000000b,
    0x00040020, 0x0000000c, 0x00000005, 0x00000006, 0x00040021, 0x0000000d, 0x0000000b, 0x0000000c,
    0x00040032, 0x00000006, 0x00000004, 0x0000002a, 0x00030030, 0x00000008, 0x00000005, 0x0004002b,
    0x00000006, 0x0000000e, 0x00000001, 0x0004003b, 0x0000000a, 0x00000003, 0x00000001, 0x00050036,
    0x0000000b, 0x00000002, 0x00000000, 0x0000000d, 0x00030037, 0x0000000c, 0x0000000f, 0x000200f8,
    0x00000010, 0x0006003d, 0x00000009, 0x00000011, 0x00000003, 0x00000002, 0x00000020, 0x00050051,
    0x00000007, 0x00000012, 0x00000011, 0x00000000, 0x00050046, 0x0000000c, 0x00000013, 0x0000000f,
    0x00000012, 0x0006003d, 0x00000006, 0x00000014, 0x00000013, 0x00000002, 0x00000004, 0x0007000c,
    0x00000006, 0x00000015, 0x00000001, 0x0000009c, 0x00000014, 0x00000004, 0x00050080, 0x00000006,
    0x00000016, 0x00000015, 0x00000015, 0x000600a9, 0x00000006, 0x00000017, 0x00000005, 0x00000016,
    0x00000015, 0x0005003e, 0x00000013, 0x00000017, 0x00000002, 0x00000004, 0x000100fd, 0x00010038,
};

/* The same with `%zero = OpConstantNull %uint` and, before the store, `OpExpectKHR %uint %new %zero` (cl_khr_expect_assume). */
static const cl_uint module_that_expects[] = {
    0x07230203, 0x00010200, 0x00070000, 0x0000001e, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000005, 0x00020011, 0x00000006, 0x00020011, 0x0000000b, 0x00020011, 0x000015fd, 0x0007000a,
    0x5f565053, 0x5f52484b, 0x65707865, 0x615f7463, 0x6d757373, 0x00000065, 0x0005000b, 0x00000001,
    0x6e65704f, 0x732e4c43, 0x00006474, 0x0003000e, 0x00000002, 0x00000002, 0x0005000f, 0x00000006,
    0x00000002, 0x00000066, 0x00000003, 0x00030003, 0x00000003, 0x00018e70, 0x00040047, 0x00000003,
    0x0000000b, 0x0000001c, 0x00030047, 0x00000003, 0x00000016, 0x00040047, 0x00000004, 0x00000001,
    0x00000007, 0x00040047, 0x00000005, 0x00000001, 0x00000008, 0x00040015, 0x00000006, 0x00000020,
    0x00000000, 0x00040015, 0x00000007, 0x00000040, 0x00000000, 0x00040032, 0x00000006, 0x00000004,
    0x0000002a, 0x0004002b, 0x00000006, 0x0000000e, 0x00000001, 0x0003002e, 0x00000006, 0x00000018,
    0x00020014, 0x00000008, 0x00040017, 0x00000009, 0x00000007, 0x00000003, 0x00040020, 0x0000000a,
    0x00000001, 0x00000009, 0x00020013, 0x0000000b, 0x00040020, 0x0000000c, 0x00000005, 0x00000006,
    0x00040021, 0x0000000d, 0x0000000b, 0x0000000c, 0x0004003b, 0x0000000a, 0x00000003, 0x00000001,
    0x00030030, 0x00000008, 0x00000005, 0x00050036, 0x0000000b, 0x00000002, 0x00000000, 0x0000000d,
    0x00030037, 0x0000000c, 0x0000000f, 0x000200f8, 0x00000010, 0x0006003d, 0x00000009, 0x00000011,
    0x00000003, 0x00000002, 0x00000020, 0x00050051, 0x00000007, 0x00000012, 0x00000011, 0x00000000,
    0x00050046, 0x0000000c, 0x00000013, 0x0000000f, 0x00000012, 0x0006003d, 0x00000006, 0x00000014,
    0x00000013, 0x00000002, 0x00000004, 0x0007000c, 0x00000006, 0x00000015, 0x00000001, 0x0000009c,
    0x00000014, 0x00000004, 0x00050080, 0x00000006, 0x00000016, 0x00000015, 0x00000015, 0x000600a9,
    0x00000006, 0x00000017, 0x00000005, 0x00000016, 0x00000015, 0x000515ff, 0x00000006, 0x00000019,
    0x00000017, 0x00000018, 0x0005003e, 0x00000013, 0x00000019, 0x00000002, 0x00000004, 0x000100fd,
    0x00010038,
};

static char text[8192];

static cl_program program_of(const void *il, size_t size)
{
    cl_program program = clCreateProgramWithIL(context, il, size, &error);
    OK(error);
    return program;
}

static void expect(cl_program program, int first, int second)
{
    int values[2] = {5, 100};
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    OK(clSetKernelArgSVMPointer(kernel, 0, values));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){2}, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    CHECK(values[0] == first && values[1] == second);
    OK(clReleaseKernel(kernel));
}

static void without_reader(void)
{
    size_t size = 42;
    cl_uint value = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &size));
    CHECK(size == 0);
    CHECK(clCreateProgramWithIL(context, module, sizeof module, &error) == NULL);
    IS(CL_INVALID_OPERATION, error);
    cl_program program = build("kernel void f() {}", "");
    IS(CL_INVALID_OPERATION, clSetProgramSpecializationConstant(program, 7, sizeof value, &value));
    OK(clReleaseProgram(program));
}

static void refused(void)
{
    CHECK(clCreateProgramWithIL(NULL, module, sizeof module, &error) == NULL);
    IS(CL_INVALID_CONTEXT, error);
    CHECK(clCreateProgramWithIL(context, NULL, sizeof module, &error) == NULL);
    IS(CL_INVALID_VALUE, error);
    CHECK(clCreateProgramWithIL(context, module, 0, &error) == NULL);
    IS(CL_INVALID_VALUE, error);
    CHECK(clCreateProgramWithIL(context, module, sizeof module - 2, &error) == NULL);
    IS(CL_INVALID_VALUE, error);
    CHECK(clCreateProgramWithIL(context, text, sizeof text, &error) == NULL);
    IS(CL_INVALID_VALUE, error);
    // Well-formed words that mean nothing are a failed build with a log, also where the reader crashes.
    for (size_t at = 5; at < sizeof module / sizeof module[0]; at += 7) {
        cl_uint damaged[sizeof module / sizeof module[0]];
        memcpy(damaged, module, sizeof module);
        damaged[at] ^= 0x1;
        cl_program program = clCreateProgramWithIL(context, damaged, sizeof damaged, &error);
        if (program == NULL) {
            IS(CL_INVALID_VALUE, error);
            continue;
        }
        text[0] = 0;
        cl_int built = clBuildProgram(program, 0, NULL, "", NULL, NULL);
        OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
        CHECK(built == CL_SUCCESS || (built == CL_BUILD_PROGRAM_FAILURE && strstr(text, "error: ") != NULL));
        CHECK(strstr(text, "Stack dump") == NULL && strstr(text, "/tmp/") == NULL);
        OK(clReleaseProgram(program));
    }
}

int main(void)
{
    begin();
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL));
    static char names[4096];
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK((text[0] != 0) == (strstr(names, "cl_khr_il_program") != NULL));
    if (text[0] == 0) {
        without_reader();
        end();
        puts("nobody reads it");
        return verdict();
    }
    CHECK(strcmp(text, "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3") == 0);
    cl_program program = program_of(module, sizeof module);
    size_t size = 0;
    cl_uint value = 7, il[sizeof module / sizeof module[0]];
    cl_ulong wide = 7;
    OK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof il, il, &size));
    CHECK(size == sizeof module && memcmp(il, module, size) == 0);
    OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size));
    CHECK(size == 1);
    OK(clBuildProgram(program, 0, NULL, "-cl-mad-enable", NULL, NULL));
    expect(program, 84, 200);
    // Constants are those of the builds to come.
    unsigned char no = 0;
    IS(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(NULL, 7, sizeof value, &value));
    IS(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 6, sizeof value, &value));
    IS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, sizeof wide, &wide));
    IS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, sizeof value, NULL));
    OK(clSetProgramSpecializationConstant(program, 7, sizeof value, &value));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    expect(program, 14, 200);
    OK(clSetProgramSpecializationConstant(program, 8, sizeof no, &no));
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    expect(program, 7, 100);
    OK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof il, il, NULL));
    CHECK(memcmp(il, module, sizeof module) == 0);
    OK(clReleaseProgram(program));
    CHECK(strstr(names, "cl_khr_expect_assume") != NULL);
    program = program_of(module_that_expects, sizeof module_that_expects);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    expect(program, 84, 200);
    OK(clReleaseProgram(program));
    // Compiled and linked, beside OpenCL C; and from the other kind of machine.
    for (size_t at = 0; at < sizeof module / sizeof module[0]; at++)
        il[at] = __builtin_bswap32(module[at]);
    cl_program parts[2] = {program_of(il, sizeof il), NULL};
    const char *source = "kernel void g(global int *x) { x[0] = 1; }";
    parts[1] = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(clCompileProgram(parts[0], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    OK(clCompileProgram(parts[1], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    program = clLinkProgram(context, 0, NULL, "", 2, parts, NULL, NULL, &error);
    OK(error);
    expect(program, 84, 200);
    IS(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(parts[1], 7, sizeof value, &value));
    OK(clReleaseProgram(program));
    OK(clReleaseProgram(parts[0]));
    OK(clReleaseProgram(parts[1]));
    refused();
    end();
    puts("read");
    return verdict();
}
