/* Learning. Sizes are rows, pixels along a side, cells in fours. */
#include "workloads.h"

enum { WIDTH = 771, COLUMNS = 32, SLICES = 8, ROW_ITEMS = 128 };

/* Means and scales are those of the rows, as the way forth has left them. */
static void layer_norm_back_prepare(struct clbench *b) {
    size_t all = (size_t)b->size * WIDTH;
    float *x = make(b, 0, all * sizeof *x), *means, *scales;
    fill_between(x, (long)all, 861, -1.0f, 3.0f);
    fill_between(make(b, 1, all * sizeof(float)), (long)all, 862, -1.0f, 1.0f);
    fill_between(make(b, 2, WIDTH * sizeof(float)), WIDTH, 863, 0.5f, 1.5f);
    means = make(b, 3, (size_t)b->size * sizeof *means);
    scales = make(b, 4, (size_t)b->size * sizeof *scales);
    for (long row = 0; row < b->size; row++) {
        double sum = 0.0, squares = 0.0;
        for (long i = 0; i < WIDTH; i++) {
            sum += x[row * WIDTH + i];
            squares += (double)x[row * WIDTH + i] * x[row * WIDTH + i];
        }
        means[row] = (float)(sum / WIDTH);
        scales[row] = (float)(1.0 / sqrt(squares / WIDTH - sum / WIDTH * sum / WIDTH + 1e-5));
    }
    make(b, 5, all * sizeof(float));
    make(b, 6, WIDTH * sizeof(float));
    make(b, 7, WIDTH * sizeof(float));
    for (int i = 0; i < 5; i++) {
        up(b, i);
    }
}

static void layer_norm_back_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, width = WIDTH;
    launch(b, "norm_back_rows", RANGE1((size_t)rows * ROW_ITEMS, ROW_ITEMS), B(0), B(1), B(2), B(3), B(4), V(width), B(5));
    launch(b, "norm_back_columns", RANGE2(round_up(WIDTH, COLUMNS), SLICES, COLUMNS, SLICES), B(0), B(1), B(3), B(4), V(rows),
           V(width), B(6), B(7));
}

static int layer_norm_back_check(struct clbench *b) {
    const float *x = b->buffer[0].host, *dy = b->buffer[1].host, *gamma = b->buffer[2].host, *mean = b->buffer[3].host;
    const float *scale = b->buffer[4].host, *dx = b->buffer[5].host, *dgamma = b->buffer[6].host, *dbeta = b->buffer[7].host;
    double to_gamma[WIDTH] = {0.0}, to_beta[WIDTH] = {0.0};
    int ok = 1;
    down(b, 5), down(b, 6), down(b, 7);
    for (long row = 0; ok && row < b->size; row++) {
        double plain = 0.0, turned = 0.0;
        for (long i = 0, at = row * WIDTH; i < WIDTH; i++, at++) {
            double normal = ((double)x[at] - mean[row]) * scale[row], slope = (double)dy[at] * gamma[i];
            plain += slope / WIDTH;
            turned += slope * normal / WIDTH;
            to_gamma[i] += dy[at] * normal;
            to_beta[i] += dy[at];
        }
        for (long i = 0, at = row * WIDTH; ok && i < WIDTH; i++, at++) {
            double normal = ((double)x[at] - mean[row]) * scale[row];
            ok = near("dx", at, dx[at], scale[row] * ((double)dy[at] * gamma[i] - plain - normal * turned), 1e-4);
        }
    }
    for (long i = 0; ok && i < WIDTH; i++) {
        ok = near("dgamma", i, dgamma[i], to_gamma[i], 1e-3) && near("dbeta", i, dbeta[i], to_beta[i], 1e-3);
    }
    return ok;
}

enum { PICTURES = 2, CHANNELS = 48, OUTPUTS = 64, GROUPS = 8, HEARD = CHANNELS / GROUPS };

static cl_int half_of(const struct clbench *b) { return (cl_int)(b->size + 1) / 2; }

static void group_convolution_prepare(struct clbench *b) {
    long in = b->size * b->size * CHANNELS * PICTURES, out = (long)half_of(b) * half_of(b) * OUTPUTS * PICTURES;
    fill_between(make(b, 0, (size_t)in * sizeof(float)), in, 871, -1.0f, 1.0f);
    fill_between(make(b, 1, OUTPUTS * HEARD * 9 * sizeof(float)), OUTPUTS * HEARD * 9, 872, -0.3f, 0.3f);
    fill_between(make(b, 2, OUTPUTS * sizeof(float)), OUTPUTS, 873, -0.5f, 0.5f);
    make(b, 3, (size_t)out * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2);
}

static void group_convolution_once(struct clbench *b) {
    cl_int side = (cl_int)b->size, channels = CHANNELS, outputs = OUTPUTS, groups = GROUPS, new_side = half_of(b);
    launch(b, "group_convolution", RANGE3(round_up(new_side, 16), round_up(new_side, 4), OUTPUTS * PICTURES, 16, 4, 1), B(0),
           B(1), B(2), V(side), V(channels), V(outputs), V(groups), V(new_side), B(3));
}

