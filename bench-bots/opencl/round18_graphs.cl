/* Graphs and games: how deep vertices are in a graph, boards that are played on until nobody can. */

/* Each vertex of a graph has as many neighbours as its row has entries, and isn't in any shell yet. */
__kernel void core_begin(__global const int *rows, const int vertices, __global int *degrees, __global int *shells,
                         __global int *waiting)
{
    const int id = get_global_id(0);
    if (id < 2) waiting[id] = 0;
    if (id >= vertices) return;
    degrees[id] = rows[id + 1] - rows[id];
    shells[id] = -1;
}

/* Vertices with no more neighbours left than a level has are of its shell. */
__kernel void core_collect(__global const int *degrees, const int vertices, const int level, __global int *shells,
                           __global int *list, __global int *waiting)
{
    const int id = get_global_id(0);
    if (id >= vertices || shells[id] >= 0 || degrees[id] > level) return;
    shells[id] = level;
    list[atomic_inc(&waiting[0])] = id;
}

/* Takes the vertices of a list off: neighbours that have no more than the level has then are for the next list. */
__kernel void core_peel(__global const int *rows, __global const int *columns, const int level, __global const int *list,
                        const int length, __global int *degrees, __global int *shells, __global int *next,
                        __global int *waiting)
{
    const int id = get_global_id(0);
    if (id >= length) return;
    const int vertex = list[id];
    for (int i = rows[vertex]; i < rows[vertex + 1]; i++) {
        const int other = columns[i];
        if (atomic_add(&degrees[other], 0) <= level) continue;
        const int before = atomic_dec(&degrees[other]);
        if (before == level + 1) {
            shells[other] = level;
            next[atomic_inc(&waiting[1])] = other;
        } else if (before <= level) {
            atomic_inc(&degrees[other]);
        }
    }
}

/* The next list is the one at hand. */
__kernel void core_turn(__global int *waiting)
{
    waiting[0] = waiting[1];
    waiting[1] = 0;
}

#define NOT_FIRST 0xfefefefefefefefeUL
#define NOT_LAST 0x7f7f7f7f7f7f7f7fUL

/* All places of a board, one step in a direction: east first, then as a clock goes. */
ulong stepped(const ulong places, const int direction)
{
    switch (direction) {
    case 0: return places << 1 & NOT_FIRST;
    case 1: return places << 9 & NOT_FIRST;
    case 2: return places << 8;
    case 3: return places << 7 & NOT_LAST;
    case 4: return places >> 1 & NOT_LAST;
    case 5: return places >> 9 & NOT_LAST;
    case 6: return places >> 8;
    default: return places >> 7 & NOT_FIRST;
    }
}

/* Where a player may put a stone: beyond lines of the other's. */
ulong moves_of(const ulong own, const ulong others)
{
    ulong moves = 0;
    for (int direction = 0; direction < 8; direction++) {
        ulong line = stepped(own, direction) & others;
        for (int i = 0; i < 5; i++) line |= stepped(line, direction) & others;
        moves |= stepped(line, direction);
    }
    return moves & ~(own | others);
}

/* The stones that a new one turns. */
ulong turned_by(const ulong stone, const ulong own, const ulong others)
{
    ulong all = 0;
    for (int direction = 0; direction < 8; direction++) {
        ulong line = 0, at = stepped(stone, direction);
        while (at & others) {
            line |= at;
            at = stepped(at, direction);
        }
        if (at & own) all |= line;
    }
    return all;
}

__kernel void no_games(__global int *results)
{
    results[get_global_id(0)] = 0;
}

/* Each item plays a game to its end, as chance has it, and counts the stones: own ones less the other's. */
__kernel void reversi_games(__global const ulong2 *boards, const int count, const int boards_count, const uint seed,
                            __global char *margins, __global uchar *lengths, __global int *results)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    ulong own = boards[id % boards_count].x, others = boards[id % boards_count].y;
    uint state = (id + 1) * 2654435761u ^ seed;
    int is_other = 0, passes = 0, length = 0;
    while (passes < 2) {
        ulong moves = moves_of(own, others);
        if (moves == 0) {
            passes++;
        } else {
            passes = 0;
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            for (int skip = (int)(state % (uint)popcount(moves)); skip > 0; skip--) moves &= moves - 1;
            const ulong stone = moves & -moves, turned = turned_by(stone, own, others);
            own |= stone | turned;
            others &= ~turned;
            length++;
        }
        const ulong next = own;
        own = others;
        others = next;
        is_other = !is_other;
    }
    const int margin = (int)popcount(own) - (int)popcount(others), result = is_other ? -margin : margin;
    margins[id] = (char)result;
    lengths[id] = (uchar)length;
    atomic_inc(&results[result > 0 ? 0 : result < 0 ? 1 : 2]);
}
