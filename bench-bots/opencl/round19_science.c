/* Science. Sizes are widths, bonds, places of a genome. */
#include "workloads.h"

static const cl_float turn = 2.2f;
static const cl_float3 eye = {{0.3f, 1.2f, -4.0f}}, to_light = {{0.48f, 0.8f, -0.36f}};

static const double farthest = 24.0;

static long scene_height(const struct clbench *b) { return b->size * 3 / 4; }

static void march_scene_prepare(struct clbench *b) { make(b, 0, (size_t)(b->size * scene_height(b)) * sizeof(cl_float2)); }

static void march_scene_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = (cl_int)scene_height(b);
    struct range range = RANGE2(round_up(width, 8), round_up(height, 8), 8, 8);
    launch(b, "march_scene", range, V(width), V(height), V(eye), V(to_light), V(turn), B(0));
}

struct point {
    double x, y, z;
};

static struct point from_to(struct point from, double along, struct point ray) {
    return (struct point){from.x + along * ray.x, from.y + along * ray.y, from.z + along * ray.z};
}

static double far_off(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

static double bounded(double value, double low, double high) { return fmin(fmax(value, low), high); }

static double column_distance(struct point p) {
    double x = fabs(p.x - 4.0 * rint(p.x / 4.0)) - 0.25, y = fabs(p.y + 0.4) - 0.9, z = fabs(p.z - 4.0 * rint(p.z / 4.0)) - 0.25;
    double outside = far_off(fmax(x, 0.0), fmax(y, 0.0), fmax(z, 0.0));
    return outside + fmin(fmax(x, fmax(y, z)), 0.0) - 0.1;
}

static double nearest_surface(struct point p) {
    double one = far_off(p.x - 1.6 * cos((double)turn), p.y - 0.5, p.z - 2.0 - 1.6 * sin((double)turn)) - 0.7;
    double other = far_off(p.x - 2.0, p.y - 0.2, p.z - 2.0) - 0.8, share = bounded(0.5 + (other - one) / 1.2, 0.0, 1.0);
    double balls = other + share * (one - other) - 0.6 * share * (1.0 - share);
    double ring = far_off(far_off(p.x + 2.0, 0.0, p.z - 2.0) - 1.0, p.y - 0.1, 0.0) - 0.25;
    return fmin(fmin(p.y + 1.0, column_distance(p)), fmin(balls, ring));
}

static double light_at(struct point at, struct point up, double facing, struct point light) {
    struct point from = from_to(at, 0.01, up);
    double through = 1.0, along = 0.05;
    for (int i = 0; i < 32 && along < 8.0; i++) {
        double near_by = nearest_surface(from_to(from, along, light));
        if (near_by < 0.001) {
            return 0.0;
        }
        through = fmin(through, 8.0 * near_by / along), along += bounded(near_by, 0.02, 0.5);
    }
    return 0.75 * facing * through;
}

static double change(struct point at, struct point step) {
    return nearest_surface(from_to(at, 0.002, step)) - nearest_surface(from_to(at, -0.002, step));
}

/* How bright a ray's end is, and in `*along` where it is. */
static double march(struct point from, struct point ray, struct point light, double *along) {
    int step = 0;
    *along = 0.0;
    for (; step < 96 && *along < farthest; step++) {
        double near_by = nearest_surface(from_to(from, *along, ray));
        if (near_by < 0.0005 * (1.0 + *along)) {
            break;
        }
        *along += near_by;
    }
    if (step == 96 || *along >= farthest) {
        *along = farthest;
        return 0.4 + 0.3 * ray.y;
    }
    struct point at = from_to(from, *along, ray), up = {change(at, (struct point){1, 0, 0}), change(at, (struct point){0, 1, 0}),
                                                        change(at, (struct point){0, 0, 1})};
    double size = far_off(up.x, up.y, up.z);
    up.x /= size, up.y /= size, up.z /= size;
    double facing = fmax(up.x * light.x + up.y * light.y + up.z * light.z, 0.0), bright = 0.15 + 0.1 * up.y;
    return (bright + (facing > 0.0 ? light_at(at, up, facing, light) : 0.0)) * exp(-0.03 * *along);
}

/* Rays that touch something may go on or not, so that a few may differ; of a large picture some are looked at. */
static int march_scene_check(struct clbench *b) {
    const cl_float2 *got = b->buffer[0].host;
    long width = b->size, height = scene_height(b), step = width * height / 100003 + 1, differ = 0, looked = 0, far = 0;
    struct point from = {(double)eye.s[0], (double)eye.s[1], (double)eye.s[2]};
    struct point light = {(double)to_light.s[0], (double)to_light.s[1], (double)to_light.s[2]};
    down(b, 0);
    for (long i = 0; i < width * height; i += step, looked++) {
        double x = ((double)(i % width) + 0.5 - 0.5 * (double)width) / (double)height, along = 0.0;
        double y = ((double)(i / width) + 0.5 - 0.5 * (double)height) / (double)height, size = far_off(x, y + 0.15, 1.0);
        double bright = march(from, (struct point){x / size, -(y + 0.15) / size, 1.0 / size}, light, &along);
        differ += !(fabs((double)got[i].s[0] - along) < 0.01 && fabs((double)got[i].s[1] - bright) < 0.01);
        far += along >= farthest;
    }
    return same("few differ", differ, differ <= 2 + looked / 100, 1) && same("some are far away", 0, far > 0 && far < looked / 2, 1);
}

struct bond {
    cl_double price;
    cl_float coupon;
    cl_int days;
    cl_short coupons, kind;
};

static const cl_double enough = 1e-10;

/* What a bond is worth, each payment discounted by itself. */
static double worth(const struct bond *bond, double yield) {
    double years = bond->days / 365.25, sum = 0.0;
    if (bond->kind == 1) {
        return 100.0 * pow(1.0 + yield, -years);
    }
    double periods = years * bond->coupons, step = 1.0 + yield / bond->coupons;
    for (double time = periods; time > 0.0 || sum == 0.0; time -= 1.0) {
        double paid = (double)bond->coupon / bond->coupons + (time == periods ? 100.0 : 0.0);
        sum += paid * pow(step, -time);
    }
    return sum;
}

/* Buffer 6 has the yields, on this side alone. */
static void bond_yields_prepare(struct clbench *b) {
    static const cl_short often[4] = {1, 2, 4, 12};
    struct bond *bonds = make(b, 0, (size_t)b->size * sizeof *bonds);
    double *yields = make(b, 6, (size_t)b->size * sizeof *yields);
    uint32_t state = 2437;
    for (long i = 0; i < b->size; i++) {
        yields[i] = -0.005 + 0.12 * (double)random_unit(&state) * (double)random_unit(&state);
        bonds[i].coupon = (float)(1 + random_word(&state) % 32) * 0.25f;
        bonds[i].days = (cl_int)(20 + random_word(&state) % (random_word(&state) % 4 == 0 ? 10900 : 3600));
        bonds[i].coupons = often[random_word(&state) % 8 < 6 ? 1 + i % 2 : i % 4], bonds[i].kind = i % 13 == 5;
        yields[i] = i % 101 == 7 && bonds[i].kind == 0 ? 0.9 : yields[i];
        bonds[i].price = worth(bonds + i, yields[i]);
    }
    make(b, 1, (size_t)b->size * sizeof(cl_double4));
    up(b, 0);
}

static void bond_yields_once(struct clbench *b) {
    cl_int count = (cl_int)b->size;
    launch(b, "bond_yields", RANGE1(round_up(count, 32), 32), B(0), V(count), V(enough), B(1));
}

/* Duration and convexity are compared with differences of values. */
static int bond_yields_check(struct clbench *b) {
    const struct bond *bonds = b->buffer[0].host;
    const double *yields = b->buffer[6].host;
    const cl_double4 *got = b->buffer[1].host;
    double steps = 0.0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        double off = 1e-4, high = worth(bonds + i, yields[i] + off), low = worth(bonds + i, yields[i] - off);
        double price = bonds[i].price;
        ok = near("yield", i, got[i].s[0], yields[i], 1e-8) && near("price", i, worth(bonds + i, got[i].s[0]), price, 1e-9) &&
             near("duration", i, got[i].s[1], (low - high) / (2.0 * off * price), 1e-4) &&
             near("convexity", i, got[i].s[2], (low + high - 2.0 * price) / (off * off * price), 1e-3) &&
             same("steps are few", i, got[i].s[3] <= 40.0, 1);
        steps += got[i].s[3];
    }
    return ok && same("steps are some", 0, steps > 2.0 * (double)b->size, 1);
}

