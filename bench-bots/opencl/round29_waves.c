/* Waves. Sizes are cells along a side, rays along a side. */
#include "workloads.h"

enum { STEPS = 4, FIELDS = 9, SPONGE = 8 };
static const float step_s = 0.35f;

static cl_int4 cells_of(const struct clbench *b) {
    return (cl_int4){{(cl_int)b->size, (cl_int)b->size - 5, (cl_int)b->size / 2 + 9, 0}};
}

static long cells_in(cl_int4 size) { return (long)size.s[0] * size.s[1] * size.s[2]; }

/* A first shock around the middle. */
static float first_stress(cl_int4 size, long at) {
    double x = (double)(at % size.s[0]) - 0.4 * size.s[0], y = (double)(at / size.s[0] % size.s[1]) - 0.5 * size.s[1];
    double z = (double)(at / size.s[0] / size.s[1]) - 0.6 * size.s[2];
    return (float)exp(-(x * x + y * y + z * z) * 8.0 / ((double)size.s[0] * size.s[0]));
}

/* Layers that dip, each with rock of its own, and a sponge near the borders. */
static void elastic_waves_prepare(struct clbench *b) {
    cl_int4 size = cells_of(b);
    long cells = cells_in(size);
    for (int i = 0; i < FIELDS; i++) {
        make(b, i, (size_t)cells * sizeof(cl_float));
    }
    cl_float4 *medium = make(b, FIELDS, (size_t)cells * sizeof *medium);
    for (long at = 0; at < cells; at++) {
        long x = at % size.s[0], y = at / size.s[0] % size.s[1], z = at / size.s[0] / size.s[1];
        long border = x < size.s[0] - 1 - x ? x : size.s[0] - 1 - x;
        border = y < border ? y : border, border = size.s[1] - 1 - y < border ? size.s[1] - 1 - y : border;
        border = size.s[2] - 1 - z < border ? size.s[2] - 1 - z : border;
        float rock = (float)(mixed_word((uint32_t)((4 * z + x + y / 2) / 40)) % 100) / 100.0f;
        float deep = border < SPONGE ? 0.03f * (float)(SPONGE - border) : 0.0f;
        medium[at] = (cl_float4){{0.25f + 0.2f * rock, 0.2f + 0.15f * rock, 1.0f - 0.2f * rock, expf(-deep * deep)}};
        for (int i = 3; i < 6; i++) {
            ((float *)b->buffer[i].host)[at] = first_stress(size, at);
        }
    }
    up(b, FIELDS);
}

static float push_at(int step) { return 0.8f - 0.3f * (float)step; }

static cl_int4 source_of(cl_int4 size) { return (cl_int4){{size.s[0] / 2, size.s[1] / 3, size.s[2] / 2, 0}}; }

static void elastic_waves_once(struct clbench *b) {
    cl_int4 size = cells_of(b), source = source_of(size);
    struct range range = RANGE3(round_up(size.s[0], 16), round_up(size.s[1], 4), round_up(size.s[2], 2), 16, 4, 2);
    for (int i = 0; i < FIELDS; i++) {
        up(b, i);
    }
    for (int step = 0; step < STEPS; step++) {
        float push = push_at(step);
        launch(b, "move_ground", range, B(0), B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9), V(size),
               V(step_s));
        launch(b, "elastic_waves", range, B(0), B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9), V(size),
               V(step_s), V(source), V(push));
    }
}

/* How fast a field changes along an axis, half a step ahead of a cell or behind it. */
static double slope(const double *field, long at, long step, int is_ahead) {
    at -= is_ahead ? 0 : step;
    return (27.0 * (field[at + step] - field[at]) - (field[at + 2 * step] - field[at - step])) / 24.0;
}

/* Which stress an axis of a pair of axes has: those of one axis first. */
static int stress_of(int one, int other) { return one == other ? 3 + one : 5 + one + other; }

static void velocities_step(double *const field[FIELDS], long at, const long steps[3], const float *medium) {
    for (int one = 0; one < 3; one++) {
        double force = 0.0;
        for (int other = 0; other < 3; other++) {
            force += slope(field[stress_of(one, other)], at, steps[other], one == other);
        }
        field[one][at] = (double)medium[3] * (field[one][at] + (double)step_s * (double)medium[2] * force);
    }
}

static void stresses_step(double *const field[FIELDS], long at, const long steps[3], const float *medium, double push) {
    double all = 0.0, dt = (double)step_s, left = (double)medium[3];
    for (int axis = 0; axis < 3; axis++) {
        all += (double)medium[0] * slope(field[axis], at, steps[axis], 0);
    }
    for (int one = 0; one < 3; one++) {
        for (int other = 0; other <= one; other++) {
            double *stress = field[stress_of(one, other)] + at;
            double strain = slope(field[one], at, steps[other], one != other) + slope(field[other], at, steps[one], one != other);
            *stress = left * (*stress + dt * (double)medium[1] * strain + (one == other ? dt * all + push : 0.0));
        }
    }
}

