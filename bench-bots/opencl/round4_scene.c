/* What a scene is made of. Sizes are vertices, particles and pixels along a side. */
#include "workloads.h"

enum { BONES = 60 };

/* As the kernels have them. */
struct vertex {
    float position[3], normal[3];
    unsigned char bone[4], weight[4];
};

struct moved_vertex {
    float position[3], normal[3];
};

static void skinning_prepare(struct clbench *b) {
    uint32_t state = 411;
    struct vertex *vertex = make(b, 0, (size_t)b->size * sizeof *vertex);
    fill_between(make(b, 1, BONES * 12 * sizeof(float)), BONES * 12, 412, -1.0f, 1.0f);
    make(b, 2, (size_t)b->size * sizeof(struct moved_vertex));
    for (float *row = b->buffer[1].host, *end = row + BONES * 12; row < end; row += 12) {
        row[0] += 3.0f, row[5] += 3.0f, row[10] += 3.0f;
    }
    for (long i = 0; i < b->size; i++) {
        int left = 255;
        for (int k = 0; k < 3; k++) {
            vertex[i].position[k] = 20.0f * random_unit(&state) - 10.0f;
            vertex[i].normal[k] = random_unit(&state) + 0.1f;
        }
        for (int k = 0; k < 4; k++) {
            int most = k == 3 || (random_word(&state) >> 30) == 0;
            int weight = most ? left : (int)((random_word(&state) >> 8) % (uint32_t)(left + 1));
            vertex[i].bone[k] = (unsigned char)((random_word(&state) >> 8) % BONES);
            vertex[i].weight[k] = (unsigned char)weight;
            left -= weight;
        }
    }
    up(b, 0), up(b, 1);
}

/* An item has about four vertices, as far apart as there are items. */
static void skinning_once(struct clbench *b) {
    cl_ulong vertices = (cl_ulong)b->size;
    launch(b, "skinning", RANGE1(round_up(b->size / 4 + 1, 64), 64), V(vertices), B(0), B(1), B(2));
}

/* Where each bone takes it, and then the mean. */
static int skinning_check(struct clbench *b) {
    const struct vertex *vertex = b->buffer[0].host;
    const float *bones = b->buffer[1].host;
    const struct moved_vertex *got = b->buffer[2].host;
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i++, vertex++, got++) {
        double position[3] = {0.0, 0.0, 0.0}, normal[3] = {0.0, 0.0, 0.0}, squares = 0.0;
        for (int k = 0; k < 12; k++) {
            const float *row = bones + 12 * vertex->bone[k / 3] + 4 * (k % 3);
            double weight = vertex->weight[k / 3] / 255.0;
            position[k % 3] += weight * row[3];
            for (int axis = 0; axis < 3; axis++) {
                position[k % 3] += weight * row[axis] * vertex->position[axis];
                normal[k % 3] += weight * row[axis] * vertex->normal[axis];
            }
        }
        for (int k = 0; k < 3; k++) {
            squares += normal[k] * normal[k];
        }
        for (int k = 0; ok && k < 3; k++) {
            ok = near("position", 3 * i + k, got->position[k], position[k], 1e-5) &&
                 near("normal", 3 * i + k, got->normal[k], normal[k] / sqrt(squares), 1e-5);
        }
    }
    return ok;
}

/* As the kernel has it. */
struct box {
    cl_int4 cells;
    cl_float reach, mass;
    cl_float padding[2];
};

static struct box box_of(const struct clbench *b) {
    /* About nine particles a cell. */
    cl_int side = (cl_int)cbrt((double)b->size / 9.0) + 1;
    return (struct box){.cells = {{side, side + 1, side + 2, 0}}, .reach = 0.25f, .mass = 0.002f};
}

static cl_uint cell_of(const struct box *box, const cl_float4 *place) {
    cl_uint at[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = (cl_uint)(place->s[axis] / box->reach);
    }
    return (at[2] * (cl_uint)box->cells.s[1] + at[1]) * (cl_uint)box->cells.s[0] + at[0];
}

/* Particles, put in the order of their cells by counting. */
static void sph_density_prepare(struct clbench *b) {
    struct box box = box_of(b);
    size_t cells = (size_t)box.cells.s[0] * (size_t)box.cells.s[1] * (size_t)box.cells.s[2];
    cl_float4 *place = make(b, 0, (size_t)b->size * sizeof *place);
    cl_uint *first = make(b, 1, (cells + 1) * sizeof *first);
    make(b, 2, (size_t)b->size * sizeof(float));
    cl_float4 *unordered = malloc((size_t)b->size * sizeof *unordered);
    cl_uint *next = calloc(cells + 1, sizeof *next);
    uint32_t state = 413;
    for (long i = 0; i < b->size; i++) {
        for (int axis = 0; axis < 3; axis++) {
            unordered[i].s[axis] = (float)box.cells.s[axis] * box.reach * 0.9999f * random_unit(&state);
        }
        unordered[i].s[3] = 0.0f;
        first[cell_of(&box, &unordered[i]) + 1]++;
    }
    for (size_t cell = 0; cell < cells; cell++) {
        first[cell + 1] += first[cell];
        next[cell] = first[cell];
    }
    for (long i = 0; i < b->size; i++) {
        place[next[cell_of(&box, &unordered[i])]++] = unordered[i];
    }
    free(unordered);
    free(next);
    up(b, 0), up(b, 1);
}

