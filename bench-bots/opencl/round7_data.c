/* Data. Sizes are rows, points, powers. */
#include "workloads.h"

enum { KEYS = 3000, SLOTS = 16384, OFTEN = 5 };
static const cl_ushort first_day = 300, end_day = 1700;

/* As the kernel has them. */
struct slot {
    cl_uint key, count, sum_low, sum_high, least, most;
};
struct group {
    cl_uint key, count;
    cl_float mean;
    cl_uint least, most;
};

/* Keys in no order, by their rank, of which the first ones are the most common. */
static cl_uint key_of(uint32_t rank) { return rank * 2246822519u + 17u; }

/* Buffer 6, which is not the device's, has the keys' ranks. */
static void group_by_prepare(struct clbench *b) {
    cl_uint *keys = make(b, 0, (size_t)b->size * sizeof *keys), *ranks = make(b, 6, (size_t)b->size * sizeof *ranks);
    cl_ushort *values = make(b, 1, (size_t)b->size * sizeof *values), *days = make(b, 2, (size_t)b->size * sizeof *days);
    uint32_t state = 771;
    for (long i = 0; i < b->size; i++) {
        float u = random_unit(&state);
        ranks[i] = (cl_uint)(u * u * u * KEYS);
        keys[i] = key_of(ranks[i]);
        values[i] = (cl_ushort)(random_word(&state) % (60000 - 7 * ranks[i]));
        days[i] = (cl_ushort)(random_word(&state) % 2000);
    }
    make(b, 3, SLOTS * sizeof(struct slot));
    make(b, 4, SLOTS * sizeof(struct group));
    make(b, 5, sizeof(cl_uint));
    up(b, 0), up(b, 1), up(b, 2);
}

static void group_by_once(struct clbench *b) {
    cl_uint rows = (cl_uint)b->size, slots = SLOTS, mask = SLOTS - 1, often = OFTEN;
    struct slot *table = b->buffer[3].host;
    for (int i = 0; i < SLOTS; i++) {
        table[i] = (struct slot){.key = 0xffffffffu, .least = 0xffffffffu};
    }
    *(cl_uint *)b->buffer[5].host = 0;
    up(b, 3), up(b, 5);
    launch(b, "group_by", RANGE1(64 * 128, 128), B(0), B(1), B(2), V(rows), V(first_day), V(end_day), B(3), V(mask));
    launch(b, "collect_groups", RANGE1(SLOTS, 64), B(3), V(slots), V(often), B(4), B(5));
}

static int group_by_check(struct clbench *b) {
    struct known {
        long count, sum, least, most;
    } *known = calloc(KEYS, sizeof *known);
    const cl_uint *rank = b->buffer[6].host;
    const struct group *got = b->buffer[4].host;
    long groups = 0;
    int ok = 1;
    down(b, 4), down(b, 5);
    for (long i = 0; i < b->size; i++) {
        long value = ((cl_ushort *)b->buffer[1].host)[i], day = ((cl_ushort *)b->buffer[2].host)[i];
        struct known *k = &known[rank[i]];
        if (day >= first_day && day < end_day) {
            k->least = k->count == 0 || value < k->least ? value : k->least;
            k->most = value > k->most ? value : k->most;
            k->sum += value;
            groups += ++k->count == OFTEN;
        }
    }
    ok = same("groups", 0, *(cl_uint *)b->buffer[5].host, groups);
    for (long i = 0; ok && i < groups; i++) {
        long r = 0;
        while (r < KEYS - 1 && key_of((uint32_t)r) != got[i].key) {
            r++;
        }
        struct known *k = &known[r];
        ok = same("key", i, got[i].key, key_of((uint32_t)r)) && same("count", i, got[i].count, k->count) &&
             near("mean", i, got[i].mean, (double)k->sum / (double)k->count, 1e-6) && same("least", i, got[i].least, k->least) &&
             same("most", i, got[i].most, k->most);
        k->count = -1;
    }
    free(known);
    return ok;
}

/* Bit by bit. */
static cl_uint code_of(const cl_float4 *p) {
    cl_uint code = 0;
    for (int bit = 9; bit >= 0; bit--) {
        for (int axis = 0; axis < 3; axis++) {
            code = code << 1 | ((cl_uint)(p->s[axis] * 1024.0f) >> bit & 1);
        }
    }
    return code;
}

