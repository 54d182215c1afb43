// Programs: logs, separate compilation, libraries, headers, binaries, what kernels answer, clones, callbacks.
#include "check.h"

static char text[8192];

static const char *log_of(cl_program program)
{
    text[0] = 0;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    return text;
}

static cl_int status_of(cl_program program)
{
    cl_build_status status = 42;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_uint type_of(cl_program program)
{
    cl_program_binary_type type = 42;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

static cl_program source(const char *code)
{
    cl_program program = clCreateProgramWithSource(context, 1, &code, NULL, &error);
    OK(error);
    return program;
}

// The number that a kernel `f(global int *)` leaves.
static int run(cl_program program)
{
    int value = -1;
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    OK(error);
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof value, &value, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
    return value;
}

// The device's version has a macro, and so have images; of what is not offered, none speaks.
static void macros(void)
{
    OK(clReleaseProgram(build("#if !defined __IMAGE_SUPPORT__ || !defined __opencl_c_images || defined __opencl_c_pipes || __OPENCL_VERSION__ != 300\n"
                              "#error these say what is not so\n"
                              "#endif\n"
                              "kernel void f(global int *x) { x[0] = 1; }\n",
                              "-cl-std=CL3.0")));
}

static void logs(void)
{
    cl_program wrong = source("kernel void f(global int *x) {\n    x[0] = nobody;\n}\n");
    CHECK(status_of(wrong) == CL_BUILD_NONE && type_of(wrong) == CL_PROGRAM_BINARY_TYPE_NONE);
    IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(wrong, 0, NULL, NULL, NULL, NULL));
    CHECK(status_of(wrong) == CL_BUILD_ERROR);
    const char *log = log_of(wrong);
    CHECK(strstr(log, "program.cl:2:12: error: use of undeclared identifier 'nobody'") != NULL);
    CHECK(strstr(log, "/tmp") == NULL);
    OK(clReleaseProgram(wrong));

    wrong = source("#include \"not_there.h\"\n");
    IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(wrong, 0, NULL, "", NULL, NULL));
    CHECK(strstr(log_of(wrong), "not_there.h") != NULL);
    OK(clReleaseProgram(wrong));

    wrong = source("int f(int x) { return x < 2 ? x : f(x - 1) * f(x - 2); }\n"
                   "kernel void g(global int *x) { x[0] = f(x[0]); }\n");
    IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(wrong, 0, NULL, "", NULL, NULL));
    CHECK(strlen(log_of(wrong)) > 0);
    OK(clReleaseProgram(wrong));

    wrong = source("void nowhere(int); kernel void f(global int *x) { nowhere(x[0]); }\n");
    IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(wrong, 0, NULL, "", NULL, NULL));
    CHECK(strstr(log_of(wrong), "nowhere") != NULL);
    OK(clReleaseProgram(wrong));

    // More local memory than there is, in an array or with what is asked for: nothing that could be launched.
    cl_program greedy = source("kernel void f(global int *x) {\n"
                               "    local int room[1 << 28];\n"
                               "    room[x[0]] = x[1];\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    x[0] = room[x[2]];\n"
                               "}\n");
    if (clBuildProgram(greedy, 0, NULL, "", NULL, NULL) == CL_SUCCESS) {
        cl_kernel kernel = clCreateKernel(greedy, "f", &error);
        cl_mem memory = clCreateBuffer(context, 0, 64, NULL, &error);
        OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
        IS(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
        OK(clReleaseMemObject(memory));
        OK(clReleaseKernel(kernel));
    }
    OK(clReleaseProgram(greedy));

    // Ten megabytes.
    char *large = malloc(10 << 20);
    memset(large, 'x', 10 << 20);
    for (int at = 0; at < 10 << 20; at += 64)
        memcpy(large + at, "\n//", 3);
    strcpy(large + (10 << 20) - 64, "\nkernel void f(global int *x) { x[0] = 42; }\n");
    cl_program long_one = source(large);
    OK(clBuildProgram(long_one, 0, NULL, "", NULL, NULL));
    CHECK(run(long_one) == 42);
    OK(clReleaseProgram(long_one));
    free(large);

    cl_program warns = source("kernel void f(global int *x) { int unused; x[0] = VALUE; }\n");
    OK(clBuildProgram(warns, 1, &device, "-D VALUE=7 -cl-std=CL1.2", NULL, NULL));
    CHECK(status_of(warns) == CL_BUILD_SUCCESS && type_of(warns) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    OK(clGetProgramBuildInfo(warns, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    CHECK(strcmp(text, "-D VALUE=7 -cl-std=CL1.2") == 0);
    CHECK(run(warns) == 7);
    // Built again, with other options.
    OK(clBuildProgram(warns, 0, NULL, "-DVALUE=8", NULL, NULL));
    CHECK(run(warns) == 8);
    OK(clReleaseProgram(warns));
}

// What the specification does not name is told and ignored; `-U` undoes.
static void options(void)
{
    cl_program program = source("#ifdef GONE\n#error it is not\n#endif\nkernel void f(global int *x) { x[0] = 5; }\n");
    OK(clBuildProgram(program, 0, NULL, "-O3 -Wall -D GONE -U GONE -x spir -cl-nv-verbose -qcom-accelerate-16-bit",
                      NULL, NULL));
    CHECK(strcmp(log_of(program), "warning: unknown build option ignored: -O3\n"
                                  "warning: unknown build option ignored: -Wall\n"
                                  "warning: unknown build option ignored: -x spir\n"
                                  "warning: unknown build option ignored: -cl-nv-verbose\n"
                                  "warning: unknown build option ignored: -qcom-accelerate-16-bit\n") == 0);
    CHECK(run(program) == 5);
    OK(clBuildProgram(program, 0, NULL, "-w -cl-intel-greater-than-4GB-buffer-required", NULL, NULL));
    CHECK(log_of(program)[0] == 0);
    OK(clCompileProgram(program, 0, NULL, "-O2", 0, NULL, NULL, NULL, NULL));
    CHECK(strcmp(log_of(program), "warning: unknown build option ignored: -O2\n") == 0);
    cl_program linked = clLinkProgram(context, 0, NULL, "-Wl,-O1", 1, &program, NULL, NULL, &error);
    OK(error);
    CHECK(strcmp(log_of(linked), "warning: unknown build option ignored: -Wl,-O1\n") == 0);
    CHECK(run(linked) == 5);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(program));
}

static cl_program told;

static void CL_CALLBACK on_build(cl_program program, void *data)
{
    told = program;
    *(int *)data += 1;
}

static void linking(void)
{
    int count = 0;
    cl_program header = source("int twice(int x);\n"), part = source("#include \"sub/twice.h\"\n"
                               "kernel void f(global int *x) { x[0] = twice(21); }\n");
    cl_program other = source("int twice(int x) { return 2 * x; }\n");
    const char *name = "sub/twice.h";
    OK(clCompileProgram(part, 0, NULL, "", 1, &header, &name, on_build, &count));
    CHECK(count == 1 && told == part && type_of(part) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    OK(clCompileProgram(other, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program both[] = {part, other};
    cl_program linked = clLinkProgram(context, 0, NULL, "", 2, both, on_build, &count, &error);
    OK(error);
    CHECK(count == 2 && type_of(linked) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK(run(linked) == 42);
    OK(clReleaseProgram(linked));

    cl_program library = clLinkProgram(context, 0, NULL, "-create-library", 1, &other, NULL, NULL, &error);
    OK(error);
    CHECK(type_of(library) == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    both[1] = library;
    linked = clLinkProgram(context, 1, &device, NULL, 2, both, NULL, NULL, &error);
    OK(error);
    CHECK(run(linked) == 42);
    OK(clReleaseProgram(linked));

    linked = clLinkProgram(context, 0, NULL, "", 1, &part, NULL, NULL, &error);
    IS(CL_LINK_PROGRAM_FAILURE, error);
    CHECK(linked == NULL || strstr(log_of(linked), "twice") != NULL);
    if (linked != NULL)
        OK(clReleaseProgram(linked));
    IS(CL_INVALID_PROGRAM_EXECUTABLE, (clCreateKernel(part, "f", &error), error));
    OK(clReleaseProgram(library));
    OK(clReleaseProgram(header));
    OK(clReleaseProgram(part));
    OK(clReleaseProgram(other));
}

static void binaries(void)
{
    cl_program program = build("kernel void f(global int *x) { x[0] = 99; }", "");
    size_t size = 0;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    OK(clReleaseProgram(program));
    const unsigned char *given = binary;
    cl_int status = 42;
    program = clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &error);
    OK(error);
    OK(status);
    IS(CL_INVALID_PROGRAM_EXECUTABLE, (clCreateKernel(program, "f", &error), error));
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    CHECK(run(program) == 99);
    OK(clReleaseProgram(program));
    for (size_t at = 0; at < size; at += size / 50 + 1) {
        binary[at] ^= 0x10;
        clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &error);
        IS(CL_INVALID_BINARY, error);
        binary[at] ^= 0x10;
        clCreateProgramWithBinary(context, 1, &device, &(size_t){at + 1}, &given, &status, &error);
        IS(CL_INVALID_BINARY, error);
    }
    free(binary);
}

static unsigned char *binary_of(cl_program program, size_t *size)
{
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL));
    unsigned char *binary = malloc(*size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    return binary;
}

// Makes the binary one of another processor (capi/opencl/src/core/program/image.rs has the layout): its second part begins
// with the version and goes on with the processor's features.
static void make_foreign(unsigned char *binary, size_t size)
{
    size_t length = 0, part = 16 + 8 + 2;
    memcpy(&length, binary + part, sizeof length);
    binary[part + 8 + length - 1] ^= 1;
    char name[] = "/tmp/vicinity-binary-XXXXXX", command[64];
    FILE *file = fdopen(mkstemp(name), "w");
    fwrite(binary, 1, size - 32, file);
    fclose(file);
    snprintf(command, sizeof command, "sha256sum %s", name);
    FILE *digest = popen(command, "r");
    for (int at = 0; at < 32; at++) {
        unsigned byte = 0;
        CHECK(fscanf(digest, "%2x", &byte) == 1);
        binary[size - 32 + at] = byte;
    }
    CHECK(pclose(digest) == 0);
    remove(name);
}

// It is translated anew, and is one of this processor then.
static void foreign(void)
{
    size_t size, old_size;
    // Without a cache a binary has its code.
    char *cache = strdup(getenv("VICINITY_CACHE_DIR")), *home = strdup(getenv("HOME"));
    setenv("VICINITY_CACHE_DIR", "", 1);
    setenv("HOME", "", 1);
    unsetenv("XDG_CACHE_HOME");
    cl_program program = build("kernel void f(global int *x) { x[0] = 77; }", "");
    unsigned char *binary = binary_of(program, &size), *again;
    OK(clReleaseProgram(program));
    make_foreign(binary, size);
    cl_int status = 42;
    program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, &status, &error);
    OK(error);
    OK(status);
    free(binary);
    CHECK(type_of(program) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    // What it answers before it is built is as good as what it was made of.
    binary = binary_of(program, &old_size);
    OK(clReleaseProgram(program));
    program = clCreateProgramWithBinary(context, 1, &device, &old_size, (const unsigned char **)&binary, &status, &error);
    OK(error);
    IS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-cl-std=none", NULL, NULL));
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    CHECK(run(program) == 77);
    again = binary_of(program, &size);
    CHECK(size > old_size);
    free(again);
    free(binary);
    OK(clReleaseProgram(program));
    setenv("VICINITY_CACHE_DIR", cache, 1);
    setenv("HOME", home, 1);

    // Objects have no machine code.
    program = source("kernel void f(global int *x) { x[0] = 78; }");
    OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    binary = binary_of(program, &size);
    OK(clReleaseProgram(program));
    make_foreign(binary, size);
    program = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &error);
    OK(error);
    cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &error);
    OK(error);
    CHECK(run(linked) == 78);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(program));
    free(binary);
}

static void kernels(void)
{
    const char *code =
        "kernel void f(global int *x) { x[0] = 1; }\n"
        "__attribute__((reqd_work_group_size(8, 4, 1)))\n"
        "kernel void g(global const float *restrict in, constant int4 *c, local char *l, uint n) {}\n";
    cl_program program = build(code, "-cl-kernel-arg-info");
    size_t number = 0;
    OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL));
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    CHECK(number == 2 && strcmp(text, "f;g") == 0);
    cl_kernel both[2], g;
    cl_uint count = 0;
    OK(clCreateKernelsInProgram(program, 2, both, &count));
    CHECK(count == 2);
    g = both[1];
    OK(clGetKernelInfo(g, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    CHECK(strcmp(text, "g") == 0);
    OK(clGetKernelInfo(g, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    CHECK(count == 4);
    OK(clGetKernelInfo(g, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    CHECK(strstr(text, "reqd_work_group_size") != NULL);
    size_t sizes[3];
    OK(clGetKernelWorkGroupInfo(g, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
    CHECK(sizes[0] == 8 && sizes[1] == 4 && sizes[2] == 1);
    static const struct {
        const char *type, *name;
        cl_uint space;
        cl_ulong qualifiers;
    } expected[] = {
        {"float*", "in", CL_KERNEL_ARG_ADDRESS_GLOBAL,
         CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"int4*", "c", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"char*", "l", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE},
        {"uint", "n", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
    };
    for (cl_uint at = 0; at < 4; at++) {
        OK(clGetKernelArgInfo(g, at, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        CHECK(strcmp(text, expected[at].type) == 0);
        OK(clGetKernelArgInfo(g, at, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        CHECK(strcmp(text, expected[at].name) == 0);
        cl_uint space = 0;
        cl_ulong qualifiers = 42;
        OK(clGetKernelArgInfo(g, at, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
        OK(clGetKernelArgInfo(g, at, CL_KERNEL_ARG_TYPE_QUALIFIER, 8, &qualifiers, NULL));
        CHECK(space == expected[at].space && qualifiers == expected[at].qualifiers);
    }
    size_t wrong[3] = {4, 4, 1}, right[3] = {8, 4, 1};
    cl_mem memory = clCreateBuffer(context, 0, 64, NULL, &error);
    OK(clSetKernelArg(g, 0, sizeof memory, &memory));
    OK(clSetKernelArg(g, 1, sizeof memory, &memory));
    OK(clSetKernelArg(g, 2, 100, NULL));
    OK(clSetKernelArg(g, 3, sizeof count, &count));
    IS(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, g, 3, NULL, right, wrong, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, g, 3, NULL, right, right, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, g, 3, NULL, right, NULL, 0, NULL, NULL));
    cl_ulong bytes = 0;
    OK(clGetKernelWorkGroupInfo(g, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    CHECK(bytes >= 100);
    // Which shared memory it uses can be told, and taken back.
    const void *used = &bytes;
    OK(clSetKernelExecInfo(g, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof used, &used));
    OK(clSetKernelExecInfo(g, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    // A clone has the arguments of the time it was made.
    cl_kernel clone = clCloneKernel(g, &error);
    OK(error);
    OK(clSetKernelArg(g, 2, 1 << 30, NULL));
    OK(clEnqueueNDRangeKernel(queue, clone, 3, NULL, right, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(clone));
    OK(clReleaseKernel(both[0]));
    // A kernel keeps its program.
    OK(clReleaseProgram(program));
    OK(clSetKernelArg(g, 2, 100, NULL));
    OK(clEnqueueNDRangeKernel(queue, g, 3, NULL, right, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseKernel(g));
    OK(clReleaseMemObject(memory));
}

// Each program object has variables of its own.
static void variables(void)
{
    const char *code = "global int counter = 10;\nkernel void f(global int *x) { x[0] = ++counter; }\n";
    cl_program one = build(code, "-cl-std=CL3.0"), two = build(code, "-cl-std=CL3.0");
    CHECK(run(one) == 11);
    CHECK(run(one) == 12);
    CHECK(run(two) == 11);
    size_t bytes = 0;
    OK(clGetProgramBuildInfo(one, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, 8, &bytes, NULL));
    CHECK(bytes >= 4);
    OK(clReleaseProgram(one));
    OK(clReleaseProgram(two));
}

int main(void)
{
    begin();
    macros();
    logs();
    options();
    linking();
    binaries();
    foreign();
    kernels();
    variables();
    end();
    return verdict();
}
