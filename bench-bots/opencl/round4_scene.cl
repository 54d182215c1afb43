/* What a scene is made of: a mesh that bones move, a fluid of particles, a texture of noise. */

/* The upper three rows of a matrix that moves points. */
struct bone {
    float4 row[3];
};

struct vertex {
    float position[3];
    float normal[3];
    uchar bone[4];
    uchar weight[4];
};

struct moved_vertex {
    float position[3];
    float normal[3];
};

void add_bone(struct bone *sum, __global const struct bone *bone, float weight) {
    for (int i = 0; i < 3; i++) {
        sum->row[i] += weight * bone->row[i];
    }
}

void move_by(const struct bone *bone, const float *from, float w, float *to) {
    float4 all = (float4)(from[0], from[1], from[2], w);
    for (int i = 0; i < 3; i++) {
        to[i] = dot(bone->row[i], all);
    }
}

/* Each vertex goes where up to four bones take it, by weights that sum to 255. */
__kernel void skinning(const ulong vertices, __global const struct vertex *in, __global const struct bone *bones,
                       __global struct moved_vertex *out) {
    for (size_t i = get_global_id(0); i < vertices; i += get_global_size(0)) {
        const struct vertex vertex = in[i];
        struct moved_vertex moved;
        struct bone sum = {{(float4)(0.0f), (float4)(0.0f), (float4)(0.0f)}};
        for (int k = 0; k < 4; k++) {
            if (vertex.weight[k] == 0) {
                continue;
            }
            add_bone(&sum, bones + vertex.bone[k], vertex.weight[k] / 255.0f);
        }
        move_by(&sum, vertex.position, 1.0f, moved.position);
        move_by(&sum, vertex.normal, 0.0f, moved.normal);
        float scale = rsqrt(moved.normal[0] * moved.normal[0] + moved.normal[1] * moved.normal[1] +
                            moved.normal[2] * moved.normal[2]);
        for (int k = 0; k < 3; k++) {
            moved.normal[k] *= scale;
        }
        out[i] = moved;
    }
}

/* A box of cells of side `reach`: particles farther apart than that do not feel each other. */
typedef struct {
    int4 cells;
    float reach;
    float mass;
} box_t;

int cell_at(const box_t *box, int x, int y, int z) { return (z * box->cells.y + y) * box->cells.x + x; }

/* The density around each particle, with the poly6 kernel of smoothed particle hydrodynamics. Particles are in the order of
 * their cells, and `first` has where each cell's begin, and the end. */
__kernel void sph_density(box_t box, uint particles, __global const float4 *place, __global const uint *first,
                          __global float *density) {
    uint i = get_global_id(0);
    if (i >= particles) {
        return;
    }
    const float3 here = place[i].xyz;
    const int3 cell = convert_int3(here / box.reach);
    const float square = box.reach * box.reach;
    float sum = 0.0f;
    for (int z = max(cell.z - 1, 0); z <= min(cell.z + 1, box.cells.z - 1); z++) {
        for (int y = max(cell.y - 1, 0); y <= min(cell.y + 1, box.cells.y - 1); y++) {
            for (int x = max(cell.x - 1, 0); x <= min(cell.x + 1, box.cells.x - 1); x++) {
                const int at = cell_at(&box, x, y, z);
                for (uint j = first[at]; j < first[at + 1]; j++) {
                    const float3 away = place[j].xyz - here;
                    const float left = square - dot(away, away);
                    if (left > 0.0f) {
                        sum += left * left * left;
                    }
                }
            }
        }
    }
    density[i] = box.mass * 315.0f / (64.0f * M_PI_F * pown(box.reach, 9)) * sum;
}

struct look {
    float scale;
    float gain;
    float lacunarity;
    int octaves;
};

float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }

/* How far along the direction that a corner has, of the twelve to the middles of a cube's edges. */
float along(int hash, float x, float y, float z) {
    switch (hash % 12) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return y - x;
    case 3: return -x - y;
    case 4: return x + z;
    case 5: return x - z;
    case 6: return z - x;
    case 7: return -x - z;
    case 8: return y + z;
    case 9: return y - z;
    case 10: return z - y;
    default: return -y - z;
    }
}

#define HASH(x, y, z) table[(table[(table[(x) & 255] + (y)) & 255] + (z)) & 255]

float noise(__constant uchar *table, float x, float y, float z) {
    const float floor_x = floor(x), floor_y = floor(y), floor_z = floor(z);
    const int ix = (int)floor_x, iy = (int)floor_y, iz = (int)floor_z;
    x -= floor_x;
    y -= floor_y;
    z -= floor_z;
    const float u = fade(x), v = fade(y), w = fade(z);
    const float near_low = mix(along(HASH(ix, iy, iz), x, y, z), along(HASH(ix + 1, iy, iz), x - 1, y, z), u);
    const float near_high = mix(along(HASH(ix, iy + 1, iz), x, y - 1, z), along(HASH(ix + 1, iy + 1, iz), x - 1, y - 1, z), u);
    const float far_low = mix(along(HASH(ix, iy, iz + 1), x, y, z - 1), along(HASH(ix + 1, iy, iz + 1), x - 1, y, z - 1), u);
    const float far_high = mix(along(HASH(ix, iy + 1, iz + 1), x, y - 1, z - 1),
                               along(HASH(ix + 1, iy + 1, iz + 1), x - 1, y - 1, z - 1), u);
    return mix(mix(near_low, near_high, v), mix(far_low, far_high, v), w);
}

/* A plane through Perlin's gradient noise, octave over octave. */
__kernel void perlin_field(int width, int height, float z, struct look look, __constant uchar *table,
                           __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        float sum = 0.0f, loud = 1.0f, scale = look.scale;
        for (int octave = 0; octave < look.octaves; octave++) {
            sum += loud * noise(table, x * scale, y * scale, z * scale);
            loud *= look.gain;
            scale *= look.lacunarity;
        }
        out[y * width + x] = sum;
    }
}
