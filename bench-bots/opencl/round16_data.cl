/* Data: bytes as letters and back, how many different keys columns have, puzzles that need a search. */

__constant char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes are four letters; the last ones are filled up. */
__kernel void base64_encode(__global const uchar *bytes, const int count, __global uchar4 *letters)
{
    const int id = get_global_id(0), at = 3 * id;
    if (at >= count) return;
    uint bits = bytes[at] << 16;
    if (at + 1 < count) bits |= bytes[at + 1] << 8;
    if (at + 2 < count) bits |= bytes[at + 2];
    letters[id] = (uchar4)(alphabet[bits >> 18], alphabet[bits >> 12 & 63], at + 1 < count ? alphabet[bits >> 6 & 63] : '=',
                           at + 2 < count ? alphabet[bits & 63] : '=');
}

/* What a letter stands for, or -1. */
int value_of(const uchar letter)
{
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    if (letter == '+') return 62;
    if (letter == '/') return 63;
    return -1;
}

/* No flaw is found: (the first place of one, how many there are). */
__kernel void no_flaws(__global int *flaws)
{
    flaws[0] = INT_MAX;
    flaws[1] = 0;
}

/* Four letters are three bytes, or fewer at the end. A letter that is none counts as a flaw, and as 0. */
__kernel void base64_decode(__global const uchar4 *letters, const int quads, __global uchar *bytes, __global int *flaws)
{
    const int id = get_global_id(0);
    if (id >= quads) return;
    const uchar4 four = letters[id];
    int filled = 0;
    if (id == quads - 1 && four.w == '=') filled = four.z == '=' ? 2 : 1;
    int4 values = (int4)(value_of(four.x), value_of(four.y), value_of(four.z), value_of(four.w));
    if (filled > 0) values.w = 0;
    if (filled > 1) values.z = 0;
    if (any(values < 0)) {
        const int first = values.x < 0 ? 0 : values.y < 0 ? 1 : values.z < 0 ? 2 : 3;
        atomic_min(&flaws[0], 4 * id + first);
        atomic_add(&flaws[1], (values.x < 0) + (values.y < 0) + (values.z < 0) + (values.w < 0));
        values = max(values, 0);
    }
    const uint bits = values.x << 18 | values.y << 12 | values.z << 6 | values.w;
    const uchar3 three = (uchar3)(bits >> 16, bits >> 8 & 255, bits & 255);
    if (filled == 0) {
        vstore3(three, id, bytes);
    } else {
        bytes[3 * id] = three.x;
        if (filled == 1) bytes[3 * id + 1] = three.y;
    }
}

#define INDEX_BITS 10
#define REGISTERS 1024
#define COUNTERS 128

/* Spreads a key's bits over a word. */
ulong mix(ulong key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdUL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53UL;
    return key ^ key >> 33;
}

__kernel void clear_registers(__global uint *registers)
{
    registers[get_global_id(0)] = 0;
}

/* Each register has the most zeros, and one, that any of its keys begins with. The second dimension is the column; the work-groups
 * of a column share its keys. */
__kernel __attribute__((reqd_work_group_size(COUNTERS, 1, 1)))
void fill_registers(__global const ulong *keys, const int rows, __global uint *registers)
{
    __local uint own[REGISTERS];

    const int lid = get_local_id(0), column = get_group_id(1);
    for (int i = lid; i < REGISTERS; i += COUNTERS) own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < rows; i += get_global_size(0)) {
        const ulong bits = mix(keys[column * rows + i]);
        const uint zeros = clz(bits << INDEX_BITS | 1UL << (INDEX_BITS - 1));
        atomic_max(&own[bits >> (64 - INDEX_BITS)], zeros + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < REGISTERS; i += COUNTERS) {
        if (own[i] > 0) atomic_max(&registers[column * REGISTERS + i], own[i]);
    }
}

