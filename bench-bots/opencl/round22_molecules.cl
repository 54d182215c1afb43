/* Molecules: poses of a ligand in a protein's grid, water that keeps its shape, reads of a genome as copies of haplotypes, fingerprints
 * that are alike. */

#define GROUP 32
#define MOST_ATOMS 48
#define MAPS 6
#define ELECTRIC (MAPS - 1)

typedef struct {
    float4 turn; /* a unit quaternion */
    float3 place;
    float torsions[8];
} pose_t;

typedef struct {
    float3 place;
    float charge;
    int kind;
} atom_t;

typedef struct {
    int from, to;  /* the atoms of a bond */
    ulong moved;   /* a bit for each atom that turns around it */
} torsion_t;

typedef struct {
    int side, atoms, torsions, pairs;
    float spacing, middle;
} dock_t;

float3 turned(const float4 q, const float3 v)
{
    const float3 twice = 2.0f * cross(q.xyz, v);
    return v + q.w * twice + cross(q.xyz, twice);
}

/* What a map has between the points of its grid. */
float map_at(__global const float *map, const int side, const int3 at, const float3 part)
{
    __global const float *corner = map + (at.z * side + at.y) * side + at.x;
    const int up = side * side;
    const float4 below = (float4)(corner[0], corner[1], corner[side], corner[side + 1]);
    const float4 above = (float4)(corner[up], corner[up + 1], corner[up + side], corner[up + side + 1]);
    const float4 layer = mix(below, above, part.z);
    const float2 line = mix(layer.xy, layer.zw, part.y);
    return mix(line.x, line.y, part.x);
}

/* A work-group finds the energy of a pose: it turns the ligand around its bonds and as a whole, then adds up what the protein does to its
 * atoms, and what they do to each other. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void dock_poses(__global const pose_t *poses, __constant atom_t *atoms, __constant torsion_t *torsions, __constant uchar2 *pairs,
                __global const float *maps, const dock_t dock, __global float2 *energies)
{
    __local float3 places[MOST_ATOMS];
    __local float2 parts[GROUP];

    const int lid = get_local_id(0);
    __global const pose_t *pose = &poses[get_group_id(0)];
    for (int i = lid; i < dock.atoms; i += GROUP) places[i] = atoms[i].place;
    for (int k = 0; k < dock.torsions; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const float3 origin = places[torsions[k].from], axis = normalize(places[torsions[k].to] - origin);
        float c;
        const float s = sincos(0.5f * pose->torsions[k], &c);
        const float4 turn = (float4)(s * axis, c);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < dock.atoms; i += GROUP) {
            if (torsions[k].moved >> i & 1) places[i] = origin + turned(turn, places[i] - origin);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float2 energy = (float2)(0.0f);
    for (int i = lid; i < dock.pairs; i += GROUP) {
        const uchar2 pair = pairs[i];
        const float3 off = places[pair.x] - places[pair.y];
        const float square = fmax(dot(off, off), 4.0f);
        const float inverse = 9.0f / square, sixth = inverse * inverse * inverse;
        energy.y += 0.15f * (sixth * sixth - 2.0f * sixth);
        energy.y += 33.2f * atoms[pair.x].charge * atoms[pair.y].charge / square;
    }
    for (int i = lid; i < dock.atoms; i += GROUP) {
        const float3 place = (turned(pose->turn, places[i]) + pose->place) / dock.spacing + dock.middle;
        const float3 inside = clamp(place, 0.0f, dock.side - 1.001f);
        const float3 away = place - inside;
        const int3 at = convert_int3(inside);
        const float3 part = inside - convert_float3(at);
        const int size = dock.side * dock.side * dock.side;
        energy.x += map_at(maps + atoms[i].kind * size, dock.side, at, part);
        energy.x += atoms[i].charge * map_at(maps + ELECTRIC * size, dock.side, at, part);
        energy.x += 10.0f * dot(away, away);
    }
    parts[lid] = energy;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = GROUP / 2; half_size > 0; half_size >>= 1) {
        if (lid < half_size) parts[lid] += parts[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) energies[get_group_id(0)] = parts[0];
}

typedef struct {
    float oxygen, hydrogen; /* masses */
    float bond, across;     /* distances to, and between the hydrogens */
    float step;
} water_t;

/* A step without constraints: each item moves an atom. */
__kernel void leap_atoms(__global const float4 *places, __global const float4 *forces, __global float4 *speeds, const water_t water,
                         const int atoms, __global float4 *moved)
{
    const int id = get_global_id(0);
    if (id >= atoms) return;
    const float mass = id % 3 == 0 ? water.oxygen : water.hydrogen;
    const float4 speed = speeds[id] + forces[id] * (water.step / mass);
    moved[id] = places[id] + speed * water.step;
}

