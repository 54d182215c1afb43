/* Signals. Sizes are columns of a picture, frames, columns of a picture. */
#include "workloads.h"

enum { LEVELS = 3 };

static void wavelet53_prepare(struct clbench *b) {
    long width = b->size, height = width * 3 / 4;
    cl_short *picture = make(b, 0, (size_t)(width * height) * sizeof *picture);
    uint32_t state = 1411;
    for (long y = 0; y < height; y++) {
        for (long x = 0; x < width; x++) {
            int texture = (int)(x * y / 37 % 300 + (x / 19 + y / 23) % 2 * 900);
            picture[y * width + x] = (cl_short)(texture + (int)(random_word(&state) % 100) - 500);
        }
    }
    make(b, 1, (size_t)(width * height) * sizeof *picture), make(b, 2, (size_t)(width * height) * sizeof *picture);
    up(b, 0);
}

static void wavelet53_once(struct clbench *b) {
    cl_int pitch = (cl_int)b->size, width = pitch, height = pitch * 3 / 4;
    for (int level = 0; level < LEVELS; level++) {
        size_t groups = round_up(width, 128) / 2;
        launch(b, "wavelet_rows", RANGE2(groups, (size_t)height, 64, 1), B(level == 0 ? 0 : 2), V(pitch), V(width), V(height),
               B(1));
        launch(b, "wavelet_columns", RANGE1(round_up(width, 64), 64), B(1), V(pitch), V(width), V(height), B(2));
        width = (width + 1) / 2, height = (height + 1) / 2;
    }
}

/* One line back: `count` samples, `step` apart, low ones first. */
static void wavelet_back(cl_short *line, long count, long step, int *low, int *whole) {
    long lows = (count + 1) / 2, highs = count / 2;
    const cl_short *high = line + lows * step;
    for (long i = 0; i < lows; i++) {
        low[i] = line[i * step] - ((high[(i > 0 ? i - 1 : 0) * step] + high[(i < highs ? i : highs - 1) * step] + 2) >> 2);
    }
    for (long i = 0; i < count; i++) {
        whole[i] = i % 2 == 0 ? low[i / 2] : high[i / 2 * step] + ((low[i / 2] + low[i / 2 + 1 < lows ? i / 2 + 1 : i / 2]) >> 1);
    }
    for (long i = 0; i < count; i++) {
        line[i * step] = (cl_short)whole[i];
    }
}

/* The picture, by the steps backwards. */
static int wavelet53_check(struct clbench *b) {
    const cl_short *picture = b->buffer[0].host;
    cl_short *got = b->buffer[2].host;
    long pitch = b->size, rows = pitch * 3 / 4, quiet = 0;
    int *low = calloc((size_t)pitch * 2, sizeof *low), ok = 1;
    down(b, 2);
    for (long i = 0; i < rows / 2; i++) {
        quiet += abs(got[(rows - 1 - i) * pitch + pitch - 1 - i]) < 150;
    }
    for (int level = LEVELS - 1; level >= 0; level--) {
        long width = (pitch + (1 << level) - 1) >> level, height = (rows + (1 << level) - 1) >> level;
        for (long x = 0; x < width; x++) {
            wavelet_back(got + x, height, pitch, low, low + pitch);
        }
        for (long y = 0; y < height; y++) {
            wavelet_back(got + y * pitch, width, 1, low, low + pitch);
        }
    }
    for (long i = 0; ok && i < pitch * rows; i++) {
        ok = same("sample", i, got[i], picture[i]);
    }
    free(low);
    return ok && same("most differences are small", 0, quiet * 5 > rows, 1);
}

enum { CHANNELS = 64, TAPS = 8 };

static const double pi = 3.14159265358979323846;

static void polyphase_prepare(struct clbench *b) {
    long count = (b->size + TAPS - 1) * CHANNELS;
    signed char *samples = make(b, 0, (size_t)count * 2);
    float *filter = make(b, 1, CHANNELS * TAPS * sizeof *filter), *turns = make(b, 2, CHANNELS * sizeof *turns);
    uint32_t state = 1423;
    for (long i = 0; i < count; i++) {
        double angle = 2.0 * pi * (11.25 / CHANNELS) * (double)(i % (4 * CHANNELS));
        samples[2 * i] = (signed char)(60.0 * cos(angle) + 40.0 * random_unit(&state) - 20.0);
        samples[2 * i + 1] = (signed char)(60.0 * sin(angle) + 40.0 * random_unit(&state) - 20.0);
    }
    for (int i = 0; i < CHANNELS * TAPS; i++) {
        double place = (i + 0.5) / CHANNELS - TAPS / 2.0, window = 0.5 - 0.5 * cos(2.0 * pi * (i + 0.5) / (CHANNELS * TAPS));
        filter[i] = (float)(window * sin(pi * place) / (pi * place) / CHANNELS);
    }
    for (int i = 0; i < CHANNELS / 2; i++) {
        turns[2 * i] = (float)cos(2.0 * pi * i / CHANNELS), turns[2 * i + 1] = (float)-sin(2.0 * pi * i / CHANNELS);
    }
    make(b, 3, (size_t)(b->size * CHANNELS) * sizeof(cl_float2));
    up(b, 0), up(b, 1), up(b, 2);
}

static void polyphase_once(struct clbench *b) {
    cl_int frames = (cl_int)b->size;
    launch(b, "channelize", RANGE2(CHANNELS / 2, round_up(frames, 4), CHANNELS / 2, 4), B(0), B(1), B(2), V(frames), B(3));
}