static int by_code(const void *a, const void *b) {
    cl_uint one = code_of(a), other = code_of(b);
    return (one > other) - (one < other);
}

/* Points in clusters and some twice, sorted by their codes; the fourth part is how thick they are. */
static void radix_tree_prepare(struct clbench *b) {
    cl_float4 *point = make(b, 0, (size_t)b->size * sizeof *point);
    uint32_t state = 781;
    for (long i = 0; i < b->size; i++) {
        uint32_t cluster = random_word(&state) % 97, around = cluster * 2654435761u;
        for (int axis = 0; axis < 3; axis++, around = around << 10 | around >> 22) {
            float spot = (float)(around >> 22) / 1024.0f, u = random_unit(&state) - 0.5f;
            float at = cluster < 40 ? u + 0.5f : spot + 0.3f * u * u * u;
            point[i].s[axis] = at < 0.0f ? 0.0f : at > 0.999f ? 0.999f : at;
        }
        point[i].s[3] = 0.001f * random_unit(&state);
        if (i % 50 == 7) {
            point[i] = point[i - 1];
        }
    }
    qsort(point, (size_t)b->size, sizeof *point, by_code);
    make(b, 1, (size_t)b->size * sizeof(cl_uint));
    make(b, 2, (size_t)b->size * sizeof(cl_int2));
    make(b, 3, 2 * (size_t)b->size * sizeof(cl_int));
    make(b, 4, (size_t)b->size * sizeof(cl_int));
    make(b, 5, (size_t)b->size * sizeof(cl_float4));
    make(b, 6, (size_t)b->size * sizeof(cl_float4));
    up(b, 0);
}

static void radix_tree_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    struct range all = RANGE1(round_up(b->size, 64), 64);
    up(b, 4);
    launch(b, "morton_codes", all, B(0), V(count), B(1));
    launch(b, "radix_tree", all, B(1), V(count), B(2), B(3));
    launch(b, "fit_boxes", all, B(0), V(count), B(2), B(3), B(4), B(5), B(6));
}

/* What the check of a node gives to the one above. */
struct box {
    float low[3], high[3];
    int ok;
};

static struct box check_range(struct clbench *b, long first, long last, long node);

/* A child is a leaf, or the node that has the number of one of its ends. */
static struct box check_child(struct clbench *b, long first, long last, long got, long number) {
    struct box box;
    if (first < last) {
        box = check_range(b, first, last, number);
        box.ok = box.ok && same("child", number, got, number);
        return box;
    }
    const cl_float4 *p = (cl_float4 *)b->buffer[0].host + first;
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] = p->s[axis] - p->s[3];
        box.high[axis] = p->s[axis] + p->s[3];
    }
    box.ok = same("leaf", first, got, -1 - first);
    return box;
}

static uint64_t long_code(struct clbench *b, long i) { return (uint64_t)((cl_uint *)b->buffer[1].host)[i] << 32 | (uint64_t)i; }

/* Divides a range where its highest bit that is not the same everywhere becomes 1. */
static struct box check_range(struct clbench *b, long first, long last, long node) {
    const cl_int2 child = ((cl_int2 *)b->buffer[2].host)[node];
    const cl_float4 *low = (cl_float4 *)b->buffer[5].host + node, *high = (cl_float4 *)b->buffer[6].host + node;
    int bit = 63 - __builtin_clzl(long_code(b, first) ^ long_code(b, last));
    long right = last;
    while (long_code(b, right - 1) >> bit & 1) {
        right--;
    }
    struct box box = check_child(b, first, right - 1, child.s[0], right - 1);
    if (!box.ok) {
        return box;
    }
    struct box other = check_child(b, right, last, child.s[1], right);
    box.ok = other.ok;
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] = fminf(box.low[axis], other.low[axis]);
        box.high[axis] = fmaxf(box.high[axis], other.high[axis]);
        box.ok = box.ok && near("low", node, low->s[axis], box.low[axis], 1e-6) &&
                 near("high", node, high->s[axis], box.high[axis], 1e-6);
    }
    return box;
}

static int radix_tree_check(struct clbench *b) {
    const cl_float4 *point = b->buffer[0].host;
    const cl_uint *code = b->buffer[1].host;
    long equal = 0;
    int ok = 1;
    for (int i = 1; i < 7; i++) {
        /* Buffer 4, the visits, is 0 on this side for the next run. */
        if (i != 4) {
            down(b, i);
        }
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("code", i, code[i], code_of(&point[i]));
        equal += i > 0 && code[i] == code[i - 1];
    }
    return ok && same("some equal", 0, equal > 0, 1) && check_range(b, 0, b->size - 1, 0).ok;
}

