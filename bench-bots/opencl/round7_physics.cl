/* Physics: a gas with shocks, light in tissue, a field on bent bricks. */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GAMMA 1.4f
#define LINE 64  /* items of a group, of which two at each end only help */
#define INNER (LINE - 4)

/* From density, momentum and energy to density, velocity and pressure. */
inline float4 primitive(const float4 q)
{
    const float2 v = q.yz / q.x;
    return (float4)(q.x, v, (GAMMA - 1.0f) * (q.w - 0.5f * q.x * dot(v, v)));
}

inline float4 conserved(const float4 w)
{
    return (float4)(w.x, w.x * w.yz, w.w / (GAMMA - 1.0f) + 0.5f * w.x * dot(w.yz, w.yz));
}

inline float4 flux_of(const float4 w, const float4 q)
{
    return (float4)(q.y, q.y * w.y + w.w, q.z * w.y, w.y * (q.w + w.w));
}

/* The lesser slope, or none where they disagree. */
inline float4 minmod(const float4 a, const float4 b)
{
    const float4 least = select(b, a, isless(fabs(a), fabs(b)));
    return select((float4)(0.0f), least, isgreater(a * b, (float4)(0.0f)));
}

/* What flows through a face between two states, after Toro: two waves outside and a contact between them. */
float4 hllc(const float4 left, const float4 right)
{
    const float c_left = sqrt(GAMMA * left.w / left.x);
    const float c_right = sqrt(GAMMA * right.w / right.x);
    const float s_left = fmin(left.y - c_left, right.y - c_right);
    const float s_right = fmax(left.y + c_left, right.y + c_right);
    const float4 q_left = conserved(left), q_right = conserved(right);

    if (s_left >= 0.0f) return flux_of(left, q_left);
    if (s_right <= 0.0f) return flux_of(right, q_right);

    const float push_left = left.x * (s_left - left.y);
    const float push_right = right.x * (s_right - right.y);
    const float s_middle = (right.w - left.w + push_left * left.y - push_right * right.y) / (push_left - push_right);

    float4 w, q;
    float s, push;
    if (s_middle >= 0.0f) {
        w = left;
        q = q_left;
        s = s_left;
        push = push_left;
    } else {
        w = right;
        q = q_right;
        s = s_right;
        push = push_right;
    }
    const float density = push / (s - s_middle);
    const float energy = q.w / w.x + (s_middle - w.y) * (s_middle + w.w / push);
    const float4 star = density * (float4)(1.0f, s_middle, w.z, energy);
    return flux_of(w, q) + s * (star - q);
}

/* The fastest wave, as the bits of a positive number. */
__kernel void fastest_wave(__global const float4 *state, const int cells, __global uint *fastest, __local float *scratch)
{
    const int lid = get_local_id(0);
    float most = 0.0f;
    for (int i = get_global_id(0); i < cells; i += get_global_size(0)) {
        const float4 w = primitive(state[i]);
        most = fmax(most, fmax(fabs(w.y), fabs(w.z)) + sqrt(GAMMA * w.w / w.x));
    }
    scratch[lid] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = get_local_size(0) / 2; half_way > 0; half_way /= 2) {
        if (lid < half_way) scratch[lid] = fmax(scratch[lid], scratch[lid + half_way]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) atomic_max(fastest, as_uint(scratch[0]));
}

/* A step along the rows, whose ends are open. Groups overlap by four cells. */
__kernel __attribute__((reqd_work_group_size(LINE, 1, 1)))
void sweep_rows(__global const float4 *in, __global float4 *out, const int width, const int height, const float dt_by_dx)
{
    __local float4 cell[LINE];
    __local float4 face[LINE];

    const int lid = get_local_id(0);
    const int x = (int)get_group_id(0) * INNER + lid - 2;
    const int y = get_global_id(1);
    const float4 q = in[y * width + clamp(x, 0, width - 1)];
    const float4 w = primitive(q);
    cell[lid] = w;
    barrier(CLK_LOCAL_MEM_FENCE);

    float4 slope = (float4)(0.0f);
    if (lid > 0 && lid < LINE - 1) slope = minmod(w - cell[lid - 1], cell[lid + 1] - w);
    barrier(CLK_LOCAL_MEM_FENCE);
    cell[lid] = w + 0.5f * slope; /* its right side */
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= 2 && lid < LINE - 1) face[lid] = hllc(cell[lid - 1], w - 0.5f * slope);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid >= 2 && lid < LINE - 2 && x < width) out[y * width + x] = q - dt_by_dx * (face[lid + 1] - face[lid]);
}

