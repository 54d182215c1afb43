/* Data: the best shortcut of a tour, streams of an entropy coder, decimals of text, sets that may be alike. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TOURISTS 64

/* Of two moves (gain, number) the better one, or the first of equal ones. */
int is_better(const float gain, const int move, const float than, const int other)
{
    return gain > than || (gain == than && move < other);
}

/* Each pair of a closed tour's steps could be replaced by another two. A move's number says which, as in a triangle. A
 * work-group looks at many moves and tells the best one: what it gains, and its number. */
__kernel __attribute__((reqd_work_group_size(TOURISTS, 1, 1)))
void two_opt(__global const float2 *cities, const int count, __global const float *steps, __global float *gains,
             __global int *moves)
{
    __local float best_gains[TOURISTS];
    __local int best_moves[TOURISTS];

    const int lid = get_local_id(0), all = count * (count - 1) / 2;
    float best = -1.0f;
    int best_move = INT_MAX;
    for (int move = get_global_id(0); move < all; move += get_global_size(0)) {
        int j = (int)((1.0f + sqrt(1.0f + 8.0f * (float)move)) * 0.5f);
        while (j * (j - 1) / 2 > move) j--;
        while (j * (j + 1) / 2 <= move) j++;
        const int i = move - j * (j - 1) / 2, after = j + 1 == count ? 0 : j + 1;
        const float added = distance(cities[i], cities[j]) + distance(cities[i + 1], cities[after]);
        const float gain = steps[i] + steps[j] - added;
        if (is_better(gain, move, best, best_move)) {
            best = gain;
            best_move = move;
        }
    }
    best_gains[lid] = best;
    best_moves[lid] = best_move;
    for (int half_count = TOURISTS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid >= half_count) continue;
        const int other = lid + half_count;
        if (is_better(best_gains[other], best_moves[other], best_gains[lid], best_moves[lid])) {
            best_gains[lid] = best_gains[other];
            best_moves[lid] = best_moves[other];
        }
    }
    if (lid == 0) {
        gains[get_group_id(0)] = best_gains[0];
        moves[get_group_id(0)] = best_moves[0];
    }
}

/* How long each step of the tour is. */
__kernel void tour_steps(__global const float2 *cities, const int count, __global float *steps)
{
    const int id = get_global_id(0);
    if (id < count) steps[id] = distance(cities[id], cities[(id + 1) % count]);
}

#define SHARE_BITS 12
#define LEAST_STATE (1u << 23)

/* Takes a symbol off a state, and gives the state the bytes that it lacks. */
uchar next_symbol(uint *state, __global const uchar *stream, int *at, __global const uchar *symbols, __global const ushort2 *shares)
{
    const uint slot = *state & ((1u << SHARE_BITS) - 1);
    const uchar symbol = symbols[slot];
    const ushort2 share = shares[symbol];
    uint next = share.y * (*state >> SHARE_BITS) + slot - share.x;
    while (next < LEAST_STATE) {
        next = next << 8 | stream[*at];
        *at += 1;
    }
    *state = next;
    return symbol;
}

/* Each item decodes a chunk, whose symbols two states have in turns. `shares` has where a symbol's slots begin, and how many
 * they are. */
__kernel void rans_streams(__global const uchar *bytes, __global const int *starts, const int chunks, const int length,
                           __global const uchar *symbols, __global const ushort2 *shares, __global uchar *out)
{
    const int id = get_global_id(0);
    if (id >= chunks) return;
    __global const uchar *stream = bytes + starts[id];
    uint states[2];
    int at = 0;
    for (int i = 0; i < 2; i++, at += 4) {
        states[i] = stream[at] | stream[at + 1] << 8 | stream[at + 2] << 16 | (uint)stream[at + 3] << 24;
    }
    for (int i = 0; i + 1 < length; i += 2) {
        out[id * length + i] = next_symbol(&states[0], stream, &at, symbols, shares);
        out[id * length + i + 1] = next_symbol(&states[1], stream, &at, symbols, shares);
    }
    if (length % 2 == 1) out[id * length + length - 1] = next_symbol(&states[0], stream, &at, symbols, shares);
}

