/* Signals: words of a broadcast whose broken bytes are mended, codes of a telephone that two decoders find together. */

#define LENGTH 204
#define PARITY 16
#define MOST_ERRORS (PARITY / 2)
#define ORDER 255

/* Products of the field of 256 elements, by logarithms. Powers are there twice, so that sums of two logarithms need no remainder. */
uchar times(__constant uchar *powers, __constant uchar *logs, const uchar a, const uchar b)
{
    return a == 0 || b == 0 ? 0 : powers[logs[a] + logs[b]];
}

uchar over(__constant uchar *powers, __constant uchar *logs, const uchar a, const uchar b)
{
    return a == 0 ? 0 : powers[logs[a] + ORDER - logs[b]];
}

/* Berlekamp's and Massey's way to the shortest polynomial that makes each syndrome from those before; gives its degree. */
int locator_of(__constant uchar *powers, __constant uchar *logs, const uchar *syndromes, uchar *locator)
{
    uchar earlier[PARITY + 1], kept[PARITY + 1], last = 1;
    int degree = 0, shift = 1;
    for (int i = 0; i <= PARITY; i++) locator[i] = earlier[i] = i == 0;
    for (int n = 0; n < PARITY; n++) {
        uchar off = syndromes[n];
        for (int i = 1; i <= degree; i++) off ^= times(powers, logs, locator[i], syndromes[n - i]);
        if (off == 0) {
            shift++;
            continue;
        }
        const uchar factor = over(powers, logs, off, last);
        const bool is_longer = 2 * degree <= n;
        if (is_longer) {
            for (int i = 0; i <= PARITY; i++) kept[i] = locator[i];
        }
        for (int i = shift; i <= PARITY; i++) locator[i] ^= times(powers, logs, factor, earlier[i - shift]);
        if (is_longer) {
            degree = n + 1 - degree;
            for (int i = 0; i <= PARITY; i++) earlier[i] = kept[i];
            last = off;
            shift = 1;
        } else {
            shift++;
        }
    }
    return degree;
}

/* Each item mends a word: Reed's and Solomon's code of 204 bytes, as satellites send it, of which 8 may be wrong. Bytes of the same place
 * of all words lie together. It tells how many bytes were wrong, or -1 where they were too many: such a word stays as it is. */
__kernel void reed_solomon(__global const uchar *received, const int words, __constant uchar *powers, __constant uchar *logs,
                           __global uchar *mended, __global char *found)
{
    const int id = get_global_id(0);
    if (id >= words) return;
    uchar syndromes[PARITY], any_wrong = 0;
    for (int k = 0; k < PARITY; k++) syndromes[k] = 0;
    for (int i = 0; i < LENGTH; i++) {
        const uchar byte = received[i * words + id];
        mended[i * words + id] = byte;
        for (int k = 0; k < PARITY; k++) {
            const uchar sum = syndromes[k];
            syndromes[k] = byte ^ (sum == 0 ? 0 : powers[logs[sum] + k]);
        }
    }
    for (int k = 0; k < PARITY; k++) any_wrong |= syndromes[k];
    if (any_wrong == 0) {
        found[id] = 0;
        return;
    }

    uchar locator[PARITY + 1], evaluator[PARITY];
    const int errors = locator_of(powers, logs, syndromes, locator);
    if (errors > MOST_ERRORS) {
        found[id] = -1;
        return;
    }
    uchar places[MOST_ERRORS];
    int count = 0;
    for (int i = 0; i < LENGTH && count < errors; i++) {
        const int back = ORDER - (LENGTH - 1 - i); /* the power that this place's root is */
        uchar sum = 1;
        for (int k = 1; k <= errors; k++) {
            if (locator[k] != 0) sum ^= powers[(logs[locator[k]] + back * k) % ORDER];
        }
        if (sum == 0) places[count++] = i;
    }
    if (count < errors) {
        found[id] = -1;
        return;
    }
    for (int i = 0; i < PARITY; i++) {
        evaluator[i] = 0;
        for (int k = 0; k <= min(i, errors); k++) evaluator[i] ^= times(powers, logs, locator[k], syndromes[i - k]);
    }
    for (int n = 0; n < errors; n++) {
        const int power = LENGTH - 1 - places[n], back = ORDER - power;
        uchar top = 0, below = 0;
        for (int i = 0; i < errors; i++) {
            if (evaluator[i] != 0) top ^= powers[(logs[evaluator[i]] + back * i) % ORDER];
        }
        for (int k = 1; k <= errors; k += 2) {
            if (locator[k] != 0) below ^= powers[(logs[locator[k]] + back * (k - 1)) % ORDER];
        }
        const uchar wrong_by = times(powers, logs, powers[power], over(powers, logs, top, below));
        mended[places[n] * words + id] ^= wrong_by;
    }
    found[id] = errors;
}

