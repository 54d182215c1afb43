/* Numbers: many small problems of least squares, triangles in a graph, products of polynomials as lattice cryptography has them. */

#define ITEMS 128
#define MOST_ROWS 128
#define COLUMNS 16   /* of which the last is the right side */
#define SHARES (ITEMS / COLUMNS)

/* Householder's reflections, a group a problem: the upper triangle, the solution and the length of what remains. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void least_squares(__global const float *problems, const int rows, __global float *triangles, __global float *solutions,
                   __global float *rests)
{
    __local float a[COLUMNS][MOST_ROWS + 1];
    __local float v[MOST_ROWS];
    __local float sums[ITEMS];
    __local float x[COLUMNS];

    const int lid = get_local_id(0), problem = get_group_id(0);
    __global const float *from = problems + (size_t)problem * rows * COLUMNS;
    for (int i = lid; i < rows * COLUMNS; i += ITEMS) a[i % COLUMNS][i / COLUMNS] = from[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int column = lid / SHARES, share = lid % SHARES;
    for (int k = 0; k < COLUMNS - 1; k++) {
        const bool below = lid >= k && lid < rows;
        const float mine = below ? a[k][lid] : 0.0f;
        sums[lid] = mine * mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = ITEMS / 2; step > 0; step /= 2) {
            if (lid < step) sums[lid] += sums[lid + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float squares = sums[0], head = a[k][k];
        const float new_head = head > 0.0f ? -sqrt(squares) : sqrt(squares);
        if (below) v[lid] = lid == k ? head - new_head : mine;
        const float scale = 1.0f / (squares - head * new_head);
        barrier(CLK_LOCAL_MEM_FENCE);

        float dot = 0.0f;
        if (column >= k)
            for (int row = k + share; row < rows; row += SHARES) dot += v[row] * a[column][row];
        sums[lid] = dot;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (column >= k) {
            float total = 0.0f;
            for (int i = 0; i < SHARES; i++) total += sums[column * SHARES + i];
            total *= scale;
            for (int row = k + share; row < rows; row += SHARES) a[column][row] -= total * v[row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = lid; i < COLUMNS * COLUMNS; i += ITEMS) {
        const int row = i / COLUMNS, to = i % COLUMNS;
        triangles[problem * COLUMNS * COLUMNS + i] = row <= to && row < COLUMNS - 1 ? a[to][row] : 0.0f;
    }
    const float left = lid >= COLUMNS - 1 && lid < rows ? a[COLUMNS - 1][lid] : 0.0f;
    sums[lid] = left * left;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ITEMS / 2; step > 0; step /= 2) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) rests[problem] = sqrt(sums[0]);

    for (int k = COLUMNS - 2; k >= 0; k--) {
        if (lid == 0) x[k] = a[COLUMNS - 1][k] / a[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < k) a[COLUMNS - 1][lid] -= a[k][lid] * x[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < COLUMNS - 1) solutions[problem * (COLUMNS - 1) + lid] = x[lid];
}

/* An item has an edge from a node to a later one, and looks for nodes after both that have edges from both: lists are sorted. */
__kernel void triangles_of_edges(__global const int *starts, __global const int *targets, __global const int *sources,
                                 const int edges, volatile __global uint *of_nodes, volatile __global uint *total)
{
    __local uint found;

    if (get_local_id(0) == 0) found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int edge = get_global_id(0);
    if (edge < edges) {
        const int u = sources[edge], v = targets[edge];
        int i = edge + 1, j = starts[v];
        const int i_end = starts[u + 1], j_end = starts[v + 1];
        uint mine = 0;
        while (i < i_end && j < j_end) {
            const int a = targets[i], b = targets[j];
            if (a == b) {
                atomic_inc(&of_nodes[a]);
                mine++;
            }
            if (a <= b) i++;
            if (b <= a) j++;
        }
        if (mine > 0) {
            atomic_add(&of_nodes[u], mine);
            atomic_add(&of_nodes[v], mine);
            atomic_add(&found, mine);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && found > 0) atomic_add(total, found);
}

__kernel void triangles_clear(__global uint *of_nodes, const int nodes, __global uint *total)
{
    const int i = get_global_id(0);
    if (i < nodes) of_nodes[i] = 0;
    if (i == 0) *total = 0;
}

#define Q 12289u
#define TERMS 512
#define BUTTERFLIES (TERMS / 2)

/* A product's remainder: Barrett's way. */
inline uint times(const uint a, const uint b)
{
    const uint product = a * b;
    const uint rest = product - mul_hi(product, (uint)(0x100000000UL / Q)) * Q;
    return rest >= Q ? rest - Q : rest;
}

inline uint plus(const uint a, const uint b)
{
    const uint sum = a + b;
    return sum >= Q ? sum - Q : sum;
}

inline uint minus(const uint a, const uint b) { return a >= b ? a - b : a + Q - b; }

/* Products of polynomials modulo X^TERMS + 1 and Q, by the number theoretic transform, a group a product. The tables have the
 * powers of a root of -1, and of its inverse, in the order of reversed bits. */
__kernel __attribute__((reqd_work_group_size(BUTTERFLIES, 1, 1)))
void ring_products(__global const ushort *left, __global const ushort *right, __constant ushort *roots,
                   __constant ushort *inverses, const uint one_over_terms, __global ushort *out)
{
    __local uint a[TERMS], b[TERMS];

    const uint lid = get_local_id(0);
    const size_t first = get_group_id(0) * TERMS;
    a[lid] = left[first + lid];
    a[lid + BUTTERFLIES] = left[first + lid + BUTTERFLIES];
    b[lid] = right[first + lid];
    b[lid + BUTTERFLIES] = right[first + lid + BUTTERFLIES];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint length = BUTTERFLIES; length > 0; length /= 2) {
        const uint block = lid / length;
        const uint at = 2 * length * block + lid % length;
        const uint root = roots[BUTTERFLIES / length + block];
        const uint from_a = times(a[at + length], root), from_b = times(b[at + length], root);
        a[at + length] = minus(a[at], from_a);
        a[at] = plus(a[at], from_a);
        b[at + length] = minus(b[at], from_b);
        b[at] = plus(b[at], from_b);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    a[lid] = times(a[lid], b[lid]);
    a[lid + BUTTERFLIES] = times(a[lid + BUTTERFLIES], b[lid + BUTTERFLIES]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint length = 1; length <= BUTTERFLIES; length *= 2) {
        const uint block = lid / length;
        const uint at = 2 * length * block + lid % length;
        const uint u = a[at], w = a[at + length];
        a[at] = plus(u, w);
        a[at + length] = times(minus(u, w), inverses[BUTTERFLIES / length + block]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    out[first + lid] = times(a[lid], one_over_terms);
    out[first + lid + BUTTERFLIES] = times(a[lid + BUTTERFLIES], one_over_terms);
}
