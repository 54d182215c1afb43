/* Data: which peptide a spectrum is of, how far two sequences are alike, series of numbers in few bits. */

#define SCORERS 64
#define LETTERS 16 /* places for a peptide's letters */
#define BINS 2048
#define PROTON 101 /* masses are in hundredths */

/* The masses of amino acids, by their letters; 0 is none. */
__constant ushort masses[26] = {7104,  0,     10301, 11503, 12904, 14707, 5702, 13706, 11308, 0,     12809, 11308, 13104,
                                11404, 0,     9705,  12806, 15610, 8703,  10105, 0,    9907,  18608, 0,     16306, 0};

typedef struct {
    int mass; /* of the whole peptide */
    int first_peak, peaks;
} spectrum_t;

typedef struct {
    ushort bin, height;
} peak_t;

/* The first of the peptides, which are in the order of their masses, that is not less. */
int first_not_below(__global const int *peptide_masses, const int count, const int mass)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) >> 1;
        if (peptide_masses[middle] < mass) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* How well a peptide's parts from both of its ends explain what is seen: their heights, times how many are seen. */
int score_of(__global const char *letters, const int mass, __local const ushort *heights)
{
    int sum = 0, seen = 0;
    int part = 0;
    for (int i = 0; i < LETTERS - 1 && letters[i + 1] != 0; i++) {
        part += masses[letters[i] - 'A'];
        const int from_left = (part + PROTON) / 100, from_right = (mass - part + PROTON) / 100;
        if (from_left < BINS && heights[from_left] > 0) {
            sum += heights[from_left];
            seen++;
        }
        if (from_right < BINS && heights[from_right] > 0) {
            sum += heights[from_right];
            seen++;
        }
    }
    return sum * seen;
}

/* A work-group compares a spectrum with all peptides of about its mass, and keeps the best one, of equals the first. */
__kernel __attribute__((reqd_work_group_size(SCORERS, 1, 1)))
void peptide_scores(__global const spectrum_t *spectra, __global const peak_t *peaks, __global const int *peptide_masses,
                    __global const char *peptides, const int count, const int tolerance, __global int2 *best)
{
    __local ushort heights[BINS];
    __local int2 parts[SCORERS];
    __local int begin, end;

    const int lid = get_local_id(0);
    const spectrum_t spectrum = spectra[get_group_id(0)];
    for (int i = lid; i < BINS; i += SCORERS) heights[i] = 0;
    if (lid == 0) begin = first_not_below(peptide_masses, count, spectrum.mass - tolerance);
    if (lid == 1) end = first_not_below(peptide_masses, count, spectrum.mass + tolerance + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < spectrum.peaks; i += SCORERS) {
        const peak_t peak = peaks[spectrum.first_peak + i];
        if (peak.bin < BINS) heights[peak.bin] = peak.height;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int2 own = (int2)(0, -1);
    for (int i = begin + lid; i < end; i += SCORERS) {
        const int score = score_of(peptides + i * LETTERS, peptide_masses[i], heights);
        if (score > own.x) own = (int2)(score, i);
    }
    parts[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = SCORERS / 2; step > 0; step /= 2) {
        if (lid < step) {
            const int2 other = parts[lid + step];
            own = parts[lid];
            if (other.x > own.x || (other.x == own.x && other.x > 0 && other.y < own.y)) parts[lid] = other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) best[get_group_id(0)] = parts[0];
}

#define BAND 31
#define MIDDLE (BAND / 2)
#define KINDS 20
#define NONE (-10000)

/* Each item lines up two sequences from where they were found to be alike, in a band of diagonals, until the score has fallen too
 * much everywhere: the best score and where it ends. */
__kernel void xdrop_extend(__global const char *sequences, __global const int4 *pairs, const int count, __constant char *matrix,
                           const int open, const int longer, const int drop, __global int4 *results)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int4 pair = pairs[id]; /* where both begin, and how long they are */
    __global const char *left = sequences + pair.x, *right = sequences + pair.y;
    short scores[BAND + 1], gaps[BAND + 1];
    for (int k = 0; k <= BAND; k++) scores[k] = gaps[k] = NONE;
    scores[MIDDLE] = 0;
    int best = 0, best_left = 0, best_right = 0, rows = 0;
    for (int i = 0; i < pair.z; i++) {
        __constant char *line = matrix + left[i] * KINDS;
        int across = NONE, before = NONE;
        bool is_any = false;
        for (int k = 0; k < BAND; k++) {
            const int at = i + k - MIDDLE;
            if (at < 0 || at >= pair.w) {
                scores[k] = gaps[k] = before = NONE;
                continue;
            }
            gaps[k] = max(scores[k + 1] - open, gaps[k + 1] - longer);
            across = max(before - open, across - longer);
            int score = max(scores[k] + line[right[at]], max((int)gaps[k], across));
            if (score < best - drop) score = NONE;
            else is_any = true;
            if (score > best) {
                best = score;
                best_left = i + 1;
                best_right = at + 1;
            }
            scores[k] = before = score;
        }
        rows = i + 1;
        if (!is_any) break;
    }
    results[id] = (int4)(best, best_left, best_right, rows);
}

typedef struct {
    __global const uint *words;
    long place; /* of the next bit */
} reader_t;

ulong take_bits(reader_t *reader, const int count)
{
    ulong bits = 0;
    for (int left = count; left > 0;) {
        const int used = reader->place & 31, part = min(left, 32 - used);
        const uint word = reader->words[reader->place >> 5] << used >> (32 - part);
        bits = bits << part | word;
        reader->place += part;
        left -= part;
    }
    return bits;
}

/* How much longer than the last time the time until the next value is: the smaller, the fewer bits. */
long take_change(reader_t *reader)
{
    const int sizes[4] = {7, 9, 12, 32};
    int kind = 0;
    while (kind < 4 && take_bits(reader, 1)) kind++;
    if (kind == 0) return 0;
    const int size = sizes[kind - 1];
    return (long)(take_bits(reader, size) << (64 - size)) >> (64 - size);
}

/* Each item reads a block of moments and values. Of a value those bits are there that differ from the last one's, and now and then
 * where they are; of a block also the least and the highest value are kept. */
__kernel void gorilla_blocks(__global const uint *words, __global const long *starts, const int blocks, const int length,
                             __global long *moments, __global double *values, __global double2 *extremes)
{
    const int id = get_global_id(0);
    if (id >= blocks) return;
    reader_t reader = {words, starts[id]};
    long moment = take_bits(&reader, 64), between = 0;
    ulong bits = take_bits(&reader, 64);
    int zeros = 0, size = 64;
    double2 extreme = (double2)(as_double(bits));
    for (int i = 0; i < length; i++) {
        if (i > 0) {
            between += take_change(&reader);
            moment += between;
            if (take_bits(&reader, 1)) {
                if (take_bits(&reader, 1)) {
                    zeros = take_bits(&reader, 5);
                    size = take_bits(&reader, 6) + 1;
                }
                bits ^= take_bits(&reader, size) << (64 - zeros - size);
            }
        }
        const double value = as_double(bits);
        extreme = (double2)(fmin(extreme.x, value), fmax(extreme.y, value));
        moments[id * length + i] = moment;
        values[id * length + i] = value;
    }
    extremes[id] = extreme;
}
