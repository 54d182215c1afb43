/* Small matrix products, each of which is parallel inside, from several threads at once.
 * nested HOW THREADS PRODUCTS SIZE
 * HOW: pool: threads of the program; tasks: tasks of OpenMP. Built with -DBLAS the products are cblas_dgemm's, else a loop's.
 * Prints the time in seconds, and a sum. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef BLAS
#include <cblas.h>
#endif

static int size, products;
static int next;
static double sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void multiply(const double *a, const double *b, double *c) {
#ifdef BLAS
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a, size, b, size, 0, c, size);
#else
#pragma omp parallel for schedule(static)
    for (int i = 0; i < size; i++) {
        double *row = c + i * size;
        memset(row, 0, sizeof(double) * size);
        for (int k = 0; k < size; k++) {
            for (int j = 0; j < size; j++) {
                row[j] += a[i * size + k] * b[k * size + j];
            }
        }
    }
#endif
}

static void product(int number) {
    double *all = malloc(3 * sizeof(double) * size * size), *a = all, *b = a + size * size, *c = b + size * size;
    for (int i = 0; i < size * size; i++) {
        a[i] = (i + number) % 7;
        b[i] = (i * 3 + number) % 5;
    }
    multiply(a, b, c);
    pthread_mutex_lock(&lock);
    sum += c[number % (size * size)];
    pthread_mutex_unlock(&lock);
    free(all);
}

static void *work(void *unused) {
    (void)unused;
    for (int number; (number = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < products;) {
        product(number);
    }
    return NULL;
}

int main(int count, char **words) {
    if (count < 5) {
        return 2;
    }
    int threads = atoi(words[2]);
    products = atoi(words[3]);
    size = atoi(words[4]);
    double begin = now();
    if (strcmp(words[1], "pool") == 0) {
        pthread_t pool[64];
        for (int i = 0; i < threads && i < 64; i++) {
            pthread_create(&pool[i], NULL, work, NULL);
        }
        for (int i = 0; i < threads && i < 64; i++) {
            pthread_join(pool[i], NULL);
        }
    } else {
#pragma omp parallel
#pragma omp single
        for (int number = 0; number < products; number++) {
#pragma omp task firstprivate(number)
            product(number);
        }
    }
    printf("%.4f %.6e\n", now() - begin, sum);
    return 0;
}
