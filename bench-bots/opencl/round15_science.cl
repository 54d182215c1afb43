/* Science: gates of a quantum computer, oscillators that need steps of different length, how much of a molecule touches water. */

#define TILE_QUBITS 8
#define TILE 256 /* amplitudes of all states of those */
#define TILE_ITEMS 128
#define MEASURERS 128

double2 times(const double2 a, const double2 b) { return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

/* A number with a zero more in its bits, at a place. */
uint spread(const uint number, const uint place)
{
    const uint low = number & ((1u << place) - 1);
    return (number ^ low) << 1 | low;
}

/* All qubits are 0. */
__kernel void start_state(__global double2 *state)
{
    const uint id = get_global_id(0);
    state[id] = (double2)(id == 0 ? 1.0 : 0.0, 0.0);
}

/* A gate on each of the lowest qubits, one after another. A work-group has the amplitudes that differ only in those. */
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void low_qubits(__global double2 *state, __constant double2 *gates, const int first_gate)
{
    __local double2 tile[TILE];

    const uint lid = get_local_id(0), base = get_group_id(0) * TILE;
    tile[lid] = state[base + lid];
    tile[lid + TILE_ITEMS] = state[base + lid + TILE_ITEMS];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint qubit = 0; qubit < TILE_QUBITS; qubit++) {
        __constant double2 *gate = gates + (first_gate + qubit) * 4;
        const uint low = spread(lid, qubit), high = low | 1u << qubit;
        const double2 zero = tile[low], one = tile[high];
        tile[low] = times(gate[0], zero) + times(gate[1], one);
        tile[high] = times(gate[2], zero) + times(gate[3], one);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    state[base + lid] = tile[lid];
    state[base + lid + TILE_ITEMS] = tile[lid + TILE_ITEMS];
}

/* A gate on one qubit: the rows of its matrix. */
__kernel void one_qubit(__global double2 *state, const uint qubit, const double4 upper, const double4 lower)
{
    const uint low = spread(get_global_id(0), qubit), high = low | 1u << qubit;
    const double2 zero = state[low], one = state[high];
    state[low] = times(upper.lo, zero) + times(upper.hi, one);
    state[high] = times(lower.lo, zero) + times(lower.hi, one);
}

/* A gate on two qubits, the first of which is the lower one. */
__kernel void two_qubits(__global double2 *state, const uint first, const uint second, __constant double2 *matrices,
                         const int which)
{
    const uint base = spread(spread(get_global_id(0), first), second);
    __constant double2 *matrix = matrices + which * 16;
    double2 before[4];
    for (uint i = 0; i < 4; i++) before[i] = state[base | (i & 1) << first | (i >> 1) << second];
    for (uint row = 0; row < 4; row++) {
        double2 sum = (double2)(0.0);
        for (int i = 0; i < 4; i++) sum += times(matrix[row * 4 + i], before[i]);
        state[base | (row & 1) << first | (row >> 1) << second] = sum;
    }
}

/* Turns the amplitudes of states in which some qubits are all 1. */
__kernel void turn_phase(__global double2 *state, const uint qubits, const double2 turn)
{
    const uint id = get_global_id(0);
    if ((id & qubits) != qubits) return;
    state[id] = times(state[id], turn);
}

/* Parts of the chance that a qubit is found to be 1. The second dimension is the qubit. */
__kernel __attribute__((reqd_work_group_size(MEASURERS, 1, 1)))
void chances_of_one(__global const double2 *state, const uint states, __global double *parts)
{
    __local double sums[MEASURERS];

    const uint lid = get_local_id(0), qubit = get_global_id(1);
    double sum = 0.0;
    for (uint i = get_global_id(0); i < states / 2; i += get_global_size(0)) {
        const double2 one = state[spread(i, qubit) | 1u << qubit];
        sum += dot(one, one);
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = MEASURERS / 2; step > 0; step >>= 1) {
        if (lid < step) sums[lid] += sums[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) parts[qubit * get_num_groups(0) + get_group_id(0)] = sums[0];
}

/* Two of van der Pol's oscillators (place, speed, place, speed) that pull at each other: how fast each number changes. */
double4 slope(const double4 now, const double4 kind)
{
    const double2 places = now.even, speeds = now.odd;
    const double2 pulls = kind.xy * (1.0 - places * places) * speeds - places + kind.z * (places.yx - places);
    return (double4)(speeds.x, pulls.x, speeds.y, pulls.y);
}

/* Follows pairs of oscillators by Dormand's and Prince's method of fifth order, whose steps are as long as the error allows that
 * the method of fourth order within it tells. `counts` has steps that were taken and those that were too long, and how often the
 * first oscillator came up through the middle. */
__kernel void dormand_prince(__global const double4 *kinds, __global const double4 *starts, const int count, const double end,
                             const double tolerance, const int most, __global double4 *out, __global int4 *counts)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const double4 kind = kinds[id];
    double4 now = starts[id], k1 = slope(now, kind);
    double time = 0.0, step = 0.01;
    int taken = 0, refused = 0, rises = 0;
    while (time < end && taken + refused < most) {
        const bool is_last = time + step >= end;
        if (is_last) step = end - time;
        const double4 k2 = slope(now + step * (1.0 / 5.0 * k1), kind);
        const double4 k3 = slope(now + step * (3.0 / 40.0 * k1 + 9.0 / 40.0 * k2), kind);
        const double4 k4 = slope(now + step * (44.0 / 45.0 * k1 - 56.0 / 15.0 * k2 + 32.0 / 9.0 * k3), kind);
        const double4 k5 = slope(now + step * (19372.0 / 6561.0 * k1 - 25360.0 / 2187.0 * k2 + 64448.0 / 6561.0 * k3 -
                                               212.0 / 729.0 * k4), kind);
        const double4 k6 = slope(now + step * (9017.0 / 3168.0 * k1 - 355.0 / 33.0 * k2 + 46732.0 / 5247.0 * k3 +
                                               49.0 / 176.0 * k4 - 5103.0 / 18656.0 * k5), kind);
        const double4 next = now + step * (35.0 / 384.0 * k1 + 500.0 / 1113.0 * k3 + 125.0 / 192.0 * k4 -
                                           2187.0 / 6784.0 * k5 + 11.0 / 84.0 * k6);
        const double4 k7 = slope(next, kind);
        const double4 error = step * (71.0 / 57600.0 * k1 - 71.0 / 16695.0 * k3 + 71.0 / 1920.0 * k4 -
                                      17253.0 / 339200.0 * k5 + 22.0 / 525.0 * k6 - 1.0 / 40.0 * k7);
        const double4 share = error / (tolerance * (1.0 + fmax(fabs(now), fabs(next))));
        const double size = sqrt(dot(share, share) * 0.25);
        if (size <= 1.0) {
            time = is_last ? end : time + step;
            if (now.x < 0.0 && next.x >= 0.0) rises++;
            now = next;
            k1 = k7;
            taken++;
        } else {
            refused++;
        }
        step *= clamp(0.9 * pow(fmax(size, 1.0e-10), -0.2), 0.2, 5.0);
    }
    out[id] = now;
    counts[id] = (int4)(taken, refused, rises, 0);
}

#define SPHERE 100 /* points on it */
#define TOUCHERS 64
#define MOST_NEAR 256
#define SCANNERS 256

/* The cell of a grid that has an atom. */
int3 cell_of(const float4 atom, const float by, const int side)
{
    return clamp(convert_int3(atom.xyz * by), 0, side - 1);
}

__kernel void clear_cells(__global int *counts, const int cells)
{
    const int id = get_global_id(0);
    if (id < cells) counts[id] = 0;
}

/* How many atoms each cell has, and which of these each atom is. */
__kernel void count_atoms(__global const float4 *atoms, const int count, const float by, const int side, __global int *counts,
                          __global int *ranks)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int3 cell = cell_of(atoms[id], by, side);
    ranks[id] = atomic_inc(&counts[(cell.z * side + cell.y) * side + cell.x]);
}

