/* Codes: what a receiver makes of noise, packed text, the landmarks of genes. */

#define STATES 64
#define BITS 256             /* of a frame */
#define STEPS (BITS + 6)     /* six zeros lead back to the first state */
#define WORDS ((STEPS + 31) / 32)

/* The two bits that are sent for the last seven. */
inline uint sent(const uint bits)
{
    return (popcount(bits & 0x79) & 1) << 1 | (popcount(bits & 0x5b) & 1);
}

/* How well two soft bits, of which a positive one is more likely 0, fit those sent. */
inline int fit(const uint pair, const char2 soft)
{
    return ((pair & 2) ? -soft.x : soft.x) + ((pair & 1) ? -soft.y : soft.y);
}

/* Viterbi's decoder for the code of rate 1/2 and length 7 that space probes use. A group has a frame, an item a state. */
__kernel __attribute__((reqd_work_group_size(STATES, 1, 1)))
void viterbi(__global const char2 *received, __global uint *decoded, __global int *metric)
{
    __local char2 soft[STEPS];
    __local int paths[2][STATES];
    __local uint survivors[STATES][WORDS];

    const uint state = get_local_id(0);
    const uint frame = get_group_id(0);
    for (uint t = state; t < STEPS; t += STATES) soft[t] = received[frame * STEPS + t];
    paths[0][state] = state == 0 ? 0 : -1000000;
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Seven bits of which the upper six are this state, the lowest one is what the state before lost. */
    const uint even = sent(state << 1), odd = sent(state << 1 | 1);
    const uint from_even = (state << 1) % STATES, from_odd = (state << 1 | 1) % STATES;
    uint decisions = 0;
    for (uint t = 0; t < STEPS; ++t) {
        __local const int *old = paths[t & 1];
        const int a = old[from_even] + fit(even, soft[t]);
        const int b = old[from_odd] + fit(odd, soft[t]);
        paths[~t & 1][state] = max(a, b);
        if (b > a) decisions |= 1u << (t & 31);
        if ((t & 31) == 31 || t == STEPS - 1) {
            survivors[state][t / 32] = decisions;
            decisions = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (state != 0) return;
    metric[frame] = paths[STEPS & 1][0];
    uint at = 0, word = 0;
    for (int t = STEPS - 1; t >= 0; --t) {
        if (t < BITS) word |= (at >> 5) << (t & 31);
        if (t < BITS && (t & 31) == 0) {
            decoded[frame * (BITS / 32) + t / 32] = word;
            word = 0;
        }
        at = (at << 1 | (survivors[at][t / 32] >> (t & 31) & 1)) % STATES;
    }
}

#define TOO_LONG 0xffffffffu

/* A length that may go on in further bytes. */
uint whole_length(__global const uchar *packed, uint *at, const uint end, uint length)
{
    if (length < 15) return length;
    uint more;
    do {
        if (*at >= end) return TOO_LONG;
        more = packed[(*at)++];
        length += more;
    } while (more == 255);
    return length;
}

/* Blocks of text, each packed for itself: bytes as they are and repetitions take turns. The status is the block's length, or
 * negative where the block is broken; of whole blocks there is a checksum by Adler. */
__kernel void lz_blocks(__global const uchar *packed, __global const uint *offsets, const uint blocks, const uint capacity,
                        __global uchar *text, __global int *status, __global uint *checksum)
{
    const uint block = get_global_id(0);
    if (block >= blocks) return;

    uint at = offsets[block];
    const uint end = offsets[block + 1];
    __global uchar *out = text + (size_t)block * capacity;
    uint n = 0;

    while (at < end) {
        const uint token = packed[at++];
        const uint literals = whole_length(packed, &at, end, token >> 4);
        if (literals > end - at || literals > capacity - n) {
            status[block] = -1;
            return;
        }
        for (uint i = 0; i < literals; ++i) out[n++] = packed[at++];
        if (at == end) break; /* the last bytes are as they are */

        if (end - at < 2) {
            status[block] = -2;
            return;
        }
        const uint distance = packed[at] | (uint)packed[at + 1] << 8;
        at += 2;
        uint length = whole_length(packed, &at, end, token & 15);
        if (distance == 0 || distance > n || length > capacity - n || length + 4 > capacity - n) {
            status[block] = -3;
            return;
        }
        for (length += 4; length > 0; --length, ++n) out[n] = out[n - distance];
    }

    uint a = 1, b = 0;
    for (uint i = 0; i < n; ++i) {
        a += out[i];
        b += a;
        if ((i & 4095) == 4095) {
            a %= 65521;
            b %= 65521;
        }
    }
    checksum[block] = (b % 65521) << 16 | a % 65521;
    status[block] = n;
}

#define K 21      /* letters of a word */
#define WINDOW 11 /* words of which the least one is a landmark */
#define MASK ((1UL << (2 * K)) - 1)
#define MOST 32   /* landmarks of a read that are kept */

/* By the lower five bits of a letter: A, C, G, T or U; 4 is any other. */
__constant uchar code_of[32] = {
    4, 0, 4, 1, 4, 4, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4
};

/* Thomas Wang's mixing of words, which can be undone. */
ulong mixed(ulong word)
{
    word = (~word + (word << 21)) & MASK;
    word = word ^ word >> 24;
    word = (word + (word << 3) + (word << 8)) & MASK;
    word = word ^ word >> 14;
    word = (word + (word << 2) + (word << 4)) & MASK;
    word = word ^ word >> 28;
    word = (word + (word << 31)) & MASK;
    return word;
}

/* Minimizers: of each eleven words in a row the least one by its hash, and where it is. A word and what is on the opposite
 * strand are the same. An item has a read; a histogram tells how common each hash's lowest byte is. */
__kernel void minimizers(__global const uchar *letters, __global const uint *starts, const uint reads, __global ulong *words,
                         __global ushort *places, __global uint *first, __global uint *counts, __global uint *used,
                         __global uint *histogram)
{
    const uint read = get_global_id(0);
    if (read >= reads) return;

    ulong ring[WINDOW];
    ulong found[MOST];
    ushort where[MOST];
    ulong forward = 0, backward = 0, least = ULONG_MAX;
    uint run = 0, count = 0, least_at = 0, last = UINT_MAX;
    const uint start = starts[read], length = starts[read + 1] - start;

    for (uint i = 0; i < length; ++i) {
        const uint code = code_of[letters[start + i] & 31];
        if (code > 3) {
            run = 0;
            least = ULONG_MAX;
            continue;
        }
        forward = (forward << 2 | code) & MASK;
        backward = backward >> 2 | (ulong)(3 - code) << (2 * (K - 1));
        if (++run < K) continue;

        const ulong hash = mixed(min(forward, backward));
        ring[i % WINDOW] = hash;
        if (hash < least) {
            least = hash;
            least_at = i;
        } else if (least_at + WINDOW <= i) {
            least = ULONG_MAX;
            for (uint j = i + 1 - WINDOW; j <= i; ++j) {
                if (ring[j % WINDOW] < least) {
                    least = ring[j % WINDOW];
                    least_at = j;
                }
            }
        }
        if (run >= K + WINDOW - 1 && least_at != last && count < MOST) {
            last = least_at;
            found[count] = least;
            where[count++] = (ushort)(least_at + 1 - K);
        }
    }

    counts[read] = count;
    if (count == 0) return;
    const uint base = atomic_add(used, count);
    first[read] = base;
    for (uint k = 0; k < count; ++k) {
        words[base + k] = found[k];
        places[base + k] = where[k];
        atomic_inc(&histogram[found[k] & 255]);
    }
}
