/* Maps: what of a terrain can be seen from some places, values between samples by kriging, places of a UTM grid as quadkeys. */

#define CURVE 6.8e-8f /* how far the ground falls with the square of the distance, refraction taken off: 0.87 / (2 * 6371000) */

typedef struct {
    int x, y;
    float above; /* the ground */
    float reach;
} observer_t;

/* The height at a place between four of the grid. */
float ground_at(__global const short *heights, const int width, const int height, const float x, const float y)
{
    const int left = clamp((int)floor(x), 0, width - 2), top = clamp((int)floor(y), 0, height - 2);
    __global const short *from = heights + top * width + left;
    const float share = x - left;
    return mix(mix((float)from[0], (float)from[1], share), mix((float)from[width], (float)from[width + 1], share), y - top);
}

bool is_visible(__global const short *heights, const int width, const int height, const float cell, const observer_t observer,
                const int x, const int y)
{
    const int dx = x - observer.x, dy = y - observer.y;
    const int steps = max(abs(dx), abs(dy));
    if (steps == 0) return true;
    const float away = cell * sqrt((float)(dx * dx + dy * dy));
    if (away > observer.reach) return false;
    const float eye = heights[observer.y * width + observer.x] + observer.above;
    const float slope = (heights[y * width + x] - away * away * CURVE - eye) / away;
    for (int i = 1; i < steps; i++) {
        const float share = (float)i / steps, along = share * away;
        const float ground = ground_at(heights, width, height, observer.x + dx * share, observer.y + dy * share);
        if (ground - along * along * CURVE - eye > slope * along) return false;
    }
    return true;
}

/* Each item follows the lines from its place to all observers, a bit for each that sees it. */
__kernel void viewshed(__global const short *heights, const int width, const int height, const float cell,
                       __constant observer_t *observers, const int count, __global uchar *seen)
{
    const int x = get_global_id(0), y = get_global_id(1);
    uchar mask = 0;
    for (int i = 0; i < count; i++) {
        if (is_visible(heights, width, height, cell, observers[i], x, y)) mask |= 1 << i;
    }
    seen[y * width + x] = mask;
}

#define NEAREST 8

typedef struct {
    float range, sill, nugget;
} variogram_t;

/* How alike values are that are so far apart, by the spherical model. */
float covariance(const variogram_t model, const float away)
{
    if (away >= model.range) return 0.0f;
    const float share = away / model.range;
    return model.sill * (1.0f - 1.5f * share + 0.5f * share * share * share);
}

/* Each item finds the 8 nearest samples in the cells around it and makes the best mean of them, whose weights have the sum 1. It tells
 * how sure that is, too. */
__kernel void kriging_grid(__global const float4 *samples, __global const int *cell_starts, const int cells, const float cell,
                           const variogram_t model, const int side, const float spacing, __global float2 *estimates)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= side || row >= side) return;
    const float2 place = (float2)(column, row) * spacing;
    float squares[NEAREST];
    int which[NEAREST];
    int count = 0;

    const int cell_x = min((int)(place.x / cell), cells - 1), cell_y = min((int)(place.y / cell), cells - 1);
    for (int y = max(cell_y - 1, 0); y <= min(cell_y + 1, cells - 1); y++) {
        for (int x = max(cell_x - 1, 0); x <= min(cell_x + 1, cells - 1); x++) {
            for (int i = cell_starts[y * cells + x]; i < cell_starts[y * cells + x + 1]; i++) {
                const float2 off = samples[i].xy - place;
                const float square = dot(off, off);
                if (count == NEAREST && square >= squares[NEAREST - 1]) continue;
                int at = count < NEAREST ? count++ : NEAREST - 1;
                for (; at > 0 && squares[at - 1] > square; at--) {
                    squares[at] = squares[at - 1];
                    which[at] = which[at - 1];
                }
                squares[at] = square;
                which[at] = i;
            }
        }
    }
    if (count < 3) {
        estimates[row * side + column] = (float2)(0.0f, -1.0f);
        return;
    }

    float a[NEAREST + 1][NEAREST + 2];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            a[i][k] = i == k ? model.sill + model.nugget : covariance(model, distance(samples[which[i]].xy, samples[which[k]].xy));
        }
        a[i][count] = a[count][i] = 1.0f;
        a[i][count + 1] = covariance(model, sqrt(squares[i]));
    }
    a[count][count] = 0.0f;
    a[count][count + 1] = 1.0f;
    for (int pivot = 0; pivot < count; pivot++) {
        for (int i = pivot + 1; i <= count; i++) {
            const float factor = a[i][pivot] / a[pivot][pivot];
            for (int k = pivot + 1; k <= count + 1; k++) a[i][k] -= factor * a[pivot][k];
        }
    }
    float weights[NEAREST + 1];
    for (int i = count; i >= 0; i--) {
        float sum = a[i][count + 1];
        for (int k = i + 1; k <= count; k++) sum -= a[i][k] * weights[k];
        weights[i] = sum / a[i][i];
    }
    float value = 0.0f, variance = model.sill + model.nugget - weights[count];
    for (int i = 0; i < count; i++) {
        value += weights[i] * samples[which[i]].z;
        variance -= weights[i] * covariance(model, sqrt(squares[i]));
    }
    estimates[row * side + column] = (float2)(value, variance);
}