static int group_convolution_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *filter = b->buffer[1].host, *bias = b->buffer[2].host, *got = b->buffer[3].host;
    long side = b->size, half = half_of(b), count = half * half * OUTPUTS * PICTURES;
    int ok = 1;
    down(b, 3);
    for (long at = 0; ok && at < count; at += count / 60000 + 1) {
        long x = at % half, y = at / half % half, output = at / half / half % OUTPUTS, picture = at / half / half / OUTPUTS;
        double sum = bias[output];
        for (long k = 0; k < HEARD * 9; k++) {
            long from_x = 2 * x + k % 3 - 1, from_y = 2 * y + k / 3 % 3 - 1;
            long channel = picture * CHANNELS + output / (OUTPUTS / GROUPS) * HEARD + k / 9;
            if (from_x >= 0 && from_y >= 0 && from_x < side && from_y < side) {
                sum += (double)in[(channel * side + from_y) * side + from_x] * filter[output * HEARD * 9 + k];
            }
        }
        ok = near("pixel", at, got[at], sum / (1.0 + exp(-sum)), 1e-4);
    }
    return ok;
}

enum { SEQUENCES = 21, STEPS = 6, INPUTS = 52 };

/* The number of cells is a multiple of four, as the kernel wants it. */
static void lstm_cell_prepare(struct clbench *b) {
    long said = SEQUENCES * b->size, weights = 4 * b->size * (INPUTS + b->size);
    fill_between(make(b, 0, STEPS * SEQUENCES * INPUTS * sizeof(float)), STEPS * SEQUENCES * INPUTS, 881, -1.0f, 1.0f);
    fill_between(make(b, 1, (size_t)weights * sizeof(float)), weights, 882, -0.2f, 0.2f);
    fill_between(make(b, 2, (size_t)b->size * 4 * sizeof(float)), b->size * 4, 883, -0.5f, 0.5f);
    cl_int *lengths = make(b, 3, SEQUENCES * sizeof *lengths);
    for (int i = 0; i < SEQUENCES; i++) {
        lengths[i] = i % 5 == 3 ? 2 + i % 4 : STEPS;
    }
    make(b, 4, (size_t)said * sizeof(float));
    make(b, 5, (size_t)said * sizeof(float));
    make(b, 6, (size_t)said * sizeof(float));
    for (int i = 0; i < 4; i++) {
        up(b, i);
    }
}

static void lstm_cell_once(struct clbench *b) {
    cl_int sequences = SEQUENCES, inputs = INPUTS, cells = (cl_int)b->size;
    memset(b->buffer[4].host, 0, b->buffer[4].bytes);
    memset(b->buffer[6].host, 0, b->buffer[6].bytes);
    up(b, 4), up(b, 6);
    for (cl_int step = 0; step < STEPS; step++) {
        int from = 4 + step % 2, to = 5 - step % 2;
        launch(b, "lstm_cell", RANGE2(round_up(cells, 32), round_up(sequences, 4), 32, 4), B(0), B(1), B(2), V(sequences),
               V(inputs), V(cells), V(step), B(3), B(from), B(to), B(6));
    }
}

/* A sequence, step by step; `said` and `memory` begin with 0. */
static void remember(struct clbench *b, long sequence, double *said, double *memory, double *says) {
    const float *input = b->buffer[0].host, *weights = b->buffer[1].host, *bias = b->buffer[2].host;
    long cells = b->size;
    for (long step = 0; step < ((cl_int *)b->buffer[3].host)[sequence]; step++) {
        const float *now = input + (step * SEQUENCES + sequence) * INPUTS;
        for (long cell = 0; cell < cells; cell++) {
            double gate[4];
            for (long g = 0; g < 4; g++) {
                const float *row = weights + (g * cells + cell) * (INPUTS + cells);
                gate[g] = bias[g * cells + cell];
                for (long i = 0; i < INPUTS + cells; i++) {
                    gate[g] += row[i] * (i < INPUTS ? now[i] : said[i - INPUTS]);
                }
            }
            memory[cell] = memory[cell] / (1.0 + exp(-gate[1])) + tanh(gate[2]) / (1.0 + exp(-gate[0]));
            says[cell] = tanh(memory[cell]) / (1.0 + exp(-gate[3]));
        }
        memcpy(said, says, (size_t)cells * sizeof *said);
    }
}

static int lstm_cell_check(struct clbench *b) {
    const float *got = b->buffer[4 + STEPS % 2].host, *got_memory = b->buffer[6].host;
    long cells = b->size;
    double *work = malloc((size_t)cells * 3 * sizeof *work);
    int ok = 1;
    down(b, 4 + STEPS % 2), down(b, 6);
    for (long sequence = 0; ok && sequence < SEQUENCES; sequence++) {
        memset(work, 0, (size_t)cells * 3 * sizeof *work);
        remember(b, sequence, work, work + cells, work + 2 * cells);
        for (long cell = 0; ok && cell < cells; cell++) {
            long at = sequence * cells + cell;
            ok = near("said", at, got[at], work[cell], 1e-4) && near("memory", at, got_memory[at], work[cells + cell], 1e-4);
        }
    }
    free(work);
    return ok;
}

const struct workload round8_learning_workloads[] = {
    WORKLOAD(round8_learning, layer_norm_back, 19, 601, 2003, 8009),
    WORKLOAD(round8_learning, group_convolution, 13, 37, 75, 201),
    WORKLOAD(round8_learning, lstm_cell, 28, 124, 236, 508),
    END_OF_WORKLOADS,
};
