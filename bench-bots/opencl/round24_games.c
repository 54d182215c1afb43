/* Games. Sizes are machines, queens, pairs of hands. */
#include "workloads.h"

enum { MEMORY = 1024, INSTRUCTIONS = 3001 };

static const cl_uint seed_of_machines = 4057;

/* The digits 0 to f of five lines each, as CHIP-8 has them. */
static const unsigned char digits[80] = {
    0xf0, 0x90, 0x90, 0x90, 0xf0, 0x20, 0x60, 0x20, 0x20, 0x70, 0xf0, 0x10, 0xf0, 0x80, 0xf0, 0xf0, 0x10, 0xf0, 0x10, 0xf0,
    0x90, 0x90, 0xf0, 0x10, 0x10, 0xf0, 0x80, 0xf0, 0x10, 0xf0, 0xf0, 0x80, 0xf0, 0x90, 0xf0, 0xf0, 0x10, 0x20, 0x40, 0x40,
    0xf0, 0x90, 0xf0, 0x90, 0xf0, 0xf0, 0x90, 0xf0, 0x10, 0xf0, 0xf0, 0x90, 0xf0, 0x90, 0x90, 0xe0, 0x90, 0xe0, 0x90, 0xe0,
    0xf0, 0x80, 0x80, 0x80, 0xf0, 0xe0, 0x90, 0x90, 0x90, 0xe0, 0xf0, 0x80, 0xf0, 0x80, 0xf0, 0xf0, 0x80, 0xf0, 0x80, 0x80,
};

/* Draws digits where chance says, and counts in decimal those that hit others; after 120 of them it begins again. */
static const cl_ushort game[] = {
    0x00e0, 0x6e00, 0x6d05,                         /* 200: a clean screen, no digits yet */
    0xc03f, 0xc11f, 0xc20f, 0xf229, 0xd015,         /* 206: a digit somewhere */
    0x3f00, 0x2230, 0x7e01, 0xc307, 0x3300, 0x2260, /* 210: hits call 230; seven of eight times 260 is called */
    0x3e78, 0x1206, 0x00e0, 0x6e00, 0x8dd4, 0x1206, /* 21c: again, or from the beginning */
    0x0000, 0x0000, 0x0000, 0x0000,
    0xa300, 0xfc33, 0xf265, 0x8014, 0x8024, 0xf029, /* 230: the sum of the digits of how many were hit */
    0x6a38, 0x8b06, 0x8b03, 0xdab5, 0x7c01, 0x4c64, /* 23c: drawn at the right border */
    0x6c00, 0xa310, 0xfe55, 0x00ee,                 /* 248: at a hundred from 0; all registers are kept */
    0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000, 0x0000,
    0xf407, 0x3400, 0x00ee, 0xc50f, 0xf515, 0xf518, /* 260: when the delay has ended, sums and shifts */
    0x8654, 0x8765, 0x875e, 0x8861, 0x8872, 0x8977, /* 26c */
    0x5560, 0x7903, 0xa310, 0xf41e, 0xf065, 0x9560, /* 278 */
    0x8900, 0x00ee,                                 /* 284 */
};

static void chip8_screens_prepare(struct clbench *b) {
    unsigned char *program = make(b, 0, MEMORY);
    memcpy(program, digits, sizeof digits);
    for (size_t i = 0; i < sizeof game / sizeof *game; i++) {
        program[0x200 + 2 * i] = (unsigned char)(game[i] >> 8), program[0x201 + 2 * i] = (unsigned char)game[i];
    }
    make(b, 1, (size_t)b->size * MEMORY), make(b, 2, (size_t)b->size * 32 * sizeof(cl_ulong)), make(b, 3, (size_t)b->size * 16);
    make(b, 4, (size_t)b->size * sizeof(cl_ushort));
    up(b, 0);
}

static void chip8_screens_once(struct clbench *b) {
    cl_int machines = (cl_int)b->size, instructions = INSTRUCTIONS;
    launch(b, "chip8_screens", RANGE1(round_up(machines, 32), 32), B(0), V(machines), V(instructions), V(seed_of_machines), B(1), B(2), B(3),
           B(4));
}

struct played {
    unsigned char memory[MEMORY], pixels[32][64], v[16];
    int stack[16], depth, at, index, delay, drawn, faults;
    uint32_t random;
};

