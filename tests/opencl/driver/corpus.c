// Runs the kernels of one of the files of tests/opencl as the line before each says (translator/tests/kernels/corpus.rs
// explains it), at each local size:
//
//     corpus FILE.cl save RESULTS      keeps what they compute
//     corpus FILE.cl compare RESULTS   compares it with what was kept, bit for bit or within the units in the last place
//                                      that the line allows
//
// Prints how many launches there were.
#include "check.h"
#include <math.h>
#include <stdint.h>

enum { MOST_ARGUMENTS = 12, MOST_LOCALS = 8 };

struct Argument {
    char role[8];
    int is_float, is_signed, any_bits;
    size_t element, lanes, bytes;
    double number;
    unsigned char *data;
    cl_mem memory;
};

static struct Argument arguments[MOST_ARGUMENTS];
static int count, launches, allowed_ulp;
static size_t global[3], offset[3], local[MOST_LOCALS][3];
static cl_uint locals;
static int comparing;
static FILE *results;

static void sizes(const char *text, size_t of[3], size_t missing)
{
    of[0] = of[1] = of[2] = missing;
    sscanf(text, "%zux%zux%zu", &of[0], &of[1], &of[2]);
}

static void encode(const struct Argument *argument, double value, unsigned char *to)
{
    float single = (float)value;
    int64_t whole = (int64_t)value;
    if (argument->is_float)
        memcpy(to, argument->element == 4 ? (void *)&single : (void *)&value, argument->element);
    else
        memcpy(to, &whole, argument->element);
}

static void type_of(struct Argument *argument, char *word)
{
    static const char *const names[] = {"char", "short", "int", "float", "long", "double"};
    static const size_t bytes[] = {1, 2, 4, 4, 8, 8};
    size_t length = strlen(word);
    argument->any_bits = word[length - 1] == '!';
    if (argument->any_bits)
        word[--length] = 0;
    size_t base = strcspn(word, "0123456789");
    argument->lanes = word[base] ? strtoul(word + base, NULL, 10) : 1;
    if (argument->lanes == 3)
        argument->lanes = 4;
    argument->is_signed = word[0] != 'u';
    word += !argument->is_signed;
    base -= !argument->is_signed;
    for (int i = 0; i < 6; i++)
        if (strlen(names[i]) == base && strncmp(names[i], word, base) == 0) {
            argument->element = bytes[i];
            argument->is_float = i == 3 || i == 5;
            return;
        }
    printf("no type %s\n", word);
    exit(1);
}

/* The same numbers in every run; each argument of a kernel gets others. */
static void begin_with(struct Argument *argument, int at)
{
    size_t values = argument->bytes / argument->element;
    int is_value = strcmp(argument->role, "value") == 0, is_input = argument->role[0] == 'i';
    for (size_t i = 0; i < values; i++) {
        uint64_t word = ((uint64_t)i + 1 + ((uint64_t)at << 32)) * 0x9e3779b97f4a7c15u;
        word ^= word >> 31;
        word *= 0xbf58476d1ce4e5b9u;
        word ^= word >> 29;
        unsigned char *to = argument->data + i * argument->element;
        double small = (double)(word % 201);
        if (is_value)
            encode(argument, argument->number, to);
        else if (!is_input)
            memset(to, 0, argument->element);
        else if (argument->any_bits)
            memcpy(to, &word, argument->element);
        else
            encode(argument, argument->is_float ? small / 16 - 6.25 : argument->is_signed ? small - 100 : small, to);
    }
}

