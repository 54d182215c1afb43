/* Science: a gas of six directions, values between which a matrix is singular, how often atoms are how far apart, when a wave
 * comes. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define WALL 0x40

uint mixed(uint word)
{
    word ^= word >> 16;
    word *= 0x7feb352du;
    word ^= word >> 15;
    word *= 0x846ca68bu;
    return word ^ word >> 16;
}

/* The particle that comes from a neighbour in a direction: east, then on against the clock, on a lattice of triangles, whose odd
 * rows lie half a cell further east. Rows above and below are empty, columns go around. */
uint coming(__global const uchar *cells, const int x, const int y, const int width, const int height, const int direction)
{
    const int is_odd = y & 1;
    int column = x, row = y;
    switch (direction) {
    case 0: column = x - 1; break;
    case 1: column = x - 1 + is_odd; row = y + 1; break;
    case 2: column = x + is_odd; row = y + 1; break;
    case 3: column = x + 1; break;
    case 4: column = x + is_odd; row = y - 1; break;
    default: column = x - 1 + is_odd; row = y - 1; break;
    }
    if (row < 0 || row >= height) return 0;
    column = column < 0 ? column + width : column >= width ? column - width : column;
    return cells[row * width + column] & 1u << direction;
}

/* A step of each cell: particles come, and meet. */
__kernel void lattice_gas(__global const uchar *from, const int width, const int height, const uint time, __global uchar *to)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    const int id = y * width + x;
    uint state = 0;
    for (int i = 0; i < 6; i++) state |= coming(from, x, y, width, height, i);
    if (from[id] & WALL) {
        to[id] = (uchar)(WALL | (state << 3 & 0x38) | state >> 3);
        return;
    }
    const int is_left = mixed(id ^ time * 0x9e3779b9u) & 1;
    switch (state) {
    case 0x09: state = is_left ? 0x12 : 0x24; break;
    case 0x12: state = is_left ? 0x24 : 0x09; break;
    case 0x24: state = is_left ? 0x09 : 0x12; break;
    case 0x15: state = 0x2a; break;
    case 0x2a: state = 0x15; break;
    default: break;
    }
    to[id] = (uchar)state;
}

/* Where the particles of a square of cells go, on average, and how many they are. */
__kernel void gas_flow(__global const uchar *cells, const int width, const int side, __global float4 *flow)
{
    const int column = get_global_id(0), row = get_global_id(1);
    int count = 0, along = 0, up = 0;
    for (int y = row * side; y < (row + 1) * side; y++) {
        for (int x = column * side; x < (column + 1) * side; x++) {
            const uint state = cells[y * width + x] & 0x3f;
            count += popcount(state);
            along += 2 * popcount(state & 0x01) + popcount(state & 0x22) - popcount(state & 0x14) - 2 * popcount(state & 0x08);
            up += popcount(state & 0x06) - popcount(state & 0x30);
        }
    }
    const float cells_of_square = (float)(side * side);
    flow[row * get_global_size(0) + column] =
        (float4)(0.5f * along / cells_of_square, 0.8660254f * up / cells_of_square, count / cells_of_square, 0.0f);
}

#define BOUNDERS 64

