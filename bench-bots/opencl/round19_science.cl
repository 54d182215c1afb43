/* Science: a scene of distances, what bonds yield, which places of genomes go together. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define STEPS 96
#define FARTHEST 24.0f

/* The lesser of two distances, with a round passage where they are alike. */
float blend(const float a, const float b, const float width)
{
    const float share = clamp(0.5f + 0.5f * (b - a) / width, 0.0f, 1.0f);
    return mix(b, a, share) - width * share * (1.0f - share);
}

float ring(const float3 p, const float radius, const float thickness)
{
    return length((float2)(length(p.xz) - radius, p.y)) - thickness;
}

float rounded_box(const float3 p, const float3 half_size, const float round)
{
    const float3 off = fabs(p) - half_size;
    return length(fmax(off, 0.0f)) + fmin(fmax(off.x, fmax(off.y, off.z)), 0.0f) - round;
}

/* How far the nearest surface is: a floor, columns all over it, a ring, and two balls that melt together. */
float scene(const float3 p, const float turn)
{
    const float floor_distance = p.y + 1.0f;
    const float3 tile = (float3)(p.x - 4.0f * rint(p.x * 0.25f), p.y, p.z - 4.0f * rint(p.z * 0.25f));
    const float column = rounded_box(tile - (float3)(0.0f, -0.4f, 0.0f), (float3)(0.25f, 0.9f, 0.25f), 0.1f);
    const float3 centre = (float3)(1.6f * cos(turn), 0.5f, 2.0f + 1.6f * sin(turn));
    const float balls = blend(length(p - centre) - 0.7f, length(p - (float3)(2.0f, 0.2f, 2.0f)) - 0.8f, 0.6f);
    const float around = ring(p - (float3)(-2.0f, 0.1f, 2.0f), 1.0f, 0.25f);
    return fmin(fmin(floor_distance, column), fmin(balls, around));
}

/* How much of a light comes through to a place, with soft rims of shadows. */
float light_through(const float3 from, const float3 to_light, const float turn)
{
    float through = 1.0f, along = 0.05f;
    for (int i = 0; i < 32 && along < 8.0f; i++) {
        const float near = scene(from + along * to_light, turn);
        if (near < 0.001f) return 0.0f;
        through = fmin(through, 8.0f * near / along);
        along += clamp(near, 0.02f, 0.5f);
    }
    return through;
}

/* Each pixel's ray goes on by the distance to the nearest surface, until it is there, and tells how bright the place is. */
__kernel void march_scene(const int width, const int height, const float3 eye, const float3 to_light, const float turn,
                          __global float2 *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const float2 place = ((float2)(x, y) + 0.5f - 0.5f * (float2)(width, height)) / (float)height;
    const float3 ray = normalize((float3)(place.x, -place.y - 0.15f, 1.0f));
    float along = 0.0f;
    int step = 0;
    for (; step < STEPS && along < FARTHEST; step++) {
        const float near = scene(eye + along * ray, turn);
        if (near < 0.0005f * (1.0f + along)) break;
        along += near;
    }
    if (step == STEPS || along >= FARTHEST) {
        out[y * width + x] = (float2)(FARTHEST, 0.4f + 0.3f * ray.y);
        return;
    }
    const float3 at = eye + along * ray;
    const float2 e = (float2)(0.002f, 0.0f);
    const float3 slope = (float3)(scene(at + e.xyy, turn) - scene(at - e.xyy, turn), scene(at + e.yxy, turn) - scene(at - e.yxy, turn),
                                  scene(at + e.yyx, turn) - scene(at - e.yyx, turn));
    const float3 up = normalize(slope);
    const float facing = fmax(dot(up, to_light), 0.0f);
    float bright = 0.15f + 0.1f * up.y;
    if (facing > 0.0f) bright += 0.75f * facing * light_through(at + 0.01f * up, to_light, turn);
    out[y * width + x] = (float2)(along, bright * exp(-0.03f * along));
}

typedef struct {
    double price;   /* with what has accrued, of 100 */
    float coupon;   /* a year, of 100 */
    int days;       /* until it ends */
    short coupons;  /* a year: 1, 2, 4 or 12 */
    short kind;     /* 0, or 1 for one that pays all at its end */
} bond_t;

