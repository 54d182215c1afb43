/* Space: smoke that carries itself along, forces that turn chains of atoms, the axes of tensors. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Velocity (x, y, z) and heat (w) of what flows here a step later. Walls hold still. */
__kernel void smoke_advect(__global const float4 *now, __global const uchar *solid, const int4 size, const float step,
                           const float lift, const float fade, __global float4 *next)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= size.x || y >= size.y || z >= size.z) return;

    const int row = size.x, plane = size.x * size.y;
    const int at = z * plane + y * row + x;
    if (solid[at]) {
        next[at] = (float4)(0.0f);
        return;
    }

    const float3 end = convert_float3(size.xyz) - 1.0f;
    const float3 from = clamp((float3)(x, y, z) - step * now[at].xyz, (float3)(0.0f), end);
    const int3 cell = min(convert_int3(from), size.xyz - 2);
    const float3 part = from - convert_float3(cell);

    __global const float4 *corner = now + cell.z * plane + cell.y * row + cell.x;
    const float4 low = mix(mix(corner[0], corner[1], part.x), mix(corner[row], corner[row + 1], part.x), part.y);
    corner += plane;
    const float4 high = mix(mix(corner[0], corner[1], part.x), mix(corner[row], corner[row + 1], part.x), part.y);
    float4 value = mix(low, high, part.z);
    value.w *= fade;
    value.y += step * lift * value.w;
    next[at] = value;
}

/* How much flows out of each cell; nothing does through walls, or over the border. */
__kernel void smoke_divergence(__global const float4 *flow, __global const uchar *solid, const int4 size,
                               __global float *divergence)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= size.x || y >= size.y || z >= size.z) return;

    const int row = size.x, plane = size.x * size.y;
    const int at = z * plane + y * row + x;
    float sum = 0.0f;
    if (!solid[at]) {
        sum += x + 1 < size.x ? flow[at + 1].x : 0.0f;
        sum -= x > 0 ? flow[at - 1].x : 0.0f;
        sum += y + 1 < size.y ? flow[at + row].y : 0.0f;
        sum -= y > 0 ? flow[at - row].y : 0.0f;
        sum += z + 1 < size.z ? flow[at + plane].z : 0.0f;
        sum -= z > 0 ? flow[at - plane].z : 0.0f;
    }
    divergence[at] = 0.5f * sum;
}

struct torsion {
    int atoms[4];
    float strength, phase;
    int folds;
    int unused;
};

/* Adds to a float that others add to as well. */
inline void add_float(volatile __global float *to, const float value)
{
    volatile __global uint *word = (volatile __global uint *)to;
    uint old = *word, seen;
    while ((seen = atomic_cmpxchg(word, old, as_uint(as_float(old) + value))) != old) old = seen;
}

void add_force(volatile __global float *forces, const int atom, const float3 force)
{
    add_float(forces + 4 * atom, force.x);
    add_float(forces + 4 * atom + 1, force.y);
    add_float(forces + 4 * atom + 2, force.z);
}

__kernel void torsion_clear(__global float4 *forces, const int atoms)
{
    const int i = get_global_id(0);
    if (i < atoms) forces[i] = (float4)(0.0f);
}

/* Energy and forces of strength (1 + cos(folds angle - phase)), an item a term. */
__kernel void torsion_forces(__global const float4 *places, __global const struct torsion *torsions, const int count,
                             volatile __global float *forces, __global float *energies)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    const struct torsion t = torsions[i];
    const float3 second = places[t.atoms[1]].xyz, third = places[t.atoms[2]].xyz;
    const float3 f = places[t.atoms[0]].xyz - second;
    const float3 g = second - third;
    const float3 h = places[t.atoms[3]].xyz - third;
    const float3 a = cross(f, g), b = cross(h, g);
    const float length_g = length(g), aa = dot(a, a), bb = dot(b, b);
    const float angle = atan2(dot(cross(b, a), g), dot(a, b) * length_g);
    const float bent = t.folds * angle - t.phase;

    energies[i] = t.strength * (1.0f + cos(bent));
    const float slope = t.strength * t.folds * sin(bent); /* minus the energy's derivative */
    const float3 on_first = -slope * length_g / aa * a;
    const float3 on_last = slope * length_g / bb * b;
    const float3 between = slope * (dot(f, g) / (aa * length_g) * a - dot(h, g) / (bb * length_g) * b);
    add_force(forces, t.atoms[0], on_first);
    add_force(forces, t.atoms[1], between - on_first);
    add_force(forces, t.atoms[2], -between - on_last);
    add_force(forces, t.atoms[3], on_last);
}

#define SWEEPS 16

/* Eigenvalues, the greatest first, the axis of the greatest and the anisotropy of symmetric tensors, by Jacobi's rotations. The
 * planes of `tensors` are xx, xy, xz, yy, yz, zz; those of `out` the values, the axis and the anisotropy. */
__kernel void tensor_axes(__global const double *tensors, const int count, const double background, __global double *out)
{
    const int i = get_global_id(0);
    if (i >= count) return;

    double m[3][3], axes[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    m[0][0] = tensors[i];
    m[0][1] = m[1][0] = tensors[count + i];
    m[0][2] = m[2][0] = tensors[2 * count + i];
    m[1][1] = tensors[3 * count + i];
    m[1][2] = m[2][1] = tensors[4 * count + i];
    m[2][2] = tensors[5 * count + i];
    if (m[0][0] + m[1][1] + m[2][2] < background) {
        for (int k = 0; k < 7; k++) out[k * count + i] = 0.0;
        return;
    }

    const double diagonal = m[0][0] * m[0][0] + m[1][1] * m[1][1] + m[2][2] * m[2][2];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const double rest = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
        if (rest <= 1e-32 * diagonal) break;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (m[p][q] == 0.0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = rsqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const double kp = m[k][p], kq = m[k][q];
                    m[k][p] = c * kp - s * kq;
                    m[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; k++) {
                    const double pk = m[p][k], qk = m[q][k];
                    m[p][k] = c * pk - s * qk;
                    m[q][k] = s * pk + c * qk;
                    const double vp = axes[k][p], vq = axes[k][q];
                    axes[k][p] = c * vp - s * vq;
                    axes[k][q] = s * vp + c * vq;
                }
            }
        }
    }

    int first = 0, last = 0;
    for (int k = 1; k < 3; k++) {
        if (m[k][k] > m[first][first]) first = k;
        if (m[k][k] <= m[last][last]) last = k;
    }
    const int middle = 3 - first - last;
    const double a = m[first][first], b = m[middle][middle], c = m[last][last];
    const double mean = (a + b + c) / 3.0;
    const double spread = (a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean);
    out[i] = a;
    out[count + i] = b;
    out[2 * count + i] = c;
    for (int k = 0; k < 3; k++) out[(3 + k) * count + i] = axes[k][first];
    out[6 * count + i] = sqrt(1.5 * spread / (a * a + b * b + c * c));
}