/* An instruction that works on two registers, the last one of which may be told something. */
static void work_on(struct played *m, int x, int y, int what) {
    int a = m->v[x], c = m->v[y], results[16] = {c, a | c, a & c, a ^ c, a + c, a - c, a / 2, c - a, 0, 0, 0, 0, 0, 0, a * 2, 0};
    int flags[16] = {0, 0, 0, 0, a + c > 255, a >= c, a % 2, c >= a, 0, 0, 0, 0, 0, 0, a > 127, 0};
    m->v[x] = (unsigned char)results[what];
    if (what > 3) {
        m->v[15] = (unsigned char)flags[what];
    }
}

static void draw_on(struct played *m, int column, int row, int lines) {
    m->v[15] = 0, m->drawn++;
    for (int i = 0; i < lines * 8; i++) {
        int x = column % 64 + i % 8, y = row % 32 + i / 8;
        if (x < 64 && y < 32 && m->memory[m->index % (MEMORY / 2) + i / 8] >> (7 - i % 8) & 1) {
            m->v[15] |= m->pixels[y][x], m->pixels[y][x] ^= 1;
        }
    }
}

static void step_other(struct played *m, int x, int what) {
    if (what == 0x07) {
        m->v[x] = (unsigned char)m->delay;
    } else if (what == 0x15) {
        m->delay = m->v[x];
    } else if (what == 0x1e || what == 0x29) {
        m->index = what == 0x1e ? m->index + m->v[x] : m->v[x] % 16 * 5;
    } else if (what == 0x33) {
        for (int i = 2, rest = m->v[x]; i >= 0; i--, rest /= 10) {
            m->memory[(m->index + i) % MEMORY] = (unsigned char)(rest % 10);
        }
    } else if (what == 0x55 || what == 0x65) {
        for (int i = 0; i <= x; i++) {
            unsigned char *place = &m->memory[(m->index + i) % MEMORY], *own = &m->v[i];
            *(what == 0x55 ? place : own) = *(what == 0x55 ? own : place);
        }
    } else {
        m->faults += what != 0x18;
    }
}

static void step_machine(struct played *m) {
    int word = m->memory[m->at] * 256 + m->memory[m->at + 1], x = word >> 8 & 15, y = word >> 4 & 15, low = word & 255;
    m->at += 2;
    switch (word >> 12) {
    case 0:
        if (word == 0xe0) {
            memset(m->pixels, 0, sizeof m->pixels);
        } else {
            m->faults += word != 0xee, m->at = m->stack[--m->depth];
        }
        break;
    case 2: m->stack[m->depth++] = m->at; /* falls through */
    case 1: m->at = word % 4096; break;
    case 3: m->at += m->v[x] == low ? 2 : 0; break;
    case 4: m->at += m->v[x] == low ? 0 : 2; break;
    case 5: m->at += m->v[x] == m->v[y] ? 2 : 0; break;
    case 6: m->v[x] = (unsigned char)low; break;
    case 7: m->v[x] = (unsigned char)(m->v[x] + low); break;
    case 8: work_on(m, x, y, word % 16); break;
    case 9: m->at += m->v[x] == m->v[y] ? 0 : 2; break;
    case 10: m->index = word % 4096; break;
    case 12:
        m->random ^= m->random << 13, m->random ^= m->random >> 17, m->random ^= m->random << 5;
        m->v[x] = (unsigned char)(m->random >> 24 & (uint32_t)low);
        break;
    case 13: draw_on(m, m->v[x], m->v[y], word % 16); break;
    case 15: step_other(m, x, low); break;
    default: m->faults++;
    }
}

static int chip8_screens_check(struct clbench *b) {
    const cl_ulong *screens = b->buffer[2].host;
    const unsigned char *registers = b->buffer[3].host;
    const cl_ushort *faults = b->buffer[4].host;
    struct played m;
    int ok = 1;
    down(b, 2), down(b, 3), down(b, 4);
    for (long i = 0; ok && i < b->size; i += b->size / 503 + 1) {
        memset(&m, 0, sizeof m), memcpy(m.memory, b->buffer[0].host, MEMORY);
        m.at = 0x200, m.random = (seed_of_machines ^ (uint32_t)i * 0x9e3779b9u) | 1u;
        for (int turn = 0; turn < INSTRUCTIONS; turn++) {
            step_machine(&m), m.delay -= turn % 10 == 9 && m.delay > 0;
        }
        for (int k = 0; ok && k < 32; k++) {
            cl_ulong line = 0;
            for (int x = 0; x < 64; x++) {
                line = line << 1 | m.pixels[k][x];
            }
            ok = same("line", i * 32 + k, (long)screens[k * b->size + i], (long)line);
        }
        for (int k = 0; ok && k < 16; k++) {
            ok = same("register", i * 16 + k, registers[k * b->size + i], m.v[k]);
        }
        ok = ok && same("faults", i, faults[i] + m.faults, 0) && same("much is drawn", i, m.drawn > 100, 1);
    }
    return ok;
}

