//! Statements about memory: that of one item in parts and as other types, what items of a group exchange, and what
//! all add to.

use super::writer::Writer;

impl Writer {
    /// Items read what others wrote before a barrier.
    pub fn exchange(&mut self) {
        let value = self.value();
        let to = self.random.pick(&["a", "b", "c", "d"]);
        let from =
            self.random.pick(&["t[(l + 1) % s]", "t[s - 1 - l]", "t[(l * 5 + 3) % s]", "t[l]"]);
        match self.random.below(5) {
            4 => self.line(format_args!(
                "barrier(CLK_LOCAL_MEM_FENCE);\nfor (int q = 0; q < 16; q++) {to} = ADD({to}, keys[q]);\n\
                 {to} ^= changed[l & 7];\nbarrier(CLK_LOCAL_MEM_FENCE);"
            )),
            // Both orders of two additions to one place give the same.
            0 => self.line(format_args!(
                "barrier(CLK_LOCAL_MEM_FENCE);\natomic_add(&h[{value} & 7], l);\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n{to} ^= h[l & 7];\nbarrier(CLK_LOCAL_MEM_FENCE);"
            )),
            1 => self.line(format_args!(
                "barrier(CLK_LOCAL_MEM_FENCE);\n((local float *)t)[l] = TAME((float){value});\n\
                 barrier(CLK_LOCAL_MEM_FENCE);\n{to} ^= {from};"
            )),
            _ => self.line(format_args!(
                "barrier(CLK_LOCAL_MEM_FENCE);\nt[l] = {value};\nbarrier(CLK_LOCAL_MEM_FENCE);\n\
                 {to} ^= {from};"
            )),
        }
    }

    /// Collective functions count items by their linear number.
    pub fn collective(&mut self) {
        self.one_of(&[
            "a ^= work_group_scan_inclusive_add((uint)$);",
            "b = ADD(b, work_group_scan_exclusive_add((uint)$));",
            "c ^= work_group_scan_inclusive_max($);",
            "d ^= work_group_scan_exclusive_min((long)$) & 255;",
            "a = ADD(a, work_group_reduce_min($));",
            "b ^= work_group_reduce_add((uint)$);",
            "c ^= work_group_broadcast($, 0, 0, 0);",
            "d ^= work_group_broadcast($, get_local_size(0) - 1, get_local_size(1) - 1, 0);",
            "if (work_group_any($ > a)) c++;",
            "if (work_group_all($ != 7)) d ^= 9;",
        ]);
    }

    /// Sixteen words of each item's own, whole and in parts, as one type and as another; counters of all.
    pub fn memory(&mut self) {
        self.one_of(&[
            "((global int4 *)m)[4 * g + 1] = v.wzyx;",
            "v = ((global int4 *)m)[4 * g + (l & 3)];",
            "m[16 * g + ($ & 15)] = a;",
            "m[16 * g + 5] = $;",
            "a ^= m[16 * g + 4] ^ m[16 * g + 6];",
            "((global int2 *)m)[8 * g + 2] = (int2)(b, $);",
            "{ int q = ((global int2 *)m)[8 * g + 2].x; m[16 * g + 5] = $; b ^= q ^ ((global int2 *)m)[8 * g + 2].y; }",
            "((global int4 *)m)[4 * g].z = $;",
            "((global short *)m)[32 * g + 9] = (short)$;",
            "c ^= ((global uchar *)m)[64 * g + ($ & 63)];",
            "((global uchar4 *)m)[16 * g + 4] += (uchar4)(1, 2, 3, (uchar)$);",
            "((global float *)m)[16 * g + 6] = f;",
            "{ float q = ((global float2 *)m)[8 * g + 3].x; d ^= isnan(q) ? 1 : as_int(q); }",
            "vstore3(v.xyz, 1, m + 16 * g + 1);",
            "v = vload4(1, m + 16 * g + 2) ^ $;",
            "{ long q = ((global long *)m)[8 * g + 2]; a ^= (int)(q >> 20); }",
            "((global S *)m)[g * 4 + 1] = r;",
            "r = ((global S *)m)[g * 4 + 1]; r.f = TAME(r.f);",
            "atomic_add(&z[l & 1], $);",
            "atomic_xor(&z[2 + (a & 1)], $);",
            "atomic_max(&z[4], $);",
            "atomic_inc(&z[5]);",
            "atomic_min(&z[8], $);",
            "atomic_or(&z[9], 1 << ($ & 31));",
            "atomic_sub(&z[10], ($ & 1) ? a : 3);",
            "{ int q = z[7], i = $, r; do { r = q; q = atomic_cmpxchg(&z[7], r, (int)((uint)r + (uint)i)); } while (q != r); }",
            // The numbers that items find are others in another order, and all of them are the same.
            "{ int q = atomic_inc(&z[11]); atomic_add(&z[12], MUL(q, q)); }",
            "if ($ & 1) { int q = atomic_sub(&z[13], 3); atomic_xor(&z[14], q); }",
            "if (atomic_cmpxchg(&z[15], 0, 5) == 0) atomic_inc(&z[16]);",
            "for (int q = 0; q < ($ & 3); q++) if (atomic_or(&z[17], 1 << q) & 1 << q) atomic_inc(&z[18]);",
        ]);
    }

