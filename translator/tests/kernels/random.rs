//! Random kernels in every order of loops, compared bit for bit with what their work-items compute without any transformation.
//!
//! A kernel is made of a seed: loops, branches and barriers where all items meet alike, branches and loops that items
//! take differently, private arrays, vectors, `__local` memory of which each item writes its own element between barriers.
//! `VICINITY_SEEDS=FIRST..LAST` runs others; a failure names its seed.

use std::fmt::Write;

use crate::program::{Argument, Loaded, Range, bytes, translate, translate_reference};

/// Numbers that repeat: xorshift64*, S. Vigna, "An experimental exploration of Marsaglia's xorshift generators" (2016).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

struct Writer {
    random: Random,
    text: String,
    /// Loop variables in use; those of loops that all items run alike.
    loops: Vec<String>,
    statements: usize,
}

impl Writer {
    fn kernel(seed: u64) -> String {
        let mut writer = Writer {
            random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            text: String::new(),
            loops: Vec::new(),
            statements: 0,
        };
        writer.text.push_str(
            "kernel void k(global int *x, global int *y, int n) {\n\
             local int t[64];\n\
             int l = get_local_linear_id(), g = get_global_linear_id();\n\
             int s = get_local_size(0) * get_local_size(1) * get_local_size(2);\n\
             int w = get_group_id(0) + get_group_id(1);\n\
             int a = x[g], b = g * 3, c = n, d = l, p[4] = {a, b, c, d};\n\
             int4 v = (int4)(a, c, d, b);\n\
             t[l] = a;\n\
             barrier(CLK_LOCAL_MEM_FENCE);\n",
        );
        writer.block(3, true);
        writer.text.push_str(
            "x[g] = a + b * 3 + c * 5 + d * 7 + p[0] + p[1] * 2 + p[2] * 3 + p[3] * 5 + \
             v.x * 3 + v.y * 7 + v.z * 11 + v.w * 13;\n}\n",
        );
        writer.text
    }

    /// Statements; with barriers only where all items come alike.
    fn block(&mut self, depth: u32, together: bool) {
        for _ in 0..2 + self.random.below(3) {
            self.statement(depth, together);
        }
    }

    fn statement(&mut self, depth: u32, together: bool) {
        self.statements += 1;
        let nested = depth > 0 && self.statements < 40;
        match self.random.below(12) {
            0..=1 if together => self.exchange(),
            2 if together && nested => self.uniform_if(depth),
            3..=4 if nested => self.counted_loop(depth, together),
            5 if nested => self.divergent_if(depth),
            6 if nested => self.divergent_loop(depth),
            7 if together && self.random.chance(30) => {
                let value = self.value();
                let w = self.random.below(4);
                writeln!(self.text, "if (w == {w}) {{ y[g] = {value}; return; }}").unwrap();
            }
            8 if together && !self.loops.is_empty() => {
                let variable = self.loops.last().expect("checked").clone();
                let word = self.random.pick(&["break", "continue"]);
                writeln!(self.text, "if ({variable} + w == n % 4) {word};").unwrap();
            }
            _ => self.assignment(),
        }
    }

    /// Items read what others wrote before a barrier.
    fn exchange(&mut self) {
        let value = self.value();
        let to = self.random.pick(&["a", "b", "c", "d"]);
        let from = self.random.pick(&["(l + 1) % s", "s - 1 - l", "(l * 5 + 3) % s", "l"]);
        writeln!(
            self.text,
            "barrier(CLK_LOCAL_MEM_FENCE);\nt[l] = {value};\nbarrier(CLK_LOCAL_MEM_FENCE);\n\
             {to} ^= t[{from}];"
        )
        .unwrap();
    }

    fn uniform_if(&mut self, depth: u32) {
        let condition = self.random.pick(&["w & 1", "n > 5", "(w + n) % 3 == 0", "s > 4"]);
        self.nested(&format!("if ({condition})"), depth, true);
        if self.random.chance(50) {
            self.nested("else", depth, true);
        }
    }

    fn divergent_if(&mut self, depth: u32) {
        let condition =
            self.random.pick(&["l & 1", "a > b", "(c ^ d) & 2", "l < s / 2", "p[1] > 0"]);
        self.nested(&format!("if ({condition})"), depth, false);
        if self.random.chance(50) {
            self.nested("else", depth, false);
        }
    }

    fn counted_loop(&mut self, depth: u32, together: bool) {
        let variable = format!("i{}", self.statements);
        let limit = self.random.pick(&["3", "n % 5", "w + 2", "4"]);
        let text = format!("for (int {variable} = 0; {variable} < {limit}; {variable}++)");
        self.loops.push(variable);
        self.nested(&text, depth, together);
        self.loops.pop();
    }

