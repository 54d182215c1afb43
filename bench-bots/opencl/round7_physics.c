/* Physics. Sizes are cells along a row, photons, elements. */
#include "workloads.h"

enum { SWEEPS = 4 };
static const double gas = 1.4;

static cl_int rows_of(const struct clbench *b) { return (cl_int)(b->size / 2); }

/* A heavy bubble in the way of a blast. Buffer 0 stays as it is; 1 and 2 take turns. */
static void riemann_prepare(struct clbench *b) {
    long width = b->size, height = rows_of(b);
    cl_float4 *state = make(b, 0, (size_t)(width * height) * sizeof *state);
    for (long at = 0; at < width * height; at++) {
        double x = (double)(at % width) / (double)width, y = (double)(at / width) / (double)width;
        double bubble = hypot(x - 0.5, y - 0.25) < 0.15 ? 2.0 : 0.0, blast = hypot(x - 0.2, y - 0.2) < 0.1 ? 6.0 : 0.0;
        double density = 1.0 + bubble + 0.1 * sin(20.0 * x), u = 0.4 * cos(9.0 * y), v = 0.3 * sin(11.0 * x);
        double pressure = 1.0 + blast;
        state[at] = (cl_float4){{(float)density, (float)(density * u), (float)(density * v),
                                 (float)(pressure / (gas - 1.0) + 0.5 * density * (u * u + v * v))}};
    }
    make(b, 1, (size_t)(width * height) * sizeof *state);
    make(b, 2, (size_t)(width * height) * sizeof *state);
    make(b, 3, sizeof(cl_float));
    up(b, 0);
}

static void riemann_once(struct clbench *b) {
    cl_int width = (cl_int)b->size, height = rows_of(b), cells = width * height;
    for (int step = 0; step < SWEEPS; step++) {
        int now = step == 0 ? 0 : 2;
        cl_float *fastest = b->buffer[3].host;
        *fastest = 0.0f;
        up(b, 3);
        launch(b, "fastest_wave", RANGE1(64 * 64, 64), B(now), V(cells), B(3), LOCAL(64 * sizeof(float)));
        down(b, 3);
        cl_float dt_by_dx = 0.4f / *fastest;
        launch(b, "sweep_rows", RANGE2(round_up(width, 60) / 60 * 64, (size_t)height, 64, 1), B(now), B(1), V(width), V(height),
               V(dt_by_dx));
        launch(b, "sweep_columns", RANGE2(round_up(width, 64), round_up(height, 4), 64, 4), B(1), B(2), V(width), V(height),
               V(dt_by_dx));
    }
}

/* Density, velocity along and across, pressure; momentum along is number `n` of the state. */
static void to_primitive(const double *q, int n, double *w) {
    w[0] = q[0], w[1] = q[n] / q[0], w[2] = q[3 - n] / q[0];
    w[3] = (gas - 1.0) * (q[3] - 0.5 * q[0] * (w[1] * w[1] + w[2] * w[2]));
}

static double limited(double a, double b) { return a * b <= 0.0 ? 0.0 : fabs(a) < fabs(b) ? a : b; }

static double energy_of(const double *w) { return w[3] / (gas - 1.0) + 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2]); }

static void toro(const double *l, const double *r, double *flux) {
    double cl = sqrt(gas * l[3] / l[0]), cr = sqrt(gas * r[3] / r[0]);
    double sl = fmin(l[1] - cl, r[1] - cr), sr = fmax(l[1] + cl, r[1] + cr);
    double ml = l[0] * (sl - l[1]), mr = r[0] * (sr - r[1]);
    double contact = (r[3] - l[3] + ml * l[1] - mr * r[1]) / (ml - mr);
    const double *w = contact >= 0.0 ? l : r;
    double s = contact >= 0.0 ? sl : sr, outside = contact >= 0.0 ? fmin(s, 0.0) : fmax(s, 0.0);
    double energy = energy_of(w), thick = w[0] * (s - w[1]) / (s - contact);
    double q[4] = {w[0], w[0] * w[1], w[0] * w[2], energy};
    double star[4] = {thick, thick * contact, thick * w[2],
                      thick * (energy / w[0] + (contact - w[1]) * (contact + w[3] / (w[0] * (s - w[1]))))};
    for (int c = 0; c < 4; c++) {
        /* Where even the outermost wave goes away from the state, `outside` is 0. */
        flux[c] = q[c] * w[1] + (c == 1 ? w[3] : c == 3 ? w[3] * w[1] : 0.0) + outside * (star[c] - q[c]);
    }
}

