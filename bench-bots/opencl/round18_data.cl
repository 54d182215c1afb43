/* Data: messages of tagged fields, names that patterns fit. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
    ulong number;
    long change;
    double price;
    float ratio;
    uint flags, name;
    int status; /* 0 or which of the errors */
} record_t;

/* The next number of seven bits a byte; `at` goes behind it, or to the end and one more where there is none. */
ulong next_number(__global const uchar *bytes, int *at, const int end)
{
    ulong number = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        const uchar byte = bytes[*at];
        *at += 1;
        number |= (ulong)(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
    *at = end + 1;
    return 0;
}

/* Bytes as a number, the lowest first. */
ulong fixed_number(__global const uchar *bytes, const int at, const int count)
{
    ulong number = 0;
    for (int i = count - 1; i >= 0; i--) number = number << 8 | bytes[at + i];
    return number;
}

/* Each item reads a message: fields in any order, each with a tag that says which it is and how long. Unknown ones are left out. */
__kernel void tagged_records(__global const uchar *bytes, __global const int *ends, const int count, __global record_t *records)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    int at = id == 0 ? 0 : ends[id - 1];
    const int end = ends[id];
    record_t record = {0, 0, 0.0, 1.0f, 0, 0, 0};
    while (at < end && record.status == 0) {
        const ulong tag = next_number(bytes, &at, end);
        const int field = (int)(tag >> 3);
        ulong value = 0;
        int length = 0;
        switch (tag & 7) {
        case 0: value = next_number(bytes, &at, end); break;
        case 1: length = 8; break;
        case 2: length = (int)min(next_number(bytes, &at, end), 0x7fffffUL); break;
        case 5: length = 4; break;
        default: record.status = 2; break;
        }
        if (record.status == 0 && at + length > end) record.status = 1;
        if (record.status != 0) break;
        if (length > 0 && (tag & 7) != 2) value = fixed_number(bytes, at, length);
        switch (field) {
        case 1: record.number = value; break;
        case 2: record.change = (long)(value >> 1) ^ -(long)(value & 1); break;
        case 3: record.price = as_double(value); break;
        case 4: {
            uint hash = 2166136261u;
            for (int i = 0; i < length; i++) hash = (hash ^ bytes[at + i]) * 16777619u;
            record.name = hash;
            break;
        }
        case 5: record.ratio = as_float((uint)value); break;
        case 6: record.flags |= 1u << (value & 31); break;
        default: break;
        }
        at += length;
    }
    records[id] = record;
}

/* Whether a letter is of a set such as [a-dx] or [!0-9]; `*at` is behind the bracket, and goes behind the other one. */
int is_of_set(const char letter, __global const char *pattern, int *at)
{
    int p = *at, found = 0;
    const int others = pattern[p] == '!';
    p += others;
    while (pattern[p] != ']') {
        const char low = pattern[p];
        char high = low;
        if (pattern[p + 1] == '-' && pattern[p + 2] != ']') {
            high = pattern[p + 2];
            p += 2;
        }
        found |= letter >= low && letter <= high;
        p++;
    }
    *at = p + 1;
    return found != others;
}

/* Whether a whole name is as a pattern says. After a star without a fit the star takes one letter more. */
int fits(__global const char *name, const int length, __global const char *pattern)
{
    int at = 0, p = 0, star = -1, taken = 0;
    while (at < length) {
        int is_fit = 0, next = p + 1;
        switch (pattern[p]) {
        case '*':
            star = ++p;
            taken = at;
            continue;
        case '?': is_fit = 1; break;
        case '[': is_fit = is_of_set(name[at], pattern, &next); break;
        case 0: break;
        default: is_fit = pattern[p] == name[at]; break;
        }
        if (is_fit) {
            at++;
            p = next;
        } else if (star < 0) {
            return 0;
        } else {
            p = star;
            at = ++taken;
        }
    }
    while (pattern[p] == '*') p++;
    return pattern[p] == 0;
}

__kernel void none_fit(__global int *counts)
{
    counts[get_global_id(0)] = 0;
}

/* Which patterns fit each name, as bits, and how many names each pattern fits. */
__kernel void glob_names(__global const char *names, __global const int *ends, const int count, __global const char *patterns,
                         __global const int *starts, const int patterns_count, __global uint *found, __global int *counts)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const int begin = id == 0 ? 0 : ends[id - 1];
    uint bits = 0;
    for (int i = 0; i < patterns_count; i++) {
        if (fits(names + begin, ends[id] - begin, patterns + starts[i])) {
            bits |= 1u << i;
            atomic_inc(&counts[i]);
        }
    }
    found[id] = bits;
}
