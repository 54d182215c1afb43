/* Data: a packed column that is searched, two sorted tables that are joined, tokens of JSON, memory that a password hash fills. */

typedef struct {
    uint first_word;
    int base, most; /* the least value, and the most */
    uchar width, unused[3];
} block_t;

__kernel void no_matches(__global int *matches)
{
    *matches = 0;
}

/* Which rows have a number between two others and a kind that is wanted, as bits. A block has 1024 numbers, less their least one, in so
 * many bits each; each item looks at 32 of them, which fill whole words. */
__kernel void packed_scan(__global const uint *words, __global const block_t *blocks, const int count, __global const uchar *kinds,
                          __constant uint *wanted, const int low, const int high, __global uint *bitmap, __global int *matches)
{
    __local int here;

    const size_t id = get_global_id(0);
    const size_t number = id / 32;
    if (get_local_id(0) == 0) here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (number < count) {
        const block_t block = blocks[number];
        uint bits = 0;
        if (block.base >= low && block.most <= high) {
            bits = ~0u;
        } else if (block.base <= high && block.most >= low) {
            __global const uint *from = words + block.first_word + id % 32 * block.width;
            const uint mask = (uint)((1ul << block.width) - 1);
            for (int i = 0; i < 32; i++) {
                const int place = i * block.width, shift = place & 31;
                uint packed = block.width > 0 ? from[place >> 5] >> shift : 0;
                if (shift + block.width > 32) packed |= from[(place >> 5) + 1] << (32 - shift);
                const int value = block.base + (int)(packed & mask);
                if (value >= low && value <= high) bits |= 1u << i;
            }
        }
        /* Kinds are read only where the number is right. */
        for (uint left = bits; left != 0; left &= left - 1) {
            const uint lowest = left & -left;
            const uchar kind = kinds[id * 32 + popcount(lowest - 1)];
            if ((wanted[kind >> 5] >> (kind & 31) & 1) == 0) bits ^= lowest;
        }
        bitmap[id] = bits;
        if (bits != 0) atomic_add(&here, (int)popcount(bits));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && here > 0) atomic_add(matches, here);
}

/* The first of sorted keys that is not less. */
int first_not_less(__global const long *keys, const int count, const long key)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Each item finds where the right table's rows with its key begin, and how many they are. */
__kernel void join_counts(__global const long *left_keys, const int left_rows, __global const long *right_keys, const int right_rows,
                          __global int *firsts, __global int *counts)
{
    const int id = get_global_id(0);
    if (id >= left_rows) return;
    const long key = left_keys[id];
    const int first = first_not_less(right_keys, right_rows, key);
    int at = first;
    while (at < right_rows && right_keys[at] == key) at++;
    firsts[id] = first;
    counts[id] = at - first;
}

#define SCANNERS 256

