/* Media: blocks of a film's picture that are moved by quarters of a sample, rows of PNG pictures, sound that was predicted from the
 * samples before. */

#define BLOCK 8
#define MORE 5 /* samples around a block that six taps need */
#define WIDE (BLOCK + MORE)

int six_taps(const int a, const int b, const int c, const int d, const int e, const int f)
{
    return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

int rounded(const int sum)
{
    return clamp((sum + 16) >> 5, 0, 255);
}

int mean(const int a, const int b)
{
    return (a + b + 1) >> 1;
}

/* Each work-group predicts a block of 8 by 8 samples from the last picture, moved by quarters of a sample with the filters of H.264, and
 * adds what was sent besides. */
__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void quarter_sample(__global const uchar *last, __global const char2 *vectors, __global const short *residuals, const int width,
                    const int height, __global uchar *picture)
{
    __local uchar around[WIDE][WIDE + 3];
    __local short across[WIDE][BLOCK + 1]; /* halves between columns, not rounded yet */

    const int x = get_local_id(0), y = get_local_id(1);
    const char2 vector = vectors[get_group_id(1) * get_num_groups(0) + get_group_id(0)];
    const int left = get_group_id(0) * BLOCK + (vector.x >> 2) - 2, top = get_group_id(1) * BLOCK + (vector.y >> 2) - 2;
    for (int i = y * BLOCK + x; i < WIDE * WIDE; i += BLOCK * BLOCK) {
        const int row = clamp(top + i / WIDE, 0, height - 1), column = clamp(left + i % WIDE, 0, width - 1);
        around[i / WIDE][i % WIDE] = last[row * width + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = y; row < WIDE; row += BLOCK) {
        across[row][x] = six_taps(around[row][x], around[row][x + 1], around[row][x + 2], around[row][x + 3], around[row][x + 4],
                                  around[row][x + 5]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int quarter_x = vector.x & 3, quarter_y = vector.y & 3;
    const int at_x = x + 2 + (quarter_x == 3), at_y = y + 2 + (quarter_y == 3); /* the nearer column and row of halves */
    const int whole = around[y + 2][x + 2];
    const int half_x = rounded(across[at_y][x]);
    const int half_y = rounded(six_taps(around[y][at_x], around[y + 1][at_x], around[y + 2][at_x], around[y + 3][at_x],
                                        around[y + 4][at_x], around[y + 5][at_x]));
    const int sum = six_taps(across[y][x], across[y + 1][x], across[y + 2][x], across[y + 3][x], across[y + 4][x], across[y + 5][x]);
    const int middle = clamp((sum + 512) >> 10, 0, 255);
    int value;
    switch (quarter_y << 2 | quarter_x) {
    case 0: value = whole; break;
    case 1: value = mean(whole, half_x); break;
    case 2: value = half_x; break;
    case 3: value = mean(half_x, around[y + 2][x + 3]); break;
    case 4: value = mean(whole, half_y); break;
    case 8: value = half_y; break;
    case 12: value = mean(half_y, around[y + 3][x + 2]); break;
    case 6:
    case 14: value = mean(half_x, middle); break;
    case 9:
    case 11: value = mean(half_y, middle); break;
    case 10: value = middle; break;
    default: value = mean(half_x, half_y);
    }
    const size_t at = get_global_id(1) * width + get_global_id(0);
    picture[at] = convert_uchar_sat(value + residuals[at]);
}

/* Which of three neighbours is the nearest to what a plane through them has here. */
int paeth(const int left, const int above, const int corner)
{
    const int guess = left + above - corner;
    const int to_left = abs(guess - left), to_above = abs(guess - above), to_corner = abs(guess - corner);
    if (to_left <= to_above && to_left <= to_corner) return left;
    return to_above <= to_corner ? above : corner;
}

enum { NONE, SUB, UP, AVERAGE, PAETH };

/* Each item takes the filters off the rows of a small picture. A row begins with its filter. */
__kernel void png_rows(__global const uchar *filtered, const uint pictures, const int rows, const int row_bytes, const int pixel_bytes,
                       __global uchar *pixels)
{
    const uint id = get_global_id(0);
    if (id >= pictures) return;
    __global const uchar *from = filtered + (size_t)id * rows * (row_bytes + 1);
    __global uchar *to = pixels + (size_t)id * rows * row_bytes;
    for (int row = 0; row < rows; row++) {
        const uchar filter = *from++;
        for (int i = 0; i < row_bytes; i++) {
            const int left = i >= pixel_bytes ? to[i - pixel_bytes] : 0;
            const int above = row > 0 ? to[i - row_bytes] : 0;
            const int corner = row > 0 && i >= pixel_bytes ? to[i - row_bytes - pixel_bytes] : 0;
            int guess = 0;
            switch (filter) {
            case SUB: guess = left; break;
            case UP: guess = above; break;
            case AVERAGE: guess = (left + above) / 2; break;
            case PAETH: guess = paeth(left, above, corner); break;
            default: break;
            }
            to[i] = from[i] + guess;
        }
        from += row_bytes;
        to += row_bytes;
    }
}

#define MOST_TAPS 12

typedef struct {
    short taps[MOST_TAPS];
    uchar order, shift;
    ushort unused;
} predictor_t;

/* Each item restores the samples of a channel of a frame, as FLAC does: the first ones as they are, the others from those before and a
 * residual. Channels stand side by side. */
__kernel void lpc_restore(__global const int *residuals, __global const predictor_t *predictors, const int channels, const int length,
                          __global int *samples)
{
    const int id = get_global_id(0);
    if (id >= channels) return;
    const predictor_t predictor = predictors[id];
    int past[MOST_TAPS];
    for (int k = 0; k < MOST_TAPS; k++) past[k] = 0;
    for (int i = 0; i < length; i++) {
        int sample = residuals[i * channels + id];
        if (i >= predictor.order) {
            long sum = 0;
            for (int k = 0; k < predictor.order; k++) sum += (long)predictor.taps[k] * past[k];
            sample += (int)(sum >> predictor.shift);
        }
        for (int k = MOST_TAPS - 1; k > 0; k--) past[k] = past[k - 1];
        past[0] = sample;
        samples[i * channels + id] = sample;
    }
}

enum { APART, LEFT_SIDE, SIDE_RIGHT, MID_SIDE };

/* Makes left and right of the two channels of each frame. */
__kernel void stereo_samples(__global const int2 *samples, __global const uchar *modes, const int frames, const int length,
                             __global short2 *sound)
{
    const int i = get_global_id(0), frame = get_global_id(1);
    if (i >= length) return;
    int2 pair = samples[i * frames + frame];
    switch (modes[frame]) {
    case LEFT_SIDE:
        pair.y = pair.x - pair.y;
        break;
    case SIDE_RIGHT:
        pair.x += pair.y;
        break;
    case MID_SIDE: {
        const int twice = pair.x << 1 | (pair.y & 1), side = pair.y;
        pair = (int2)(twice + side, twice - side) >> 1;
        break;
    }
    default:
        break;
    }
    sound[frame * length + i] = convert_short2_sat(pair);
}
