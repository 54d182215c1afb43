// single: one thread, a barrier after it, nowait, copyprivate of values, arrays, structs and pointers.
#include "check.h"

struct point { double x, y; char tag[20]; };

static int counter;
#pragma omp threadprivate(counter)

static void once_each(void) {
    int total = 0, nowait_total = 0;
#pragma omp parallel
    {
        for (int round = 0; round < 20; round++) {
            int seen_before = -1;
#pragma omp single
            {
                seen_before = load_int(&total);
                EQUAL(seen_before, round);
                add_int(&total, 1);
            }
            CHECK(load_int(&total) >= round + 1);
#pragma omp single nowait
            add_int(&nowait_total, 1);
#pragma omp barrier
        }
    }
    EQUAL(total, 20);
    EQUAL(nowait_total, 20);
}

static void copied(void) {
#pragma omp parallel
    {
        int value = -1, array[6] = {0};
        struct point p = {0, 0, ""};
        int *pointer = NULL;
        for (int round = 0; round < 20; round++) {
#pragma omp single copyprivate(value, array, p, pointer, counter)
            {
                value = 1000 + round;
                for (int i = 0; i < 6; i++) array[i] = i * round;
                p.x = round;
                p.y = -round;
                strcpy(p.tag, "from one");
                pointer = malloc(sizeof *pointer);
                *pointer = value;
                counter = round * 3;
            }
            EQUAL(value, 1000 + round);
            EQUAL(array[5], 5 * round);
            CHECK(p.x == round && p.y == -round && strcmp(p.tag, "from one") == 0);
            EQUAL(*pointer, value);
            EQUAL(counter, round * 3);
#pragma omp barrier
#pragma omp single
            free(pointer);
        }
    }
}

static void private_and_first(void) {
    int first = 5, mine = 6;
#pragma omp parallel firstprivate(mine)
#pragma omp single firstprivate(first) private(mine)
    {
        mine = first;
        EQUAL(mine, 5);
        first = 9;
    }
    EQUAL(first, 5);
    EQUAL(mine, 6);
}

int main(void) {
    once_each();
    copied();
    private_and_first();
    return 0;
}