/* One work-group adds up all counts before each, part by part, in place. The sum of all is behind the last. */
__kernel __attribute__((reqd_work_group_size(SCANNERS, 1, 1)))
void scan_counts(__global int *counts, const int rows)
{
    __local int sums[SCANNERS];

    const int lid = get_local_id(0);
    int before = 0;
    for (int begin = 0; begin < rows; begin += SCANNERS) {
        const int at = begin + lid, own = at < rows ? counts[at] : 0;
        sums[lid] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 1; step < SCANNERS; step <<= 1) {
            const int other = lid >= step ? sums[lid - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[lid] += other;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (at < rows) counts[at] = before + sums[lid] - own;
        before += sums[SCANNERS - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) counts[rows] = before;
}

/* Each item writes the pairs of its row, and multiplies what both tables have. */
__kernel void join_rows(__global const int *firsts, __global const int *places, const int left_rows, __global const double *prices,
                        __global const short *amounts, __global int2 *pairs, __global double *totals)
{
    for (int id = get_global_id(0); id < left_rows; id += get_global_size(0)) {
        const double price = prices[id];
        const int first = firsts[id], begin = places[id];
        for (int place = begin; place < places[id + 1]; place++) {
            const int other = first + place - begin;
            pairs[place] = (int2)(id, other);
            totals[place] = price * amounts[other];
        }
    }
}

#define MOST_TOKENS 80

enum { OBJECT, ARRAY, END, KEY, STRING, WHOLE, REAL, WORD };

typedef struct {
    ushort start, length;
    uchar kind, depth;
} token_t;

typedef struct {
    long sum; /* of the whole numbers */
    short tokens, error; /* where the first error is, or -1 */
    int deepest;
} record_t;

bool is_digit(const uchar letter)
{
    return letter >= '0' && letter <= '9';
}

/* Each item finds the tokens of a record, a line of JSON. Brackets are kept as bits, those of objects 1. */
__kernel void json_tokens(__global const uchar *text, __global const int *starts, const int records, __global token_t *tokens,
                          __global record_t *results)
{
    const int id = get_global_id(0);
    if (id >= records) return;
    __global const uchar *line = text + starts[id];
    __global token_t *to = tokens + id * MOST_TOKENS;
    const int length = starts[id + 1] - starts[id];
    record_t result = {0, 0, -1, 0};
    ulong stack = 0;
    int depth = 0, at = 0;
    bool is_key = false;
    while (at < length && result.error < 0) {
        token_t token;
        const int start = at;
        const uchar letter = line[at++];
        token.kind = WORD;
        token.depth = depth;
        switch (letter) {
        case ' ':
        case '\t':
        case '\r':
        case '\n':
        case ':':
            continue;
        case ',':
            is_key = stack & 1;
            continue;
        case '{':
        case '[':
            token.kind = letter == '{' ? OBJECT : ARRAY;
            is_key = letter == '{';
            stack = stack << 1 | (ulong)is_key;
            depth++;
            result.deepest = max(result.deepest, depth);
            break;
        case '}':
        case ']':
            if (depth == 0 || (stack & 1) != (letter == '}')) {
                result.error = start;
                continue;
            }
            token.kind = END;
            stack >>= 1;
            token.depth = --depth;
            break;
        case '"':
            while (at < length && line[at] != '"') at += line[at] == '\\' ? 2 : 1;
            at++;
            token.kind = is_key ? KEY : STRING;
            is_key = false;
            break;
        case 't':
        case 'n':
            at += 3;
            break;
        case 'f':
            at += 4;
            break;
        default: {
            if (letter != '-' && !is_digit(letter)) {
                result.error = start;
                continue;
            }
            long value = letter == '-' ? 0 : letter - '0';
            for (; at < length && is_digit(line[at]); at++) value = value * 10 + (line[at] - '0');
            token.kind = WHOLE;
            for (; at < length && (is_digit(line[at]) || line[at] == '.' || line[at] == 'e' || line[at] == '-'); at++) token.kind = REAL;
            if (token.kind == WHOLE) result.sum += letter == '-' ? -value : value;
        }
        }
        token.start = start;
        token.length = at - start;
        if (at > length || result.tokens == MOST_TOKENS) {
            result.error = start;
        } else {
            to[result.tokens++] = token;
        }
    }
    if (result.error < 0 && depth > 0) result.error = length;
    results[id] = result;
}

#define MIXERS 32
#define WORDS 128 /* of a block, a kilobyte */
#define MEMORY 48 /* blocks for a password */

/* A step of BLAKE2b, with products as Argon2 has them, on four words that are so far apart. */
void mix_words(__local ulong *words, const int a, const int b, const int c, const int d)
{
    ulong x = words[a], y = words[b], z = words[c], w = words[d];
    x += y + 2 * (x & 0xffffffff) * (y & 0xffffffff);
    w = rotate(w ^ x, 32ul);
    z += w + 2 * (z & 0xffffffff) * (w & 0xffffffff);
    y = rotate(y ^ z, 40ul);
    x += y + 2 * (x & 0xffffffff) * (y & 0xffffffff);
    w = rotate(w ^ x, 48ul);
    z += w + 2 * (z & 0xffffffff) * (w & 0xffffffff);
    y = rotate(y ^ z, 1ul);
    words[a] = x;
    words[b] = y;
    words[c] = z;
    words[d] = w;
}

/* Where word `i` of 16 is in row `part` of a block, or in column `part`, which has pairs of words. */
int in_row(const int part, const int i)
{
    return part * 16 + i;
}

int in_column(const int part, const int i)
{
    return i / 2 * 16 + part * 2 + i % 2;
}

/* Each work-group fills the memory of a password, block after block, of the last one and one that the last one tells, as Argon2d. The
 * first two are there. */
__kernel __attribute__((reqd_work_group_size(MIXERS, 1, 1)))
void argon_fill(__global const ulong *firsts, __global ulong *memory, __global ulong *tags)
{
    __local ulong block[WORDS];

    const int lid = get_local_id(0), part = lid / 4, own = lid % 4;
    const size_t password = get_group_id(0);
    __global ulong *blocks = memory + password * MEMORY * WORDS;
    ulong last[WORDS / MIXERS];
    for (int i = 0; i < WORDS / MIXERS; i++) {
        blocks[i * MIXERS + lid] = firsts[password * 2 * WORDS + i * MIXERS + lid];
        last[i] = firsts[password * 2 * WORDS + WORDS + i * MIXERS + lid];
        blocks[WORDS + i * MIXERS + lid] = block[i * MIXERS + lid] = last[i];
    }
    for (int number = 2; number < MEMORY; number++) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const ulong chance = block[0] & 0xffffffff;
        const ulong far = (ulong)(number - 1) * (chance * chance >> 32) >> 32;
        const int other = number - 2 - (int)far;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < WORDS / MIXERS; i++) {
            last[i] ^= blocks[other * WORDS + i * MIXERS + lid];
            block[i * MIXERS + lid] = last[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        mix_words(block, in_row(part, own), in_row(part, own + 4), in_row(part, own + 8), in_row(part, own + 12));
        barrier(CLK_LOCAL_MEM_FENCE);
        mix_words(block, in_row(part, own), in_row(part, 4 + (own + 1) % 4), in_row(part, 8 + (own + 2) % 4),
                  in_row(part, 12 + (own + 3) % 4));
        barrier(CLK_LOCAL_MEM_FENCE);
        mix_words(block, in_column(part, own), in_column(part, own + 4), in_column(part, own + 8), in_column(part, own + 12));
        barrier(CLK_LOCAL_MEM_FENCE);
        mix_words(block, in_column(part, own), in_column(part, 4 + (own + 1) % 4), in_column(part, 8 + (own + 2) % 4),
                  in_column(part, 12 + (own + 3) % 4));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < WORDS / MIXERS; i++) {
            last[i] ^= block[i * MIXERS + lid];
            block[i * MIXERS + lid] = last[i];
            blocks[number * WORDS + i * MIXERS + lid] = last[i];
        }
    }
    for (int i = 0; i < WORDS / MIXERS; i++) tags[password * WORDS + i * MIXERS + lid] = last[i];
}
