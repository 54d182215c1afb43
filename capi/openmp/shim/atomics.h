// What the atomic updates under the lock of big atomics are made of: macros that write functions of the ABI.

// Written in Rust, linked into the same object.
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

// Replaces *at by VALUE, an expression of x (the variable) and r (the operand).
#define UPDATE(T, R, NAME, VALUE)                                                                 \
    void __kmpc_atomic_##NAME(const void *location, int thread, T *at, R r)                       \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        *at = (T) (VALUE);                                                                        \
        GOMP_atomic_end();                                                                        \
    }

// The same, and gives back the value after (flag) or before.
#define CAPTURE(T, NAME, VALUE)                                                                   \
    T __kmpc_atomic_##NAME(const void *location, int thread, T *at, T r, int after)               \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at, new = (VALUE);                                                                 \
        *at = new;                                                                                \
        GOMP_atomic_end();                                                                        \
        return after ? new : x;                                                                   \
    }

#define CAPTURE_OUT(T, NAME, VALUE)                                                               \
    void __kmpc_atomic_##NAME(const void *location, int thread, T *at, T r, T *out, int after)    \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at, new = (VALUE);                                                                 \
        *at = new;                                                                                \
        GOMP_atomic_end();                                                                        \
        *out = after ? new : x;                                                                   \
    }

#define READ_WRITE(T, TYPE)                                                                       \
    T __kmpc_atomic_##TYPE##_rd(const void *location, int thread, T *at)                          \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        GOMP_atomic_end();                                                                        \
        return x;                                                                                 \
    }                                                                                             \
    UPDATE(T, T, TYPE##_wr, ((void) x, r))

#define SWAP(T, TYPE)                                                                             \
    T __kmpc_atomic_##TYPE##_swp(const void *location, int thread, T *at, T r)                    \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        *at = r;                                                                                  \
        GOMP_atomic_end();                                                                        \
        return x;                                                                                 \
    }

#define SWAP_OUT(T, TYPE)                                                                         \
    void __kmpc_atomic_##TYPE##_swp(const void *location, int thread, T *at, T r, T *out)         \
    {                                                                                             \
        (void) location, (void) thread;                                                           \
        GOMP_atomic_start();                                                                      \
        T x = *at;                                                                                \
        *at = r;                                                                                  \
        GOMP_atomic_end();                                                                        \
        *out = x;                                                                                 \
    }

// An operation and its capturing form.
#define BOTH(T, NAME, CPT_NAME, VALUE, CPT) UPDATE(T, T, NAME, VALUE) CPT(T, CPT_NAME, VALUE)

#define ARITHMETIC(T, TYPE, CPT)                                                                  \
    BOTH(T, TYPE##_add, TYPE##_add_cpt, x + r, CPT)                                               \
    BOTH(T, TYPE##_sub, TYPE##_sub_cpt, x - r, CPT)                                               \
    BOTH(T, TYPE##_mul, TYPE##_mul_cpt, x * r, CPT)                                               \
    BOTH(T, TYPE##_div, TYPE##_div_cpt, x / r, CPT)                                               \
    BOTH(T, TYPE##_sub_rev, TYPE##_sub_cpt_rev, r - x, CPT)                                       \
    BOTH(T, TYPE##_div_rev, TYPE##_div_cpt_rev, r / x, CPT)                                       \
    READ_WRITE(T, TYPE)