static int elastic_waves_check(struct clbench *b) {
    cl_int4 size = cells_of(b), source = source_of(size);
    const cl_float4 *medium = b->buffer[FIELDS].host;
    long cells = cells_in(size), steps[3] = {1, size.s[0], (long)size.s[0] * size.s[1]};
    long special = source.s[0] + source.s[1] * steps[1] + source.s[2] * steps[2];
    double *field[FIELDS];
    int ok = 1;
    for (int i = 0; i < FIELDS; i++) {
        field[i] = calloc((size_t)cells, sizeof *field[i]);
        for (long at = 0; i / 3 == 1 && at < cells; at++) {
            field[i][at] = (double)first_stress(size, at);
        }
        down(b, i);
    }
    for (int half = 0; half < 2 * STEPS; half++) {
        for (long at = 0; at < cells; at++) {
            long x = at % size.s[0], y = at / size.s[0] % size.s[1], z = at / steps[2];
            if (x < 2 || y < 2 || z < 2 || x >= size.s[0] - 2 || y >= size.s[1] - 2 || z >= size.s[2] - 2) {
                continue;
            }
            if (half % 2 == 0) {
                velocities_step(field, at, steps, medium[at].s);
            } else {
                stresses_step(field, at, steps, medium[at].s, at == special ? (double)push_at(half / 2) : 0.0);
            }
        }
    }
    for (int i = 0; i < FIELDS; i++) {
        for (long at = 0; ok && at < cells; at++) {
            ok = near("field", i * cells + at, (double)((float *)b->buffer[i].host)[at], field[i][at], 1e-5);
        }
        free(field[i]);
    }
    return ok;
}

enum { STARS = 301, PIXELS = 200 };
static const float smooth = 0.1f, shear = 0.08f, half_width = 6.0f, reach = 9.0f;

static float spacing_of(const struct clbench *b) { return 2.0f * reach / (float)b->size; }

static void lens_rays_prepare(struct clbench *b) {
    cl_float4 *stars = make(b, 0, STARS * sizeof *stars);
    uint32_t state = 4733;
    for (long i = 0; i < STARS; i++) {
        double angle = 2.0 * acos(-1.0) * (double)random_unit(&state), far = 11.0 * sqrt((double)random_unit(&state));
        float mass = 0.05f + 0.4f * random_unit(&state) * random_unit(&state);
        stars[i] = (cl_float4){{(float)(far * cos(angle)), (float)(far * sin(angle)), mass, 1e-4f}};
    }
    make(b, 1, PIXELS * PIXELS * sizeof(cl_uint));
    up(b, 0);
}

static void lens_rays_once(struct clbench *b) {
    cl_int count = STARS, pixels = PIXELS;
    cl_int2 rays = {{(cl_int)b->size, (cl_int)b->size}};
    cl_float2 corner = {{-reach, -reach}};
    float spacing = spacing_of(b);
    up(b, 1);
    launch(b, "lens_rays", RANGE2(round_up(b->size, 16), round_up(b->size, 16), 16, 16), B(0), V(count), V(rays),
           V(corner), V(spacing), V(smooth), V(shear), B(1), V(pixels), V(half_width));
}

/* Where a ray arrives along both axes, in pixels, and how far off single precision may be. */
static double ray_place(const struct clbench *b, double x, double y, double place[2]) {
    const cl_float4 *stars = b->buffer[0].host;
    double bend[2] = {0.0, 0.0}, all = 0.0, scale = PIXELS / (2.0 * (double)half_width);
    for (long i = 0; i < STARS; i++) {
        const float *star = stars[i].s;
        double dx = x - (double)star[0], dy = y - (double)star[1];
        double pull = (double)star[2] / (dx * dx + dy * dy + (double)star[3]);
        bend[0] += dx * pull, bend[1] += dy * pull;
        all += (fabs(dx) + fabs(dy) + 10.0 * pull) * pull;
    }
    place[0] = ((1.0 - (double)smooth - (double)shear) * x - bend[0] + (double)half_width) * scale;
    place[1] = ((1.0 - (double)smooth + (double)shear) * y - bend[1] + (double)half_width) * scale;
    return 2e-6 * scale * (all + 20.0);
}

/* A ray that arrives near a border may count on either side. */
static int lens_rays_check(struct clbench *b) {
    const cl_uint *map = b->buffer[1].host;
    long *sure = calloc(2 * PIXELS * PIXELS, sizeof *sure), *unsure = sure + PIXELS * PIXELS;
    long counted = 0, doubtful = 0;
    double spacing = (double)spacing_of(b), place[2];
    int ok = 1;
    down(b, 1);
    for (long i = 0; i < b->size * b->size; i++) {
        double off = ray_place(b, (double)(i % b->size) * spacing - (double)reach,
                               (double)(i / b->size) * spacing - (double)reach, place);
        long left = (long)floor(place[0] - off), right = (long)floor(place[0] + off);
        long top = (long)floor(place[1] - off), end = (long)floor(place[1] + off);
        long *counts = left == right && top == end ? sure : unsure;
        doubtful += counts == unsure;
        for (long y = top < 0 ? 0 : top; y <= end && y < PIXELS; y++) {
            for (long x = left < 0 ? 0 : left; x <= right && x < PIXELS; x++) {
                counts[y * PIXELS + x]++, counted += counts == sure;
            }
        }
    }
    for (long i = 0; ok && i < PIXELS * PIXELS; i++) {
        ok = same("enough rays", i, map[i] >= sure[i] && map[i] <= sure[i] + unsure[i], 1);
    }
    free(sure);
    return ok && same("most rays are sure", 0, doubtful * 20 < b->size * b->size && counted * 5 > b->size * b->size, 1);
}

const struct workload round29_waves_workloads[] = {
    WORKLOAD(round29_waves, elastic_waves, 29, 75, 121, 171),
    WORKLOAD(round29_waves, lens_rays, 61, 181, 401, 1009),
    END_OF_WORKLOADS,
};
