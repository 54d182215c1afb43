/* Scenes. Sizes are patches, cubes, objects. */
#include "workloads.h"

enum { SIDE = 17, VERTEX_PARTS = 8, VERTICES = SIDE * SIDE };

/* Points near a plane, so that a patch has a normal everywhere. */
static void bezier_patches_prepare(struct clbench *b) {
    cl_float4 *points = make(b, 0, (size_t)b->size * 16 * sizeof *points);
    uint32_t state = 2473;
    for (long i = 0; i < b->size * 16; i++) {
        points[i].s[0] = (float)(i % 4) + 0.3f * random_unit(&state);
        points[i].s[1] = (float)(i / 4 % 4) + 0.3f * random_unit(&state);
        points[i].s[2] = 2.0f * random_unit(&state), points[i].s[3] = 1.0f;
    }
    make(b, 1, (size_t)b->size * VERTICES * VERTEX_PARTS * sizeof(float));
    up(b, 0);
}

static void bezier_patches_once(struct clbench *b) {
    cl_int side = SIDE;
    launch(b, "bezier_patches", RANGE1((size_t)b->size * 64, 64), B(0), V(side), B(1));
}

/* A point of a curve of four points, between which it is found step by step, and how it changes. */
static void on_curve(const double points[4][3], double t, double place[3], double slope[3]) {
    for (int k = 0; k < 3; k++) {
        double line[4];
        for (int i = 0; i < 4; i++) {
            line[i] = points[i][k];
        }
        for (int left = 3; left > 0; left--) {
            slope[k] = 3.0 * (line[1] - line[0]);
            for (int i = 0; i < left; i++) {
                line[i] += t * (line[i + 1] - line[i]);
            }
        }
        place[k] = line[0];
    }
}

static void vertex_of(const cl_float4 *points, double u, double v, double place[3], double normal[3]) {
    double rows[4][3], slopes[4][3], line[4][3], along_u[3], along_v[3], unused[3], square = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 12; k++) {
            line[k / 3][k % 3] = (double)points[i * 4 + k / 3].s[k % 3];
        }
        on_curve(line, u, rows[i], slopes[i]);
    }
    on_curve(rows, v, place, along_v), on_curve(slopes, v, along_u, unused);
    for (int k = 0; k < 3; k++) {
        normal[k] = along_u[(k + 1) % 3] * along_v[(k + 2) % 3] - along_u[(k + 2) % 3] * along_v[(k + 1) % 3];
        square += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        normal[k] /= sqrt(square);
    }
}

static int bezier_patches_check(struct clbench *b) {
    const cl_float4 *points = b->buffer[0].host;
    const float *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size * VERTICES; i++, got += VERTEX_PARTS) {
        double u = (double)(i % SIDE) / (SIDE - 1), v = (double)(i % VERTICES / SIDE) / (SIDE - 1), place[3], normal[3];
        vertex_of(points + i / VERTICES * 16, u, v, place, normal);
        for (int k = 0; ok && k < 3; k++) {
            ok = near("place", i, (double)got[k], place[k], 1e-5) && near("normal", i, (double)got[3 + k], normal[k], 1e-4);
        }
        ok = ok && near("u", i, (double)got[6], u, 1e-6) && near("v", i, (double)got[7], v, 1e-6);
    }
    return ok;
}

enum { CUBE = 16, TEXELS = 6 * CUBE * CUBE, TERMS = 9 };

static void sphere_light_prepare(struct clbench *b) {
    cl_uchar4 *cubes = make(b, 0, (size_t)b->size * TEXELS * sizeof *cubes);
    uint32_t state = 2477;
    for (long i = 0; i < b->size * TEXELS; i++) {
        uint32_t word = random_word(&state);
        for (int k = 0; k < 3; k++) {
            cubes[i].s[k] = (cl_uchar)(word >> 8 * k);
        }
        cubes[i].s[3] = (cl_uchar)(i % 41 == 7 ? 0 : 124 + i / 256 % 6 + (word >> 24) % 4);
    }
    make(b, 1, (size_t)b->size * TERMS * 3 * sizeof(float));
    up(b, 0);
}

