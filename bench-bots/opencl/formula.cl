/* Much arithmetic on little data. */

float normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float sum = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * x * x) * sum;
    return x > 0.0f ? 1.0f - tail : tail;
}

/* Options after Black and Scholes, with the normal distribution after Abramowitz and Stegun 26.2.17. */
__kernel void black_scholes(float rate, float volatility, __global const float *price, __global const float *strike,
                            __global const float *years, __global float *call, __global float *put) {
    int i = get_global_id(0);
    float root = sqrt(years[i]);
    float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root;
    float later = strike[i] * exp(-rate * years[i]);
    call[i] = price[i] * normal(d1) - later * normal(d2);
    put[i] = later * normal(-d2) - price[i] * normal(-d1);
}

__kernel void mandelbrot_set(int width, int limit, float scale, __global int *steps) {
    int x = get_global_id(0), y = get_global_id(1), step = 0;
    float cr = x * scale - 2.0f, ci = y * scale - 1.25f, re = 0.0f, im = 0.0f;
    while (step < limit && re * re + im * im <= 4.0f) {
        float next = re * re - im * im + cr;
        im = 2.0f * re * im + ci;
        re = next;
        step++;
    }
    steps[y * width + x] = step;
}
