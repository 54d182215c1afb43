/* Models. Sizes are windows along a side of a picture, sequences, rows of weights. */
#include "workloads.h"

enum { SIDE = 7, TOKENS = SIDE * SIDE, HEAD = 32, HEADS = 3, SHIFT = 3, APART = (2 * SIDE - 1) * (2 * SIDE - 1) };

static const cl_float window_scale = 0.17677669f;

static void window_attention_prepare(struct clbench *b) {
    long tokens = b->size * b->size * TOKENS, values = tokens * 3 * HEADS * HEAD;
    fill_between(make(b, 0, (size_t)values * sizeof(float)), values, 1583, -1.5f, 1.5f);
    fill_between(make(b, 1, APART * HEADS * sizeof(float)), APART * HEADS, 1597, -2.0f, 2.0f);
    make(b, 2, (size_t)(tokens * HEADS * HEAD) * sizeof(float));
    up(b, 0), up(b, 1);
}

static void window_attention_once(struct clbench *b) {
    cl_int side = (cl_int)b->size * SIDE;
    launch(b, "window_attention", RANGE2((size_t)(b->size * b->size) * 64, HEADS, 64, 1), B(0), B(1), V(side), V(window_scale),
           B(2));
}

/* A pixel of the shifted picture as one of the picture. */
static long unshifted(long side, long x, long y) { return (y + SHIFT) % side * side + (x + SHIFT) % side; }

/* What a token of the shifted picture gets of another one: nothing if a border of the picture lies between them. */
static double window_weight(const struct clbench *b, long head, long x, long y, long x2, long y2) {
    long side = b->size * SIDE;
    const float *tokens = b->buffer[0].host, *biases = b->buffer[1].host;
    const float *query = tokens + (unshifted(side, x, y) * 3 * HEADS + head) * HEAD;
    const float *key = tokens + ((unshifted(side, x2, y2) * 3 + 1) * HEADS + head) * HEAD;
    double score = (double)biases[((y - y2 + SIDE - 1) * (2 * SIDE - 1) + x - x2 + SIDE - 1) * HEADS + head];
    if ((x < side - SHIFT) != (x2 < side - SHIFT) || (y < side - SHIFT) != (y2 < side - SHIFT)) {
        return 0.0;
    }
    for (int i = 0; i < HEAD; i++) {
        score += (double)query[i] * (double)key[i] * (double)window_scale;
    }
    return exp(score);
}

static int window_attention_check(struct clbench *b) {
    const float *tokens = b->buffer[0].host, *got = b->buffer[2].host;
    long side = b->size * SIDE, count = side * side * HEADS;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < count; i += count / 20000 + 1) {
        long head = i % HEADS, x = i / HEADS % side, y = i / HEADS / side, pixel = unshifted(side, x, y);
        double sums[HEAD] = {0.0}, total = 0.0;
        for (long token = 0; token < TOKENS; token++) {
            long x2 = x / SIDE * SIDE + token % SIDE, y2 = y / SIDE * SIDE + token / SIDE;
            const float *values = tokens + ((unshifted(side, x2, y2) * 3 + 2) * HEADS + head) * HEAD;
            double weight = window_weight(b, head, x, y, x2, y2);
            total += weight;
            for (int k = 0; k < HEAD; k++) {
                sums[k] += weight * (double)values[k];
            }
        }
        for (int k = 0; ok && k < HEAD; k++) {
            ok = near("value", (pixel * HEADS + head) * HEAD + k, got[(pixel * HEADS + head) * HEAD + k], sums[k] / total, 1e-5);
        }
    }
    return ok;
}

enum { CLASSES = 80, FRAMES = 100, LABELS = 45 };

static void ctc_loss_prepare(struct clbench *b) {
    long values = b->size * FRAMES * CLASSES;
    fill_between(make(b, 0, (size_t)values * sizeof(float)), values, 1601, -4.0f, 4.0f);
    make(b, 1, (size_t)(b->size * FRAMES) * sizeof(float));
    cl_int *frames = make(b, 2, (size_t)b->size * sizeof *frames), *lengths = make(b, 4, (size_t)b->size * sizeof *lengths);
    cl_int *labels = make(b, 3, (size_t)(b->size * LABELS) * sizeof *labels);
    uint32_t state = 1607;
    for (long i = 0; i < b->size; i++) {
        lengths[i] = (cl_int)(random_word(&state) % (LABELS + 1));
        frames[i] = 2 * lengths[i] + 1 + (cl_int)(random_word(&state) % (uint32_t)(FRAMES - 2 * lengths[i]));
        for (long k = 0; k < LABELS; k++) {
            int again = k > 0 && random_word(&state) % 8 == 0;
            labels[i * LABELS + k] = again ? labels[i * LABELS + k - 1] : 1 + (cl_int)(random_word(&state) % (CLASSES - 1));
        }
    }
    make(b, 5, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 2), up(b, 3), up(b, 4);
}

static void ctc_loss_once(struct clbench *b) {
    cl_int most_frames = FRAMES, most_labels = LABELS;
    launch(b, "frame_totals", RANGE1((size_t)(b->size * FRAMES) * 32, 32), B(0), B(1));
    launch(b, "ctc_forward", RANGE1((size_t)b->size * 128, 128), B(0), B(1), V(most_frames), B(2), B(3), V(most_labels), B(4),
           B(5));
}