static void sph_density_once(struct clbench *b) {
    struct box box = box_of(b);
    cl_uint particles = (cl_uint)b->size;
    launch(b, "sph_density", RANGE1(round_up(b->size, 64), 64), V(box), V(particles), B(0), B(1), B(2));
}

/* About two hundred particles, each with all the others. */
static int sph_density_check(struct clbench *b) {
    const cl_float4 *place = b->buffer[0].host;
    const float *got = b->buffer[2].host;
    struct box box = box_of(b);
    int ok = 1;
    down(b, 2);
    for (long i = 0; ok && i < b->size; i += b->size / 200 + 1) {
        double sum = 0.0;
        for (long j = 0; j < b->size; j++) {
            double left = (double)box.reach * box.reach;
            for (int axis = 0; axis < 3; axis++) {
                double away = (double)place[j].s[axis] - place[i].s[axis];
                left -= away * away;
            }
            sum += left > 0.0 ? left * left * left : 0.0;
        }
        ok = near("density", i, got[i], box.mass * 315.0 / (64.0 * M_PI * pow(box.reach, 9.0)) * sum, 1e-4);
    }
    return ok;
}

/* As the kernel has it. */
struct look {
    cl_float scale, gain, lacunarity;
    cl_int octaves;
};

static const struct look look = {.scale = 0.013f, .gain = 0.55f, .lacunarity = 1.9f, .octaves = 5};
static const float depth = 37.3f;

static void perlin_field_prepare(struct clbench *b) {
    unsigned char *table = make(b, 0, 256);
    uint32_t state = 414;
    for (int i = 0; i < 256; i++) {
        table[i] = (unsigned char)i;
    }
    for (int i = 255; i > 0; i--) {
        int with = (int)((random_word(&state) >> 8) % (uint32_t)(i + 1));
        unsigned char kept = table[i];
        table[i] = table[with];
        table[with] = kept;
    }
    make(b, 1, (size_t)(b->size * b->size) * sizeof(float));
    up(b, 0);
}

static void perlin_field_once(struct clbench *b) {
    cl_int side = (cl_int)b->size;
    launch(b, "perlin_field", RANGE2(round_up(side, 16), round_up(side, 8), 16, 8), V(side), V(side), V(depth), V(look),
           B(0), B(1));
}

/* The sum over the corners of a lattice's cell. */
static double noise_at(const unsigned char *table, const double *at) {
    /* The axes of which a direction has a part; its lowest bits are the signs. */
    static const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double away[3], weight = 1.0;
        int hash = 0;
        for (int axis = 0; axis < 3; axis++) {
            int low = (int)floor(at[axis]), high = corner >> axis & 1;
            double t = at[axis] - low, faded = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
            away[axis] = t - high;
            weight *= high ? faded : 1.0 - faded;
            hash = table[(hash + low + high) & 255];
        }
        int direction = hash % 12, first = axes[direction / 4][0], second = axes[direction / 4][1];
        sum += weight * ((direction & 2 ? -away[first] : away[first]) + (direction & 1 ? -away[second] : away[second]));
    }
    return sum;
}

/* Every seventh pixel. Coordinates are multiplied in single precision, as they are large. */
static int perlin_field_check(struct clbench *b) {
    const unsigned char *table = b->buffer[0].host;
    const float *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * b->size; i += 7) {
        double sum = 0.0, loud = 1.0;
        float scale = look.scale;
        for (int octave = 0; octave < look.octaves; octave++) {
            double at[3] = {(float)(i % b->size) * scale, (float)(i / b->size) * scale, depth * scale};
            sum += loud * noise_at(table, at);
            loud *= look.gain;
            scale *= look.lacunarity;
        }
        ok = near("height", i, got[i], sum, 1e-3);
    }
    return ok;
}

const struct workload round4_scene_workloads[] = {
    WORKLOAD(round4_scene, skinning, 501, 150001, 400009, 1000003),
    WORKLOAD(round4_scene, sph_density, 501, 20011, 100003, 400009),
    WORKLOAD(round4_scene, perlin_field, 45, 301, 901, 3001),
    END_OF_WORKLOADS,
};