enum { SPAN = 32, WORDS = 17 };

static const cl_float together = 0.25f;

/* Places close to each other have much in common. */
static void linkage_pairs_prepare(struct clbench *b) {
    cl_ulong *planes[3];
    uint32_t state = 2441;
    for (int i = 0; i < 3; i++) {
        planes[i] = make(b, i, (size_t)(b->size * WORDS) * sizeof(cl_ulong));
    }
    for (long i = 0; i < b->size * WORDS * 64; i++) {
        long word = i / 64;
        unsigned variants = random_word(&state) % 3, luck = random_word(&state) % 100;
        if (word >= WORDS && luck < (i / 64 / WORDS % 10 == 0 ? 20u : 85u)) {
            cl_ulong one = planes[0][word - WORDS] >> i % 64 & 1, two = planes[1][word - WORDS] >> i % 64 & 1;
            variants = (unsigned)(one + two);
        }
        planes[0][word] |= (cl_ulong)(variants >= 1) << i % 64, planes[1][word] |= (cl_ulong)(variants == 2) << i % 64;
        planes[2][word] |= (cl_ulong)(luck % 33 != 4) << i % 64;
    }
    make(b, 3, (size_t)(b->size * SPAN) * sizeof(float)), make(b, 4, (size_t)b->size * sizeof(cl_int));
    up(b, 0), up(b, 1), up(b, 2);
}

