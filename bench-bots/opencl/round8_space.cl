/* Space: loops of a lattice's links, a step between the grids of a multigrid solver, a surface out of a field. */

#define DIRECTIONS 4
#define PARTS 9 /* of a matrix of 3 x 3 */

typedef struct {
    float2 e[3][3];
} matrix_t;

inline float2 times(const float2 a, const float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* The link from a site in a direction. Each part of the matrices has the sites one after the other. */
inline matrix_t link_at(__global const float2 *links, const int volume, const int direction, const int site)
{
    matrix_t m;
    __global const float2 *from = links + (size_t)direction * PARTS * volume + site;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m.e[i][j] = from[(i * 3 + j) * volume];
    }
    return m;
}

inline matrix_t product(const matrix_t a, const matrix_t b)
{
    matrix_t c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            float2 sum = times(a.e[i][0], b.e[0][j]);
            sum += times(a.e[i][1], b.e[1][j]);
            sum += times(a.e[i][2], b.e[2][j]);
            c.e[i][j] = sum;
        }
    }
    return c;
}

/* The real part of the trace of a b^+. */
inline float real_trace(const matrix_t a, const matrix_t b)
{
    float sum = 0.0f;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) sum += dot(a.e[i][j], b.e[i][j]);
    }
    return sum;
}

/* Wilson's action of a site: the six loops around a square that begin there. The lattice is `side` sites long in three
 * directions, `times_count` in the last one, and closed; a third dimension of the range has the last two. */
__kernel void plaquettes(__global const float2 *links, const int side, const int times_count, __global float *action)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int z = get_global_id(2) % side, t = get_global_id(2) / side;
    if (x >= side || y >= side || t >= times_count) return;

    const int volume = side * side * side * times_count;
    const int site = ((t * side + z) * side + y) * side + x;
    int next[DIRECTIONS];
    next[0] = site - x + (x + 1) % side;
    next[1] = site + ((y + 1) % side - y) * side;
    next[2] = site + ((z + 1) % side - z) * side * side;
    next[3] = site + ((t + 1) % times_count - t) * side * side * side;

    float sum = 0.0f;
    for (int mu = 0; mu < DIRECTIONS - 1; mu++) {
        const matrix_t along = link_at(links, volume, mu, site);
        for (int nu = mu + 1; nu < DIRECTIONS; nu++) {
            const matrix_t one = product(along, link_at(links, volume, nu, next[mu]));
            const matrix_t other = product(link_at(links, volume, nu, site), link_at(links, volume, mu, next[nu]));
            sum += 1.0f - real_trace(one, other) / 3.0f;
        }
    }
    action[site] = sum;
}

/* A value of a grid with n x n x n points inside; around them it is 0. */
inline float inside_or_0(__global const float *grid, const int n, const int x, const int y, const int z)
{
    if (x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) return 0.0f;
    return grid[(z * n + y) * n + x];
}

/* What Poisson's equation still lacks: f + laplace u. */
__kernel void residual(__global const float *u, __global const float *f, const int n, const float per_step_squared,
                       __global float *rest)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= n || y >= n || z >= n) return;
    const int at = (z * n + y) * n + x;
    const float around = inside_or_0(u, n, x - 1, y, z) + inside_or_0(u, n, x + 1, y, z) + inside_or_0(u, n, x, y - 1, z) +
                         inside_or_0(u, n, x, y + 1, z) + inside_or_0(u, n, x, y, z - 1) + inside_or_0(u, n, x, y, z + 1);
    rest[at] = f[at] + (around - 6.0f * u[at]) * per_step_squared;
}

/* To the coarse grid of m = (n - 1) / 2: a mean of 27 points, of which each step away from the middle halves the weight. */
__kernel void restrict_grid(__global const float *fine, const int n, const int m, __global float *coarse)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= m || y >= m || z >= m) return;
    __global const float *middle = fine + ((2 * z + 1) * n + 2 * y + 1) * n + 2 * x + 1;
    float sum = 0.0f;
    for (int k = -1; k <= 1; k++) {
        for (int j = -1; j <= 1; j++) {
            for (int i = -1; i <= 1; i++) {
                const int steps = abs(i) + abs(j) + abs(k);
                sum += middle[(k * n + j) * n + i] * (1.0f / (8 << steps));
            }
        }
    }
    coarse[(z * m + y) * m + x] = sum;
}

