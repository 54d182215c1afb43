/* Models: attention within shifted windows, the loss of a recognizer of speech, a product by weights half of which are zero. */

#define SIDE 7 /* tokens of a window, along either side */
#define TOKENS (SIDE * SIDE)
#define HEAD 32 /* numbers of a head */
#define QUADS (HEAD / 4)
#define WINDOW_ITEMS 64
#define SHIFT 3

/* Before the last window, or in its part that was there or in the one that the shift brought from the other end. */
int window_part(const int at, const int side) { return at < side - SIDE ? 0 : at < side - SHIFT ? 1 : 2; }

/* Attention within windows of 7 x 7 tokens of a picture that is shifted around its border. Scores get a bias by how far tokens
 * are from each other; those that only the shift brought together do not see each other. A work-group has a head of a window, an
 * item one of its tokens. Each token has its queries, keys and values of all heads one after another. */
__kernel __attribute__((reqd_work_group_size(WINDOW_ITEMS, 1, 1)))
void window_attention(__global const float4 *tokens, __global const float *biases, const int side, const float scale,
                      __global float4 *out)
{
    __local float4 keys[TOKENS][QUADS], values[TOKENS][QUADS];
    __local int parts[TOKENS];

    const int lid = get_local_id(0), head = get_group_id(1), heads = get_num_groups(1);
    const int windows = side / SIDE, left = get_group_id(0) % windows * SIDE, top = get_group_id(0) / windows * SIDE;
    for (int i = lid; i < TOKENS * QUADS; i += WINDOW_ITEMS) {
        const int token = i / QUADS, quad = i % QUADS;
        const int x = (left + token % SIDE + SHIFT) % side, y = (top + token / SIDE + SHIFT) % side;
        __global const float4 *from = tokens + ((y * side + x) * 3 * heads + head) * QUADS + quad;
        keys[token][quad] = from[heads * QUADS];
        values[token][quad] = from[2 * heads * QUADS];
    }
    if (lid < TOKENS) parts[lid] = window_part(top + lid / SIDE, side) * 3 + window_part(left + lid % SIDE, side);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= TOKENS) return;

    const int column = lid % SIDE, row = lid / SIDE;
    const int x = (left + column + SHIFT) % side, y = (top + row + SHIFT) % side, pixel = y * side + x;
    float4 query[QUADS], sum[QUADS];
    for (int i = 0; i < QUADS; i++) {
        query[i] = tokens[(pixel * 3 * heads + head) * QUADS + i] * scale;
        sum[i] = (float4)(0.0f);
    }
    float scores[TOKENS], highest = -INFINITY;
    for (int token = 0; token < TOKENS; token++) {
        float4 products = (float4)(0.0f);
        for (int i = 0; i < QUADS; i++) products += query[i] * keys[token][i];
        const int apart = (row - token / SIDE + SIDE - 1) * (2 * SIDE - 1) + column - token % SIDE + SIDE - 1;
        float score = products.x + products.y + products.z + products.w + biases[apart * heads + head];
        if (parts[token] != parts[lid]) score = -INFINITY;
        scores[token] = score;
        highest = fmax(highest, score);
    }
    float total = 0.0f;
    for (int token = 0; token < TOKENS; token++) {
        const float weight = exp(scores[token] - highest);
        total += weight;
        for (int i = 0; i < QUADS; i++) sum[i] += weight * values[token][i];
    }
    for (int i = 0; i < QUADS; i++) out[(pixel * heads + head) * QUADS + i] = sum[i] / total;
}

#define CLASSES 80 /* the first of which is a blank */
#define FRAME_ITEMS 32
#define STATES 128

/* For each frame the logarithm of the sum of its classes' exponentials. A work-group has a frame. */
__kernel __attribute__((reqd_work_group_size(FRAME_ITEMS, 1, 1)))
void frame_totals(__global const float *logits, __global float *totals)
{
    __local float shared[FRAME_ITEMS];

    const int lid = get_local_id(0), frame = get_group_id(0);
    __global const float *row = logits + frame * CLASSES;
    float highest = -INFINITY;
    for (int i = lid; i < CLASSES; i += FRAME_ITEMS) highest = fmax(highest, row[i]);
    shared[lid] = highest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = FRAME_ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) shared[lid] = fmax(shared[lid], shared[lid + step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    highest = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int i = lid; i < CLASSES; i += FRAME_ITEMS) sum += exp(row[i] - highest);
    shared[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = FRAME_ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) shared[lid] += shared[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) totals[frame] = highest + log(shared[0]);
}

