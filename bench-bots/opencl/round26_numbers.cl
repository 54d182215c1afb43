/* Numbers: primes a segment at a time, all roots of many polynomials, a sparse matrix in slices, a product of two sparse matrices. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SIEVE_GROUP 128
#define SIEVE_WORDS 1024
#define SEGMENT (SIEVE_WORDS * 64) /* a bit for each odd number */

/* A work-group crosses out what is no prime in a segment, and counts what is left: primes, and pairs of which both are in the segment.
 * `first` is even and more than any of the small primes, of which there are all up to the root of the last number. */
__kernel __attribute__((reqd_work_group_size(SIEVE_GROUP, 1, 1)))
void segment_sieve(const ulong first, __global const uint *primes, const int count, __global uint2 *found)
{
    __local uint crossed[SIEVE_WORDS];
    __local uint prime_total, twin_total;

    const int lid = get_local_id(0);
    const ulong begin = first + (ulong)get_group_id(0) * SEGMENT;
    for (int i = lid; i < SIEVE_WORDS; i += SIEVE_GROUP) crossed[i] = 0;
    if (lid == 0) prime_total = twin_total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < count; i += SIEVE_GROUP) {
        const uint prime = primes[i];
        if ((ulong)prime * prime >= begin + SEGMENT) break;
        uint at = prime - (uint)(begin % prime);
        if (at % 2 == 0) at += prime;
        for (; at < SEGMENT; at += 2 * prime) atomic_or(&crossed[at / 64], 1u << (at / 2 % 32));
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint own_primes = 0, own_twins = 0;
    for (int i = lid; i < SIEVE_WORDS; i += SIEVE_GROUP) {
        const uint left = ~crossed[i];
        const uint after = i + 1 < SIEVE_WORDS ? ~crossed[i + 1] : 0;
        own_primes += popcount(left);
        own_twins += popcount(left & (left >> 1 | after << 31));
    }
    atomic_add(&prime_total, own_primes);
    atomic_add(&twin_total, own_twins);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) found[get_group_id(0)] = (uint2)(prime_total, twin_total);
}

#define DEGREE 12
#define MOST_TURNS 50

double2 times(const double2 a, const double2 b)
{
    return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

double2 over(const double2 a, const double2 b)
{
    return (double2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / dot(b, b);
}

/* Each item finds all roots of a polynomial at once, by Aberth's steps: Newton's, but away from all other roots. A root that hardly moves
 * any more is done. */
__kernel void aberth_roots(__global const double2 *coefficients, const int count, __global double2 *roots, __global uchar *turns)
{
    const int id = get_global_id(0);
    double2 factors[DEGREE + 1], guesses[DEGREE];
    for (int k = 0; k <= DEGREE; k++) factors[k] = coefficients[k * count + id];
    const double radius = pow(length(factors[0]) / length(factors[DEGREE]), 1.0 / DEGREE);
    for (int k = 0; k < DEGREE; k++) {
        const double angle = 2.0 * M_PI / DEGREE * k + 0.4;
        guesses[k] = radius * (double2)(cos(angle), sin(angle));
    }
    uint moving = (1u << DEGREE) - 1;
    int turn = 0;
    while (moving != 0 && turn < MOST_TURNS) {
        for (int k = 0; k < DEGREE; k++) {
            if ((moving >> k & 1) == 0) continue;
            const double2 own = guesses[k];
            double2 value = factors[DEGREE], slope = (double2)(0.0);
            for (int i = DEGREE - 1; i >= 0; i--) {
                slope = times(slope, own) + value;
                value = times(value, own) + factors[i];
            }
            double2 push = (double2)(0.0);
            for (int i = 0; i < DEGREE; i++) {
                if (i != k) push += over((double2)(1.0, 0.0), own - guesses[i]);
            }
            const double2 newton = over(value, slope);
            const double2 step = over(newton, (double2)(1.0, 0.0) - times(newton, push));
            guesses[k] = own - step;
            if (length(step) <= 1e-12 * length(own)) moving &= ~(1u << k);
        }
        turn++;
    }
    for (int k = 0; k < DEGREE; k++) roots[k * count + id] = guesses[k];
    turns[id] = turn;
}

#define SLICE 32
#define SLICES_GROUP 2

/* What is left of the right side after a sparse matrix is applied. Rows lie in slices of 32, which are as wide as their longest row; rows
 * were sorted by length within larger windows, `places` says where they were. A work-group also adds up the squares of what is left. */
__kernel __attribute__((reqd_work_group_size(SLICE * SLICES_GROUP, 1, 1)))
void sell_sigma(__global const int *starts, __global const int *columns, __global const double *values, __global const int *places,
                const int rows, __global const double *vector, __global const double *right, __global double *left,
                __global double *squares)
{
    __local double parts[SLICE * SLICES_GROUP];

    const int id = get_global_id(0), lid = get_local_id(0), lane = id % SLICE, slice = id / SLICE;
    double square = 0.0;
    if (id < rows) {
        double sum = 0.0;
        const int end = starts[slice + 1];
        for (int i = starts[slice] + lane; i < end; i += SLICE) sum += values[i] * vector[columns[i]];
        const int row = places[id];
        const double rest = right[row] - sum;
        left[row] = rest;
        square = rest * rest;
    }
    parts[lid] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = SLICE * SLICES_GROUP / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size) parts[lid] += parts[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) squares[get_group_id(0)] = parts[0];
}

#define ROW_GROUP 32
#define SLOTS 512
#define NONE -1

/* A work-group multiplies a row of one sparse matrix by another one. What belongs to the same column comes together in a table of hashes;
 * a row of the other matrix has no column twice. Columns are in order in the end. */
__kernel __attribute__((reqd_work_group_size(ROW_GROUP, 1, 1)))
void spgemm_hash(__global const int *starts, __global const int *columns, __global const float *values,
                 __global const int *other_starts, __global const int *other_columns, __global const float *other_values,
                 __global const int *room, __global int *lengths, __global int *product_columns, __global float *product_values)
{
    __local int keys[SLOTS];
    __local float sums[SLOTS];
    __local ushort taken[SLOTS];
    __local int entries;

    const int row = get_group_id(0), lid = get_local_id(0);
    for (int i = lid; i < SLOTS; i += ROW_GROUP) {
        keys[i] = NONE;
        sums[i] = 0.0f;
    }
    if (lid == 0) entries = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = starts[row]; i < starts[row + 1]; i++) {
        const int other_row = columns[i];
        const float factor = values[i];
        for (int k = other_starts[other_row] + lid; k < other_starts[other_row + 1]; k += ROW_GROUP) {
            const int column = other_columns[k];
            uint slot = (uint)column * 2654435761u >> 23;
            for (;;) {
                const int old = atomic_cmpxchg(&keys[slot], NONE, column);
                if (old == NONE) taken[atomic_inc(&entries)] = slot;
                if (old == NONE || old == column) break;
                slot = (slot + 1) % SLOTS;
            }
            sums[slot] += factor * other_values[k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int start = room[row];
    for (int i = lid; i < entries; i += ROW_GROUP) {
        const int column = keys[taken[i]];
        int rank = 0;
        for (int k = 0; k < entries; k++) rank += keys[taken[k]] < column;
        product_columns[start + rank] = column;
        product_values[start + rank] = sums[taken[i]];
    }
    if (lid == 0) lengths[row] = entries;
}