/* A line of `n` cells, with two more at each end; `along` is the momentum's number. */
static void sweep_line(double (*line)[4], long n, int along, double dt_by_dx) {
    double(*w)[4] = malloc((size_t)(n + 4) * sizeof *w), (*slope)[4] = calloc((size_t)(n + 4), sizeof *slope);
    double last[4] = {0.0, 0.0, 0.0, 0.0};
    for (long i = 0; i < n + 4; i++) {
        to_primitive(line[i], along, w[i]);
    }
    for (long i = 1; i < n + 3; i++) {
        for (int c = 0; c < 4; c++) {
            slope[i][c] = 0.5 * limited(w[i][c] - w[i - 1][c], w[i + 1][c] - w[i][c]);
        }
    }
    for (long i = 2; i < n + 3; i++) {
        double left[4], right[4], flux[4];
        for (int c = 0; c < 4; c++) {
            left[c] = w[i - 1][c] + slope[i - 1][c];
            right[c] = w[i][c] - slope[i][c];
        }
        toro(left, right, flux);
        for (int c = 0; i > 2 && c < 4; c++) {
            int to = c == 1 ? along : c == 2 ? 3 - along : c;
            line[i - 1][to] -= dt_by_dx * (flux[c] - last[c]);
        }
        memcpy(last, flux, sizeof last);
    }
    free(w), free(slope);
}

/* All lines of one direction, with what is beyond their ends. */
static void sweep_all(double (*state)[4], long width, long height, int along, double dt_by_dx) {
    long n = along == 1 ? width : height, lines = along == 1 ? height : width;
    long step = along == 1 ? 1 : width, next = along == 1 ? width : 1;
    double(*line)[4] = malloc((size_t)(n + 4) * sizeof *line);
    for (long at = 0; at < lines; at++) {
        for (long i = -2; i < n + 2; i++) {
            long inside = i < 0 ? (along == 1 ? 0 : -1 - i) : i < n ? i : along == 1 ? n - 1 : 2 * n - 1 - i;
            memcpy(line[i + 2], state[at * next + inside * step], sizeof *line);
            line[i + 2][2] *= along == 2 && inside != i ? -1.0 : 1.0;
        }
        sweep_line(line, n, along, dt_by_dx);
        for (long i = 0; i < n; i++) {
            memcpy(state[at * next + i * step], line[i + 2], sizeof *line);
        }
    }
    free(line);
}

static int riemann_check(struct clbench *b) {
    const cl_float4 *begin = b->buffer[0].host, *got = b->buffer[2].host;
    long width = b->size, height = rows_of(b);
    double(*state)[4] = malloc((size_t)(width * height) * sizeof *state);
    int ok = 1;
    down(b, 2);
    for (long i = 0; i < 4 * width * height; i++) {
        state[i / 4][i % 4] = begin[i / 4].s[i % 4];
    }
    for (int step = 0; step < SWEEPS; step++) {
        double fastest = 0.0;
        for (long i = 0; i < width * height; i++) {
            double w[4];
            to_primitive(state[i], 1, w);
            fastest = fmax(fastest, fmax(fabs(w[1]), fabs(w[2])) + sqrt(gas * w[3] / w[0]));
        }
        sweep_all(state, width, height, 1, 0.4 / fastest);
        sweep_all(state, width, height, 2, 0.4 / fastest);
    }
    for (long i = 0; ok && i < 4 * width * height; i++) {
        ok = near("state", i, got[i / 4].s[i % 4], state[i / 4][i % 4], 1e-3);
    }
    free(state);
    return ok;
}

enum { RINGS = 32, DEPTHS = 64, LAYERS = 4 };
static const cl_uint seed = 0x2545f491u;

/* As the kernel has it. */
struct layer {
    cl_float index, absorb, scatter, forward, top, bottom;
};

static void photon_layers_prepare(struct clbench *b) {
    struct layer *layers = make(b, 0, LAYERS * sizeof *layers);
    layers[0] = (struct layer){1.5f, 0.9f, 8.0f, 0.79f, 0.0f, 0.2f};
    layers[1] = (struct layer){1.36f, 0.4f, 5.0f, 0.82f, 0.2f, 0.9f};
    layers[2] = (struct layer){1.4f, 1.3f, 6.5f, 0.9f, 0.9f, 1.1f};
    layers[3] = (struct layer){1.44f, 0.6f, 3.0f, 0.0f, 1.1f, 2.5f};
    make(b, 1, RINGS * DEPTHS * sizeof(cl_uint));
    make(b, 2, (size_t)b->size * sizeof(cl_float2));
    up(b, 0);
}

static void photon_layers_once(struct clbench *b) {
    cl_uint photons = (cl_uint)b->size;
    cl_int layers = LAYERS;
    memset(b->buffer[1].host, 0, b->buffer[1].bytes);
    up(b, 1);
    launch(b, "photon_walks", RANGE1(round_up(b->size / 4 + 1, 64), 64), V(photons), V(seed), B(0), V(layers), B(1), B(2));
}

