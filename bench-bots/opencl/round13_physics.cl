/* Physics: charges on a mesh, particles in fields, cells that fire. */

/* The weights of a cubic spline at four points of the mesh, the second of which is at or before the particle. */
float4 spline(const float part)
{
    const float rest = 1.0f - part;
    return (float4)(rest * rest * rest, (3.0f * part - 6.0f) * part * part + 4.0f,
                    ((-3.0f * part + 3.0f) * part + 3.0f) * part + 1.0f, part * part * part) / 6.0f;
}

float4 spline_slope(const float part)
{
    const float rest = 1.0f - part;
    return (float4)(-0.5f * rest * rest, (1.5f * part - 2.0f) * part, (-1.5f * part + 1.0f) * part + 0.5f, 0.5f * part * part);
}

__kernel void clear_mesh(__global int *mesh, const int points)
{
    for (int i = get_global_id(0); i < points; i += get_global_size(0)) mesh[i] = 0;
}

/* Adds each particle's charge to 64 points around it, in whole steps of 2^-22, so that the order is of no matter. */
__kernel void spread_charges(__global const float4 *particles, const int count, const int4 sides, __global int *mesh)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float4 particle = particles[id];
    const float3 place = particle.xyz * convert_float3(sides.xyz);
    const int3 cell = convert_int3(floor(place));
    float wx[4], wy[4], wz[4];
    vstore4(spline(place.x - cell.x), 0, wx);
    vstore4(spline(place.y - cell.y), 0, wy);
    vstore4(spline(place.z - cell.z), 0, wz);
    for (int k = 0; k < 4; k++) {
        const int z = (cell.z + k - 1 + sides.z) % sides.z;
        for (int j = 0; j < 4; j++) {
            const int y = (cell.y + j - 1 + sides.y) % sides.y;
            const float weight = particle.w * wz[k] * wy[j];
            for (int i = 0; i < 4; i++) {
                const int x = (cell.x + i - 1 + sides.x) % sides.x;
                atomic_add(&mesh[(z * sides.y + y) * sides.x + x], convert_int_rte(weight * wx[i] * 4194304.0f));
            }
        }
    }
}

/* A potential for the forces below: each point's charge, less some of those of the six beside it. */
__kernel void smooth_mesh(__global const int *mesh, const int4 sides, __global float *potential)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= sides.x || y >= sides.y || z >= sides.z) return;
    const int row = sides.x, plane = sides.x * sides.y, at = z * plane + y * row + x;
    const int left = x == 0 ? at + row - 1 : at - 1, right = x == sides.x - 1 ? at - row + 1 : at + 1;
    const int up = y == 0 ? at + plane - row : at - row, down = y == sides.y - 1 ? at - plane + row : at + row;
    const int front = z == 0 ? at + (sides.z - 1) * plane : at - plane, back = z == sides.z - 1 ? x + y * row : at + plane;
    const float around = (float)mesh[left] + (float)mesh[right] + (float)mesh[up] + (float)mesh[down] + (float)mesh[front] +
                         (float)mesh[back];
    potential[at] = ((float)mesh[at] - 0.125f * around) / 4194304.0f;
}

/* What the potential's slope does to each particle. */
__kernel void gather_forces(__global const float4 *particles, const int count, const int4 sides, __global const float *potential,
                            __global float4 *forces)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float4 particle = particles[id];
    const float3 place = particle.xyz * convert_float3(sides.xyz);
    const int3 cell = convert_int3(floor(place));
    const float3 part = place - convert_float3(cell);
    float wy[4], wz[4], sy[4], sz[4];
    vstore4(spline(part.y), 0, wy);
    vstore4(spline(part.z), 0, wz);
    vstore4(spline_slope(part.y), 0, sy);
    vstore4(spline_slope(part.z), 0, sz);
    const float4 wx = spline(part.x), sx = spline_slope(part.x);
    const int4 columns = (cell.x + (int4)(-1, 0, 1, 2) + sides.x) % sides.x;
    float3 slope = (float3)(0.0f);
    float value = 0.0f;
    for (int k = 0; k < 4; k++) {
        const int z = (cell.z + k - 1 + sides.z) % sides.z;
        for (int j = 0; j < 4; j++) {
            __global const float *row = potential + (z * sides.y + (cell.y + j - 1 + sides.y) % sides.y) * sides.x;
            const float4 values = (float4)(row[columns.x], row[columns.y], row[columns.z], row[columns.w]);
            const float along = dot(values, wx);
            slope.x += dot(values, sx) * wy[j] * wz[k];
            slope.y += along * sy[j] * wz[k];
            slope.z += along * wy[j] * sz[k];
            value += along * wy[j] * wz[k];
        }
    }
    forces[id] = (float4)(-particle.w * slope, particle.w * value);
}

