/* Algebra: many small systems by rotations, what rates of change come to with time, triangular systems a level after the other. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ROWS 20
#define COLUMNS 13 /* the last one is the right side */
#define UNKNOWNS 12
#define TEAMS 5

/* A work-group solves a system of more equations than unknowns, by Givens' rotations. Those of a stage have rows of their own: a team's
 * items turn the two rows of one rotation. */
__kernel __attribute__((reqd_work_group_size(COLUMNS, TEAMS, 1)))
void givens_qr(__global const float *systems, __global float *solutions)
{
    __local float a[ROWS][COLUMNS];
    __local float2 turns[UNKNOWNS]; /* cosine and sine */

    const int x = get_local_id(0), team = get_local_id(1), lid = team * COLUMNS + x, system = get_group_id(0);
    for (int row = team; row < ROWS; row += TEAMS) a[row][x] = systems[(system * ROWS + row) * COLUMNS + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int stage = 0; stage < ROWS - 2 + UNKNOWNS; stage++) {
        if (lid < UNKNOWNS) {
            const int row = ROWS - 1 - stage + 2 * lid;
            if (row > lid && row < ROWS) {
                const float upper = a[row - 1][lid], lower = a[row][lid], length = hypot(upper, lower);
                turns[lid] = length > 0.0f ? (float2)(upper, lower) / length : (float2)(1.0f, 0.0f);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int column = team; column <= min(x, UNKNOWNS - 1); column += TEAMS) {
            const int row = ROWS - 1 - stage + 2 * column;
            if (row <= column || row >= ROWS) continue;
            const float2 turn = turns[column];
            const float upper = a[row - 1][x], lower = a[row][x];
            a[row - 1][x] = turn.x * upper + turn.y * lower;
            a[row][x] = turn.x * lower - turn.y * upper;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int k = UNKNOWNS - 1; k >= 0; k--) {
        if (lid == 0) a[k][UNKNOWNS] /= a[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < k) a[lid][UNKNOWNS] -= a[lid][k] * a[k][UNKNOWNS];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < UNKNOWNS) {
        solutions[system * COLUMNS + lid] = a[lid][UNKNOWNS];
    } else if (lid == UNKNOWNS) {
        float square = 0.0f;
        for (int row = UNKNOWNS; row < ROWS; row++) square += a[row][UNKNOWNS] * a[row][UNKNOWNS];
        solutions[system * COLUMNS + lid] = sqrt(square);
    }
}

typedef struct {
    double4 rows[4];
} matrix_t;

matrix_t product(const matrix_t a, const matrix_t b)
{
    matrix_t result;
    for (int i = 0; i < 4; i++) {
        result.rows[i] = a.rows[i].x * b.rows[0] + a.rows[i].y * b.rows[1] + a.rows[i].z * b.rows[2] + a.rows[i].w * b.rows[3];
    }
    return result;
}

double of_row(const double4 row, const int column)
{
    return column == 0 ? row.x : column == 1 ? row.y : column == 2 ? row.z : row.w;
}

/* What times `a` is `b`, by elimination; the largest pivot of a column comes first. */
matrix_t quotient(matrix_t a, matrix_t b)
{
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int i = k + 1; i < 4; i++) {
            if (fabs(of_row(a.rows[i], k)) > fabs(of_row(a.rows[best], k))) best = i;
        }
        if (best != k) {
            const double4 row = a.rows[k], other = b.rows[k];
            a.rows[k] = a.rows[best];
            a.rows[best] = row;
            b.rows[k] = b.rows[best];
            b.rows[best] = other;
        }
        const double pivot = 1.0 / of_row(a.rows[k], k);
        a.rows[k] *= pivot;
        b.rows[k] *= pivot;
        for (int i = 0; i < 4; i++) {
            if (i == k) continue;
            const double factor = of_row(a.rows[i], k);
            a.rows[i] -= factor * a.rows[k];
            b.rows[i] -= factor * b.rows[k];
        }
    }
    return b;
}

__constant double pade[7] = {1.0, 1.0 / 2.0, 5.0 / 44.0, 1.0 / 66.0, 1.0 / 792.0, 1.0 / 15840.0, 1.0 / 665280.0};

/* Each item finds which of four states come from which after some time: the exponential of its rates times that time, by Pade's fraction
 * of a small part of it, which is squared as often as that needs. */
__kernel void expm_rates(__global const matrix_t *rates, __global const float *times, const int count, __global matrix_t *shares)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    matrix_t a = rates[id], power, above, below;
    double norm = 0.0;
    for (int i = 0; i < 4; i++) {
        a.rows[i] *= (double)times[id];
        norm = fmax(norm, dot(fabs(a.rows[i]), (double4)(1.0)));
    }
    int squarings = 0;
    while (norm > 0.5) {
        norm *= 0.5;
        squarings++;
    }
    const double part = ldexp(1.0, -squarings);
    for (int i = 0; i < 4; i++) {
        a.rows[i] *= part;
        power.rows[i] = (double4)(i == 0, i == 1, i == 2, i == 3);
        above.rows[i] = below.rows[i] = power.rows[i];
    }
    for (int k = 1; k <= 6; k++) {
        power = product(power, a);
        for (int i = 0; i < 4; i++) {
            above.rows[i] += pade[k] * power.rows[i];
            below.rows[i] += (k & 1 ? -pade[k] : pade[k]) * power.rows[i];
        }
    }
    matrix_t result = quotient(below, above);
    for (; squarings > 0; squarings--) result = product(result, result);
    shares[id] = result;
}

/* Each item solves a row of a level: all unknowns that it needs are of earlier levels. The last value of a row belongs to its own
 * unknown. */
__kernel void level_solve(__global const int *order, const int first, const int count, __global const int *starts,
                          __global const int *columns, __global const double *values, __global const double *right,
                          __global double *unknowns)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int row = order[first + id], last = starts[row + 1] - 1;
    double sum = right[row];
    for (int i = starts[row]; i < last; i++) sum -= values[i] * unknowns[columns[i]];
    unknowns[row] = sum / values[last];
}
