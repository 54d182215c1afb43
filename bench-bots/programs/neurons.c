/* Neurons that spike: two short loops a time step, each a region of its own.
 *
 * SIZE is the number of steps. 1,000 neurons, of which a fifth inhibit others, hear twelve others
 * each. The model is Izhikevich's (2003). Checked against a serial run, spike by spike.
 */
#include "bench.h"

enum { NEURONS = 1000, EXCITATORY = 800, INPUTS = 12 };

struct network {
    double potential[NEURONS], recovery[NEURONS], input[NEURONS];
    int spikes[NEURONS];
    long counts[NEURONS];
};

static double drive[NEURONS];
static int heard[NEURONS][INPUTS];

static void make(struct network *network) {
    uint64_t state = 1;
    for (int i = 0; i < NEURONS; i++) {
        network->potential[i] = -65.0 + (double)(bench_random(&state) % 20);
        network->recovery[i] = -13.0;
        network->spikes[i] = 0;
        network->counts[i] = 0;
        drive[i] = 3.0 + (double)(bench_random(&state) % 800) / 100.0;
        for (int k = 0; k < INPUTS; k++) {
            heard[i][k] = (int)(bench_random(&state) % NEURONS);
        }
    }
}

static void step(struct network *network) {
#pragma omp parallel for
    for (int i = 0; i < NEURONS; i++) {
        double sum = drive[i];
        for (int k = 0; k < INPUTS; k++) {
            int other = heard[i][k];
            if (network->spikes[other]) {
                sum += other < EXCITATORY ? 4.0 : -6.0;
            }
        }
        network->input[i] = sum;
    }
#pragma omp parallel for
    for (int i = 0; i < NEURONS; i++) {
        double v = network->potential[i], u = network->recovery[i];
        for (int half = 0; half < 2; half++) {
            v += 0.25 * (0.04 * v * v + 5.0 * v + 140.0 - u + network->input[i]);
            v = v > 30.0 ? 30.0 : v < -90.0 ? -90.0 : v;
            u += 0.005 * (0.2 * v - u);
        }
        network->spikes[i] = v >= 30.0;
        if (network->spikes[i]) {
            v = -65.0;
            u += i < EXCITATORY ? 8.0 : 2.0;
            network->counts[i]++;
        }
        network->potential[i] = v;
        network->recovery[i] = u;
    }
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{100, 0}, {20000, 0}, {60000, 0}, {200000, 0}};
    struct bench bench = bench_start("neurons", classes, argc, argv);
    static struct network network, known;
    make(&network);
    make(&known);

    struct bench_time start = bench_now();
    for (long i = 0; i < bench.size; i++) {
        step(&network);
    }
    struct bench_time spent = bench_since(start);

    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    for (long i = 0; i < bench.size; i++) {
        step(&known);
    }
    omp_set_num_threads(threads);
    int ok = memcmp(network.counts, known.counts, sizeof known.counts) == 0;
    return bench_finish(&bench, 2 * bench.size, spent, ok);
}
