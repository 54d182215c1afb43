/* Science: forces in a metal, reactions of few molecules, lines of a spectrum. */

/* What two tables say at a place between their knots, and their slopes there: (a, slope of a, b, slope of b). Slopes at knots are
 * those between the knots beside them; there is a knot more before the first one and after the last one. */
float4 table_at(__global const float2 *table, const int knots, const float at)
{
    const int knot = min((int)at, knots - 2);
    const float part = at - knot;
    const float2 before = table[knot], here = table[knot + 1], next = table[knot + 2], after = table[knot + 3];
    const float2 slope = 0.5f * (next - before), next_slope = 0.5f * (after - here);
    const float2 value = here + part * (slope + 0.5f * part * (next + before - 2.0f * here));
    const float2 change = slope + part * (next_slope - slope);
    return (float4)(value.x, change.x, value.y, change.y);
}

/* From one atom to the nearest image of another one. */
float3 nearest_image(const float3 apart, const float box) { return apart - box * rint(apart / box); }

/* How dense the electrons of an atom's neighbours are at its place, its energy and how much more a denser place would cost.
 * Neighbours are listed up to somewhat beyond the cutoff, those of the same rank side by side. The table has density and
 * repulsion by the square of the distance. */
__kernel void eam_densities(__global const float4 *atoms, const int count, __global const int *listed, __global const int *list,
                            __global const float2 *table, const int knots, const float cutoff, const float box,
                            __global float2 *embedded)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float3 place = atoms[id].xyz;
    const float square_cutoff = cutoff * cutoff, by = (knots - 1) / square_cutoff;
    float density = 0.0f, energy = 0.0f;
    for (int k = 0; k < listed[id]; k++) {
        const float3 apart = nearest_image(atoms[list[k * count + id]].xyz - place, box);
        const float square = dot(apart, apart);
        if (square >= square_cutoff) continue;
        const float4 values = table_at(table, knots, square * by);
        density += values.x;
        energy += 0.5f * values.z;
    }
    const float root = sqrt(density);
    embedded[id] = (float2)(energy - root, -0.5f / root);
}

/* The force on each atom: what a step along the line to each neighbour changes of both atoms' energies. */
__kernel void eam_forces(__global const float4 *atoms, const int count, __global const int *listed, __global const int *list,
                         __global const float2 *table, const int knots, const float cutoff, const float box,
                         __global const float2 *embedded, __global float4 *forces)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float3 place = atoms[id].xyz;
    const float square_cutoff = cutoff * cutoff, by = (knots - 1) / square_cutoff, own = embedded[id].y;
    float3 force = (float3)(0.0f);
    for (int k = 0; k < listed[id]; k++) {
        const int other = list[k * count + id];
        const float3 apart = nearest_image(atoms[other].xyz - place, box);
        const float square = dot(apart, apart);
        if (square >= square_cutoff) continue;
        const float4 values = table_at(table, knots, square * by);
        const float slope = (own + embedded[other].y) * values.y + values.w;
        force += 2.0f * by * slope * apart;
    }
    forces[id] = (float4)(force, embedded[id].x);
}

#define REACTORS 64
#define KINDS 4 /* of molecules: a gene that is on, messengers, proteins, pairs of them */
#define REACTIONS 8
#define BINS 64
#define BIN_PROTEINS 4

/* A number above 0 and not above 1: Marsaglia's generator by shifts, of 64 bits. */
double next_unit(ulong *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((*state >> 11) + 1) * 0x1.0p-53;
}

/* Gillespie's way to follow the molecules of a cell exactly, reaction by reaction: how long it takes till the next one, and which
 * one it is. An item has a cell; its work-group counts how many proteins its cells have in the end. */
