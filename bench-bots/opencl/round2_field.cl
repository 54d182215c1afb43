/* Sparse rows, neighbours, rays, a grid in two colours, dust: what physics and data programs do by the element. */

/* Sparse rows of equal width (ELLPACK), stored column by column; -1 fills the rest of a row. */
__kernel void ellpack(int rows, int width, __global const int *column, __global const float *value,
                      __global const float *x, __global float *y) {
    int row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        for (int k = 0; k < width; k++) {
            int c = column[k * rows + row];
            if (c >= 0) {
                sum += value[k * rows + row] * x[c];
            }
        }
        y[row] = sum;
    }
}

#define BEST 4

/* The four nearest of some points, the nearest first. Most points are farther than all four and are passed by. */
__kernel void nearest_four(int queries, int points, __global const float *query, __global const float *point,
                           __global int *which, __global float *square) {
    int i = get_global_id(0);
    if (i >= queries) {
        return;
    }
    float qx = query[3 * i], qy = query[3 * i + 1], qz = query[3 * i + 2];
    float best[BEST];
    int index[BEST];
    for (int k = 0; k < BEST; k++) {
        best[k] = FLT_MAX;
        index[k] = -1;
    }
    for (int p = 0; p < points; p++) {
        float dx = point[3 * p] - qx, dy = point[3 * p + 1] - qy, dz = point[3 * p + 2] - qz;
        float d = dx * dx + dy * dy + dz * dz;
        if (d >= best[BEST - 1]) {
            continue;
        }
        int at = BEST - 1;
        while (at > 0 && best[at - 1] > d) {
            best[at] = best[at - 1];
            index[at] = index[at - 1];
            at--;
        }
        best[at] = d;
        index[at] = p;
    }
    for (int k = 0; k < BEST; k++) {
        which[BEST * i + k] = index[k];
        square[BEST * i + k] = best[k];
    }
}

/* A ray through each pixel, from the origin: the brightness of the first sphere it meets, or of the sky. */
__kernel void ray_spheres(int width, int height, int spheres, __constant float4 *sphere, __global float *shade) {
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height) {
        return;
    }
    float3 ray = normalize((float3)((px + 0.5f) / width - 0.5f, 0.5f - (py + 0.5f) / height, -1.0f));
    const float3 light = (float3)(0.6f, 0.64f, 0.48f);
    float nearest = INFINITY;
    int hit = -1;
    for (int s = 0; s < spheres; s++) {
        float3 centre = sphere[s].xyz;
        float along = dot(centre, ray);
        float inside = along * along - dot(centre, centre) + sphere[s].w * sphere[s].w;
        if (inside < 0.0f || along < 0.0f) {
            continue;
        }
        float distance_to = along - sqrt(inside);
        if (distance_to > 0.0f && distance_to < nearest) {
            nearest = distance_to;
            hit = s;
        }
    }
    float value;
    if (hit >= 0) {
        float3 normal = (ray * nearest - sphere[hit].xyz) / sphere[hit].w;
        value = 0.1f + 0.9f * fmax(dot(normal, light), 0.0f);
    } else {
        value = 0.5f + 0.5f * ray.y;
    }
    shade[py * width + px] = value;
}

/* Gauss-Seidel for Poisson's equation, over-relaxed: the points of one colour, in place. An item has every other
 * point of a row; the border stays. */
__kernel void red_black(uint n, uint colour, float relax, __global const float *source, __global float *u) {
    uint y = get_global_id(1) + 1;
    uint x = 2 * get_global_id(0) + 1 + ((y + colour) & 1);
    if (x < n - 1 && y < n - 1) {
        uint at = y * n + x;
        float mean = 0.25f * (u[at - 1] + u[at + 1] + u[at - n] + u[at + n] - source[at]);
        u[at] += relax * (mean - u[at]);
    }
}

typedef struct {
    float x, y, z;
    float vx, vy, vz;
    float age;
} grain;

/* Grains fly, slow down, stay on the ground; old ones begin again where the wind comes from. */
__kernel void dust(uint n, float step, float lifetime, float wind, __global grain *grains) {
    size_t i = get_global_id(0);
    if (i >= n) {
        return;
    }
    __global grain *g = &grains[i];
    g->age += step;
    if (g->age > lifetime) {
        g->age -= lifetime;
        g->x = -1.0f;
        g->vx = wind;
        g->vy = 0.0f;
        g->vz = 0.0f;
        return;
    }
    float drag = 1.0f - 0.3f * step * sqrt(g->vx * g->vx + g->vy * g->vy + g->vz * g->vz);
    g->vx = wind + (g->vx - wind) * drag;
    g->vy = g->vy * drag - 9.81f * step;
    g->vz *= drag;
    g->x += g->vx * step;
    g->y += g->vy * step;
    g->z += g->vz * step;
    if (g->y < 0.0f) {
        g->y = 0.0f;
        g->vy = 0.0f;
    }
}