/* How many different keys the registers of a column tell of: by their mean, or by how many are empty if many are. */
__kernel __attribute__((reqd_work_group_size(COUNTERS, 1, 1)))
void count_distinct(__global const uint *registers, __global float *counts)
{
    __local float sums[COUNTERS];
    __local int empties[COUNTERS];

    const int lid = get_local_id(0), column = get_group_id(0);
    float sum = 0.0f;
    int empty = 0;
    for (int i = lid; i < REGISTERS; i += COUNTERS) {
        const uint most = registers[column * REGISTERS + i];
        sum += exp2(-(float)most);
        empty += most == 0;
    }
    sums[lid] = sum;
    empties[lid] = empty;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = COUNTERS / 2; step > 0; step >>= 1) {
        if (lid < step) {
            sums[lid] += sums[lid + step];
            empties[lid] += empties[lid + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid > 0) return;
    const float factor = 0.7213f / (1.0f + 1.079f / REGISTERS);
    float count = factor * REGISTERS * REGISTERS / sums[0];
    if (count <= 2.5f * REGISTERS && empties[0] > 0) count = REGISTERS * log((float)REGISTERS / empties[0]);
    counts[column] = count;
}

#define CELLS 81
#define ALL 511

int box_of(const int cell) { return cell / 27 * 3 + cell % 9 / 3; }

/* Fills in puzzles of nine by nine digits, of which no row, column or box may have one twice. The cell that has the fewest
 * choices is next. A search ends after some solutions; the first one is kept, and how many digits were tried. */
__kernel void sudoku_search(__global const uchar *puzzles, const int count, const int most, __global uchar *solved,
                            __global int2 *results)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    uchar cells[CELLS], places[CELLS];
    ushort rows[9], columns[9], boxes[9], choices[CELLS];
    for (int i = 0; i < 9; i++) rows[i] = columns[i] = boxes[i] = 0;
    for (int i = 0; i < CELLS; i++) {
        const uchar digit = puzzles[id * CELLS + i];
        cells[i] = digit;
        if (digit == 0) continue;
        const ushort bit = 1 << (digit - 1);
        rows[i / 9] |= bit;
        columns[i % 9] |= bit;
        boxes[box_of(i)] |= bit;
    }

    int depth = 0, found = 0, tried = 0;
    bool is_new = true;
    while (found < most) {
        if (is_new) {
            int fewest = 10, best = -1;
            uint best_choices = 0;
            for (int i = 0; i < CELLS && fewest > 1; i++) {
                if (cells[i] != 0) continue;
                const uint free = ALL & ~(uint)(rows[i / 9] | columns[i % 9] | boxes[box_of(i)]);
                const int size = popcount(free);
                if (size < fewest) {
                    fewest = size;
                    best = i;
                    best_choices = free;
                }
            }
            if (best < 0) {
                if (found == 0) {
                    for (int i = 0; i < CELLS; i++) solved[id * CELLS + i] = cells[i];
                }
                found++;
                is_new = false;
                continue;
            }
            places[depth] = best;
            choices[depth] = best_choices;
            depth++;
        }

        /* The next choice of the last cell, or back to the one before it. */
        if (depth == 0) break;
        const int cell = places[depth - 1];
        if (cells[cell] != 0) {
            const ushort bit = 1 << (cells[cell] - 1);
            rows[cell / 9] ^= bit;
            columns[cell % 9] ^= bit;
            boxes[box_of(cell)] ^= bit;
            cells[cell] = 0;
        }
        const uint left = choices[depth - 1];
        if (left == 0) {
            depth--;
            is_new = false;
            continue;
        }
        const uint bit = left & -left;
        choices[depth - 1] = left ^ bit;
        cells[cell] = 32 - clz(bit);
        rows[cell / 9] |= bit;
        columns[cell % 9] |= bit;
        boxes[box_of(cell)] |= bit;
        tried++;
        is_new = true;
    }
    results[id] = (int2)(found, tried);
}
