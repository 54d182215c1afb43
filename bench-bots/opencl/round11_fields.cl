/* Fields: small systems of equations with pivots, a reaction that spreads, what neutrons meet. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ORDER 24
#define ITEMS 64
#define SEARCHED 32 /* items: a power of two that is above ORDER */

/* A group a matrix: its factors, in one square, the rows that changed places, and the solution of one right side. `failures` has
 * the step in which nothing was left to divide by, from 1, or 0. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void batched_lu(__global const float *matrices, __global const float *rights, __global float *factors, __global int *pivots,
                __global float *solutions, __global int *failures)
{
    __local float a[ORDER][ORDER + 1]; /* with the right side as a last column */
    __local float sizes[SEARCHED];
    __local int rows[SEARCHED];

    const int lid = get_local_id(0), matrix = get_group_id(0);
    for (int i = lid; i < ORDER * ORDER; i += ITEMS) a[i / ORDER][i % ORDER] = matrices[matrix * ORDER * ORDER + i];
    if (lid < ORDER) a[lid][ORDER] = rights[matrix * ORDER + lid];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int k = 0; k < ORDER; k++) {
        if (lid < SEARCHED) {
            sizes[lid] = lid >= k && lid < ORDER ? fabs(a[lid][k]) : -1.0f;
            rows[lid] = lid;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = SEARCHED / 2; step > 0; step /= 2) {
            if (lid < step && sizes[lid + step] > sizes[lid]) {
                sizes[lid] = sizes[lid + step];
                rows[lid] = rows[lid + step];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const int pivot = rows[0];
        if (sizes[0] == 0.0f) {
            if (lid == 0) failures[matrix] = k + 1;
            return;
        }

        if (pivot != k && lid <= ORDER) {
            const float kept = a[k][lid];
            a[k][lid] = a[pivot][lid];
            a[pivot][lid] = kept;
        }
        if (lid == 0) pivots[matrix * ORDER + k] = pivot;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid > k && lid < ORDER) a[lid][k] /= a[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);

        const int column = lid % SEARCHED;
        if (column > k && column <= ORDER) {
            const float top = a[k][column];
            for (int row = k + 1 + lid / SEARCHED; row < ORDER; row += ITEMS / SEARCHED) a[row][column] -= a[row][k] * top;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int k = ORDER - 1; k >= 0; k--) {
        if (lid == k) a[k][ORDER] /= a[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < k) a[lid][ORDER] -= a[lid][k] * a[k][ORDER];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = lid; i < ORDER * ORDER; i += ITEMS) factors[matrix * ORDER * ORDER + i] = a[i / ORDER][i % ORDER];
    if (lid < ORDER) solutions[matrix * ORDER + lid] = a[lid][ORDER];
    if (lid == 0) failures[matrix] = 0;
}

#define TILE 16
#define STEPS 4 /* that a group does by itself */
#define SIDE (TILE + 2 * STEPS)

/* A step of Gray and Scott's reaction in a cell: x feeds y, both spread. */
float2 react(__local const float2 *at, const float2 spread, const float feed, const float loss)
{
    const float2 here = at[0];
    const float2 beside = at[-1] + at[1] + at[-SIDE] + at[SIDE];
    const float2 corners = at[-SIDE - 1] + at[-SIDE + 1] + at[SIDE - 1] + at[SIDE + 1];
    const float2 moved = spread * (0.2f * beside + 0.05f * corners - here);
    const float made = here.x * here.y * here.y;
    return here + moved + (float2)(feed * (1.0f - here.x) - made, made - loss * here.y);
}

/* Four steps in local memory, of a tile and a border that gets thinner; the field has no edge. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void gray_scott(__global const float2 *now, const int width, const int height, const float2 spread, const float feed,
                const float loss, __global float2 *next)
{
    __local float2 tiles[2][SIDE * SIDE];

    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * TILE + lx;
    const int left = get_group_id(0) * TILE - STEPS, top = get_group_id(1) * TILE - STEPS;
    for (int i = lid; i < SIDE * SIDE; i += TILE * TILE) {
        const int x = (left + i % SIDE + width) % width, y = (top + i / SIDE + height) % height;
        tiles[0][i] = now[y * width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int step = 1; step <= STEPS; step++) {
        __local const float2 *from = tiles[(step - 1) & 1];
        __local float2 *to = tiles[step & 1];
        for (int i = lid; i < SIDE * SIDE; i += TILE * TILE) {
            const int x = i % SIDE, y = i / SIDE;
            if (x < step || x >= SIDE - step || y < step || y >= SIDE - step) continue;
            to[i] = react(from + i, spread, feed, loss);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) next[y * width + x] = tiles[STEPS & 1][(ly + STEPS) * SIDE + lx + STEPS];
}

#define KINDS 5 /* of what may happen to a neutron */

struct point {
    double energy;
    double chances[KINDS];
};

#define FACTOR 6364136223846793005UL
#define SUMMAND 1442695040888963407UL

/* The state of a linear congruential generator after so many words. */
ulong after(ulong state, ulong words)
{
    ulong factor = FACTOR, summand = SUMMAND, all_factor = 1, all_summand = 0;
    while (words > 0) {
        if (words & 1) {
            all_factor *= factor;
            all_summand = all_summand * factor + summand;
        }
        summand *= factor + 1;
        factor *= factor;
        words >>= 1;
    }
    return all_factor * state + all_summand;
}

inline double unit_of(ulong *state)
{
    *state = *state * FACTOR + SUMMAND;
    return (double)(*state >> 11) * 0x1p-53;
}

/* What a neutron of random energy meets in a random material: sums over its nuclides of what lies between two points of a table,
 * which is searched for the energy. An item has two words of one stream of random numbers for each neutron. */
__kernel void cross_sections(const ulong seed, const int neutrons, __global const struct point *tables, const int points,
                             __constant double *shares, const int materials, __global const int *starts,
                             __global const int *nuclides, __global const double *densities, __global double *sums)
{
    for (int i = get_global_id(0); i < neutrons; i += get_global_size(0)) {
        ulong state = after(seed, 2UL * (ulong)i);
        const double energy = unit_of(&state);
        const double roll = unit_of(&state);
        int material = 0;
        double share = shares[0];
        while (material < materials - 1 && roll >= share) {
            material++;
            share += shares[material];
        }

        double total[KINDS];
        for (int k = 0; k < KINDS; k++) total[k] = 0.0;
        for (int n = starts[material]; n < starts[material + 1]; n++) {
            __global const struct point *table = tables + (size_t)nuclides[n] * points;
            int low = 0, high = points - 1;
            while (high - low > 1) {
                const int middle = low + (high - low) / 2;
                if (table[middle].energy > energy)
                    high = middle;
                else
                    low = middle;
            }
            const double part = (table[high].energy - energy) / (table[high].energy - table[low].energy);
            for (int k = 0; k < KINDS; k++) {
                const double chance = table[high].chances[k] - part * (table[high].chances[k] - table[low].chances[k]);
                total[k] += densities[n] * chance;
            }
        }
        for (int k = 0; k < KINDS; k++) sums[(size_t)i * KINDS + k] = total[k];
    }
}