/* The loss by what is likely after each frame, backwards: probabilities themselves, whose sum is kept apart. */
static double ctc_backward(const float *logits, const cl_int *labels, int frames, int length) {
    double betas[2 * LABELS + 3] = {0.0}, loss = 0.0;
    int states = 2 * length + 1;
    betas[states - 1] = 1.0;
    if (length > 0) {
        betas[states - 2] = 1.0;
    }
    for (int t = frames - 1; t >= 0; t--) {
        double total = 0.0, sum = 0.0;
        for (int i = 0; i < CLASSES; i++) {
            total += exp((double)logits[t * CLASSES + i]);
        }
        for (int i = 0; i < states; i++) {
            betas[i] *= exp((double)logits[t * CLASSES + (i % 2 == 1 ? labels[i / 2] : 0)]) / total;
        }
        /* Ahead of the first frame are the first two states. */
        for (int i = 0; t > 0 && i < states; i++) {
            int skips = i % 2 == 1 && i + 2 < states && labels[i / 2] != labels[i / 2 + 1];
            betas[i] += betas[i + 1] + (skips ? betas[i + 2] : 0.0);
        }
        for (int i = 0; i < states; i++) {
            sum += betas[i];
        }
        for (int i = 0; i < states; i++) {
            betas[i] /= sum;
        }
        loss -= log(sum);
    }
    return loss - log(betas[0] + (length > 0 ? betas[1] : 0.0));
}

static int ctc_loss_check(struct clbench *b) {
    const float *logits = b->buffer[0].host, *got = b->buffer[5].host;
    const cl_int *frames = b->buffer[2].host, *labels = b->buffer[3].host, *lengths = b->buffer[4].host;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < b->size; i++) {
        double want = ctc_backward(logits + i * FRAMES * CLASSES, labels + i * LABELS, frames[i], lengths[i]);
        ok = near("loss", i, got[i], want, 2e-5);
    }
    return ok;
}

enum { COLUMNS = 96, INNER = 256 };

static void sparse_two_four_prepare(struct clbench *b) {
    long weights = b->size * INNER / 2;
    cl_ushort *values = make(b, 0, (size_t)weights * sizeof *values);
    cl_uint *places = make(b, 1, (size_t)(b->size * INNER / 32) * sizeof *places);
    uint32_t state = 1609;
    for (long i = 0; i < weights; i++) {
        uint32_t word = random_word(&state) >> 8;
        values[i] = (cl_ushort)((word >> 3 & 0x8000) | (9 + word % 6) << 10 | (word >> 6 & 1023));
    }
    memset(places, 0, b->buffer[1].bytes);
    for (long i = 0; i < b->size * INNER / 4; i++) {
        cl_uint one = random_word(&state) % 4, other = (one + 1 + random_word(&state) % 3) % 4;
        places[i / 8] |= ((one < other ? one : other) | (one < other ? other : one) << 2) << (i % 8 * 4);
    }
    fill_between(make(b, 2, COLUMNS * INNER * sizeof(float)), COLUMNS * INNER, 1613, -1.0f, 1.0f);
    fill_between(make(b, 3, (size_t)b->size * sizeof(float)), b->size, 1619, -1.0f, 1.0f);
    make(b, 4, (size_t)(b->size * COLUMNS) * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void sparse_two_four_once(struct clbench *b) {
    cl_int rows = (cl_int)b->size, inner = INNER;
    struct range range = RANGE2(COLUMNS / 4, round_up((rows + 1) / 2, 8), COLUMNS / 4, 8);
    launch(b, "sparse_product", range, B(0), B(1), B(2), B(3), V(rows), V(inner), B(4));
}

/* By rows with their zeros. */
static int sparse_two_four_check(struct clbench *b) {
    const cl_ushort *values = b->buffer[0].host;
    const cl_uint *places = b->buffer[1].host;
    const float *in = b->buffer[2].host, *bias = b->buffer[3].host, *got = b->buffer[4].host;
    long cut = 0;
    int ok = 1;
    down(b, 4);
    for (long row = 0; ok && row < b->size; row++) {
        double full[INNER] = {0.0};
        for (long i = row * INNER / 2; i < (row + 1) * INNER / 2; i++) {
            full[i % (INNER / 2) / 2 * 4 + (places[i / 16] >> (i % 16 * 2) & 3)] = half_value(values[i]);
        }
        for (long column = 0; ok && column < COLUMNS; column++) {
            double sum = (double)bias[row];
            for (long i = 0; i < INNER; i++) {
                sum += full[i] * (double)in[i * COLUMNS + column];
            }
            ok = near("product", row * COLUMNS + column, got[row * COLUMNS + column], fmax(sum, 0.0), 1e-5);
            cut += sum < 0.0;
        }
    }
    return ok && same("some are cut and some are not", 0, cut > b->size && cut < b->size * (COLUMNS - 1), 1);
}

const struct workload round14_models_workloads[] = {
    WORKLOAD(round14_models, window_attention, 2, 6, 16, 40),
    WORKLOAD(round14_models, ctc_loss, 5, 41, 201, 1501),
    WORKLOAD(round14_models, sparse_two_four, 33, 1001, 3001, 20001),
    END_OF_WORKLOADS,
};