    /// Operations on `__local` memory that any order gives the same: sums, and a table of keys, of which there is room for all.
    pub fn change(&mut self) {
        self.one_of(&[
            "atomic_add(&h[$ & 7], $);",
            "{ int o = $ & 7, i = $, q, r; do { q = h[o]; r = (int)((uint)q + (uint)i); } while (atomic_cmpxchg(&h[o], q, r) != q); }",
            "if ($ & 1) atomic_sub(&h[(l + a) & 7], 3);",
            "for (int q = $ & 3; q < 5; q++) atomic_inc(&h[(q ^ a) & 7]);",
            "atomic_max(&changed[0], $);",
            "if (l & 1) atomic_min(&changed[1], $);",
            "{ int q = atomic_inc(&changed[2]); atomic_add(&changed[3], MUL(q, q)); }",
            "if ($ & 1) { int q = atomic_add(&changed[4], 2); atomic_xor(&changed[5], q); }",
            "atomic_or(&changed[6], 1 << ($ & 31));",
            "{ int q = ($ & 15) + 1, o = q * 7; while (true) { int r = atomic_cmpxchg(&keys[o & 15], 0, q); \
             if (r == 0 || r == q) break; o++; } }",
            "{ int q = ($ & 15) + 1, o = q * 3, i = 0; for (; i < 16; i++) { int r = atomic_cmpxchg(&keys[o & 15], 0, q); \
             if (r == 0 || r == q) break; o++; } if (i == 16) a ^= 77; }",
        ]);
    }

    /// Elements of a table by indices that are kept within it: neighbours mostly read neighbours, and go on so in loops.
    pub fn bounded(&mut self) {
        self.one_of(&[
            "a ^= u[min(near + 1, 63)];",
            "b = ADD(b, u[next]);",
            "near = min(near + 1, 62);",
            "next = (next + 1) & 63;",
            "near = max(near - 2, 0);",
            "near = (int)((uint)(near + 3) % 61u);",
            "c ^= u[clamp((int)get_local_id(0) - 2, 0, 9)];",
            "d ^= u[max(near - 3, 0)] + u[near];",
            "a ^= u[near & n];",
            "b ^= u[get_local_id(0) == 0 ? 63 : next];",
            "c = ADD(c, u[$ & 63]);",
            "d ^= u[($ & 1) ? near : 63 - near];",
            "{ uint q = (uint)g % (uint)(n - 3); a ^= u[(((uint)g - q) * 2 + q) & 63]; }",
            "{ uint q = (uint)l & (uint)(n - 4); b ^= u[((uint)l - q) / 4 & 63]; }",
        ]);
    }