struct photon {
    float x, y, z, dx, dy, dz, weight, back, through;
    int layer;
    uint32_t word;
};

static float uniform(struct photon *p) {
    p->word ^= p->word << 13;
    p->word ^= p->word >> 17;
    p->word ^= p->word << 5;
    return (float)((p->word >> 8) + 1) * 0x1p-24f;
}

/* What is random comes in the kernel's order, which a photon's way depends on. */
static void scatter(struct photon *p, float g) {
    float u = uniform(p), ratio = (1.0f - g * g) / (1.0f - g + 2.0f * g * u);
    float cosine = g != 0.0f ? (1.0f + g * g - ratio * ratio) / (2.0f * g) : 2.0f * u - 1.0f;
    float sine = sqrtf(fmaxf(0.0f, 1.0f - cosine * cosine)), turn = 6.2831855f * uniform(p);
    float dx = p->dx, dy = p->dy, dz = p->dz, across = sqrtf(1.0f - dz * dz);
    if (fabsf(dz) > 0.9999f) {
        p->dx = sine * cosf(turn), p->dy = sine * sinf(turn), p->dz = dz > 0.0f ? cosine : -cosine;
        return;
    }
    p->dx = sine * (dx * dz * cosf(turn) - dy * sinf(turn)) / across + dx * cosine;
    p->dy = sine * (dy * dz * cosf(turn) + dx * sinf(turn)) / across + dy * cosine;
    p->dz = dz * cosine - sine * cosf(turn) * across;
}

static void meet_border(struct photon *p, const struct layer *layers) {
    int next = p->layer + (p->dz > 0.0f ? 1 : -1), leaves = next < 0 || next >= LAYERS;
    float from = layers[p->layer].index, to = leaves ? 1.0f : layers[next].index, here = fabsf(p->dz);
    float sine = from / to * sqrtf(fmaxf(0.0f, 1.0f - here * here)), back = 1.0f, beyond = 0.0f;
    if (sine < 1.0f) {
        beyond = sqrtf(1.0f - sine * sine);
        back = 0.5f * (powf((from * here - to * beyond) / (from * here + to * beyond), 2.0f) +
                       powf((from * beyond - to * here) / (from * beyond + to * here), 2.0f));
    }
    if (uniform(p) <= back) {
        p->dz = -p->dz;
    } else if (leaves) {
        *(p->dz < 0.0f ? &p->back : &p->through) = p->weight;
        p->weight = 0.0f;
    } else {
        p->dx *= from / to, p->dy *= from / to, p->dz = copysignf(beyond, p->dz);
        p->layer = next;
    }
}

static struct photon follow(const struct layer *layers, uint32_t word, double *depths) {
    struct photon p = {.dz = 1.0f, .weight = 1.0f, .word = word};
    while (p.weight > 0.0f) {
        const struct layer *here = &layers[p.layer];
        float both = here->absorb + here->scatter, step = -logf(uniform(&p)) / both;
        float border = p.dz > 0.0f ? here->bottom : here->top, room = p.dz != 0.0f ? (border - p.z) / p.dz : INFINITY;
        float go = step >= room ? room : step;
        p.x += go * p.dx, p.y += go * p.dy, p.z = step >= room ? border : p.z + go * p.dz;
        if (step >= room) {
            meet_border(&p, layers);
            continue;
        }
        float stays = p.weight * here->absorb / both;
        depths[p.z * 16.0f < DEPTHS ? (int)(p.z * 16.0f) : DEPTHS - 1] += stays;
        p.weight -= stays;
        scatter(&p, here->forward);
        if (p.weight < 0.01f) {
            p.weight = uniform(&p) < 0.1f ? 10.0f * p.weight : 0.0f;
        }
    }
    return p;
}

/* A last digit may lead a photon another way, so a few may end elsewhere. */
static int photon_layers_check(struct clbench *b) {
    const cl_uint *absorbed = b->buffer[1].host;
    const cl_float2 *escaped = b->buffer[2].host;
    double depths[DEPTHS] = {0.0}, back = 0.0, through = 0.0, want_back = 0.0, want_through = 0.0, n = (double)b->size;
    long alike = 0;
    int ok = 1;
    down(b, 1), down(b, 2);
    for (long i = 0; i < b->size; i++) {
        struct photon p = follow(b->buffer[0].host, (uint32_t)(i + 1) * 2654435761u ^ seed, depths);
        back += escaped[i].s[0], through += escaped[i].s[1];
        want_back += p.back, want_through += p.through;
        alike += fabsf(escaped[i].s[0] - p.back) < 1e-4f && fabsf(escaped[i].s[1] - p.through) < 1e-4f;
    }
    for (int z = 0; ok && z < DEPTHS; z++) {
        double sum = 0.0;
        for (int r = 0; r < RINGS; r++) {
            sum += absorbed[z * RINGS + r] / 4096.0;
        }
        ok = near("absorbed", z, sum / n, depths[z] / n, 1e-3);
    }
    return ok && near("back", 0, back / n, want_back / n, 2e-3) && near("through", 0, through / n, want_through / n, 2e-3) &&
           same("alike", alike, alike * 50 > b->size * 49, 1);
}

