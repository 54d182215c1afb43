/* The paper's remedy for slow builds: a program's binary, kept by the program itself. */
#include "launches.h"

static void save(cl_program program, const char *name) {
    size_t bytes;
    need(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL), "CL_PROGRAM_BINARY_SIZES");
    unsigned char *binary = memory(bytes);
    FILE *file = fopen(name, "wb");
    need(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "CL_PROGRAM_BINARIES");
    if (file == NULL || fwrite(binary, 1, bytes, file) != bytes || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", name);
        exit(1);
    }
}

static cl_program load(const struct host *host, const char *name) {
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    size_t bytes = (size_t)ftell(file);
    unsigned char *binary = memory(bytes);
    rewind(file);
    bytes = fread(binary, 1, bytes, file);
    cl_int code, status;
    cl_program program = clCreateProgramWithBinary(host->context, 1, &host->device, &bytes, (const unsigned char **)&binary,
                                                   &status, &code);
    need(code, "clCreateProgramWithBinary");
    need(clBuildProgram(program, 1, &host->device, "", NULL, NULL), "clBuildProgram");
    return program;
}

void measure_build(const char *how, const char *file) {
    struct host host = open_host();
    const cl_mem two[] = {numbers(&host, 10000, 0), numbers(&host, 10000, 0)};
    int from_source = strcmp(how, "source") == 0;
    double start = now_ms();
    host.program = from_source ? build(&host, "kernels.cl", "") : load(&host, file);
    double built = now_ms();
    enqueue(&host, &(struct launch){kernel_of(host.program, "square_plain", 2, two, 0, NULL), 1, {10000, 1}, {0}});
    need(clFinish(host.queue), "clFinish");
    double done = now_ms();
    printf("{\"ms\": %.6g, \"build_ms\": %.6g}\n", done - start, built - start);
    if (from_source)
        save(host.program, file);
}
