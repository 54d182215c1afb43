// A program whose kernels get their code one after the other: what may be done before that, and what waits for it.
// arguments: what to do, and the file that lets the translator say that there is the rest
#include "check.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *source = "kernel void first(global int *x) { x[0] = 1; }\n"
                            "kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
                            "void second(global int *x, int more) { x[0] += more; }\n"
                            "kernel void third(global int *x, local int *y) { y[0] = 5; x[0] += y[0]; }\n";
static const char *go;
static cl_mem memory;
static int value;

static void let_go(void)
{
    FILE *file = fopen(go, "w");
    CHECK(file != NULL);
    fclose(file);
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_kernel kernel = clCreateKernel(program, name, &error);
    OK(error);
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    return kernel;
}

static cl_int run(cl_kernel kernel)
{
    cl_int code = clEnqueueTask(queue, kernel, 0, NULL, NULL);
    OK(clFinish(queue));
    return code;
}

static size_t binary_bytes(cl_program program)
{
    size_t bytes = 1;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    return bytes;
}

static int calls;
static void CL_CALLBACK built(cl_program program, void *data)
{
    cl_build_status status;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    IS(CL_BUILD_SUCCESS, status);
    calls += data == &calls;
}

static void add_second_and_third(cl_program program)
{
    cl_kernel second = kernel_of(program, "second"), third = kernel_of(program, "third");
    OK(clSetKernelArg(second, 1, sizeof(cl_int), (cl_int[]){10}));
    OK(clSetKernelArg(third, 1, sizeof(cl_int), NULL));
    OK(run(second));
    OK(run(third));
    OK(clReleaseKernel(second));
    OK(clReleaseKernel(third));
}