/* A field between the four points around a place of a mesh that goes on at its other side. */
float4 field_at(__global const float4 *field, const int side, const float x, const float y)
{
    const int left = min((int)x, side - 1), top = min((int)y, side - 1);
    const int right = left + 1 == side ? 0 : left + 1, bottom = top + 1 == side ? 0 : top + 1;
    const float px = x - left, py = y - top;
    return mix(mix(field[top * side + left], field[top * side + right], px),
               mix(field[bottom * side + left], field[bottom * side + right], px), py);
}

/* A step of charged particles by Boris's way: half of the electric push, a turn about the magnetic field, the other half. */
__kernel void boris_push(__global float2 *places, __global float *vx, __global float *vy, __global float *vz,
                         __global const float4 *electric, __global const float4 *magnetic, const int side, const int count,
                         const float step)
{
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) {
        float2 place = places[i];
        const float3 push = field_at(electric, side, place.x, place.y).xyz * (0.5f * step);
        const float3 turn = field_at(magnetic, side, place.x, place.y).xyz * (0.5f * step);
        const float3 before = (float3)(vx[i], vy[i], vz[i]) + push;
        const float3 half_way = before + cross(before, turn);
        const float3 after = before + cross(half_way, turn * (2.0f / (1.0f + dot(turn, turn)))) + push;
        vx[i] = after.x;
        vy[i] = after.y;
        vz[i] = after.z;
        place += after.xy * step;
        place -= floor(place / side) * side;
        places[i] = place;
    }
}

/* A nerve cell after Hodgkin and Huxley: mV, and how open its three kinds of gates are. */
struct nerve {
    float volts, m, h, n;
};

/* x / (1 - exp(-x)), which is 1 at 0. */
float ramp(const float x) { return fabs(x) < 0.01f ? 1.0f + x * (0.5f + x / 12.0f) : x / (1.0f - exp(-x)); }

/* A gate after `step` ms, by its rates to open and to close. */
float gate(const float open, const float opening, const float closing, const float step)
{
    const float rate = opening + closing, end = opening / rate;
    return end + (open - end) * exp(-rate * step);
}

/* What flows to each cell from those that it touches. */
__kernel void nerve_currents(__global const struct nerve *cells, __global const int *starts, __global const int *neighbours,
                             __global const float *strengths, const int count, __global float *currents)
{
    const int cell = get_global_id(0);
    if (cell >= count) return;
    const float volts = cells[cell].volts;
    float sum = 0.0f;
    for (int k = starts[cell]; k < starts[cell + 1]; k++) sum += strengths[k] * (cells[neighbours[k]].volts - volts);
    currents[cell] = sum;
}

/* Some steps of each cell by itself. */
__kernel void nerve_steps(__global struct nerve *cells, __global const float *currents, __global const float *drives,
                          const int count, const float step, const int steps)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    struct nerve cell = cells[id];
    const float flow = currents[id] + drives[id];
    for (int i = 0; i < steps; i++) {
        const float v = cell.volts;
        cell.m = gate(cell.m, ramp(0.1f * (v + 40.0f)), 4.0f * exp((v + 65.0f) / -18.0f), step);
        cell.h = gate(cell.h, 0.07f * exp((v + 65.0f) / -20.0f), 1.0f / (1.0f + exp((v + 35.0f) / -10.0f)), step);
        cell.n = gate(cell.n, 0.1f * ramp(0.1f * (v + 55.0f)), 0.125f * exp((v + 65.0f) / -80.0f), step);
        const float sodium = 120.0f * cell.m * cell.m * cell.m * cell.h, potassium = 36.0f * pown(cell.n, 4);
        const float total = sodium + potassium + 0.3f;
        const float rest = (sodium * 50.0f + potassium * -77.0f + 0.3f * -54.387f + flow) / total;
        cell.volts = rest + (v - rest) * exp(-total * step);
    }
    cells[id] = cell;
}
