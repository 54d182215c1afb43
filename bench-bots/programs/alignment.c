/* Alignment of proteins, every pair of a set: tasks of a middling grain, all made by one loop.
 *
 * The score of a pair is that of its best local alignment with affine gaps (Gotoh 1982, "An improved
 * algorithm for matching biological sequences"). SIZE is the number of proteins, CUTOFF their mean
 * length, which is the grain: a task a pair costs the product of its two lengths.
 */
#include "bench.h"

enum { GAP_OPEN = 10, GAP_EXTEND = 1, ACIDS = 20 };

struct protein {
    int length;
    unsigned char *acids; /* 0 to 19 */
};

static int score_of[ACIDS][ACIDS];

/* Alike acids score high, acids of one chemical group a little, others below zero. */
static void make_scores(void) {
    static const char groups[ACIDS + 1] = "aaaabbbccccddeefghij";
    for (int i = 0; i < ACIDS; i++) {
        for (int j = 0; j < ACIDS; j++) {
            score_of[i][j] = i == j ? 5 : groups[i] == groups[j] ? 1 : -3;
        }
    }
}

static int larger(int a, int b) { return a > b ? a : b; }

/* The best score of any piece of `a` against any piece of `b`. One row of the table at a time:
 * best[j] ends in a match or gap at column j, gap[j] ends in a gap down that column. */
static int align(const struct protein *a, const struct protein *b) {
    int best[b->length + 1], gap[b->length + 1];
    int score = 0;
    for (int j = 0; j <= b->length; j++) {
        best[j] = 0;
        gap[j] = -GAP_OPEN;
    }
    for (int i = 0; i < a->length; i++) {
        const int *scores = score_of[a->acids[i]];
        int diagonal = 0;
        int gap_along = -GAP_OPEN;
        for (int j = 1; j <= b->length; j++) {
            gap_along = larger(gap_along - GAP_EXTEND, best[j - 1] - GAP_OPEN);
            gap[j] = larger(gap[j] - GAP_EXTEND, best[j] - GAP_OPEN);
            int here = larger(diagonal + scores[b->acids[j - 1]], larger(gap_along, gap[j]));
            diagonal = best[j];
            best[j] = larger(here, 0);
            score = larger(score, best[j]);
        }
    }
    return score;
}

static void align_all(const struct protein *proteins, int count, int *scores) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
#pragma omp task firstprivate(i, j)
            scores[i * count + j] = align(&proteins[i], &proteins[j]);
        }
    }
#pragma omp taskwait
}

/* Random proteins, half of them with a piece of another inside, so that there is something to find.
 * Lengths lie between half and one and a half times the mean. */
static struct protein *make_proteins(int count, int mean) {
    struct protein *proteins = bench_alloc(sizeof(struct protein) * (size_t)count);
    uint64_t state = 99;
    for (int i = 0; i < count; i++) {
        struct protein *p = &proteins[i];
        p->length = mean / 2 + 1 + (int)(bench_random(&state) % (uint64_t)mean);
        p->acids = bench_alloc((size_t)p->length);
        for (int j = 0; j < p->length; j++) {
            p->acids[j] = (unsigned char)(bench_random(&state) % ACIDS);
        }
        if (i % 2 == 1) {
            const struct protein *other = &proteins[bench_random(&state) % (uint64_t)i];
            int piece = (other->length < p->length ? other->length : p->length) / 2;
            memcpy(p->acids + p->length - piece, other->acids, (size_t)piece);
        }
    }
    return proteins;
}

/* The check: every eighth pair once more, without tasks. */
static int scores_are_right(const struct protein *proteins, int count, const int *scores) {
    for (int i = 0; i < count; i++) {
        for (int j = i % 8; j < i; j += 8) {
            if (scores[i * count + j] != align(&proteins[i], &proteins[j])) {
                return 0;
            }
        }
    }
    return 1;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {{12, 40}, {60, 200}, {100, 400}, {200, 600}};
    struct bench bench = bench_start("alignment", classes, argc, argv);
    int count = (int)bench.size;
    make_scores();
    struct protein *proteins = make_proteins(count, (int)bench.cutoff);
    int *scores = calloc((size_t)count * (size_t)count, sizeof(int));
    if (scores == NULL) {
        return 1;
    }

    struct bench_time start = bench_now();
#pragma omp parallel
#pragma omp single
    align_all(proteins, count, scores);
    struct bench_time spent = bench_since(start);

    int ok = scores_are_right(proteins, count, scores);
    for (int i = 0; i < count; i++) {
        free(proteins[i].acids);
    }
    free(proteins);
    free(scores);
    return bench_finish(&bench, (long)count * (count - 1) / 2, spent, ok);
}
