//! Writes a kernel: its frame, and the statements that choose which others run.
//!
//! A block is *together* where all work-items of a group come alike: only there may barriers and collectives stand.
//! Each item writes only elements of its own, but for what a barrier divides and for atomic operations whose order
//! does not show, so that every order of work-items gives the same.

use std::fmt::Write;

use super::numbers::Random;

/// How items are numbered: `g` in the whole range and `l` in the group, each number once. Where neighbours along y
/// lie together, kernels are turned; they are not where they ask for a linear number.
const NUMBERS: [&str; 3] = [
    "int l = get_local_linear_id(), g = get_global_linear_id();\n",
    "int l = (get_local_id(0) * get_local_size(1) + get_local_id(1)) * get_local_size(2) + get_local_id(2);\n\
     int g = (I(0) * get_global_size(1) + I(1)) * get_global_size(2) + I(2);\n",
    "int l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));\n\
     int g = I(0) + get_global_size(0) * (I(1) + get_global_size(1) * I(2));\n",
];

/// Arithmetic that wraps, and numbers that stay small; functions of the program.
const BEFORE: &str = "#pragma OPENCL FP_CONTRACT OFF\n\
#define ADD(p, q) ((int)((uint)(p) + (uint)(q)))\n\
#define SUB(p, q) ((int)((uint)(p) - (uint)(q)))\n\
#define MUL(p, q) ((int)((uint)(p) * (uint)(q)))\n\
#define I(d) (get_global_id(d) - get_global_offset(d))\n\
#define TAME(p) (fmin(fmax((p), -1e6f), 1e6f) + 0.0f)\n\
typedef struct { int i; float f; short2 s; uchar b[4]; } S;\n\
static int find(int p, int q) {\n\
    for (int i = 0; i < 6; i++) if (((p >> i) ^ q) & 1) return ADD(i, q);\n\
    return ADD(p, get_local_id(0) + 2 * I(1));\n\
}\n\
static S mixed(S r, int p) {\n\
    if (p & 1) { r.i = ADD(r.i, p); r.b[(uint)p & 3] ^= 5; return r; }\n\
    r.s = (short2)(r.s.y, (short)p); r.f = TAME(r.f * 0.5f + (float)(p & 63));\n\
    return r;\n\
}\n\
static void bump(int *p, int q) { *p = q < 0 ? ADD(*p, q) : SUB(q, *p); }\n\
static int walk(global int *row, const int *p, int q) {\n\
    int sum = 0, last[3] = {q, p[0], 5};\n\
    for (int i = q & 3; i < 16; i += 1 + (q & 1)) {\n\
        if (row[i] == q) return ADD(sum, find(i, q));\n\
        last[i % 3] ^= row[i];\n\
        if (row[i] & 2) row[i] = ADD(row[i], last[q & 1]);\n\
        else sum ^= find(last[(uint)i % 3], p[i & 3]) / (i + 1);\n\
    }\n\
    return sum;\n\
}\n\
static int4 turned(int4 v, int q) {\n\
    return q & 1 ? v.yzwx : as_int4(as_uint4(v) - (uint4)(q, 1, find(q, v.x), 0) * 3);\n\
}\n\
static void tally(global int *z, int q) { if (q & 3) atomic_add(&z[6 + (q & 1)], q); }\n";

const BEGIN: &str = "local int t[80], h[8], changed[8], keys[16];\n\
int s = get_local_size(0) * get_local_size(1) * get_local_size(2);\n\
int w = get_group_id(0) + get_group_id(1);\n\
int a = x[g], b = MUL(g, 3), c = n, d = l, p[4] = {a, b, c, d};\n\
int4 v = (int4)(a, c, d, b);\n\
float f = a * 0.25f, e = l - 3.5f;\n\
S r = {a, 1.5f, (short2)(3, l), {1, 2, 3, 4}};\n\
int near = min(get_global_id(0), (size_t)63), next = get_global_id(0) == 0 ? 0 : (int)(get_global_id(0) - 1) & 63;\n";

const SHARE: &str = "t[l] = a;\n\
for (int k = l; k < 8; k += s) h[k] = changed[k] = k;\n\
for (int k = l; k < 16; k += s) keys[k] = 0;\n\
barrier(CLK_LOCAL_MEM_FENCE);\n";

