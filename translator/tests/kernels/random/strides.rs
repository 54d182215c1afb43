//! Random kernels of loops by which items stride through a range, compared bit for bit with what their work-items compute.
//!
//! Counters of all kinds begin where neighbours are a little apart, also where some items' wrap around, and go on by the size of the
//! range, of the group, by an argument or a constant; sums, products, extrema and places of what is read; stores and branches
//! inside; with a tree in `__local` memory behind, or without.

use std::fmt::Write;

use super::numbers::Random;
use crate::program::{Argument, Loaded, Range, bytes, translate, translate_reference};

const SIZES: [[u64; 3]; 7] =
    [[16, 1, 1], [64, 1, 1], [128, 1, 1], [256, 1, 1], [12, 1, 1], [16, 4, 1], [32, 2, 2]];

/// Numbers that are read, and places that are written.
const ELEMENTS: usize = 1 << 12;

struct Strides {
    text: String,
    size: [u64; 3],
    uniform: bool,
}

impl Strides {
    fn kernel(seed: u64) -> Strides {
        let mut random = Random::new(seed ^ 0x571de);
        let (size, uniform) = (random.pick(&SIZES), random.chance(70));
        let [x, y, z] = size;
        let mut text = String::new();
        if random.chance(70) {
            let _ = writeln!(text, "__attribute__((reqd_work_group_size({x}, {y}, {z})))");
        }
        let waits = random.chance(60);
        text += "kernel void k(global uint *out, global const int *in, global const float *f, global uint *to, int n, int m) {\n";
        let _ = writeln!(text, "local uint part[{}];", x * y * z);
        text += "int lx = get_local_id(0);\n\
            uint l = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + lx;\n\
            size_t g = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n\
            uint a = g, b = 7, c = 0; int least = 1000, at = -1; float s = 0, p = 1;\n";
        for _ in 0..1 + random.below(2) {
            text += &a_loop(&mut random);
            if waits && random.chance(50) {
                text += "part[l] = a; barrier(CLK_LOCAL_MEM_FENCE); b += part[l ^ 1]; barrier(CLK_LOCAL_MEM_FENCE);\n";
            }
        }
        text += "out[g * 4] = a + c; out[g * 4 + 1] = b; out[g * 4 + 2] = least * 31 + at; out[g * 4 + 3] = as_uint(s) ^ as_uint(p);\n}\n";
        Strides { text, size, uniform }
    }
}

/// A loop over `i`.
fn a_loop(random: &mut Random) -> String {
    let ty = random.pick(&["int", "int", "uint", "size_t", "long"]);
    let signed = matches!(ty, "int" | "long");
    // Where it begins, so that it ends: some near the greatest number there is wrap around.
    let near_end = random.pick(&["0u - 150", "0u - 20"]);
    let begin = match random.below(8) {
        0 | 1 => "get_global_id(0)".to_string(),
        2 => "get_local_id(0)".to_string(),
        3 => "3 * get_global_id(0) + 1".to_string(),
        4 => "get_group_id(0) * (get_local_size(0) * 2) + lx".to_string(),
        5 if signed => "lx - 40".to_string(),
        6 if ty == "uint" => format!("{near_end} + lx"),
        _ => "get_global_id(0) + get_global_id(1) * 5".to_string(),
    };
    let step = random.pick(&[
        "get_global_size(0)",
        "get_global_size(0)",
        "get_local_size(0)",
        "m",
        "97",
        "get_local_size(0) * 2",
        "get_num_groups(0) * get_local_size(0) * 2",
    ]);
    let limit = random.pick(&["n", "n", "700", "n / 2", "n * 2"]);
    let goes_on = match random.below(4) {
        0 => format!("i <= ({ty})({limit})"),
        1 => format!("({ty})({limit}) > i"),
        2 => format!("!(i >= ({ty})({limit}))"),
        _ => format!("i < ({ty})({limit})"),
    };
    let mut text = format!("for ({ty} i = {begin}; {goes_on}; i += {step}) {{\n");
    for _ in 0..1 + random.below(3) {
        text += random.pick(&[
            "a = a * 31 + (uint)i;\n",
            "b += in[i & 4095];\n",
            "b += in[i & 4095] * (int)(i + 3);\n",
            "{ int v = in[i & 4095]; if (v < least) { least = v; at = (int)i; } }\n",
            "s += f[i & 4095]; \n",
            "p = fmax(p, f[(i + 5) & 4095]);\n",
            "if (in[i & 4095] > 0) c++;\n",
            "if (i & 1) a ^= 77; else b = b * 3 + 1;\n",
            "to[g] += (uint)i;\n",
            "for (int q = 0; q < (int)(i & 3); q++) a += q * in[(i + q) & 4095];\n",
            "if (in[i & 4095] == 5) continue;\n",
            "s = s * 0.5f + f[in[i & 4095] & 4095];\n",
        ]);
    }
    text + "}\n"
}

fn run(program: &Loaded, range: Range, n: i32) -> [Vec<u32>; 2] {
    let items = range.global.iter().product::<u64>() as usize;
    let (mut out, mut to) = (vec![0; items * 4], vec![0; items]);
    let mut numbers: Vec<i32> = (0..ELEMENTS as i32).map(|i| i * 37 % 1001 - 500).collect();
    let mut floats: Vec<f32> = numbers.iter().map(|&i| i as f32 * 0.37).collect();
    let (n, m) = (n.to_ne_bytes(), 53_i32.to_ne_bytes());
    let mut arguments = [
        Argument::Buffer(bytes(&mut out)),
        Argument::Buffer(bytes(&mut numbers)),
        Argument::Buffer(bytes(&mut floats)),
        Argument::Buffer(bytes(&mut to)),
        Argument::Value(&n),
        Argument::Value(&m),
    ];
    program.run("k", range, &mut arguments);
    [out, to]
}

fn check(seed: u64) {
    let Strides { text: source, size, uniform } = Strides::kernel(seed);
    let options = match uniform {
        true => "-cl-std=CL3.0 -cl-uniform-work-group-size",
        false => "-cl-std=CL3.0",
    };
    let compiled = |order: &str| {
        let attribute =
            format!("__attribute__((annotate(\"vicinity_order={order}\"))) kernel void");
        let source = source.replacen("kernel void", &attribute, 1);
        let made = match order {
            "reference" => translate_reference(&source.replace("reference", "auto"), options),
            _ => translate(&source, options),
        };
        made.unwrap_or_else(|log| panic!("seed {seed}: it does not compile\n{log}\n{source}"))
    };
    let whole = [size[0] * 2, size[1], size[2]];
    let cut = [size[0] * 2 - 5, size[1], size[2]];
    let global = if uniform { vec![whole] } else { vec![whole, cut] };
    let reference = compiled("reference");
    for order in ["auto", "dfo", "bfo"] {
        let program = compiled(order);
        for &global in &global {
            let range = Range { offset: [0; 3], global, local: size };
            for n in [1500, 3, size[0] as i32 * 4, 0] {
                let (expected, got) = (run(&reference, range, n), run(&program, range, n));
                assert!(expected == got, "seed {seed}, {order}, n {n}, {global:?}\n{source}");
            }
        }
    }
}

#[test]
fn random_strides_compute_what_their_items_compute() {
    let (first, last) = super::seeds();
    (first..2 * last - first).for_each(check);
}
