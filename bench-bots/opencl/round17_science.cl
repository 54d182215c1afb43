/* Science: light in metal and glass, how likely a tree of species is, how a strand of RNA folds, how electrons' clouds repel
 * each other. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* All fields are x, y, z and nothing. */
__kernel void start_fields(__global const float4 *electric_start, __global const float4 *magnetic_start, const int cells,
                           __global float4 *electric, __global float4 *magnetic, __global float4 *current)
{
    const int id = get_global_id(0);
    if (id >= cells) return;
    electric[id] = electric_start[id];
    magnetic[id] = magnetic_start[id];
    current[id] = (float4)(0.0f);
}

/* Half a step: the magnetic field turns with the electric one, which is known at the cells' beginnings. */
__kernel void magnetic_step(__global const float4 *electric, const float courant, __global float4 *magnetic)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int width = get_global_size(0), height = get_global_size(1), depth = get_global_size(2);
    if (x == width - 1 || y == height - 1 || z == depth - 1) return;
    const int at = (z * height + y) * width + x;
    const float4 here = electric[at];
    const float4 dx = electric[at + 1] - here, dy = electric[at + width] - here, dz = electric[at + width * height] - here;
    magnetic[at] -= courant * (float4)(dy.z - dz.y, dz.x - dx.z, dx.y - dy.x, 0.0f);
}

/* The other half. In media whose charges move, a current follows the electric field with delay. A medium is what is kept of the
 * field, how it turns, what is kept of the current, what it gains. */
__kernel void drude_media(__global float4 *electric, __global const float4 *magnetic, __global float4 *current,
                          __global const uchar *cells, __constant float4 *media)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int width = get_global_size(0), height = get_global_size(1), depth = get_global_size(2);
    if (x == 0 || y == 0 || z == 0 || x == width - 1 || y == height - 1 || z == depth - 1) return;
    const int at = (z * height + y) * width + x;
    const float4 here = magnetic[at], medium = media[cells[at]];
    const float4 dx = here - magnetic[at - 1], dy = here - magnetic[at - width], dz = here - magnetic[at - width * height];
    float4 turn = (float4)(dy.z - dz.y, dz.x - dx.z, dx.y - dy.x, 0.0f);
    if (medium.w != 0.0f) {
        const float4 moved = medium.z * current[at] + medium.w * electric[at];
        current[at] = moved;
        turn -= moved;
    }
    electric[at] = medium.x * electric[at] + medium.y * turn;
}

#define RATES 4
#define SITES_OF_GROUP 32

/* What a species or an ancestor may have been at a site: a species' code has a bit for each letter. */
float4 state_of(const int node, const int tips, const int site, const int rate, const int sites, __global const uchar *codes,
                __global const float4 *parts)
{
    if (node >= tips) return parts[((node - tips) * RATES + rate) * sites + site];
    const int code = codes[node * sites + site];
    return (float4)(code & 1, code >> 1 & 1, code >> 2 & 1, code >> 3 & 1);
}

float4 row_products(__local const float4 *matrix, const float4 vector)
{
    return (float4)(dot(matrix[0], vector), dot(matrix[1], vector), dot(matrix[2], vector), dot(matrix[3], vector));
}

/* An ancestor from its two descendants. The branches' matrices are by node and rate; the second dimension is the rate. What
 * gets small is made larger by a power of two, which is counted. */
