/* Physics: light that small spheres scatter, spins between pulses, air that the sun lights. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MOST_TERMS 112

double2 product(const double2 a, const double2 b)
{
    return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

double2 quotient(const double2 a, const double2 b)
{
    return product(a, (double2)(b.x, -b.y)) / dot(b, b);
}

/* Each item tells how much light a sphere takes away, how much of that it scatters, and how far
 * forward, by Mie's series. `size` is the sphere's circumference in wave lengths. */
__kernel void mie_scatter(__global const double *sizes, __global const double2 *refractions,
                          const int spheres, __global double4 *efficiencies)
{
    const int id = get_global_id(0);
    if (id >= spheres) return;
    double2 logs[MOST_TERMS];
    const double size = sizes[id];
    const double2 refraction = refractions[id], inside = refraction * size;
    const int terms = (int)(size + 4.0 * cbrt(size) + 2.0);
    const int start = max(terms, (int)length(inside)) + 15;
    logs[start] = (double2)(0.0);
    for (int n = start; n > 0; n--) {
        const double2 share = quotient((double2)(n, 0.0), inside);
        logs[n - 1] = share - quotient((double2)(1.0, 0.0), logs[n] + share);
    }
    double psi_before = cos(size), psi = sin(size), chi_before = -psi, chi = psi_before;
    double2 a_before = (double2)(0.0), b_before = (double2)(0.0);
    double taken = 0.0, scattered = 0.0, forward = 0.0;
    for (int n = 1; n <= terms; n++) {
        const double psi_next = (2 * n - 1) / size * psi - psi_before;
        const double chi_next = (2 * n - 1) / size * chi - chi_before;
        const double2 wave = (double2)(psi_next, -chi_next), wave_before = (double2)(psi, -chi);
        const double2 for_a = quotient(logs[n], refraction) + (double2)(n / size, 0.0);
        const double2 for_b = product(logs[n], refraction) + (double2)(n / size, 0.0);
        const double2 a = quotient(for_a * psi_next - (double2)(psi, 0.0),
                                   product(for_a, wave) - wave_before);
        const double2 b = quotient(for_b * psi_next - (double2)(psi, 0.0),
                                   product(for_b, wave) - wave_before);
        taken += (2 * n + 1) * (a.x + b.x);
        scattered += (2 * n + 1) * (dot(a, a) + dot(b, b));
        forward += (2.0 * n + 1.0) / (n * (n + 1.0)) * dot(a, b);
        if (n > 1) {
            forward += (n - 1.0) * (n + 1.0) / n * (dot(a_before, a) + dot(b_before, b));
        }
        psi_before = psi;
        psi = psi_next;
        chi_before = chi;
        chi = chi_next;
        a_before = a;
        b_before = b;
    }
    const double factor = 2.0 / (size * size);
    efficiencies[id] = (double4)(factor * taken, factor * scattered, factor * (taken - scattered),
                                 scattered > 0.0 ? 2.0 * forward / scattered : 0.0);
}

#define PULSE 0
#define WAIT 1
#define GRADIENT 2
#define LISTEN 3
#define SPOIL 4
#define SPINS 64 /* of a work-group */

typedef struct {
    int kind;
    float angle;    /* of a pulse, or what a gradient turns at the end of the sample */
    float phase;    /* of a pulse's axis */
    float duration; /* in seconds */
} action_t;

typedef struct {
    float slow, fast; /* decay per second along the field, and across */
    float turn;       /* by how much the field differs, in radians per second */
    float strength;   /* of pulses here */
    float place;      /* from -1 to 1 */
} spin_t;

float3 turned(const float3 spin, const float angle)
{
    float cosine;
    const float sine = sincos(angle, &cosine);
    return (float3)(cosine * spin.x - sine * spin.y, sine * spin.x + cosine * spin.y, spin.z);
}

/* Each item follows the magnetization of a small part of a sample by Bloch's equations through a
 * sequence of actions, again and again; work-groups add up what an antenna hears. */
__kernel __attribute__((reqd_work_group_size(SPINS, 1, 1)))
void bloch_spins(__global const spin_t *spins, const int count, __constant action_t *actions,
                 const int kinds, const int repeats, const int listened, __global float2 *heard)
{
    __local float2 sums[SPINS];

    const int id = get_global_id(0), lid = get_local_id(0);
    const bool is_there = id < count;
    spin_t own = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    if (is_there) own = spins[id];
    float3 spin = (float3)(0.0f, 0.0f, is_there ? 1.0f : 0.0f);
    int at = get_group_id(0) * listened;
    for (int i = 0; i < repeats * kinds; i++) {
        const action_t action = actions[i % kinds];
        switch (action.kind) {
        case PULSE: {
            const float angle = action.angle * own.strength;
            float cosine;
            const float sine = sincos(angle, &cosine);
            spin = turned(spin, -action.phase);
            spin = (float3)(spin.x, cosine * spin.y - sine * spin.z, sine * spin.y + cosine * spin.z);
            spin = turned(spin, action.phase);
            break;
        }
        case GRADIENT:
            spin = turned(spin, action.angle * own.place);
            /* It takes time as well. */
        case WAIT: {
            const float rest = exp(-action.duration * own.slow);
            spin.xy *= exp(-action.duration * own.fast);
            spin.z = is_there ? 1.0f + (spin.z - 1.0f) * rest : 0.0f;
            spin = turned(spin, own.turn * action.duration);
            break;
        }
        case LISTEN:
            sums[lid] = spin.xy;
            for (int half_count = SPINS / 2; half_count > 0; half_count >>= 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (lid < half_count) sums[lid] += sums[lid + half_count];
            }
            if (lid == 0) heard[at] = sums[0];
            barrier(CLK_LOCAL_MEM_FENCE);
            at++;
            break;
        default:
            spin.xy = (float2)(0.0f);
        }
    }
}

