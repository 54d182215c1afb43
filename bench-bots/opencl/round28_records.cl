/* Records: large numbers that are prime, names that are nearly the same, numbers that differ little
 * from those before. */

__constant uchar small_primes[] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71};
__constant ulong witnesses[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
#define COUNT_OF(table) (int)(sizeof(table) / sizeof((table)[0]))

enum { DIVIDED, WITNESSED, PRIME };

/* Montgomery's product: a * b / 2^64, modulo an odd n below 2^63; `inverse` is that of -n. */
ulong reduced_product(const ulong a, const ulong b, const ulong n, const ulong inverse)
{
    const ulong low = a * b, high = mul_hi(a, b);
    const ulong result = high + mul_hi(low * inverse, n) + (low != 0);
    return result >= n ? result - n : result;
}

/* The remainder of 2^power. */
ulong power_of_two(int power, const ulong n)
{
    ulong rest = 1 % n;
    for (; power > 0; power--) {
        rest <<= 1;
        if (rest >= n) rest -= n;
    }
    return rest;
}

/* Each item asks whether a number is prime: of small divisors first, then of Miller's and Rabin's
 * witnesses, which are enough for 64 bits. */
__kernel void strong_primes(__global const ulong *numbers, __global uchar *answers,
                            volatile __global uint *totals)
{
    const size_t id = get_global_id(0);
    const ulong n = numbers[id];
    for (int i = 0; i < COUNT_OF(small_primes); i++) {
        if (n % small_primes[i] == 0) {
            answers[id] = DIVIDED;
            atomic_inc(totals + DIVIDED);
            return;
        }
    }
    ulong inverse = n; /* right in its 3 lowest bits, then in 6, 12, 24, 48, 96 */
    for (int i = 0; i < 5; i++) inverse *= 2 - n * inverse;
    inverse = -inverse;
    const ulong one = power_of_two(64, n), minus_one = n - one;
    const int twos = popcount((n - 1) ^ (n - 2)) - 1;
    const ulong odd = (n - 1) >> twos;
    bool is_prime = true;
    for (int i = 0; i < COUNT_OF(witnesses) && is_prime; i++) {
        ulong base = 0, power = one;
        for (ulong k = 0; k < witnesses[i]; k++) {
            base += one;
            base = base >= n ? base - n : base;
        }
        for (ulong bits = odd; bits != 0; bits >>= 1) {
            if (bits & 1) power = reduced_product(power, base, n, inverse);
            base = reduced_product(base, base, n, inverse);
        }
        if (power == one || power == minus_one) continue;
        is_prime = false;
        for (int k = 1; k < twos; k++) {
            power = reduced_product(power, power, n, inverse);
            if (power == minus_one) {
                is_prime = true;
                break;
            }
        }
    }
    answers[id] = is_prime ? PRIME : WITNESSED;
    atomic_inc(totals + (is_prime ? PRIME : WITNESSED));
}

__kernel void no_totals(__global uint *totals)
{
    totals[get_global_id(0)] = 0;
}

#define LETTERS 24 /* of a record; the rest of a shorter name is 0 */
#define WORTH 0.6999f /* names that are less alike get nothing for the same beginning */

int length_of(__global const uchar *name)
{
    int length = 0;
    while (length < LETTERS && name[length] != 0) length++;
    return length;
}

/* How alike two names are, after Jaro, and Winkler, who liked names with the same beginning. */
float likeness(__global const uchar *a, const int a_length, __global const uchar *b, const int b_length)
{
    const int reach = max(max(a_length, b_length) / 2 - 1, 0);
    uint a_found = 0, b_found = 0;
    for (int i = 0; i < a_length; i++) {
        const int end = min(i + reach + 1, b_length);
        for (int k = max(i - reach, 0); k < end; k++) {
            if (a[i] == b[k] && !(b_found >> k & 1)) {
                a_found |= 1u << i;
                b_found |= 1u << k;
                break;
            }
        }
    }
    const int found = popcount(a_found);
    if (found == 0) return 0.0f;
    int others = 0;
    for (; a_found != 0; a_found &= a_found - 1, b_found &= b_found - 1) {
        const int i = 31 - clz(a_found & -a_found), k = 31 - clz(b_found & -b_found);
        others += a[i] != b[k];
    }
    const float share = (float)found;
    const float alike = (share / a_length + share / b_length + (share - others / 2) / share) / 3.0f;
    int start = 0;
    while (start < min(4, min(a_length, b_length)) && a[start] == b[start]) start++;
    return alike > WORTH ? alike + 0.1f * start * (1.0f - alike) : alike;
}

/* Each item compares a name of one list with one of another. Where one is much longer than the other
 * it does not look at letters. */
__kernel void jaro_names(__global const uchar *names, const int name_count,
                         __global const uchar *wanted, const int wanted_count, const float least,
                         __global uchar *scores, volatile __global int *matches)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= name_count || row >= wanted_count) return;
    __global const uchar *a = wanted + row * LETTERS, *b = names + column * LETTERS;
    const int a_length = length_of(a), b_length = length_of(b);
    const int shorter = min(a_length, b_length), longer = max(a_length, b_length);
    __global uchar *score = scores + row * name_count + column;
    if (3 * shorter < longer) {
        *score = 0;
        return;
    }
    const float alike = likeness(a, a_length, b, b_length);
    *score = convert_uchar_rte(200.0f * alike);
    if (alike >= least) atomic_add(&matches[row], 1);
}

