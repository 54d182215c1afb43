/* loops: one thread touches everything first, then loops use it. Under `vicinity run --distribution auto` pages come to lie where
 * their users are, and what is well placed stays. Argument: static (each thread a contiguous part), cyclic (each every fourth line of
 * every page), one (one thread alone), parallel (touched first by those who use it), file and shared (a file that is mapped privately,
 * or shared, read by a static loop), rows (a static loop over rows that are small blocks of the heap), variables (two static arrays side
 * by side: all threads read all of one, each has a part of the other). A second argument says how many rounds there may be until then;
 * with none, pages have to be right from the start, all of them. */
#define _GNU_SOURCE
#include "pages.h"
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNT = 1 << 18, PAGE = 4096, PER_PAGE = PAGE / sizeof(double), ROW = 2 * PER_PAGE, MOST_ROUNDS = 1500 };

static double *from, *to, total;
static double *rows[COUNT / ROW];
static double table[COUNT] __attribute__((aligned(PAGE))), parts[COUNT] __attribute__((aligned(PAGE)));
static int nodes[64], threads;

static void where(void) {
#pragma omp parallel
    {
        unsigned processor = 0, node = 0;
        if (syscall(SYS_getcpu, &processor, &node, NULL) != 0) abort();
        nodes[omp_get_thread_num()] = (int)node;
#pragma omp single
        threads = omp_get_num_threads();
    }
}

static void static_round(void) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < COUNT; i++) to[i] = 0.5 * from[i] + to[i];
}

static void cyclic_round(void) {
#pragma omp parallel for schedule(static, 8)
    for (long i = 0; i < COUNT; i++) to[i] = 0.5 * from[i] + to[i];
}

static void one_round(void) {
#pragma omp parallel
    if (omp_get_thread_num() == threads - 1)
        for (long i = 0; i < COUNT; i++) to[i] = 0.5 * from[i] + to[i];
}

static void file_round(void) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < COUNT; i++) sum += from[i];
    total += sum;
}

static void rows_round(void) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < COUNT / ROW; row++)
        for (int i = 0; i < ROW; i++) rows[row][i] = 0.5 * rows[row][i] + 1;
}

static void variables_round(void) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for schedule(static, 8) nowait
        for (long i = 0; i < COUNT; i++) sum += table[i];
#pragma omp for schedule(static)
        for (long i = 0; i < COUNT; i++) parts[i] = 0.5 * parts[i] + 1;
    }
    total += sum;
}

/* How many rows are elsewhere, by the page that is theirs alone. */
static size_t rows_astray(void) {
    size_t wrong = 0;
    for (size_t row = 0; row < COUNT / ROW; row++) {
        const char *own = (const char *)(((size_t)rows[row] + PAGE - 1) / PAGE * PAGE);
        wrong += page_node(own) != nodes[row * threads / (COUNT / ROW)];
    }
    return wrong;
}

/* Where a page should be; -1: anywhere, but the same number at each node. */
static int expected(const char *how, const double *array, size_t page) {
    if (strcmp(how, "cyclic") == 0 || array == table) return -1;
    if (strcmp(how, "one") == 0) return nodes[threads - 1];
    return nodes[page * threads / (COUNT / PER_PAGE)];
}

/* How many pages of an array are elsewhere. */
static size_t astray(const char *how, const double *array) {
    if (strcmp(how, "rows") == 0) return rows_astray();
    size_t wrong = 0, at[16] = {0}, pages = COUNT / PER_PAGE;
    for (size_t page = 0; page < pages; page++) {
        int node = page_node(array + page * PER_PAGE), wanted = expected(how, array, page);
        wrong += wanted >= 0 && node != wanted;
        if (node >= 0) at[node]++;
    }
    int around = nodes_with_processors();
    for (int node = 0; node < around && expected(how, array, 0) < 0; node++)
        wrong += at[node] > pages / around ? at[node] - pages / around : 0;
    return wrong;
}

static double *array(int parallel) {
    double *block = malloc(COUNT * sizeof *block);
    if (!block) exit(1);
#pragma omp parallel for schedule(static) if (parallel)
    for (long i = 0; i < COUNT; i++) block[i] = 1;
    return block;
}

static double *weights(int flags) {
    double *block = array(0);
    char name[] = "/tmp/weightsXXXXXX";
    int file = mkstemp(name);
    if (file < 0 || write(file, block, COUNT * sizeof *block) != (ssize_t)(COUNT * sizeof *block)) exit(1);
    double *mapping = mmap(NULL, COUNT * sizeof *block, PROT_READ, flags, file, 0);
    if (mapping == MAP_FAILED) exit(1);
    unlink(name);
    free(block);
    return mapping;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    int most = argc > 2 ? atoi(argv[2]) : MOST_ROUNDS;
    void (*round)(void) = strcmp(how, "cyclic") == 0 ? cyclic_round : strcmp(how, "one") == 0 ? one_round : static_round;
    int parallel = strcmp(how, "parallel") == 0, shared = strcmp(how, "shared") == 0, file = shared || strcmp(how, "file") == 0;
    if (file) round = file_round;
    if (strcmp(how, "rows") == 0) {
        round = rows_round;
        for (int row = 0; row < COUNT / ROW; row++) {
            if (!(rows[row] = malloc(ROW * sizeof **rows))) exit(1);
            for (int i = 0; i < ROW; i++) rows[row][i] = 1;
        }
    }
    if (strcmp(how, "variables") == 0) {
        round = variables_round;
        /* A huge page goes as a whole. */
        if (madvise(table, sizeof table, MADV_NOHUGEPAGE) != 0 || madvise(parts, sizeof parts, MADV_NOHUGEPAGE) != 0) exit(1);
        for (long i = 0; i < COUNT; i++) table[i] = parts[i] = 1;
    }
    where();
    from = round == variables_round ? table : file ? weights(shared ? MAP_SHARED : MAP_PRIVATE) : array(parallel);
    to = round == variables_round ? parts : file ? from : array(parallel);
    /* Where less than 15% would be gained, pages stay (policy::repair, WORTHWHILE). An access to the nearest other node costs 1.6 of a
     * local one, so that is so of up to 29% of the pages. At first 75% are astray. */
    size_t places = COUNT / (round == rows_round ? ROW : PER_PAGE), tolerated = most ? 2 * places * 3 / 10 : 0;
    /* As one block the two arrays would have an eighth of their pages astray. */
    if (round == variables_round) tolerated = 2 * places / 10;
    size_t wrong = astray(how, from) + astray(how, to);
    int rounds = 0;
    while (rounds < most && wrong > tolerated) {
        for (int i = 0; i < 10; i++) round();
        rounds += 10;
        wrong = astray(how, from) + astray(how, to);
    }
    printf("%s: %zu pages astray after %d rounds\n", how, wrong, rounds);
    /* It stays so. */
    for (int i = 0; i < 30; i++) round();
    wrong = astray(how, from) + astray(how, to);
    printf("%s: %zu after 30 more\n", how, wrong);
    return wrong > tolerated || total < 0;
}
