/* Launches whose neighbours along x are far apart in memory, with other sizes of groups. */
#include "launches.h"

enum { SIDE = 4096, WIDTH = 128, HEIGHT = 192, DEPTH = 256, LOCALS = 4 };

static const size_t flat[LOCALS][3] = {{0}, {16, 16, 1}, {32, 8, 1}, {256, 1, 1}}, deep[LOCALS][3] = {{0}, {8, 8, 8}, {1, 4, 64}, {64, 2, 1}};

static double want_turned(size_t i) { return number_at(i % SIDE * SIDE + i / SIDE); }

static double want_planes(size_t i) {
    size_t x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / (WIDTH * HEIGHT);
    return number_at((x * HEIGHT + y) * DEPTH + z);
}

static double want_points(size_t i) {
    size_t along[] = {i / (HEIGHT * DEPTH), i / DEPTH % HEIGHT, i % DEPTH}, sizes[] = {WIDTH, HEIGHT, DEPTH}, steps[] = {HEIGHT * DEPTH, DEPTH, 1};
    double sum = 0.0;
    for (int d = 0; d < 3; d++) {
        if (along[d] < 1 || along[d] > sizes[d] - 2)
            return number_at(i);
        sum += number_at(i - steps[d]) + number_at(i + steps[d]);
    }
    return 0.4 * number_at(i) + 0.1 * sum;
}

/* Bytes are compared by their bits: those of four numbers are those of one. */
static double want_bytes(size_t i) {
    unsigned char bytes[4];
    for (size_t b = 0; b < 4; b++) {
        size_t to = 4 * i + b, from = to % SIDE * SIDE + to / SIDE;
        float number = number_at(from / 4);
        memcpy(bytes + b, (unsigned char *)&number + from % 4, 1);
    }
    float number;
    memcpy(&number, bytes, 4);
    return number;
}

static const struct {
    const char *kernel, *size;
    cl_uint dimensions;
    size_t global[3];
    size_t results; /* floats */
    double (*want)(size_t);
} cases[] = {
    {"reads_columns", "4096 x 4096", 2, {SIDE, SIDE, 1}, SIDE *SIDE, want_turned},
    {"writes_columns", "4096 x 4096", 2, {SIDE, SIDE, 1}, SIDE *SIDE, want_turned},
    {"bytes_of_columns", "4096 x 4096", 2, {SIDE, SIDE, 1}, SIDE *SIDE / 4, want_bytes},
    {"turned_planes", "128 x 192 x 256", 3, {WIDTH, HEIGHT, DEPTH}, WIDTH *HEIGHT *DEPTH, want_planes},
    {"last_fastest", "128 x 192 x 256", 3, {WIDTH, HEIGHT, DEPTH}, WIDTH *HEIGHT *DEPTH, want_points},
};

void measure_columns(void) {
    struct host host = open_host();
    host.program = build(&host, "kernels.cl", "");
    const cl_mem buffers[] = {numbers(&host, SIDE * SIDE, 0), numbers(&host, SIDE * SIDE, 0)};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int l = 0; l < LOCALS; l++) {
            char variant[32] = "NULL";
            const size_t *local = cases[c].dimensions == 2 ? flat[l] : deep[l];
            if (l > 0)
                sprintf(variant, local[2] > 1 || cases[c].dimensions == 3 ? "%zux%zux%zu" : "%zux%zu", local[0], local[1], local[2]);
            cl_kernel kernel = kernel_of(host.program, cases[c].kernel, 2, buffers, 0, NULL);
            struct launch launch = {kernel, cases[c].dimensions, {0}, {0}};
            memcpy(launch.global, cases[c].global, sizeof launch.global);
            memcpy(launch.local, local, sizeof launch.local);
            wipe(&host, buffers[1], cases[c].results * sizeof(float));
            print_case(cases[c].kernel, cases[c].size, variant, time_of(&host, &launch));
            check(&host, cases[c].kernel, buffers[1], cases[c].results, cases[c].want, 1e-5);
            clReleaseKernel(kernel);
        }
}
