/* Data: how likely a hidden chain is, words of nucleotides counted, the region that a place is in. */

#define STATES 48
#define ITEMS 64

/* The forward algorithm of a hidden Markov model: a group has a sequence, an item a state. The numbers are scaled at each step,
 * and the logarithms of the scales add up to the answer. A sequence that cannot be ends at once. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void hmm_forward(__global const uchar *symbols, __global const int *starts, const int symbol_count, __global const float *begin,
                 __global const float *moves, __global const float *shows, __global float *likelihood)
{
    __local float now[STATES];
    __local float sums[ITEMS];

    const int state = get_local_id(0), sequence = get_group_id(0);
    const int first = starts[sequence], end = starts[sequence + 1];

    float logarithm = 0.0f;
    for (int t = first; t < end; t++) {
        const int symbol = symbols[t];
        float mine = 0.0f;
        if (state < STATES) {
            if (t == first) {
                mine = begin[state];
            } else {
                for (int from = 0; from < STATES; from++) mine += now[from] * moves[from * STATES + state];
            }
            mine *= shows[state * symbol_count + symbol];
        }
        sums[state] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int half_way = ITEMS / 2; half_way > 0; half_way >>= 1) {
            if (state < half_way) sums[state] += sums[state + half_way];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float total = sums[0];
        if (total <= 0.0f) {
            logarithm = -INFINITY;
            break;
        }
        logarithm += log(total);
        if (state < STATES) now[state] = mine / total;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (state == 0) likelihood[sequence] = logarithm;
}

#define WORD 9 /* nucleotides */
#define BINS 32

/* A 0, C 1, G 2, T 3, anything else -1. */
inline int nucleotide(const char letter)
{
    switch (letter) {
    case 'A': case 'a': return 0;
    case 'C': case 'c': return 1;
    case 'G': case 'g': return 2;
    case 'T': case 't': return 3;
    default: return -1;
    }
}

/* How often each word occurs, read forward or as its complement from behind, whichever is less: an item has a read. */
__kernel void kmer_counts(__global const char *letters, __global const int *starts, const int reads, __global uint *counts)
{
    const int read = get_global_id(0);
    if (read >= reads) return;

    const uint mask = (1u << 2 * WORD) - 1;
    uint forward = 0, backward = 0;
    int known = 0;
    for (int i = starts[read]; i < starts[read + 1]; i++) {
        const int letter = nucleotide(letters[i]);
        if (letter < 0) {
            known = 0;
            continue;
        }
        forward = (forward << 2 | letter) & mask;
        backward = backward >> 2 | (uint)(3 - letter) << 2 * (WORD - 1);
        if (++known >= WORD) atomic_inc(&counts[min(forward, backward)]);
    }
}

/* How many words came how often: a group has bins of its own, and adds them up at its end. */
__kernel void kmer_spectrum(__global const uint *counts, const uint words, __global uint *spectrum)
{
    __local uint bins[BINS];

    const int lid = get_local_id(0);
    if (lid < BINS) bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint word = get_global_id(0); word < words; word += get_global_size(0)) {
        if (counts[word] > 0) atomic_inc(&bins[min(counts[word], BINS - 1u)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < BINS && bins[lid] > 0) atomic_add(&spectrum[lid], bins[lid]);
}

/* The first region that has a place inside, or -1. Borders are closed chains of corners in whole numbers, and what is in their
 * boxes (left, top, right, bottom) is looked at edge by edge. */
__kernel void find_region(__global const int2 *places, const int count, __global const int4 *boxes, __global const int *starts,
                          const int regions, __global const int2 *corners, __global int *found)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    const int2 place = places[i];
    int answer = -1;
    for (int r = 0; r < regions; r++) {
        const int4 box = boxes[r];
        if (place.x < box.x || place.y < box.y || place.x > box.z || place.y > box.w) continue;

        bool inside = false;
        int2 a = corners[starts[r + 1] - 1];
        for (int c = starts[r]; c < starts[r + 1]; c++) {
            const int2 b = corners[c];
            if ((a.y > place.y) != (b.y > place.y)) {
                const long side = (long)(b.x - a.x) * (place.y - a.y) - (long)(place.x - a.x) * (b.y - a.y);
                if (b.y > a.y ? side > 0 : side < 0) inside = !inside;
            }
            a = b;
        }
        if (inside) {
            answer = r;
            break;
        }
    }
    found[i] = answer;
}
