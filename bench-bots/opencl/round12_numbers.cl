/* Numbers: a gas on a mesh of triangles, elimination a pivot at a time, options on a basket by Sobol's points. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SIDES 3
#define GAMMA 1.4
#define FAR -2 /* beside a triangle: the gas as it comes; any other negative number is a wall */

inline double pressure_of(const double4 u)
{
    return (GAMMA - 1.0) * (u.w - 0.5 * (u.y * u.y + u.z * u.z) / u.x);
}

/* Density, both momenta and energy are arrays of their own. */
inline double4 state_at(__global const double *states, const int count, const int i)
{
    return (double4)(states[i], states[count + i], states[2 * count + i], states[3 * count + i]);
}

inline double4 flux_of(const double4 u, const double pressure, const double2 normal)
{
    const double through = (u.y * normal.x + u.z * normal.y) / u.x;
    return (double4)(u.x * through, u.y * through + pressure * normal.x, u.z * through + pressure * normal.y,
                     (u.w + pressure) * through);
}

/* How far in time each triangle may go: its own step, divided by its area. */
__kernel void mesh_steps(__global const double *states, __global const double *areas, const int count, const double courant,
                         __global double *steps)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    const double4 u = state_at(states, count, i);
    const double speed = sqrt(u.y * u.y + u.z * u.z) / u.x, sound = sqrt(GAMMA * pressure_of(u) / u.x);
    steps[i] = courant / (sqrt(areas[i]) * (speed + sound));
}

/* Rusanov's fluxes over all sides of a triangle. `normals` are as long as the sides. */
__kernel void mesh_fluxes(__global const double *states, __global const int *neighbours, __global const double2 *normals,
                          const int count, const double4 coming, __global double *fluxes)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    const double4 mine = state_at(states, count, i);
    const double pressure = pressure_of(mine), sound = sqrt(GAMMA * pressure / mine.x);
    double4 sum = (double4)(0.0);
    for (int side = 0; side < SIDES; side++) {
        const int other = neighbours[side * count + i];
        const double2 normal = normals[side * count + i];
        if (other < 0 && other != FAR) {
            sum.yz += pressure * normal;
            continue;
        }
        const double4 theirs = other == FAR ? coming : state_at(states, count, other);
        const double their_pressure = pressure_of(theirs), size = length(normal);
        const double one = fabs(dot(mine.yz, normal)) / mine.x + sound * size;
        const double two = fabs(dot(theirs.yz, normal)) / theirs.x + sqrt(GAMMA * their_pressure / theirs.x) * size;
        sum += 0.5 * (flux_of(mine, pressure, normal) + flux_of(theirs, their_pressure, normal)) -
               0.5 * fmax(one, two) * (theirs - mine);
    }
    fluxes[i] = sum.x;
    fluxes[count + i] = sum.y;
    fluxes[2 * count + i] = sum.z;
    fluxes[3 * count + i] = sum.w;
}

/* A stage of a Runge-Kutta step, from where the step began. */
__kernel void mesh_advance(__global const double *begun, __global const double *fluxes, __global const double *steps,
                           const int count, const double part, __global double *states)
{
    const int i = get_global_id(0);
    if (i >= count) return;
    const double factor = part * steps[i];
    for (int k = 0; k < 4; k++) states[k * count + i] = begun[k * count + i] - factor * fluxes[k * count + i];
}