enum { LIMBS = 8, CHECKED = 300 };

/* As the kernel has it. */
struct field {
    cl_uint modulus[LIMBS], square[LIMBS], inverse;
};

/* a = a + b, modulo m; both are less than m. */
static void add_modulo(uint32_t *a, const uint32_t *b, const uint32_t *m) {
    uint32_t less[LIMBS];
    uint64_t carry = 0;
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)a[i] + b[i];
        a[i] = (uint32_t)carry;
        carry >>= 32;
        borrow += (int64_t)a[i] - m[i];
        less[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    if (carry + (uint64_t)borrow < 2) {
        memcpy(a, less, sizeof less);
    }
}

/* a = a b, bit by bit. */
static void multiply_modulo(uint32_t *a, const uint32_t *b, const uint32_t *m) {
    uint32_t sum[LIMBS] = {0};
    for (int bit = 32 * LIMBS - 1; bit >= 0; bit--) {
        add_modulo(sum, sum, m);
        if (b[bit / 32] >> bit % 32 & 1) {
            add_modulo(sum, a, m);
        }
    }
    memcpy(a, sum, sizeof sum);
}

static void modexp_256_prepare(struct clbench *b) {
    cl_uint *base = make(b, 0, (size_t)b->size * LIMBS * sizeof *base);
    cl_ulong *exponent = make(b, 1, (size_t)b->size * sizeof *exponent);
    struct field *field = make(b, 2, sizeof *field);
    uint32_t state = 791;
    for (int i = 0; i < LIMBS; i++) {
        field->modulus[i] = random_word(&state) | (i == 0 ? 1u : i == LIMBS - 1 ? 1u << 31 : 0u);
    }
    field->inverse = 1;
    for (int i = 0; i < 5; i++) {
        field->inverse *= 2u + field->modulus[0] * field->inverse;
    }
    field->square[0] = 1;
    for (int i = 0; i < 64 * LIMBS; i++) {
        add_modulo(field->square, field->square, field->modulus);
    }
    for (long i = 0; i < b->size; i++) {
        exponent[i] = ((cl_ulong)random_word(&state) << 32 | random_word(&state)) >> (i % 16 == 5 ? i / 16 % 64 : 0);
        for (long j = 0; j < LIMBS; j++) {
            base[j * b->size + i] = random_word(&state) >> (j == LIMBS - 1);
        }
    }
    make(b, 3, (size_t)b->size * LIMBS * sizeof *base);
    up(b, 0), up(b, 1), up(b, 2);
}

static void modexp_256_once(struct clbench *b) {
    cl_uint count = (cl_uint)b->size;
    launch(b, "modexp_256", RANGE1(round_up(b->size, 64), 64), B(0), B(1), V(count), B(2), B(3));
}

static int modexp_256_check(struct clbench *b) {
    const cl_uint *base = b->buffer[0].host, *got = b->buffer[3].host;
    const struct field *field = b->buffer[2].host;
    int ok = 1;
    down(b, 3);
    for (long i = 0; ok && i < b->size; i += b->size / CHECKED + 1) {
        uint32_t power[LIMBS] = {1}, x[LIMBS];
        for (long j = 0; j < LIMBS; j++) {
            x[j] = base[j * b->size + i];
        }
        for (cl_ulong rest = ((cl_ulong *)b->buffer[1].host)[i]; rest != 0; rest >>= 1) {
            if (rest & 1) {
                multiply_modulo(power, x, field->modulus);
            }
            multiply_modulo(x, x, field->modulus);
        }
        for (long j = 0; ok && j < LIMBS; j++) {
            ok = same("limb", j * b->size + i, got[j * b->size + i], power[j]);
        }
    }
    return ok;
}

const struct workload round7_data_workloads[] = {
    WORKLOAD(round7_data, group_by, 3001, 500009, 4000037, 16000057),
    WORKLOAD(round7_data, radix_tree, 1003, 100003, 500009, 2000003),
    WORKLOAD(round7_data, modexp_256, 77, 3001, 20011, 80021),
    END_OF_WORKLOADS,
};
