/* Learning: the way back through a normal layer, a convolution in groups of channels, a cell with a long and a short memory. */

#define ITEMS 128 /* of a row */
#define COLUMNS 32
#define SLICES 8

/* What a row's inputs had to do with the loss, a group a row: for y = gamma xhat + beta with xhat = (x - mean) scale. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void norm_back_rows(__global const float *x, __global const float *dy, __global const float *gamma, __global const float *means,
                    __global const float *scales, const int width, __global float *dx)
{
    __local float2 sums[ITEMS];

    const int lid = get_local_id(0), row = get_group_id(0);
    const float mean = means[row], scale = scales[row];
    x += (size_t)row * width;
    dy += (size_t)row * width;
    dx += (size_t)row * width;

    float2 sum = (float2)(0.0f);
    for (int i = lid; i < width; i += ITEMS) {
        const float turned = dy[i] * gamma[i];
        sum.x += turned;
        sum.y += turned * (x[i] - mean) * scale;
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = ITEMS / 2; half_way > 0; half_way /= 2) {
        if (lid < half_way) sums[lid] += sums[lid + half_way];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const float2 share = sums[0] / width;
    for (int i = lid; i < width; i += ITEMS) {
        const float normal = (x[i] - mean) * scale;
        dx[i] = scale * (dy[i] * gamma[i] - share.x - normal * share.y);
    }
}

/* The same for gamma and beta: a group has COLUMNS columns, of which SLICES items each share the rows. */
__kernel __attribute__((reqd_work_group_size(COLUMNS, SLICES, 1)))
void norm_back_columns(__global const float *x, __global const float *dy, __global const float *means,
                       __global const float *scales, const int rows, const int width, __global float *dgamma,
                       __global float *dbeta)
{
    __local float part_gamma[SLICES][COLUMNS + 1], part_beta[SLICES][COLUMNS + 1];

    const int lx = get_local_id(0), ly = get_local_id(1), column = get_global_id(0);
    float to_gamma = 0.0f, to_beta = 0.0f;
    if (column < width) {
        for (int row = ly; row < rows; row += SLICES) {
            const size_t at = (size_t)row * width + column;
            to_gamma += dy[at] * (x[at] - means[row]) * scales[row];
            to_beta += dy[at];
        }
    }
    part_gamma[ly][lx] = to_gamma;
    part_beta[ly][lx] = to_beta;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (ly == 0 && column < width) {
        for (int slice = 1; slice < SLICES; slice++) {
            to_gamma += part_gamma[slice][lx];
            to_beta += part_beta[slice][lx];
        }
        dgamma[column] = to_gamma;
        dbeta[column] = to_beta;
    }
}

#define KERNEL 3

/* A convolution of 3 x 3 with steps of two pixels, where an output hears only the channels of its group. The range's third
 * dimension has the outputs of one picture after the other. */
__kernel void group_convolution(__global const float *in, __global const float *filters, __global const float *bias,
                                const int side, const int channels, const int outputs, const int groups, const int new_side,
                                __global float *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int picture = get_global_id(2) / outputs, output = get_global_id(2) % outputs;
    if (x >= new_side || y >= new_side) return;

    const int per_group = channels / groups;
    const int group = output / (outputs / groups);
    __global const float *plane = in + ((size_t)picture * channels + group * per_group) * side * side;
    __global const float *filter = filters + output * per_group * KERNEL * KERNEL;

    float sum = bias[output];
    for (int c = 0; c < per_group; c++) {
        for (int j = 0; j < KERNEL; j++) {
            const int from_y = 2 * y + j - 1;
            if (from_y < 0 || from_y >= side) continue;
            for (int i = 0; i < KERNEL; i++) {
                const int from_x = 2 * x + i - 1;
                if (from_x < 0 || from_x >= side) continue;
                sum += plane[from_y * side + from_x] * filter[j * KERNEL + i];
            }
        }
        plane += side * side;
        filter += KERNEL * KERNEL;
    }
    out[(get_global_id(2) * (size_t)new_side + y) * new_side + x] = sum / (1.0f + exp(-sum));
}

inline float sigmoid(const float x)
{
    return 1.0f / (1.0f + exp(-x));
}

/* A row of a gate's weights by the input and by what the cells said last, four numbers at a time. */
inline float gate_sum(__global const float4 *weights, __global const float4 *input, const int inputs, __global const float4 *said,
                      const int cells)
{
    float4 sum = (float4)(0.0f);
    for (int i = 0; i < inputs / 4; i++) sum += weights[i] * input[i];
    weights += inputs / 4;
    for (int i = 0; i < cells / 4; i++) sum += weights[i] * said[i];
    return sum.x + sum.y + sum.z + sum.w;
}

/* One step of an LSTM: an item has a cell of a sequence, and all its four gates: in, forget, candidate, out. A sequence that has
 * ended keeps what it has. */
__kernel void lstm_cell(__global const float4 *input, __global const float4 *weights, __global const float *bias,
                        const int sequences, const int inputs, const int cells, const int step, __global const int *lengths,
                        __global const float *said, __global float *says, __global float *memory)
{
    const int cell = get_global_id(0), sequence = get_global_id(1);
    if (cell >= cells || sequence >= sequences) return;
    const int at = sequence * cells + cell;
    if (step >= lengths[sequence]) {
        says[at] = said[at];
        return;
    }

    __global const float4 *now = input + ((size_t)step * sequences + sequence) * (inputs / 4);
    __global const float4 *before = (__global const float4 *)said + sequence * (cells / 4);
    const int row = (inputs + cells) / 4;
    float gate[4];
    for (int g = 0; g < 4; g++) {
        const int which = g * cells + cell;
        gate[g] = bias[which] + gate_sum(weights + (size_t)which * row, now, inputs, before, cells);
    }
    const float kept = sigmoid(gate[1]) * memory[at] + sigmoid(gate[0]) * tanh(gate[2]);
    memory[at] = kept;
    says[at] = sigmoid(gate[3]) * tanh(kept);
}
