/* The geometric functions. Lengths neither overflow nor underflow on the way: float goes through double, double is scaled
 * by a power of two. fast_ functions do without. Sources: OpenCL C 3.0, sections 6.15.5 and 7.4. */
#include "library.h"

static inline OVERLOAD float sum(float x) { return x; }
static inline OVERLOAD float sum(float2 x) { return x.x + x.y; }
static inline OVERLOAD float sum(float3 x) { return x.x + x.y + x.z; }
static inline OVERLOAD float sum(float4 x) { return (x.x + x.y) + (x.z + x.w); }
static inline OVERLOAD double sum(double x) { return x; }
static inline OVERLOAD double sum(double2 x) { return x.x + x.y; }
static inline OVERLOAD double sum(double3 x) { return x.x + x.y + x.z; }
static inline OVERLOAD double sum(double4 x) { return (x.x + x.y) + (x.z + x.w); }

/* The greatest magnitude; a NaN where there is one and no infinity is seen to by the callers. */
static inline OVERLOAD double greatest(double x) { return op_fabs(x); }
static inline OVERLOAD double greatest(double2 x) { return op_fmax(op_fabs(x.x), op_fabs(x.y)); }
static inline OVERLOAD double greatest(double3 x) { return op_fmax(greatest(x.xy), op_fabs(x.z)); }
static inline OVERLOAD double greatest(double4 x) { return op_fmax(greatest(x.lo), greatest(x.hi)); }

/* The power of two that brings a magnitude near one, and its inverse; both stay normal. */
static inline double scale_of(double magnitude) {
    long field = as_long(magnitude) >> 52;
    field = field < 64 ? 64 : field > 1983 ? 1983 : field;
    return as_double((2046 - field) << 52);
}

/* F is the float form, D the double one of as many elements. */
#define FORMS(M) M(float, double) M(float2, double2) M(float3, double3) M(float4, double4)

/* Where an element is infinite, it alone says where the vector points. */
#define GEOMETRIC(F, D)                                                                         \
    OVERLOAD float dot(F x, F y) { return sum(x * y); }                                         \
    OVERLOAD double dot(D x, D y) { return sum(x * y); }                                        \
    OVERLOAD float length(F x) {                                                                \
        D wide = CONVERT_##F(x, D);                                             \
        return greatest(wide) == INFINITY ? INFINITY : (float)op_sqrt(sum(wide * wide));        \
    }                                                                                           \
    OVERLOAD double length(D x) {                                                               \
        double most = greatest(x), scale = scale_of(most);                                      \
        D near = x * scale;                                                                     \
        return most == INFINITY ? INFINITY : op_sqrt(sum(near * near)) / scale;                 \
    }                                                                                           \
    OVERLOAD float distance(F x, F y) { return length(x - y); }                                 \
    OVERLOAD double distance(D x, D y) { return length(x - y); }                                \
    OVERLOAD D normalize(D x) {                                                                 \
        double most = greatest(x);                                                              \
        D finite = most == INFINITY ? DIRECTION_##D(x) : x * scale_of(most);                    \
        double square = sum(finite * finite);                                                   \
        return most == 0 && square == 0 ? x : finite / op_sqrt(square);                         \
    }                                                                                           \
    OVERLOAD F normalize(F x) {                                                                 \
        return CONVERT_##F(normalize(CONVERT_##F(x, D)), F);    \
    }                                                                                           \
    OVERLOAD float fast_length(F x) { return op_sqrt(sum(x * x)); }                             \
    OVERLOAD float fast_distance(F x, F y) { return fast_length(x - y); }                       \
    OVERLOAD F fast_normalize(F x) {                                                            \
        float square = sum(x * x);                                                              \
        return square == 0 ? x : x * (1 / op_sqrt(square));                                     \
    }

#define CONVERT_float(x, T) ((T)(x))
#define CONVERT_float2 __builtin_convertvector
#define CONVERT_float3 __builtin_convertvector
#define CONVERT_float4 __builtin_convertvector

static inline double direction(double x) {
    return op_fabs(x) == INFINITY ? op_copysign(1.0, x) : x == x ? op_copysign(0.0, x) : x;
}
#define DIRECTION_double(v) direction(v)
#define DIRECTION_double2(v) (double2)(direction(v.x), direction(v.y))
#define DIRECTION_double3(v) (double3)(direction(v.x), direction(v.y), direction(v.z))
#define DIRECTION_double4(v) (double4)(direction(v.x), direction(v.y), direction(v.z), direction(v.w))

FORMS(GEOMETRIC)

#define CROSS(T)                                                                \
    OVERLOAD T##3 cross(T##3 x, T##3 y) { return x.yzx * y.zxy - x.zxy * y.yzx; } \
    OVERLOAD T##4 cross(T##4 x, T##4 y) { return (T##4)(cross(x.xyz, y.xyz), 0); }
CROSS(float)
CROSS(double)
