//! Expressions, and statements that compute with variables of one item.

use super::writer::Writer;

impl Writer {
    /// A condition that all items of a group answer alike.
    pub fn alike(&mut self) -> &'static str {
        self.random.pick(&[
            "w & 1",
            "n > 5",
            "(w + n) % 3 == 0",
            "s > 4",
            "get_local_size(0) == get_enqueued_local_size(0)",
            "get_local_size(1) > 1",
        ])
    }

    pub fn differing(&mut self) -> &'static str {
        self.random.pick(&[
            "l & 1",
            "a > b",
            "(c ^ d) & 2",
            "l < s / 2",
            "p[1] > 0",
            "c % 3 == 0",
            "l == 5",
            "w & 1",
            "f > e",
            "r.b[1] > 2",
            "(int)((uint)l << 30) > 0",
            "(short)(l * 8192) < (short)(g * 4096)",
            "get_local_id(1) == 0",
        ])
    }

    pub fn assignment(&mut self) {
        match self.random.below(12) {
            0..=1 => return self.vector_assignment(),
            2 => return self.structure(),
            3..=4 => return self.float_assignment(),
            5 => return self.call(),
            _ => {}
        }
        let to = self
            .random
            .pick(&["a", "b", "c", "d", "p[1]", "p[l & 3]", "p[c & 3]", "y[g]", "v.y", "v.w"]);
        let value = self.value();
        match self.random.pick(&["", "ADD", "SUB", "^"]) {
            "" => self.line(format_args!("{to} = {value};")),
            "^" => self.line(format_args!("{to} ^= {value};")),
            name => self.line(format_args!("{to} = {name}({to}, {value});")),
        }
    }

    fn vector_assignment(&mut self) {
        let swizzle = self.random.pick(&["wzyx", "yzwx", "xxzz", "xyzw"]);
        let how = self.random.pick(&["+", "-", "^", "*"]);
        let value = self.value();
        let test = self.random.pick(&["", " & (v > 0)", " & (v < v.yxwz)"]);
        self.line(format_args!(
            "v = as_int4(as_uint4(v.{swizzle}) {how} as_uint4((int4)(a, c, {value}, l){test}));"
        ));
    }

    fn structure(&mut self) {
        self.one_of(&[
            "r = mixed(r, $);",
            "r.s.x += (short)$;",
            "r.b[(uint)$ & 3]++;",
            "r.i = ADD(r.s.y, $);",
            "{ S o = r; if ($ & 1) o.i = 7; r = mixed(o, r.s.x); }",
        ]);
    }

    /// What is exact, or the same in any code: no division, nothing fused.
    fn float_assignment(&mut self) {
        self.one_of(&[
            "f = TAME(f * 0.75f + e);",
            "e = TAME(e - f * 1.5f);",
            "f = TAME((float)$);",
            "e = fabs(f) + floor(e * 0.5f);",
            "f = $ & 2 ? f : e;",
            "a ^= (int)f;",
            "b = ADD(b, convert_int_rte(e));",
            "d ^= isgreater(f, e) | signbit(e - 1.0f) << 1;",
            "f = (float)((double)f * 0.125 + (double)$ * 0.5) + 0.0f; f = TAME(f);",
        ]);
    }

    fn call(&mut self) {
        self.one_of(&[
            "a = find($, b);",
            "d ^= find(d, $);",
            "bump(&p[l & 3], $);",
            "bump(&c, $);",
            "d ^= walk(&m[16 * g], p, $);",
            "v = turned(v, $);",
            "tally(z, $);",
            "{ long q = (long)$ * b; c = (int)(q >> 9); }",
            "d ^= dot_acc_sat(as_char4(a), as_uchar4(b), $);",
            "c = bitfield_insert(bit_reverse($), b, (uint)l & 15, 9) ^ bitfield_extract_signed(a, 7, 11);",
            "{ uchar q = (uchar)$; d = ADD(d, (uchar)(q * 7)); }",
            "v.xy = as_int2(rotate(as_long(v.zw ^ (int2)(b, $)), (long)(l & 63))) & v.xy;",
            "{ int2 q = v.xz; for (int o = 0; o <= n; o++) q = as_int2(rotate(as_long(q), 9L)).yx ^ v.yw; v.yw = q; }",
            "{ char4 q = as_char4(a); for (int o = $ & 3; o < 3; o++) q = as_char4(as_int(q & (char4)(63)) * 3).wzyx | q; a = as_int(q); }",
            "{ long q = as_long(as_int2(rotate(as_long(v.yz), 21L)) | (int2)(l, 8)); c ^= (int)(q >> 32) ^ (int)q; }",
        ]);
    }

    /// A number of 32 bits.
    pub fn value(&mut self) -> String {
        if self.random.chance(20) {
            return self.small();
        }
        let (first, second) = (self.leaf(), self.leaf());
        match self.random.pick(&["ADD", "SUB", "MUL", "^", "&", "|"]) {
            name @ ("ADD" | "SUB" | "MUL") => format!("{name}({first}, {second})"),
            operator => format!("({first} {operator} {second})"),
        }
    }

    fn leaf(&mut self) -> String {
        let mut leaves = vec!["a", "b", "c", "d", "l", "g", "n", "w", "p[2]", "p[d & 3]", "x[g]"];
        leaves.extend(["7", "y[g]", "v.x", "v.z", "r.i", "r.s.y", "r.b[2]", "m[16 * g + 3]"]);
        leaves.extend(["(int)((uint)g * 0x40000000u)", "(char)(l * 64)", "(int)get_local_size(0)"]);
        leaves.extend(["(int)get_global_id(1)", "(int)get_enqueued_local_size(0)"]);
        if self.shares() {
            leaves.push("t[l]");
        }
        let variable = self.loops.last().cloned();
        if let Some(variable) = &variable {
            leaves.extend([variable.as_str(); 3]);
        }
        self.random.pick(&leaves).to_string()
    }

    /// Made of numbers that do not wrap: what addresses are made of.
    fn small(&mut self) -> String {
        let variable = self.loops.last().cloned().unwrap_or("w".to_string());
        let first = self.random.pick(&["l", "g", "n", "w", "s"]);
        let operator = self.random.pick(&["+", "-", "*"]);
        format!("({first} {operator} {variable})")
    }
}
