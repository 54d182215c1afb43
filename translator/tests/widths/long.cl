// A kernel of more than a thousand instructions.
#define STEP(a, b, c) a += b, c = rotate(c ^ a, 7u) * 33u, b ^= c >> 5,
#define FOUR(a, b, c, d) STEP(a, b, c) STEP(b, c, d) STEP(c, d, a) STEP(d, a, b)
#define SIXTEEN(a, b, c, d) FOUR(a, b, c, d) FOUR(c, a, d, b) FOUR(d, c, b, a) FOUR(b, d, a, c)
#define HUNDRED(a, b, c, d) \
    SIXTEEN(a, b, c, d) SIXTEEN(a, b, c, d) SIXTEEN(a, b, c, d) SIXTEEN(a, b, c, d) SIXTEEN(a, b, c, d) SIXTEEN(a, b, c, d)

kernel void long_mix(global uint *out, uint rounds)
{
    uint a = get_global_id(0), b = a * 3, c = a ^ 5, d = a + 7;
    for (uint i = get_global_id(0) % 3; i < rounds; i++) { HUNDRED(a, b, c, d) HUNDRED(b, d, c, a) HUNDRED(c, b, a, d) a += i; }
    out[get_global_id(0)] = a ^ b ^ c ^ d;
}
