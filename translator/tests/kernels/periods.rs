//! Places in rows that are closed, `(x + 1) % n`: vectors of items load neighbours together where the row does not end
//! between them.

use crate::program::{Argument, Range, bytes, translate, translate_reference};

/// Elements, and where place 0 is: remainders of negative numbers are negative.
const ELEMENTS: usize = 400;
const ZERO: i64 = 200;

/// What `index` gives for all items, of a program that is optimized and of one that is not.
fn check(ty: &str, index: &str, local: u64) {
    let source = format!(
        "__attribute__((reqd_work_group_size({local}, 1, 1)))
        kernel void k(global int *out, global const int *in, {ty} n) {{
            {ty} x = get_global_id(0);
            out[get_global_id(0)] = in[{ZERO} + {index}] + in[{ZERO} + (x + 7) % n];
        }}"
    );
    let made = translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let reference = translate_reference(&source, "-cl-std=CL3.0").expect("it compiles");
    let mut input: Vec<i32> = (0..ELEMENTS as i32).map(|at| at * 37 % 1001).collect();
    let mut periods: Vec<i64> = vec![1, 2, 7, 8, 15, 16, 30, 64, 100, 150];
    if !ty.starts_with('u') {
        periods.extend([-1, -2, -9, -64, -150]);
    }
    for n in periods {
        let words = n.to_ne_bytes();
        let value = if ty.ends_with("long") { &words[..] } else { &words[..4] };
        let [expected, got] = [&reference, &made].map(|program| {
            let mut out = vec![0; 96];
            let mut arguments = [
                Argument::Buffer(bytes(&mut out)),
                Argument::Buffer(bytes(&mut input)),
                Argument::Value(value),
            ];
            program.run("k", Range::line(96, local), &mut arguments);
            out
        });
        assert_eq!(expected, got, "{ty} {index}, n {n}, groups of {local}");
    }
}

#[test]
fn neighbours_in_closed_rows_are_read_where_they_are() {
    for ty in ["int", "long", "uint", "ulong"] {
        for index in ["(x + n - 1) % n", "(x - 3) % n", "x % n", "(5 - x) % n", "(2 * x + n) % n"] {
            // What is not signed wraps around below 0.
            if !ty.starts_with('u') || index.starts_with("(x + n") || index.starts_with("x ") {
                check(ty, index, 32);
            }
        }
    }
    check("int", "(x + n - 1) % n", 12);
    check("int", "(int)((uint)x + 0x7fffffc0u) % n", 32);
    check("long", "(long)((ulong)x + 0x7fffffffffffffc0UL) % n", 32);
}
