/* Small arrays of an item's own, indexed by counters of loops. */

/* Rotations of a symmetric matrix: a loop that begins where another one stands, and a test that nearly all items pass. */
kernel void rotations(global const float *in, int count, global float *out)
{
    int i = get_global_id(0);
    if (i >= count) return;
    float m[3][3];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) m[k][l] = in[(k * 3 + l) * count + i];
    for (int sweep = 0; sweep < 20; sweep++) {
        if (m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2] < 1e-9f) break;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (m[p][q] == 0.0f) continue;
                float theta = (m[q][q] - m[p][p]) / (2.0f * m[p][q]);
                float t = copysign(1.0f, theta) / (fabs(theta) + sqrt(theta * theta + 1.0f));
                float c = 1.0f / sqrt(t * t + 1.0f), s = t * c;
                for (int k = 0; k < 3; k++) {
                    float kp = m[k][p], kq = m[k][q];
                    m[k][p] = c * kp - s * kq;
                    m[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; k++) {
                    float pk = m[p][k], qk = m[q][k];
                    m[p][k] = c * pk - s * qk;
                    m[q][k] = s * pk + c * qk;
                }
            }
        }
    }
    for (int k = 0; k < 3; k++) out[k * count + i] = m[k][k];
}

constant int next[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};

/* A permutation by way of a table, of more places than loops are written out for otherwise. */
kernel void permutation(global const uint *in, int rounds, global uint *out)
{
    int i = get_global_id(0);
    uint lanes[25];
    for (int k = 0; k < 25; k++) lanes[k] = in[25 * i + k];
    for (int round = 0; round < rounds; round++) {
        uint moving = lanes[1];
        for (int k = 0; k < 24; k++) {
            uint kept = lanes[next[k]];
            lanes[next[k]] = moving << 3 | moving >> 29;
            moving = kept;
        }
        for (int k = 0; k < 25; k++) lanes[k] += round;
    }
    for (int k = 0; k < 25; k++) out[25 * i + k] = lanes[k];
}

/* What the program says of its loops holds: they stay. */
kernel void kept(global const float *in, int count, global float *out)
{
    int i = get_global_id(0);
    float own[4];
#pragma unroll 1
    for (int k = 0; k < 4; k++) own[k] = in[k * count + i];
    out[i] = own[0] + own[3];
}
