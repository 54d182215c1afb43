/* Data: passwords by their digests, the way of packets, sums of months. */

#define ROTATE(x, n) rotate((uint)(x), (uint)(n))
#define F(x, y, z) bitselect((z), (y), (x))
#define G(x, y, z) bitselect((y), (x), (z))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP(f, a, b, c, d, word, constant, turn) a = (b) + ROTATE((a) + f(b, c, d) + (word) + (constant), turn)
#define FOUR(f, w, x, y, z, k, l, m, n, p, q, r, s) \
    STEP(f, a, b, c, d, w, k, p);                   \
    STEP(f, d, a, b, c, x, l, q);                   \
    STEP(f, c, d, a, b, y, m, r);                   \
    STEP(f, b, c, d, a, z, n, s)

/* The digest of eight bytes in two words. */
uint4 md5_of_eight(const uint w0, const uint w1)
{
    const uint w2 = 0x80, w14 = 64;
    uint a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    FOUR(F, w0, w1, w2, 0, 0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 7, 12, 17, 22);
    FOUR(F, 0, 0, 0, 0, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u, 7, 12, 17, 22);
    FOUR(F, 0, 0, 0, 0, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 7, 12, 17, 22);
    FOUR(F, 0, 0, w14, 0, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u, 7, 12, 17, 22);
    FOUR(G, w1, 0, 0, w0, 0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 5, 9, 14, 20);
    FOUR(G, 0, 0, 0, 0, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u, 5, 9, 14, 20);
    FOUR(G, 0, w14, 0, 0, 0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 5, 9, 14, 20);
    FOUR(G, 0, w2, 0, 0, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au, 5, 9, 14, 20);
    FOUR(H, 0, 0, 0, w14, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 4, 11, 16, 23);
    FOUR(H, w1, 0, 0, 0, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u, 4, 11, 16, 23);
    FOUR(H, 0, w0, 0, 0, 0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 4, 11, 16, 23);
    FOUR(H, 0, 0, 0, w2, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u, 4, 11, 16, 23);
    FOUR(I, w0, 0, w14, 0, 0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 6, 10, 15, 21);
    FOUR(I, 0, 0, 0, w1, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u, 6, 10, 15, 21);
    FOUR(I, 0, 0, 0, 0, 0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 6, 10, 15, 21);
    FOUR(I, 0, 0, w2, 0, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u, 6, 10, 15, 21);
    return (uint4)(a + 0x67452301u, b + 0xefcdab89u, c + 0x98badcfeu, d + 0x10325476u);
}

#define LETTERS 36

__constant char letters[LETTERS + 1] = "abcdefghijklmnopqrstuvwxyz0123456789";

/* Each item tries a password of eight letters: two are the same in all, the others are its number in a system of 36 digits. It tells
 * the passwords whose digests are wanted. A digest that a filter doesn't have is not looked for. */
__kernel void md5_search(const uint start, const uint passwords, const ushort salt, __global const uint4 *wanted, const int count,
                         __global const uint *filter, const int most, __global int *found, __global uint2 *places)
{
    const uint id = get_global_id(0);
    if (id >= passwords) return;
    uint number = start + id;
    ulong text = salt;
    for (int i = 16; i < 64; i += 8) {
        text |= (ulong)letters[number % LETTERS] << i;
        number /= LETTERS;
    }
    const uint4 digest = md5_of_eight((uint)text, (uint)(text >> 32));
    if ((filter[digest.x >> 5 & 255] >> (digest.x & 31) & 1) == 0) return;
    for (int i = 0; i < count; i++) {
        const uint4 other = wanted[i];
        if (other.x == digest.x && other.y == digest.y && other.z == digest.z && other.w == digest.w) {
            const int place = atomic_inc(found);
            if (place < most) places[place] = (uint2)(start + id, i);
        }
    }
}

__kernel void nothing_found(__global int *found)
{
    *found = 0;
}

#define HOPS 64
#define IS_BLOCK 0x80000000u

typedef struct {
    uint address;
    ushort bytes;
    uchar lifetime, kind;
} packet_t;