    /// Loops that sum up in memory, in places that nothing else in them touches, or something does.
    pub fn sum(&mut self) {
        self.one_of(&[
            "for (int q = 0; q < ($ & 7); q++) m[16 * g + 5] = ADD(m[16 * g + 5], a ^ q);",
            "for (int q = $ & 3; q < n; q++) m[16 * g + 6] ^= u[(q + $) & 63];",
            "for (int q = 0; q < n; q++) { if (($ + q) & 1) m[16 * g + 9] ^= q; m[16 * g + 4] ^= m[16 * g + 9]; }",
            "m[16 * g + 8] = $; for (int q = 0; q < n; q++) if (q & a) m[16 * g + 8] = ADD(m[16 * g + 8], q);",
            "{ int q = 0; do m[16 * g + 7] = ADD(m[16 * g + 7], a ^ q); while (++q < ($ & 3)); }",
            "for (int q = 0; q < n; q++) { m[16 * g + ($ & 15)] ^= q; m[16 * g + 2] = ADD(m[16 * g + 2], q); }",
            "for (int q = 0; q < n; q++) { ((global short *)m)[32 * g + 9] ^= q; m[16 * g + 4] = ADD(m[16 * g + 4], q); }",
            "for (int q = 0; q < n; q++) { m[16 * g + 3] ^= q * $; if (m[16 * g + 3] & 8) break; m[16 * g + 3] ^= 1; }",
            "for (int q = 0; q < n; q++) { y[g] ^= m[16 * g + q]; m[16 * g + 1] = ADD(m[16 * g + 1], y[g]); }",
            "for (int q = 0; q < 3; q++) for (int o = q; o < n; o++) m[16 * g + 10] ^= o * $ + q;",
            "for (int q = 0; q < n; q++) { ((volatile global int *)m)[16 * g + 11] ^= $ + q; if (q & 1) b ^= ((volatile global int *)m)[16 * g + 12]; }",
            "if ($ & 2) ((volatile global short *)m)[32 * g + 27] ^= (short)a; c ^= *(volatile global const int *)(u + ($ & 63));",
        ]);
    }

    /// Loops along rows of an item's own, and numbers side by side, which vectors of items read several at once.
    pub fn row(&mut self) {
        self.one_of(&[
            "{ int s = $; for (int q = 0; q < n; q++) s = rotate(s, 3) ^ ADD(m[16 * g + q], q); a ^= s; }",
            "for (int q = 1; q <= n + 3; q++) b = rotate(b, 5) ^ m[16 * g + q];",
            "for (int q = 0; q != 9; q++) a = m[16 * g + q] > b ? q : a ^ u[16 * (g & 3) + q];",
            "{ int s = a, t = b; for (int q = 0; q < n; q++) { int r = s; s = ADD(t, m[16 * g + q]); t = r; } a = s; b ^= t; }",
            "for (long q = $ & 3; q < 11; q++) a = rotate(a, 7) ^ m[16L * g + q];",
            "{ int q = 0; for (; q < n + 9; q++) a = rotate(a, 3) ^ m[16 * g + q]; for (int o = 0; o < q; o++) b = ADD(b, m[16 * g + o] ^ o); }",
            "for (int q = w & 1; q < 4 * n + 3; q++) b = rotate(b, 3) ^ u[($ & 1) * 30 + q];",
            "for (int q = 0; q < 2 * n; q += 2) a ^= rotate(m[16 * g + q], 4) ^ m[16 * g + q + 1];",
            "{ global int *p = m + 16 * g + 2; for (int q = 0; q < n; q++) b = rotate(b, 2) ^ *p++; }",
            "for (int q = 0; q < 6; q++) a = rotate(a, 3) ^ u[($ & 15) * 3 + q];",
            "for (int q = w & 1 ? $ & 7 : n - 3; q < 9; q++) b = rotate(b, 3) ^ u[q + 5];",
            "{ int s = w & 1, q = s ? l & 3 : 1; for (; q < (s ? n : 6); q++) a ^= rotate(u[q], q); b ^= q; }",
            "for (int q = 0; q < (w == 1 ? n : a & 7); q++) { b = rotate(b, 7) ^ u[q + 11]; if (b & 64) break; }",
            "a ^= m[16 * g] ^ rotate(m[16 * g + 1], 3) ^ rotate(m[16 * g + 2], 5) ^ rotate(m[16 * g + 3], 7);",
            "b ^= u[$ & 31] ^ rotate(u[($ & 31) + 1], 3) ^ rotate(u[($ & 31) + 2], 5) ^ rotate(u[($ & 31) + 3], 7);",
            "{ a ^= m[16 * g + 4]; m[16 * g + 6] ^= a; a = ADD(a, m[16 * g + 5] ^ m[16 * g + 6] ^ m[16 * g + 7]); }",
        ]);
    }

