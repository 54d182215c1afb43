/* devices_matrix: the product of two matrices on locations as devices (VICINITY_DEVICES=locations): tiles of rows in turn, and tiles
 * to whichever device is free. devices_matrix COUNT THREADS, of each.
 *
 * As programs for accelerators have it, each device has a copy of the second matrix, and of the others the rows that it computes. */
#include "devices.h"

enum { SIDE = 192, ROWS = 8, TILES = SIDE / ROWS, TILE = ROWS * SIDE };

static double *a, *b, *c, *wanted, *copy[MOST];
static int owner[TILES];

static void row_of_product(const double *from, const double *by, double *to) {
    for (int column = 0; column < SIDE; column++) {
        double sum = 0;
        for (int k = 0; k < SIDE; k++) sum += from[k] * by[k * SIDE + column];
        to[column] = sum;
    }
}

static void prepare(void) {
    a = (double *)map_pages(SIDE * SIDE * sizeof *a), b = (double *)map_pages(SIDE * SIDE * sizeof *b);
    c = (double *)map_pages(SIDE * SIDE * sizeof *c), wanted = (double *)map_pages(SIDE * SIDE * sizeof *wanted);
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = 1.0 / (1 + i % 97);
        b[i] = i % 31 - 15.5;
    }
    for (int row = 0; row < SIDE; row++) row_of_product(a + row * SIDE, b, wanted + row * SIDE);
    for (int device = 0; device < count; device++) {
        copy[device] = at_device(SIDE * SIDE * sizeof *b, device);
        EQUAL(omp_target_memcpy(copy[device], b, SIDE * SIDE * sizeof *b, 0, 0, device, omp_get_initial_device()), 0);
        check_at("a copy", copy[device], SIDE * SIDE * sizeof *b, device);
    }
}

/* Tile after tile to device after device; the host waits for all of them. */
static void in_turn(void) {
    static char done[TILES];
    (void)done; /* gcc does not see what depend clauses use */
    for (int tile = 0; tile < TILES; tile++) {
        int device = tile % count;
        const double *from = a + tile * TILE, *by = copy[device];
        double *to = c + tile * TILE;
        owner[tile] = device;
#pragma omp target enter data map(to : from[0 : TILE]) map(alloc : to[0 : TILE]) device(device) nowait depend(inout : done[tile])
#pragma omp target nowait device(device) map(to : from[0 : TILE]) map(from : to[0 : TILE]) is_device_ptr(by) \
    firstprivate(device) depend(inout : done[tile])
#pragma omp parallel for
        for (int row = 0; row < ROWS; row++) {
            note_device(device);
            row_of_product(from + row * SIDE, by, to + row * SIDE);
        }
#pragma omp target exit data map(release : from[0 : TILE]) map(from : to[0 : TILE]) device(device) nowait depend(inout : done[tile])
    }
#pragma omp taskwait
}

/* A thread of the host for each device takes the next tile from a counter when its device is done with the last one. */
static void to_the_free(void) {
    int next = 0;
#pragma omp parallel num_threads(count)
    {
        int device = omp_get_thread_num();
        const double *by = copy[device];
        for (;;) {
            int tile;
#pragma omp atomic capture
            tile = next++;
            if (tile >= TILES) break;
            const double *from = a + tile * TILE;
            double *to = c + tile * TILE;
            owner[tile] = device;
#pragma omp target data map(to : from[0 : TILE]) map(from : to[0 : TILE]) device(device)
            {
#pragma omp target nowait device(device) map(to : from[0 : TILE]) map(from : to[0 : TILE]) is_device_ptr(by) firstprivate(device)
#pragma omp parallel for
                for (int row = 0; row < ROWS; row++) {
                    note_device(device);
                    row_of_product(from + row * SIDE, by, to + row * SIDE);
                }
#pragma omp taskwait
            }
        }
    }
}

static void check(const char *how) {
    int tiles[MOST] = {0};
    EQUAL(strays, 0);
    EQUAL(memcmp(c, wanted, SIDE * SIDE * sizeof *c), 0);
    for (int tile = 0; tile < TILES; tile++) {
        tiles[owner[tile]]++;
        if (!maps_move()) continue;
        check_at("rows that are used", a + tile * TILE, TILE * sizeof *a, owner[tile]);
        check_at("rows that are made", c + tile * TILE, TILE * sizeof *c, owner[tile]);
    }
    printf("%s, tiles of each device:", how);
    for (int device = 0; device < count; device++) printf(" %d", tiles[device]);
    putchar('\n');
    memset(c, 0, SIDE * SIDE * sizeof *c);
}

int main(int argc, char **argv) {
    told(argc, argv);
    EQUAL(omp_get_num_devices(), count);
    prepare();
    in_turn();
    check("in turn");
    to_the_free();
    check("to the free");
    for (int device = 0; device < count; device++) omp_target_free(copy[device], device);
    return 0;
}