/* What the sum of the exponentials of three numbers is the exponential of. */
float log_sum(const float a, const float b, const float c)
{
    const float highest = fmax(a, fmax(b, c));
    if (highest == -INFINITY) return highest;
    return highest + log(exp(a - highest) + exp(b - highest) + exp(c - highest));
}

/* The loss of connectionist temporal classification: how unlikely it is that frames give labels, each of which lasts for some
 * frames and between which there may be blanks. A work-group has a sequence, an item a state: a label or a blank beside it. */
__kernel __attribute__((reqd_work_group_size(STATES, 1, 1)))
void ctc_forward(__global const float *logits, __global const float *totals, const int most_frames, __global const int *frames,
                 __global const int *labels, const int most_labels, __global const int *lengths, __global float *losses)
{
    __local float alphas[2][STATES + 2];

    const int state = get_local_id(0), sequence = get_group_id(0), count = frames[sequence];
    const int states = 2 * lengths[sequence] + 1;
    __global const float *rows = logits + sequence * most_frames * CLASSES;
    __global const float *own_totals = totals + sequence * most_frames;
    __global const int *own_labels = labels + sequence * most_labels;

    int class = 0;
    bool skips = false;
    if (state < states && (state & 1)) {
        class = own_labels[state / 2];
        skips = state > 1 && class != own_labels[state / 2 - 1];
    }
    if (state < 2) alphas[0][state] = alphas[1][state] = -INFINITY;
    alphas[0][state + 2] = state < 2 && state < states ? rows[class] - own_totals[0] : -INFINITY;
    barrier(CLK_LOCAL_MEM_FENCE);

    int from = 0;
    for (int t = 1; t < count; t++) {
        float alpha = -INFINITY;
        if (state < states) {
            alpha = log_sum(alphas[from][state + 2], alphas[from][state + 1], skips ? alphas[from][state] : -INFINITY);
            alpha += rows[t * CLASSES + class] - own_totals[t];
        }
        alphas[1 - from][state + 2] = alpha;
        barrier(CLK_LOCAL_MEM_FENCE);
        from = 1 - from;
    }
    if (state == 0) losses[sequence] = -log_sum(alphas[from][states + 1], alphas[from][states], -INFINITY);
}

#define COLUMNS 96 /* of the activations */
#define COLUMN_QUADS (COLUMNS / 4)
#define ROWS_EACH 2

/* Weights of which two of each four in a row are not zero, by activations: a word has the places of those of eight fours, two
 * bits for each, and the weights themselves are in half precision. An item has four columns of two rows of the result, to which a
 * bias is added; what is below zero is cut. */
__kernel void sparse_product(__global const half *weights, __global const uint *places, __global const float4 *in,
                             __global const float *bias, const int rows, const int inner, __global float4 *out)
{
    const int quad = get_global_id(0), first = get_global_id(1) * ROWS_EACH;
    if (quad >= COLUMN_QUADS || first >= rows) return;
    float4 sums[ROWS_EACH];
    for (int r = 0; r < ROWS_EACH; r++) sums[r] = (float4)(bias[min(first + r, rows - 1)]);
    for (int word = 0; word < inner / 32; word++) {
        for (int r = 0; r < ROWS_EACH; r++) {
            const int row = min(first + r, rows - 1);
            uint bits = places[row * (inner / 32) + word];
            for (int four = word * 8; four < word * 8 + 8; four++, bits >>= 4) {
                const float2 pair = vload_half2(row * (inner / 4) + four, weights);
                sums[r] += pair.x * in[(four * 4 + (bits & 3)) * COLUMN_QUADS + quad];
                sums[r] += pair.y * in[(four * 4 + (bits >> 2 & 3)) * COLUMN_QUADS + quad];
            }
        }
    }
    for (int r = 0; r < ROWS_EACH && first + r < rows; r++) out[(first + r) * COLUMN_QUADS + quad] = fmax(sums[r], 0.0f);
}