/* Where the atoms of each cell begin. One work-group goes through all cells. */
__kernel __attribute__((reqd_work_group_size(SCANNERS, 1, 1)))
void place_cells(__global const int *counts, const int cells, __global int *starts)
{
    __local int sums[SCANNERS];

    const int lid = get_local_id(0);
    int before = 0;
    for (int first = 0; first < cells; first += SCANNERS) {
        const int own = first + lid < cells ? counts[first + lid] : 0;
        sums[lid] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 1; step < SCANNERS; step *= 2) {
            const int more = lid >= step ? sums[lid - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[lid] += more;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (first + lid < cells) starts[first + lid] = before + sums[lid] - own;
        before += sums[SCANNERS - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) starts[cells] = before;
}

__kernel void sort_atoms(__global const float4 *atoms, const int count, const float by, const int side,
                         __global const int *starts, __global const int *ranks, __global float4 *sorted, __global int *ids)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int3 cell = cell_of(atoms[id], by, side);
    const int to = starts[(cell.z * side + cell.y) * side + cell.x] + ranks[id];
    sorted[to] = atoms[id];
    ids[to] = id;
}

/* How much of each atom a molecule of water can touch, by Shrake and Rupley: how many points of a sphere around it are in no
 * other atom's sphere. An atom is (place, radius and that of the water). A work-group has an atom and gathers those around it. */
__kernel __attribute__((reqd_work_group_size(TOUCHERS, 1, 1)))
void bare_points(__global const float4 *sorted, __global const int *ids, __global const int *starts, const float by,
                 const int side, __global const float4 *sphere, __global float *areas)
{
    __local float4 near[MOST_NEAR];
    __local int gathered, bare;

    const int lid = get_local_id(0), own = get_group_id(0);
    const float4 atom = sorted[own];
    const int3 cell = cell_of(atom, by, side);
    if (lid == 0) gathered = bare = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 27; i++) {
        const int3 other = cell + (int3)(i % 3, i / 3 % 3, i / 9) - 1;
        if (any(other < 0) || any(other >= side)) continue;
        const int at = (other.z * side + other.y) * side + other.x;
        for (int k = starts[at] + lid; k < starts[at + 1]; k += TOUCHERS) {
            const float3 apart = sorted[k].xyz - atom.xyz;
            const float reach = sorted[k].w + atom.w;
            if (k == own || dot(apart, apart) >= reach * reach) continue;
            const int to = atomic_inc(&gathered);
            if (to < MOST_NEAR) near[to] = (float4)(apart, sorted[k].w * sorted[k].w);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int count = min(gathered, MOST_NEAR);
    int last = 0, free = 0;
    for (int point = lid; point < SPHERE; point += TOUCHERS) {
        const float3 place = sphere[point].xyz * atom.w;
        bool buried = false;
        /* What buried a point before is likely to bury the next one. */
        for (int i = 0, k = last; i < count; i++, k = k + 1 < count ? k + 1 : 0) {
            const float3 apart = place - near[k].xyz;
            if (dot(apart, apart) < near[k].w) {
                buried = true;
                last = k;
                break;
            }
        }
        if (!buried) free++;
    }
    if (free > 0) atomic_add(&bare, free);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) areas[ids[own]] = 4.0f * M_PI_F * atom.w * atom.w * bare / SPHERE;
}
