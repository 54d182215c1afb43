/* Games: small computers that play by themselves, queens on a board, the odds of hands of cards. */

#define MEMORY 1024
#define SCREEN 32

typedef struct {
    uchar registers[16];
    ushort calls[16];
    uint random;
    ushort at, index, calls_made, faults;
    uchar delay, sound;
} machine_t;

uint next_random(uint state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ state << 5;
}

/* Eight by up to 15 pixels change; says whether one of them was there. */
uchar draw_sprite(ulong *screen, __global const uchar *sprite, const uchar x, const uchar y, const int lines)
{
    ulong hit = 0;
    for (int i = 0; i < lines && (y & 31) + i < SCREEN; i++) {
        const ulong line = (ulong)sprite[i] << 56 >> (x & 63);
        hit |= screen[(y & 31) + i] & line;
        screen[(y & 31) + i] ^= line;
    }
    return hit != 0;
}

/* What two registers make together; the last one tells what is carried. */
void calculate(uchar *registers, const int x, const int y, const int operation)
{
    const int a = registers[x], b = registers[y];
    switch (operation) {
    case 0x0: registers[x] = b; break;
    case 0x1: registers[x] = a | b; break;
    case 0x2: registers[x] = a & b; break;
    case 0x3: registers[x] = a ^ b; break;
    case 0x4:
        registers[x] = a + b;
        registers[15] = a + b > 255;
        break;
    case 0x5:
        registers[x] = a - b;
        registers[15] = a >= b;
        break;
    case 0x6:
        registers[x] = a >> 1;
        registers[15] = a & 1;
        break;
    case 0x7:
        registers[x] = b - a;
        registers[15] = b >= a;
        break;
    case 0xe:
        registers[x] = a << 1;
        registers[15] = a >> 7;
        break;
    }
}

/* Timers, numbers in decimal, and what goes to memory and comes from it. */
void run_other(machine_t *machine, __global uchar *memory, const int x, const int operation)
{
    switch (operation) {
    case 0x07: machine->registers[x] = machine->delay; break;
    case 0x15: machine->delay = machine->registers[x]; break;
    case 0x18: machine->sound = machine->registers[x]; break;
    case 0x1e: machine->index += machine->registers[x]; break;
    case 0x29: machine->index = 5 * (machine->registers[x] & 15); break;
    case 0x33:
        memory[machine->index & (MEMORY - 1)] = machine->registers[x] / 100;
        memory[(machine->index + 1) & (MEMORY - 1)] = machine->registers[x] / 10 % 10;
        memory[(machine->index + 2) & (MEMORY - 1)] = machine->registers[x] % 10;
        break;
    case 0x55:
        for (int i = 0; i <= x; i++) memory[(machine->index + i) & (MEMORY - 1)] = machine->registers[i];
        break;
    case 0x65:
        for (int i = 0; i <= x; i++) machine->registers[i] = memory[(machine->index + i) & (MEMORY - 1)];
        break;
    default: machine->faults++;
    }
}

