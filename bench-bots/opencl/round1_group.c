/* Groups that work together through local memory. Sizes are elements. */
#include "workloads.h"

enum { SUM_ITEMS = 256, SCAN_ITEMS = 128 };

static void group_sum_prepare(struct clbench *b) {
    fill_unit(make(b, 0, (size_t)b->size * sizeof(float)), b->size, 150);
    make(b, 1, round_up(b->size, 2 * SUM_ITEMS) / (2 * SUM_ITEMS) * sizeof(float));
    up(b, 0);
}

static void group_sum_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    launch(b, "group_sum", RANGE1(round_up(b->size, 2 * SUM_ITEMS) / 2, SUM_ITEMS), V(n), B(0), B(1),
           LOCAL(SUM_ITEMS * sizeof(float)));
}

static int group_sum_check(struct clbench *b) {
    const float *in = b->buffer[0].host, *got = b->buffer[1].host;
    int ok = 1;
    down(b, 1);
    for (long from = 0; ok && from < b->size; from += 2 * SUM_ITEMS) {
        double sum = 0.0;
        for (long i = from; i < b->size && i < from + 2 * SUM_ITEMS; i++) {
            sum += in[i];
        }
        ok = near("sum", from, got[from / (2 * SUM_ITEMS)], sum, 1e-5);
    }
    return ok;
}

static void small_numbers(struct clbench *b) {
    cl_int *in = make(b, 0, (size_t)b->size * sizeof(cl_int));
    uint32_t state = 151;
    for (long i = 0; i < b->size; i++) {
        in[i] = (cl_int)(random_word(&state) % 1000);
    }
    make(b, 1, (size_t)b->size * sizeof(cl_int));
    up(b, 0);
}
#define scan_hillis_prepare small_numbers
#define scan_blelloch_prepare small_numbers

static void scan_hillis_once(struct clbench *b) {
    cl_int n = (cl_int)b->size;
    launch(b, "scan_hillis", RANGE1(round_up(b->size, SCAN_ITEMS), SCAN_ITEMS), V(n), B(0), B(1),
           LOCAL(SCAN_ITEMS * sizeof(cl_int)));
}

static int scan_hillis_check(struct clbench *b) {
    const cl_int *in = b->buffer[0].host, *got = b->buffer[1].host;
    long sum = 0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        sum = i % SCAN_ITEMS == 0 ? in[i] : sum + in[i];
        ok = same("running sum", i, got[i], sum);
    }
    return ok;
}

static void scan_blelloch_once(struct clbench *b) {
    launch(b, "scan_blelloch", RANGE1((size_t)b->size / 2, SCAN_ITEMS), B(0), B(1),
           LOCAL(2 * SCAN_ITEMS * sizeof(cl_int)));
}

static int scan_blelloch_check(struct clbench *b) {
    const cl_int *in = b->buffer[0].host, *got = b->buffer[1].host;
    long sum = 0;
    int ok = 1;
    down(b, 1);
    for (long i = 0; ok && i < b->size; i++) {
        sum = i % (2 * SCAN_ITEMS) == 0 ? 0 : sum + in[i - 1];
        ok = same("sum before", i, got[i], sum);
    }
    return ok;
}

/* All steps of the stage that merges to 1024: ten launches. Buffer 1 keeps the keys as they were. */
enum { STAGE = 1024 };

static void bitonic_step_prepare(struct clbench *b) {
    small_numbers(b);
    memcpy(b->buffer[1].host, b->buffer[0].host, b->buffer[0].bytes);
}

static void bitonic_step_once(struct clbench *b) {
    cl_uint stage = STAGE;
    memcpy(b->buffer[0].host, b->buffer[1].host, b->buffer[0].bytes);
    up(b, 0);
    for (cl_uint apart = STAGE / 2; apart > 0; apart /= 2) {
        launch(b, "bitonic_step", RANGE1((size_t)b->size / 2, 64), V(stage), V(apart), B(0));
    }
}

static int bitonic_step_check(struct clbench *b) {
    cl_uint *want = b->buffer[1].host;
    const cl_uint *got = b->buffer[0].host;
    int ok = 1;
    down(b, 0);
    for (long apart = STAGE / 2; apart > 0; apart /= 2) {
        for (long left = 0; left < b->size; left++) {
            long right = left ^ apart;
            if (right > left && (want[left] > want[right]) == ((left & STAGE) == 0)) {
                cl_uint swapped = want[left];
                want[left] = want[right], want[right] = swapped;
            }
        }
    }
    for (long i = 0; ok && i < b->size; i++) {
        ok = same("key", i, got[i], want[i]);
    }
    return ok;
}

static void byte_histogram_prepare(struct clbench *b) {
    unsigned char *in = make(b, 0, (size_t)b->size);
    uint32_t state = 152;
    /* More of the middle than of the ends, as in a photograph. */
    for (long i = 0; i < b->size; i++) {
        uint32_t word = random_word(&state);
        in[i] = (unsigned char)((((word >> 8) & 255) + ((word >> 20) & 255)) / 2);
    }
    make(b, 1, 256 * sizeof(cl_uint));
    up(b, 0);
}

static void byte_histogram_once(struct clbench *b) {
    cl_uint n = (cl_uint)b->size;
    memset(b->buffer[1].host, 0, b->buffer[1].bytes);
    up(b, 1);
    launch(b, "byte_histogram", RANGE1(64 * 128, 128), V(n), B(0), B(1));
}

static int byte_histogram_check(struct clbench *b) {
    const unsigned char *in = b->buffer[0].host;
    const cl_uint *got = b->buffer[1].host;
    long want[256] = {0};
    int ok = 1;
    down(b, 1);
    for (long i = 0; i < b->size; i++) {
        want[in[i]]++;
    }
    for (long bin = 0; ok && bin < 256; bin++) {
        ok = same("bin", bin, got[bin], want[bin]);
    }
    return ok;
}

const struct workload round1_group_workloads[] = {
    WORKLOAD(round1_group, group_sum, 2003, 1000003, 16000003, 64000003),
    WORKLOAD(round1_group, scan_hillis, 2003, 500003, 4000003, 16000003),
    WORKLOAD(round1_group, scan_blelloch, 2048, 524288, 8388608, 33554432),
    WORKLOAD(round1_group, bitonic_step, 4096, 262144, 4194304, 16777216),
    WORKLOAD(round1_group, byte_histogram, 20003, 2000003, 16000003, 64000003),
    END_OF_WORKLOADS,
};
