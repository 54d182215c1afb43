/* Sound. Sizes are blocks and frames. */
#include "workloads.h"

enum { ADPCM_BYTES = 256, ADPCM_SAMPLES = 2 * (ADPCM_BYTES - 4) + 1 };

/* A sample of some music, with silence now and then. */
static int sound_at(long i, uint32_t *state) {
    double time = (double)i, loud = sin(time * 0.0007) * sin(time * 0.0007) * 9000.0;
    loud = i / 3000 % 5 == 4 ? 40.0 : loud;
    double noise = loud * 0.05 * ((double)random_unit(state) - 0.5);
    return (int)rint(loud * (sin(time * 0.041) + 0.6 * sin(time * 0.173 + 1.0) + 0.3 * sin(time * 0.61)) + noise);
}

/* The table of steps: each is a tenth more than the one before, but for how the first ones are rounded. */
static const short steps[89] = {
    7,    8,    9,    10,   11,   12,   13,    14,    16,    17,    19,    21,    23,    25,    28,    31,    34,   37,
    41,   45,   50,   55,   60,   66,   73,    80,    88,    97,    107,   118,   130,   143,   157,   173,   190,  209,
    230,  253,  279,  307,  337,  371,  408,   449,   494,   544,   598,   658,   724,   796,   876,   963,   1060, 1166,
    1282, 1411, 1552, 1707, 1878, 2066, 2272,  2499,  2749,  3024,  3327,  3660,  4026,  4428,  4871,  5358,  5894, 6484,
    7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};

/* The bits for what a sample is off, largest parts of the step first; `*off` becomes what they stand for. */
static int choose_bits(int *off, int step) {
    int left = abs(*off), bits = *off < 0 ? 8 : 0, is = step / 8;
    for (int bit = 4, part = step; bit > 0; bit /= 2, part /= 2) {
        if (left >= part) {
            bits |= bit, left -= part, is += part;
        }
    }
    *off = *off < 0 ? -is : is;
    return bits;
}

static int limited(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

/* Buffer 6 has the samples as they are to be decoded, on this side alone. */
static void adpcm_blocks_prepare(struct clbench *b) {
    unsigned char *bytes = make(b, 0, (size_t)(b->size * ADPCM_BYTES));
    cl_short *decoded = make(b, 6, (size_t)(b->size * ADPCM_SAMPLES) * sizeof *decoded);
    uint32_t state = 2411;
    int index = 0;
    for (long i = 0; i < b->size; i++) {
        unsigned char *block = bytes + i * ADPCM_BYTES;
        int sample = sound_at(i * ADPCM_SAMPLES, &state);
        block[0] = (unsigned char)sample, block[1] = (unsigned char)(sample >> 8), block[2] = (unsigned char)index;
        decoded[i * ADPCM_SAMPLES] = (cl_short)sample;
        for (long k = 1; k < ADPCM_SAMPLES; k++) {
            int off = sound_at(i * ADPCM_SAMPLES + k, &state) - sample, bits = choose_bits(&off, steps[index]);
            sample = limited(sample + off, -32768, 32767);
            index = limited(index + (bits & 4 ? (bits & 3) * 2 + 2 : -1), 0, 88);
            block[4 + (k - 1) / 2] |= (unsigned char)(bits << (k - 1) % 2 * 4);
            decoded[i * ADPCM_SAMPLES + k] = (cl_short)sample;
        }
    }
    make(b, 1, (size_t)(b->size * ADPCM_SAMPLES) * sizeof(cl_short));
    up(b, 0);
}

static void adpcm_blocks_once(struct clbench *b) {
    cl_int blocks = (cl_int)b->size, bytes = ADPCM_BYTES;
    launch(b, "adpcm_blocks", RANGE1(round_up(blocks, 32), 32), B(0), V(blocks), V(bytes), B(1));
}

static int adpcm_blocks_check(struct clbench *b) {
    const cl_short *got = b->buffer[1].host, *wanted = b->buffer[6].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * ADPCM_SAMPLES; i++) {
        ok = same("sample", i, got[i], wanted[i]);
    }
    return ok;
}

