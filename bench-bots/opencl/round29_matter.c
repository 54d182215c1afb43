/* Matter. Sizes are points, vertices along a side. */
#include "workloads.h"

enum { ATOMS = 37, POINTS = 64 };

static double distance_of(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Atoms in a box, none of them too near to another one. */
static void fill_atoms(cl_double4 *atoms, double *inverse, uint32_t *state) {
    for (long i = 0; i < ATOMS;) {
        int is_free = 1;
        for (int k = 0; k < 3; k++) {
            atoms[i].s[k] = 9.0 * (double)random_unit(state);
        }
        for (long k = 0; k < i; k++) {
            is_free &= distance_of(atoms[i].s, atoms[k].s) > 1.5;
        }
        i += is_free;
    }
    for (long i = 0; i < ATOMS; i++) {
        atoms[i].s[3] = 1000.0;
        for (long k = 0; k < ATOMS; k++) {
            double far = distance_of(atoms[i].s, atoms[k].s);
            inverse[i * ATOMS + k] = i == k ? 0.0 : 1.0 / far;
            atoms[i].s[3] = i == k ? atoms[i].s[3] : fmin(atoms[i].s[3], far);
        }
    }
}

static void atom_cells_prepare(struct clbench *b) {
    cl_double4 *atoms = make(b, 0, ATOMS * sizeof *atoms);
    uint32_t state = 4799;
    fill_atoms(atoms, make(b, 1, ATOMS * ATOMS * sizeof(cl_double)), &state);
    cl_double4 *points = make(b, 2, (size_t)b->size * sizeof *points);
    cl_int *owners = make(b, 3, (size_t)b->size * sizeof *owners);
    for (long i = 0; i < b->size; i++) {
        double share = (double)(i % 40 + 1) / 41.0, far = 1.2 * pow(share / (1.0 - share), 1.5);
        double height = 2.0 * (double)random_unit(&state) - 1.0, angle = 2.0 * acos(-1.0) * (double)random_unit(&state);
        double flat = sqrt(1.0 - height * height), way[3] = {flat * cos(angle), flat * sin(angle), height};
        owners[i] = (cl_int)(i * ATOMS / b->size);
        for (int k = 0; k < 3; k++) {
            points[i].s[k] = atoms[owners[i]].s[k] + fmin(far, 8.0) * way[k];
        }
        points[i].s[3] = 0.5 + (double)random_unit(&state);
    }
    make(b, 4, (size_t)b->size * sizeof(cl_double));
    up(b, 0), up(b, 1), up(b, 2), up(b, 3);
}

static void atom_cells_once(struct clbench *b) {
    cl_int atoms = ATOMS, count = (cl_int)b->size;
    launch(b, "atom_cells", RANGE1(round_up(b->size, POINTS), POINTS), B(0), B(1), V(atoms), B(2), B(3), V(count), B(4));
}

/* An atom's cell at a point, without a look at what is certain. */
static double cell_at(const cl_double4 *atoms, const double *point, long atom) {
    double cell = 1.0;
    for (long k = 0; k < ATOMS; k++) {
        if (k != atom) {
            double between = distance_of(atoms[atom].s, atoms[k].s);
            double t = (distance_of(point, atoms[atom].s) - distance_of(point, atoms[k].s)) / (0.64 * between);
            t = fmin(fmax(t, -1.0), 1.0);
            cell *= 0.5 * (1.0 - (35.0 * t - 35.0 * pow(t, 3.0) + 21.0 * pow(t, 5.0) - 5.0 * pow(t, 7.0)) / 16.0);
        }
    }
    return cell;
}

static int atom_cells_check(struct clbench *b) {
    const cl_double4 *atoms = b->buffer[0].host, *points = b->buffer[2].host;
    const cl_int *owners = b->buffer[3].host;
    const cl_double *got = b->buffer[4].host;
    long shared = 0, apart = b->size / 20000 + 1;
    int ok = 1;
    down(b, 4);
    for (long i = 0; ok && i < b->size; i += apart) {
        double all = 0.0, want = points[i].s[3] * cell_at(atoms, points[i].s, owners[i]);
        for (long k = 0; k < ATOMS; k++) {
            all += cell_at(atoms, points[i].s, k);
        }
        want /= all, shared += want > 1e-6 && want < 0.49;
        ok = near("weight", i, got[i], want, 1e-11);
    }
    return ok && same("some are shared", 0, shared * apart * 10 > b->size, 1);
}

enum { ITEMS = 64 };

/* As the kernels have it. */
struct quadric {
    cl_float4 squares, mixed;
};

static long edges_of(const struct clbench *b) { return (b->size - 1) * (3 * b->size - 1); }

/* Hills, rough in some parts. */
static void fill_vertices(cl_float4 *vertices, long side) {
    uint32_t state = 4801;
    for (long i = 0; i < side * side; i++) {
        double x = (double)(i % side), y = (double)(i / side), rough = i / side / 20 % 2 ? 1.1 : 0.15;
        vertices[i].s[0] = (float)x + 0.3f * random_unit(&state), vertices[i].s[1] = (float)y + 0.3f * random_unit(&state);
        vertices[i].s[2] = (float)(6.0 * sin(x / 9.0) * cos(y / 13.0) + rough * (double)random_unit(&state));
    }
}

/* Two triangles for each square of vertices, three edges for each vertex but for those at an end. */
static void fill_mesh(long side, cl_int *triangles, cl_int2 *edges) {
    for (long i = 0; i < side * side; i++) {
        cl_int at = (cl_int)i, right = at + 1, above = at + (cl_int)side;
        int has_right = i % side < side - 1, has_above = i / side < side - 1;
        if (has_right && has_above) {
            cl_int corners[6] = {at, right, above + 1, at, above + 1, above};
            memcpy(triangles, corners, sizeof corners), triangles += 6;
            *edges++ = (cl_int2){{at, above + 1}};
        }
        if (has_right) {
            *edges++ = (cl_int2){{at, right}};
        }
        if (has_above) {
            *edges++ = (cl_int2){{at, above}};
        }
    }
}

/* Which faces each vertex has. */
static void fill_faces(const cl_int *triangles, long corners, long count, cl_int *starts, cl_int *faces) {
    cl_int *at = calloc((size_t)count, sizeof *at);
    for (long i = 0; i < corners; i++) {
        starts[triangles[i] + 1]++;
    }
    for (long i = 0; i < count; i++) {
        starts[i + 1] += starts[i], at[i] = starts[i];
    }
    for (long i = 0; i < corners; i++) {
        faces[at[triangles[i]]++] = (cl_int)(i / 3);
    }
    free(at);
}

static void edge_quadrics_prepare(struct clbench *b) {
    long side = b->size, count = side * side, corners = 6 * (side - 1) * (side - 1), edges = edges_of(b);
    fill_vertices(make(b, 0, (size_t)count * sizeof(cl_float4)), side);
    cl_int *triangles = make(b, 1, (size_t)corners * sizeof *triangles);
    cl_int *starts = make(b, 2, (size_t)(count + 1) * sizeof *starts);
    fill_mesh(side, triangles, make(b, 4, (size_t)edges * sizeof(cl_int2)));
    fill_faces(triangles, corners, count, starts, make(b, 3, (size_t)corners * sizeof(cl_int)));
    make(b, 5, (size_t)count * sizeof(struct quadric)), make(b, 6, (size_t)count * sizeof(cl_uint));
    make(b, 7, (size_t)edges * sizeof(cl_float4)), make(b, 8, (size_t)edges);
    up(b, 0), up(b, 1), up(b, 2), up(b, 3), up(b, 4);
}

static void edge_quadrics_once(struct clbench *b) {
    cl_int count = (cl_int)(b->size * b->size), edges = (cl_int)edges_of(b);
    launch(b, "vertex_quadrics", RANGE1(round_up(count, ITEMS), ITEMS), B(0), B(1), B(2), B(3), V(count), B(5), B(6));
    launch(b, "edge_quadrics", RANGE1(round_up(edges, ITEMS), ITEMS), B(0), B(5), B(4), V(edges), B(7), B(6));
    launch(b, "mark_collapses", RANGE1(round_up(edges, ITEMS), ITEMS), B(7), B(4), V(edges), B(6), B(8));
}

/* Adds the planes of a vertex's faces to a matrix, and the same times the vertex to a column. */
static void add_planes(const struct clbench *b, long vertex, const double *origin, double matrix[3][3], double column[3]) {
    const cl_float4 *vertices = b->buffer[0].host;
    const cl_int *triangles = b->buffer[1].host, *starts = b->buffer[2].host, *faces = b->buffer[3].host;
    for (long face = starts[vertex]; face < starts[vertex + 1]; face++) {
        double side[2][3], normal[3], to_plane = 0.0, square = 0.0;
        for (int k = 0; k < 6; k++) {
            const float *from = vertices[triangles[3 * faces[face]]].s;
            const float *to = vertices[triangles[3 * faces[face] + 1 + k / 3]].s;
            side[k / 3][k % 3] = (double)to[k % 3] - (double)from[k % 3];
        }
        for (int k = 0; k < 3; k++) {
            normal[k] = side[0][(k + 1) % 3] * side[1][(k + 2) % 3] - side[0][(k + 2) % 3] * side[1][(k + 1) % 3];
            square += normal[k] * normal[k];
            to_plane += normal[k] * ((double)vertices[vertex].s[k] - origin[k]);
        }
        for (int k = 0; k < 9; k++) {
            matrix[k / 3][k % 3] += 0.5 * normal[k / 3] * normal[k % 3] / sqrt(square);
        }
        for (int k = 0; k < 3; k++) {
            column[k] += 0.5 * normal[k] * to_plane / sqrt(square);
        }
    }
}

/* An edge, seen from one end: the matrices of both ends, and the second one times the edge. */
struct form {
    double matrix[2][3][3], column[3], edge[3];
};

static double cost_at(const struct form *form, const double *place) {
    double sum = 0.0;
    for (int k = 0; k < 18; k++) {
        const double (*matrix)[3] = form->matrix[k / 9];
        int row = k / 3 % 3, other = k % 3;
        double one = place[row] - (k < 9 ? 0.0 : form->edge[row]), two = place[other] - (k < 9 ? 0.0 : form->edge[other]);
        sum += one * matrix[row][other] * two;
    }
    return sum;
}

static double determinant(double m[3][3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]);
    }
    return sum;
}