#define LEVEL 24
#define SOUTH 128

/* WGS 84, of which n is the third flattening. */
#define FLAT (1.0 / 298.257223563)
#define N (FLAT / (2.0 - FLAT))
#define RADIUS (6378137.0 / (1.0 + N) * (1.0 + N * N / 4.0 + N * N * N * N / 64.0))

__constant double betas[3] = {N / 2.0 - 2.0 / 3.0 * N * N + 37.0 / 96.0 * N * N * N, N * N / 48.0 + N * N * N / 15.0,
                              17.0 / 480.0 * N * N * N};
__constant double deltas[3] = {2.0 * N - 2.0 / 3.0 * N * N - 2.0 * N * N * N, 7.0 / 3.0 * N * N - 8.0 / 5.0 * N * N * N,
                               56.0 / 15.0 * N * N * N};

/* Bits of the lower half, each followed by a zero. */
ulong spread_bits(ulong word)
{
    word = (word | word << 16) & 0x0000ffff0000fffful;
    word = (word | word << 8) & 0x00ff00ff00ff00fful;
    word = (word | word << 4) & 0x0f0f0f0f0f0f0f0ful;
    word = (word | word << 2) & 0x3333333333333333ul;
    return (word | word << 1) & 0x5555555555555555ul;
}

/* Each item turns an easting and a northing into longitude and latitude by Krueger's series, and finds the tile of the web's maps. */
__kernel void utm_quadkeys(__global const double2 *grid_places, __global const uchar *zones, __global double2 *places,
                           __global ulong *quadkeys)
{
    const size_t id = get_global_id(0);
    const double2 grid_place = grid_places[id];
    const uchar zone = zones[id];
    const double xi = (grid_place.y - (zone & SOUTH ? 10000000.0 : 0.0)) / (0.9996 * RADIUS);
    const double eta = (grid_place.x - 500000.0) / (0.9996 * RADIUS);
    double xi_turned = xi, eta_turned = eta;
    for (int i = 0; i < 3; i++) {
        const double twice = 2.0 * (i + 1);
        xi_turned -= betas[i] * sin(twice * xi) * cosh(twice * eta);
        eta_turned -= betas[i] * cos(twice * xi) * sinh(twice * eta);
    }
    const double conformal = asin(sin(xi_turned) / cosh(eta_turned));
    double latitude = conformal;
    for (int i = 0; i < 3; i++) latitude += deltas[i] * sin(2.0 * (i + 1) * conformal);
    const double middle = ((zone & 63) * 6 - 183) * (M_PI / 180.0);
    const double longitude = middle + atan2(sinh(eta_turned), cos(xi_turned));
    places[id] = (double2)(longitude, latitude) * (180.0 / M_PI);

    const double tiles = (double)(1 << LEVEL);
    const double sine = sin(latitude);
    const double x = (longitude / (2.0 * M_PI) + 0.5) * tiles;
    const double y = (0.5 - log((1.0 + sine) / (1.0 - sine)) / (4.0 * M_PI)) * tiles;
    const ulong tile_x = (ulong)clamp(x, 0.0, tiles - 1.0), tile_y = (ulong)clamp(y, 0.0, tiles - 1.0);
    quadkeys[id] = spread_bits(tile_x) | spread_bits(tile_y) << 1;
}