#define BITS 128
#define TAIL 3
#define STATES 8
#define BLOCKS_GROUP 8
#define NEVER -16000

/* What a bit and its check say for a step of the encoder: chances are logarithms, above 0 for 1. */
short step_score(const int bit, const int check, const short for_bit, const short for_check)
{
    return (bit ? for_bit : -for_bit) + (check ? for_check : -for_check);
}

/* A work-group goes through eight blocks, forwards and backwards; an item has one of the encoder's eight states of one block. What the
 * code of one encoder tells more about each bit is for the other one, whose bits are in another order. After the last bit, three steps
 * lead to state 0. */
__kernel __attribute__((reqd_work_group_size(STATES, BLOCKS_GROUP, 1)))
void turbo_halves(__global const char *bits, __global const char *checks, __global const char2 *tails, __constant uchar *order,
                  const int blocks, __global const char *known, __global char *learned)
{
    __local short ways[BITS][BLOCKS_GROUP][STATES];
    __local short now[BLOCKS_GROUP][STATES];
    __local short2 ends[BLOCKS_GROUP][STATES]; /* the best way with a 0, and with a 1 */

    const int state = get_local_id(0), row = get_local_id(1), block = min((int)get_global_id(1), blocks - 1);
    const bool is_block = get_global_id(1) < blocks;
    const int newest = state >> 2, middle = state >> 1 & 1, oldest = state & 1;
    bits += block * BITS;
    checks += block * BITS;
    known += block * BITS;
    tails += block * TAIL;

    short best = state == 0 ? 0 : NEVER;
    for (int i = 0; i < BITS; i++) {
        ways[i][row][state] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        const short for_bit = (short)bits[order[i]] + known[order[i]], for_check = checks[i];
        best = SHRT_MIN;
        for (int k = 0; k < 2; k++) {
            /* The state before: what is newest here came in, what is lost was `k`. */
            const int before = (state & 3) << 1 | k, bit = newest ^ oldest ^ k, check = newest ^ middle ^ k;
            best = max(best, (short)(ways[i][row][before] + step_score(bit, check, for_bit, for_check)));
        }
        now[row][state] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        best -= now[row][0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    best = state == 0 ? 0 : NEVER;
    for (int i = TAIL - 1; i >= 0; i--) {
        now[row][state] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        const char2 tail = tails[i];
        best = now[row][state >> 1] + step_score(middle ^ oldest, newest ^ oldest, tail.x, tail.y);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = BITS - 1; i >= 0; i--) {
        now[row][state] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
        const int place = order[i];
        const short for_bit = (short)bits[place] + known[place], for_check = checks[i], first = now[row][0];
        short scores[2];
        for (int bit = 0; bit < 2; bit++) {
            const int in = bit ^ middle ^ oldest;
            scores[bit] = now[row][in << 2 | state >> 1] - first + step_score(bit, in ^ newest ^ oldest, for_bit, for_check);
        }
        best = max(scores[0], scores[1]);
        ends[row][state] = (short2)(scores[0], scores[1]) + ways[i][row][state];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (state == 0 && is_block) {
            short2 both = ends[row][0];
            for (int k = 1; k < STATES; k++) both = max(both, ends[row][k]);
            const int more = (both.y - both.x) / 2 - for_bit;
            learned[block * BITS + place] = convert_char_sat(more * 3 / 4);
        }
    }
}

/* Each item decides on the bits of a byte. */
__kernel void hard_bits(__global const char *bits, __global const char *learned, __global const char *other, __global uchar *bytes)
{
    const int id = get_global_id(0);
    const short8 sums = convert_short8(vload8(id, bits)) + convert_short8(vload8(id, learned)) + convert_short8(vload8(id, other));
    const short8 ones = select((short8)(0), (short8)(128, 64, 32, 16, 8, 4, 2, 1), sums > (short8)(0));
    const short4 half_sums = ones.lo + ones.hi;
    bytes[id] = half_sums.x + half_sums.y + half_sums.z + half_sums.w;
}

__kernel void nothing_known(__global char *known)
{
    known[get_global_id(0)] = 0;
}