__kernel __attribute__((reqd_work_group_size(SITES_OF_GROUP, RATES, 1)))
void prune_node(const int4 node, const int sites, __global const uchar *codes, __global const float4 *matrices,
                __global float4 *parts, __global int *powers)
{
    __local float4 branches[2][RATES][4];

    const int site = get_global_id(0), rate = get_local_id(1), lid = rate * SITES_OF_GROUP + get_local_id(0), tips = node.w;
    if (lid < 2 * RATES * 4) {
        const int child = lid < RATES * 4 ? node.y : node.z, at = lid % (RATES * 4);
        branches[lid / (RATES * 4)][at / 4][at % 4] = matrices[child * RATES * 4 + at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (site >= sites) return;
    float4 part = row_products(branches[0][rate], state_of(node.y, tips, site, rate, sites, codes, parts));
    part *= row_products(branches[1][rate], state_of(node.z, tips, site, rate, sites, codes, parts));
    const float most = fmax(fmax(part.x, part.y), fmax(part.z, part.w));
    int power = 0;
    if (node.y >= tips) power += powers[((node.y - tips) * RATES + rate) * sites + site];
    if (node.z >= tips) power += powers[((node.z - tips) * RATES + rate) * sites + site];
    if (most < 0.00390625f && most > 0.0f) {
        const int up = -ilogb(most);
        part = ldexp(part, (int4)(up));
        power += up;
    }
    parts[((node.x - tips) * RATES + rate) * sites + site] = part;
    powers[((node.x - tips) * RATES + rate) * sites + site] = power;
}

/* The logarithm of each site's likelihood: a mean over the rates, which have powers of their own. */
__kernel void site_likelihood(__global const float4 *parts, __global const int *powers, const int root, const int sites,
                              const float4 frequencies, __global float *logarithms)
{
    const int site = get_global_id(0);
    if (site >= sites) return;
    int least = INT_MAX;
    for (int rate = 0; rate < RATES; rate++) least = min(least, powers[(root * RATES + rate) * sites + site]);
    float sum = 0.0f;
    for (int rate = 0; rate < RATES; rate++) {
        const int at = (root * RATES + rate) * sites + site;
        sum += ldexp(dot(frequencies, parts[at]), least - powers[at]);
    }
    logarithms[site] = log(sum / RATES) - 0.69314718f * least;
}

#define LONGEST 88
#define FOLDERS 32
#define LEAST_LOOP 3

/* What a pair of letters is worth: A 0, C 1, G 2, U 3. */
short worth_of(const int one, const int other)
{
    if (one + other != 3 && one + other != 5) return 0;
    return one + other == 5 ? 1 : one == 1 || one == 2 ? 3 : 2;
}

/* The best fold of each strand, pairs in pairs and beside pairs, and one such fold. Whatever lies between two letters is folded
 * before what lies around them; a work-group has a strand. The lower half of the table mirrors the upper one, so that rows can
 * be read for columns. */
__kernel __attribute__((reqd_work_group_size(FOLDERS, 1, 1)))
void fold_pairs(__global const uchar *letters, __global const int *starts, __global short *worths, __global short *partners)
{
    __local short best[LONGEST][LONGEST];
    __local uchar strand[LONGEST];
    __local short2 waiting[LONGEST];

    const int lid = get_local_id(0), id = get_group_id(0), start = starts[id], length = starts[id + 1] - start;
    for (int i = lid; i < length; i += FOLDERS) {
        strand[i] = letters[start + i];
        partners[start + i] = -1;
    }
    for (int i = lid; i < length * LONGEST; i += FOLDERS) best[i / LONGEST][i % LONGEST] = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    for (int span = LEAST_LOOP + 1; span < length; span++) {
        for (int i = lid; i + span < length; i += FOLDERS) {
            const int j = i + span;
            const short worth = worth_of(strand[i], strand[j]);
            short most = worth > 0 ? (short)(best[i + 1][j - 1] + worth) : (short)0;
            for (int k = i; k < j; k++) most = max(most, (short)(best[i][k] + best[j][k + 1]));
            best[i][j] = most;
            best[j][i] = most;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (lid > 0) return;
    worths[id] = best[0][length - 1];
    int count = 1;
    waiting[0] = (short2)(0, (short)(length - 1));
    while (count > 0) {
        const short2 part = waiting[--count];
        const int i = part.x, j = part.y;
        if (j - i <= LEAST_LOOP || best[i][j] == 0) continue;
        const short worth = worth_of(strand[i], strand[j]);
        if (worth > 0 && best[i][j] == best[i + 1][j - 1] + worth) {
            partners[start + i] = (short)j;
            partners[start + j] = (short)i;
            waiting[count++] = (short2)((short)(i + 1), (short)(j - 1));
            continue;
        }
        int k = i;
        while (best[i][k] + best[j][k + 1] != best[i][j]) k++;
        waiting[count++] = (short2)((short)i, (short)k);
        waiting[count++] = (short2)((short)(k + 1), (short)j);
    }
}

#define SLICES 4
#define TABLE_STEPS 10 /* of 1 */
#define TABLE_END 24.0
#define TABLE_ORDERS 6

/* The integral of exp(-t u u) over u from 0 to 1: from a table of it and what it becomes with powers of u u, or as if u went on
 * for ever. */
double boys(const double t, __global const double *table)
{
    if (t >= TABLE_END) return 0.5 * sqrt(M_PI / t);
    const int row = (int)(t * TABLE_STEPS + 0.5);
    const double back = (double)row / TABLE_STEPS - t;
    __global const double *orders = table + row * TABLE_ORDERS;
    double sum = orders[TABLE_ORDERS - 1];
    for (int i = TABLE_ORDERS - 1; i > 0; i--) sum = orders[i - 1] + sum * back / i;
    return sum;
}

/* Pairs of clouds are clouds: where they are, and how narrow. Each pair's repulsion by all others in a slice, as far as it
 * matters: the pairs are ordered by what they can amount to at most. The second dimension is the slice. */
__kernel void gaussian_repulsion(__global const double4 *clouds, __global const double *amounts, __global const double *densities,
                                 const int pairs, const double least, __global const double *table, __global double *sums)
{
    const int id = get_global_id(0), slice = get_global_id(1);
    if (id >= pairs) return;
    const double4 own = clouds[id];
    const double amount = amounts[id];
    double sum = 0.0;
    for (int other = slice; other < pairs; other += SLICES) {
        if (amount * amounts[other] < least) break;
        const double4 cloud = clouds[other];
        const double4 apart = cloud - own;
        const double narrow = own.w * cloud.w / (own.w + cloud.w);
        const double squared = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z;
        sum += densities[other] * amounts[other] * boys(narrow * squared, table) / (own.w * cloud.w * sqrt(own.w + cloud.w));
    }
    sums[slice * pairs + id] = sum * amount;
}

__kernel void add_slices(__global const double *sums, const int pairs, __global double *repulsions)
{
    const int id = get_global_id(0);
    if (id >= pairs) return;
    double sum = 0.0;
    for (int slice = 0; slice < SLICES; slice++) sum += sums[slice * pairs + id];
    repulsions[id] = sum;
}
