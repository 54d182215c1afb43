/* Engineering: shallow water over uneven ground, grains that touch, a body of tetrahedra that is bent. */

#define GRAVITY 9.81f
#define DRY 1e-4f
#define TILE 16

/* What flows out of a cell to a neighbour, for states of depth, momentum outwards, momentum sideways and ground: HLL's flux between the
 * depths that stand above the higher ground, and the pressure of what is below that. */
float3 outflow(const float4 own, const float4 other)
{
    const float ground = fmax(own.w, other.w);
    const float left = fmax(own.x + own.w - ground, 0.0f), right = fmax(other.x + other.w - ground, 0.0f);
    const float pressure = 0.5f * GRAVITY * (own.x * own.x - left * left);
    if (left < DRY && right < DRY) return (float3)(0.0f, pressure, 0.0f);
    const float2 left_speed = own.x > DRY ? own.yz / own.x : (float2)(0.0f);
    const float2 right_speed = other.x > DRY ? other.yz / other.x : (float2)(0.0f);
    const float left_wave = sqrt(GRAVITY * left), right_wave = sqrt(GRAVITY * right);
    const float slow = fmin(left_speed.x - left_wave, right_speed.x - right_wave);
    const float fast = fmax(left_speed.x + left_wave, right_speed.x + right_wave);
    const float3 left_state = (float3)(left, left * left_speed), right_state = (float3)(right, right * right_speed);
    const float3 left_flux = left_state * left_speed.x + (float3)(0.0f, 0.5f * GRAVITY * left * left, 0.0f);
    const float3 right_flux = right_state * right_speed.x + (float3)(0.0f, 0.5f * GRAVITY * right * right, 0.0f);
    float3 flux;
    if (slow >= 0.0f) {
        flux = left_flux;
    } else if (fast <= 0.0f) {
        flux = right_flux;
    } else {
        flux = (fast * left_flux - slow * right_flux + slow * fast * (right_state - left_state)) / (fast - slow);
    }
    flux.y += pressure;
    return flux;
}

/* A time step for cells in tiles of 16 by 16, with walls around all. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void shallow_hll(__global const float4 *states, const int width, const int height, const float step, __global float4 *next)
{
    __local float4 tile[TILE + 2][TILE + 2];

    const int x = get_global_id(0), y = get_global_id(1);
    const int column = get_local_id(0) + 1, line = get_local_id(1) + 1;
    const bool is_inside = x < width && y < height;
    float4 own = (float4)(0.0f);
    if (is_inside) {
        own = states[y * width + x];
        tile[line][column] = own;
        const float4 mirrored_x = (float4)(own.x, -own.y, own.zw), mirrored_y = (float4)(own.xy, -own.z, own.w);
        if (x == 0) {
            tile[line][0] = mirrored_x;
        } else if (column == 1) {
            tile[line][0] = states[y * width + x - 1];
        }
        if (x == width - 1) {
            tile[line][column + 1] = mirrored_x;
        } else if (column == TILE) {
            tile[line][TILE + 1] = states[y * width + x + 1];
        }
        if (y == 0) {
            tile[0][column] = mirrored_y;
        } else if (line == 1) {
            tile[0][column] = states[(y - 1) * width + x];
        }
        if (y == height - 1) {
            tile[line + 1][column] = mirrored_y;
        } else if (line == TILE) {
            tile[TILE + 1][column] = states[(y + 1) * width + x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!is_inside) return;

    const float4 west = tile[line][column - 1], east = tile[line][column + 1];
    const float4 north = tile[line - 1][column], south = tile[line + 1][column];
    const float4 back = (float4)(1.0f, -1.0f, 1.0f, 1.0f);
    const float3 to_east = outflow(own, east), to_west = outflow(own * back, west * back);
    const float3 to_south = outflow(own.xzyw, south.xzyw), to_north = outflow(own.xzyw * back, north.xzyw * back);
    own.x -= step * (to_east.x + to_west.x + to_south.x + to_north.x);
    own.y -= step * (to_east.y - to_west.y + to_south.z + to_north.z);
    own.z -= step * (to_east.z + to_west.z + to_south.y - to_north.y);
    if (own.x < DRY) own.yz = (float2)(0.0f);
    next[y * width + x] = own;
}

#define SLOTS 12

typedef struct {
    float stiffness, damping, sliding, friction;
    float cell;
    int cells; /* of a side of the box */
} grains_t;

int cell_of(const grains_t model, const int x, const int y, const int z)
{
    return (z * model.cells + y) * model.cells + x;
}

__kernel void no_grains(__global int *counts)
{
    counts[get_global_id(0)] = 0;
}

/* Each item puts a grain's number into its cell. */
__kernel void sort_grains(__global const float4 *places, const int grains, const grains_t model, __global int *counts,
                          __global int *slots)
{
    for (int id = get_global_id(0); id < grains; id += get_global_size(0)) {
        const int3 at = clamp(convert_int3(places[id].xyz / model.cell), (int3)(0), (int3)(model.cells - 1));
        const int cell = cell_of(model, at.x, at.y, at.z);
        const int slot = atomic_inc(&counts[cell]);
        if (slot < SLOTS) slots[cell * SLOTS + slot] = id;
    }
}

/* The force on a grain, and its turning moment, from what touches it: a spring and a damper, and friction up to a share of their force. */
void touch(const grains_t model, const float3 normal, const float overlap, const float3 speed, const float radius, float3 *force,
           float3 *moment)
{
    const float closing = dot(speed, normal);
    const float push = fmax(model.stiffness * overlap - model.damping * closing, 0.0f);
    const float3 sideways = speed - closing * normal;
    const float slip = length(sideways);
    float3 drag = (float3)(0.0f);
    if (slip > 1e-6f) drag = -fmin(model.sliding * slip, model.friction * push) / slip * sideways;
    *force += push * normal + drag;
    *moment -= radius * cross(normal, drag);
}

