/* Bodies in local memory. Sizes are bodies, a multiple of 256. */
#include "workloads.h"

enum { BODIES = 256 };
static const cl_float step = 0.01f, softening = 1e-3f;

static void nbody_shared_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * sizeof(cl_float4);
    fill_unit(make(b, 0, bytes), 4 * b->size, 1106);
    fill_between(make(b, 1, bytes), 4 * b->size, 1107, -1.0f, 1.0f);
    cl_float4 *position = b->buffer[0].host, *velocity = b->buffer[1].host;
    for (long i = 0; i < b->size; i++) {
        position[i].s[3] /= (float)b->size;
        velocity[i].s[3] = 0.0f;
    }
    make(b, 2, bytes);
    make(b, 3, bytes);
    up(b, 0), up(b, 1);
}

static void nbody_shared_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "nbody_shared", RANGE1((size_t)n, BODIES), V(n), V(step), V(softening), B(0), B(1), B(2), B(3),
           LOCAL(BODIES * sizeof(cl_float4)));
}

static void pull_on(const cl_float4 *position, long bodies, long i, double pull[3]) {
    for (long k = 0; k < bodies; k++) {
        double way[3], square = (double)softening;
        for (int d = 0; d < 3; d++) {
            way[d] = (double)position[k].s[d] - position[i].s[d];
            square += way[d] * way[d];
        }
        double strength = position[k].s[3] / (square * sqrt(square));
        for (int d = 0; d < 3; d++) {
            pull[d] += way[d] * strength;
        }
    }
}

/* Some bodies. */
static int nbody_shared_check(struct clbench *b) {
    const cl_float4 *position = b->buffer[0].host, *velocity = b->buffer[1].host;
    const cl_float4 *moved = b->buffer[2].host, *speed = b->buffer[3].host;
    long n = b->size, stride = n / 500 + 1;
    int ok = 1;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < n; i += stride) {
        double pull[3] = {0.0, 0.0, 0.0};
        pull_on(position, n, i, pull);
        for (int d = 0; ok && d < 3; d++) {
            double want = (double)velocity[i].s[d] + (double)step * pull[d];
            ok = near("velocity", i, speed[i].s[d], want, 1e-4) &&
                 near("position", i, moved[i].s[d], (double)position[i].s[d] + (double)step * want, 1e-4);
        }
        ok = ok && near("mass", i, moved[i].s[3], position[i].s[3], 0.0);
    }
    return ok;
}

const struct workload local_body_workloads[] = {
    WORKLOAD(local_body, nbody_shared, 512, 16384, 65536, 327680),
    END_OF_WORKLOADS,
};
