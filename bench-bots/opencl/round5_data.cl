/* Data: a stream cipher, tables that are joined, a graph's shortest paths, a text in columns. */

__constant uint4 sigma = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

#define QUARTER_ROUNDS(a, b, c, d)       \
    do {                                 \
        a += b;                          \
        d = rotate(d ^ a, (uint4)(16));  \
        c += d;                          \
        b = rotate(b ^ c, (uint4)(12));  \
        a += b;                          \
        d = rotate(d ^ a, (uint4)(8));   \
        c += d;                          \
        b = rotate(b ^ c, (uint4)(7));   \
    } while (0)

/* ChaCha20 (RFC 8439), a block of 64 bytes an item, as many blocks apart as there are items. */
__kernel void chacha20(__constant uint4 *key, const uint counter, const uint nonce0, const uint nonce1, const uint nonce2,
                       __global const uint4 *plain, __global uint4 *cipher, const uint blocks)
{
    for (uint block = get_global_id(0); block < blocks; block += get_global_size(0)) {
        const uint4 last = (uint4)(counter + block, nonce0, nonce1, nonce2);
        uint4 a = sigma, b = key[0], c = key[1], d = last;
        #pragma unroll
        for (int i = 0; i < 10; i++) {
            QUARTER_ROUNDS(a, b, c, d);
            b = b.yzwx;
            c = c.zwxy;
            d = d.wxyz;
            QUARTER_ROUNDS(a, b, c, d);
            b = b.wxyz;
            c = c.zwxy;
            d = d.yzwx;
        }
        cipher[4 * block + 0] = plain[4 * block + 0] ^ (a + sigma);
        cipher[4 * block + 1] = plain[4 * block + 1] ^ (b + key[0]);
        cipher[4 * block + 2] = plain[4 * block + 2] ^ (c + key[1]);
        cipher[4 * block + 3] = plain[4 * block + 3] ^ (d + last);
    }
}

#define EMPTY 0xffffffffu

/* The end of MurmurHash3's mix of 64 bits. */
inline uint slot_of(ulong key, const uint mask)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdUL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53UL;
    key ^= key >> 33;
    return (uint)key & mask;
}

__kernel void join_clear(__global uint *slots, __global uint *matches)
{
    slots[get_global_id(0)] = EMPTY;
    if (get_global_id(0) == 0) *matches = 0;
}

/* Each row of the smaller table takes the first free slot from its own on. */
__kernel void join_build(__global const ulong *keys, const uint rows, __global uint *slots, const uint mask)
{
    const uint row = get_global_id(0);
    if (row >= rows) return;
    uint slot = slot_of(keys[row], mask);
    while (atomic_cmpxchg(&slots[slot], EMPTY, row) != EMPTY) {
        slot = (slot + 1) & mask;
    }
}

/* Each row of the greater table finds its partner's payload. */
__kernel void join_probe(__global const ulong *keys, __global const int *payload, __global const uint *slots, const uint mask,
                         __global const ulong *probes, const uint rows, __global int *joined, __global uint *matches)
{
    __local uint found;
    if (get_local_id(0) == 0) found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint mine = 0;
    for (uint i = get_global_id(0); i < rows; i += get_global_size(0)) {
        const ulong key = probes[i];
        int result = -1;
        for (uint slot = slot_of(key, mask); slots[slot] != EMPTY; slot = (slot + 1) & mask) {
            const uint row = slots[slot];
            if (keys[row] == key) {
                result = payload[row];
                mine++;
                break;
            }
        }
        joined[i] = result;
    }
    if (mine) atomic_add(&found, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_add(matches, found);
}

/* Shortest paths: each vertex that came nearer in the last round tells its neighbours. */
__kernel void sssp_relax(__global const uint *first, __global const uint *neighbour, __global const ushort *weight,
                         __global uchar *active, __global const uint *distance, __global uint *updating, const uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices || !active[v]) return;
    active[v] = 0;
    const uint here = distance[v];
    const uint end = first[v + 1];
    for (uint e = first[v]; e < end; e++) {
        atomic_min(&updating[neighbour[e]], here + weight[e]);
    }
}

__kernel void sssp_commit(__global uchar *active, __global uint *distance, __global uint *updating, const uint vertices,
                          __global int *again)
{
    const uint v = get_global_id(0);
    if (v >= vertices) return;
    if (updating[v] < distance[v]) {
        distance[v] = updating[v];
        active[v] = 1;
        *again = 1;
    }
    updating[v] = distance[v];
}

#define CSV_ITEMS 128
#define CSV_CHUNK (CSV_ITEMS * 16)

/* How many of 16 bytes are this one. */
inline uint count16(const uchar16 v, const uchar what)
{
    const char16 same = v == (uchar16)(what);
    const char8 c8 = same.lo + same.hi;
    const char4 c4 = c8.lo + c8.hi;
    return -(c4.x + c4.y + c4.z + c4.w);
}

/* How many quotes each chunk of a text has. */
__kernel void csv_quotes(__global const uchar *text, __global uint *quotes)
{
    __local uint count;
    if (get_local_id(0) == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint mine = count16(vload16(get_global_id(0), text), '"');
    if (mine) atomic_add(&count, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) quotes[get_group_id(0)] = count;
}

/* Commas and ends of lines in each chunk, but for those in quotes. A text is inside of quotes behind an odd number of them; `quotes`
 * tells how many are before a chunk. */
__kernel void csv_fields(__global const uchar *text, __global const uint *quotes, __global uint2 *fields)
{
    __local uint before[2][CSV_ITEMS];
    __local uint commas, ends;
    const uint lid = get_local_id(0);
    union {
        uchar16 v;
        uchar s[16];
    } bytes;
    bytes.v = vload16(get_global_id(0), text);
    uint mine = count16(bytes.v, '"');
    before[0][lid] = mine;
    if (lid == 0) commas = ends = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint from = 0;
    for (uint offset = 1; offset < CSV_ITEMS; offset *= 2) {
        uint sum = before[from][lid];
        if (lid >= offset) sum += before[from][lid - offset];
        before[from ^ 1][lid] = sum;
        from ^= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    bool quoted = (quotes[get_group_id(0)] + before[from][lid] - mine) & 1;
    uint my_commas = 0, my_ends = 0;
    for (int i = 0; i < 16; i++) {
        switch (bytes.s[i]) {
        case '"': quoted = !quoted; break;
        case ',': if (!quoted) my_commas++; break;
        case '\n': if (!quoted) my_ends++; break;
        default: break;
        }
    }
    atomic_add(&commas, my_commas);
    atomic_add(&ends, my_ends);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) fields[get_group_id(0)] = (uint2)(commas, ends);
}