#define BLOCK 256
#define PLANES 32
#define WORDS (BLOCK / PLANES) /* of a plane */

/* Each work-group packs a block: differences from one number to the next, their signs in the lowest
 * bit, and of those the planes of bits that are not all zero. A mask tells which ones. */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void pack_planes(__global const uint *numbers, __global uint *masks, __global uint *packed)
{
    __local uint steps[BLOCK];
    __local uint mask;

    const int lid = get_local_id(0), id = get_global_id(0);
    const uint step = numbers[id] - (lid == 0 ? 0 : numbers[id - 1]);
    if (lid == 0) mask = 0;
    steps[lid] = step << 1 ^ (uint)((int)step >> 31);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(&mask, steps[lid]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int plane = lid / WORDS, word = lid % WORDS;
    const uint all = mask;
    if (lid == 0) masks[get_group_id(0)] = all;
    if (!(all >> plane & 1)) return;
    uint bits = 0;
    for (int i = 0; i < PLANES; i++) bits |= (steps[word * PLANES + i] >> plane & 1) << i;
    const int before = popcount(all & ((1u << plane) - 1));
    packed[get_group_id(0) * BLOCK + before * WORDS + word] = bits;
}

/* Turns rows of bits into columns, halves of squares at a time. */
void transpose(uint rows[PLANES])
{
    uint mask = 0x0000ffff;
    for (int apart = PLANES / 2; apart > 0; apart >>= 1, mask ^= mask << apart) {
        for (int i = 0; i < PLANES; i = (i + apart + 1) & ~apart) {
            const uint swapped = (rows[i] >> apart ^ rows[i + apart]) & mask;
            rows[i + apart] ^= swapped;
            rows[i] ^= swapped << apart;
        }
    }
}

/* Each item finds 32 numbers again; its work-group, of a whole block, tells it where they start. */
__kernel __attribute__((reqd_work_group_size(WORDS, 1, 1)))
void bit_planes(__global const uint *masks, __global const uint *packed, __global uint *numbers)
{
    __local uint ends[WORDS];

    const int word = get_local_id(0), block = get_group_id(0);
    const uint mask = masks[block];
    packed += block * BLOCK + word;
    numbers += block * BLOCK + word * PLANES;
    uint rows[PLANES];
    for (int plane = 0; plane < PLANES; plane++) {
        rows[plane] = 0;
        if (mask >> plane & 1) {
            rows[plane] = *packed;
            packed += WORDS;
        }
    }
    transpose(rows);
    uint sum = 0;
    for (int i = 0; i < PLANES; i++) {
        sum += rows[i] >> 1 ^ -(rows[i] & 1);
        rows[i] = sum;
    }
    ends[word] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (int i = 0; i < word; i++) before += ends[i];
    for (int i = 0; i < PLANES; i += 4) {
        vstore4(vload4(0, rows + i) + before, i / 4, numbers);
    }
}
