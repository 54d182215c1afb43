/* Fields: quarks that hop on a lattice of four dimensions, the tides of many harbours, how regularly stars change their light. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SPINS 4
#define COLOURS 3

/* Of the matrix of a direction, what the first two spins become: which other one, times what. */
__constant int partners[4][2] = {{3, 2}, {3, 2}, {2, 3}, {2, 3}};
__constant float2 phases[4][2] = {{(float2)(0.0f, 1.0f), (float2)(0.0f, 1.0f)},
                                  {(float2)(-1.0f, 0.0f), (float2)(1.0f, 0.0f)},
                                  {(float2)(0.0f, 1.0f), (float2)(0.0f, -1.0f)},
                                  {(float2)(1.0f, 0.0f), (float2)(1.0f, 0.0f)}};

float2 times(const float2 a, const float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

float2 turned_back(const float2 a)
{
    return (float2)(a.x, -a.y);
}

/* The next site in a direction, or the one before; behind the last one is the first one. */
int neighbour_of(const int4 site, const int4 extents, const int direction, const int step)
{
    int4 other = site;
    if (direction == 0) other.x = (site.x + step + extents.x) % extents.x;
    else if (direction == 1) other.y = (site.y + step + extents.y) % extents.y;
    else if (direction == 2) other.z = (site.z + step + extents.z) % extents.z;
    else other.w = (site.w + step + extents.w) % extents.w;
    return ((other.w * extents.z + other.z) * extents.y + other.y) * extents.x + other.x;
}

/* Each item finds Wilson's operator at a site: eight neighbours hop to it, over links that are matrices of colours. A neighbour has only
 * half of its spins to tell. The third dimension of the range has two of the lattice. */
__kernel void wilson_hops(__global const float2 *spinors, __global const float2 *links, const int4 extents, const float kappa,
                          __global float2 *results)
{
    const int4 site = (int4)(get_global_id(0), get_global_id(1), get_global_id(2) % extents.z, get_global_id(2) / extents.z);
    const int volume = extents.x * extents.y * extents.z * extents.w;
    const int at = ((site.w * extents.z + site.z) * extents.y + site.y) * extents.x + site.x;
    float2 sums[SPINS][COLOURS];
    for (int spin = 0; spin < SPINS; spin++) {
        for (int colour = 0; colour < COLOURS; colour++) sums[spin][colour] = (float2)(0.0f);
    }
    for (int direction = 0; direction < 4; direction++) {
        for (int way = -1; way <= 1; way += 2) {
            const int from = neighbour_of(site, extents, direction, way), link = way > 0 ? at : from;
            for (int spin = 0; spin < 2; spin++) {
                const int partner = partners[direction][spin];
                const float2 phase = (float)way * phases[direction][spin];
                float2 half_spinor[COLOURS];
                for (int colour = 0; colour < COLOURS; colour++) {
                    half_spinor[colour] = spinors[(spin * COLOURS + colour) * volume + from] -
                                          times(phase, spinors[(partner * COLOURS + colour) * volume + from]);
                }
                for (int colour = 0; colour < COLOURS; colour++) {
                    float2 sum = (float2)(0.0f);
                    for (int k = 0; k < COLOURS; k++) {
                        const int entry = way > 0 ? colour * COLOURS + k : k * COLOURS + colour;
                        const float2 value = links[(direction * COLOURS * COLOURS + entry) * volume + link];
                        sum += times(way > 0 ? value : turned_back(value), half_spinor[k]);
                    }
                    sums[spin][colour] += sum;
                    sums[partner][colour] -= times(turned_back(phase), sum);
                }
            }
        }
    }
    for (int spin = 0; spin < SPINS; spin++) {
        for (int colour = 0; colour < COLOURS; colour++) {
            const int place = (spin * COLOURS + colour) * volume + at;
            results[place] = spinors[place] - kappa * sums[spin][colour];
        }
    }
}

#define TIDES 37

/* How many degrees of their circle the parts of a tide turn in an hour: M2, S2, N2, K1 and so on. */
__constant double speeds[TIDES] = {
    28.9841042, 30.0,       28.4397295, 15.0410686, 57.9682084, 13.9430356, 86.9523127, 44.0251729, 60.0,       57.4238337,
    28.5125831, 90.0,       27.9682084, 27.8953548, 16.1391017, 29.4556253, 15.0,       14.4966939, 15.5854433, 0.5443747,
    0.0821373,  0.0410686,  1.0158958,  1.0980331,  13.4715145, 13.3986609, 29.9589333, 30.0410667, 12.8542862, 14.9589314,
    31.0158958, 43.4761563, 29.5284789, 42.9271398, 30.0821373, 115.9364166, 58.9841042,
};

/* Each item finds how high the water of a harbour is at some time, and counts times when that is too high. Parts have a height and a
 * delay in degrees. */
__kernel void tide_heights(__global const float2 *parts, __global const float *levels, const int harbours, const int count,
                           const double start, const double step, __global float *heights, volatile __global uint *warnings)
{
    const int harbour = get_global_id(0), id = get_global_id(1);
    if (id >= count) return;
    const double hour = start + id * step;
    double height = 0.0;
    for (int k = 0; k < TIDES; k++) {
        const float2 part = parts[k * harbours + harbour];
        if (part.x == 0.0f) continue;
        const double degrees_of_part = speeds[k] * hour - part.y;
        const double turns = degrees_of_part / 360.0;
        height += part.x * cos((turns - rint(turns)) * (2.0 * M_PI));
    }
    heights[harbour * count + id] = (float)height;
    if (height > levels[harbour]) atomic_inc(&warnings[harbour]);
}

__kernel void no_warnings(__global uint *warnings)
{
    warnings[get_global_id(0)] = 0;
}

#define STARS_GROUP 96

/* Each item finds how well a wave of one frequency fits a star's light, which was seen at times that are anything but regular. A
 * work-group shares what was seen: values come weighted, and their weights. */
__kernel __attribute__((reqd_work_group_size(STARS_GROUP, 1, 1)))
void lomb_scargle(__global const double *moments, __global const float2 *seen, const int samples, const double first,
                  const double step, const int count, const float spread, __global float *powers)
{
    __local double own_moments[STARS_GROUP];
    __local float2 own_seen[STARS_GROUP];

    const int id = get_global_id(0), lid = get_local_id(0);
    const double frequency = first + step * id;
    float2 with_value = (float2)(0.0f), sum = (float2)(0.0f), square = (float2)(0.0f); /* of cosines, and of sines */
    for (int start = 0; start < samples; start += STARS_GROUP) {
        if (start + lid < samples) {
            own_moments[lid] = moments[start + lid];
            own_seen[lid] = seen[start + lid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int here = min(STARS_GROUP, samples - start);
        for (int k = 0; k < here; k++) {
            const double turns = frequency * own_moments[k];
            float cosine;
            const float sine = sincos((float)(turns - rint(turns)) * (2.0f * M_PI_F), &cosine);
            const float2 wave = (float2)(cosine, sine), own = own_seen[k];
            with_value += own.x * wave;
            sum += own.y * wave;
            square += own.y * cosine * wave;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id >= count) return;
    const float cc = square.x - sum.x * sum.x, ss = 1.0f - square.x - sum.y * sum.y, cs = square.y - sum.x * sum.y;
    const float top = ss * with_value.x * with_value.x + cc * with_value.y * with_value.y - 2.0f * cs * with_value.x * with_value.y;
    powers[id] = top / (spread * (cc * ss - cs * cs));
}
