/* Streams: strips of a picture by growing tables, checksums of records, strings of bases in a band, what reads say about each place. */

#define CLEAR 256
#define END 257
#define ENTRIES 4096

/* Each item unpacks a strip. A string of the table is one that was written before: where it begins, and its length. */
__kernel void lzw_strips(__global const uchar *packed, __global const uint *starts, const int strips, const int strip_bytes,
                         __global ushort2 *tables, __global uchar *unpacked, __global int *lengths)
{
    const int id = get_global_id(0);
    if (id >= strips) return;
    __global ushort2 *table = tables + (size_t)id * ENTRIES;
    __global uchar *to = unpacked + (size_t)id * strip_bytes;
    uint at = starts[id], bits = 0;
    int held = 0, width = 9, next = END + 1, length = 0;
    ushort2 last = (ushort2)(0);
    while (length < strip_bytes) {
        while (held < width) {
            bits = bits << 8 | packed[at++];
            held += 8;
        }
        held -= width;
        const int code = bits >> held & ((1 << width) - 1);
        if (code == END) break;
        if (code == CLEAR) {
            width = 9;
            next = END + 1;
            last.y = 0;
            continue;
        }
        if (last.y > 0) table[next++] = (ushort2)(last.x, last.y + 1);
        const int start = length;
        if (code < CLEAR) {
            to[length++] = code;
        } else {
            const ushort2 string = table[code];
            for (int i = 0; i < string.y && length < strip_bytes; i++) to[length++] = to[string.x + i];
        }
        last = (ushort2)(start, length - start);
        if (next + 1 >= 1 << width && width < 12) width++;
    }
    lengths[id] = length;
}

typedef struct {
    uint start;    /* in words of 32 bits */
    uint length;   /* in bytes */
    uint checksum; /* that it ought to have */
} record_t;

/* Each item finds the checksum of a record, by CRC-32, eight bytes at a time: a table for each of eight bytes. */
__kernel void crc_slices(__global const uint *words, __global const record_t *records, const int count, __constant uint *tables,
                         __global uint *checksums, volatile __global int *damaged, __global int *damaged_records)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const record_t record = records[id];
    __global const uint *word = words + record.start;
    uint sum = 0xffffffff, left = record.length;
    for (; left >= 8; left -= 8, word += 2) {
        const uint first = word[0] ^ sum, second = word[1];
        sum = tables[7 * 256 + (first & 255)] ^ tables[6 * 256 + (first >> 8 & 255)] ^ tables[5 * 256 + (first >> 16 & 255)] ^
              tables[4 * 256 + (first >> 24)] ^ tables[3 * 256 + (second & 255)] ^ tables[2 * 256 + (second >> 8 & 255)] ^
              tables[256 + (second >> 16 & 255)] ^ tables[second >> 24];
    }
    __global const uchar *byte = (__global const uchar *)word;
    for (; left > 0; left--) sum = sum >> 8 ^ tables[(sum ^ *byte++) & 255];
    sum = ~sum;
    checksums[id] = sum;
    if (sum != record.checksum) damaged_records[atomic_inc(damaged)] = id;
}

__kernel void none_damaged(__global int *damaged)
{
    *damaged = 0;
}

#define BAND 12
#define CELLS (2 * BAND + 1)
#define NEVER -16000

/* Each item aligns a read with where it ought to be in a genome, by Gotoh's scores in a band around the diagonal. All of the read must
 * be there; bases at the end of the genome's part may be left. Bases with the same number lie together; 4 is none of them. */
__kernel void banded_affine(__global const uchar *reads, __global const uchar *read_lengths, __global const uchar *genomes,
                            const int count, const int genome_length, const short4 scores, __global int2 *results)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const short match = scores.x, mismatch = scores.y, open = scores.z, extend = scores.w;
    const int length = read_lengths[id];
    short best_of[CELLS + 1], gap_of[CELLS + 1]; /* gaps that take a base of the read; the last one is out of the band */
    for (int k = 0; k <= CELLS; k++) {
        const int j = k - BAND;
        best_of[k] = j < 0 || k == CELLS ? NEVER : j == 0 ? 0 : -(open + extend * j);
        gap_of[k] = NEVER;
    }
    for (int i = 1; i <= length; i++) {
        const uchar base = reads[(i - 1) * count + id];
        short left = NEVER, left_gap = NEVER;
        for (int k = 0; k < CELLS; k++) {
            const int j = i + k - BAND;
            short best = NEVER;
            gap_of[k] = max(gap_of[k + 1] - extend, best_of[k + 1] - open - extend);
            if (j < 0 || j > genome_length) {
                gap_of[k] = NEVER;
                left_gap = NEVER;
            } else if (j == 0) {
                best = gap_of[k] = -(open + extend * i);
                left_gap = NEVER;
            } else {
                const uchar other = genomes[(j - 1) * count + id];
                left_gap = max(left_gap - extend, left - open - extend);
                best = best_of[k] + (base > 3 || other > 3 ? -1 : base == other ? match : mismatch);
                best = max(best, max(gap_of[k], left_gap));
            }
            best_of[k] = best;
            left = best;
        }
    }
    int2 result = (int2)(NEVER, 0);
    for (int k = 0; k < CELLS; k++) {
        if (best_of[k] > result.x) result = (int2)(best_of[k], length + k - BAND);
    }
    results[id] = result;
}

typedef struct {
    uchar genotype, quality;
    ushort depth;
    int strands; /* how many more bases come from one strand than from the other */
} call_t;

/* Each item finds which two bases a place of a genome has, from all reads that were laid over it. Of a base there are two bits, of its
 * quality six, above them the strand. */
__kernel void pileup_calls(__global const uint *starts, __global const ushort *bases, const int places, const int least_quality,
                           __constant float *errors, __global float *likelihoods, __global call_t *calls)
{
    const int id = get_global_id(0);
    call_t call = {10, 0, 0, 0};
    const uint start = starts[id], end = starts[id + 1];
    if (start == end) {
        calls[id] = call;
        return;
    }
    float sums[10];
    for (int k = 0; k < 10; k++) sums[k] = 0.0f;
    for (uint i = start; i < end; i++) {
        const ushort base = bases[i];
        const int own = base & 3, quality = base >> 2 & 63;
        if (quality < least_quality) continue;
        const float error = errors[quality];
        const float both = log10(1.0f - error), one = log10(0.5f - error / 3.0f), none = log10(error / 3.0f);
        int k = 0;
        for (int first = 0; first < 4; first++) {
            for (int second = first; second < 4; second++, k++) {
                const int hits = (first == own) + (second == own);
                switch (hits) {
                case 2: sums[k] += both; break;
                case 1: sums[k] += one; break;
                default: sums[k] += none;
                }
            }
        }
        call.depth++;
        call.strands += base >> 8 & 1 ? 1 : -1;
    }
    float best = -FLT_MAX, second_best = -FLT_MAX;
    for (int k = 0; k < 10; k++) {
        likelihoods[k * places + id] = sums[k];
        if (sums[k] > best) {
            second_best = best;
            best = sums[k];
            call.genotype = k;
        } else if (sums[k] > second_best) {
            second_best = sums[k];
        }
    }
    call.quality = convert_uchar_sat(fmin(10.0f * (best - second_best), 99.0f));
    if (call.depth == 0) call.genotype = 10;
    calls[id] = call;
}