    /// An item's own arrays, whole and in parts, at the index of all and at one of its own.
    pub fn own(&mut self) {
        self.one_of(&[
            "{ int o[24]; for (int q = 0; q < n; q++) vstore3(v.xyz ^ q, q, o); for (int q = 0; q < 3 * n; q++) a = rotate(a, 3) ^ o[q]; }",
            "{ int o[24]; for (int q = 0; q < 3 * n; q++) o[q] = MUL(q, $); for (int q = 0; q < n; q++) v.xyz ^= vload3(q, o); b ^= o[$ & 15]; }",
            "{ int4 o[8]; for (int q = 0; q < n; q++) o[q] = v ^ (int4)(q, $, q, 1); for (int q = 0; q < n; q++) { o[q].y ^= o[n - 1 - q].z; v ^= o[q]; } }",
            "{ int4 o[8]; for (int q = 0; q < 8; q++) o[q] = v ^ q; o[$ & 7] ^= v.wzyx; for (int q = 0; q < n; q++) v ^= o[q]; }",
            "{ short4 o[8]; for (int q = 0; q < n; q++) o[q] = convert_short4(v ^ q); for (int q = 1; q < n; q++) c = rotate(c, 1) ^ o[q].x ^ o[q - 1].w; }",
            "{ float2 o[8]; for (int q = 0; q < n; q++) o[q] = (float2)(q, $ & 63); for (int q = 0; q < n; q++) f = TAME(f + o[q].x * o[n - 1 - q].y); }",
            // Tiles, as generators of products write them: loops of a few iterations, some of one.
            "{ int o[1][4], i[4] = {0}; for (int q = 0; q < n; q++) { for (int r = 0; r < 1; r++) for (int s = 0; s < 4; s++) \
             o[r][s] = l < 9 - s ? u[q + s * 5 + r] : $; for (int r = 0; r < 1; r++) for (int s = 0; s < 4; s++) \
             i[s] = ADD(i[s], MUL(o[r][s], o[r][3 - s])); } for (int q = 0; q < 4; q++) p[q] ^= i[q]; }",
            "{ int o[2][3] = {{0}}; for (int q = 0; q < n; q += 2) for (int r = 0; r < 2 && q + r < n; r++) \
             for (int s = 0; s < 3; s++) o[r][s] = ADD(o[r][s], m[16 * g + q + r] ^ $); for (int r = 0; r < 2; r++) \
             for (int s = 0; s < 3; s++) if (s != (d & 3)) m[16 * g + 3 * r + s] = ADD(m[16 * g + 3 * r + s], o[r][s]); }",
            // Structures with arrays: a stack, and one that is copied.
            "{ struct { int o[9]; short top; int least; } i = {{0}, 1, $}; for (int q = 0; q < n && i.top > 0; q++) { \
             int s = i.o[--i.top]; i.least = min(i.least, s); if (i.top < 6) { i.o[i.top++] = s ^ $; i.o[i.top++] = q; } } \
             a ^= i.o[$ & 7] ^ i.top; b = ADD(b, i.least); }",
            "{ struct { S r; uchar o[5]; } i = {r, {1, 2, 3, 4, 5}}, s = i; for (int q = 0; q < n; q++) { \
             i.r.b[(q + l) & 3] ^= i.o[(uint)(a + q) % 5]; if (q == (d & 3)) s = i; i.r.i ^= q; } r = s.r; c ^= i.r.i ^ i.r.b[1]; }",
            "{ int2 o[12]; for (int q = 0; q < n; q++) o[q] = v.xz; for (int q = l & 3; q < n; q++) d = ADD(d, o[q].y ^ o[n - 1].x); }",
        ]);
    }

    /// What a work-item asks of its place.
    pub fn number(&mut self) {
        let to = self.random.pick(&["a", "b", "c", "d"]);
        let what = self.random.pick(&[
            "get_local_size(0) * 3 + get_local_size(1)",
            "get_enqueued_local_size(1)",
            "get_num_groups(0) + get_group_id(2)",
            "get_global_size(1) - get_global_id(1)",
            "get_global_offset(0)",
        ]);
        self.line(format_args!("{to} ^= (int)({what});"));
    }
}
