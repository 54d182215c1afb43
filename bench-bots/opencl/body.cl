/* Many against many: forces, potentials, distances. */

__kernel void nbody(int n, float soft, __global const float4 *body, __global float4 *force) {
    int i = get_global_id(0);
    float4 here = body[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 other = body[j];
        float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + soft);
        float strength = other.w * inverse * inverse * inverse;
        fx += dx * strength;
        fy += dy * strength;
        fz += dz * strength;
    }
    force[i] = (float4)(fx, fy, fz, 0.0f);
}

/* The potential at the points of a plane; only charges nearer than `reach` count. */
__kernel void cutoff(int width, int charges, float reach, __global const float4 *charge, __global float *potential) {
    float x = 0.1f * get_global_id(0), y = 0.1f * get_global_id(1), sum = 0.0f;
    for (int i = 0; i < charges; i++) {
        float dx = charge[i].x - x, dy = charge[i].y - y, dz = charge[i].z;
        float square = dx * dx + dy * dy + dz * dz;
        if (square < reach * reach) {
            float fade = 1.0f - square / (reach * reach);
            sum += charge[i].w * rsqrt(square) * fade * fade;
        }
    }
    potential[get_global_id(1) * width + get_global_id(0)] = sum;
}

/* What a scanner calls Q: for every voxel the sum of waves over all samples, as a complex number. */
__kernel void mriq(int samples, __global const float4 *sample, __global const float *x, __global const float *y,
                   __global const float *z, __global float *real, __global float *imaginary) {
    int i = get_global_id(0);
    float re = 0.0f, im = 0.0f;
    for (int k = 0; k < samples; k++) {
        float angle = 6.2831853f * (sample[k].x * x[i] + sample[k].y * y[i] + sample[k].z * z[i]);
        re += sample[k].w * cos(angle);
        im += sample[k].w * sin(angle);
    }
    real[i] = re;
    imaginary[i] = im;
}

/* The nearest of the centres; points are stored feature by feature. */
__kernel void kmeans(int points, int features, int centres, __global const float *point,
                     __global const float *centre, __global int *nearest) {
    int i = get_global_id(0), best = 0;
    float least = FLT_MAX;
    for (int c = 0; c < centres; c++) {
        float distance = 0.0f;
        for (int f = 0; f < features; f++) {
            float apart = point[f * points + i] - centre[c * features + f];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}

/* What each point would gain from a new centre, summed by the centre that it would leave. The candidate's
 * coordinates are shared through local memory. */
__kernel void streamcluster(int points, int features, int candidate, __global const float *point,
                            __global const float *cost, __global const int *centre, __local float *coordinates,
                            __global float *gain, __global int *moves) {
    int i = get_global_id(0);
    for (int f = get_local_id(0); f < features; f += get_local_size(0)) {
        coordinates[f] = point[f * points + candidate];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float distance = 0.0f;
    for (int f = 0; f < features; f++) {
        float apart = point[f * points + i] - coordinates[f];
        distance += apart * apart;
    }
    if (distance < cost[i]) {
        gain[i] = cost[i] - distance;
        moves[i] = 1;
        return;
    }
    gain[i] = 0.0f;
    moves[i] = 0;
}

/* A particle filter's steps: likelihood of every particle, then for every share the first particle whose
 * cumulative weight reaches it. */
__kernel void particle_likelihood(int window, int width, __global const uchar *image, __global const int *offset,
                                  __global const int2 *particle, __global float *likelihood) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < window; k++) {
        int value = image[particle[i].y * width + particle[i].x + offset[k]];
        sum += (value - 100) * (value - 100) - (value - 228) * (value - 228);
    }
    likelihood[i] = exp(sum / (25600.0f * window));
}

__kernel void particle_choose(int n, float first, __global const float *cumulative, __global int *chosen) {
    int i = get_global_id(0), found = n - 1;
    float wanted = (first + i) / n;
    for (int k = 0; k < n; k++) {
        if (cumulative[k] >= wanted) {
            found = k;
            break;
        }
    }
    chosen[i] = found;
}