static void sphere_light_once(struct clbench *b) {
    cl_int side = CUBE;
    launch(b, "sphere_light", RANGE1((size_t)b->size * 64, 64), B(0), V(side), B(1));
}

/* Nine terms of a direction, and at the end which part of the sphere a texel is. */
static void terms_of(long texel, double terms[TERMS + 1]) {
    double x = 2.0 * ((double)(texel % CUBE) + 0.5) / CUBE - 1.0, y = 2.0 * ((double)(texel / CUBE % CUBE) + 0.5) / CUBE - 1.0;
    const double ways[6][3] = {{1, -y, -x}, {-1, -y, x}, {x, 1, y}, {x, -1, -y}, {x, -y, 1}, {-x, -y, -1}};
    const double *way = ways[texel / (CUBE * CUBE)], square = 1.0 + x * x + y * y, pi = acos(-1.0);
    const double first = sqrt(3.0 / (4.0 * pi)), second = sqrt(15.0 / (4.0 * pi)) / square;
    terms[0] = sqrt(1.0 / (4.0 * pi));
    terms[1] = first * way[1] / sqrt(square), terms[2] = first * way[2] / sqrt(square), terms[3] = first * way[0] / sqrt(square);
    terms[4] = second * way[0] * way[1], terms[5] = second * way[1] * way[2], terms[7] = second * way[0] * way[2];
    terms[6] = sqrt(5.0 / (16.0 * pi)) * (3.0 * way[2] * way[2] / square - 1.0);
    terms[8] = 0.5 * second * (way[0] * way[0] - way[1] * way[1]);
    terms[9] = 4.0 / (CUBE * CUBE * pow(square, 1.5));
}

static int sphere_light_check(struct clbench *b) {
    const cl_uchar4 *cubes = b->buffer[0].host;
    const float *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long cube = 0; ok && cube < b->size; cube++) {
        double sums[TERMS][3] = {{0.0}}, most = 0.0, terms[TERMS + 1];
        for (long i = 0; i < TEXELS; i++) {
            const cl_uchar *texel = cubes[cube * TEXELS + i].s;
            terms_of(i, terms);
            for (int k = 0; texel[3] > 0 && k < TERMS * 3; k++) {
                sums[k / 3][k % 3] += terms[k / 3] * terms[9] * ldexp(texel[k % 3], texel[3] - 136);
            }
        }
        most = fmax(fmax(sums[0][0], sums[0][1]), sums[0][2]);
        for (int k = 0; ok && k < TERMS * 3; k++) {
            ok = near("light", cube * TERMS * 3 + k, (double)got[cube * TERMS * 3 + k] / most, sums[k / 3][k % 3] / most, 2e-5);
        }
    }
    return ok;
}

enum { LEVELS = 4, MESHES = 96, PLANES = 6 };

static const cl_uint layers = 0xb7;

struct object {
    float low[3], high[3];
    cl_ushort mesh;
    cl_uchar layer, is_hidden;
};

static const cl_float4 eye = {{3.0f, 2.0f, -40.0f, 900.0f}};

/* The eye looks along z. */
static void frustum_draws_prepare(struct clbench *b) {
    struct object *objects = make(b, 0, (size_t)b->size * sizeof *objects);
    const float planes[PLANES][3] = {{0, 0, 1}, {0, 0, -1}, {0.8f, 0, 0.6f}, {-0.8f, 0, 0.6f}, {0, 0.8f, 0.6f}, {0, -0.8f, 0.6f}};
    cl_float4 *sides = make(b, 1, sizeof(cl_float4) * PLANES);
    uint32_t state = 2503;
    for (long i = 0; i < b->size; i++) {
        float size = i % 16 == 0 ? 12.0f : 1.0f;
        for (int k = 0; k < 3; k++) {
            objects[i].low[k] = 320.0f * (random_unit(&state) - 0.5f);
            objects[i].high[k] = objects[i].low[k] + size * (0.1f + random_unit(&state));
        }
        objects[i].mesh = (cl_ushort)(random_word(&state) % MESHES);
        objects[i].layer = (cl_uchar)(random_word(&state) % 8), objects[i].is_hidden = random_word(&state) % 9 == 0;
    }
    for (int i = 0; i < PLANES; i++) {
        sides[i].s[3] = i == 1 ? 150.0f : i == 0 ? -1.0f : 0.0f;
        for (int k = 0; k < 3; k++) {
            sides[i].s[k] = planes[i][k], sides[i].s[3] -= planes[i][k] * eye.s[k];
        }
    }
    make(b, 2, LEVELS * sizeof(cl_int)), make(b, 3, (size_t)b->size * LEVELS * sizeof(cl_int));
    make(b, 4, MESHES * LEVELS * sizeof(cl_int));
    up(b, 0), up(b, 1);
}

