/* Launches that do the same in other ways: with more work in an item, with other sizes of groups, with more chains. */
#include "launches.h"

static struct host host;
static cl_mem a, b, c, d;

/* Where the numbers of `b` begin in the row of which `a` has the first. */
enum { SHIFT = 5 };

static void open_all(size_t count) {
    host = open_host();
    host.program = build(&host, "kernels.cl", "");
    a = numbers(&host, count, 0);
    b = numbers(&host, count, SHIFT);
    c = numbers(&host, count, 0);
    d = numbers(&host, count, 0);
}

static double want_square(size_t i) { return (double)number_at(i) * number_at(i); }
static double want_sum(size_t i) { return (double)number_at(i) + number_at(SHIFT + i); }

/* Times one launch whose result is `c`, checks it, and prints the line. */
static void one(const char *kernel, const char *size, const char *variant, struct launch launch, size_t results,
                double (*want)(size_t), double tolerance) {
    wipe(&host, c, results * sizeof(float));
    print_case(kernel, size, variant, time_of(&host, &launch));
    check(&host, kernel, c, results, want, tolerance);
    clReleaseKernel(launch.kernel);
}

static struct launch simple(int adds, cl_int n, size_t count, size_t local) {
    const cl_mem two[] = {a, c}, three[] = {a, b, c};
    const char *name = adds ? n ? "vector_add" : "vector_add_plain" : n ? "square" : "square_plain";
    cl_kernel kernel = kernel_of(host.program, name, adds ? 3 : 2, adds ? three : two, n != 0, &n);
    return (struct launch){kernel, 1, {count / (n ? n : 1), 1}, {local, 1}};
}

static void either(int adds, const char *size, const char *variant, struct launch launch, size_t count) {
    one(adds ? "vector_add" : "square", size, variant, launch, count, adds ? want_sum : want_square, 1e-6);
}

static const size_t squares[] = {10000, 100000, 1000000, 10000000, 0}, sums[] = {110000, 1100000, 5500000, 0};

/* Section 3.3.1: n items' work in one; 0 is the kernel without a loop. */
static void simple_items(void) {
    const cl_int works[] = {0, 1, 10, 100, 1000};
    for (int adds = 0; adds < 2; adds++)
        for (const size_t *count = adds ? sums : squares; *count; count++)
            for (int w = 0; w < 5; w++) {
                char size[32], variant[32];
                sprintf(size, "%zu", *count);
                sprintf(variant, "%d", works[w]);
                either(adds, size, variant, simple(adds, works[w], *count, 0), *count);
            }
}

enum { POINTS = 32768, SAMPLES = 512, ATOMS = 512, ROW = 512 };

static double want_phase(size_t i) {
    double x = number_at(i / 2), sum = 0.0;
    for (size_t k = 0; k < SAMPLES; k++) {
        size_t s = SHIFT + 4 * k;
        double angle = 6.2831853 * (number_at(s) * x + number_at(s + 1) * x * 0.5 + number_at(s + 2) * 0.25);
        sum += number_at(s + 3) * (i % 2 ? sin(angle) : cos(angle));
    }
    return sum;
}

static double want_potential(size_t i) {
    double sum = 0.0;
    for (size_t k = 0; k < ATOMS; k++) {
        double dx = number_at(4 * k) - 0.1 * (i % ROW), dy = number_at(4 * k + 1) - 0.1 * (i / ROW), z = number_at(4 * k + 2);
        sum += number_at(4 * k + 3) / sqrt(dx * dx + dy * dy + z * z);
    }
    return sum;
}

static void long_items(void) {
    for (cl_int n = 1; n <= 16; n *= 2) {
        char variant[32];
        sprintf(variant, "%d", n);
        const cl_mem of_phases[] = {a, b, c}, of_potential[] = {a, c};
        const cl_int samples[] = {SAMPLES, n}, atoms[] = {ATOMS, n};
        cl_kernel phases = kernel_of(host.program, "phases", 3, of_phases, 2, samples);
        one("phases", "32768", variant, (struct launch){phases, 1, {POINTS / n, 1}, {0}}, 2 * POINTS, want_phase, 2e-3);
        cl_kernel potential = kernel_of(host.program, "potential", 2, of_potential, 2, atoms);
        one("potential", "512 x 64", variant, (struct launch){potential, 2, {ROW / n, 64}, {0}}, ROW * 64, want_potential, 1e-3);
    }
}

void measure_items(void) {
    open_all(squares[3]);
    simple_items();
    long_items();
}

static int chains;
enum { CHAIN_ITEMS = 65536, STEPS = 1536 };

static double want_chains(size_t i) {
    double sum = 0.0;
    for (int v = 0; v < 4; v++) {
        double x = number_at((size_t)v * CHAIN_ITEMS + i), gone = v < chains ? pow(0.999, STEPS / chains) : 1.0;
        sum += 1.0 + (x - 1.0) * gone;
    }
    return sum;
}

