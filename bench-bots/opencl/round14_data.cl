/* Data: text that gets another encoding, a table in which each key has two places, points that are sought in areas. */

#define TEXT_ITEMS 64
#define ITEM_BYTES 16 /* whose characters an item converts: those that begin there */
#define REPLACEMENT 0xfffd

/* The character that begins at a place, unless that is within one: its number, or that of a replacement if bytes are missing. */
uint character_at(__global const uchar *text, const uint bytes, const uint at)
{
    const uchar lead = text[at];
    if (lead < 0x80) return lead;
    const uint more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    uint number = lead & (0x3f >> more);
    for (uint i = 1; i <= more; i++) {
        if (at + i >= bytes || (text[at + i] & 0xc0) != 0x80) return REPLACEMENT;
        number = number << 6 | (text[at + i] & 0x3f);
    }
    return number;
}

/* How many words of 16 bits the characters need that begin in an item's bytes. */
uint words_of(__global const uchar *text, const uint bytes, const uint first)
{
    uint words = 0;
    for (uint at = first; at < min(first + ITEM_BYTES, bytes); at++) {
        if ((text[at] & 0xc0) == 0x80) continue;
        words += character_at(text, bytes, at) >= 0x10000 ? 2 : 1;
    }
    return words;
}

/* The sum of all items' values. */
__kernel __attribute__((reqd_work_group_size(TEXT_ITEMS, 1, 1)))
void count_words(__global const uchar *text, const uint bytes, __global uint *counts)
{
    __local uint shared[TEXT_ITEMS];

    const uint lid = get_local_id(0);
    shared[lid] = words_of(text, bytes, get_global_id(0) * ITEM_BYTES);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = TEXT_ITEMS / 2; step > 0; step >>= 1) {
        if (lid < step) shared[lid] += shared[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) counts[get_group_id(0)] = shared[0];
}

/* Where each group's words begin: a work-group goes through all counts, as many as it has items at a time. */
__kernel void place_groups(__global uint *counts, const uint groups, __local uint *shared, __global uint *total)
{
    const uint lid = get_local_id(0), items = get_local_size(0);
    uint before = 0;
    for (uint first = 0; first < groups; first += items) {
        const uint i = first + lid, own = i < groups ? counts[i] : 0;
        shared[lid] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < items; step *= 2) {
            const uint more = lid >= step ? shared[lid - step] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            shared[lid] += more;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (i < groups) counts[i] = before + shared[lid] - own;
        before += shared[items - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) *total = before;
}

__kernel __attribute__((reqd_work_group_size(TEXT_ITEMS, 1, 1)))
void write_words(__global const uchar *text, const uint bytes, __global const uint *starts, __global ushort *out)
{
    __local uint shared[TEXT_ITEMS];

    const uint lid = get_local_id(0), first = get_global_id(0) * ITEM_BYTES, own = words_of(text, bytes, first);
    shared[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < TEXT_ITEMS; step *= 2) {
        const uint more = lid >= step ? shared[lid - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[lid] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    uint to = starts[get_group_id(0)] + shared[lid] - own;
    for (uint at = first; at < min(first + ITEM_BYTES, bytes); at++) {
        if ((text[at] & 0xc0) == 0x80) continue;
        const uint number = character_at(text, bytes, at);
        if (number >= 0x10000) {
            out[to++] = 0xd800 + ((number - 0x10000) >> 10);
            out[to++] = 0xdc00 + (number & 0x3ff);
        } else {
            out[to++] = number;
        }
    }
}

#define NOBODY 0xffffffffu
#define MOST_MOVES 60
#define PROBERS 128

uint first_place(uint key, const uint mask)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return (key ^ key >> 16) & mask;
}

uint second_place(uint key, const uint mask)
{
    key = (key ^ key >> 17) * 0xed5ad4bbu;
    key = (key ^ key >> 11) * 0xac4c1b51u;
    return (key ^ key >> 15) & mask;
}

/* `counts` has how many rows found no place, and how many probes found a row. */
__kernel void cuckoo_clear(__global uint4 *table, const uint quads, __global uint *counts)
{
    const uint id = get_global_id(0);
    if (id < quads) table[id] = (uint4)(NOBODY);
    if (id < 2) counts[id] = 0;
}

/* Puts each row to one of its key's two places; whoever was there goes to its other one, and so on. Who has been sent away too
 * often is left to a list. */
__kernel void cuckoo_insert(__global const uint *keys, const uint rows, __global uint *table, const uint mask,
                            __global uint *left, __global uint *counts)
{
    const uint id = get_global_id(0);
    if (id >= rows) return;
    uint row = id, place = first_place(keys[row], mask);
    for (int move = 0; move < MOST_MOVES; move++) {
        row = atomic_xchg(&table[place], row);
        if (row == NOBODY) return;
        const uint key = keys[row], one = first_place(key, mask), other = second_place(key, mask);
        place = place == one ? other : one;
    }
    left[atomic_inc(&counts[0])] = row;
}

/* The row that has each probe's key, if there is one. */
__kernel __attribute__((reqd_work_group_size(PROBERS, 1, 1)))
void cuckoo_find(__global const uint *keys, __global const uint *table, const uint mask, __global const uint *left,
                 __global uint *counts, __global const uint *probes, const uint count, __global uint *found)
{
    __local uint hits;

    const uint id = get_global_id(0), lid = get_local_id(0);
    if (lid == 0) hits = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < count) {
        const uint key = probes[id];
        uint row = table[first_place(key, mask)];
        if (row == NOBODY || keys[row] != key) row = table[second_place(key, mask)];
        if (row == NOBODY || keys[row] != key) {
            row = NOBODY;
            for (uint i = 0; i < counts[0]; i++) {
                if (keys[left[i]] != key) continue;
                row = left[i];
                break;
            }
        }
        found[id] = row;
        if (row != NOBODY) atomic_inc(&hits);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0 && hits > 0) atomic_add(&counts[1], hits);
}

#define GRID_SHIFT 14 /* of a coordinate, for the cell of the grid */
#define GRID_SIDE 64

__kernel void clear_counts(__global int *inside, const int count)
{
    const int id = get_global_id(0);
    if (id < count) inside[id] = 0;
}

/* The lowest area in which each point is, or -1, and how many points each area has. A cell of the grid has the areas whose box
 * touches it; a point is in an area if a line from it to the right crosses the border an odd number of times. */
__kernel void points_in_areas(__global const int2 *points, const int count, __global const int *cells,
                              __global const int *members, __global const int4 *boxes, __global const int *starts,
                              __global const int2 *corners, __global int *area_of, __global int *inside)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int2 point = points[id];
    const int cell = (point.y >> GRID_SHIFT) * GRID_SIDE + (point.x >> GRID_SHIFT);
    int lowest = INT_MAX;
    for (int k = cells[cell]; k < cells[cell + 1]; k++) {
        const int area = members[k];
        const int4 box = boxes[area];
        if (point.x < box.x || point.y < box.y || point.x > box.z || point.y > box.w) continue;
        bool within = false;
        int2 from = corners[starts[area + 1] - 1];
        for (int i = starts[area]; i < starts[area + 1]; i++) {
            const int2 to = corners[i];
            if ((from.y > point.y) != (to.y > point.y)) {
                const long turn = (long)(to.x - from.x) * (point.y - from.y) - (long)(point.x - from.x) * (to.y - from.y);
                if ((turn > 0) == (to.y > from.y)) within = !within;
            }
            from = to;
        }
        if (!within) continue;
        atomic_inc(&inside[area]);
        lowest = min(lowest, area);
    }
    area_of[id] = lowest == INT_MAX ? -1 : lowest;
}