/* A cell of a column as if that were a row; walls below and above are mirrors. */
inline float4 turned(__global const float4 *in, const int x, int y, const int width, const int height)
{
    float sign = 1.0f;
    if (y < 0) {
        y = -1 - y;
        sign = -1.0f;
    } else if (y >= height) {
        y = 2 * height - 1 - y;
        sign = -1.0f;
    }
    const float4 q = in[y * width + x].xzyw;
    return primitive((float4)(q.x, sign * q.y, q.z, q.w));
}

__kernel void sweep_columns(__global const float4 *in, __global float4 *out, const int width, const int height,
                            const float dt_by_dx)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;

    float4 w[5];
    for (int i = 0; i < 5; i++) w[i] = turned(in, x, y + i - 2, width, height);
    const float4 before = 0.5f * minmod(w[1] - w[0], w[2] - w[1]);
    const float4 here = 0.5f * minmod(w[2] - w[1], w[3] - w[2]);
    const float4 after = 0.5f * minmod(w[3] - w[2], w[4] - w[3]);
    const float4 lower = hllc(w[1] + before, w[2] - here);
    const float4 upper = hllc(w[2] + here, w[3] - after);
    out[y * width + x] = in[y * width + x] - dt_by_dx * (upper - lower).xzyw;
}

#define RINGS 32
#define DEPTHS 64
#define UNIT 4096.0f /* of whole numbers that stand for light */

typedef struct {
    float index;           /* of refraction */
    float absorb, scatter; /* a millimetre */
    float forward;         /* the mean cosine of a scattering */
    float top, bottom;     /* millimetres */
} layer_t;

typedef struct {
    float3 at, way;
    float weight;
    int layer;
    uint seed;
} photon_t;

/* Marsaglia's generator; from 2^-24 to 1. */
inline float uniform(photon_t *p)
{
    uint s = p->seed;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    p->seed = s;
    return ((s >> 8) + 1) * 0x1p-24f;
}

/* The direction after Henyey and Greenstein. */
void deflect(photon_t *p, const float g)
{
    const float u = uniform(p);
    float cosine = 2.0f * u - 1.0f;
    if (g != 0.0f) {
        const float ratio = (1.0f - g * g) / (1.0f - g + 2.0f * g * u);
        cosine = (1.0f + g * g - ratio * ratio) / (2.0f * g);
    }
    const float sine = sqrt(fmax(0.0f, 1.0f - cosine * cosine));
    float cos_turn;
    const float sin_turn = sincos(2.0f * M_PI_F * uniform(p), &cos_turn);
    const float3 d = p->way;
    if (fabs(d.z) > 0.9999f) {
        p->way = (float3)(sine * cos_turn, sine * sin_turn, copysign(cosine, d.z * cosine));
        return;
    }
    const float across = sqrt(1.0f - d.z * d.z);
    p->way = (float3)(sine * (d.x * d.z * cos_turn - d.y * sin_turn) / across + d.x * cosine,
                      sine * (d.y * d.z * cos_turn + d.x * sin_turn) / across + d.y * cosine,
                      -sine * cos_turn * across + d.z * cosine);
}

/* How much of the light a border sends back, after Fresnel; the cosine beyond it comes along. */
float sent_back(const float from, const float to, const float cosine, float *beyond)
{
    const float sine = from / to * sqrt(fmax(0.0f, 1.0f - cosine * cosine));
    *beyond = 0.0f;
    if (sine >= 1.0f) return 1.0f;
    *beyond = sqrt(1.0f - sine * sine);
    const float s = (from * cosine - to * *beyond) / (from * cosine + to * *beyond);
    const float p = (from * *beyond - to * cosine) / (from * *beyond + to * cosine);
    return 0.5f * (s * s + p * p);
}

/* At a border: back, through, or out. Gives whether the photon is still inside. */
bool cross_border(photon_t *p, __constant layer_t *layers, const int count)
{
    const int next = p->way.z > 0.0f ? p->layer + 1 : p->layer - 1;
    const bool leaves = next < 0 || next >= count;
    const float from = layers[p->layer].index;
    const float to = leaves ? 1.0f : layers[next].index;
    float beyond;
    if (uniform(p) <= sent_back(from, to, fabs(p->way.z), &beyond)) {
        p->way.z = -p->way.z;
        return true;
    }
    if (leaves) return false;
    p->way = (float3)(p->way.xy * (from / to), copysign(beyond, p->way.z));
    p->layer = next;
    return true;
}