/* Each item adds up for one moment what groups have heard. */
__kernel void add_heard(__global const float2 *heard, const int groups, const int listened,
                        const int count, __global float2 *signal)
{
    const int moment = get_global_id(0);
    float2 sum = (float2)(0.0f);
    for (int i = 0; i < groups; i++) sum += heard[i * listened + moment];
    signal[moment] = sum / count;
}

#define KINDS 4 /* O, O3, NO, NO2 */
#define GAMMA 0.29289321881345254

/* How fast reactions go where it is warm and light. */
void rates_of(const double warmth, const double light, double *rates)
{
    rates[0] = 2e-3 * light;                   /* O2 -> 2 O */
    rates[1] = 1e3 * pow(warmth, -2.4);        /* O + O2 -> O3 */
    rates[2] = 0.5 * light;                    /* O3 -> O */
    rates[3] = 8.0 * exp(2.0 - 2.0 / warmth);  /* O + O3 -> 2 O2 */
    rates[4] = 20.0 * exp(1.4 - 1.4 / warmth); /* NO + O3 -> NO2 */
    rates[5] = 50.0;                           /* NO2 + O -> NO */
    rates[6] = light;                          /* NO2 -> NO + O */
}

void change_of(const double *y, const double *rates, double *change)
{
    const double join = rates[1] * y[0], split = rates[2] * y[1], end = rates[3] * y[0] * y[1];
    const double burn = rates[4] * y[1] * y[2], back = rates[5] * y[0] * y[3];
    const double shine = rates[6] * y[3];
    change[0] = rates[0] - join + split - end - back + shine;
    change[1] = join - split - end - burn;
    change[2] = back + shine - burn;
    change[3] = burn - back - shine;
}

/* One minus a step times the derivatives, as two triangles. */
void factorize(const double *y, const double *rates, const double step, double a[KINDS][KINDS])
{
    const double burn[2] = {rates[4] * y[2], rates[4] * y[1]};
    const double back[2] = {rates[5] * y[3], rates[5] * y[0]};
    a[0][0] = -rates[1] - rates[3] * y[1] - back[0];
    a[0][1] = rates[2] - rates[3] * y[0];
    a[0][2] = 0.0;
    a[0][3] = rates[6] - back[1];
    a[1][0] = rates[1] - rates[3] * y[1];
    a[1][1] = -rates[2] - rates[3] * y[0] - burn[0];
    a[1][2] = -burn[1];
    a[1][3] = 0.0;
    a[2][0] = back[0];
    a[2][1] = -burn[0];
    a[2][2] = -burn[1];
    a[2][3] = back[1] + rates[6];
    for (int k = 0; k < KINDS; k++) a[3][k] = -a[2][k];
    for (int i = 0; i < KINDS; i++) {
        for (int k = 0; k < KINDS; k++) a[i][k] = (i == k ? 1.0 : 0.0) - step * a[i][k];
    }
    for (int k = 0; k < KINDS; k++) {
        for (int i = k + 1; i < KINDS; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < KINDS; j++) a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

void solve(double a[KINDS][KINDS], double *x)
{
    for (int i = 1; i < KINDS; i++) {
        for (int k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
    }
    for (int i = KINDS - 1; i >= 0; i--) {
        for (int k = i + 1; k < KINDS; k++) x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
}

/* Each item follows the air of a cell until `end`, by Rosenbrock's method with two stages, whose
 * steps are as long as the error allows. */
__kernel void stiff_kinetics(__global const double2 *cells, const int count, const double end,
                             const double most, __global double4 *air, __global int *steps)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    double y[KINDS], rates[7], matrix[KINDS][KINDS], first[KINDS], second[KINDS], middle[KINDS];
    vstore4(air[id], 0, y);
    rates_of(cells[id].x, cells[id].y, rates);
    double now = 0.0, step = 1e-4;
    int tries = 0;
    while (now < end && tries < 2000) {
        tries++;
        step = fmin(step, end - now);
        factorize(y, rates, GAMMA * step, matrix);
        change_of(y, rates, first);
        solve(matrix, first);
        for (int i = 0; i < KINDS; i++) middle[i] = y[i] + step * first[i];
        change_of(middle, rates, second);
        for (int i = 0; i < KINDS; i++) second[i] -= 2.0 * first[i];
        solve(matrix, second);
        double error = 0.0;
        for (int i = 0; i < KINDS; i++) {
            const double apart = 0.5 * step * (first[i] + second[i]);
            error = fmax(error, fabs(apart) / (most * (0.01 + fabs(y[i]))));
        }
        if (error <= 1.0) {
            now += step;
            for (int i = 0; i < KINDS; i++) y[i] += step * (1.5 * first[i] + 0.5 * second[i]);
        }
        step *= clamp(0.9 / sqrt(fmax(error, 1e-10)), 0.2, 5.0);
    }
    air[id] = vload4(0, y);
    steps[id] = tries;
}
