/* Data: reads of a genome sought by its transform, sets of numbers that are packed in three ways, a code that mends its words. */

#define READ_BASES 24
#define KEPT_EACH 16 /* rows of the sorted suffixes for each whose place is kept */
#define MOST_LOCATED 4
#define FIELDS 0x5555555555555555UL

/* 64 letters of the transformed text, two bits each, and how many of each letter are before them. */
struct block {
    uint counts[4];
    ulong letters[2];
};

/* How many of the first letters of a word, fewer than 32 or all, are the given one. */
uint count_letter(const ulong letters, const uint letter, const uint first)
{
    const ulong apart = letters ^ letter * FIELDS, equal = ~(apart | apart >> 1) & FIELDS;
    return popcount(first < 32 ? equal & ((1UL << 2 * first) - 1) : equal);
}

/* How often a letter is in the rows before one. The text's end has a row, too, which is stored as letter 0. */
uint rank_of(__global const struct block *blocks, const uint end_row, const uint letter, const uint row)
{
    __global const struct block *block = blocks + row / 64;
    const uint within = row % 64;
    uint count = block->counts[letter] + count_letter(block->letters[0], letter, min(within, 32u));
    if (within > 32) count += count_letter(block->letters[1], letter, within - 32);
    if (letter == 0 && end_row < row) count--;
    return count;
}

/* The least place in the text of the first rows of a range: each row leads to that of the place before it, up to one that is
 * kept. */
int least_place(__global const struct block *blocks, const uint end_row, __constant uint *firsts, __global const uint *kept,
                const uint2 rows)
{
    uint least = UINT_MAX;
    for (uint k = rows.x; k < min(rows.y, rows.x + MOST_LOCATED); k++) {
        uint row = k, steps = 0;
        while (row % KEPT_EACH != 0 && row != end_row) {
            const uint letter = blocks[row / 64].letters[row / 32 % 2] >> row % 32 * 2 & 3;
            row = firsts[letter] + rank_of(blocks, end_row, letter, row);
            steps++;
        }
        least = min(least, (row == end_row ? 0 : kept[row / KEPT_EACH]) + steps);
    }
    return least;
}

/* How often each read is in a text, and where, as it is and as the other strand has it: letter by letter from its last one, by
 * the rows of all suffixes of the text in order. `firsts` has the first row of each letter. */
__kernel void fm_search(__global const struct block *blocks, const uint rows, const uint end_row, __constant uint *firsts,
                        __global const uint *kept, __global const ulong *reads, const int count, __global int4 *out)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    int found[4];
    for (int strand = 0; strand < 2; strand++) {
        ulong read = reads[id];
        uint2 range = (uint2)(0, rows);
        for (int i = 0; i < READ_BASES && range.x < range.y; i++) {
            const uint letter = strand == 0 ? read >> 2 * (READ_BASES - 1) & 3 : 3 - (read & 3);
            read = strand == 0 ? read << 2 : read >> 2;
            range.x = firsts[letter] + rank_of(blocks, end_row, letter, range.x);
            range.y = firsts[letter] + rank_of(blocks, end_row, letter, range.y);
        }
        found[2 * strand] = range.y - range.x;
        found[2 * strand + 1] = range.x < range.y ? least_place(blocks, end_row, firsts, kept, range) : -1;
    }
    out[id] = (int4)(found[0], found[1], found[2], found[3]);
}

#define SET_ITEMS 64
#define SET_WORDS 2048 /* of 65536 bits */
#define WORDS_EACH (SET_WORDS / SET_ITEMS)
#define MOST_LISTED 4096

enum kind { LIST, BITS, RUNS };

/* A set of numbers that have the same upper half: a list of the lower halves, a bit for each of them, or runs (the first one, how
 * many more). They begin at a word of a pool. */
struct container {
    uint key, kind, count, start;
};

/* The container of a key, or -1. */
int find_key(__global const struct container *containers, const int count, const uint key)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (containers[middle].key < key) low = middle + 1;
        else high = middle;
    }
    return low < count && containers[low].key == key ? low : -1;
}

/* Sets the bits of a container's numbers. All items do so together. */
void set_bits(__local uint *bits, __global const uint *pool, const struct container container, const uint lid)
{
    __global const uint *words = pool + container.start;
    __global const ushort *halves = (__global const ushort *)words;
    switch (container.kind) {
    case LIST:
        for (uint i = lid; i < container.count; i += SET_ITEMS) atomic_or(&bits[halves[i] / 32], 1u << halves[i] % 32);
        break;
    case BITS:
        for (uint i = lid; i < SET_WORDS; i += SET_ITEMS) bits[i] = words[i];
        break;
    case RUNS:
        for (uint i = lid; i < container.count; i += SET_ITEMS) {
            const uint first = halves[2 * i], last = first + halves[2 * i + 1];
            for (uint word = first / 32; word <= last / 32; word++) {
                uint mask = UINT_MAX;
                if (word == first / 32) mask &= UINT_MAX << first % 32;
                if (word == last / 32) mask &= UINT_MAX >> (31 - last % 32);
                atomic_or(&bits[word], mask);
            }
        }
        break;
    }
}

