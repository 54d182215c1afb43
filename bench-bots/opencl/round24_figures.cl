/* Figures: how much colours differ, what options with a barrier are worth, the middle of what was last. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define RADIANS 0.017453292f

float3 linear_light(const float3 colour)
{
    return select(pow((colour + 0.055f) / 1.055f, (float3)(2.4f)), colour / 12.92f, colour <= 0.04045f);
}

/* Lightness, and how red and how yellow a colour is, by the eye. */
float3 lab_of(const float3 colour)
{
    const float3 light = linear_light(colour);
    const float3 xyz = (float3)(dot(light, (float3)(0.4124564f, 0.3575761f, 0.1804375f)) / 0.95047f,
                                dot(light, (float3)(0.2126729f, 0.7151522f, 0.0721750f)),
                                dot(light, (float3)(0.0193339f, 0.1191920f, 0.9503041f)) / 1.08883f);
    const float3 root = select(7.787037f * xyz + 16.0f / 116.0f, cbrt(xyz), xyz > 0.008856452f);
    return (float3)(116.0f * root.y - 16.0f, 500.0f * (root.x - root.y), 200.0f * (root.y - root.z));
}

float seventh_power_share(const float chroma)
{
    const float power = pown(chroma, 7);
    return sqrt(power / (power + 6103515625.0f));
}

/* In degrees from 0 to 360. */
float hue_of(const float red, const float yellow)
{
    if (red == 0.0f && yellow == 0.0f) return 0.0f;
    const float hue = atan2(yellow, red) / RADIANS;
    return hue < 0.0f ? hue + 360.0f : hue;
}

/* CIEDE2000, which makes steps in all directions as far as they seem. */
float colour_difference(const float3 one, const float3 other)
{
    const float mean_chroma = 0.5f * (length(one.yz) + length(other.yz));
    const float more = 1.5f - 0.5f * seventh_power_share(mean_chroma);
    const float red1 = one.y * more, red2 = other.y * more;
    const float chroma1 = hypot(red1, one.z), chroma2 = hypot(red2, other.z);
    const float hue1 = hue_of(red1, one.z), hue2 = hue_of(red2, other.z);
    float turn = hue2 - hue1, hue = hue1 + hue2;
    if (chroma1 * chroma2 == 0.0f) {
        turn = 0.0f;
    } else {
        if (fabs(turn) > 180.0f) {
            turn += turn > 0.0f ? -360.0f : 360.0f;
            hue += hue < 360.0f ? 360.0f : -360.0f;
        }
        hue *= 0.5f;
    }
    const float lightness = 0.5f * (one.x + other.x) - 50.0f, chroma = 0.5f * (chroma1 + chroma2);
    const float t = 1.0f - 0.17f * cos((hue - 30.0f) * RADIANS) + 0.24f * cos(2.0f * hue * RADIANS) +
                    0.32f * cos((3.0f * hue + 6.0f) * RADIANS) - 0.20f * cos((4.0f * hue - 63.0f) * RADIANS);
    const float blue = (hue - 275.0f) / 25.0f;
    const float rotation = -sin(60.0f * exp(-blue * blue) * RADIANS) * 2.0f * seventh_power_share(chroma);
    const float3 parts = (float3)((other.x - one.x) / (1.0f + 0.015f * lightness * lightness / sqrt(20.0f + lightness * lightness)),
                                  (chroma2 - chroma1) / (1.0f + 0.045f * chroma),
                                  2.0f * sqrt(chroma1 * chroma2) * sin(0.5f * turn * RADIANS) / (1.0f + 0.015f * chroma * t));
    return sqrt(fmax(dot(parts, parts) + rotation * parts.y * parts.z, 0.0f));
}

/* Each item finds the paint that looks most like a pixel. Paints that are too light or too dark need no more. */
__kernel void colour_match(__global const uchar4 *pixels, const int count, __constant float4 *paints, const int all,
                           __global uchar *matches, __global float *differences)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const float3 colour = lab_of(convert_float3(pixels[id].xyz) / 255.0f);
    float best = 1000.0f;
    int found = 0;
    for (int i = 0; i < all; i++) {
        const float3 paint = paints[i].xyz;
        if (fabs(paint.x - colour.x) > 2.0f * best) continue;
        const float difference = colour_difference(colour, paint);
        if (difference < best) {
            best = difference;
            found = i;
        }
    }
    matches[id] = found;
    differences[id] = best;
}

