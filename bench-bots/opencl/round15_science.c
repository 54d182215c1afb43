/* Science. Sizes are qubits, pairs of oscillators, atoms. */
#include "workloads.h"

#include <complex.h>

enum { TILE_QUBITS = 8, LAYERS = 3, PARTS = 16, MEASURERS = 128, MOST_QUBITS = 24 };

/* A gate on one qubit: any turn of its state. */
static void make_gate(double *gate, uint32_t *state) {
    double angle = 6.28 * (double)random_unit(state), one = 6.28 * (double)random_unit(state);
    double other = 6.28 * (double)random_unit(state);
    gate[0] = cos(angle) * cos(one), gate[1] = cos(angle) * sin(one);
    gate[2] = sin(angle) * cos(other), gate[3] = sin(angle) * sin(other);
    gate[4] = -gate[2], gate[5] = gate[3], gate[6] = gate[0], gate[7] = -gate[1];
}

/* In each layer a gate on each qubit and one on each pair of neighbours, whose states are mixed. */
static void qubit_gates_prepare(struct clbench *b) {
    make(b, 0, sizeof(cl_double2) << b->size);
    double *gates = make(b, 1, LAYERS * MOST_QUBITS * 4 * sizeof(cl_double2));
    double *matrices = make(b, 2, LAYERS * MOST_QUBITS * 16 * sizeof(cl_double2));
    uint32_t state = 1789;
    for (int i = 0; i < LAYERS * MOST_QUBITS; i++) {
        double *matrix = matrices + 32 * i, angle = 6.28 * (double)random_unit(&state), phase = (double)random_unit(&state);
        make_gate(gates + 8 * i, &state);
        matrix[0] = 1.0, matrix[30] = cos(phase), matrix[31] = -sin(phase);
        matrix[10] = matrix[20] = cos(angle), matrix[13] = matrix[19] = -sin(angle);
    }
    make(b, 3, (size_t)(b->size * PARTS) * sizeof(double));
    up(b, 1), up(b, 2);
}

/* The three qubits that a layer's last gate is about, and its angle. */
static cl_uint layer_qubits(long qubits, int layer) {
    return 1u << layer | 1u << (qubits / 2 + layer) | 1u << (qubits - 1 - layer % 2);
}
static double layer_angle(int layer) { return 0.7 + layer; }

static void qubit_gates_once(struct clbench *b) {
    cl_uint qubits = (cl_uint)b->size, states = 1u << qubits;
    launch(b, "start_state", RANGE1(states, 64), B(0));
    for (int layer = 0; layer < LAYERS; layer++) {
        const cl_double4 *gates = (const cl_double4 *)b->buffer[1].host + layer * MOST_QUBITS * 2;
        cl_int first_gate = layer * MOST_QUBITS;
        cl_uint turned = layer_qubits(qubits, layer);
        cl_double2 turn = {{cos(layer_angle(layer)), sin(layer_angle(layer))}};
        launch(b, "low_qubits", RANGE1(states / 2, 128), B(0), B(1), V(first_gate));
        for (cl_uint qubit = TILE_QUBITS; qubit < qubits; qubit++) {
            launch(b, "one_qubit", RANGE1(states / 2, 64), B(0), V(qubit), V(gates[2 * qubit]), V(gates[2 * qubit + 1]));
        }
        for (cl_uint first = (cl_uint)layer % 2; first + 1 < qubits; first += 2) {
            cl_uint second = first + 1;
            cl_int which = first_gate + (cl_int)first;
            launch(b, "two_qubits", RANGE1(states / 4, 64), B(0), V(first), V(second), B(2), V(which));
        }
        launch(b, "turn_phase", RANGE1(states, 64), B(0), V(turned), V(turn));
    }
    launch(b, "chances_of_one", RANGE2(PARTS * MEASURERS, qubits, MEASURERS, 1), B(0), V(states), B(3));
}

