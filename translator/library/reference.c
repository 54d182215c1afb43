// Runs the work-items of a group as the specification tells it, with no transformation of the kernel: one after another,
// each on a stack of its own, from barrier to barrier. It is what our transformations are compared with.
//
// Compiled as everything here for a processor that is not known yet, so without headers: what of the C library is
// called is declared as it is on x86-64 Linux (ucontext.h, stdlib.h).

typedef unsigned long size_t;

void *malloc(size_t size);
void free(void *memory);
int getcontext(void *context);
int swapcontext(void *from, void *to);
void makecontext(void *context, void (*function)(void), int count, ...);
void abort(void);

// ucontext_t: 968 bytes, of which only these are ours to set.
struct context {
    unsigned long flags;
    struct context *link;
    void *stack;
    int stack_flags;
    size_t stack_size;
    char rest[984];
};

struct state;
typedef void item_function(void *group, struct state *state, unsigned long x, unsigned long y, unsigned long z);

struct item {
    struct context context;
    int done;
};

struct state {
    struct context scheduler;
    item_function *function;
    void *group;
    unsigned long size_x, size_y;
    unsigned long current;
    struct item *items;
};

#define STACK_BYTES (256ul << 10)

static void run(struct state *state, unsigned long item) {
    unsigned long row = item / state->size_x;
    state->function(state->group, state, item % state->size_x, row % state->size_y, row / state->size_y);
}

// makecontext passes integers: the two halves of an address.
static void begin(unsigned int low, unsigned int high) {
    struct state *state = (struct state *)((unsigned long)high << 32 | low);
    struct item *item = &state->items[state->current];
    run(state, state->current);
    item->done = 1;
    swapcontext(&item->context, &state->scheduler);
}

void vicinity_reference_barrier(struct state *state) {
    swapcontext(&state->items[state->current].context, &state->scheduler);
}

static void run_on_stacks(struct state *state, unsigned long count) {
    char *stacks = malloc(count * STACK_BYTES);
    state->items = malloc(count * sizeof(struct item));
    if (!stacks || !state->items)
        abort();
    for (unsigned long i = 0; i < count; i++) {
        struct context *context = &state->items[i].context;
        getcontext(context);
        context->link = 0;
        context->stack = stacks + i * STACK_BYTES;
        context->stack_size = STACK_BYTES;
        state->items[i].done = 0;
        unsigned long address = (unsigned long)state;
        makecontext(context, (void (*)(void))begin, 2, (unsigned int)address, (unsigned int)(address >> 32));
    }
    for (unsigned long left = count; left > 0;) {
        for (unsigned long i = 0; i < count; i++) {
            if (!state->items[i].done) {
                state->current = i;
                swapcontext(&state->scheduler, &state->items[i].context);
                left -= state->items[i].done;
            }
        }
    }
    free(state->items);
    free(stacks);
}

// Runs one group. `size` has the items along x, y and z.
void vicinity_reference_group(item_function *function, void *group, const unsigned long *size, int has_barriers) {
    struct state state;
    state.function = function;
    state.group = group;
    state.size_x = size[0];
    state.size_y = size[1];
    unsigned long count = size[0] * size[1] * size[2];
    if (has_barriers) {
        run_on_stacks(&state, count);
        return;
    }
    for (unsigned long i = 0; i < count; i++)
        run(&state, i);
}
