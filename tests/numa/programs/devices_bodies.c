/* devices_bodies: bodies that attract each other, on locations as devices (VICINITY_DEVICES=locations): groups of bodies in turn, and
 * groups to whichever device is free. devices_bodies COUNT THREADS, of each.
 *
 * Each device has all positions, in memory of its own; of a group the device that moves it sends the new ones to all others. */
#include "devices.h"

enum { BODIES = 384, GROUP = 16, GROUPS = BODIES / GROUP, STEPS = 3, WORDS = 3 * BODIES };

/* By device, before a step and behind it: x, y and z of each body. */
static double *places[MOST][2];
/* A page for each group, so that its bodies' speeds can be at its device. */
static double (*speeds)[PAGE / sizeof(double)];
static double serial[2][WORDS], serial_speeds[WORDS];
static int owner[GROUPS];

static double start_of(int word) { return (word * 7919 % 1009) / 1009.0; }

/* Moves one body, whose speed is changed by all others. */
static void move(int body, const double *from, double *to, double *speed) {
    double pull[3] = {0};
    for (int other = 0; other < BODIES; other++) {
        double apart[3], square = 1e-3;
        for (int i = 0; i < 3; i++) {
            apart[i] = from[3 * other + i] - from[3 * body + i];
            square += apart[i] * apart[i];
        }
        double weight = 1 / (square * square);
        for (int i = 0; i < 3; i++) pull[i] += weight * apart[i];
    }
    for (int i = 0; i < 3; i++) {
        speed[i] += 1e-9 * pull[i];
        to[3 * body + i] = from[3 * body + i] + speed[i];
    }
}

static void in_series(void) {
    for (int word = 0; word < WORDS; word++) serial[0][word] = start_of(word);
    for (int step = 0; step < STEPS; step++)
        for (int body = 0; body < BODIES; body++) move(body, serial[step % 2], serial[1 - step % 2], serial_speeds + 3 * body);
}

static void prepare(void) {
    memset(speeds, 0, GROUPS * sizeof *speeds);
    for (int device = 0; device < count; device++)
        for (int word = 0; word < WORDS; word++) places[device][0][word] = start_of(word);
}

static void region(int group, int device, int old) {
    const double *from = places[device][old];
    double *to = places[device][1 - old], *speed = speeds[group];
#pragma omp target nowait device(device) is_device_ptr(from, to) map(tofrom : speed[0 : 3 * GROUP]) firstprivate(group, device) \
    depend(inout : owner[group])
#pragma omp parallel for
    for (int at = 0; at < GROUP; at++) {
        note_device(device);
        move(group * GROUP + at, from, to, speed + 3 * at);
    }
}

/* Sends a group's new places to all other devices, behind the region that makes them. */
static void send(int group, int device, int now) {
    for (int other = 0; other < count; other++) {
        if (other == device) continue;
        size_t at = group * 3 * GROUP * sizeof(double);
        omp_depend_t after[1];
#pragma omp depobj(after[0]) depend(in : owner[group])
        EQUAL(omp_target_memcpy_async(places[other][now], places[device][now], 3 * GROUP * sizeof(double), at, at, other, device, 1, after), 0);
#pragma omp depobj(after[0]) destroy
    }
}

static void in_turn(void) {
    for (int group = 0; group < GROUPS; group++) {
        owner[group] = group % count;
#pragma omp target enter data map(to : speeds[group : 1]) device(owner[group])
    }
    for (int step = 0; step < STEPS; step++) {
        for (int group = 0; group < GROUPS; group++) {
            region(group, group % count, step % 2);
            send(group, group % count, 1 - step % 2);
        }
#pragma omp taskwait
    }
}

static void to_the_free(void) {
    for (int step = 0; step < STEPS; step++) {
        int next = 0;
#pragma omp parallel num_threads(count)
        for (int device = omp_get_thread_num();;) {
            int group;
#pragma omp atomic capture
            group = next++;
            if (group >= GROUPS) break;
            owner[group] = device;
#pragma omp target data map(tofrom : speeds[group : 1]) device(device)
            {
                region(group, device, step % 2);
                send(group, device, 1 - step % 2);
#pragma omp taskwait
            }
        }
    }
}

static void check(const char *how) {
    int groups[MOST] = {0};
    EQUAL(strays, 0);
    for (int device = 0; device < count; device++) {
        for (int i = 0; i < 2; i++) check_at("places", places[device][i], WORDS * sizeof(double), device);
        EQUAL(memcmp(places[device][STEPS % 2], serial[STEPS % 2], sizeof serial[0]), 0);
    }
    for (int group = 0; group < GROUPS; group++) {
        groups[owner[group]]++;
        EQUAL(memcmp(speeds[group], serial_speeds + 3 * GROUP * group, 3 * GROUP * sizeof(double)), 0);
        if (maps_move()) check_at("speeds", speeds[group], sizeof speeds[group], owner[group]);
    }
    printf("%s, groups of each device at the end:", how);
    for (int device = 0; device < count; device++) printf(" %d", groups[device]);
    putchar('\n');
}

int main(int argc, char **argv) {
    told(argc, argv);
    EQUAL(omp_get_num_devices(), count);
    speeds = (void *)map_pages(GROUPS * sizeof *speeds);
    for (int device = 0; device < count; device++)
        for (int i = 0; i < 2; i++) places[device][i] = at_device(WORDS * sizeof(double), device);
    in_series();
    prepare();
    in_turn();
    check("in turn");
    prepare();
    to_the_free();
    check("to the free");
    for (int device = 0; device < count; device++)
        for (int i = 0; i < 2; i++) omp_target_free(places[device][i], device);
    return 0;
}