/* The numbers that two sets have in common. A work-group has a container of the first one; what comes out is a list if it is
 * short. */
__kernel __attribute__((reqd_work_group_size(SET_ITEMS, 1, 1)))
void roaring_and(__global const struct container *firsts, __global const uint *first_pool,
                 __global const struct container *seconds, const int second_count, __global const uint *second_pool,
                 __global struct container *results, __global uint *result_pool)
{
    __local uint ones[SET_WORDS], others[SET_WORDS], sums[SET_ITEMS];

    const uint lid = get_local_id(0), id = get_group_id(0);
    const struct container first = firsts[id];
    const int match = find_key(seconds, second_count, first.key);
    struct container result = {first.key, LIST, 0, id * SET_WORDS};
    if (match < 0) {
        if (lid == 0) results[id] = result;
        return;
    }

    for (uint i = lid; i < SET_WORDS; i += SET_ITEMS) ones[i] = others[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    set_bits(ones, first_pool, first, lid);
    set_bits(others, second_pool, seconds[match], lid);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own = 0;
    for (uint i = lid * WORDS_EACH; i < (lid + 1) * WORDS_EACH; i++) {
        ones[i] &= others[i];
        own += popcount(ones[i]);
    }
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < SET_ITEMS; step *= 2) {
        const uint more = lid >= step ? sums[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    result.count = sums[SET_ITEMS - 1];
    if (result.count > MOST_LISTED) {
        result.kind = BITS;
        for (uint i = lid; i < SET_WORDS; i += SET_ITEMS) result_pool[result.start + i] = ones[i];
    } else {
        __global ushort *list = (__global ushort *)(result_pool + result.start);
        uint to = sums[lid] - own;
        for (uint i = lid * WORDS_EACH; i < (lid + 1) * WORDS_EACH; i++) {
            for (uint bits = ones[i]; bits != 0; bits &= bits - 1) list[to++] = i * 32 + 31 - clz(bits & -bits);
        }
    }
    if (lid == 0) results[id] = result;
}

#define LIFT 64 /* bits of a column, and checks of a row, of the code */
#define CODE_COLUMNS 24
#define CODE_ROWS 12
#define MOST_EDGES 72
#define MOST_OF_CHECK 8
#define MOST_SIZE 127

/* Mends words of a sparse code by messages between bits and checks, the checks of a row at a time: each check tells each of its
 * bits what the others say it is, and how sure they are at least. A work-group has a word; it ends when all checks are fulfilled.
 * An edge is a column, and by how much its bits are turned before the row's checks meet them. */
__kernel __attribute__((reqd_work_group_size(LIFT, 1, 1)))
void ldpc_min_sum(__global const char *received, __constant int *starts, __constant uchar2 *edges, const int most,
                  __global uint *words, __global int *rounds)
{
    __local short beliefs[CODE_COLUMNS * LIFT];
    __local char messages[MOST_EDGES * LIFT];
    __local int is_wrong;

    const int lid = get_local_id(0), id = get_group_id(0);
    for (int i = lid; i < CODE_COLUMNS * LIFT; i += LIFT) beliefs[i] = received[id * CODE_COLUMNS * LIFT + i];
    for (int i = lid; i < MOST_EDGES * LIFT; i += LIFT) messages[i] = 0;

    int round = 0;
    for (; round < most; round++) {
        if (lid == 0) is_wrong = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int odd = 0;
        for (int row = 0; row < CODE_ROWS; row++) {
            int ones = 0;
            for (int k = starts[row]; k < starts[row + 1]; k++) {
                ones ^= beliefs[edges[k].x * LIFT + (lid + edges[k].y) % LIFT] < 0;
            }
            odd |= ones;
        }
        if (odd) atomic_or(&is_wrong, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!is_wrong) break;

        for (int row = 0; row < CODE_ROWS; row++) {
            const int first = starts[row], count = starts[row + 1] - first;
            int values[MOST_OF_CHECK], least = MOST_SIZE, next = MOST_SIZE, least_at = 0, sign = 0;
            for (int i = 0; i < count; i++) {
                const uchar2 edge = edges[first + i];
                const int belief = beliefs[edge.x * LIFT + (lid + edge.y) % LIFT] - messages[(first + i) * LIFT + lid];
                const int value = clamp(belief, -MOST_SIZE, MOST_SIZE), size = abs(value);
                values[i] = value;
                sign ^= value < 0;
                if (size < least) {
                    next = least;
                    least = size;
                    least_at = i;
                } else {
                    next = min(next, size);
                }
            }
            for (int i = 0; i < count; i++) {
                const uchar2 edge = edges[first + i];
                const int size = (i == least_at ? next : least) * 3 / 4;
                const int message = sign ^ (values[i] < 0) ? -size : size;
                messages[(first + i) * LIFT + lid] = message;
                beliefs[edge.x * LIFT + (lid + edge.y) % LIFT] = values[i] + message;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    if (lid < CODE_COLUMNS * LIFT / 32) {
        uint word = 0;
        for (int i = 0; i < 32; i++) word |= (uint)(beliefs[lid * 32 + i] < 0) << i;
        words[id * (CODE_COLUMNS * LIFT / 32) + lid] = word;
    }
    if (lid == 0) rounds[id] = round;
}