static void frustum_draws_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    struct range range = RANGE1(round_up(count, 128), 128);
    launch(b, "nothing_drawn", RANGE1(MESHES * LEVELS, 0), B(2), B(4));
    launch(b, "frustum_draws", range, B(0), V(count), B(1), V(eye), V(layers), B(2), B(3), B(4));
}

/* The level of an object where everything is seen so much larger. */
static int level_of(const struct clbench *b, const struct object *object, double more) {
    const cl_float4 *planes = b->buffer[1].host;
    double square = 0.0, far = 0.0;
    if (object->is_hidden || (layers >> object->layer & 1) == 0) {
        return -1;
    }
    for (int k = 0; k < 3; k++) {
        double low = (double)object->low[k], high = (double)object->high[k];
        square += 0.25 * (high - low) * (high - low), far += pow(0.5 * (high + low) - (double)eye.s[k], 2.0);
    }
    for (int i = 0; i < PLANES; i++) {
        double inside = (double)planes[i].s[3];
        for (int k = 0; k < 3; k++) {
            inside += (double)planes[i].s[k] * (double)(planes[i].s[k] > 0.0f ? object->high[k] : object->low[k]);
        }
        if (inside < -100.0 * more) {
            return -1;
        }
    }
    double seen = (1.0 + more) * sqrt(square / far) * (double)eye.s[3];
    return seen < 1.0 ? -1 : seen > 64.0 ? 0 : seen > 16.0 ? 1 : seen > 4.0 ? 2 : 3;
}

/* Where an object is almost at a limit, it may be on either side. */
static int frustum_draws_check(struct clbench *b) {
    const struct object *objects = b->buffer[0].host;
    const cl_int *counts = b->buffer[2].host, *draws = b->buffer[3].host, *instances = b->buffer[4].host;
    signed char *levels = malloc((size_t)b->size);
    long all[MESHES * LEVELS] = {0}, drawn = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    memset(levels, -1, (size_t)b->size);
    for (int level = 0; ok && level < LEVELS; level++) {
        ok = same("count is possible", level, counts[level] > 0 && counts[level] <= b->size, 1);
        for (long i = 0; ok && i < counts[level]; i++, drawn++) {
            cl_int id = draws[level * b->size + i];
            ok = same("draw is new", i, id >= 0 && id < b->size && levels[id] < 0, 1);
            levels[ok ? id : 0] = (signed char)level;
        }
    }
    for (long i = 0; ok && i < b->size; i++) {
        int least = level_of(b, objects + i, -1e-5), most = level_of(b, objects + i, 1e-5);
        ok = same("level", i, levels[i], levels[i] == least ? least : most);
        all[objects[i].mesh * LEVELS + (levels[i] < 0 ? 0 : levels[i])] += levels[i] >= 0;
    }
    for (long i = 0; ok && i < MESHES * LEVELS; i++) {
        ok = same("instances", i, instances[i], all[i]);
    }
    free(levels);
    return ok && same("some are drawn", 0, drawn < b->size / 2, 1);
}

const struct workload round20_scene_workloads[] = {
    WORKLOAD(round20_scene, bezier_patches, 21, 1003, 10007, 20011),
    WORKLOAD(round20_scene, sphere_light, 11, 301, 3001, 20011),
    WORKLOAD(round20_scene, frustum_draws, 3001, 200003, 2000003, 5000011),
    END_OF_WORKLOADS,
};