typedef struct {
    double spot, strike, barrier, rate, volatility, years;
    int is_call, is_american;
} terms_t;

/* What an option of these terms is worth when it is used. */
double gain_of(const terms_t terms, const double price)
{
    return fmax(terms.is_call ? price - terms.strike : terms.strike - price, 0.0);
}

/* Each item finds what an option is worth that ends where the price reaches a barrier: Crank's and Nicolson's steps from the end to
 * now. The values of all options for a price lie together, and so do what elimination leaves. */
__kernel void barrier_grids(__global const terms_t *options, const int count, const int prices, const int steps, __global double *values,
                            __global double *factors, __global double *results)
{
    const int id = get_global_id(0);
    if (id >= count) return;
    const terms_t terms = options[id];
    const double width = terms.barrier / prices, step = terms.years / steps;
    for (int i = 0; i < prices; i++) values[i * count + id] = gain_of(terms, i * width);
    values[prices * count + id] = 0.0;
    for (int k = 1; k <= steps; k++) {
        const double bottom = terms.is_call ? 0.0 : terms.is_american ? terms.strike : terms.strike * exp(-terms.rate * k * step);
        double below = values[id], here = values[count + id], factor = 0.0, left = bottom;
        for (int i = 1; i < prices; i++) {
            const double above = values[(i + 1) * count + id];
            const double spread = 0.25 * step * terms.volatility * terms.volatility * i * i, drift = 0.25 * step * terms.rate * i;
            const double a = spread - drift, c = spread + drift, middle = 2.0 * spread + 0.5 * step * terms.rate;
            const double right = a * below + (1.0 - middle) * here + c * above;
            const double pivot = 1.0 / (1.0 + middle - a * factor);
            factor = c * pivot;
            left = (right + a * left) * pivot;
            factors[i * count + id] = factor;
            values[i * count + id] = left;
            below = here;
            here = above;
        }
        values[id] = bottom;
        double last = 0.0;
        for (int i = prices - 1; i > 0; i--) {
            last = values[i * count + id] + factors[i * count + id] * last;
            if (terms.is_american) last = fmax(last, gain_of(terms, i * width));
            values[i * count + id] = last;
        }
    }
    const double place = terms.spot / width;
    const int at = min((int)place, prices - 1);
    results[id] = mix(values[at * count + id], values[(at + 1) * count + id], place - at);
}

#define WINDOW 21

typedef struct {
    float median, spread; /* between the quarters */
    ushort rank, rises;
} rolling_t;

/* Each item follows a share through all days, and keeps its last prices sorted. A day's prices of all shares lie together. */
__kernel void rolling_ranks(__global const float *prices, const int shares, const int days, __global rolling_t *results)
{
    const int id = get_global_id(0);
    if (id >= shares) return;
    float sorted[WINDOW];
    int count = 0, rises = 0;
    float before = 0.0f;
    for (int day = 0; day < days; day++) {
        const float price = prices[day * shares + id];
        if (count == WINDOW) {
            const float oldest = prices[(day - WINDOW) * shares + id];
            int place = 0;
            while (sorted[place] < oldest) place++;
            for (; place < WINDOW - 1; place++) sorted[place] = sorted[place + 1];
            count--;
        }
        int place = count;
        for (; place > 0 && sorted[place - 1] > price; place--) sorted[place] = sorted[place - 1];
        sorted[place] = price;
        count++;
        rises = day > 0 && price > before ? rises + 1 : 0;
        before = price;
        rolling_t result;
        result.median = 0.5f * (sorted[(count - 1) / 2] + sorted[count / 2]);
        result.spread = sorted[count * 3 / 4] - sorted[count / 4];
        result.rank = place;
        result.rises = rises;
        results[day * shares + id] = result;
    }
}