const END: &str = "x[g] = ADD(ADD(ADD(a, MUL(b, 3)), ADD(MUL(c, 5), MUL(d, 7))), \
ADD(ADD(p[0], MUL(p[1], 2)), ADD(MUL(p[2], 3), MUL(p[3], 5))));\n\
v = as_int4(as_uint4(v) * (uint4)(3, 7, 11, 13));\n\
y[g] ^= ADD(ADD(v.x, v.y), ADD(v.z, v.w));\n\
y[g] ^= ADD(as_int(f + 0.0f), MUL(as_int(e + 0.0f), 3)) ^ r.i ^ as_int(r.f + 0.0f) ^ as_int(r.s) ^ r.b[0] ^ r.b[1] << 8 ^ (r.b[2] << 16) ^ (r.b[3] << 24);\n}\n";

/// Functions are inlined, or stay functions, some or all.
fn before(seed: u64) -> String {
    const STAYS: &str = "static __attribute__((annotate(\"vicinity_call=stay\"))) ";
    match seed % 4 {
        0 => BEFORE.replace("static ", STAYS),
        1 => BEFORE.replace("static int ", &format!("{STAYS}int ")),
        _ => BEFORE.to_string(),
    }
}

pub struct Writer {
    pub random: Random,
    pub text: String,
    /// Loop variables in use; those of loops that all items run alike.
    pub loops: Vec<String>,
    statements: usize,
    barriers: bool,
    /// Items may end early, each as it likes: there are no collectives, which want all.
    departs: bool,
}

impl Writer {
    /// The kernel `k` of a seed.
    pub fn kernel(seed: u64) -> String {
        let mut random = Random::new(seed);
        let (numbers, barriers) = (random.pick(&NUMBERS), random.chance(70));
        let departs = !barriers || random.chance(20);
        let (text, loops) = (before(seed), Vec::new());
        let mut writer = Writer { random, text, loops, statements: 0, barriers, departs };
        writer.text.push_str(
            "kernel void k(global int *x, global int *y, global int *m, global int *z, global const int *u, int n) {\n",
        );
        writer.text.push_str(numbers);
        writer.text.push_str(BEGIN);
        if barriers {
            writer.text.push_str(SHARE);
        }
        writer.block(3, barriers);
        if barriers && !departs {
            writer.text.push_str("barrier(CLK_LOCAL_MEM_FENCE);\n");
        }
        writer.text.push_str(END);
        match seed % 3 {
            1 => writer.hinted(),
            _ => writer.text,
        }
    }

    /// Some loops are to be written out, whole or in part, others are to stay.
    fn hinted(mut self) -> String {
        const HINTS: [&str; 5] = ["(1)", "(2)", "(3)", "(4)", ""];
        let mut parts = self.text.split("for (");
        let mut text = parts.next().unwrap_or_default().to_string();
        for part in parts {
            if self.random.chance(40) {
                let hint = self.random.pick(&HINTS);
                text += &format!("__attribute__((opencl_unroll_hint{hint})) ");
            }
            text += &format!("for ({part}");
        }
        text
    }

    pub fn line(&mut self, text: std::fmt::Arguments) {
        writeln!(self.text, "{text}").expect("a text can be written to");
    }

    /// One of these, with a number in place of each `$`.
    pub fn one_of(&mut self, lines: &[&str]) {
        let value = self.value();
        let line = self.random.pick(lines).replace('$', &value);
        self.line(format_args!("{line}"));
    }

    /// Whether `t` and `h` are there to be read.
    pub fn shares(&self) -> bool {
        self.barriers
    }

    fn block(&mut self, depth: u32, together: bool) {
        for _ in 0..2 + self.random.below(3) {
            self.statement(depth, together);
        }
    }

