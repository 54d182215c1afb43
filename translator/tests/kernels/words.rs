//! Small vectors that data leads anywhere: each is loaded and stored as one number, and its neighbours stay as they are.

use crate::program::{Argument, Range, bytes, translate, translate_reference};

/// Places of four and of eight bytes, and of what lies behind them.
const BYTES: usize = 4096;
const ITEMS: u64 = 100;

/// What `body` makes of a buffer; item `i` has a place of its own, `at`, far from its neighbours'.
fn check(ty: &str, body: &str) {
    let (source, [expected, got]) = run(ty, body);
    assert!(expected == got, "{source}");
}

/// The kernel, and what it makes as one item after the other and as vectors.
fn run(ty: &str, body: &str) -> (String, [Vec<u8>; 2]) {
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global {ty} *out, global const {ty} *in, global const int *places, int n) {{
            int i = get_global_id(0);
            int at = places[i];
            {body}
        }}"
    );
    let mut places: Vec<i32> = (0..ITEMS as i32).map(|i| i * 37 % 101).collect();
    let made = [translate_reference, translate].map(|translate| {
        let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
        let mut a: Vec<u8> = (0..BYTES).map(|at| (at * 7 % 61) as u8).collect();
        let mut out = a.clone();
        let mut arguments = [
            Argument::Buffer(bytes(&mut out)),
            Argument::Buffer(bytes(&mut a)),
            Argument::Buffer(bytes(&mut places)),
            Argument::Value(&40_i32.to_ne_bytes()),
        ];
        program.run("k", Range::line(ITEMS, 50), &mut arguments);
        out
    });
    (source, made)
}

const TYPES: [&str; 12] = [
    "uchar4", "char4", "ushort2", "short4", "uchar8", "int2", "uint2", "float2", "half2", "half4",
    "float4", "uchar2",
];

#[test]
fn small_vectors_anywhere_are_loaded_and_stored() {
    TYPES.iter().for_each(|ty| check(ty, "out[at] = in[at] + in[101 + i % 7 * 3];"));
}

/// Vectors of three lie in the room of four, and what is in the fourth place is nobody's.
#[test]
fn vectors_of_three_anywhere_are_stored() {
    for (part, bytes) in [("uchar", 1), ("char", 1), ("ushort", 2), ("short", 2), ("half", 2)] {
        for body in ["out[at] = in[at] + in[101 + i % 7 * 3];", "if (at > n) out[at] = in[i].zyx;"]
        {
            let (source, made) = run(&format!("{part}3"), body);
            let [expected, got] = made.map(|out| {
                let three = |four: &[u8]| four[..3 * bytes].to_vec();
                out.chunks(4 * bytes).flat_map(three).collect::<Vec<u8>>()
            });
            assert!(expected == got, "{source}");
        }
    }
}

#[test]
fn small_vectors_are_those_of_items_that_are_there() {
    for ty in TYPES {
        check(ty, "if (at > n) { out[at] = in[at + 1 & ~1]; out[110 + at].x = in[at].y; }");
        let walk = "sum = in[at]; while (at > n) { sum += in[at]; at -= 9; } out[i] = sum;";
        check(ty, &format!("{ty} {walk}"));
    }
}

/// Numbers of one and two bytes, from places that begin anywhere in a word of four.
#[test]
fn narrow_numbers_anywhere_are_loaded() {
    for ty in ["uchar", "char", "ushort", "short", "half"] {
        check(ty, "out[i] = in[at * 3 + 1];");
        check(ty, "if (at > n) out[i] = in[at - 41] + in[at * 5];");
        check(ty, "out[i] = in[100 - at]; if (at & 1) out[i] += (in + 7)[-at / 16];");
        check(ty, "uint far = at * 2u; out[i] = in[far + n % 3];");
        check(
            ty,
            &format!(
                "{ty} last = 1; for (; at > 0; at -= n) last = in[at] + (last > 3); out[i] = last;"
            ),
        );
    }
    for part in ["uchar4", "ushort2"] {
        check(part, "out[i].x = in[at].y; out[i].y = in[at * 2].x;");
    }
}

/// Numbers of one and two bytes so many bytes apart, some of them of items that are there alone.
#[test]
fn narrow_numbers_by_strides_are_loaded() {
    for ty in ["uchar", "char", "ushort", "short", "half"] {
        check(ty, "out[i] = in[i * 13 + 1];");
        check(ty, "out[i] = in[1000 - i * 7]; if (at > n) out[i] += in[i * 9 + 3];");
        let walk = "for (int k = i * 16; k < i * 16 + at % 9; k++) last += in[k];";
        check(ty, &format!("{ty} last = 1; {walk} out[i] = last;"));
    }
    check("uchar4", "if (at & 1) out[i].x = in[i * 5].y;");
}

/// Beyond 2^31 an index without a sign is no negative one.
#[test]
fn indices_without_a_sign_reach_far() {
    for ty in ["int", "float", "long", "double", "uchar", "ushort", "uchar4", "float2"] {
        check(ty, "uint twice = at * 2u; out[at] = in[twice] + in[twice + n];");
        let far = "long beyond = n * 75000000L; uint place = (uint)beyond + at;
            out[i] = (in - beyond)[place]; if (at > n) (out - beyond)[place + 101] = in[at];";
        check(ty, far);
    }
}
