/* Data: what antennas hear together, ranks of linked pages, a code of bits read in blocks. */

#define SIDE 16 /* antennas of a tile */
#define DEPTH 32 /* times that a group has in local memory */

/* For each channel and pair of antennas the sum over all times of one's sample by the conjugate of the other's: a correlator.
 * Samples are complex, by time, channel and antenna. A group has 16 x 16 pairs, an item four; pairs above the diagonal are the
 * others' conjugates, so that groups there do nothing. */
__kernel __attribute__((reqd_work_group_size(SIDE / 2, SIDE / 2, 1)))
void correlate(__global const char2 *samples, const int antennas, const int channels, const int times, __global int2 *out)
{
    __local char2 rows[DEPTH][SIDE], columns[DEPTH][SIDE];

    const int left = get_group_id(0) * SIDE, top = get_group_id(1) * SIDE, channel = get_group_id(2);
    if (left > top) return;

    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * (SIDE / 2) + lx;
    int2 sums[2][2] = {{(int2)(0), (int2)(0)}, {(int2)(0), (int2)(0)}};
    for (int base = 0; base < times; base += DEPTH) {
        for (int i = lid; i < DEPTH * SIDE; i += SIDE * SIDE / 4) {
            const int time = base + i / SIDE, row = top + i % SIDE, column = left + i % SIDE;
            __global const char2 *from = samples + (time * channels + channel) * antennas;
            rows[i / SIDE][i % SIDE] = time < times && row < antennas ? from[row] : (char2)(0);
            columns[i / SIDE][i % SIDE] = time < times && column < antennas ? from[column] : (char2)(0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int time = 0; time < DEPTH; time++) {
            for (int j = 0; j < 2; j++) {
                const int2 a = convert_int2(rows[time][2 * ly + j]);
                for (int i = 0; i < 2; i++) {
                    const int2 b = convert_int2(columns[time][2 * lx + i]);
                    sums[j][i] += (int2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++) {
            const int row = top + 2 * ly + j, column = left + 2 * lx + i;
            if (row >= antennas || column > row) continue;
            out[channel * (antennas * (antennas + 1) / 2) + row * (row + 1) / 2 + column] = sums[j][i];
        }
    }
}

#define ITEMS 256

/* What each page gives to each that it has a link to; parts of the sum of what pages without a link have. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rank_shares(__global const float *ranks, __global const int *links, const int pages, __global float *shares,
                 __global float *lost)
{
    __local float sums[ITEMS];

    const int lid = get_local_id(0);
    float sum = 0.0f;
    for (int page = get_global_id(0); page < pages; page += get_global_size(0)) {
        const int count = links[page];
        const float rank = ranks[page];
        if (count == 0) {
            sum += rank;
            shares[page] = 0.0f;
        } else {
            shares[page] = rank / count;
        }
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) lost[get_group_id(0)] = sums[0];
}

/* What all pages get, before what their links bring: of the parts of `lost`, by one item. */
__kernel void rank_base(__global const float *lost, const int parts, const int pages, const float damping, __global float *base)
{
    float sum = 0.0f;
    for (int i = 0; i < parts; i++) sum += lost[i];
    *base = (1.0f - damping + damping * sum) / pages;
}

/* A page's rank of what those have that link to it. */
__kernel void rank_pull(__global const float *shares, __global const int *starts, __global const int *sources,
                        __global const float *base, const int pages, const float damping, __global float *ranks)
{
    const int page = get_global_id(0);
    if (page >= pages) return;
    float sum = 0.0f;
    const int end = starts[page + 1];
    for (int k = starts[page]; k < end; k++) sum += shares[sources[k]];
    ranks[page] = *base + damping * sum;
}

#define SYMBOLS 512 /* of a block, which an item reads */
#define SHORT 8     /* bits that the table knows */
#define LONGEST 15
#define READERS 64

/* A canonical code. Codes of up to 8 bits are in `table`, their lengths in the lowest four bits and the symbols above these; for
 * longer ones the first code of each length is known, and where its symbols begin in the list of all. */
struct code {
    ushort table[1 << SHORT];
    uint firsts[LONGEST + 2]; /* as the highest of 15 bits; what is not below the next one is longer */
    ushort begins[LONGEST + 2];
    uchar symbols[256];
};

__kernel __attribute__((reqd_work_group_size(READERS, 1, 1)))
void huffman_blocks(__global const struct code *code, __global const uint *words, __global const uint *starts, const int count,
                    __global uchar *out)
{
    __local ushort table[1 << SHORT];

    const int lid = get_local_id(0), block = get_global_id(0);
    for (int i = lid; i < (1 << SHORT); i += READERS) table[i] = code->table[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int first = block * SYMBOLS, last = min(first + SYMBOLS, count);
    if (first >= count) return;
    uint at = starts[block] / 32;
    ulong bits = ((ulong)words[at] << 32 | words[at + 1]) << (starts[block] % 32);
    int have = 64 - starts[block] % 32;
    at += 2;
    for (int i = first; i < last; i++) {
        if (have < 32) {
            bits |= (ulong)words[at++] << (32 - have);
            have += 32;
        }
        const ushort entry = table[bits >> (64 - SHORT)];
        int length = entry & 15;
        uchar symbol = entry >> 4;
        if (length == 0) {
            const uint next = (uint)(bits >> (64 - LONGEST));
            length = SHORT + 1;
            while (next >= code->firsts[length + 1]) length++;
            symbol = code->symbols[code->begins[length] + ((next - code->firsts[length]) >> (LONGEST - length))];
        }
        out[i] = symbol;
        bits <<= length;
        have -= length;
    }
}
