/* A small network that answers requests, one after the other: what a server of inferences does in each of its processes. Each layer is
 * one parallel region. Prints the time of all requests in seconds, and a sum of the answers.
 * inference REQUESTS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LAYERS = 8, WIDTH = 256, BATCH = 4 };

static float weights[LAYERS][WIDTH][WIDTH], values[2][WIDTH][BATCH];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void layer(float weight[WIDTH][WIDTH], float in[WIDTH][BATCH], float out[WIDTH][BATCH]) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < WIDTH; row++) {
        float sum[BATCH] = {0};
        for (int column = 0; column < WIDTH; column++) {
#pragma omp simd
            for (int item = 0; item < BATCH; item++) {
                sum[item] += weight[row][column] * in[column][item];
            }
        }
        for (int item = 0; item < BATCH; item++) {
            out[row][item] = sum[item] > 0 ? sum[item] : 0;
        }
    }
}

int main(int count, char **words) {
    int requests = count > 1 ? atoi(words[1]) : 1000;
    double total = 0;
    for (int i = 0; i < LAYERS * WIDTH * WIDTH; i++) {
        (&weights[0][0][0])[i] = (float)(i * 2654435761u >> 24) / 32768 - 0.0035f;
    }
    double begin = now();
    for (int request = 0; request < requests; request++) {
        for (int i = 0; i < WIDTH * BATCH; i++) {
            (&values[0][0][0])[i] = (float)((i + request) % 17) / 17;
        }
        for (int i = 0; i < LAYERS; i++) {
            layer(weights[i], values[i % 2], values[(i + 1) % 2]);
        }
        total += values[LAYERS % 2][request % WIDTH][0];
    }
    printf("%.4f %.6e\n", now() - begin, total);
    return 0;
}