enum { QUEENS_GROUP = 64, FIRST_QUEENS = 4 };

struct opening {
    cl_ushort columns, left, right, placed;
};

/* Openings of some queens in the first rows; without a place for them they only are counted. Gives how many there are. */
static long list_openings(struct opening *list, long count, struct opening now, int queens) {
    if (now.placed == FIRST_QUEENS) {
        if (list != NULL) {
            list[count] = now;
        }
        return count + 1;
    }
    for (unsigned here = 1; here < 1u << queens; here <<= 1) {
        if ((here & (now.columns | now.left | now.right)) == 0) {
            struct opening next = {(cl_ushort)(now.columns | here), (cl_ushort)((now.left | here) << 1 & ((1u << queens) - 1)),
                                   (cl_ushort)((now.right | here) >> 1), (cl_ushort)(now.placed + 1)};
            count = list_openings(list, count, next, queens);
        }
    }
    return count;
}

static long opening_count(const struct clbench *b) { return list_openings(NULL, 0, (struct opening){0, 0, 0, 0}, (int)b->size); }

static void queen_counts_prepare(struct clbench *b) {
    long count = opening_count(b);
    struct opening *list = make(b, 0, (size_t)count * sizeof *list);
    list_openings(list, 0, (struct opening){0, 0, 0, 0}, (int)b->size);
    make(b, 1, (size_t)count * sizeof(cl_uint)), make(b, 2, round_up(count, QUEENS_GROUP) / QUEENS_GROUP * sizeof(cl_ulong));
    up(b, 0);
}

static void queen_counts_once(struct clbench *b) {
    cl_int count = (cl_int)(b->buffer[0].bytes / sizeof(struct opening)), queens = (cl_int)b->size;
    launch(b, "queen_counts", RANGE1(round_up(count, QUEENS_GROUP), QUEENS_GROUP), B(0), V(count), V(queens), B(1), B(2));
}

static long count_on(unsigned columns, unsigned left, unsigned right, unsigned all) {
    long found = 0;
    if (columns == all) {
        return 1;
    }
    for (unsigned rest = all & ~(columns | left | right); rest != 0; rest &= rest - 1) {
        unsigned here = rest & -rest;
        found += count_on(columns | here, (left | here) << 1, (right | here) >> 1, all);
    }
    return found;
}

/* How many there are in all is known. */
static int queen_counts_check(struct clbench *b) {
    static const long known[17] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
    const struct opening *list = b->buffer[0].host;
    const cl_uint *got = b->buffer[1].host;
    const cl_ulong *sums = b->buffer[2].host;
    long count = (long)(b->buffer[0].bytes / sizeof *list), sum = 0;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; ok && i < count; i += count / 307 + 1) {
        ok = same("solutions", i, got[i], count_on(list[i].columns, list[i].left, list[i].right, (1u << b->size) - 1));
    }
    for (size_t i = 0; i < b->buffer[2].bytes / sizeof *sums; i++) {
        sum += (long)sums[i];
    }
    return ok && same("all solutions", 0, sum, known[b->size]);
}

enum { DEALERS = 128, DEALERS_GROUP = 32, DEALS = 25 };

static const cl_ulong seed_of_deals = 4073;

static cl_ulong card_of(unsigned place) { return (cl_ulong)1 << (place / 13 * 16 + place % 13); }

static void poker_odds_prepare(struct clbench *b) {
    cl_ulong2 *hands = make(b, 0, (size_t)b->size * sizeof *hands);
    uint32_t state = 4079;
    for (long i = 0; i < b->size; i++) {
        for (int count = 0; count < 4;) {
            cl_ulong card = card_of(random_word(&state) % 52);
            if (((hands[i].s[0] | hands[i].s[1]) & card) == 0) {
                hands[i].s[count++ / 2] |= card;
            }
        }
    }
    make(b, 1, (size_t)b->size * 2 * sizeof(cl_uint));
    up(b, 0);
}

