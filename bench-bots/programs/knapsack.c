/* The 0/1 knapsack problem by branch and bound: which items of limited weight are worth most?
 *
 * Two tasks an item, one that takes it and one that leaves it. A branch is given up when
 * a simple upper bound says that it cannot beat the greedy solution. That bound is fixed before
 * the search starts, so the tree, and the number of tasks, is the same in every run: a bound that
 * threads improve as they go would measure luck.
 */
#include "bench.h"

struct item {
    int value;
    int weight;
};

static struct item *items; /* by falling value per weight */
static int item_count;
static int greedy_value;

/* No selection of items from `next` on that weighs at most `room` is worth more than this: every
 * item left is worth at most as much per weight as the next one. */
static int upper_bound(int next, int room) {
    return (int)((long)items[next].value * room / items[next].weight);
}

/* The best value that can be reached from here; 0 where nothing beats the greedy solution. */
static int search(int next, int room, int value) {
    int with = 0, without = 0;
    if (next == item_count) {
        return value;
    }
    if (value + upper_bound(next, room) <= greedy_value) {
        return 0;
    }
    bench_count_task();
    BENCH_TASK(next, shared(without) firstprivate(next, room, value),
               without = search(next + 1, room, value);)
    if (items[next].weight <= room) {
        bench_count_task();
        BENCH_TASK(next, shared(with) firstprivate(next, room, value),
                   with = search(next + 1, room - items[next].weight, value + items[next].value);)
    }
#pragma omp taskwait
    return with > without ? with : without;
}

static int by_falling_worth(const void *left, const void *right) {
    const struct item *a = left, *b = right;
    long difference = (long)b->value * a->weight - (long)a->value * b->weight;
    return (difference > 0) - (difference < 0);
}

/* Items whose value nearly follows their weight: the kind that bounds prune badly. Returns the
 * capacity, half of all weight. */
static int make_items(int count) {
    uint64_t state = 12345;
    long weight_sum = 0;
    item_count = count;
    items = bench_alloc(sizeof(struct item) * (size_t)count);
    for (int i = 0; i < count; i++) {
        items[i].weight = 1000 + (int)(bench_random(&state) % 1000);
        items[i].value = items[i].weight + 100 + (int)(bench_random(&state) % 200);
        weight_sum += items[i].weight;
    }
    qsort(items, (size_t)count, sizeof(struct item), by_falling_worth);
    return (int)(weight_sum / 2);
}

static int take_greedily(int room) {
    int value = 0;
    for (int i = 0; i < item_count; i++) {
        if (items[i].weight <= room) {
            room -= items[i].weight;
            value += items[i].value;
        }
    }
    return value;
}

/* The check: dynamic programming over capacities, without tasks. */
static int solve_serially(int capacity) {
    int *best = calloc((size_t)capacity + 1, sizeof(int));
    for (int i = 0; best != NULL && i < item_count; i++) {
        for (int room = capacity; room >= items[i].weight; room--) {
            int with = best[room - items[i].weight] + items[i].value;
            best[room] = with > best[room] ? with : best[room];
        }
    }
    int value = best != NULL ? best[capacity] : -1;
    free(best);
    return value;
}

int main(int argc, char **argv) {
    static const struct bench_class classes[4] = {
        {16, BENCH_DEPTH(6)}, {22, BENCH_DEPTH(9)}, {28, BENCH_DEPTH(9)}, {34, BENCH_DEPTH(10)}};
    struct bench bench = bench_start("knapsack", classes, argc, argv);
    int capacity = make_items((int)bench.size);
    greedy_value = take_greedily(capacity);
    int result = 0;

    struct bench_time start = bench_now();
#pragma omp parallel
    {
#pragma omp single
        result = search(0, capacity, 0);
        bench_sum_tasks();
    }
    struct bench_time spent = bench_since(start);

    if (result < greedy_value) {
        result = greedy_value; /* the greedy solution was the best */
    }
    int ok = result == solve_serially(capacity);
    free(items);
    return bench_finish(&bench, bench_tasks, spent, ok);
}
