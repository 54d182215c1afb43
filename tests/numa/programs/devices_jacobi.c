/* devices_jacobi: heat in a plate on locations as devices (VICINITY_DEVICES=locations). devices_jacobi COUNT THREADS, of each.
 *
 * The plate is cut into bands of rows, dealt to the devices in turn. A band has a row of each neighbour's (its halo) at both ends. In
 * each step a device computes the outermost rows of a band first; they are copied to the neighbours' devices (the paper's peer update)
 * while it computes the others. Nobody waits for a step: what follows what is said by dependences alone. */
#include "devices.h"

enum { COLUMNS = 256, ROWS = 192, STEPS = 24, MOST_BANDS = 2 * MOST };

/* Rows 0 and `rows + 1` are halos, or the plate's ends. */
struct band {
    int device, rows;
    double *plate[2];
};

static struct band bands[MOST_BANDS];
static int band_count;
static double *serial[2];
/* What depends on what: a band's outermost rows, the others, and its halos, of each of both plates. */
static char outer[2][MOST_BANDS], inner[2][MOST_BANDS], halo[2][MOST_BANDS][2];

static double start_of(int row, int column) { return row == 0 ? 100 : row == ROWS + 1 ? 40 : column == 0 ? 75 : (row * 31 + column * 17) % 23; }

static void relax(const double *from, double *to) {
    to[0] = from[0], to[COLUMNS - 1] = from[COLUMNS - 1];
    for (int at = 1; at < COLUMNS - 1; at++)
        to[at] = from[at] + 0.2 * (from[at - 1] + from[at + 1] + from[at - COLUMNS] + from[at + COLUMNS] - 4 * from[at]);
}

static void in_series(void) {
    for (int i = 0; i < 2; i++) {
        serial[i] = malloc((ROWS + 2) * COLUMNS * sizeof *serial[i]);
        CHECK(serial[i] != NULL);
        for (int at = 0; at < (ROWS + 2) * COLUMNS; at++) serial[i][at] = start_of(at / COLUMNS, at % COLUMNS);
    }
    for (int step = 0; step < STEPS; step++)
        for (int row = 1; row <= ROWS; row++) relax(serial[step % 2] + row * COLUMNS, serial[1 - step % 2] + row * COLUMNS);
}

static void cut(int of_device) {
    band_count = count * of_device;
    for (int number = 0, first = 0; number < band_count; number++) {
        struct band *band = &bands[number];
        int end = ROWS * (number + 1) / band_count;
        *band = (struct band){.device = number % count, .rows = end - first};
        for (int i = 0; i < 2; i++) {
            band->plate[i] = at_device((band->rows + 2) * COLUMNS * sizeof(double), band->device);
            for (int row = 0; row < band->rows + 2; row++)
                for (int column = 0; column < COLUMNS; column++) band->plate[i][row * COLUMNS + column] = start_of(first + row, column);
        }
        first = end;
    }
}

/* A row goes to a neighbour when it is computed, and the neighbour has no more use for the one before. */
static void send(int from, int to, int now) {
    struct band *here = &bands[from], *there = &bands[to];
    int side = to < from;
    double *source = here->plate[now] + (side ? 1 : here->rows) * COLUMNS;
    double *target = there->plate[now] + (side ? there->rows + 1 : 0) * COLUMNS;
    omp_depend_t after[2];
#pragma omp depobj(after[0]) depend(in : outer[now][from])
#pragma omp depobj(after[1]) depend(inout : halo[now][to][side])
    EQUAL(omp_target_memcpy_async(target, source, COLUMNS * sizeof *target, 0, 0, there->device, here->device, 2, after), 0);
#pragma omp depobj(after[0]) destroy
#pragma omp depobj(after[1]) destroy
}

static void step(int number, int old) {
    int now = 1 - old, device = bands[number].device, rows = bands[number].rows;
    const double *from = bands[number].plate[old];
    double *to = bands[number].plate[now];
#pragma omp target nowait device(device) is_device_ptr(from, to) firstprivate(device, rows) \
    depend(in : halo[old][number][0], halo[old][number][1], inner[old][number], outer[old][number]) depend(inout : outer[now][number])
#pragma omp parallel for
    for (int end = 0; end < 2; end++) {
        int row = end ? rows : 1;
        note_device(device);
        relax(from + row * COLUMNS, to + row * COLUMNS);
    }
    if (number > 0) send(number, number - 1, now);
    if (number + 1 < band_count) send(number, number + 1, now);
#pragma omp target nowait device(device) is_device_ptr(from, to) firstprivate(device, rows) \
    depend(in : inner[old][number], outer[old][number]) depend(inout : inner[now][number])
#pragma omp parallel for
    for (int row = 2; row < rows; row++) {
        note_device(device);
        relax(from + row * COLUMNS, to + row * COLUMNS);
    }
}

static void check(int of_device) {
    EQUAL(strays, 0);
    for (int number = 0, first = 0; number < band_count; first += bands[number++].rows) {
        const struct band *band = &bands[number];
        const double *end = band->plate[STEPS % 2];
        for (int row = 1; row <= band->rows; row++)
            if (memcmp(end + row * COLUMNS, serial[STEPS % 2] + (first + row) * COLUMNS, COLUMNS * sizeof *end) != 0)
                FAIL("row %d, which is row %d of band %d, is not as computed in series", first + row, row, number);
        for (int i = 0; i < 2; i++) {
            check_at("a band", band->plate[i], (band->rows + 2) * COLUMNS * sizeof *end, band->device);
            omp_target_free(band->plate[i], band->device);
        }
    }
    printf("%d steps, %d bands a device: as in series, and each band at its device\n", STEPS, of_device);
}

int main(int argc, char **argv) {
    told(argc, argv);
    EQUAL(omp_get_num_devices(), count);
    in_series();
    for (int of_device = 1; of_device <= 2; of_device++) {
        cut(of_device);
        for (int at = 0; at < STEPS; at++)
            for (int number = 0; number < band_count; number++) step(number, at % 2);
#pragma omp taskwait
        check(of_device);
    }
    return 0;
}