__kernel void mesh_copy(__global const double2 *from, __global double2 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

#define ITEMS 256

/* The row, from k on, whose value in column k is largest: one group. The matrix has a right side as its last column. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void find_pivot(__global const float *matrix, const int n, const int k, __global int *pivot)
{
    __local float sizes[ITEMS];
    __local int rows[ITEMS];

    const int lid = get_local_id(0);
    float largest = -1.0f;
    int row = k;
    for (int i = k + lid; i < n; i += ITEMS) {
        const float size = fabs(matrix[i * (n + 1) + k]);
        if (size > largest) {
            largest = size;
            row = i;
        }
    }
    sizes[lid] = largest;
    rows[lid] = row;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step && sizes[lid + step] > sizes[lid]) {
            sizes[lid] = sizes[lid + step];
            rows[lid] = rows[lid + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) *pivot = rows[0];
}

__kernel void swap_rows(__global float *matrix, const int n, const int k, __global const int *pivot)
{
    const int column = k + get_global_id(0), row = *pivot;
    if (column > n || row == k) return;
    const float kept = matrix[k * (n + 1) + column];
    matrix[k * (n + 1) + column] = matrix[row * (n + 1) + column];
    matrix[row * (n + 1) + column] = kept;
}

__kernel void row_factors(__global const float *matrix, const int n, const int k, __global float *factors)
{
    const int row = k + 1 + get_global_id(0);
    if (row >= n) return;
    factors[row] = matrix[row * (n + 1) + k] / matrix[k * (n + 1) + k];
}

__kernel void eliminate(__global float *matrix, const int n, const int k, __global const float *factors)
{
    const int column = k + get_global_id(0), row = k + 1 + get_global_id(1);
    if (row < n && column <= n) matrix[row * (n + 1) + column] -= factors[row] * matrix[k * (n + 1) + column];
}

/* From the last unknown to the first, by one group. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void substitute_back(__global const float *matrix, const int n, __global float *solution)
{
    __local float parts[ITEMS];

    const int lid = get_local_id(0);
    for (int row = n - 1; row >= 0; row--) {
        float sum = 0.0f;
        for (int i = row + 1 + lid; i < n; i += ITEMS) sum += matrix[row * (n + 1) + i] * solution[i];
        parts[lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = ITEMS / 2; step > 0; step >>= 1) {
            if (lid < step) parts[lid] += parts[lid + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0) solution[row] = (matrix[row * (n + 1) + n] - parts[0]) / matrix[row * (n + 1) + row];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

#define ASSETS 4
#define DATES 4
#define DIMENSIONS (ASSETS * DATES)
#define BITS 32
#define PATHS 128 /* items */

/* The number of which a part of 0 < p < 1 of the normal distribution is below: Acklam's fractions. */
inline float normal_below(const float p)
{
    if (p < 0.02425f || p > 0.97575f) {
        const float q = sqrt(-2.0f * log(p < 0.5f ? p : 1.0f - p));
        float x = -7.784894002e-03f, y = 7.784695709e-03f;
        x = mad(x, q, -3.223964580e-01f), y = mad(y, q, 3.224671290e-01f);
        x = mad(x, q, -2.400758277f), y = mad(y, q, 2.445134137f);
        x = mad(x, q, -2.549732539f), y = mad(y, q, 3.754408661f);
        x = mad(x, q, 4.374664141f), y = mad(y, q, 1.0f);
        x = mad(x, q, 2.938163982f);
        return p < 0.5f ? x / y : -x / y;
    }
    const float q = p - 0.5f, r = q * q;
    float x = -3.969683028e+01f, y = -5.447609879e+01f;
    x = mad(x, r, 2.209460984e+02f), y = mad(y, r, 1.615858368e+02f);
    x = mad(x, r, -2.759285104e+02f), y = mad(y, r, -1.556989798e+02f);
    x = mad(x, r, 1.383577518e+02f), y = mad(y, r, 6.680131188e+01f);
    x = mad(x, r, -3.066479806e+01f), y = mad(y, r, -1.328068155e+01f);
    x = mad(x, r, 2.506628277f), y = mad(y, r, 1.0f);
    return x * q / y;
}

/* A call on the mean of some assets, which is worth nothing once the logarithm of one of them was below `barrier_at`: sums of the
 * gains and of their squares, and how many paths were left, for each group. `factor` is the root of the correlations, row by
 * row; `drift` and `spread` are of one step of time. */
__kernel __attribute__((reqd_work_group_size(PATHS, 1, 1)))
void sobol_basket(__global const uint *directions, const int paths, __constant float *factor, const float drift,
                  const float spread, const float barrier_at, const float strike, __global float2 *sums, __global int *alive)
{
    __local uint shared_directions[DIMENSIONS * BITS];
    __local float2 gains[PATHS];
    __local int left[PATHS];

    const int lid = get_local_id(0);
    for (int i = lid; i < DIMENSIONS * BITS; i += PATHS) shared_directions[i] = directions[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    float2 gained = (float2)(0.0f);
    int count = 0;
    for (int path = get_global_id(0); path < paths; path += get_global_size(0)) {
        const uint place = path + 1, code = place ^ (place >> 1);
        float logs[ASSETS] = {0.0f, 0.0f, 0.0f, 0.0f};
        bool out = false;
        for (int date = 0; date < DATES && !out; date++) {
            float normals[ASSETS];
            for (int asset = 0; asset < ASSETS; asset++) {
                __local const uint *mine = shared_directions + (date * ASSETS + asset) * BITS;
                uint point = 0;
                for (uint rest = code; rest != 0; rest >>= 1, mine++) {
                    if (rest & 1) point ^= *mine;
                }
                normals[asset] = normal_below(((point >> 9) + 0.5f) * 0x1p-23f);
                float move = 0.0f;
                for (int k = 0; k <= asset; k++) move += factor[asset * ASSETS + k] * normals[k];
                logs[asset] += drift + spread * move;
                if (logs[asset] < barrier_at) out = true;
            }
        }
        if (out) continue;
        float mean = 0.0f;
        for (int asset = 0; asset < ASSETS; asset++) mean += exp(logs[asset]);
        const float gain = fmax(mean / ASSETS - strike, 0.0f);
        gained += (float2)(gain, gain * gain);
        count++;
    }

    gains[lid] = gained;
    left[lid] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = PATHS / 2; step > 0; step >>= 1) {
        if (lid < step) {
            gains[lid] += gains[lid + step];
            left[lid] += left[lid + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        sums[get_group_id(0)] = gains[0];
        alive[get_group_id(0)] = left[0];
    }
}