/* Between which numbers all eigenvalues are: one work-group. */
__kernel __attribute__((reqd_work_group_size(BOUNDERS, 1, 1)))
void value_bounds(__global const double *diagonal, __global const double *beside, const int count, __global double *bounds)
{
    __local double least[BOUNDERS], most[BOUNDERS];

    const int lid = get_local_id(0);
    double low = INFINITY, high = -INFINITY;
    for (int i = lid; i < count; i += BOUNDERS) {
        const double reach = (i > 0 ? fabs(beside[i - 1]) : 0.0) + (i + 1 < count ? fabs(beside[i]) : 0.0);
        low = fmin(low, diagonal[i] - reach);
        high = fmax(high, diagonal[i] + reach);
    }
    least[lid] = low;
    most[lid] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_count = BOUNDERS / 2; half_count > 0; half_count /= 2) {
        if (lid < half_count) {
            least[lid] = fmin(least[lid], least[lid + half_count]);
            most[lid] = fmax(most[lid], most[lid + half_count]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < 2) bounds[lid] = lid == 0 ? least[0] : most[0];
}

/* How many eigenvalues of a symmetric matrix with three diagonals are below x. */
int values_below(__global const double *diagonal, __global const double *beside, const int count, const double x)
{
    double pivot = diagonal[0] - x;
    int below = pivot < 0.0;
    for (int i = 1; i < count; i++) {
        if (fabs(pivot) < 1e-200) pivot = -1e-200;
        pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
        below += pivot < 0.0;
    }
    return below;
}

/* Each item halves the bounds of an eigenvalue until they are near to each other. */
__kernel void sturm_bisection(__global const double *diagonal, __global const double *beside, const int count,
                              __global const double *bounds, const double precision, __global double *values,
                              __global uchar *steps)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    double low = bounds[0], high = bounds[1];
    int step = 0;
    while (high - low > precision * fmax(1.0, fmax(fabs(low), fabs(high))) && step < 100) {
        const double middle = 0.5 * (low + high);
        if (values_below(diagonal, beside, count, middle) > id) {
            high = middle;
        } else {
            low = middle;
        }
        step++;
    }
    values[id] = 0.5 * (low + high);
    steps[id] = (uchar)step;
}

#define SHELLS 200
#define PAIRERS 64

__kernel void no_pairs(__global uint *counts)
{
    counts[get_global_id(0)] = 0;
}

/* How many pairs of atoms are how far apart in a box that goes on after its end. A work-group counts the pairs of its atoms with
 * those of its own tile and of later ones, in local memory. */
__kernel __attribute__((reqd_work_group_size(PAIRERS, 1, 1)))
void pair_shells(__global const float4 *atoms, const int count, const float box, const float shells_per_length,
                 __global uint *counts)
{
    __local float4 tile[PAIRERS];
    __local uint shells[SHELLS];

    const int lid = get_local_id(0), id = get_global_id(0);
    for (int i = lid; i < SHELLS; i += PAIRERS) shells[i] = 0;
    const float4 atom = id < count ? atoms[id] : (float4)(0.0f);
    for (int first = get_group_id(0) * PAIRERS; first < count; first += PAIRERS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (first + lid < count) tile[lid] = atoms[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= count) continue;
        const int end = min(PAIRERS, count - first);
        for (int i = 0; i < end; i++) {
            if (first + i <= id) continue;
            float4 off = tile[i] - atom;
            off -= box * rint(off / box);
            const int shell = (int)(sqrt(off.x * off.x + off.y * off.y + off.z * off.z) * shells_per_length);
            if (shell < SHELLS) atomic_inc(&shells[shell]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < SHELLS; i += PAIRERS) {
        if (shells[i] > 0) atomic_add(&counts[i], shells[i]);
    }
}

#define NEVER 1e9f

/* When a wave comes to each place, as far as its neighbours know; `slowness` is the time that it takes through a cell. */
__kernel void wave_arrival(__global const float *before, __global const float *slowness, const int width, const int height,
                           const int depth, __global float *after)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= width || y >= height || z >= depth) return;
    const int layer = width * height, id = z * layer + y * width + x;
    float a = fmin(x > 0 ? before[id - 1] : NEVER, x + 1 < width ? before[id + 1] : NEVER);
    float b = fmin(y > 0 ? before[id - width] : NEVER, y + 1 < height ? before[id + width] : NEVER);
    float c = fmin(z > 0 ? before[id - layer] : NEVER, z + 1 < depth ? before[id + layer] : NEVER);
    if (a > b) {
        const float other = a;
        a = b;
        b = other;
    }
    if (b > c) {
        const float other = b;
        b = c;
        c = other;
    }
    if (a > b) {
        const float other = a;
        a = b;
        b = other;
    }
    float time = before[id];
    if (a < NEVER) {
        const float slow = slowness[id], second = b - a, third = c - a;
        float later = slow;
        if (later > second) {
            later = 0.5f * (second + sqrt(2.0f * slow * slow - second * second));
            if (later > third) {
                const float sum = second + third, squares = second * second + third * third;
                later = (sum + sqrt(fmax(sum * sum - 3.0f * (squares - slow * slow), 0.0f))) / 3.0f;
            }
        }
        time = fmin(time, a + later);
    }
    after[id] = time;
}
