/* Rows: signatures in a row of bytes, bytes by how long ago they were, ones in a long row of bits,
 * a matrix that has few diagonals. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define KINDS 32 /* of bytes that signatures tell apart */
#define CHUNK 128

/* Each item goes through a piece of a stream with the automaton of Aho and Corasick, which knows
 * all signatures. It begins as many bytes before its piece as a signature may have there. An output
 * is a signature, or -1, and the next shorter state that may have one. */
__kernel void signature_scan(__global const uchar *bytes, const uint length,
                             __constant uchar *kinds, __global const ushort *steps,
                             __global const short2 *outputs, const uint longest,
                             volatile __global uint *counts, volatile __global uint *firsts)
{
    const uint begin = get_global_id(0) * CHUNK, end = min(begin + CHUNK, length);
    if (begin >= length) return;
    ushort state = 0;
    for (uint at = begin - min(begin, longest - 1); at < end; at++) {
        state = steps[state * KINDS + kinds[bytes[at]]];
        if (at < begin) continue;
        for (int ended = state; ended != 0; ended = outputs[ended].y) {
            const short signature = outputs[ended].x;
            if (signature < 0) continue;
            atomic_inc(counts + signature);
            atomic_min(firsts + signature, at);
        }
    }
}

__kernel void no_signatures(__global uint *counts, __global uint *firsts)
{
    counts[get_global_id(0)] = 0;
    firsts[get_global_id(0)] = UINT_MAX;
}

#define LETTERS 256

/* Each item tells of all bytes of a block how many others were there since: that many are before it
 * in a row, and it goes to the front. */
__kernel void front_ranks(__global const uchar *bytes, const int length, __global uchar *ranks)
{
    uchar row[LETTERS];
    for (int i = 0; i < LETTERS; i++) row[i] = i;
    bytes += get_global_id(0) * length;
    ranks += get_global_id(0) * length;
    for (int i = 0; i < length; i++) {
        const uchar byte = bytes[i];
        uchar before = row[0], rank = 0;
        while (before != byte) {
            rank++;
            const uchar here = row[rank];
            row[rank] = before;
            before = here;
        }
        row[0] = byte;
        ranks[i] = rank;
    }
}

/* Each item finds the bytes of a block again. */
__kernel void front_moves(__global const uchar *ranks, const int length, __global uchar *bytes)
{
    uchar row[LETTERS];
    for (int i = 0; i < LETTERS; i++) row[i] = i;
    ranks += get_global_id(0) * length;
    bytes += get_global_id(0) * length;
    for (int i = 0; i < length; i++) {
        const uchar rank = ranks[i], byte = row[rank];
        for (int k = rank; k > 0; k--) row[k] = row[k - 1];
        row[0] = byte;
        bytes[i] = byte;
    }
}

#define SCANNERS 256

/* Each item counts the ones of a block of 512 bits. */
__kernel void count_ones(__global const ulong *words, __global uint *before)
{
    const int id = get_global_id(0);
    const ulong8 ones = popcount(vload8(id, words));
    const ulong4 halves = ones.lo + ones.hi;
    before[id] = (uint)(halves.x + halves.y + halves.z + halves.w);
}

/* One work-group makes counts of blocks those of all blocks before, and writes all ones behind the
 * last. */
__kernel __attribute__((reqd_work_group_size(SCANNERS, 1, 1)))
void scan_ones(__global uint *before, const int blocks)
{
    __local uint sums[2][SCANNERS];

    const int lid = get_local_id(0);
    uint all = 0;
    for (int start = 0; start < blocks; start += SCANNERS) {
        const uint own = start + lid < blocks ? before[start + lid] : 0;
        int now = 0;
        sums[now][lid] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int apart = 1; apart < SCANNERS; apart *= 2) {
            sums[1 - now][lid] = sums[now][lid] + (lid >= apart ? sums[now][lid - apart] : 0);
            now = 1 - now;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (start + lid < blocks) before[start + lid] = all + sums[now][lid] - own;
        all += sums[now][SCANNERS - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) before[blocks] = all;
}

/* Each item says where the one of a number is, the first one being number 0. */
__kernel void select_bits(__global const ulong *words, __global const uint *before,
                          const uint blocks, __global const uint *numbers, __global uint *places)
{
    const int id = get_global_id(0);
    const uint number = numbers[id];
    if (number >= before[blocks]) {
        places[id] = UINT_MAX;
        return;
    }
    uint low = 0, high = blocks;
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (before[middle] <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    uint rest = number - before[low], place = low * 512;
    __global const ulong *block = words + low * 8;
    ulong word = *block;
    for (uint ones = popcount(word); rest >= ones; ones = popcount(word)) {
        rest -= ones;
        place += 64;
        word = *++block;
    }
    for (int width = 32; width > 0; width >>= 1) {
        const uint ones = popcount(word & ((1UL << width) - 1));
        if (rest >= ones) {
            rest -= ones;
            word >>= width;
            place += width;
        }
    }
    places[id] = place;
}

#define ROWS 256

/* Each item makes Chebyshev's next step for an unknown of a linear system. The matrix is stored by
 * diagonals; what would be outside of it is zero. */
__kernel __attribute__((reqd_work_group_size(ROWS, 1, 1)))
void dia_chebyshev(__global const double *diagonals, __constant int *offsets, const int count,
                   const int rows, __global const double *right, __global const double *guess,
                   const double keep, const double add, __global double *direction,
                   __global double *next)
{
    const int row = get_global_id(0);
    if (row >= rows) return;
    double rest = right[row];
    for (int k = 0; k < count; k++) {
        const int column = row + offsets[k];
        if (column >= 0 && column < rows) rest -= diagonals[k * rows + row] * guess[column];
    }
    const double way = keep == 0.0 ? add * rest : keep * direction[row] + add * rest;
    direction[row] = way;
    next[row] = guess[row] + way;
}

__kernel void no_guess(__global double *guess)
{
    guess[get_global_id(0)] = 0.0;
}