enum { N = 8, CUBE = N * N * N, GROUPS = 64 };
static const double lambda = 0.37;

/* The derivatives of the polynomials through Chebyshev's points. */
static void derive(double *d) {
    double x[N];
    for (int i = 0; i < N; i++) {
        x[i] = -cos(M_PI * i / (N - 1));
    }
    for (int i = 0; i < N; i++) {
        double own = 0.0;
        for (int j = 0; j < N; j++) {
            double scale = (i + j) % 2 ? -1.0 : 1.0;
            scale *= (i % (N - 1) == 0 ? 2.0 : 1.0) / (j % (N - 1) == 0 ? 2.0 : 1.0);
            d[i * N + j] = i == j ? 0.0 : scale / (x[i] - x[j]);
            own -= d[i * N + j];
        }
        d[i * N + i] = own;
    }
}

static void element_laplace_prepare(struct clbench *b) {
    double *u = make(b, 0, (size_t)b->size * CUBE * sizeof *u), *g = make(b, 1, (size_t)b->size * 7 * CUBE * sizeof *g);
    uint32_t state = 731;
    derive(make(b, 2, N * N * sizeof(double)));
    make(b, 3, (size_t)b->size * CUBE * sizeof(double));
    make(b, 4, GROUPS * sizeof(double));
    for (long i = 0; i < b->size * CUBE; i++) {
        u[i] = random_unit(&state) - 0.5;
    }
    for (long i = 0; i < b->size * 7 * CUBE; i++) {
        long kind = i / CUBE % 7;
        g[i] = (kind == 0 || kind == 3 || kind >= 5 ? 1.0 : 0.0) + 0.2 * random_unit(&state);
    }
    up(b, 0), up(b, 1), up(b, 2);
}

static void element_laplace_once(struct clbench *b) {
    cl_int elements = (cl_int)b->size;
    cl_uint n = (cl_uint)(b->size * CUBE);
    launch(b, "element_laplace", RANGE2((size_t)b->size * N, N, N, N), V(elements), B(0), B(1), B(2), V(lambda), B(3));
    launch(b, "dot_parts", RANGE1(GROUPS * 128, 128), V(n), B(0), B(3), B(4), LOCAL(128 * sizeof(double)));
}

/* The operator of an element, point by point. */
static void apply(const double *u, const double *g, const double *d, double *result) {
    static const int which[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}, step[3] = {1, N, N * N};
    for (int at = 0; at < CUBE; at++) {
        result[at] = lambda * g[6 * CUBE + at] * u[at];
    }
    for (int at = 0; at < CUBE; at++) {
        double slope[3] = {0.0, 0.0, 0.0};
        for (int axis = 0; axis < 3; axis++) {
            int place = at / step[axis] % N, first = at - place * step[axis];
            for (int m = 0; m < N; m++) {
                slope[axis] += d[place * N + m] * u[first + m * step[axis]];
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            int place = at / step[axis] % N, first = at - place * step[axis];
            double flow = 0.0;
            for (int c = 0; c < 3; c++) {
                flow += g[which[axis][c] * CUBE + at] * slope[c];
            }
            for (int m = 0; m < N; m++) {
                result[first + m * step[axis]] += d[place * N + m] * flow;
            }
        }
    }
}

static int element_laplace_check(struct clbench *b) {
    const double *u = b->buffer[0].host, *got = b->buffer[3].host, *part = b->buffer[4].host;
    double want[CUBE], product = 0.0, sum = 0.0;
    int ok = 1;
    down(b, 3), down(b, 4);
    for (long e = 0; ok && e < b->size; e++) {
        apply(u + e * CUBE, (double *)b->buffer[1].host + e * 7 * CUBE, b->buffer[2].host, want);
        for (long i = 0; ok && i < CUBE; i++) {
            ok = near("point", e * CUBE + i, got[e * CUBE + i], want[i], 1e-10);
            product += want[i] * u[e * CUBE + i];
        }
    }
    for (int i = 0; i < GROUPS; i++) {
        sum += part[i];
    }
    return ok && near("product", 0, sum, product, 1e-9);
}

const struct workload round7_physics_workloads[] = {
    WORKLOAD(round7_physics, riemann, 77, 401, 1001, 2001),
    WORKLOAD(round7_physics, photon_layers, 301, 12007, 50021, 200003),
    WORKLOAD(round7_physics, element_laplace, 21, 1501, 5003, 20011),
    END_OF_WORKLOADS,
};
