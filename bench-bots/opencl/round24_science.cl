/* Science: the integrals of electrons in other orbitals, the shortest lines on the earth, decays that are fitted pixel by pixel. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Each item makes a row of integrals of which the first orbital becomes another one and goes to the end: four times, and all are done. */
__kernel void quarter_turn(__global const double *from, __global const double *coefficients, const int orbitals, __global double *to)
{
    const int s = get_global_id(0), r = get_global_id(1), q = get_global_id(2);
    const int at = (q * orbitals + r) * orbitals + s, stride = orbitals * orbitals * orbitals;
    for (int a = 0; a < orbitals; a++) {
        to[at * orbitals + a] = 0.0;
        for (int p = 0; p < orbitals; p++) {
            to[at * orbitals + a] += from[p * stride + at] * coefficients[p * orbitals + a];
        }
    }
}

/* Each item adds up what a pair of filled orbitals gains from all pairs of empty ones, to the second order of the perturbation. */
__kernel void pair_energies(__global const double *integrals, __global const double *levels, const int orbitals, const int filled,
                            __global double *energies)
{
    const int i = get_global_id(0), j = get_global_id(1), pair = j * get_global_size(0) + i;
    energies[pair] = 0.0;
    for (int a = filled; a < orbitals; a++) {
        for (int c = filled; c < orbitals; c++) {
            const double direct = integrals[((i * orbitals + a) * orbitals + j) * orbitals + c];
            const double crossed = integrals[((i * orbitals + c) * orbitals + j) * orbitals + a];
            energies[pair] += direct * (2.0 * direct - crossed) / (levels[i] + levels[j] - levels[a] - levels[c]);
        }
    }
}

#define MOST_TURNS 100

typedef struct {
    double equator, flattening;
} earth_t;

typedef struct {
    double metres, bearing;
    int turns; /* negative where they do not end, for points that are nearly opposite */
    int unused;
} line_t;

/* Vincenty's formula: how far, and in which direction, a place is from another one on the earth's ellipsoid. */
line_t line_between(const double2 from, const double2 to, const earth_t earth)
{
    line_t line;
    line.metres = 0.0;
    line.bearing = 0.0;
    line.turns = 0;
    line.unused = 0;
    const double across = remainder(to.y - from.y, 2.0 * M_PI);
    double sine1, cosine1, sine2, cosine2;
    sine1 = sincos(atan((1.0 - earth.flattening) * tan(from.x)), &cosine1);
    sine2 = sincos(atan((1.0 - earth.flattening) * tan(to.x)), &cosine2);
    double lambda = across, last, sine, cosine, arc, square, middle;
    double sine_lambda, cosine_lambda;
    do {
        sine_lambda = sincos(lambda, &cosine_lambda);
        const double east = cosine2 * sine_lambda, north = cosine1 * sine2 - sine1 * cosine2 * cosine_lambda;
        sine = sqrt(east * east + north * north);
        if (sine == 0.0) return line;
        cosine = sine1 * sine2 + cosine1 * cosine2 * cosine_lambda;
        arc = atan2(sine, cosine);
        const double azimuth = cosine1 * cosine2 * sine_lambda / sine;
        square = 1.0 - azimuth * azimuth;
        middle = square > 1e-14 ? cosine - 2.0 * sine1 * sine2 / square : 0.0;
        const double c = earth.flattening / 16.0 * square * (4.0 + earth.flattening * (4.0 - 3.0 * square));
        last = lambda;
        lambda = across + (1.0 - c) * earth.flattening * azimuth *
                              (arc + c * sine * (middle + c * cosine * (2.0 * middle * middle - 1.0)));
        if (++line.turns == MOST_TURNS || fabs(lambda) > M_PI) {
            line.turns = -line.turns;
            return line;
        }
    } while (fabs(lambda - last) > 1e-12);
    const double pole = earth.equator * (1.0 - earth.flattening);
    const double u = square * (earth.equator * earth.equator - pole * pole) / (pole * pole);
    const double a = 1.0 + u / 16384.0 * (4096.0 + u * (-768.0 + u * (320.0 - 175.0 * u)));
    const double b = u / 1024.0 * (256.0 + u * (-128.0 + u * (74.0 - 47.0 * u)));
    const double change = b * sine * (middle + 0.25 * b * (cosine * (2.0 * middle * middle - 1.0) -
                                      b / 6.0 * middle * (4.0 * sine * sine - 3.0) * (4.0 * middle * middle - 3.0)));
    line.metres = pole * a * (arc - change);
    line.bearing = atan2(cosine2 * sine_lambda, cosine1 * sine2 - sine1 * cosine2 * cosine_lambda);
    return line;
}

/* Each item measures a leg of a voyage. */
__kernel void vincenty_legs(__global const double2 *places, const int legs, const earth_t earth, __global line_t *lines)
{
    const int id = get_global_id(0);
    if (id < legs) lines[id] = line_between(places[id], places[id + 1], earth);
}