/* Back to the fine grid: a point is a coarse one, or between two, four or eight of them. */
__kernel void prolong_add(__global const float *coarse, __global const float *u, const int n, const int m, const float factor,
                          __global float *better)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= n || y >= n || z >= n) return;
    const int many_x = 2 - (x & 1), many_y = 2 - (y & 1), many_z = 2 - (z & 1);
    const int last_x = x >> 1, last_y = y >> 1, last_z = z >> 1;
    float sum = 0.0f;
    for (int k = 0; k < many_z; k++) {
        for (int j = 0; j < many_y; j++) {
            for (int i = 0; i < many_x; i++) sum += inside_or_0(coarse, m, last_x - i, last_y - j, last_z - k);
        }
    }
    const int at = (z * n + y) * n + x;
    better[at] = u[at] + factor * sum / (many_x * many_y * many_z);
}

/* A cube's corners: bit 0 is x, bit 1 y, bit 2 z. Six tetrahedra fill it, all on the diagonal from corner 0 to 7. */
__constant uchar4 tetrahedra[6] = {{0, 1, 3, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 6, 7}, {0, 4, 5, 7}, {0, 1, 5, 7}};

/* Where an edge between two corners has the level. */
inline float4 crossing(const float3 base, const int a, const int b, const float value_a, const float value_b, const float level)
{
    const float3 from = (float3)(a & 1, a >> 1 & 1, a >> 2 & 1), to = (float3)(b & 1, b >> 1 & 1, b >> 2 & 1);
    return (float4)(base + mix(from, to, (level - value_a) / (value_b - value_a)), 0.0f);
}

/* The triangles of the surface where a field has a level, cell by cell, in the order in which the items come to them. The fourth
 * part of a triangle's first corner is the cell's number. Most cells have none. */
__kernel void iso_surface(__global const float *field, const int n, const float level, const uint room,
                          __global float4 *triangles, __global uint *count)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= n - 1 || y >= n - 1 || z >= n - 1) return;

    float value[8];
    int inside = 0;
    for (int c = 0; c < 8; c++) {
        value[c] = field[((z + (c >> 2)) * n + y + (c >> 1 & 1)) * n + x + (c & 1)];
        if (value[c] > level) inside |= 1 << c;
    }
    if (inside == 0 || inside == 255) return;

    uint wanted = 0;
    for (int t = 0; t < 6; t++) {
        const uchar4 corner = tetrahedra[t];
        const int in = (inside >> corner.x & 1) + (inside >> corner.y & 1) + (inside >> corner.z & 1) + (inside >> corner.w & 1);
        wanted += in == 2 ? 2 : in & 1;
    }
    uint at = atomic_add(count, wanted);
    if (at + wanted > room) return;

    const float3 base = (float3)(x, y, z);
    const float cell = (z * n + y) * n + x;
    for (int t = 0; t < 6; t++) {
        const int corner[4] = {tetrahedra[t].x, tetrahedra[t].y, tetrahedra[t].z, tetrahedra[t].w};
        int in[4], out[4], ins = 0, outs = 0;
        for (int c = 0; c < 4; c++) {
            if (inside >> corner[c] & 1) in[ins++] = corner[c];
            else out[outs++] = corner[c];
        }
        if (ins == 0 || outs == 0) continue;
        float4 point[4];
        int points = 0;
        for (int i = 0; i < ins; i++) {
            for (int o = 0; o < outs; o++) {
                point[points++] = crossing(base, in[i], out[o], value[in[i]], value[out[o]], level);
            }
        }
        for (int first = 0; first + 2 < points; first++) {
            triangles[at * 3] = (float4)(point[first].xyz, cell);
            triangles[at * 3 + 1] = point[first + 1];
            triangles[at * 3 + 2] = point[first + 2];
            at++;
        }
    }
}