/* Each item is a CHIP-8 that runs a program for so many instructions; machines differ in what they draw by chance. */
__kernel void chip8_screens(__constant uchar *program, const int machines, const int instructions, const uint seed,
                            __global uchar *memories, __global ulong *screens, __global uchar *registers, __global ushort *faults)
{
    const int id = get_global_id(0);
    if (id >= machines) return;
    __global uchar *memory = memories + id * MEMORY;
    for (int i = 0; i < MEMORY; i++) memory[i] = program[i];
    ulong screen[SCREEN];
    for (int i = 0; i < SCREEN; i++) screen[i] = 0;
    machine_t machine;
    for (int i = 0; i < 16; i++) machine.registers[i] = machine.calls[i] = 0;
    machine.random = (seed ^ id * 0x9e3779b9u) | 1;
    machine.at = 0x200;
    machine.index = machine.calls_made = machine.faults = 0;
    machine.delay = machine.sound = 0;
    for (int turn = 0; turn < instructions; turn++) {
        const int word = memory[machine.at & (MEMORY - 1)] << 8 | memory[(machine.at + 1) & (MEMORY - 1)];
        const int x = word >> 8 & 15, y = word >> 4 & 15, low = word & 255;
        machine.at += 2;
        switch (word >> 12) {
        case 0x0:
            if (word == 0x00e0) {
                for (int i = 0; i < SCREEN; i++) screen[i] = 0;
            } else if (word == 0x00ee) {
                machine.at = machine.calls[--machine.calls_made & 15];
            } else {
                machine.faults++;
            }
            break;
        case 0x1: machine.at = word & 0xfff; break;
        case 0x2:
            machine.calls[machine.calls_made++ & 15] = machine.at;
            machine.at = word & 0xfff;
            break;
        case 0x3: machine.at += machine.registers[x] == low ? 2 : 0; break;
        case 0x4: machine.at += machine.registers[x] != low ? 2 : 0; break;
        case 0x5: machine.at += machine.registers[x] == machine.registers[y] ? 2 : 0; break;
        case 0x6: machine.registers[x] = low; break;
        case 0x7: machine.registers[x] += low; break;
        case 0x8: calculate(machine.registers, x, y, word & 15); break;
        case 0x9: machine.at += machine.registers[x] != machine.registers[y] ? 2 : 0; break;
        case 0xa: machine.index = word & 0xfff; break;
        case 0xb: machine.at = (word & 0xfff) + machine.registers[0]; break;
        case 0xc:
            machine.random = next_random(machine.random);
            machine.registers[x] = machine.random >> 24 & low;
            break;
        case 0xd:
            machine.registers[15] = draw_sprite(screen, memory + (machine.index & (MEMORY / 2 - 1)), machine.registers[x],
                                                machine.registers[y], word & 15);
            break;
        case 0xe: machine.faults++; break;
        default: run_other(&machine, memory, x, low);
        }
        if (turn % 10 == 9) {
            machine.delay -= machine.delay > 0;
            machine.sound -= machine.sound > 0;
        }
    }
    for (int i = 0; i < SCREEN; i++) screens[i * machines + id] = screen[i];
    for (int i = 0; i < 16; i++) registers[i * machines + id] = machine.registers[i];
    faults[id] = machine.faults;
}

#define QUEENS 16
#define QUEENS_GROUP 64

typedef struct {
    ushort columns, left, right; /* that are attacked in the next row */
    ushort placed;
} opening_t;

