// What Rust's library destroys when a thread ends, kept by a key of pthreads.
//
// The C library's function of this name, for C++, waits for the dynamic loader, which a thread holds that runs the constructors of a
// library. If such a constructor opens a parallel region, it waits for workers, and these would wait for the loader to begin. The name
// is hidden: only what is linked into this library finds it here, and the library is never unloaded.
#include <pthread.h>
#include <stdlib.h>

struct left_behind {
    void (*destroy)(void *);
    void *object;
    struct left_behind *before;
};

static pthread_key_t key;
static int has_key;

static void destroy_all(void *last)
{
    for (struct left_behind *one = last; one;) {
        struct left_behind *before = one->before;
        one->destroy(one->object);
        free(one);
        one = before;
    }
}

static void make_key(void)
{
    has_key = !pthread_key_create(&key, destroy_all);
}

// Gives 0, or another number where there is no memory: then nothing is destroyed.
__attribute__((visibility("hidden"))) int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)library;
    pthread_once(&once, make_key);
    struct left_behind *one = has_key ? malloc(sizeof *one) : NULL;
    if (!one)
        return -1;
    *one = (struct left_behind){destroy, object, pthread_getspecific(key)};
    int failed = pthread_setspecific(key, one);
    if (failed)
        free(one);
    return failed;
}
