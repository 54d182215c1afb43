/* devices: locations as devices of OpenMP (VICINITY_DEVICES=locations). devices COUNT THREADS, of each.
 *
 * clang compiles target regions without nowait as plain code unless it is told of a device, so only gcc's programs run here; see
 * devices_nowait.c. */
#include "devices.h"
#include <errno.h>

/* Each region is on its device, and so are the threads of regions in it. */
static void regions(void) {
    EQUAL(omp_get_num_devices(), count);
    EQUAL(omp_get_initial_device(), count);
    EQUAL(omp_get_device_num(), count);
    EQUAL(omp_is_initial_device(), 1);
    for (int device = 0; device <= count; device++) {
        int number = -1, host = -1, size = 0, elsewhere = 0, most = 0;
#pragma omp target device(device) map(from : number, host, most) map(tofrom : size, elsewhere)
        {
            number = omp_get_device_num();
            host = omp_is_initial_device();
            most = omp_get_num_procs();
#pragma omp parallel
            {
#pragma omp single
                size = omp_get_num_threads();
                if (omp_get_device_num() != number) {
#pragma omp atomic
                    elsewhere++;
                }
                if (device < count && vicinity_current_location() != device) {
#pragma omp atomic
                    elsewhere++;
                }
            }
        }
        EQUAL(number, device);
        EQUAL(host, device == count);
        EQUAL(elsewhere, 0);
        if (device < count) EQUAL(size, threads);
        if (device < count) EQUAL(most, threads);
    }
    int number = -1;
    omp_set_default_device(count - 1);
#pragma omp target map(from : number)
    number = omp_get_device_num();
    EQUAL(number, count - 1);
#pragma omp target map(from : number) if (0)
    number = omp_get_device_num();
    EQUAL(number, count);
    omp_set_default_device(0);
}

/* The host goes on while a mapping waits for the region that touches its pages first, which waits for the host. */
static void moved_later(char *pages) {
    int go = 0, last = count - 1;
    char order[1] = {0};
    (void)order;
#pragma omp target nowait device(0) map(tofrom : go) depend(out : order[0])
    {
        for (int may = 0; may == 0;) {
#pragma omp atomic read
            may = go;
        }
        touch(pages, MIB);
    }
#pragma omp target enter data map(to : pages[0 : MIB]) device(last) nowait depend(inout : order[0])
#pragma omp atomic write
    go = 1;
#pragma omp taskwait
    if (!truth_is_the_kernel()) return;
    for (size_t at = 0; at < MIB; at += PAGE) EQUAL(node_of(pages + at), last);
}

/* What is mapped goes where the device is, and so does what is allocated there. */
static void data(void) {
    for (int device = 0; device < count; device++) {
        size_t bytes[MOST] = {0};
        char *block = omp_target_alloc(MIB, device);
        CHECK(block != NULL);
        touch(block, MIB);
        EQUAL(vicinity_locate(block, MIB, bytes, MOST), 0);
        EQUAL(bytes[device], MIB);
        char text[6] = "abcde";
        EQUAL(omp_target_memcpy(block, text, sizeof text, 8, 0, device, omp_get_initial_device()), 0);
        CHECK(strcmp(block + 8, "abcde") == 0);
        CHECK(omp_target_is_present(block, device));
        omp_target_free(block, device);
    }
    CHECK(omp_target_alloc(16, count + 1) == NULL);
    CHECK(!omp_target_is_present(&count, count + 1));
    char *pages = map_pages(MIB);
    moved_later(pages);
    if (!truth_is_the_kernel()) return;
    for (int device = count - 1; device >= 0; device--) {
#pragma omp target enter data map(to : pages[0 : MIB]) device(device)
        for (size_t at = 0; at < MIB; at += PAGE) EQUAL(node_of(pages + at), device);
#pragma omp target exit data map(from : pages[0 : MIB]) device(device)
    }
}

/* The host goes on while a rectangle waits for what it is cut out of; its description may be gone by then. */
static void rectangle(int *to, int *from, int device, int other) {
    char order[1] = {0};
    omp_depend_t after[1];
    (void)order;
    int go = 0;
#pragma omp target nowait device(other) map(tofrom : go) map(to : from[0 : 64]) depend(out : order[0])
    {
        for (int may = 0; may == 0;) {
#pragma omp atomic read
            may = go;
        }
        for (int i = 0; i < 64; i++) from[i] = 100 + i;
    }
#pragma omp depobj(after[0]) depend(inout : order[0])
    {
        size_t volume[] = {2, 3}, to_offsets[] = {0, 1}, from_offsets[] = {1, 2}, to_extents[] = {2, 4}, from_extents[] = {8, 8};
        size_t large[] = {(size_t)1 << 62, 8};
        EQUAL(omp_target_memcpy_rect_async(to, from, sizeof *to, 2, volume, to_offsets, from_offsets, large, from_extents, device, other, 0, NULL), EINVAL);
        EQUAL(omp_target_memcpy_rect_async(to, from, sizeof *to, 0, volume, to_offsets, from_offsets, large, from_extents, device, other, 0, NULL), EINVAL);
        EQUAL(omp_target_memcpy_rect_async(to, from, sizeof *to, 2, volume, to_offsets, from_offsets, to_extents, from_extents, device, other, 1, after), 0);
        volume[0] = volume[1] = 0;
    }
#pragma omp atomic write
    go = 1;
#pragma omp taskwait
#pragma omp depobj(after[0]) destroy
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 3; column++) EQUAL(to[row * 4 + 1 + column], 100 + (1 + row) * 8 + 2 + column);
}