/* Each item finds the port that is nearest to a place, on a sphere; what is too far north or south needs no sines. */
__kernel void nearest_ports(__global const double2 *places, const int legs, __global const float2 *ports, const int count,
                            __global int *nearest, __global float *arcs)
{
    const int id = get_global_id(0);
    if (id >= legs) return;
    const float2 place = convert_float2(places[id]);
    const float cosine = cos(place.x);
    float best = M_PI_F;
    int found = -1;
    for (int i = 0; i < count; i++) {
        const float north = ports[i].x - place.x, east = ports[i].y - place.y;
        if (fabs(north) >= best) continue;
        const float u = sin(0.5f * north), v = sin(0.5f * east);
        const float arc = 2.0f * asin(sqrt(fmin(u * u + cosine * cos(ports[i].x) * v * v, 1.0f)));
        if (arc < best) {
            best = arc;
            found = i;
        }
    }
    nearest[id] = found;
    arcs[id] = best;
}

/* A number, and how it changes with the three that are sought. */
typedef struct {
    float value;
    float3 slope;
} dual_t;

dual_t dual_of(const float value, const float3 slope)
{
    dual_t result;
    result.value = value;
    result.slope = slope;
    return result;
}

dual_t add_duals(const dual_t a, const dual_t b)
{
    return dual_of(a.value + b.value, a.slope + b.slope);
}

dual_t multiply_duals(const dual_t a, const dual_t b)
{
    return dual_of(a.value * b.value, a.value * b.slope + b.value * a.slope);
}

dual_t scale_dual(const dual_t a, const float factor)
{
    return dual_of(a.value * factor, a.slope * factor);
}

dual_t exp_dual(const dual_t a)
{
    const float value = exp(a.value);
    return dual_of(value, value * a.slope);
}

/* What is measured at a time: a height that decays, over a ground. */
dual_t decay_at(const float3 sought, const float time)
{
    const dual_t height = dual_of(sought.x, (float3)(1.0f, 0.0f, 0.0f)), rate = dual_of(sought.y, (float3)(0.0f, 1.0f, 0.0f));
    const dual_t ground = dual_of(sought.z, (float3)(0.0f, 0.0f, 1.0f));
    return add_duals(multiply_duals(height, exp_dual(scale_dual(rate, -time))), ground);
}

typedef struct {
    float3 rows[3], right;
    float error;
} normal_t;

/* The squares of what is missed, and the equations of a step that makes them less. */
normal_t normal_equations(__global const float *signal, const int pixels, __constant float *times, const int echoes, const float3 sought)
{
    normal_t sums;
    sums.rows[0] = sums.rows[1] = sums.rows[2] = sums.right = (float3)(0.0f);
    sums.error = 0.0f;
    for (int i = 0; i < echoes; i++) {
        const dual_t model = decay_at(sought, times[i]);
        const float missed = signal[i * pixels] - model.value;
        sums.rows[0] += model.slope.x * model.slope;
        sums.rows[1] += model.slope.y * model.slope;
        sums.rows[2] += model.slope.z * model.slope;
        sums.right += missed * model.slope;
        sums.error += missed * missed;
    }
    return sums;
}

/* Cramer's rule; more of the diagonal makes steps shorter. */
float3 damped_step(const normal_t sums, const float damping)
{
    float3 a = sums.rows[0], b = sums.rows[1], c = sums.rows[2];
    a.x *= 1.0f + damping;
    b.y *= 1.0f + damping;
    c.z *= 1.0f + damping;
    const float3 x = cross(b, c), y = cross(c, a), z = cross(a, b);
    return (x * sums.right.x + y * sums.right.y + z * sums.right.z) / dot(a, x);
}

/* Each item fits a pixel's decay by Levenberg's and Marquardt's steps, until they are small. Pixels without a signal get none. */
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void decay_fits(__global const float *echoes, const int width, const int height, __constant float *times, const int count,
                const float threshold, const int most, __global float4 *fits)
{
    const int x = get_global_id(0), y = get_global_id(1), pixels = width * height, at = y * width + x;
    if (x >= width || y >= height) return;
    __global const float *signal = echoes + at;
    const float first = signal[0], end = signal[(count - 1) * pixels];
    if (first < threshold) {
        fits[at] = (float4)(0.0f);
        return;
    }
    float3 sought = (float3)(first - 0.8f * end, 2.0f / times[count - 1], 0.8f * end);
    normal_t now = normal_equations(signal, pixels, times, count, sought);
    float damping = 1e-2f;
    for (int turn = 0; turn < most; turn++) {
        const float3 step = damped_step(now, damping);
        float3 tried = sought + step;
        tried.y = clamp(tried.y, 1e-3f, 1e3f);
        const normal_t next = normal_equations(signal, pixels, times, count, tried);
        if (next.error <= now.error) {
            sought = tried;
            now = next;
            damping = fmax(0.1f * damping, 1e-6f);
            if (length(step / (fabs(sought) + 1e-3f)) < 1e-5f) break;
        } else {
            damping *= 10.0f;
            if (damping > 1e6f) break;
        }
    }
    fits[at] = (float4)(sought, sqrt(now.error / count));
}