/* Each item gives a molecule of water its shape again: SETTLE. The plane of the old places gives the axes. */
__kernel void settle_water(__global const float4 *places, __global float4 *moved, __global float4 *speeds, const water_t water,
                           const int molecules)
{
    const int id = get_global_id(0);
    if (id >= molecules) return;
    const float3 origin = places[3 * id].xyz;
    const float3 old_b = places[3 * id + 1].xyz - origin, old_c = places[3 * id + 2].xyz - origin;
    float3 a = moved[3 * id].xyz - origin, b = moved[3 * id + 1].xyz - origin, c = moved[3 * id + 2].xyz - origin;
    const float total = water.oxygen + 2.0f * water.hydrogen;
    const float3 middle = (water.oxygen * a + water.hydrogen * (b + c)) / total;
    a -= middle;
    b -= middle;
    c -= middle;

    const float3 z_axis = normalize(cross(old_b, old_c));
    const float3 x_axis = normalize(cross(a, z_axis));
    const float3 y_axis = cross(z_axis, x_axis);
    const float2 flat_b = (float2)(dot(old_b, x_axis), dot(old_b, y_axis)), flat_c = (float2)(dot(old_c, x_axis), dot(old_c, y_axis));
    const float height_a = dot(a, z_axis);
    const float3 now_b = (float3)(dot(b, x_axis), dot(b, y_axis), dot(b, z_axis));
    const float3 now_c = (float3)(dot(c, x_axis), dot(c, y_axis), dot(c, z_axis));

    /* The triangle of the right shape: first tilted out of the plane, around two axes */
    const float half_across = 0.5f * water.across;
    const float high = sqrt(water.bond * water.bond - half_across * half_across);
    const float to_a = 2.0f * water.hydrogen / total * high, to_b = high - to_a;
    const float sin_tilt = height_a / to_a, cos_tilt = sqrt(1.0f - sin_tilt * sin_tilt);
    const float sin_roll = (now_b.z - now_c.z) / (water.across * cos_tilt), cos_roll = sqrt(1.0f - sin_roll * sin_roll);
    const float a_y = to_a * cos_tilt, b_x = -half_across * cos_roll;
    const float b_y = -to_b * cos_tilt - half_across * sin_roll * sin_tilt, c_y = -to_b * cos_tilt + half_across * sin_roll * sin_tilt;

    /* then turned in the plane. */
    const float alpha = b_x * (flat_b.x - flat_c.x) + flat_b.y * b_y + flat_c.y * c_y;
    const float beta = b_x * (flat_c.y - flat_b.y) + flat_b.x * b_y + flat_c.x * c_y;
    const float gamma = flat_b.x * now_b.y - now_b.x * flat_b.y + flat_c.x * now_c.y - now_c.x * flat_c.y;
    const float size = alpha * alpha + beta * beta;
    const float sin_turn = (alpha * gamma - beta * sqrt(size - gamma * gamma)) / size, cos_turn = sqrt(1.0f - sin_turn * sin_turn);
    const float3 new_a = (float3)(-a_y * sin_turn, a_y * cos_turn, height_a);
    const float3 new_b = (float3)(b_x * cos_turn - b_y * sin_turn, b_x * sin_turn + b_y * cos_turn, now_b.z);
    const float3 new_c = (float3)(-b_x * cos_turn - c_y * sin_turn, -b_x * sin_turn + c_y * cos_turn, now_c.z);

    const float3 results[3] = {new_a, new_b, new_c};
    for (int k = 0; k < 3; k++) {
        const float3 place = results[k].x * x_axis + results[k].y * y_axis + results[k].z * z_axis + middle + origin;
        speeds[3 * id + k].xyz = (place - places[3 * id + k].xyz) / water.step;
        moved[3 * id + k].xyz = place;
    }
}

/* Twice the energy of motion, a number for each work-group. */
__kernel void water_motion(__global const float4 *speeds, const water_t water, const int atoms, __global float *sums,
                           __local float *parts)
{
    const int lid = get_local_id(0);
    float sum = 0.0f;
    for (int i = get_global_id(0); i < atoms; i += get_global_size(0)) {
        const float3 speed = speeds[i].xyz;
        sum += (i % 3 == 0 ? water.oxygen : water.hydrogen) * dot(speed, speed);
    }
    parts[lid] = sum;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size) parts[lid] += parts[lid + half_size];
    }
    if (lid == 0) sums[get_group_id(0)] = parts[0];
}

#define READ 64

typedef struct {
    int read_start, read_length;
    int haplotype_start, haplotype_length;
} match_t;

typedef struct {
    float open, extend; /* chances of a gap */
    float scale;
} gaps_t;

/* A work-group finds how likely a read is a copy of a haplotype, with gaps. Each item has a row, a letter of the read; in each step the
 * items are on a diagonal. */