/* Each packet goes to where the longest known beginning of its address says. The first sixteen bits are a place in a table, which
 * has where it goes, or the block for the next eight bits, and so does that. What goes to each hop is counted in local memory. */
__kernel void route_lookup(__global const packet_t *packets, const int count, __global const uint *first,
                           __global const uint *blocks, __global ushort *hops, __global uint *packets_of_hop,
                           __global uint *bytes_of_hop)
{
    __local uint local_packets[HOPS], local_bytes[HOPS];

    const int id = get_global_id(0), lid = get_local_id(0);
    for (int i = lid; i < HOPS; i += get_local_size(0)) {
        local_packets[i] = 0;
        local_bytes[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < count) {
        const packet_t packet = packets[id];
        uint entry = first[packet.address >> 16];
        for (int shift = 8; shift >= 0 && (entry & IS_BLOCK) != 0; shift -= 8) {
            entry = blocks[(entry & ~IS_BLOCK) * 256 + (packet.address >> shift & 255)];
        }
        if (packet.lifetime <= 1) entry = 0;
        hops[id] = (ushort)entry;
        atomic_inc(&local_packets[entry]);
        atomic_add(&local_bytes[entry], packet.bytes);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < HOPS; i += get_local_size(0)) {
        if (local_packets[i] > 0) {
            atomic_add(&packets_of_hop[i], local_packets[i]);
            atomic_add(&bytes_of_hop[i], local_bytes[i]);
        }
    }
}

__kernel void nothing_sent(__global uint *packets_of_hop, __global uint *bytes_of_hop)
{
    packets_of_hop[get_global_id(0)] = 0;
    bytes_of_hop[get_global_id(0)] = 0;
}

#define FIRST_YEAR 1990
#define YEARS 40
#define MONTHS (YEARS * 12)
#define SECONDS_OF_DAY 86400L

/* The number of a month among the years counted, or less than 0, for days since 1970. */
int month_of(const long day_number)
{
    const long day = day_number + 719468;
    const long era = (day >= 0 ? day : day - 146096) / 146097;
    const uint of_era = (uint)(day - era * 146097);
    const uint year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const uint of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const uint from_march = (5 * of_year + 2) / 153;
    const int month = from_march < 10 ? from_march + 3 : from_march - 9;
    const int year = (int)year_of_era + (int)era * 400 + (month <= 2);
    return year < FIRST_YEAR || year >= FIRST_YEAR + YEARS ? -1 : (year - FIRST_YEAR) * 12 + month - 1;
}

/* What was sold in each month, on days from Monday to Friday and in one kind of shop: how often, for how much, and for how much at
 * most. */
__kernel void month_totals(__global const long *moments, __global const int *prices, __global const uchar *shops, const int rows,
                           const uchar shop, const int seconds_east, __global int *counts, __global int *sums, __global int *most)
{
    __local int local_counts[MONTHS], local_sums[MONTHS], local_most[MONTHS];

    const int lid = get_local_id(0), items = get_local_size(0);
    for (int i = lid; i < MONTHS; i += items) {
        local_counts[i] = 0;
        local_sums[i] = 0;
        local_most[i] = INT_MIN;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < rows; i += get_global_size(0)) {
        if (shops[i] != shop) continue;
        const long moment = moments[i] + seconds_east;
        const long day = moment >= 0 ? moment / SECONDS_OF_DAY : -((SECONDS_OF_DAY - 1 - moment) / SECONDS_OF_DAY);
        const int weekday = (int)(((day + 3) % 7 + 7) % 7);
        if (weekday >= 5) continue;
        const int month = month_of(day);
        if (month < 0) continue;
        atomic_inc(&local_counts[month]);
        atomic_add(&local_sums[month], prices[i]);
        atomic_max(&local_most[month], prices[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < MONTHS; i += items) {
        if (local_counts[i] == 0) continue;
        atomic_add(&counts[i], local_counts[i]);
        atomic_add(&sums[i], local_sums[i]);
        atomic_max(&most[i], local_most[i]);
    }
}

__kernel void nothing_sold(__global int *counts, __global int *sums, __global int *most)
{
    const int id = get_global_id(0);
    counts[id] = 0;
    sums[id] = 0;
    most[id] = INT_MIN;
}