// All that is known without code, before the file is there; the first kernel runs; then the others do, and the binary is whole.
static void in_order(void)
{
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    OK(clBuildProgram(program, 0, NULL, "", built, &calls));
    IS(1, calls);
    char text[100] = "";
    OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
    CHECK(strcmp(text, "first;second;third") == 0);
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL));
    CHECK(strcmp(text, "") == 0);
    cl_kernel first = kernel_of(program, "first"), second = kernel_of(program, "second");
    size_t size[3] = {0}, most = 0;
    OK(clGetKernelWorkGroupInfo(second, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL));
    CHECK(size[0] == 1 && size[2] == 1);
    OK(clGetKernelArgInfo(second, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
    CHECK(strcmp(text, "int") == 0);
    OK(clGetKernelInfo(second, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    CHECK(strcmp(text, "__attribute__((reqd_work_group_size(1,1,1)))") == 0);
    IS(CL_INVALID_ARG_SIZE, clSetKernelArg(second, 1, 1, "x"));
    IS(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    OK(clGetKernelWorkGroupInfo(first, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    CHECK(most > 1);
    OK(run(first));
    IS(1, value);
    // Nobody has waited for the others so far.
    CHECK(access(go, F_OK) != 0);
    let_go();
    add_second_and_third(program);
    IS(16, value);
    OK(clReleaseKernel(first));
    OK(clReleaseKernel(second));

    size_t bytes = binary_bytes(program);
    CHECK(bytes > 0);
    unsigned char *binary = malloc(bytes);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    OK(clReleaseProgram(program));
    cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char **)&binary, NULL, &error);
    OK(error);
    OK(clBuildProgram(again, 0, NULL, "", NULL, NULL));
    // What has no source tells nothing that stands there.
    second = kernel_of(again, "second");
    OK(clGetKernelInfo(second, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    CHECK(strcmp(text, "") == 0);
    OK(clReleaseKernel(second));
    add_second_and_third(again);
    IS(31, value);
    OK(clReleaseProgram(again));
}

// The translator dies behind the first kernel.
static void crash(void)
{
    cl_program program = build(source, "");
    let_go();
    cl_kernel first = kernel_of(program, "first"), second = kernel_of(program, "second");
    OK(clSetKernelArg(second, 1, sizeof(cl_int), (cl_int[]){10}));
    OK(run(first));
    IS(CL_OUT_OF_RESOURCES, run(second));
    size_t most;
    IS(CL_OUT_OF_RESOURCES, clGetKernelWorkGroupInfo(second, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    IS(1, value);
    char log[1000] = "";
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "crashed, by signal 11") != NULL);
    CHECK(binary_bytes(program) == 0);
    OK(clReleaseKernel(first));
    OK(clReleaseKernel(second));
    // It may be built again.
    setenv("HOW", "", 1);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    value = 0;
    add_second_and_third(program);
    IS(15, value);
    OK(clReleaseProgram(program));
}

// Nobody waits for what nobody wants any more.
static void release(void)
{
    cl_program program = build(source, "");
    cl_kernel first = kernel_of(program, "first");
    OK(clReleaseProgram(program));
    OK(run(first));
    IS(1, value);
    OK(clReleaseKernel(first));
}

static cl_program of_binary(const unsigned char *binary, size_t bytes)
{
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &bytes, &binary, NULL, &error);
    OK(error);
    // The binary's own options count, not these.
    OK(clBuildProgram(program, 0, NULL, "-DNUMBER=5", NULL, NULL));
    return program;
}

// A binary waits for no code, and keeps its size. What is built of it is the same program, as long as that is being made.
static void early(const char *path)
{
    cl_program program = build(source, "-DNUMBER=3");
    size_t bytes = binary_bytes(program);
    unsigned char *binary = malloc(bytes);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program again = of_binary(binary, bytes);
    cl_kernel first = kernel_of(again, "first");
    OK(run(first));
    OK(clReleaseKernel(first));
    CHECK(access(go, F_OK) != 0);
    IS(bytes, binary_bytes(program));
    OK(clReleaseProgram(program));
    let_go();
    add_second_and_third(again);
    IS(16, value);
    OK(clReleaseProgram(again));
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fwrite(binary, bytes, 1, file) == 1 && fclose(file) == 0);
    free(binary);
}

// In a later run its code is in the cache, or is made anew.
static void later(const char *path)
{
    static unsigned char binary[1 << 20];
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    size_t bytes = fread(binary, 1, sizeof binary, file);
    fclose(file);
    cl_program program = of_binary(binary, bytes);
    add_second_and_third(program);
    IS(15, value);
    OK(clReleaseProgram(program));
}

// A child makes the code by itself.
static void in_child(const char *translator)
{
    cl_program program = build(source, "");
    cl_kernel first = kernel_of(program, "first");
    OK(run(first));
    pid_t child = fork();
    if (child == 0) {
        setenv("VICINITY_TRANSLATE", translator, 1);
        CHECK(binary_bytes(program) > 0);
        cl_kernel third = clCreateKernel(program, "third", &error);
        size_t bytes = 0;
        OK(clGetKernelWorkGroupInfo(third, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof bytes, &bytes, NULL));
        CHECK(bytes > 0);
        exit(verdict());
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    // The parent's translator is still there.
    CHECK(access(go, F_OK) != 0);
    let_go();
    add_second_and_third(program);
    IS(16, value);
    OK(clReleaseProgram(program));
}

// More programs than code is made of at a time, all of them wanted: builds wait for none of it.
static void many(void)
{
    enum { PROGRAMS = 12 };
    cl_program programs[PROGRAMS];
    for (int i = 0; i < PROGRAMS; i++) {
        char options[40];
        snprintf(options, sizeof options, "-DNUMBER=%d", i);
        programs[i] = build(source, options);
    }
    // The last is the first whose code is wanted.
    cl_kernel first = kernel_of(programs[PROGRAMS - 1], "first");
    OK(run(first));
    OK(clReleaseKernel(first));
    CHECK(access(go, F_OK) != 0);
    value = 0;
    let_go();
    for (int i = PROGRAMS - 1; i >= 0; i--) {
        add_second_and_third(programs[i]);
        OK(clReleaseProgram(programs[i]));
    }
    IS(PROGRAMS * 15, value);
}

static size_t log_bytes(cl_program program)
{
    size_t bytes = 0;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    return bytes;
}

// The log is there at once, and has what only code generation finds in the end. It is as long as was said before.
static void notes(void)
{
    cl_program program = build("kernel void plain(global int *x) { x[0] = 1; }\n"
                               "kernel void odd(global int *x) {\n"
                               "  for (int i = 0; i < x[get_local_id(0)]; i++) {\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE); x[get_local_id(0)]++; } }\n",
                               "");
    char log[1000] = "";
    IS(1, log_bytes(program));
    let_go();
    for (int tries = 0; log[0] == 0 && tries < 60000; tries++) {
        usleep(1000);
        OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    }
    IS(strlen(log) + 1, log_bytes(program));
    CHECK(strstr(log, "kernel 'odd': here it is decided whether a barrier is reached") != NULL);
    OK(clReleaseProgram(program));
}

int main(int count, char **words)
{
    begin();
    memory = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof value, &value, &error);
    OK(error);
    const char *what = count > 1 ? words[1] : "";
    go = count > 2 ? words[2] : "";
    if (strcmp(what, "order") == 0)
        in_order();
    else if (strcmp(what, "crash") == 0)
        crash();
    else if (strcmp(what, "release") == 0)
        release();
    else if (strcmp(what, "child") == 0)
        in_child(words[3]);
    else if (strcmp(what, "many") == 0)
        many();
    else if (strcmp(what, "early") == 0)
        early(getenv("BINARY"));
    else if (strcmp(what, "later") == 0)
        later(getenv("BINARY"));
    else if (strcmp(what, "notes") == 0)
        notes();
    else if (strcmp(what, "unused") == 0)
        OK(clReleaseProgram(build(source, "")));
    else
        run(kernel_of(build(source, ""), "first")); // and ends
    OK(clReleaseMemObject(memory));
    if (strcmp(what, "leave") == 0)
        _exit(verdict());
    return verdict();
}