__kernel __attribute__((reqd_work_group_size(READ, 1, 1)))
void pair_hmm(__global const match_t *matches, __global const uchar *reads, __global const uchar *qualities,
              __global const uchar *haplotypes, const gaps_t gaps, __global float *logarithms)
{
    __local float same_row[3][READ + 1], insert_row[3][READ + 1], delete_row[3][READ + 1]; /* of three diagonals */
    __local uchar letters[256];

    const int lid = get_local_id(0);
    const match_t match = matches[get_group_id(0)];
    const int rows = match.read_length, columns = match.haplotype_length;
    for (int i = lid; i < columns; i += READ) letters[i] = haplotypes[match.haplotype_start + i];
    const uchar letter = lid < rows ? reads[match.read_start + lid] : 'N';
    const float error = lid < rows ? exp10(-0.1f * qualities[match.read_start + lid]) : 0.0f;
    const float start = gaps.scale / columns, stay = 1.0f - 2.0f * gaps.open, back = 1.0f - gaps.extend;
    for (int k = 0; k < 3; k++) {
        same_row[k][lid + 1] = insert_row[k][lid + 1] = delete_row[k][lid + 1] = 0.0f;
        if (lid == 0) {
            same_row[k][0] = insert_row[k][0] = 0.0f;
            delete_row[k][0] = start; /* a read may begin anywhere */
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int diagonal = 0; diagonal < rows + columns - 1; diagonal++) {
        const int now = diagonal % 3, last = (diagonal + 2) % 3, before = (diagonal + 1) % 3;
        const int column = diagonal - lid;
        if (lid < rows && column >= 0 && column < columns) {
            const uchar other = letters[column];
            const float chance = letter == other || letter == 'N' || other == 'N' ? 1.0f - error : error / 3.0f;
            const float from = column > 0 || lid == 0
                                   ? stay * same_row[before][lid] + back * (insert_row[before][lid] + delete_row[before][lid])
                                   : 0.0f;
            const float is_same = chance * from;
            const float insert = gaps.open * same_row[last][lid] + gaps.extend * insert_row[last][lid];
            const float left_same = column > 0 ? same_row[last][lid + 1] : 0.0f, left = column > 0 ? delete_row[last][lid + 1] : 0.0f;
            same_row[now][lid + 1] = is_same;
            insert_row[now][lid + 1] = insert;
            delete_row[now][lid + 1] = gaps.open * left_same + gaps.extend * left;
            if (lid == rows - 1) sum += is_same + insert;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == rows - 1) logarithms[get_group_id(0)] = log10(sum) - log10(gaps.scale);
}

#define WORDS 16
#define QUERIES 24
#define BINS 20

/* Each item compares a molecule's fingerprint of 1024 bits with all that are asked for, and lists those that are alike. */
__kernel void tanimoto_hits(__global const ulong *prints, const uint molecules, __global const ulong *queries, const uint percent,
                            const uint most, __global uint *counts, __global uint2 *hits, __global uint *bins)
{
    __local ulong asked[QUERIES][WORDS];
    __local uint asked_bits[QUERIES], own_bins[BINS + 1];

    const uint id = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    for (uint i = lid; i < QUERIES * WORDS; i += size) asked[i / WORDS][i % WORDS] = queries[i];
    for (uint i = lid; i <= BINS; i += size) own_bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < QUERIES) {
        uint bits = 0;
        for (int k = 0; k < WORDS; k++) bits += popcount(asked[lid][k]);
        asked_bits[lid] = bits;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (id < molecules) {
        ulong print[WORDS];
        uint bits = 0;
        for (int k = 0; k < WORDS; k++) {
            print[k] = prints[k * molecules + id];
            bits += popcount(print[k]);
        }
        for (uint query = 0; query < QUERIES; query++) {
            const uint fewer = min(bits, asked_bits[query]), greater = max(bits, asked_bits[query]);
            if (fewer * 100 < percent * greater) continue; /* cannot be alike enough */
            uint common = 0;
            for (int k = 0; k < WORDS; k++) common += popcount(print[k] & asked[query][k]);
            const uint either = bits + asked_bits[query] - common;
            atomic_inc(&own_bins[either > 0 ? common * BINS / either : 0]);
            if (common * 100 >= percent * either) {
                const uint slot = atomic_inc(&counts[query]);
                if (slot < most) hits[query * most + slot] = (uint2)(id, as_uint((float)common / either));
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i <= BINS; i += size) {
        if (own_bins[i]) atomic_add(&bins[i], own_bins[i]);
    }
}

__kernel void no_hits(__global uint *counts, __global uint *bins)
{
    const int id = get_global_id(0);
    if (id < QUERIES) counts[id] = 0;
    if (id <= BINS) bins[id] = 0;
}