/* A gate on `count` neighbouring qubits, by rows: each new amplitude is of old ones. */
static void apply_gate(const double complex *from, double complex *to, long states, int qubit, int count, const double *matrix) {
    long side = 1L << count;
    for (long i = 0; i < states; i++) {
        long row = i >> qubit & (side - 1), base = i - (row << qubit);
        to[i] = 0.0;
        for (long k = 0; k < side; k++) {
            const double *cell = matrix + 2 * (row * side + k);
            to[i] += CMPLX(cell[0], cell[1]) * from[base + (k << qubit)];
        }
    }
}

static int qubit_gates_check(struct clbench *b) {
    const double *gates = b->buffer[1].host, *matrices = b->buffer[2].host, *got = b->buffer[0].host, *parts = b->buffer[3].host;
    long states = 1L << b->size;
    int qubits = (int)b->size, ok = 1;
    double complex *now = calloc((size_t)states * 2, sizeof *now), *next = now + states, *swap;
    double *chances = calloc((size_t)qubits, sizeof *chances), all = 0.0;
    down(b, 0), down(b, 3);
    now[0] = 1.0;
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int qubit = 0; qubit < qubits; qubit++) {
            apply_gate(now, next, states, qubit, 1, gates + (layer * MOST_QUBITS + qubit) * 8);
            swap = now, now = next, next = swap;
        }
        for (int qubit = layer % 2; qubit + 1 < qubits; qubit += 2) {
            apply_gate(now, next, states, qubit, 2, matrices + (layer * MOST_QUBITS + qubit) * 32);
            swap = now, now = next, next = swap;
        }
        for (long i = 0; i < states; i++) {
            int is_turned = ((cl_uint)i & layer_qubits(qubits, layer)) == layer_qubits(qubits, layer);
            now[i] *= is_turned ? CMPLX(cos(layer_angle(layer)), sin(layer_angle(layer))) : 1.0;
        }
    }
    double size = ldexp(1.0, qubits / 2);
    for (long i = 0; ok && i < states; i++) {
        double chance = creal(now[i] * conj(now[i]));
        ok = near("real part", i, got[2 * i] * size, creal(now[i]) * size, 1e-10);
        ok = ok && near("other part", i, got[2 * i + 1] * size, cimag(now[i]) * size, 1e-10);
        for (int qubit = 0; qubit < qubits; qubit++) {
            chances[qubit] += i >> qubit & 1 ? chance : 0.0;
        }
        all += chance;
    }
    for (int qubit = 0; ok && qubit < qubits; qubit++) {
        double sum = 0.0;
        for (int i = 0; i < PARTS; i++) {
            sum += parts[qubit * PARTS + i];
        }
        ok = near("chance", qubit, sum, chances[qubit], 1e-10);
    }
    free(now < next ? now : next), free(chances);
    return ok && near("chance of anything", 0, all, 1.0, 1e-10);
}

enum { MOST_STEPS = 5000, CHECKED = 400, FINE_STEPS = 1500 };

static const cl_double oscillator_end = 12.0, step_tolerance = 1e-7;

static void dormand_prince_prepare(struct clbench *b) {
    cl_double4 *kinds = make(b, 0, (size_t)b->size * sizeof *kinds), *starts = make(b, 1, (size_t)b->size * sizeof *starts);
    uint32_t state = 1801;
    for (long i = 0; i < b->size; i++) {
        double one = (double)random_unit(&state), other = (double)random_unit(&state);
        kinds[i] = (cl_double4){{0.2 + 6.0 * one * one, 0.2 + 6.0 * other * other, 0.3 * (double)random_unit(&state), 0.0}};
        for (int k = 0; k < 4; k++) {
            starts[i].s[k] = 4.0 * (double)random_unit(&state) - 2.0;
        }
    }
    make(b, 2, (size_t)b->size * sizeof(cl_double4)), make(b, 3, (size_t)b->size * sizeof(cl_int4));
    up(b, 0), up(b, 1);
}