static void poker_odds_once(struct clbench *b) {
    cl_int deals = DEALS;
    launch(b, "no_wins", RANGE1((size_t)b->size * 2, 0), B(1));
    launch(b, "poker_odds", RANGE2(DEALERS, (size_t)b->size, DEALERS_GROUP, 1), B(0), V(deals), V(seed_of_deals), B(1),
           LOCAL(DEALERS_GROUP * sizeof(cl_uint2)));
}

static cl_uint dealt_word(cl_ulong *state) {
    cl_ulong old = *state;
    *state = old * 6364136223846793005u + 1442695040888963407u;
    cl_uint word = (cl_uint)((old ^ old >> 18) >> 27), turn = (cl_uint)(old >> 59);
    return word >> turn | word << (-turn & 31);
}

/* What five cards are worth, by counting: the kind, then the ranks, those first that are there most often. */
static long worth_of_five(const unsigned cards[5]) {
    int counts[13] = {0}, is_flush = 1, top = -1;
    long ranks = 0, pattern = 0;
    for (int i = 0; i < 5; i++) {
        counts[cards[i] % 13]++, is_flush &= cards[i] / 13 == cards[0] / 13;
    }
    for (int times = 4; times > 0; times--) {
        for (int rank = 12; rank >= 0; rank--) {
            if (counts[rank] == times) {
                ranks = ranks * 13 + rank, pattern = pattern * 10 + times;
            }
        }
    }
    for (int rank = 3; rank < 13 && pattern == 11111; rank++) {
        int is_row = counts[rank] && counts[rank - 1] && counts[rank - 2] && counts[rank - 3] && counts[rank == 3 ? 12 : rank - 4];
        top = is_row ? rank : top;
    }
    static const long patterns[7] = {11111, 2111, 221, 311, 0, 0, 32};
    long kind = pattern == 41 ? 7 : 0;
    for (int i = 0; i < 7; i++) {
        kind = pattern == patterns[i] ? i : kind;
    }
    kind = top >= 0 && is_flush ? 8 : top >= 0 ? 4 : is_flush ? 5 : kind;
    return kind * 1000000 + (top >= 0 ? top : ranks);
}

/* The best five of seven. */
static long worth_of_seven(cl_ulong cards) {
    unsigned seven[7], five[5], count = 0;
    long best = 0;
    for (unsigned place = 0; place < 52; place++) {
        if (cards & card_of(place)) {
            seven[count++] = place;
        }
    }
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < i; k++) {
            for (int n = 0, to = 0; n < 7; n++) {
                if (n != i && n != k) {
                    five[to++] = seven[n];
                }
            }
            long worth = worth_of_five(five);
            best = worth > best ? worth : best;
        }
    }
    return best;
}

/* Of many pairs of hands not all are looked at. */
static int poker_odds_check(struct clbench *b) {
    const cl_ulong2 *hands = b->buffer[0].host;
    const cl_uint *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i += b->size / 37 + 1) {
        long wins[2] = {0, 0};
        for (long dealer = 0; dealer < DEALERS; dealer++) {
            cl_ulong state = seed_of_deals + (cl_ulong)(i * DEALERS + dealer) * 0x9e3779b97f4a7c15u;
            dealt_word(&state);
            for (int deal = 0; deal < DEALS; deal++) {
                cl_ulong board = 0;
                for (int count = 0; count < 5;) {
                    cl_ulong card = card_of((unsigned)((cl_ulong)dealt_word(&state) * 52 >> 32));
                    if ((card & (board | hands[i].s[0] | hands[i].s[1])) == 0) {
                        board |= card, count++;
                    }
                }
                long first = worth_of_seven(board | hands[i].s[0]), second = worth_of_seven(board | hands[i].s[1]);
                wins[0] += first > second, wins[1] += second > first;
            }
        }
        ok = same("wins", i, got[2 * i], wins[0]) && same("losses", i, got[2 * i + 1], wins[1]);
    }
    return ok;
}

const struct workload round24_games_workloads[] = {
    WORKLOAD(round24_games, chip8_screens, 37, 1501, 6007, 30011),
    WORKLOAD(round24_games, queen_counts, 8, 13, 14, 15),
    WORKLOAD(round24_games, poker_odds, 5, 131, 503, 3001),
    END_OF_WORKLOADS,
};