/* Section 3.3.2. */
void measure_chains(void) {
    open_all(4 * CHAIN_ITEMS);
    for (chains = 1; chains <= 4; chains++) {
        char name[32], variant[32];
        const cl_mem buffers[] = {a, c};
        sprintf(name, "chains%d", chains);
        sprintf(variant, "%d", chains);
        cl_kernel kernel = kernel_of(host.program, name, 2, buffers, 0, NULL);
        one("chains", "65536", variant, (struct launch){kernel, 1, {CHAIN_ITEMS, 1}, {0}}, CHAIN_ITEMS, want_chains, 1e-3);
    }
}

enum { INNER = 400, WIDTH = 800, HEIGHT = 400, SIDE = 1280 };

static double want_product(size_t i) {
    double sum = 0.0;
    for (size_t k = 0; k < INNER; k++)
        sum += (double)number_at(i / WIDTH * INNER + k) * number_at(SHIFT + k * WIDTH + i % WIDTH);
    return sum;
}

static double below(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }
static double want_call(size_t i) {
    double s = number_at(i), x = number_at(SHIFT + i), spread = 0.3 * sqrt(2.0), d1 = (log(s / x) + 0.13) / spread;
    return s * below(d1) - x * exp(-0.04) * below(d1 - spread);
}

static void squares_of_groups(const char *kernel, cl_program program, size_t x, size_t y) {
    int prices = strcmp(kernel, "black_scholes") == 0;
    const cl_mem product[] = {a, b, c}, options[] = {a, b, c, d};
    const cl_int inner = INNER;
    char variant[32] = "NULL";
    if (x)
        sprintf(variant, "%zux%zu", x, y);
    cl_kernel made = kernel_of(program, kernel, prices ? 4 : 3, prices ? options : product, !prices, &inner);
    struct launch launch = {made, 2, {prices ? SIDE : WIDTH, prices ? SIDE : HEIGHT}, {x, y}};
    const char *size = prices ? "1280 x 1280" : "800 x 400 x 400";
    one(kernel, size, variant, launch, launch.global[0] * launch.global[1], prices ? want_call : want_product, 2e-3);
}

static double want_chain(size_t i) { return number_at(i) * pow(number_at(SHIFT + i), 6.0); }
enum { STRIDE = 4, LONG = 1000000 };
static double want_strided(size_t i) { return i % STRIDE ? -77.0 : (double)number_at(i) * number_at(SHIFT + i); }

/* Section 3.5.1: what loops.c has as loops. */
void measure_loops(void) {
    open_all(4 * LONG);
    const cl_mem three[] = {a, b, c};
    const cl_int stride = STRIDE, of_phases[] = {SAMPLES, 1};
    either(0, "1000000", "", simple(0, 0, LONG, 0), LONG);
    either(1, "1000000", "", simple(1, 0, LONG, 0), LONG);
    cl_kernel chain = kernel_of(host.program, "chain", 3, three, 0, NULL);
    one("chain", "1000000", "", (struct launch){chain, 1, {LONG, 1}, {0}}, LONG, want_chain, 1e-5);
    cl_kernel strided = kernel_of(host.program, "strided", 3, three, 1, &stride);
    one("strided", "1000000", "", (struct launch){strided, 1, {LONG, 1}, {0}}, LONG * STRIDE, want_strided, 1e-6);
    squares_of_groups("black_scholes", host.program, 0, 0);
    squares_of_groups("product_naive", host.program, 0, 0);
    cl_kernel phases = kernel_of(host.program, "phases", 3, (cl_mem[]){a, b, c}, 2, of_phases);
    one("phases", "32768", "", (struct launch){phases, 1, {POINTS, 1}, {0}}, 2 * POINTS, want_phase, 2e-3);
}

/* How much times differ from one to the next in a process. */
void measure_again(void) {
    open_all(4 * LONG);
    for (int adds = 0; adds < 2; adds++)
        for (int time = 0; time < 15; time++) {
            char variant[32];
            sprintf(variant, "%d", time);
            either(adds, "1000000", variant, simple(adds, 0, LONG, 0), LONG);
        }
}

/* Section 3.3.3. */
void measure_groups(void) {
    const size_t locals[] = {0, 1, 10, 100, 1000}, sides[] = {0, 1, 2, 4, 8, 10, 16, 20}, options[][2] = {{0, 0}, {1, 1}, {1, 2}, {2, 2}, {2, 4}, {16, 16}};
    open_all(squares[3]);
    for (int adds = 0; adds < 2; adds++)
        for (int large = 0; large < 2; large++)
            for (int l = 0; l < 5; l++) {
                size_t count = adds ? sums[1 + large] : squares[2 + large];
                char size[32], variant[32] = "NULL";
                sprintf(size, "%zu", count);
                if (locals[l])
                    sprintf(variant, "%zu", locals[l]);
                either(adds, size, variant, simple(adds, 0, count, locals[l]), count);
            }
    for (int l = 0; l < 8; l++)
        squares_of_groups("product_naive", host.program, sides[l], sides[l]);
    for (size_t side = 1; side <= 16; side *= 2) {
        char define[32];
        sprintf(define, "-DTILE=%zu", side);
        squares_of_groups("product_tiled", build(&host, "tiled.cl", define), side, side);
    }
    for (int l = 0; l < 6; l++)
        squares_of_groups("black_scholes", host.program, options[l][0], options[l][1]);
}
