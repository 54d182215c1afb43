/* Elements by themselves: no item looks at another's. */

/* A map in grid-stride form: as many items as the device likes, each takes every so-manieth element. */
__kernel void wave_packet(uint n, __global const float *x, __global float *y) {
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        float v = x[i];
        y[i] = sin(6.0f * v) * exp(-v * v) + log(1.0f + fabs(v));
    }
}

__kernel void saxpy(int n, float a, __global const float *x, __global float *y) {
    int i = get_global_id(0);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

/* Brightness of pixels, in whole numbers. */
__kernel void grey(__global const uchar4 *pixel, __global uchar *brightness) {
    size_t i = get_global_id(0);
    uchar4 p = pixel[i];
    brightness[i] = (uchar)((77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8);
}

/* Old photographs: every channel a mix of all three, in floating point. */
__kernel void sepia(int width, int height, __global const uchar4 *in, __global uchar4 *out) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height) {
        return;
    }
    float4 p = convert_float4(in[y * width + x]);
    float4 mixed;
    mixed.x = dot(p, (float4)(0.393f, 0.769f, 0.189f, 0.0f));
    mixed.y = dot(p, (float4)(0.349f, 0.686f, 0.168f, 0.0f));
    mixed.z = dot(p, (float4)(0.272f, 0.534f, 0.131f, 0.0f));
    mixed.w = p.w;
    out[y * width + x] = convert_uchar4_sat_rte(mixed);
}

typedef struct {
    float4 position;
    float4 velocity;
} body;

/* Particles fall towards the middle, and bounce off the floor. */
__kernel void leapfrog(uint n, float step, __global const body *before, __global body *after) {
    uint i = get_global_id(0);
    if (i >= n) {
        return;
    }
    body b = before[i];
    float4 pull = -b.position;
    pull.w = 0.0f;
    float inverse = rsqrt(dot(pull, pull) + 0.01f);
    b.velocity += pull * (inverse * inverse * inverse * step);
    b.position += b.velocity * step;
    if (b.position.y < -1.0f) {
        b.position.y = -2.0f - b.position.y;
        b.velocity.y = -0.8f * b.velocity.y;
    }
    after[i] = b;
}

float cumulative(float d) { return 0.5f * erfc(-0.70710678f * d); }

/* European options: the price of the call, and by parity that of the put. */
__kernel void option_prices(int n, float rate, float volatility, __global const float *stock,
                            __global const float *strike, __global const float *years, __global float *call,
                            __global float *put) {
    int i = get_global_id(0);
    if (i < n) {
        float s = stock[i], k = strike[i], t = years[i];
        float deviation = volatility * sqrt(t);
        float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / deviation;
        float discounted = k * exp(-rate * t);
        float price = s * cumulative(d1) - discounted * cumulative(d1 - deviation);
        call[i] = price;
        put[i] = price - s + discounted;
    }
}

__kernel void tone_curve(uint n, float exposure, float gamma, __global const float *light, __global float *shown) {
    uint i = get_global_id(0);
    if (i < n) {
        float v = exposure * light[i];
        shown[i] = clamp(pow(v / (1.0f + v), gamma), 0.0f, 1.0f);
    }
}