static void linkage_pairs_once(struct clbench *b) {
    cl_int places = (cl_int)b->size, words = WORDS;
    launch(b, "no_partners", RANGE1((size_t)b->size, 0), B(4));
    struct range range = RANGE2(SPAN, (size_t)b->size, SPAN, 1);
    launch(b, "linkage_pairs", range, B(0), B(1), B(2), V(places), V(words), V(together), B(3), B(4));
}

/* The square of a correlation, person by person. */
static double linkage(const struct clbench *b, long i, long j) {
    const cl_ulong *ones = b->buffer[0].host, *twos = b->buffer[1].host, *known = b->buffer[2].host;
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (long k = 0; k < WORDS * 64; k++) {
        long first = i * WORDS + k / 64, second = j * WORDS + k / 64;
        double a = (double)((ones[first] >> k % 64 & 1) + (twos[first] >> k % 64 & 1));
        double c = (double)((ones[second] >> k % 64 & 1) + (twos[second] >> k % 64 & 1));
        if ((known[first] & known[second]) >> k % 64 & 1) {
            n += 1.0, x += a, y += c, xx += a * a, yy += c * c, xy += a * c;
        }
    }
    return (n * xy - x * y) * (n * xy - x * y) / ((n * xx - x * x) * (n * yy - y * y));
}

/* How many partners each place has is told from the squares that the kernel gives, of which not all are looked at where there are
 * many. */
static int linkage_pairs_check(struct clbench *b) {
    const float *squares = b->buffer[3].host;
    const cl_int *partners = b->buffer[4].host;
    cl_int *wanted = calloc((size_t)b->size, sizeof *wanted);
    long step = b->size * SPAN / 100003 + 1, many = 0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long at = 0; ok && at < b->size * SPAN; at++) {
        long i = at / SPAN, j = i + at % SPAN + 1;
        if (squares[at] >= together && j < b->size) {
            wanted[i]++, wanted[j]++, many++;
        }
        ok = at % step != 0 || near("square", at, (double)squares[at], j < b->size ? linkage(b, i, j) : -1.0, 1e-5);
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("partners", i, partners[i], wanted[i]);
    }
    free(wanted);
    return ok && same("some go together", 0, many > b->size && many < b->size * SPAN / 2, 1);
}

const struct workload round19_science_workloads[] = {
    WORKLOAD(round19_science, march_scene, 40, 88, 1280, 3840),
    WORKLOAD(round19_science, bond_yields, 301, 4001, 50021, 300007),
    WORKLOAD(round19_science, linkage_pairs, 101, 1501, 20011, 100003),
    END_OF_WORKLOADS,
};