/* Each item adds up the forces of the grains in the cells around its grain's, and of the floor. Places have radii with them. */
__kernel void grain_forces(__global const float4 *places, __global const float4 *speeds, __global const float4 *spins, const int grains,
                           const grains_t model, __global const int *counts, __global const int *slots, __global float4 *forces,
                           __global float4 *moments)
{
    const int id = get_global_id(0);
    if (id >= grains) return;
    const float4 own = places[id];
    const float3 own_speed = speeds[id].xyz, own_spin = spins[id].xyz;
    const int3 at = clamp(convert_int3(own.xyz / model.cell), (int3)(0), (int3)(model.cells - 1));
    float3 force = (float3)(0.0f, 0.0f, -GRAVITY * own.w * own.w * own.w), moment = (float3)(0.0f);
    for (int z = max(at.z - 1, 0); z <= min(at.z + 1, model.cells - 1); z++) {
        for (int y = max(at.y - 1, 0); y <= min(at.y + 1, model.cells - 1); y++) {
            for (int x = max(at.x - 1, 0); x <= min(at.x + 1, model.cells - 1); x++) {
                const int cell = cell_of(model, x, y, z), count = min(counts[cell], SLOTS);
                for (int i = 0; i < count; i++) {
                    const int other = slots[cell * SLOTS + i];
                    if (other == id) continue;
                    const float4 place = places[other];
                    const float3 off = own.xyz - place.xyz;
                    const float square = dot(off, off), reach = own.w + place.w;
                    if (square >= reach * reach) continue;
                    const float away = sqrt(square);
                    const float3 normal = off / away;
                    const float3 turning = cross(own.w * own_spin + place.w * spins[other].xyz, normal);
                    touch(model, normal, reach - away, own_speed - speeds[other].xyz - turning, own.w, &force, &moment);
                }
            }
        }
    }
    if (own.z < own.w) {
        const float3 up = (float3)(0.0f, 0.0f, 1.0f);
        touch(model, up, own.w - own.z, own_speed - own.w * cross(own_spin, up), own.w, &force, &moment);
    }
    forces[id] = (float4)(force, 0.0f);
    moments[id] = (float4)(moment, 0.0f);
}

typedef struct {
    int nodes[4];
    float inverse[9]; /* of the edges from the first node at rest, which are columns */
    float volume;
} tetrahedron_t;

void add_float(volatile __global float *to, const float value)
{
    volatile __global uint *word = (volatile __global uint *)to;
    uint old = *word, seen;
    do {
        seen = old;
        old = atomic_cmpxchg(word, seen, as_uint(as_float(seen) + value));
    } while (old != seen);
}

__kernel void no_forces(__global float *forces, const int count)
{
    const int id = get_global_id(0);
    if (id < count) forces[id] = 0.0f;
}

/* Each item adds the forces of a tetrahedron of rubber to its four nodes, which others share. */
__kernel void tet_forces(__global const tetrahedron_t *tetrahedra, const int count, __global const float4 *places, const float shear,
                         const float bulk, __global float *forces)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    __global const tetrahedron_t *own = &tetrahedra[id];
    const float3 origin = places[own->nodes[0]].xyz;
    float3 edges[3], bent[3], against[3];
    for (int i = 0; i < 3; i++) edges[i] = places[own->nodes[i + 1]].xyz - origin;
    for (int i = 0; i < 3; i++) {
        bent[i] = own->inverse[i] * edges[0] + own->inverse[3 + i] * edges[1] + own->inverse[6 + i] * edges[2];
    }
    const float volume = fmax(dot(bent[0], cross(bent[1], bent[2])), 0.1f);
    against[0] = cross(bent[1], bent[2]) / volume;
    against[1] = cross(bent[2], bent[0]) / volume;
    against[2] = cross(bent[0], bent[1]) / volume;
    const float pressure = bulk * log(volume);
    float3 stress[3], sum = (float3)(0.0f);
    for (int i = 0; i < 3; i++) stress[i] = shear * (bent[i] - against[i]) + pressure * against[i];
    for (int i = 0; i < 3; i++) {
        const float3 force = -own->volume * (own->inverse[3 * i] * stress[0] + own->inverse[3 * i + 1] * stress[1] +
                                             own->inverse[3 * i + 2] * stress[2]);
        sum -= force;
        __global float *to = forces + 3 * own->nodes[i + 1];
        add_float(to, force.x);
        add_float(to + 1, force.y);
        add_float(to + 2, force.z);
    }
    __global float *to = forces + 3 * own->nodes[0];
    add_float(to, sum.x);
    add_float(to + 1, sum.y);
    add_float(to + 2, sum.z);
}

/* Moves the nodes by a time step. Those without mass are held. */
__kernel void move_nodes(__global const float4 *places, __global const float4 *speeds, __global const float *forces, const float step,
                         __global float4 *new_places, __global float4 *new_speeds)
{
    const size_t id = get_global_id(0);
    const float4 place = places[id];
    float4 speed = speeds[id];
    if (place.w > 0.0f) {
        speed.xyz += step / place.w * vload3(id, forces);
        speed.z -= step * GRAVITY;
    }
    new_speeds[id] = speed;
    new_places[id] = (float4)(place.xyz + step * speed.xyz, place.w);
}