__constant double tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

int is_digit(const char letter)
{
    return letter >= '0' && letter <= '9';
}

/* The field from `at` to `end` as a number; 0 is returned if it is none: a sign, digits with a point among them, and an
 * exponent, of which sign, point and exponent may be missing. No more digits and no larger powers of ten are known than are
 * exact. */
int read_decimal(__global const char *text, int at, const int end, double *value)
{
    while (at < end && text[at] == ' ') at++;
    const int is_negative = at < end && text[at] == '-';
    if (at < end && (text[at] == '-' || text[at] == '+')) at++;
    long digits = 0;
    int count = 0, power = 0, is_after = 0;
    for (; at < end; at++) {
        const char letter = text[at];
        if (letter == '.' && !is_after) {
            is_after = 1;
        } else if (is_digit(letter)) {
            digits = digits * 10 + (letter - '0');
            count++;
            power -= is_after;
        } else {
            break;
        }
    }
    if (count == 0 || count > 15) return 0;
    if (at < end && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        const int is_down = at < end && text[at] == '-';
        if (at < end && (text[at] == '-' || text[at] == '+')) at++;
        int exponent = 0;
        if (at == end) return 0;
        for (; at < end && is_digit(text[at]); at++) exponent = min(exponent * 10 + (text[at] - '0'), 1000);
        power += is_down ? -exponent : exponent;
    }
    if (at < end || power > 22 || power < -22) return 0;
    const double exact = (double)digits;
    const double result = power < 0 ? exact / tens[-power] : exact * tens[power];
    *value = is_negative ? -result : result;
    return 1;
}

/* Fields of a text as numbers. Those that are none are 0, are marked and counted. */
__kernel void decimal_fields(__global const char *text, __global const int *ends, const int fields, __global double *values,
                             __global uchar *marks, __global int *flawed)
{
    const int id = get_global_id(0);
    if (id >= fields) return;
    double value = 0.0;
    const int is_number = read_decimal(text, id == 0 ? 0 : ends[id - 1], ends[id], &value);
    values[id] = value;
    marks[id] = is_number ? 0 : 1;
    if (!is_number) atomic_inc(flawed);
}

__kernel void none_flawed(__global int *flawed)
{
    flawed[0] = 0;
}

#define HASHES 64
#define BAND 4

/* Each document is a set of words. Under each of some hash functions the least word is kept: documents with the same one have
 * much in common. The first dimension is the function. */
__kernel void minhash_sets(__global const uint *words, __global const int *starts, const int documents,
                           __global const uint2 *functions, __global uint *least)
{
    const int k = get_global_id(0), document = get_global_id(1);
    if (document >= documents) return;
    const uint2 function = functions[k];
    uint smallest = UINT_MAX;
    for (int i = starts[document]; i < starts[document + 1]; i++) {
        const uint value = function.x * words[i] + function.y;
        smallest = min(smallest, value ^ value >> 15);
    }
    least[document * HASHES + k] = smallest;
}

__kernel void empty_buckets(__global int *buckets)
{
    buckets[get_global_id(0)] = 0;
}

/* Some neighbouring values of a document make a key, which says in which bucket of its band the document is. */
__kernel void fill_buckets(__global const uint4 *least, const int documents, const int buckets_of_band, __global uint *keys,
                           __global int *buckets)
{
    const int bands = HASHES / BAND, band = get_global_id(0) % bands, document = get_global_id(0) / bands;
    if (document >= documents) return;
    const uint4 four = least[document * bands + band];
    uint key = 2166136261u;
    key = (key ^ four.x) * 16777619u;
    key = (key ^ four.y) * 16777619u;
    key = (key ^ four.z) * 16777619u;
    key = (key ^ four.w) * 16777619u;
    keys[document * bands + band] = key;
    atomic_inc(&buckets[band * buckets_of_band + (key >> 7) % (uint)buckets_of_band]);
}
