//! Branches by where items are, which the first and the last item of a vector tell: also where numbers wrap around between them.

use crate::program::{Argument, Range, bytes, translate, translate_reference};

const ITEMS: usize = 96;

/// Tests of a number by another.
const ONE: &[&str] =
    &["x < n", "x <= n", "x > n", "x >= n", "n < x", "x == n", "x != n", "!(x < n)", "n - 1 <= x"];

/// Several together, which may be one comparison for a compiler; parts that all share; what is asked late or of some.
const SEVERAL: &[&str] = &[
    "x > 3 && x < n",
    "x >= 3 & x <= 40",
    "x == 0 || x == n - 1",
    "x < 2 || x > n",
    "x < n && m > 0 || x > 70",
    "m > 15 && !(x == 9 || x == n)",
    "(x < n) ^ (m > 5)",
    "early",
    "early && x > 7",
    "m == 15 ? x < 20 : x < n",
    "x > 3 && in[x & 63] > 500",
    "x != n && x != 30",
];

fn branches(tests: &[&str]) -> String {
    let mut all = String::new();
    for test in tests {
        all += &format!("if ({test}) a = a * 3 + in[x & 63]; else a = a * 5 + in[g] / 3;\n");
    }
    all
}

/// What items leave that go one way or the other by `tests` of `x`, a number of type `ty` that is `begin`.
fn check(ty: &str, begin: &str, local: u64, tests: &[&str]) {
    let source = format!(
        "__attribute__((reqd_work_group_size({local}, 1, 1)))
        kernel void k(global int *out, global const int *in, long m) {{
            int g = get_global_id(0);
            {ty} n = ({ty})m, x = ({ty})({begin});
            uint a = 1;
            bool early = x < n;
            for (int i = 0; i < (m & 3); i++)
                a += in[(g + i) & 63];
            {}
            out[g] = a;
        }}",
        branches(tests)
    );
    let made = translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let reference = translate_reference(&source, "-cl-std=CL3.0").expect("it compiles");
    let mut input: Vec<i32> = (0..ITEMS as i32).map(|at| at * 37 % 1001).collect();
    let near = |number: i64| [-1, 0, 1, 5, 40].map(|more| number.wrapping_add(more));
    let limits = [0, 15, 64, i64::from(i32::MAX), i64::MAX, 1 << 31, 0xffff_fff0, -40];
    for n in limits.into_iter().flat_map(near) {
        let [expected, got] = [&reference, &made].map(|program| {
            let mut out = vec![0; ITEMS];
            let words = n.to_ne_bytes();
            let mut arguments = [
                Argument::Buffer(bytes(&mut out)),
                Argument::Buffer(bytes(&mut input)),
                Argument::Value(&words),
            ];
            program.run("k", Range::line(ITEMS as u64, local), &mut arguments);
            out
        });
        assert_eq!(expected, got, "{ty} {begin}, n {n}, groups of {local}");
    }
}

#[test]
fn items_go_where_their_numbers_lead() {
    for (ty, ends) in [
        ("int", ["(uint)g + 0x7fffffc0u", "(uint)g - 40u"]),
        ("uint", ["g - 40", "(uint)g + 0x7fffffc0u"]),
        ("long", ["(ulong)g + 0x7fffffffffffffc0UL", "(long)g - 40"]),
        ("ulong", ["(ulong)g - 40", "(ulong)g * 3"]),
    ] {
        for begin in ["get_local_id(0)", "3 * get_global_id(0) + 1", "90 - g", "-2 * g"] {
            check(ty, begin, 32, ONE);
        }
        ends.into_iter().for_each(|begin| check(ty, begin, 32, ONE));
    }
    check("int", "get_global_id(0)", 20, ONE);
    check("short", "get_global_id(0) * 700", 32, ONE);
    check("int", "get_global_id(0) * 0x2000000u", 32, ONE);
}

#[test]
fn items_go_where_several_tests_lead() {
    for ty in ["int", "uint", "long", "ulong"] {
        for begin in ["get_global_id(0)", "2 * get_local_id(0) + 1", "80 - g", "g - 40"] {
            check(ty, begin, 32, SEVERAL);
        }
    }
    check("int", "(uint)g + 0x7fffffc0u", 32, SEVERAL);
    check("ushort", "get_global_id(0) * 900", 32, SEVERAL);
    check("uint", "get_global_id(0)", 20, SEVERAL);
}

/// Some items leave before, and in loops some go on longer; branches inside of such that all take.
#[test]
fn items_that_are_left_go_where_their_numbers_lead() {
    let tests = [
        "x == n + 2) return; if (x < 30",
        "x > n) { for (int i = x; i < 60; i += 7) if (i < n + 9) a += in[i & 63]; } if (x < n + 4",
        "x < n) { if (x >= 8 && x < 40) { if (x < 20) a += in[x + 1]; else a *= 7; } } if (x != n",
    ];
    for begin in ["get_global_id(0)", "get_local_id(0)", "90 - g"] {
        check("int", begin, 32, &tests);
    }
}
