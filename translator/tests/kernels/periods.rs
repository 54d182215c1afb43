//! Places in rows that are closed, `(x + 1) % n`, and in rows of an argument's length, `x / n` and `x % n`: vectors of items
//! load and store neighbours together where no row ends between them.

use crate::program::{Argument, Loaded, Range, bytes, translate, translate_reference};

/// Elements, and where place 0 is: remainders of negative numbers are negative.
const ELEMENTS: usize = 2000;
const ZERO: i64 = 1000;
const ITEMS: usize = 96;

/// Lengths of rows, those of signed numbers only behind the others.
const LENGTHS: [i64; 17] = [1, 2, 7, 8, 15, 16, 30, 32, 64, 100, 150, -1, -2, -9, -64, -150, 0];

/// A kernel of `ty` numbers, optimized and as its items compute it.
struct Pair {
    source: String,
    made: [Loaded; 2],
}

impl Pair {
    fn new(ty: &str, local: u64, body: &str) -> Pair {
        let source = format!(
            "__attribute__((reqd_work_group_size({local}, 1, 1)))
            kernel void k(global int *out, global const int *in, {ty} n) {{
                {ty} x = get_global_id(0);
                {body}
            }}"
        );
        let made = [translate_reference, translate]
            .map(|translate| translate(&source, "-cl-std=CL3.0").expect("it compiles"));
        Pair { source, made }
    }

    /// Both do the same for rows of length `n`.
    fn check(&self, n: i64, bytes_of_n: usize, local: u64) {
        let words = n.to_ne_bytes();
        let mut input: Vec<i32> = (0..ELEMENTS as i32).map(|at| at * 37 % 1001).collect();
        let [expected, got] = self.made.each_ref().map(|program| {
            let mut out = vec![0; ELEMENTS];
            let mut arguments = [
                Argument::Buffer(bytes(&mut out)),
                Argument::Buffer(bytes(&mut input)),
                Argument::Value(&words[..bytes_of_n]),
            ];
            program.run("k", Range::line(ITEMS as u64, local), &mut arguments);
            out
        });
        assert_eq!(expected, got, "n {n}, groups of {local}\n{}", self.source);
    }
}

/// What `body` does for all items, in all of these lengths that are allowed.
fn check(ty: &str, local: u64, body: &str, lengths: &[i64]) {
    let pair = Pair::new(ty, local, body);
    let bytes = if ty.ends_with("long") { 8 } else { 4 };
    let allowed = lengths.iter().filter(|&&n| n > 0 || !ty.starts_with('u'));
    allowed.for_each(|&n| pair.check(n, bytes, local));
}

/// Loads from `index`.
fn check_index(ty: &str, index: &str, local: u64) {
    let body = format!("out[get_global_id(0)] = in[{ZERO} + {index}] + in[{ZERO} + (x + 7) % n];");
    check(ty, local, &body, &LENGTHS);
}

const TYPES: [&str; 4] = ["int", "long", "uint", "ulong"];

#[test]
fn neighbours_in_closed_rows_are_read_where_they_are() {
    for ty in TYPES {
        for index in ["(x + n - 1) % n", "(x - 3) % n", "x % n", "(5 - x) % n", "(2 * x + n) % n"] {
            // What is not signed wraps around below 0.
            if !ty.starts_with('u') || index.starts_with("(x + n") || index.starts_with("x ") {
                check_index(ty, index, 32);
            }
        }
    }
    check_index("int", "(x + n - 1) % n", 12);
    check_index("int", "(int)((uint)x + 0x7fffffc0u) % n", 32);
    check_index("long", "(long)((ulong)x + 0x7fffffffffffffc0UL) % n", 32);
}

#[test]
fn neighbours_in_rows_of_any_length_are_read_where_they_are() {
    for ty in TYPES {
        for index in [
            "(x / n) * (n + 2) + x % n",
            "(x / n) * 3 + x",
            "x - x % n",
            "x / n",
            "(x % n) * 2 + (x / n) * n",
            "((x + 5) / n) * 4 - x",
            "x / 32 * 40 + x % 32",
            "(x / 48 + n % 3) * 10 + x",
        ] {
            let index = format!("({ty})({index})");
            // Items that are not there, and items that are.
            check_index(ty, &index, 32);
            let body = format!("if (in[x] > 300) out[x] = in[{ZERO} + {index}] - x;");
            check(ty, 32, &body, &LENGTHS);
        }
    }
    check_index("int", "(x / n) * (n + 2) + x % n", 12);
    // The greatest numbers there are, next to which items wrap around.
    check_index("int", "((int)((uint)x + 0x7fffffc0u) / n) / 0x1000000 * 2 + x", 32);
    check_index("uint", "(x + 0xffffffc0u) / n / 0x1000000u + x", 32);
    check_index("int", "((int)((uint)x + 0x80000000u) / n) / 0x4000000 + x", 32);
}

/// Columns and rows as numbers in loops that each item leaves by itself, and as places there.
#[test]
fn neighbourhoods_end_where_rows_do() {
    for ty in TYPES {
        let body = format!(
            "{ty} column = x % n, row = x / n, left = column < 2 ? 0 : column - 2;
            {ty} right = column + 2 >= n ? n - 1 : column + 2;
            int sum = 0;
            for ({ty} i = left; i <= right; i++)
                for ({ty} j = row; j <= row + in[x] % 3; j++)
                    sum += in[{ZERO} + j % 5 * 30 + i] * (int)(3 - (i - column)) + (int)(j - row);
            out[x] = sum;"
        );
        check(ty, 32, &body, &[1, 2, 3, 7, 8, 16, 30, 32, 64, 100, 150]);
    }
}

#[test]
fn neighbours_in_rows_of_powers_of_two_are_read_where_they_are() {
    for ty in TYPES {
        for index in [
            "(x >> n) * 9 + x",
            "x >> n",
            "((x >> n) << 3) + (x & 7)",
            "((x - (x & n)) << 1) + (x & n)",
            "(x << 1) - (x & (n - 1))",
            "(x >> 5) * 40 + (x & 31)",
            "(x >> 3) * 10 + (x & 7)",
        ] {
            let body = format!("out[x] = in[{ZERO} + ({ty})({index})] + x;");
            check(ty, 32, &body, &[1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 31]);
        }
    }
}

#[test]
fn butterflies_store_neighbours_where_they_are() {
    for ty in TYPES {
        for (left, apart) in [
            ("2 * n * (x / n) + x % n", "n"),
            ("(x << 1) - (x & (n - 1))", "n"),
            ("((x >> (n & 7)) << ((n & 7) + 1)) + (x & ((1 << (n & 7)) - 1))", "(1 << (n & 7))"),
        ] {
            for guard in ["", "if (in[x] > 300) "] {
                let body = format!(
                    "{ty} left = {left}, right = left + {apart};
                    {guard}{{ out[left] = in[left] + in[right]; out[right] = in[left] - in[right] * 3; }}"
                );
                let whole: &[i64] = if left.starts_with("(x <<") {
                    &[1, 2, 4, 8, 16, 32, 64]
                } else {
                    &LENGTHS[..11]
                };
                check(ty, 32, &body, whole);
            }
        }
    }
}