    fn statement(&mut self, depth: u32, together: bool) {
        self.statements += 1;
        let nested = depth > 0 && self.statements < 20;
        match self.random.below(20) {
            0..=1 if together => self.exchange(),
            2 if together && !self.departs => self.collective(),
            3 if together && nested => self.uniform_if(depth),
            4 if together && nested => self.switch(depth, true),
            5..=6 if nested => self.counted_loop(depth, together),
            7 if nested => self.divergent_if(depth),
            8 if nested => self.divergent_loop(depth),
            9 if nested => self.switch(depth, false),
            10 if self.random.chance(30) => self.leave(together),
            11 if together && !self.loops.is_empty() => {
                let variable = self.loops.last().expect("checked").clone();
                let word = self.random.pick(&["break", "continue"]);
                self.line(format_args!("if ({variable} + w == n % 4) {word};"));
            }
            12 if self.barriers => self.change(),
            12..=13 => self.memory(),
            18 if self.barriers && !self.departs => self.unmet_barrier(),
            14 => self.number(),
            15 => self.sum(),
            16 => self.row(),
            17 => self.own(),
            19 => self.bounded(),
            _ => self.assignment(),
        }
    }

    /// An early end: of all items alike, or of some, whom the others do not wait for at barriers.
    fn leave(&mut self, together: bool) {
        let (value, number) = (self.value(), self.random.below(4));
        let differing = self.differing();
        let condition = match together && !(self.departs && self.random.chance(50)) {
            true => format!("w == {number}"),
            false if self.departs => format!("{differing} && l % 4 == {number}"),
            false => return,
        };
        self.line(format_args!("if ({condition}) {{ y[g] = {value}; return; }}"));
    }

    /// A barrier that no item comes to, wherever it stands: `n` is 7.
    fn unmet_barrier(&mut self) {
        let heads =
            ["for (int q = 7; q < n; q++)", "while (n < 7)", "if (n > 8)", "if (l > n + 99)"];
        let head = self.random.pick(&heads);
        self.line(format_args!("{head} {{"));
        self.assignment();
        self.text.push_str("barrier(CLK_LOCAL_MEM_FENCE);\n");
        self.assignment();
        self.text.push_str("}\n");
    }

    fn uniform_if(&mut self, depth: u32) {
        let condition = self.alike();
        self.nested(&format!("if ({condition})"), depth, true);
        if self.random.chance(50) {
            self.nested("else", depth, true);
        }
    }

    fn divergent_if(&mut self, depth: u32) {
        let condition = self.differing();
        self.nested(&format!("if ({condition})"), depth, false);
        if self.random.chance(50) {
            self.nested("else", depth, false);
        }
    }

    /// Labels that go to one place, cases that fall through, with and without a default.
    fn switch(&mut self, depth: u32, together: bool) {
        let value = match together {
            true => self.random.pick(&["w & 3", "(n + w) % 5", "s & 7"]),
            false => self.random.pick(&["l & 3", "(a ^ c) & 7", "x[g] & 3", "d % 5"]),
        };
        self.line(format_args!("switch ({value}) {{"));
        let mut labels: Vec<&str> = vec!["case 0:", "case 1:", "case 2:", "case 3:", "case 7:"];
        if self.random.chance(70) {
            let at = self.random.below(6) as usize;
            labels.insert(at, "default:");
        }
        for label in labels {
            self.line(format_args!("{label}"));
            if self.random.chance(60) {
                self.nested("", depth.min(2), together);
                if self.random.chance(75) {
                    self.text.push_str("break;\n");
                }
            }
        }
        self.text.push_str(";\n}\n");
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
        let also = self.random.pick(&["", "", " && a != b", " && (c | 1) > d", " && f < e"]);
        let form = self.random.below(3);
        let head = match form {
            0 => format!("for (int {variable} = 0; {variable} < ({limit}){also}; {variable}++)"),
            // Its end is not as its limit was.
            1 => format!("for (int {variable} = {limit}; {variable}-- > 0{also};)"),
            _ => format!("int {variable} = 0; do"),
        };
        self.line(format_args!("{{ {head} {{"));
        let outer = std::mem::take(&mut self.loops);
        self.block(depth - 1, false);
        if self.random.chance(60) {
            let word = self.random.pick(&["break", "continue"]);
            let condition = self.differing();
            let word = if form == 2 { "break" } else { word };
            self.line(format_args!("if ({condition}) {word};"));
        }
        self.assignment();
        self.loops = outer;
        match form {
            2 => self.line(format_args!("}} while (++{variable} < ({limit}){also}); }}")),
            _ => self.text.push_str("} }\n"),
        }
    }

    fn nested(&mut self, head: &str, depth: u32, together: bool) {
        self.line(format_args!("{head} {{"));
        self.block(depth - 1, together);
        self.text.push_str("}\n");
    }
}