enum { RICE_LENGTH = 576, RICE_PARTS = 4, RICE_WORDS = RICE_LENGTH * 2 };

/* Where bits are written, the highest of each word first. */
struct writer {
    cl_uint *words;
    long bit;
};

static void put(struct writer *writer, uint32_t value, int count) {
    for (int i = count - 1; i >= 0; i--, writer->bit++) {
        writer->words[writer->bit / 32] |= (value >> i & 1) << (31 - writer->bit % 32);
    }
}

/* What a sample differs from what the ones before tell: the differences' differences, as often as the order says. */
static int off_by(const cl_int *samples, int order) {
    return order == 0 ? samples[0] : off_by(samples, order - 1) - off_by(samples - 1, order - 1);
}

static uint32_t folded(int value) { return value < 0 ? (uint32_t)(-2 * value - 1) : (uint32_t)(2 * value); }

static void write_part(struct writer *writer, const cl_int *samples, int order, long begin, long end) {
    double sum = 0.0;
    int low_bits = 0;
    for (long i = begin; i < end; i++) {
        sum += folded(off_by(samples + i, order));
    }
    while (low_bits < 14 && ldexp(1.0, low_bits + 1) < sum / (double)(end - begin)) {
        low_bits++;
    }
    put(writer, (uint32_t)low_bits, 5);
    for (long i = begin; i < end; i++) {
        uint32_t value = folded(off_by(samples + i, order));
        writer->bit += value >> low_bits;
        put(writer, 1, 1), put(writer, value & ((1u << low_bits) - 1), low_bits);
    }
}

