/* Data: digests of records, words that occur with mistakes, sorted lists that become one. */

__constant ulong round_words[24] = {
    0x0000000000000001UL, 0x0000000000008082UL, 0x800000000000808aUL, 0x8000000080008000UL, 0x000000000000808bUL,
    0x0000000080000001UL, 0x8000000080008081UL, 0x8000000000008009UL, 0x000000000000008aUL, 0x0000000000000088UL,
    0x0000000080008009UL, 0x000000008000000aUL, 0x000000008000808bUL, 0x800000000000008bUL, 0x8000000000008089UL,
    0x8000000000008003UL, 0x8000000000008002UL, 0x8000000000000080UL, 0x000000000000800aUL, 0x800000008000000aUL,
    0x8000000080008081UL, 0x8000000000008080UL, 0x0000000080000001UL, 0x8000000080008008UL};

/* Where a lane goes next, and how far it turns on the way. */
__constant uchar next_lanes[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
__constant uchar turns[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};

void keccak(ulong *lanes)
{
    for (int round = 0; round < 24; round++) {
        ulong columns[5];
        for (int x = 0; x < 5; x++) columns[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20];
        for (int x = 0; x < 5; x++) {
            const ulong mixed = columns[(x + 4) % 5] ^ rotate(columns[(x + 1) % 5], 1UL);
            for (int y = 0; y < 25; y += 5) lanes[y + x] ^= mixed;
        }

        ulong moving = lanes[1];
        for (int i = 0; i < 24; i++) {
            const int to = next_lanes[i];
            const ulong kept = lanes[to];
            lanes[to] = rotate(moving, (ulong)turns[i]);
            moving = kept;
        }

        for (int y = 0; y < 25; y += 5) {
            for (int x = 0; x < 5; x++) columns[x] = lanes[y + x];
            for (int x = 0; x < 5; x++) lanes[y + x] = columns[x] ^ (~columns[(x + 1) % 5] & columns[(x + 2) % 5]);
        }
        lanes[0] ^= round_words[round];
    }
}

#define RATE 136 /* bytes that are taken in at once */

/* SHA3-256 of records of different lengths, an item a record. */
__kernel void keccak_records(__global const uchar *bytes, __global const uint *starts, const uint records,
                             __global ulong4 *digests)
{
    const uint record = get_global_id(0);
    if (record >= records) return;

    ulong lanes[25];
    for (int i = 0; i < 25; i++) lanes[i] = 0;

    uint at = starts[record], left = starts[record + 1] - at;
    while (left >= RATE) {
        for (int i = 0; i < RATE / 8; i++) lanes[i] ^= as_ulong(vload8(0, bytes + at + 8 * i));
        keccak(lanes);
        at += RATE;
        left -= RATE;
    }
    for (uint i = 0; i < left; i++) lanes[i / 8] ^= (ulong)bytes[at + i] << (8 * (i % 8));
    lanes[left / 8] ^= 0x06UL << (8 * (left % 8));
    lanes[RATE / 8 - 1] ^= 0x80UL << 56;
    keccak(lanes);
    digests[record] = (ulong4)(lanes[0], lanes[1], lanes[2], lanes[3]);
}

#define LETTERS 4
#define WORDS 5

/* Myers' way to count mistakes, a column of the table as two words of 64 bits: for each text and each word the least number of
 * letters changed, left out or put in between the word and a part of the text, and where the first such part ends. Texts have
 * 16 letters in 32 bits; an item a text and word. */
__kernel void edit_bits(__global const uint *letters, __global const int2 *texts, const int count, __constant ulong *masks,
                        __constant int *lengths, __global short2 *out)
{
    __local ulong of_letter[WORDS][LETTERS];

    const int lid = get_local_id(1) * get_local_size(0) + get_local_id(0);
    if (lid < WORDS * LETTERS) of_letter[lid / LETTERS][lid % LETTERS] = masks[lid];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int text = get_global_id(0), word = get_global_id(1);
    if (text >= count || word >= WORDS) return;

    const int length = lengths[word];
    const int2 range = texts[text]; /* its first group of letters, how many letters it has */
    const ulong last = 1UL << (length - 1);
    ulong more = ~0UL, less = 0;
    int mistakes = length, least = length, end = -1;
    uint group = 0;
    for (int i = 0; i < range.y; i++) {
        if (i % 16 == 0) group = letters[range.x + i / 16];
        const ulong match = of_letter[word][group & 3];
        group >>= 2;

        const ulong across = match | less;
        const ulong diagonal = (((match & more) + more) ^ more) | match;
        ulong rises = less | ~(diagonal | more);
        ulong falls = more & diagonal;
        if (rises & last) mistakes++;
        if (falls & last) mistakes--;
        rises <<= 1;
        falls <<= 1;
        more = falls | ~(across | rises);
        less = rises & across;

        if (mistakes < least) {
            least = mistakes;
            end = i;
            if (least == 0) break;
        }
    }
    out[word * count + text] = (short2)(least, end);
}

#define ITEMS 128
#define EACH 8
#define PART (ITEMS * EACH)

/* How many of the first `place` values of the merged list are from the left one; equal values of the left list come first. */
inline int from_left(__global const uint *left, const int lefts, __global const uint *right, const int rights, const int place)
{
    int low = max(0, place - rights), high = min(place, lefts);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (left[middle] <= right[place - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Where each group's part of the merged list begins in the left list. */
__kernel void merge_starts(__global const uint *left, const int lefts, __global const uint *right, const int rights,
                           const int parts, __global int *starts)
{
    const int part = get_global_id(0);
    if (part > parts) return;
    starts[part] = from_left(left, lefts, right, rights, min(part * PART, lefts + rights));
}

/* A group a part: what it needs of both lists goes to local memory, and each item merges EACH values. Values have keys with them. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void merge_parts(__global const uint *left, __global const ushort *left_tags, const int lefts, __global const uint *right,
                 __global const ushort *right_tags, const int rights, __global const int *starts, __global uint *out,
                 __global ushort *tags)
{
    __local uint keys[PART];
    __local ushort origins[PART];

    const int lid = get_local_id(0), part = get_group_id(0);
    const int first = part * PART;
    const int total = min(PART, lefts + rights - first);
    const int left_first = starts[part], right_first = first - left_first;
    const int mine = starts[part + 1] - left_first, others = total - mine;
    for (int i = lid; i < total; i += ITEMS) keys[i] = i < mine ? left[left_first + i] : right[right_first + i - mine];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int place = min(lid * EACH, total);
    int low = max(0, place - others), high = min(place, mine);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keys[middle] <= keys[mine + place - 1 - middle]) low = middle + 1;
        else high = middle;
    }

    uint merged[EACH];
    int a = low, c = mine + place - low;
    for (int k = 0; k < EACH && place + k < total; k++) {
        const bool take = c >= total || (a < mine && keys[a] <= keys[c]);
        const int from = take ? a++ : c++;
        merged[k] = keys[from];
        origins[place + k] = (ushort)from;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < EACH && place + k < total; k++) keys[place + k] = merged[k];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < total; i += ITEMS) {
        const int from = origins[i];
        out[first + i] = keys[i];
        tags[first + i] = from < mine ? left_tags[left_first + from] : right_tags[right_first + from - mine];
    }
}