static void dormand_prince_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, most = MOST_STEPS;
    launch(b, "dormand_prince", RANGE1(round_up(count, 64), 64), B(0), B(1), V(count), V(oscillator_end), V(step_tolerance),
           V(most), B(2), B(3));
}

static void oscillator_slope(const cl_double4 *kind, const double *now, double *slope) {
    for (int i = 0; i < 2; i++) {
        double place = now[2 * i], speed = now[2 * i + 1];
        slope[2 * i] = speed;
        slope[2 * i + 1] = kind->s[i] * (1.0 - place * place) * speed - place + kind->s[2] * (now[2 - 2 * i] - place);
    }
}

/* Runge's and Kutta's method of fourth order, with short steps of one length; gives how often the first place rises above 0. */
static int fine_steps(const cl_double4 *kind, double *now) {
    static const double ahead[4] = {0.0, 0.5, 0.5, 1.0}, shares[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double step = 1.0 / FINE_STEPS;
    int rises = 0;
    for (int i = 0; i < 12 * FINE_STEPS; i++) {
        double next[4], at[4], slope[4] = {0.0};
        memcpy(next, now, sizeof next);
        for (int stage = 0; stage < 4; stage++) {
            for (int k = 0; k < 4; k++) {
                at[k] = now[k] + ahead[stage] * step * slope[k];
            }
            oscillator_slope(kind, at, slope);
            for (int k = 0; k < 4; k++) {
                next[k] += shares[stage] * step * slope[k];
            }
        }
        rises += now[0] < 0.0 && next[0] >= 0.0;
        memcpy(now, next, sizeof next);
    }
    return rises;
}

static int dormand_prince_check(struct clbench *b) {
    const cl_double4 *kinds = b->buffer[0].host, *starts = b->buffer[1].host, *got = b->buffer[2].host;
    const cl_int4 *counts = b->buffer[3].host;
    int ok = 1, fewest = MOST_STEPS, most = 0;
    down(b, 2), down(b, 3);
    for (long i = 0; ok && i < b->size; i += b->size / CHECKED + 1) {
        double now[4];
        memcpy(now, starts[i].s, sizeof now);
        int rises = fine_steps(kinds + i, now), taken = counts[i].s[0];
        for (int k = 0; ok && k < 4; k++) {
            ok = near("place or speed", 4 * i + k, got[i].s[k], now[k], 1e-4);
        }
        ok = ok && (fabs(now[0]) < 1e-3 || same("rises", i, counts[i].s[2], rises));
        fewest = taken < fewest ? taken : fewest, most = taken > most ? taken : most;
    }
    return ok && same("all come to the end", 0, most < MOST_STEPS / 2, 1) && same("steps differ", 0, most > fewest * 3 / 2, 1);
}

enum { SPHERE = 100, TOUCHERS = 64 };

static const float water = 1.4f, cell_side = 6.6f, atom_distance = 2.2f;

/* Cells of the grid along a side, and atoms along a side of the lattice that they are near to. */
static int grid_side(const struct clbench *b) {
    return (int)ceil(cbrt((double)b->size) * (double)atom_distance / (double)cell_side) + 1;
}

static void shrake_rupley_prepare(struct clbench *b) {
    long side = (long)ceil(cbrt((double)b->size)), cells = (long)grid_side(b) * grid_side(b) * grid_side(b);
    float *atoms = make(b, 0, (size_t)b->size * sizeof(cl_float4)), *sphere = make(b, 1, SPHERE * sizeof(cl_float4));
    uint32_t state = 1811;
    for (long i = 0; i < b->size; i++) {
        long place[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++) {
            atoms[4 * i + k] = ((float)place[k] + random_unit(&state)) * atom_distance;
        }
        atoms[4 * i + 3] = 1.5f + 0.4f * random_unit(&state) + water;
    }
    for (int i = 0; i < SPHERE; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / SPHERE, angle = 2.399963229728653 * i;
        sphere[4 * i] = (float)(sqrt(1.0 - z * z) * cos(angle)), sphere[4 * i + 1] = (float)(sqrt(1.0 - z * z) * sin(angle));
        sphere[4 * i + 2] = (float)z;
    }
    make(b, 2, (size_t)cells * sizeof(cl_int)), make(b, 3, (size_t)(cells + 1) * sizeof(cl_int));
    make(b, 4, (size_t)b->size * sizeof(cl_int)), make(b, 5, (size_t)b->size * sizeof(cl_float4));
    make(b, 6, (size_t)b->size * sizeof(cl_int)), make(b, 7, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1);
}

static void shrake_rupley_once(struct clbench *b) {
    cl_int count = (cl_int)b->size, side = grid_side(b), cells = side * side * side;
    cl_float by = 1.0f / cell_side;
    struct range range = RANGE1(round_up(count, 64), 64);
    launch(b, "clear_cells", RANGE1(round_up(cells, 64), 64), B(2), V(cells));
    launch(b, "count_atoms", range, B(0), V(count), V(by), V(side), B(2), B(4));
    launch(b, "place_cells", RANGE1(256, 256), B(2), V(cells), B(3));
    launch(b, "sort_atoms", range, B(0), V(count), V(by), V(side), B(3), B(4), B(5), B(6));
    launch(b, "bare_points", RANGE1((size_t)count * TOUCHERS, TOUCHERS), B(5), B(6), B(3), V(by), V(side), B(1), B(7));
}

/* How many points of an atom's sphere are surely bare, and how many might be but for rounding. */
static void count_bare(const struct clbench *b, long atom, int *surely, int *maybe) {
    const float *atoms = b->buffer[0].host, *sphere = b->buffer[1].host, *own = atoms + 4 * atom;
    double least[SPHERE];
    for (int i = 0; i < SPHERE; i++) {
        least[i] = 1.0;
    }
    for (long other = 0; other < b->size; other++) {
        double apart[3], square = 0.0, reach = (double)own[3] + (double)atoms[4 * other + 3];
        for (int k = 0; k < 3; k++) {
            apart[k] = (double)atoms[4 * other + k] - (double)own[k];
            square += apart[k] * apart[k];
        }
        for (int i = 0; i < SPHERE && other != atom && square < reach * reach; i++) {
            double off = -(double)atoms[4 * other + 3] * (double)atoms[4 * other + 3];
            for (int k = 0; k < 3; k++) {
                double axis = (double)sphere[4 * i + k] * (double)own[3] - apart[k];
                off += axis * axis;
            }
            least[i] = fmin(least[i], off);
        }
    }
    *surely = *maybe = 0;
    for (int i = 0; i < SPHERE; i++) {
        *surely += least[i] > 1e-4, *maybe += least[i] > -1e-4;
    }
}

static int shrake_rupley_check(struct clbench *b) {
    const float *atoms = b->buffer[0].host, *got = b->buffer[7].host;
    long bare = 0, checked = 0;
    int ok = 1;
    down(b, 7);
    for (long i = 0; ok && i < b->size; i += b->size / 1500 + 1) {
        double radius = (double)atoms[4 * i + 3];
        int surely, maybe, points = (int)lrint((double)got[i] / (4.0 * 3.14159265358979 * radius * radius) * SPHERE);
        count_bare(b, i, &surely, &maybe);
        ok = same("points are as many as are bare", i, points >= surely && points <= maybe, 1) &&
             near("area", i, got[i], 4.0 * 3.14159265358979 * radius * radius * points / SPHERE, 1e-5);
        bare += points, checked++;
    }
    return ok && same("some are bare", 0, bare > checked / 20 && bare < checked * 80, 1);
}

const struct workload round15_science_workloads[] = {
    WORKLOAD(round15_science, qubit_gates, 9, 15, 18, 21),
    WORKLOAD(round15_science, dormand_prince, 33, 301, 3001, 30011),
    WORKLOAD(round15_science, shrake_rupley, 203, 1507, 12007, 100003),
    END_OF_WORKLOADS,
};
