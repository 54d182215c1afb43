/* Points of a grid and their neighbours. Global sizes are rounded up, so all have a guard. */

/* The mean of a square of 5 by 5; outside the picture its border goes on. */
__kernel void box_blur(int width, int height, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int dy = -2; dy <= 2; dy++) {
            int from_y = clamp(y + dy, 0, height - 1);
            for (int dx = -2; dx <= 2; dx++) {
                int from_x = clamp(x + dx, 0, width - 1);
                sum += in[from_y * width + from_x];
            }
        }
        out[y * width + x] = sum * (1.0f / 25.0f);
    }
}

/* A step of the heat equation in space; the border stays as it is. */
__kernel void heat3d(int nx, int ny, int nz, float c, __global const float *now, __global float *next) {
    int x = get_global_id(0) + 1;
    int y = get_global_id(1) + 1;
    int z = get_global_id(2) + 1;
    if (x < nx - 1 && y < ny - 1 && z < nz - 1) {
        int at = x + nx * (y + ny * z);
        float here = now[at];
        next[at] = here + c * (now[at - 1] + now[at + 1] + now[at - nx] + now[at + nx] + now[at - nx * ny] +
                               now[at + nx * ny] - 6.0f * here);
    }
}

#define ORDER(a, b)                                                                                \
    {                                                                                              \
        float low = fmin(a, b);                                                                    \
        b = fmax(a, b);                                                                            \
        a = low;                                                                                   \
    }

/* The median of nine by a network of exchanges (Paeth, Graphics Gems). */
__kernel void median3x3(int width, int height, __global const float *in, __global float *out) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    int left = max(x - 1, 0), right = min(x + 1, width - 1);
    int above = max(y - 1, 0) * width, here = y * width, below = min(y + 1, height - 1) * width;
    float p0 = in[above + left], p1 = in[above + x], p2 = in[above + right];
    float p3 = in[here + left], p4 = in[here + x], p5 = in[here + right];
    float p6 = in[below + left], p7 = in[below + x], p8 = in[below + right];
    ORDER(p1, p2) ORDER(p4, p5) ORDER(p7, p8) ORDER(p0, p1) ORDER(p3, p4) ORDER(p6, p7)
    ORDER(p1, p2) ORDER(p4, p5) ORDER(p7, p8) ORDER(p0, p3) ORDER(p5, p8) ORDER(p4, p7)
    ORDER(p3, p6) ORDER(p1, p4) ORDER(p2, p5) ORDER(p4, p7) ORDER(p4, p2) ORDER(p6, p4) ORDER(p4, p2)
    out[y * width + x] = p4;
}

/* Edges of a picture of bytes; its border is black. */
__kernel void sobel(int width, int height, __global const uchar *in, __global uchar *out) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    int at = y * width + x, edge = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        int across = in[at - width + 1] + 2 * in[at + 1] + in[at + width + 1] - in[at - width - 1] - 2 * in[at - 1] -
                     in[at + width - 1];
        int down = in[at + width - 1] + 2 * in[at + width] + in[at + width + 1] - in[at - width - 1] -
                   2 * in[at - width] - in[at - width + 1];
        edge = min(255, (int)sqrt((float)(across * across + down * down)));
    }
    out[at] = (uchar)edge;
}

/* Maxwell's equations in a plane: the magnetic field half a step, then the electric field. */
__kernel void fdtd2d_magnetic(int nx, int ny, __global const float *ez, __global float *hx, __global float *hy) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i < nx && j < ny) {
        if (j < ny - 1) {
            hx[j * nx + i] -= 0.5f * (ez[(j + 1) * nx + i] - ez[j * nx + i]);
        }
        if (i < nx - 1) {
            hy[j * nx + i] += 0.5f * (ez[j * nx + i + 1] - ez[j * nx + i]);
        }
    }
}

__kernel void fdtd2d_electric(int nx, int ny, __global float *ez, __global const float *hx, __global const float *hy) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i > 0 && j > 0 && i < nx && j < ny) {
        int at = j * nx + i;
        ez[at] += 0.5f * ((hy[at] - hy[at - 1]) - (hx[at] - hx[at - nx]));
    }
}

typedef struct {
    float f[9];
} cell;

__constant int step_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant int step_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant float share[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

/* A step of the lattice-Boltzmann method, nine speeds in a plane without borders: what arrives is collected from
 * the neighbours, then relaxed towards the equilibrium. A cell's nine numbers lie side by side. */
__kernel void lattice_cells(int nx, int ny, float omega, __global const cell *now, __global cell *next) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) {
        return;
    }
    float f[9], density = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        int from_x = (x - step_x[k] + nx) % nx, from_y = (y - step_y[k] + ny) % ny;
        f[k] = now[from_y * nx + from_x].f[k];
        density += f[k];
        ux += step_x[k] * f[k];
        uy += step_y[k] * f[k];
    }
    ux /= density;
    uy /= density;
    float square = ux * ux + uy * uy;
    for (int k = 0; k < 9; k++) {
        float along = step_x[k] * ux + step_y[k] * uy;
        float rest = share[k] * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * square);
        next[y * nx + x].f[k] = f[k] + omega * (rest - f[k]);
    }
}
