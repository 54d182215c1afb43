/* Molecules. Sizes are poses, molecules of water, pairs of a read and a haplotype, fingerprints. */
#include "workloads.h"

enum { ATOMS = 29, TORSIONS = 5, MAPS = 6, SIDE = 33 };

struct pose {
    cl_float4 turn, place;
    cl_float torsions[8];
};

struct atom {
    cl_float4 place;
    cl_float charge;
    cl_int kind, unused[2];
};

struct torsion {
    cl_int from, to;
    cl_ulong moved;
};

struct dock {
    cl_int side, atoms, torsions, pairs;
    cl_float spacing, middle;
};

static const struct dock dock = {SIDE, ATOMS, TORSIONS, (ATOMS - 3) * (ATOMS - 2) / 2, 0.5f, 16.0f};

/* A chain of atoms that winds. Each torsion turns all atoms after its bond. Pairs are of atoms with two others or more between. */
static void dock_poses_prepare(struct clbench *b) {
    struct pose *poses = make(b, 0, (size_t)b->size * sizeof *poses);
    struct atom *atoms = make(b, 1, ATOMS * sizeof *atoms);
    struct torsion *torsions = make(b, 2, TORSIONS * sizeof *torsions);
    unsigned char *pairs = make(b, 3, (size_t)dock.pairs * 2);
    uint32_t state = 2879;
    for (int i = 0; i < ATOMS; i++) {
        double angle = 1.7 * i;
        atoms[i].place.s[0] = (float)(1.2 * cos(angle)), atoms[i].place.s[1] = (float)(1.2 * sin(angle));
        atoms[i].place.s[2] = 0.5f * (float)(i - ATOMS / 2);
        atoms[i].charge = random_unit(&state) - 0.5f, atoms[i].kind = (cl_int)(random_word(&state) % (MAPS - 1));
    }
    for (int i = 0; i < TORSIONS; i++) {
        torsions[i].from = 4 + 5 * i, torsions[i].to = 5 + 5 * i;
        torsions[i].moved = ((1ull << ATOMS) - 1) & ~((1ull << (6 + 5 * i)) - 1);
    }
    for (int i = 0, k = 0; i < ATOMS; i++) {
        for (int other = i + 3; other < ATOMS; other++, k += 2) {
            pairs[k] = (unsigned char)i, pairs[k + 1] = (unsigned char)other;
        }
    }
    for (long i = 0; i < b->size; i++) {
        double size = 0.0, turn[4];
        for (int k = 0; k < 4; k++) {
            turn[k] = (double)random_unit(&state) - 0.5, size += turn[k] * turn[k];
        }
        for (int k = 0; k < 4; k++) {
            poses[i].turn.s[k] = (float)(turn[k] / sqrt(size)), poses[i].place.s[k] = 8.0f * (random_unit(&state) - 0.5f);
        }
        for (int k = 0; k < 8; k++) {
            poses[i].torsions[k] = 6.28f * (random_unit(&state) - 0.5f);
        }
    }
    fill_between(make(b, 4, MAPS * SIDE * SIDE * SIDE * sizeof(float)), MAPS * SIDE * SIDE * SIDE, 2887, -1.0f, 1.5f);
    make(b, 5, (size_t)b->size * sizeof(cl_float2));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

static void dock_poses_once(struct clbench *b) {
    launch(b, "dock_poses", RANGE1((size_t)b->size * 32, 32), B(0), B(1), B(2), B(3), B(4), V(dock), B(5));
}

/* Turns a place around an axis of length 1 by an angle. */
static void turn_around(const double axis[3], double sine, double cosine, double place[3]) {
    double along = axis[0] * place[0] + axis[1] * place[1] + axis[2] * place[2], result[3];
    for (int k = 0; k < 3; k++) {
        double across = axis[(k + 1) % 3] * place[(k + 2) % 3] - axis[(k + 2) % 3] * place[(k + 1) % 3];
        result[k] = place[k] * cosine + across * sine + axis[k] * along * (1.0 - cosine);
    }
    memcpy(place, result, sizeof result);
}

static void bend_ligand(const struct clbench *b, const struct pose *pose, double places[ATOMS][3]) {
    const struct atom *atoms = b->buffer[1].host;
    const struct torsion *torsions = b->buffer[2].host;
    for (int i = 0; i < ATOMS * 3; i++) {
        places[i / 3][i % 3] = (double)atoms[i / 3].place.s[i % 3];
    }
    for (int t = 0; t < TORSIONS; t++) {
        double origin[3], axis[3], size = 0.0;
        for (int k = 0; k < 3; k++) {
            origin[k] = places[torsions[t].from][k], axis[k] = places[torsions[t].to][k] - origin[k];
            size += axis[k] * axis[k];
        }
        for (int k = 0; k < 3; k++) {
            axis[k] /= sqrt(size);
        }
        for (int i = 0; i < ATOMS; i++) {
            double off[3] = {places[i][0] - origin[0], places[i][1] - origin[1], places[i][2] - origin[2]};
            if (torsions[t].moved >> i & 1) {
                turn_around(axis, sin((double)pose->torsions[t]), cos((double)pose->torsions[t]), off);
                places[i][0] = origin[0] + off[0], places[i][1] = origin[1] + off[1], places[i][2] = origin[2] + off[2];
            }
        }
    }
}

/* The energy of an atom in the protein's grid, from the eight points around it. */
static double atom_energy(const struct clbench *b, const struct pose *pose, const struct atom *atom, double place[3]) {
    const float *maps = b->buffer[4].host, *q = pose->turn.s;
    double size = sqrt((double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] + (double)q[2] * (double)q[2]);
    double axis[3] = {(double)q[0] / size, (double)q[1] / size, (double)q[2] / size}, angle = 2.0 * atan2(size, (double)q[3]);
    double energy = 0.0, part[3];
    long at[3];
    turn_around(axis, sin(angle), cos(angle), place);
    for (int k = 0; k < 3; k++) {
        double where = (place[k] + (double)pose->place.s[k]) / (double)dock.spacing + (double)dock.middle;
        double inside = fmin(fmax(where, 0.0), SIDE - 1.001);
        energy += 10.0 * (where - inside) * (where - inside);
        at[k] = (long)inside, part[k] = inside - floor(inside);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1.0;
        long point = 0;
        for (int k = 2; k >= 0; k--) {
            weight *= corner >> k & 1 ? part[k] : 1.0 - part[k], point = point * SIDE + at[k] + (corner >> k & 1);
        }
        energy += weight * (double)maps[atom->kind * SIDE * SIDE * SIDE + point];
        energy += weight * (double)atom->charge * (double)maps[(MAPS - 1) * SIDE * SIDE * SIDE + point];
    }
    return energy;
}

/* Of many poses not all are looked at. */
static int dock_poses_check(struct clbench *b) {
    const struct pose *poses = b->buffer[0].host;
    const struct atom *atoms = b->buffer[1].host;
    const unsigned char *pairs = b->buffer[3].host;
    const cl_float2 *got = b->buffer[5].host;
    long step = b->size / 4001 + 1;
    int ok = 1;
    down(b, 5);
    for (long i = 0; ok && i < b->size; i += step) {
        double places[ATOMS][3], own = 0.0, protein = 0.0;
        bend_ligand(b, poses + i, places);
        for (int k = 0; k < dock.pairs; k++) {
            const unsigned char *pair = pairs + k * 2;
            double square = 0.0;
            for (int n = 0; n < 3; n++) {
                square += pow(places[pair[0]][n] - places[pair[1]][n], 2.0);
            }
            double closeness = pow(9.0 / fmax(square, 4.0), 3.0);
            own += 0.15 * (closeness * closeness - 2.0 * closeness);
            own += 33.2 * (double)atoms[pair[0]].charge * (double)atoms[pair[1]].charge / fmax(square, 4.0);
        }
        for (int k = 0; k < ATOMS; k++) {
            protein += atom_energy(b, poses + i, atoms + k, places[k]);
        }
        ok = near("protein's energy", i, (double)got[i].s[0], protein, 1e-3) && near("own energy", i, (double)got[i].s[1], own, 1e-3);
    }
    return ok;
}

enum { MOTION_GROUPS = 32, MOTION_GROUP = 64 };

struct water {
    cl_float oxygen, hydrogen, bond, across, step;
};

static const struct water water = {15.9994f, 1.008f, 0.09572f, 0.15139f, 0.002f};

/* Molecules have their shape at first; speeds and forces give them another one. */
static void settle_water_prepare(struct clbench *b) {
    size_t bytes = (size_t)b->size * 3 * sizeof(cl_float4);
    cl_float4 *places = make(b, 0, bytes), *forces = make(b, 1, bytes), *speeds = make(b, 2, bytes);
    uint32_t state = 2897;
    for (long i = 0; i < b->size; i++) {
        double turns[3], half_across = 0.5 * (double)water.across;
        double high = sqrt((double)water.bond * (double)water.bond - half_across * half_across);
        for (int k = 0; k < 3; k++) {
            turns[k] = 6.28 * (double)random_unit(&state);
        }
        for (int atom = 0; atom < 3; atom++) {
            double axes[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
            double off[3] = {atom == 0 ? 0.0 : high, atom == 0 ? 0.0 : atom == 1 ? half_across : -half_across, 0.0};
            for (int k = 0; k < 3; k++) {
                turn_around(axes[k], sin(turns[k]), cos(turns[k]), off);
            }
            for (int k = 0; k < 3; k++) {
                long at = i * 3 + atom;
                places[at].s[k] = (float)(off[k] + 0.31 * (double)((k == 0 ? i : k == 1 ? i / 20 : i / 400) % 20));
                speeds[at].s[k] = (atom == 0 ? 0.5f : 2.0f) * (random_unit(&state) - 0.5f);
                forces[at].s[k] = 2000.0f * (random_unit(&state) - 0.5f);
            }
        }
    }
    make(b, 3, bytes), make(b, 4, bytes), make(b, 5, MOTION_GROUPS * sizeof(float));
    up(b, 0), up(b, 1);
}

/* The old speeds come again before each run, outside of its kernels. */
static void settle_water_once(struct clbench *b) {
    cl_int molecules = (cl_int)b->size, atoms = molecules * 3;
    up(b, 2);
    launch(b, "leap_atoms", RANGE1(round_up(atoms, 128), 128), B(0), B(1), B(2), V(water), V(atoms), B(3));
    launch(b, "settle_water", RANGE1(round_up(molecules, 64), 64), B(0), B(3), B(2), V(water), V(molecules));
    launch(b, "water_motion", RANGE1(MOTION_GROUPS * MOTION_GROUP, MOTION_GROUP), B(2), V(water), V(atoms), B(5),
           LOCAL(MOTION_GROUP * sizeof(float)));
}

/* Pushes three atoms apart or together along their old bonds until all distances are right: SHAKE. */
static void shake(double old[3][3], double now[3][3]) {
    const double masses[3] = {(double)water.oxygen, (double)water.hydrogen, (double)water.hydrogen};
    for (int round = 0; round < 300; round++) {
        int from = round % 3 == 2, to = round % 3 == 0 ? 1 : 2;
        double wanted = from == 1 ? (double)water.across : (double)water.bond, square = 0.0, along = 0.0;
        for (int k = 0; k < 3; k++) {
            double off = now[to][k] - now[from][k];
            square += off * off, along += off * (old[to][k] - old[from][k]);
        }
        double push = (wanted * wanted - square) / (2.0 * along * (1.0 / masses[from] + 1.0 / masses[to]));
        for (int k = 0; k < 3; k++) {
            double off = old[to][k] - old[from][k];
            now[to][k] += push / masses[to] * off, now[from][k] -= push / masses[from] * off;
        }
    }
}

static int settle_water_check(struct clbench *b) {
    const cl_float4 *places = b->buffer[0].host, *forces = b->buffer[1].host, *speeds = b->buffer[2].host, *got = b->buffer[3].host;
    cl_float4 *new_speeds = b->buffer[4].host;
    const float *sums = b->buffer[5].host;
    double motion = 0.0, sum = 0.0;
    long step = b->size / 30011 + 1;
    int ok = 1;
    cl_need(clEnqueueReadBuffer(b->queue, b->buffer[2].device, CL_TRUE, 0, b->buffer[2].bytes, new_speeds, 0, NULL, NULL), "speeds");
    down(b, 3), down(b, 5);
    for (long i = 0; ok && i < b->size; i += step) {
        double old[3][3], now[3][3];
        for (int k = 0; k < 9; k++) {
            long at = i * 3 + k / 3, axis = k % 3;
            double mass = (double)(k / 3 == 0 ? water.oxygen : water.hydrogen), time = (double)water.step;
            old[k / 3][axis] = (double)places[at].s[axis];
            now[k / 3][axis] = old[k / 3][axis] + time * ((double)speeds[at].s[axis] + (double)forces[at].s[axis] * time / mass);
        }
        shake(old, now);
        for (int k = 0; ok && k < 9; k++) {
            long at = i * 3 + k / 3, axis = k % 3;
            double speed = (now[k / 3][axis] - old[k / 3][axis]) / (double)water.step;
            ok = near("place", at * 3 + axis, (double)got[at].s[axis], now[k / 3][axis], 3e-6) &&
                 near("speed", at * 3 + axis, (double)new_speeds[at].s[axis], speed, 2e-3);
        }
    }
    for (long i = 0; i < b->size * 3; i++) {
        for (int k = 0; k < 3; k++) {
            motion += (double)(i % 3 == 0 ? water.oxygen : water.hydrogen) * pow((double)new_speeds[i].s[k], 2.0);
        }
    }
    for (int i = 0; i < MOTION_GROUPS; i++) {
        sum += (double)sums[i];
    }
    return ok && near("motion", 0, sum, motion, 1e-4);
}

enum { READS = 101, HAPLOTYPES = 23, LONGEST_READ = 64, LONGEST = 120 };

struct match {
    cl_int read_start, read_length, haplotype_start, haplotype_length;
};

struct gaps {
    cl_float open, extend, scale;
};

static const struct gaps gaps = {0.001f, 0.1f, 0x1p100f};

/* A read is a part of a haplotype, with some other letters and a gap. */
static void pair_hmm_prepare(struct clbench *b) {
    struct match *matches = make(b, 0, (size_t)b->size * sizeof *matches);
    unsigned char *reads = make(b, 1, READS * LONGEST_READ), *qualities = make(b, 2, READS * LONGEST_READ);
    unsigned char *haplotypes = make(b, 3, HAPLOTYPES * LONGEST);
    uint32_t state = 2903;
    for (long i = 0; i < LONGEST * HAPLOTYPES; i++) {
        int is_new = i < LONGEST || random_word(&state) % 30 == 0;
        haplotypes[i] = is_new ? (unsigned char)"ACGT"[random_word(&state) % 4] : haplotypes[i - LONGEST];
    }
    for (long i = 0; i < READS; i++) {
        long from = i % HAPLOTYPES * LONGEST + random_word(&state) % (LONGEST - LONGEST_READ - 5);
        long gap = random_word(&state) % (LONGEST_READ * 2);
        for (long k = 0; k < LONGEST_READ; k++) {
            uint32_t word = random_word(&state);
            reads[i * LONGEST_READ + k] = word % 40 == 0 ? (unsigned char)"ACGTN"[word / 40 % 5] : haplotypes[from + k + (k > gap ? 2 : 0)];
            qualities[i * LONGEST_READ + k] = (unsigned char)(8 + (word >> 16) % 33);
        }
    }
    for (long i = 0; i < b->size; i++) {
        matches[i].read_start = (cl_int)(i % READS * LONGEST_READ), matches[i].haplotype_start = (cl_int)(i % HAPLOTYPES * LONGEST);
        matches[i].read_length = (cl_int)(LONGEST_READ - random_word(&state) % 30);
        matches[i].haplotype_length = (cl_int)(LONGEST - random_word(&state) % 40);
    }
    make(b, 4, (size_t)b->size * sizeof(float));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void pair_hmm_once(struct clbench *b) {
    launch(b, "pair_hmm", RANGE1((size_t)b->size * LONGEST_READ, LONGEST_READ), B(0), B(1), B(2), B(3), V(gaps), B(4));
}

/* Row by row: the chances of a match, an insertion and a deletion. */
static double read_logarithm(const struct clbench *b, const struct match *match) {
    const unsigned char *read = (const unsigned char *)b->buffer[1].host + match->read_start;
    const unsigned char *qualities = (const unsigned char *)b->buffer[2].host + match->read_start;
    const unsigned char *haplotype = (const unsigned char *)b->buffer[3].host + match->haplotype_start;
    double rows[2][LONGEST + 1][3] = {{{0.0}}}, sum = 0.0, open = (double)gaps.open, extend = (double)gaps.extend;
    for (int k = 0; k <= match->haplotype_length; k++) {
        rows[0][k][2] = 1.0 / match->haplotype_length;
    }
    for (int i = 0; i < match->read_length; i++) {
        double (*last)[3] = rows[i % 2], (*now)[3] = rows[1 - i % 2], error = pow(10.0, -0.1 * qualities[i]);
        memset(now, 0, sizeof rows[0]);
        for (int k = 0; k < match->haplotype_length; k++) {
            int is_same = read[i] == haplotype[k] || read[i] == 'N' || haplotype[k] == 'N';
            now[k + 1][0] = (1.0 - 2.0 * open) * last[k][0] + (1.0 - extend) * (last[k][1] + last[k][2]);
            now[k + 1][0] *= is_same ? 1.0 - error : error / 3.0;
            now[k + 1][1] = open * last[k + 1][0] + extend * last[k + 1][1];
            now[k + 1][2] = open * now[k][0] + extend * now[k][2];
            sum += i == match->read_length - 1 ? now[k + 1][0] + now[k + 1][1] : 0.0;
        }
    }
    return log10(sum);
}

static int pair_hmm_check(struct clbench *b) {
    const struct match *matches = b->buffer[0].host;
    const float *got = b->buffer[4].host;
    long step = b->size / 3001 + 1;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size; i += step) {
        ok = near("logarithm", i, (double)got[i], read_logarithm(b, matches + i), 1e-4);
    }
    return ok;
}

enum { WORDS = 16, QUERIES = 24, BINS = 20 };

static const cl_uint percent = 40;

/* Molecules are like one of the queries, more or less. Words of all molecules stand side by side. */
static void tanimoto_hits_prepare(struct clbench *b) {
    cl_ulong *prints = make(b, 0, (size_t)b->size * WORDS * sizeof *prints), *queries = make(b, 1, QUERIES * WORDS * sizeof *queries);
    uint32_t state = 2909;
    for (int i = 0; i < QUERIES * WORDS; i++) {
        for (int bit = 0; bit < 64; bit++) {
            queries[i] |= (cl_ulong)(random_word(&state) % (uint32_t)(i / WORDS % 3 + 4) == 0) << bit;
        }
    }
    for (long i = 0; i < b->size; i++) {
        long like = random_word(&state) % QUERIES, sparse = random_word(&state) % 4;
        for (long k = 0; k < WORDS; k++) {
            cl_ulong kept = (cl_ulong)random_word(&state) << 32 | random_word(&state), more = ~(cl_ulong)0;
            for (int n = 0; n < 3; n++) {
                more &= (cl_ulong)random_word(&state) << 32 | random_word(&state);
            }
            kept |= sparse > 0 ? (cl_ulong)random_word(&state) << 32 | random_word(&state) : 0;
            prints[k * b->size + i] = (queries[like * WORDS + k] & kept) | (sparse < 3 ? more : more >> 7 & more);
        }
    }
    make(b, 2, QUERIES * sizeof(cl_uint)), make(b, 3, (size_t)b->size * QUERIES * sizeof(cl_uint2));
    make(b, 4, (BINS + 1) * sizeof(cl_uint));
    up(b, 0), up(b, 1);
}

static void tanimoto_hits_once(struct clbench *b) {
    cl_uint molecules = (cl_uint)b->size;
    launch(b, "no_hits", RANGE1(32, 0), B(2), B(4));
    launch(b, "tanimoto_hits", RANGE1(round_up(b->size, 96), 96), B(0), V(molecules), B(1), V(percent), V(molecules), B(2), B(3), B(4));
}

static int by_molecule(const void *left, const void *right) {
    cl_uint a = ((const cl_uint2 *)left)->s[0], c = ((const cl_uint2 *)right)->s[0];
    return (a > c) - (a < c);
}

/* Lists are sorted first: items may come in any order. */
static int tanimoto_hits_check(struct clbench *b) {
    const cl_ulong *prints = b->buffer[0].host, *queries = b->buffer[1].host;
    const cl_uint *counts = b->buffer[2].host, *bins = b->buffer[4].host;
    cl_uint2 *hits = b->buffer[3].host;
    long wanted[BINS + 1] = {0}, found = 0;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long query = 0; ok && query < QUERIES; query++, found = 0) {
        cl_uint2 *own = hits + query * b->size;
        ok = same("no more hits than molecules", query, counts[query] <= b->size, 1);
        qsort(own, ok ? counts[query] : 0, sizeof *own, by_molecule);
        for (long i = 0; ok && i < b->size; i++) {
            long common = 0, sums[2] = {0, 0};
            for (long k = 0; k < WORDS; k++) {
                cl_ulong print = prints[k * b->size + i], asked = queries[query * WORDS + k];
                common += __builtin_popcountll(print & asked);
                sums[0] += __builtin_popcountll(print), sums[1] += __builtin_popcountll(asked);
            }
            long either = sums[0] + sums[1] - common, fewer = sums[0] < sums[1] ? sums[0] : sums[1];
            if (fewer * 100 >= (long)percent * (sums[0] + sums[1] - fewer)) {
                wanted[either > 0 ? common * BINS / either : 0]++;
            }
            if (common * 100 >= (long)percent * either) {
                float score;
                memcpy(&score, own[found].s + 1, sizeof score);
                ok = same("hit", found, found < counts[query] ? (long)own[found].s[0] : -1, i) &&
                     near("score", found, (double)score, (double)common / (double)either, 1e-6);
                found++;
            }
        }
        ok = ok && same("hits", query, counts[query], found) && same("some hits", query, found > 0 || b->size < 1000, 1);
    }
    for (int i = 0; ok && i <= BINS; i++) {
        ok = same("bin", i, bins[i], wanted[i]);
    }
    return ok;
}

const struct workload round22_molecules_workloads[] = {
    WORKLOAD(round22_molecules, dock_poses, 7, 5003, 30011, 200003),
    WORKLOAD(round22_molecules, settle_water, 301, 200003, 600011, 1200007),
    WORKLOAD(round22_molecules, pair_hmm, 11, 803, 4001, 20011),
    WORKLOAD(round22_molecules, tanimoto_hits, 301, 40009, 200003, 600011),
    END_OF_WORKLOADS,
};
