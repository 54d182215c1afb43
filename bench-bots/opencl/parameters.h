/* What kernels of the suite `opencl` are told besides their data and its size. */
#ifndef VICINITY_PARAMETERS_H
#define VICINITY_PARAMETERS_H

enum { LIMIT = 256 };                      /* mandelbrot_set: steps */
enum { CHARGES = 512, SAMPLES = 512 };     /* cutoff, mriq */
enum { FEATURES = 16, CENTRES = 12 };      /* kmeans */
enum { COORDINATES = 32, CANDIDATE = 17 }; /* streamcluster: of a point, and the point that may become a centre */
enum { WINDOW = 61, IMAGE = 256 };         /* particle_filter: offsets, and points along a side */
enum { GAP = 2 };                          /* wavefront: its cost */
enum { RADIUS = 4 };                       /* fdtd: neighbours in each direction */
enum { STEPS = 4 };                        /* lattice_boltzmann */

static const float soft = 0.01f;                     /* nbody: what is added to squares of distances */
static const float reach = 2.0f;                     /* cutoff: how far charges count */
static const float first_share = 0.37f;              /* particle_filter: what shares are shifted by */
static const float relaxation = 0.7f;                /* lattice_boltzmann */
static const float rate = 0.02f, volatility = 0.3f;  /* black_scholes */

#endif