/* Buffer 6 has the samples, on this side alone. A word after the last block may be read. */
static void rice_blocks_prepare(struct clbench *b) {
    cl_int *samples = make(b, 6, (size_t)(b->size * RICE_LENGTH) * sizeof *samples);
    cl_int *starts = make(b, 1, (size_t)b->size * sizeof *starts);
    struct writer writer = {make(b, 0, (size_t)(b->size * RICE_WORDS + 4) * sizeof(cl_uint)), 0};
    uint32_t state = 2417;
    for (long i = 0; i < b->size * RICE_LENGTH; i++) {
        samples[i] = sound_at(i, &state);
    }
    for (long i = 0; i < b->size; i++) {
        const cl_int *block = samples + i * RICE_LENGTH;
        int order = (int)(random_word(&state) % 5);
        writer.bit = (writer.bit + 31) / 32 * 32, starts[i] = (cl_int)(writer.bit / 32);
        put(&writer, (uint32_t)order, 3);
        for (int k = 0; k < order; k++) {
            put(&writer, (uint32_t)block[k] & 0xffff, 16);
        }
        for (long part = 0; part < RICE_PARTS; part++) {
            long begin = part * (RICE_LENGTH / RICE_PARTS), end = begin + RICE_LENGTH / RICE_PARTS;
            write_part(&writer, block, order, begin < order ? order : begin, end);
        }
    }
    make(b, 2, (size_t)(b->size * RICE_LENGTH) * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void rice_blocks_once(struct clbench *b) {
    cl_int blocks = (cl_int)b->size, length = RICE_LENGTH;
    launch(b, "rice_blocks", RANGE1(round_up(blocks, 16), 16), B(0), B(1), V(blocks), V(length), B(2));
}

static int rice_blocks_check(struct clbench *b) {
    const cl_int *got = b->buffer[2].host, *wanted = b->buffer[6].host, *starts = b->buffer[1].host;
    int ok = same("all blocks fit", 0, starts[b->size - 1] < (b->size - 1) * RICE_WORDS, 1);
    down(b, 2);
    for (long i = 0; ok && i < b->size * RICE_LENGTH; i++) {
        ok = same("sample", i, got[i], wanted[i]);
    }
    return ok;
}

enum { LISTENERS = 64, WINDOW = 256, LAGS = 200, LEAST_LAG = 20, HOP = 100 };

static const cl_float rate = 16000.0f, limit = 0.12f;

/* A voice that rises and falls, and noise between its words. */
static void yin_pitch_prepare(struct clbench *b) {
    long count = b->size * HOP + WINDOW + LAGS;
    float *sound = make(b, 0, (size_t)count * sizeof *sound);
    uint32_t state = 2423;
    double turn = 0.0;
    for (long i = 0; i < count; i++) {
        turn += 0.06 + 0.03 * sin((double)i * 0.0003);
        double voice = i / 1700 % 4 == 3 ? 0.0 : sin(turn) + 0.5 * sin(2.0 * turn + 0.3) + 0.25 * sin(3.0 * turn);
        sound[i] = (float)(0.4 * voice) + 0.1f * (random_unit(&state) - 0.5f);
    }
    make(b, 1, (size_t)b->size * sizeof(float));
    up(b, 0);
}

static void yin_pitch_once(struct clbench *b) {
    cl_int hop = HOP;
    launch(b, "yin_pitch", RANGE1((size_t)(b->size * LISTENERS), LISTENERS), B(0), V(hop), V(rate), V(limit), B(1));
}

/* What differs at each lag, relative to what does at those before. */
static void differences_of(const float *frame, double *differences) {
    double total = 0.0;
    differences[0] = 1.0;
    for (long lag = 1; lag < LAGS; lag++) {
        double sum = 0.0;
        for (long i = 0; i < WINDOW; i++) {
            sum += ((double)frame[i] - (double)frame[i + lag]) * ((double)frame[i] - (double)frame[i + lag]);
        }
        total += sum;
        differences[lag] = sum * (double)lag / total;
    }
}

/* The pitch, with a limit, and with what a later difference may be more than one before and still count as less. */
static double pitch_of(const double *differences, double low, double more) {
    long lag = LEAST_LAG;
    while (lag < LAGS - 1 && differences[lag] >= low) {
        lag++;
    }
    if (lag == LAGS - 1) {
        return 0.0;
    }
    while (lag + 2 < LAGS && differences[lag + 1] < differences[lag] + more) {
        lag++;
    }
    double before = differences[lag - 1], here = differences[lag], after = differences[lag + 1];
    double shift = 0.5 * (before - after) / (before - 2.0 * here + after);
    return (double)rate / ((double)lag + fmin(fmax(shift, -1.0), 1.0));
}

static int is_near(double got, double want) { return fabs(got - want) <= 1e-3 * want; }

/* A difference that almost reaches the limit may be taken or not, and one that is almost that of the lag before may be less or
 * more. */
static int yin_pitch_check(struct clbench *b) {
    const float *sound = b->buffer[0].host, *got = b->buffer[1].host;
    long voices = 0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        double differences[LAGS];
        differences_of(sound + i * HOP, differences);
        int is_any = 0;
        for (int k = 0; k < 4; k++) {
            double want = pitch_of(differences, (double)limit + (k % 2 == 0 ? -1e-5 : 1e-5), k / 2 == 0 ? -1e-6 : 1e-6);
            is_any |= is_near((double)got[i], want);
        }
        ok = same("pitch is near", i, is_any, 1);
        voices += got[i] > 0.0f;
    }
    return ok && same("some have a pitch", 0, voices > b->size / 4 && voices < b->size, 1);
}

const struct workload round19_sound_workloads[] = {
    WORKLOAD(round19_sound, adpcm_blocks, 33, 1003, 20011, 200003),
    WORKLOAD(round19_sound, rice_blocks, 21, 701, 10007, 30011),
    WORKLOAD(round19_sound, yin_pitch, 70, 301, 5003, 50021),
    END_OF_WORKLOADS,
};