    fn divergent_loop(&mut self, depth: u32) {
        let variable = format!("j{}", self.statements);
        let limit =
            self.random.pick(&["l % 4", "(a & 3)", "d & 1", "(c ^ l) & 7", "(int)(x[g] & 3)"]);
        let also = self.random.pick(&["", "", " && a != b", " && (c | 1) > d"]);
        let form = self.random.below(3);
        let head = match form {
            0 => format!("for (int {variable} = 0; {variable} < ({limit}){also}; {variable}++)"),
            // Its end is not as its limit was.
            1 => format!("for (int {variable} = {limit}; {variable}-- > 0{also};)"),
            _ => format!("int {variable} = 0; do"),
        };
        writeln!(self.text, "{{ {head} {{").unwrap();
        let outer = std::mem::take(&mut self.loops);
        self.block(depth - 1, false);
        if self.random.chance(60) {
            let word = self.random.pick(&["break", "continue"]);
            let condition =
                self.random.pick(&["a > b", "(d ^ l) & 1", "c % 3 == 0", "l == 5", "w & 1"]);
            let word = if form == 2 { "break" } else { word };
            writeln!(self.text, "if ({condition}) {word};").unwrap();
        }
        self.assignment();
        self.loops = outer;
        match form {
            2 => writeln!(self.text, "}} while (++{variable} < ({limit}){also}); }}").unwrap(),
            _ => self.text.push_str("} }\n"),
        }
    }

    fn nested(&mut self, head: &str, depth: u32, together: bool) {
        writeln!(self.text, "{head} {{").unwrap();
        self.block(depth - 1, together);
        self.text.push_str("}\n");
    }

    fn assignment(&mut self) {
        if self.random.chance(15) {
            return self.vector_assignment();
        }
        let to = self
            .random
            .pick(&["a", "b", "c", "d", "p[1]", "p[l & 3]", "p[c & 3]", "y[g]", "v.y", "v.w"]);
        let how = self.random.pick(&["=", "+=", "^=", "-="]);
        let value = self.value();
        writeln!(self.text, "{to} {how} {value};").unwrap();
    }

    fn vector_assignment(&mut self) {
        let swizzle = self.random.pick(&["wzyx", "yzwx", "xxzz", "xyzw"]);
        let how = self.random.pick(&["+", "-", "^", "*"]);
        let value = self.value();
        let test = self.random.pick(&["", " & (v > 0)", " & (v < v.yxwz)"]);
        writeln!(self.text, "v = v.{swizzle} {how} ((int4)(a, c, {value}, l){test});").unwrap();
    }

    fn value(&mut self) -> String {
        let mut leaf = || {
            let mut leaves =
                vec!["a", "b", "c", "d", "l", "g", "n", "w", "p[2]", "p[d & 3]", "x[g]"];
            leaves.extend(["7", "y[g]", "t[l]", "v.x", "v.z"]);
            let variable = self.loops.last().cloned();
            if let Some(variable) = &variable {
                leaves.extend([variable.as_str(); 3]);
            }
            self.random.pick(&leaves).to_string()
        };
        let (first, second) = (leaf(), leaf());
        let operator = self.random.pick(&["+", "-", "*", "^", "&", "|"]);
        format!("({first} {operator} {second})")
    }
}

/// What a kernel is compiled as: the order of its loops, and whether it is for one local size alone.
const FORMS: &[(&str, Option<[u64; 3]>)] = &[
    ("auto", None),
    ("dfo", None),
    ("bfo", None),
    ("auto", Some([8, 1, 1])),
    ("bfo", Some([4, 3, 2])),
    ("auto", Some([20, 1, 1])),
];

fn check(seed: u64) {
    let source = Writer::kernel(seed);
    let reference = translate_reference(&source, "-cl-std=CL3.0").unwrap_or_else(|log| {
        panic!("seed {seed}: it does not compile\n{log}\n{source}");
    });
    for &(order, size) in FORMS {
        let mut attributes = format!("__attribute__((annotate(\"vicinity_order={order}\"))) ");
        if let Some([x, y, z]) = size {
            attributes += &format!("__attribute__((reqd_work_group_size({x},{y},{z}))) ");
        }
        let source = source.replacen("kernel void", &format!("{attributes}kernel void"), 1);
        let program = translate(&source, "-cl-std=CL3.0").expect("the same compiles");
        let some: [([u64; 3], [u64; 3]); 4] = [
            ([24, 1, 1], [8, 1, 1]),
            ([20, 1, 1], [16, 1, 1]),
            ([6, 6, 2], [4, 3, 2]),
            ([5, 1, 1], [1, 1, 1]),
        ];
        let ranges = match size {
            Some(local) => {
                vec![(local.map(|d| if d > 1 { d * 2 } else { 1 }), local), ([13, 5, 1], local)]
            }
            None => some.to_vec(),
        };
        for (global, local) in ranges {
            let range = Range { offset: [0; 3], global, local };
            let (expected, got) = (run(&reference, range), run(&program, range));
            assert!(
                expected == got,
                "seed {seed}, {order}, {global:?} by {local:?}\n{source}\n{expected:?}\n{got:?}"
            );
        }
    }
}

/// What the kernel leaves in its two buffers.
fn run(program: &Loaded, range: Range) -> (Vec<i32>, Vec<i32>) {
    let items = range.global.iter().product::<u64>() as i32;
    let mut x: Vec<i32> = (0..items).map(|i| i * 7 - 20).collect();
    let mut y: Vec<i32> = x.iter().map(|x| x ^ 5).collect();
    let n = 7_i32.to_ne_bytes();
    let mut arguments =
        [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut y)), Argument::Value(&n)];
    program.run("k", range, &mut arguments);
    (x, y)
}

#[test]
fn random_kernels_compute_what_their_items_compute() {
    let text = std::env::var("VICINITY_SEEDS").unwrap_or_default();
    let (first, last) = text
        .split_once("..")
        .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)))
        .unwrap_or((0, 12));
    (first..last).for_each(check);
}