/* What a bond is worth at a yield, and by what that changes with the yield, and how that does. */
double3 worth(const bond_t bond, const double yield)
{
    const double years = bond.days / 365.25;
    if (bond.kind == 1) {
        const double discount = pow(1.0 + yield, -years), by_yield = discount * years / (1.0 + yield);
        return (double3)(100.0 * discount, -100.0 * by_yield, 100.0 * by_yield * (years + 1.0) / (1.0 + yield));
    }
    const double periods = years * bond.coupons, coupon = (double)bond.coupon / bond.coupons, step = 1.0 / (1.0 + yield / bond.coupons);
    const int count = max((int)ceil(periods), 1);
    double time = periods - (count - 1), discount = pow(step, time), sum = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < count; i++) {
        const double paid = (i + 1 == count ? coupon + 100.0 : coupon) * discount;
        sum += paid;
        first += paid * time;
        second += paid * time * (time + 1.0);
        time += 1.0;
        discount *= step;
    }
    return (double3)(sum, -first * step / bond.coupons, second * step * step / (bond.coupons * bond.coupons));
}

/* Newton's steps to the yield at which a bond is worth its price. Where one leaves the bounds known so far, they are halved. The
 * yield, the duration, the convexity, and how many steps it took. */
__kernel void bond_yields(__global const bond_t *bonds, const int count, const double enough, __global double4 *yields)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const bond_t bond = bonds[id];
    double low = -0.5, high = 2.0, yield = bond.kind == 1 ? 0.05 : fmax(bond.coupon / 100.0, 0.01);
    double3 now = worth(bond, yield);
    int step = 0;
    while (fabs(now.x - bond.price) > enough && step < 60) {
        if (now.x > bond.price) {
            low = yield;
        } else {
            high = yield;
        }
        double next = yield - (now.x - bond.price) / now.y;
        if (next <= low || next >= high) next = 0.5 * (low + high);
        yield = next;
        now = worth(bond, yield);
        step++;
    }
    yields[id] = (double4)(yield, -now.y / now.x, now.z / now.x, step);
}

/* Each place of a genome has 0, 1 or 2 of a variant, in two planes of bits: at least one, and two; a third has whether it is
 * known. How much the variants of a place and of those that follow go together: the square of their correlation. */
__kernel void linkage_pairs(__global const ulong *restrict ones, __global const ulong *restrict twos,
                            __global const ulong *restrict known, const int places, const int words, const float enough,
                            __global float *restrict squares, __global int *restrict partners)
{
    const int off = get_global_id(0), i = get_global_id(1), span = get_global_size(0);
    const int j = i + off + 1;
    if (j >= places) {
        squares[i * span + off] = -1.0f;
        return;
    }
    __global const ulong *one_i = ones + i * words, *two_i = twos + i * words, *known_i = known + i * words;
    __global const ulong *one_j = ones + j * words, *two_j = twos + j * words, *known_j = known + j * words;
    int n = 0, sum_i = 0, sum_j = 0, square_i = 0, square_j = 0, product = 0;
    for (int k = 0; k < words; k++) {
        const ulong both = known_i[k] & known_j[k];
        const ulong a = one_i[k] & both, b = two_i[k] & both, c = one_j[k] & both, d = two_j[k] & both;
        const int ones_i = popcount(a), twos_i = popcount(b), ones_j = popcount(c), twos_j = popcount(d);
        n += popcount(both);
        sum_i += ones_i + twos_i;
        sum_j += ones_j + twos_j;
        square_i += ones_i + 3 * twos_i;
        square_j += ones_j + 3 * twos_j;
        product += popcount(a & c) + popcount(a & d) + popcount(b & c) + popcount(b & d);
    }
    const float covariance = (float)(n * product - sum_i * sum_j);
    const float spread = (float)(n * square_i - sum_i * sum_i) * (float)(n * square_j - sum_j * sum_j);
    const float square = spread > 0.0f ? covariance * covariance / spread : 0.0f;
    squares[i * span + off] = square;
    if (square >= enough) {
        atomic_inc(&partners[i]);
        atomic_inc(&partners[j]);
    }
}

__kernel void no_partners(__global int *partners)
{
    partners[get_global_id(0)] = 0;
}