/* By the definition, some channels of some frames of large problems. */
static int polyphase_check(struct clbench *b) {
    const signed char *samples = b->buffer[0].host;
    const float *filter = b->buffer[1].host;
    const cl_float2 *got = b->buffer[3].host;
    double turns[CHANNELS][2], highest = 0.0;
    int ok = 1;
    down(b, 3);
    for (int i = 0; i < CHANNELS; i++) {
        turns[i][0] = cos(2.0 * pi * i / CHANNELS), turns[i][1] = -sin(2.0 * pi * i / CHANNELS);
    }
    for (long frame = 0; ok && frame < b->size; frame += b->size / 2000 + 1) {
        for (long channel = 0; ok && channel < CHANNELS; channel++) {
            double real = 0.0, other = 0.0;
            for (long i = 0; i < CHANNELS * TAPS; i++) {
                const signed char *sample = samples + 2 * (frame * CHANNELS + i);
                const double *turn = turns[i * channel % CHANNELS];
                real += filter[i] * (sample[0] * turn[0] - sample[1] * turn[1]);
                other += filter[i] * (sample[0] * turn[1] + sample[1] * turn[0]);
            }
            ok = near("real part", frame * CHANNELS + channel, got[frame * CHANNELS + channel].s[0], real, 1e-4) &&
                 near("imaginary part", frame * CHANNELS + channel, got[frame * CHANNELS + channel].s[1], other, 1e-4);
            highest = fmax(highest, channel == 11 ? hypot(real, other) : 0.0);
        }
    }
    return ok && same("the tone is heard", 0, highest > 20.0, 1);
}

enum { EDGE = 33 };

static void lut_cube_prepare(struct clbench *b) {
    long width = b->size, pixels = width * (width * 9 / 16);
    unsigned char *picture = make(b, 0, (size_t)pixels * 4);
    float *curves = make(b, 1, 3 * 256 * sizeof *curves), *cube = make(b, 2, EDGE * EDGE * EDGE * 4 * sizeof *cube);
    uint32_t state = 1433;
    for (long i = 0; i < pixels * 4; i++) {
        long shade = i % 4 * 60 + i / 4 % width * 200 / width + i / 4 / width % 97;
        picture[i] = (unsigned char)(shade + random_word(&state) % 24);
    }
    for (int i = 0; i < 3 * 256; i++) {
        curves[i] = powf((float)(i % 256) / 255.0f, 0.7f + 0.2f * (float)(i / 256));
    }
    for (int i = 0; i < EDGE * EDGE * EDGE; i++) {
        float red = (float)(i % EDGE) / (EDGE - 1), green = (float)(i / EDGE % EDGE) / (EDGE - 1);
        float blue = (float)(i / EDGE / EDGE) / (EDGE - 1), grey = 0.3f * red + 0.6f * green + 0.1f * blue;
        cube[4 * i] = 1.2f * red - 0.2f * blue + 0.02f * random_unit(&state);
        cube[4 * i + 1] = grey + 0.6f * (green - grey) * (1.0f - red) + 0.02f * random_unit(&state);
        cube[4 * i + 2] = sqrtf(blue) * 0.8f + 0.1f * red * green + 0.02f * random_unit(&state);
    }
    make(b, 3, (size_t)pixels * 4);
    up(b, 0), up(b, 1), up(b, 2);
}

static void lut_cube_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = width * 9 / 16;
    launch(b, "look_cube", RANGE2(round_up(width, 16), round_up(height, 16), 16, 16), B(0), B(1), B(2), V(width), V(height),
           B(3));
}

/* Along the path from the cell's first corner to its last one that takes the largest part first. */
static int lut_cube_check(struct clbench *b) {
    static const int strides[3] = {1, EDGE, EDGE * EDGE};
    const unsigned char *picture = b->buffer[0].host, *got = b->buffer[3].host;
    const float *curves = b->buffer[1].host, *cube = b->buffer[2].host;
    long pixels = b->size * (b->size * 9 / 16), cut = 0;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < pixels; i++) {
        double parts[3], colour[3];
        int corner = 0;
        for (int k = 0; k < 3; k++) {
            double place = curves[256 * k + picture[4 * i + k]] * (double)(EDGE - 1);
            int cell = place < EDGE - 2 ? (int)place : EDGE - 2;
            parts[k] = place - cell;
            corner += cell * strides[k];
        }
        for (int k = 0; k < 3; k++) {
            colour[k] = cube[4 * corner + k];
        }
        for (int step = 0; step < 3; step++) {
            int most = parts[1] > parts[0] ? 1 : 0, next;
            most = parts[2] > parts[most] ? 2 : most;
            next = corner + strides[most];
            for (int k = 0; k < 3; k++) {
                colour[k] += parts[most] * (cube[4 * next + k] - cube[4 * corner + k]);
            }
            corner = next;
            parts[most] = -1.0;
        }
        for (int k = 0; ok && k < 3; k++) {
            double want = fmin(fmax(colour[k] * 255.0, 0.0), 255.0);
            cut += want != colour[k] * 255.0;
            ok = fabs(got[4 * i + k] - want) <= 0.501 || near("colour", 4 * i + k, got[4 * i + k], want, 0.0);
        }
        ok = ok && same("opacity", i, got[4 * i + 3], picture[4 * i + 3]);
    }
    return ok && same("some colours are cut", 0, cut > 0, 1);
}

const struct workload round13_signal_workloads[] = {
    WORKLOAD(round13_signal, wavelet53, 61, 1001, 2001, 6001),
    WORKLOAD(round13_signal, polyphase, 37, 4001, 20001, 150001),
    WORKLOAD(round13_signal, lut_cube, 61, 501, 1401, 4801),
    END_OF_WORKLOADS,
};
