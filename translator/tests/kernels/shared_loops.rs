//! Loops by which the items of a group share what is to be done, where the group's size is known: each item has so many rounds, and each
//! element is done once, as item by item.

use crate::program::{Argument, Range, bytes, translate, translate_reference};

/// Heads of loops; `item` is an item's number of `ITEMS`.
const HEADS: &[&str] = &[
    "for (int at = item; at < 1024; at += ITEMS)",
    "for (int at = item; at < 1024; at += get_local_size(0) * get_local_size(1) * get_local_size(2))",
    "for (uint at = item; at < 100; at += ITEMS)",
    "for (int at = item + 3; at <= 771; at += ITEMS)",
    "for (int at = item; at > -1; at -= ITEMS)",
    "for (int at = 1023 - item; at >= 0; at -= ITEMS)",
    "for (size_t at = get_local_id(0) * 4; at < 512; at += 4 * get_local_size(0))",
    "for (short at = item; at < 2048; at += ITEMS)",
    "for (uint at = item % 8; at < 64; at += 8)",
    "for (int at = item / 4; at < 48; at += 16)",
    "for (uint at = item << 2 | 1; at < 1000; at += ITEMS << 2)",
];

/// Elements of each loop.
const ELEMENTS: usize = 32 * 1024;

fn source([x, y, z]: [u64; 3]) -> String {
    let items = x * y * z;
    let mut source = format!(
        "#define ITEMS {items}
        __attribute__((reqd_work_group_size({x}, {y}, {z})))
        kernel void k(global int *out, global int *rounds, global const int *in) {{
            int item = (get_local_id(2) * {y} + get_local_id(1)) * {x} + get_local_id(0), turns;\n"
    );
    for (number, head) in HEADS.iter().enumerate() {
        source += &format!(
            "turns = 0;
            {head} {{
                if (in[at & 1023] == 77) break;
                out[{number} * {ELEMENTS} + at] = in[at & 1023] + 3 * (at / 16) + at % 16 + (at / 5) * (1023 - at % 64);
                turns++;
            }}
            rounds[{number} * ITEMS + item] = turns;\n"
        );
    }
    source + "}"
}

#[test]
fn items_that_share_a_loop_do_each_their_part() {
    for local in [[64, 1, 1], [16, 4, 1], [8, 8, 1], [256, 1, 1], [5, 3, 2]] {
        let source = source(local);
        let items: u64 = local.iter().product();
        let mut input: Vec<i32> = (0..1024).map(|at| at * 37 % 1009).collect();
        let [expected, found] = [translate_reference, translate].map(|translate| {
            let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
            let mut out = vec![-1_i32; HEADS.len() * ELEMENTS];
            let mut rounds = vec![-1_i32; HEADS.len() * items as usize];
            let mut arguments = [
                Argument::Buffer(bytes(&mut out)),
                Argument::Buffer(bytes(&mut rounds)),
                Argument::Buffer(bytes(&mut input)),
            ];
            program.run("k", Range { offset: [0; 3], global: local, local }, &mut arguments);
            (out, rounds)
        });
        assert!(expected.1 == found.1, "rounds in groups of {local:?}");
        let differs = expected.0.iter().zip(&found.0).position(|(a, b)| a != b);
        assert_eq!(differs, None, "the first element that differs, in groups of {local:?}");
    }
}