/* The host goes on while a copy waits for the region that makes what is copied, which waits for the host; the copy goes on beside the
 * region of the device that gets it, which waits for the copy. */
static void copies(void) {
    enum { WORDS = 1 << 14 };
    char order[2] = {0};
    omp_depend_t after[1];
    (void)order;
    for (int device = 0; device < count; device++) {
        int other = (device + 1) % count;
        int *from = omp_target_alloc(WORDS * sizeof *from, device), *to = omp_target_alloc(WORDS * sizeof *to, other);
        CHECK(from != NULL && to != NULL);
        omp_target_memset(to, 0, WORDS * sizeof *to, other);
        int go = 0, begun = 0, arrived = 0;
#pragma omp target nowait device(device) map(tofrom : go) map(to : from[0 : WORDS]) depend(out : order[0])
        {
            for (int may = 0; may == 0;) {
#pragma omp atomic read
                may = go;
            }
            for (int i = 0; i < WORDS; i++) from[i] = i + 1;
        }
#pragma omp target nowait device(other) map(tofrom : begun, arrived) map(to : to[0 : WORDS])
        {
#pragma omp atomic write
            begun = 1;
            for (int last = 0; last == 0;) {
#pragma omp atomic read
                last = to[WORDS - 1];
            }
#pragma omp atomic write
            arrived = 1;
        }
#pragma omp depobj(after[0]) depend(inout : order[0])
        EQUAL(omp_target_memcpy_async(to, from, WORDS * sizeof *to, 0, 0, other, device, 1, after), 0);
#pragma omp atomic write
        go = 1;
#pragma omp taskwait
#pragma omp depobj(after[0]) destroy
        EQUAL(begun + arrived, 2);
        for (int i = 0; i < WORDS; i++) EQUAL(to[i], i + 1);
        EQUAL(omp_target_memcpy_async(to, from, 8, 0, 0, count + 1, device, 0, NULL) != 0, 1);
        omp_target_memset_async(to, 1, 8, other, 0, NULL);
#pragma omp taskwait
        EQUAL(to[1], 0x01010101);
        rectangle(to, from, other, device);
        omp_target_free(from, device);
        omp_target_free(to, other);
    }
}

/* The rows of a product of matrices, in turn, and those of the forces between bodies, to whichever device is free. */
static void shares(void) {
    enum { SIDE = 48 };
    static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE], force[SIDE];
    int rows[MOST] = {0}, next = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i / SIDE][i % SIDE] = i % 7;
        b[i / SIDE][i % SIDE] = i % 5;
    }
    for (int row = 0; row < SIDE; row++) {
#pragma omp target nowait device(row % count) map(to : a, b) map(from : c)
#pragma omp parallel for
        for (int column = 0; column < SIDE; column++) {
            double sum = 0;
            for (int k = 0; k < SIDE; k++) sum += a[row][k] * b[k][column];
            c[row][column] = sum;
        }
    }
#pragma omp taskwait
#pragma omp parallel num_threads(count) reduction(+ : rows)
    for (;;) {
        int body, mine = omp_get_thread_num(), ran = -1;
#pragma omp atomic capture
        body = next++;
        if (body >= SIDE) break;
#pragma omp target device(mine) map(to : a) map(from : force, ran)
        {
            ran = omp_get_device_num();
            double sum = 0;
#pragma omp parallel for reduction(+ : sum)
            for (int other = 0; other < SIDE; other++) sum += a[0][body] - a[0][other];
            force[body] = sum;
        }
        rows[ran]++;
    }
    int all = 0;
    for (int device = 0; device < count; device++) all += rows[device];
    EQUAL(all, SIDE);
    for (int row = 0; row < SIDE; row++) {
        double sum = 0, wanted = 0;
        for (int k = 0; k < SIDE; k++) {
            sum += a[row][k] * b[k][row];
            wanted += a[0][row] - a[0][k];
        }
        CHECK(c[row][row] == sum && force[row] == wanted);
    }
}

int main(int argc, char **argv) {
    told(argc, argv);
    for (int round = 0; round < 3; round++) {
        regions();
        data();
        copies();
        shares();
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        copies();
    }
    return 0;
}