/* Each item counts how an opening goes on until all rows have a queen; a work-group adds up what its items found. */
__kernel __attribute__((reqd_work_group_size(QUEENS_GROUP, 1, 1)))
void queen_counts(__global const opening_t *openings, const int count, const int queens, __global uint *solutions, __global ulong *sums)
{
    __local ulong parts[QUEENS_GROUP];

    const int id = get_global_id(0), lid = get_local_id(0);
    const uint all = (1u << queens) - 1;
    uint found = 0;
    if (id < count) {
        const opening_t opening = openings[id];
        uint columns[QUEENS + 1], left[QUEENS + 1], right[QUEENS + 1], free[QUEENS + 1];
        int depth = opening.placed;
        columns[depth] = opening.columns;
        left[depth] = opening.left;
        right[depth] = opening.right;
        free[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
        while (depth >= opening.placed) {
            const uint here = free[depth] & -free[depth];
            if (here == 0) {
                depth--;
                continue;
            }
            free[depth] ^= here;
            if (depth == queens - 1) {
                found++;
                continue;
            }
            columns[depth + 1] = columns[depth] | here;
            left[depth + 1] = (left[depth] | here) << 1;
            right[depth + 1] = (right[depth] | here) >> 1;
            depth++;
            free[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
        }
        solutions[id] = found;
    }
    parts[lid] = found;
    for (int offset = QUEENS_GROUP / 2; offset > 0; offset >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < offset) parts[lid] += parts[lid + offset];
    }
    if (lid == 0) sums[get_group_id(0)] = parts[0];
}

#define SUIT 0x1ffful
#define RANKS 13

enum { HIGH_CARD, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH };

/* The highest card of five in a row, or none; an ace also is a one. */
uint straight_of(const uint ranks)
{
    const uint row = ranks << 1 | ranks >> 12;
    const uint ends = row & row << 1 & row << 2 & row << 3 & row << 4;
    return ends == 0 ? 0 : 31 - clz(ends);
}

uint top_rank(const uint ranks)
{
    return 31 - clz(ranks);
}

/* The highest ranks of a set, so many of them. */
uint top_ranks(uint ranks, const int count)
{
    for (int extra = (int)popcount(ranks) - count; extra > 0; extra--) ranks &= ranks - 1;
    return ranks;
}

/* What seven cards are worth: more is better. A suit has 16 bits. */
uint worth_of(const ulong cards)
{
    const uint a = cards & SUIT, b = cards >> 16 & SUIT, c = cards >> 32 & SUIT, d = cards >> 48 & SUIT;
    const uint suits[4] = {a, b, c, d};
    uint flush = 0;
    for (int i = 0; i < 4; i++) flush = popcount(suits[i]) >= 5 ? suits[i] : flush;
    if (flush != 0) {
        const uint top = straight_of(flush);
        if (top != 0) return STRAIGHT_FLUSH << 26 | top;
    }
    const uint any = a | b | c | d;
    const uint two = (a & b) | (c & d) | ((a | b) & (c | d));
    const uint three = (a & b & (c | d)) | (c & d & (a | b));
    const uint four = a & b & c & d;
    if (four != 0) return FOUR << 26 | top_rank(four) << 13 | top_ranks(any & ~four, 1);
    if (three != 0 && (two & (two - 1)) != 0) {
        const uint top = 1u << top_rank(three);
        return FULL_HOUSE << 26 | top_rank(three) << 13 | top_ranks(two & ~top, 1);
    }
    if (flush != 0) return FLUSH << 26 | top_ranks(flush, 5);
    const uint top = straight_of(any);
    if (top != 0) return STRAIGHT << 26 | top;
    if (three != 0) return THREE << 26 | top_rank(three) << 13 | top_ranks(any & ~three, 2);
    if ((two & (two - 1)) != 0) {
        const uint pairs = top_ranks(two, 2);
        return TWO_PAIRS << 26 | pairs << 13 | top_ranks(any & ~pairs, 1);
    }
    if (two != 0) return PAIR << 26 | top_rank(two) << 13 | top_ranks(any & ~two, 3);
    return HIGH_CARD << 26 | top_ranks(any, 5);
}

/* A permuted congruential generator of 64 bits. */
uint next_word(ulong *state)
{
    const ulong old = *state;
    *state = old * 6364136223846793005ul + 1442695040888963407ul;
    return rotate((uint)((old ^ old >> 18) >> 27), -(uint)(old >> 59));
}

/* Takes a card that is not there yet. */
ulong draw_card(ulong *state, const ulong taken)
{
    for (;;) {
        const uint word = next_word(state), place = mul_hi(word, 52u);
        const ulong card = 1ul << (place / RANKS * 16 + place % RANKS);
        if ((card & taken) == 0) return card;
    }
}

/* Each item deals the other cards some times, and tells how often the first hand wins, how often the second one; others are ties. A
 * row of work-groups is a pair of hands. */
__kernel void poker_odds(__global const ulong2 *hands, const int deals, const ulong seed, __global uint *wins, __local uint2 *parts)
{
    const int lid = get_local_id(0), pair = get_global_id(1);
    const ulong first = hands[pair].x, second = hands[pair].y;
    ulong state = seed + (pair * get_global_size(0) + get_global_id(0)) * 0x9e3779b97f4a7c15ul;
    next_word(&state);
    uint2 own = (uint2)(0);
    for (int deal = 0; deal < deals; deal++) {
        ulong board = 0;
        for (int i = 0; i < 5; i++) board |= draw_card(&state, board | first | second);
        const uint worth = worth_of(board | first), other = worth_of(board | second);
        own.x += worth > other;
        own.y += worth < other;
    }
    parts[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid != 0) return;
    for (int i = 1; i < (int)get_local_size(0); i++) own += parts[i];
    atomic_add(&wins[2 * pair], own.x);
    atomic_add(&wins[2 * pair + 1], own.y);
}

__kernel void no_wins(__global uint *wins)
{
    wins[get_global_id(0)] = 0;
}