__kernel __attribute__((reqd_work_group_size(REACTORS, 1, 1)))
void gillespie(const int cells, __constant double *rates, const double end, const int most_events, __global int4 *molecules,
               __global int *events, __global uint *histogram)
{
    __local uint bins[BINS];

    const int id = get_global_id(0), lid = get_local_id(0);
    for (int i = lid; i < BINS; i += REACTORS) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (id < cells) {
        ulong state = (ulong)(id + 1) * 0x9e3779b97f4a7c15UL;
        int gene = 0, messengers = 0, proteins = 10, pairs = 0, event = 0;
        double time = 0.0;
        for (; event < most_events; event++) {
            double sums[REACTIONS];
            sums[0] = rates[0] * (1 - gene);
            sums[1] = sums[0] + rates[1] * gene * (1 + pairs);
            sums[2] = sums[1] + rates[2] * gene;
            sums[3] = sums[2] + rates[3] * messengers;
            sums[4] = sums[3] + rates[4] * messengers;
            sums[5] = sums[4] + rates[5] * proteins;
            sums[6] = sums[5] + rates[6] * proteins * (proteins - 1);
            sums[7] = sums[6] + rates[7] * pairs;
            time -= log(next_unit(&state)) / sums[7];
            if (time > end) break;
            const double drawn = next_unit(&state) * sums[7];
            int which = 0;
            while (which < REACTIONS - 1 && drawn > sums[which]) which++;
            switch (which) {
            case 0: gene = 1; break;
            case 1: gene = 0; break;
            case 2: messengers++; break;
            case 3: messengers--; break;
            case 4: proteins++; break;
            case 5: proteins--; break;
            case 6: proteins -= 2; pairs++; break;
            default: proteins += 2; pairs--; break;
            }
        }
        molecules[id] = (int4)(gene, messengers, proteins, pairs);
        events[id] = event;
        atomic_inc(&bins[min(proteins / BIN_PROTEINS, BINS - 1)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < BINS; i += REACTORS) {
        if (bins[i] > 0) atomic_add(&histogram[i], bins[i]);
    }
}

__kernel void clear_histogram(__global uint *histogram) { histogram[get_global_id(0)] = 0; }

#define POINTS 128
#define POINT_STEP 0.015625f /* between points of the spectrum */

float2 times(const float2 a, const float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
float real_of_quotient(const float2 a, const float2 b) { return dot(a, b) / dot(b, b); }

/* The shape of a line that is broadened both by heat and by collisions, by Humlicek's four approximations: the further away from
 * the middle of the line the simpler. */
float voigt(const float x, const float y)
{
    const float2 t = (float2)(y, -x), u = times(t, t);
    const float far = fabs(x) + y;
    if (far >= 15.0f) return real_of_quotient(t * 0.5641896f, (float2)(0.5f + u.x, u.y));
    if (far >= 5.5f) {
        const float2 above = times(t, (float2)(1.410474f + u.x * 0.5641896f, u.y * 0.5641896f));
        float2 below = times(u, (float2)(3.0f + u.x, u.y));
        below.x += 0.75f;
        return real_of_quotient(above, below);
    }
    if (y >= 0.195f * fabs(x) - 0.176f) {
        float2 above = t * 0.5642236f, below = t + (float2)(6.699398f, 0.0f);
        above = times(t, above + (float2)(3.778987f, 0.0f));
        above = times(t, above + (float2)(11.96482f, 0.0f));
        above = times(t, above + (float2)(20.20933f, 0.0f));
        below = times(t, below) + (float2)(21.69274f, 0.0f);
        below = times(t, below) + (float2)(39.27121f, 0.0f);
        below = times(t, below) + (float2)(38.82363f, 0.0f);
        below = times(t, below);
        return real_of_quotient(above + (float2)(16.4955f, 0.0f), below + (float2)(16.4955f, 0.0f));
    }
    const float above_factors[7] = {0.56419f, 1.320522f, 35.76683f, 219.0313f, 1540.787f, 3321.9905f, 36183.31f};
    const float below_factors[8] = {1.0f, 1.841439f, 61.57037f, 364.2191f, 2186.181f, 9022.228f, 24322.84f, 32066.6f};
    float2 above = (float2)(0.0f), below = (float2)(0.0f);
    for (int i = 0; i < 7; i++) above = times(above, -u) + (float2)(above_factors[i], 0.0f);
    for (int i = 0; i < 8; i++) below = times(below, -u) + (float2)(below_factors[i], 0.0f);
    return exp(u.x) * cos(u.y) - real_of_quotient(times(t, above), below);
}

/* The first line that is not before a place. */
int first_from(__global const float4 *lines, const int count, const float place)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (lines[middle].x < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* How much of the light at each point of a spectrum a gas absorbs, and lets through: each line counts up to a cutoff. Lines are
 * in order, with place, strength, 1 / width by heat, width by collisions in such widths. A work-group has neighbouring points,
 * which share tiles of lines. */
__kernel __attribute__((reqd_work_group_size(POINTS, 1, 1)))
void voigt_lines(__global const float4 *lines, const int count, const float cutoff, const float path, const int points,
                 __global float2 *spectrum)
{
    __local float4 tile[POINTS];
    __local int bounds[2];

    const int id = get_global_id(0), lid = get_local_id(0), first = get_group_id(0) * POINTS;
    if (lid == 0) bounds[0] = first_from(lines, count, first * POINT_STEP - cutoff);
    if (lid == POINTS - 1) bounds[1] = first_from(lines, count, id * POINT_STEP + cutoff);
    barrier(CLK_LOCAL_MEM_FENCE);

    const float place = id * POINT_STEP;
    const int last = bounds[1];
    float sum = 0.0f;
    for (int start = bounds[0]; start < last; start += POINTS) {
        if (start + lid < last) tile[lid] = lines[start + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < min(POINTS, last - start); i++) {
            const float4 line = tile[i];
            const float off = place - line.x;
            if (fabs(off) < cutoff) sum += line.y * line.z * voigt(off * line.z, line.w);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id < points) spectrum[id] = (float2)(sum, exp(-sum * path));
}