/* The least cost, and whether it is clear which way to find it is the right one. */
static double least_cost(const struct form *form, int *is_clear, int *is_round) {
    double all[3][3], part[3][3], best[3], middle[3], nowhere[3] = {0.0}, trace = 0.0;
    for (int k = 0; k < 9; k++) {
        all[k / 3][k % 3] = form->matrix[0][k / 3][k % 3] + form->matrix[1][k / 3][k % 3];
        trace += k % 4 == 0 ? all[k / 3][k % 3] : 0.0;
    }
    double whole = determinant(all), share = whole / (trace * trace * trace);
    for (int column = 0; column < 3; column++) {
        memcpy(part, all, sizeof part);
        for (int row = 0; row < 3; row++) {
            part[row][column] = form->column[row];
        }
        best[column] = determinant(part) / whole, middle[column] = 0.5 * form->edge[column];
    }
    *is_clear = fabs(share - 1e-3) > 1e-4, *is_round = share > 1e-3;
    return *is_round ? cost_at(form, best)
        : fmin(cost_at(form, middle), fmin(cost_at(form, nowhere), cost_at(form, form->edge)));
}

static int edge_quadrics_check(struct clbench *b) {
    const cl_float4 *vertices = b->buffer[0].host, *places = b->buffer[7].host;
    const cl_int2 *edges = b->buffer[4].host;
    const unsigned char *marks = b->buffer[8].host;
    long count = edges_of(b), clear = 0, round = 0, marked = 0;
    float *cheapest = malloc((size_t)(b->size * b->size) * sizeof *cheapest);
    int ok = 1;
    down(b, 7), down(b, 8);
    for (long i = 0; i < b->size * b->size; i++) {
        cheapest[i] = INFINITY;
    }
    for (long i = 0; ok && i < count; i++) {
        struct form form = {0};
        double origin[3], nothing[3] = {0.0}, place[3];
        int is_clear, is_round;
        for (int k = 0; k < 3; k++) {
            origin[k] = (double)vertices[edges[i].s[0]].s[k];
            form.edge[k] = (double)vertices[edges[i].s[1]].s[k] - origin[k], place[k] = (double)places[i].s[k] - origin[k];
        }
        add_planes(b, edges[i].s[0], origin, form.matrix[0], nothing);
        add_planes(b, edges[i].s[1], origin, form.matrix[1], form.column);
        double want = least_cost(&form, &is_clear, &is_round), cost = (double)places[i].s[3];
        clear += is_clear, round += is_round;
        ok = near("cost of the place", i, cost, cost_at(&form, place), 3e-4) && (!is_clear || near("cost", i, cost, want, 1e-4));
        for (int k = 0; k < 2; k++) {
            cheapest[edges[i].s[k]] = fminf(cheapest[edges[i].s[k]], places[i].s[3]);
        }
    }
    for (long i = 0; ok && i < count; i++) {
        float cost = places[i].s[3];
        ok = same("mark", i, marks[i], cost <= cheapest[edges[i].s[0]] && cost <= cheapest[edges[i].s[1]]);
        marked += marks[i];
    }
    free(cheapest);
    return ok && same("most are clear", 0, clear * 10 > 9 * count, 1) && same("some go", 0, marked * 20 > count, 1) &&
           same("both ways are taken", 0, round * 10 > count && round * 10 < 9 * count, 1);
}

const struct workload round29_matter_workloads[] = {
    WORKLOAD(round29_matter, atom_cells, 301, 6007, 20011, 80021),
    WORKLOAD(round29_matter, edge_quadrics, 47, 241, 601, 1201),
    END_OF_WORKLOADS,
};