static void read_line(char *line)
{
    char *list = strstr(line, ": ") + 2, *head = line + strlen("// run "), *word, *rest = NULL;
    list[-2] = 0;
    char *ulp = strstr(head, " ulp "), *from = strstr(head, " from "), *slash = strstr(head, " / ");
    allowed_ulp = ulp ? atoi(ulp + 5) : 0;
    if (ulp)
        *ulp = 0;
    sizes(head, global, 1);
    sizes(from ? from + 6 : "0", offset, 0);
    locals = 0;
    for (word = strtok_r(slash + 3, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        sizes(word, local[locals++], 1);
    count = 0;
    for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        struct Argument *argument = &arguments[count++];
        char type[32];
        if (sscanf(word, " %7s %31s %lf", argument->role, type, &argument->number) != 3) {
            printf("no argument: %s\n", word);
            exit(1);
        }
        type_of(argument, type);
        int is_value = strcmp(argument->role, "value") == 0;
        argument->bytes = argument->lanes * argument->element * (is_value ? 1 : (size_t)argument->number);
        argument->data = malloc(argument->bytes);
    }
}

static int64_t ordered(const unsigned char *at, size_t bytes)
{
    int64_t wide;
    int32_t narrow;
    memcpy(&wide, at, bytes == 8 ? 8 : 4);
    memcpy(&narrow, at, 4);
    if (bytes == 8)
        return wide < 0 ? -(wide & INT64_MAX) : wide;
    return narrow < 0 ? -(int64_t)(narrow & INT32_MAX) : narrow;
}

static int is_nan(const unsigned char *at, size_t bytes)
{
    float single;
    double wide;
    memcpy(&single, at, 4);
    memcpy(&wide, at, bytes == 8 ? 8 : 4);
    return bytes == 8 ? isnan(wide) : isnan(single);
}

static int differs(const struct Argument *argument, const unsigned char *a, const unsigned char *b)
{
    size_t bytes = argument->element;
    if (memcmp(a, b, bytes) == 0)
        return 0;
    if (!argument->is_float)
        return 1;
    if (is_nan(a, bytes) || is_nan(b, bytes))
        return !(is_nan(a, bytes) && is_nan(b, bytes));
    int64_t apart = ordered(a, bytes) - ordered(b, bytes);
    return (apart < 0 ? -apart : apart) > allowed_ulp;
}

static void keep_or_compare(const char *name, const struct Argument *argument, const size_t size[3])
{
    if (!comparing) {
        CHECK(fwrite(argument->data, 1, argument->bytes, results) == argument->bytes);
        return;
    }
    unsigned char *kept = malloc(argument->bytes);
    CHECK(fread(kept, 1, argument->bytes, results) == argument->bytes);
    for (size_t at = 0; at < argument->bytes; at += argument->element)
        if (differs(argument, argument->data + at, kept + at)) {
            printf("%s, local size %zu,%zu,%zu: argument %d differs at byte %zu\n", name, size[0], size[1], size[2],
                   (int)(argument - arguments), at);
            failures++;
            break;
        }
    free(kept);
}

static void launch(cl_kernel kernel, const char *name, const size_t size[3])
{
    for (int i = 0; i < count; i++) {
        struct Argument *argument = &arguments[i];
        begin_with(argument, i);
        if (strcmp(argument->role, "local") == 0) {
            OK(clSetKernelArg(kernel, (cl_uint)i, argument->bytes, NULL));
        } else if (strcmp(argument->role, "value") == 0) {
            OK(clSetKernelArg(kernel, (cl_uint)i, argument->bytes, argument->data));
        } else {
            argument->memory =
                clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, argument->bytes, argument->data, &error);
            OK(error);
            OK(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &argument->memory));
        }
    }
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, size, 0, NULL, NULL));
    launches++;
    for (int i = 0; i < count; i++) {
        struct Argument *argument = &arguments[i];
        if (argument->memory == NULL)
            continue;
        OK(clEnqueueReadBuffer(queue, argument->memory, CL_TRUE, 0, argument->bytes, argument->data, 0, NULL, NULL));
        keep_or_compare(name, argument, size);
        OK(clReleaseMemObject(argument->memory));
        argument->memory = NULL;
    }
}

int main(int words, char **word)
{
    static char source[1 << 20], copy[1 << 20];
    FILE *file = words == 4 ? fopen(word[1], "r") : NULL;
    comparing = words == 4 && strcmp(word[2], "compare") == 0;
    results = words == 4 ? fopen(word[3], comparing ? "rb" : "wb") : NULL;
    if (file == NULL || results == NULL) {
        printf("usage: corpus FILE.cl save|compare RESULTS\n");
        return 2;
    }
    source[fread(source, 1, sizeof source - 1, file)] = 0;
    memcpy(copy, source, sizeof copy);
    begin();
    cl_program program = build(source, "-cl-std=CL3.0");
    char *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        // Images have a program of their own.
        if (strncmp(line, "// run ", 7) != 0 || strstr(line, " image ") != NULL)
            continue;
        char *header = strtok_r(NULL, "\n", &rest), name[256];
        CHECK(sscanf(strstr(header, "kernel void "), "kernel void %255[^(]", name) == 1);
        read_line(line);
        cl_kernel kernel = clCreateKernel(program, name, &error);
        OK(error);
        for (cl_uint i = 0; i < locals; i++)
            launch(kernel, name, local[i]);
        OK(clReleaseKernel(kernel));
        for (int i = 0; i < count; i++)
            free(arguments[i].data);
    }
    printf("%d\n", launches);
    return fclose(results) != 0 || verdict();
}
