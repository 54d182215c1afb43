/* Sound: blocks of four bits a sample, blocks without loss, how high a voice is. */

#define LAST_STEP 88

__constant short adpcm_steps[LAST_STEP + 1] = {
    7,    8,    9,    10,   11,   12,   13,   14,   16,   17,   19,    21,    23,    25,    28,    31,    34,    37,
    41,   45,   50,   55,   60,   66,   73,   80,   88,   97,   107,   118,   130,   143,   157,   173,   190,   209,
    230,  253,  279,  307,  337,  371,  408,  449,  494,  544,  598,   658,   724,   796,   876,   963,   1060,  1166,
    1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327,  3660,  4026,  4428,  4871,  5358,  5894,  6484,
    7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};

__constant char adpcm_moves[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

/* The next sample: three bits say by how many parts of a step it moves, one to which side. */
int next_sample(const int nibble, int *sample, int *index)
{
    const int step = adpcm_steps[*index];
    int move = step >> 3;
    if (nibble & 4) move += step;
    if (nibble & 2) move += step >> 1;
    if (nibble & 1) move += step >> 2;
    *sample = clamp(nibble & 8 ? *sample - move : *sample + move, -32768, 32767);
    *index = clamp(*index + adpcm_moves[nibble & 7], 0, LAST_STEP);
    return *sample;
}

/* Each item decodes a block: its first sample, the place in the table of steps, and two samples a byte, the lower bits first. */
__kernel void adpcm_blocks(__global const uchar *bytes, const int blocks, const int bytes_of_block, __global short *samples)
{
    const int id = get_global_id(0);
    if (id >= blocks) return;
    __global const uchar *block = bytes + id * bytes_of_block;
    __global short *out = samples + id * (2 * (bytes_of_block - 4) + 1);
    int sample = (short)(block[0] | block[1] << 8), index = min((int)block[2], LAST_STEP);
    *out++ = (short)sample;
    for (int i = 4; i < bytes_of_block; i++) {
        const int two = block[i];
        *out++ = (short)next_sample(two & 15, &sample, &index);
        *out++ = (short)next_sample(two >> 4, &sample, &index);
    }
}

typedef struct {
    __global const uint *words;
    ulong ready; /* bits that come next, from the highest on */
    int count; /* how many of them there are */
} bits_t;

void fill(bits_t *bits)
{
    while (bits->count <= 32) {
        bits->ready |= (ulong)*bits->words++ << (32 - bits->count);
        bits->count += 32;
    }
}

uint take(bits_t *bits, const int count)
{
    if (count == 0) return 0;
    fill(bits);
    const uint value = (uint)(bits->ready >> (64 - count));
    bits->ready <<= count;
    bits->count -= count;
    return value;
}

/* A number that is written as so many zeros and a one for its upper part, and the lower part's bits. */
int take_rice(bits_t *bits, const int low_bits)
{
    uint upper = 0;
    fill(bits);
    while (bits->ready == 0) {
        upper += bits->count;
        bits->count = 0;
        fill(bits);
    }
    const int zeros = (int)clz(bits->ready);
    upper += zeros;
    bits->ready = bits->ready << zeros << 1;
    bits->count -= zeros + 1;
    const uint value = upper << low_bits | take(bits, low_bits);
    return (int)(value >> 1) ^ -(int)(value & 1);
}

#define RICE_PARTS 4

/* Each item decodes a block: how many samples tell the next one, these samples, and how much the others are off, in parts with a
 * length of their lower bits each. */
__kernel void rice_blocks(__global const uint *words, __global const int *starts, const int blocks, const int length,
                          __global int *samples)
{
    const int id = get_global_id(0);
    if (id >= blocks) return;
    bits_t bits = {words + starts[id], 0, 0};
    __global int *out = samples + id * length;
    const int order = take(&bits, 3);
    int last[4] = {0, 0, 0, 0};
    for (int i = 0; i < order; i++) {
        const int sample = (short)take(&bits, 16);
        last[3] = last[2];
        last[2] = last[1];
        last[1] = last[0];
        last[0] = sample;
        out[i] = sample;
    }
    const int part_length = length / RICE_PARTS;
    for (int part = 0; part < RICE_PARTS; part++) {
        const int low_bits = take(&bits, 5), end = part == RICE_PARTS - 1 ? length : (part + 1) * part_length;
        for (int i = max(part * part_length, order); i < end; i++) {
            int sample = take_rice(&bits, low_bits);
            switch (order) {
            case 1: sample += last[0]; break;
            case 2: sample += 2 * last[0] - last[1]; break;
            case 3: sample += 3 * (last[0] - last[1]) + last[2]; break;
            case 4: sample += 4 * (last[0] + last[2]) - 6 * last[1] - last[3]; break;
            default: break;
            }
            last[3] = last[2];
            last[2] = last[1];
            last[1] = last[0];
            last[0] = sample;
            out[i] = sample;
        }
    }
}

#define LISTENERS 64
#define WINDOW 256
#define LAGS 200
#define LEAST_LAG 20

/* How often a second the sound of a frame comes again, or 0 where it doesn't. A work-group compares a frame with itself, later by
 * each of some lags, and takes the first lag at which little differs, between its neighbours where a parabola is lowest. */
__kernel __attribute__((reqd_work_group_size(LISTENERS, 1, 1)))
void yin_pitch(__global const float *sound, const int hop, const float rate, const float limit, __global float *pitches)
{
    __local float frame[WINDOW + LAGS], differences[LAGS];

    const int lid = get_local_id(0);
    __global const float *from = sound + get_group_id(0) * hop;
    for (int i = lid; i < WINDOW + LAGS; i += LISTENERS) frame[i] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int lag = lid; lag < LAGS; lag += LISTENERS) {
        float sum = 0.0f;
        for (int i = 0; i < WINDOW; i++) {
            const float off = frame[i] - frame[i + lag];
            sum += off * off;
        }
        differences[lag] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid != 0) return;
    float total = 0.0f;
    differences[0] = 1.0f;
    for (int lag = 1; lag < LAGS; lag++) {
        total += differences[lag];
        differences[lag] *= total > 0.0f ? lag / total : 0.0f;
    }
    float pitch = 0.0f;
    for (int lag = LEAST_LAG; lag < LAGS - 1; lag++) {
        if (differences[lag] >= limit) continue;
        while (lag + 2 < LAGS && differences[lag + 1] < differences[lag]) lag++;
        const float before = differences[lag - 1], here = differences[lag], after = differences[lag + 1];
        const float bend = before - 2.0f * here + after;
        const float shift = fabs(bend) > 1e-9f ? 0.5f * (before - after) / bend : 0.0f;
        pitch = rate / (lag + clamp(shift, -1.0f, 1.0f));
        break;
    }
    pitches[get_group_id(0)] = pitch;
}