/* Light that falls on layers of tissue: where it stays, what comes back and what comes through. */
__kernel void photon_walks(const uint photons, const uint seed, __constant layer_t *layers, const int count,
                           __global uint *absorbed, __global float2 *escaped)
{
    for (uint i = get_global_id(0); i < photons; i += get_global_size(0)) {
        photon_t p;
        p.at = (float3)(0.0f);
        p.way = (float3)(0.0f, 0.0f, 1.0f);
        p.weight = 1.0f;
        p.layer = 0;
        p.seed = (i + 1) * 2654435761u ^ seed;
        float2 out = (float2)(0.0f);

        while (p.weight > 0.0f) {
            const layer_t here = layers[p.layer];
            const float both = here.absorb + here.scatter;
            const float step = -log(uniform(&p)) / both;
            const float border = p.way.z > 0.0f ? here.bottom : here.top;
            const float room = p.way.z != 0.0f ? (border - p.at.z) / p.way.z : INFINITY;
            if (step >= room) {
                p.at = (float3)(p.at.xy + room * p.way.xy, border);
                if (!cross_border(&p, layers, count)) {
                    if (p.way.z < 0.0f) out.x = p.weight;
                    else out.y = p.weight;
                    break;
                }
                continue;
            }
            p.at += step * p.way;

            const float stays = p.weight * here.absorb / both;
            const int ring = min((int)(length(p.at.xy) * 8.0f), RINGS - 1);
            const int depth = clamp((int)(p.at.z * 16.0f), 0, DEPTHS - 1);
            atomic_add(&absorbed[depth * RINGS + ring], convert_uint_rte(stays * UNIT));
            p.weight -= stays;
            deflect(&p, here.forward);
            if (p.weight < 0.01f) p.weight = uniform(&p) < 0.1f ? p.weight * 10.0f : 0.0f;
        }
        escaped[i] = out;
    }
}

#define N 8 /* points of an element along each axis */
#define CUBE (N * N * N)

/* The Laplace operator plus a multiple of the mass in bent elements of 8 x 8 x 8 points, factor by factor. An item has a column
 * of points; the geometry is six numbers a point, and the seventh one is its mass. */
__kernel __attribute__((reqd_work_group_size(N, N, 1)))
void element_laplace(const int elements, __global const double *restrict u, __global const double *restrict geometry,
                     __constant double *derivative, const double lambda, __global double *restrict result)
{
    __local double d[N][N + 1];
    __local double layer[N][N];
    __local double along_r[N][N], along_s[N][N];

    const int i = get_local_id(0), j = get_local_id(1);
    const int e = get_group_id(0);
    if (e >= elements) return;

    __global const double *mine = u + (size_t)e * CUBE + j * N + i;
    __global const double *g = geometry + (size_t)e * 7 * CUBE + j * N + i;
    double column[N], sum[N];
    d[j][i] = derivative[j * N + i];
    for (int k = 0; k < N; k++) {
        column[k] = mine[k * N * N];
        sum[k] = lambda * g[6 * CUBE + k * N * N] * column[k];
    }

#pragma unroll
    for (int k = 0; k < N; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        layer[j][i] = column[k];
        barrier(CLK_LOCAL_MEM_FENCE);

        double r = 0.0, s = 0.0, t = 0.0;
        for (int m = 0; m < N; m++) {
            r += d[i][m] * layer[j][m];
            s += d[j][m] * layer[m][i];
            t += d[k][m] * column[m];
        }
        const int at = k * N * N;
        const double g_rs = g[CUBE + at], g_rt = g[2 * CUBE + at], g_st = g[4 * CUBE + at];
        along_r[j][i] = g[at] * r + g_rs * s + g_rt * t;
        along_s[j][i] = g_rs * r + g[3 * CUBE + at] * s + g_st * t;
        const double along_t = g_rt * r + g_st * s + g[5 * CUBE + at] * t;
        barrier(CLK_LOCAL_MEM_FENCE);

        double back = 0.0;
        for (int m = 0; m < N; m++) {
            back += d[m][i] * along_r[j][m] + d[m][j] * along_s[m][i];
            sum[m] += d[k][m] * along_t;
        }
        sum[k] += back;
    }
    for (int k = 0; k < N; k++) result[(size_t)e * CUBE + k * N * N + j * N + i] = sum[k];
}

/* One part of the product of two vectors for each group. */
__kernel void dot_parts(const uint n, __global const double *a, __global const double *b, __global double *parts,
                        __local double *scratch)
{
    const uint lid = get_local_id(0);
    double sum = 0.0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum = fma(a[i], b[i], sum);
    scratch[lid] = sum;
    for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < stride) scratch[lid] += scratch[lid + stride];
    }
    if (lid == 0) parts[get_group_id(0)] = scratch[0];
}
