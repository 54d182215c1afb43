//! Structures that items have for themselves, with arrays that they index: copied, cleared, nested, and read as what they are not.

use crate::program::{Argument, Loaded, Range, bytes, translate, translate_reference};

const ITEMS: usize = 40;
const TYPES: &str = "
    typedef struct { short taps[6]; uchar order, shift; } taps_t;
    typedef struct { int items[8], top; float best; taps_t taps; } search_t;
    typedef struct { int x, y, z; } point_t;
";

/// What the items of a kernel leave, whose body has the number `i` of the item and `n`, which is 5.
fn run(program: &Loaded) -> Vec<i32> {
    let mut input: Vec<i32> = (0..256).map(|at| at * 37 % 101 - 50).collect();
    let (mut out, n) = (vec![0_i32; 4 * ITEMS], 5_i32.to_ne_bytes());
    let [out_in, input_in] = [&mut out, &mut input].map(|it| Argument::Buffer(bytes(it)));
    program.run("k", Range::line(ITEMS as u64, 8), &mut [out_in, input_in, Argument::Value(&n)]);
    out
}

/// Both give the same, and an item has less memory for itself than these structures take.
fn check(body: &str, structures_bytes: u64) {
    let source = format!(
        "{TYPES} kernel void k(global int *out, global int *in, int n) {{
            int i = get_global_id(0);
            {body}
        }}"
    );
    let made = translate(&source, "").expect("it compiles");
    let reference = translate_reference(&source, "").expect("it compiles");
    assert_eq!(run(&made), run(&reference), "{body}");
    let private = made.description.kernels[0].private_bytes_per_item;
    assert!(private < structures_bytes, "{private} bytes: {body}");
}

#[test]
fn a_stack_is_memory_and_its_top_is_not() {
    check(
        "search_t s; s.top = 0; s.best = 0;
        s.items[s.top++] = i;
        for (int q = 0; q < n && s.top > 0; q++) {
            int v = s.items[--s.top];
            if (in[v & 63] > 0) { s.items[s.top++] = v + 1; s.items[s.top++] = v * 3; }
            else if (s.top < 7) s.items[s.top++] = q;
            s.best = fmax(s.best, v * 0.5f);
        }
        out[4 * i] = s.best; out[4 * i + 1] = s.top;",
        56,
    );
}

#[test]
fn whole_structures_are_copied_and_cleared() {
    check(
        "taps_t a = ((global taps_t *)in)[i], b = {{0}}, c;
        int sum = 0;
        for (int q = 0; q < n; q++) {
            sum += a.taps[(i + q) % 6] * a.order;
            b.taps[(i ^ q) % 6] = sum;
            if (q == 2) { c = b; b.shift = q; }
        }
        c.taps[i % 6] ^= b.shift;
        ((global taps_t *)out)[i] = c;
        out[4 * ITEMS - 1 - i % 8] = sum;"
            .replace("ITEMS", &ITEMS.to_string())
            .as_str(),
        42,
    );
}

#[test]
fn structures_in_structures_come_apart_too() {
    check(
        "search_t s = {{0}};
        s.taps = ((global taps_t *)in)[i % 9];
        for (int q = 0; q < n; q++) {
            s.items[(i + q) & 7] += s.taps.taps[(q + s.taps.order) % 6U];
            s.top += s.items[q ^ (i & 3)];
            s.taps.order = s.top;
        }
        out[4 * i] = s.top; out[4 * i + 1] = s.items[i & 7]; out[4 * i + 2] = s.taps.shift;",
        56,
    );
}

#[test]
fn what_lies_between_the_numbers_of_a_union_is_copied() {
    check(
        "typedef union { struct { uchar first; int second; } s; uchar all[8]; } both_t;
        typedef struct { both_t b; short list[4]; } lists_t;
        lists_t p, q;
        for (int k = 0; k < 8; k++) p.b.all[(k + i) & 7] = in[i + k];
        for (int k = 0; k < 4; k++) p.list[(k + i) & 3] = in[k];
        q = p;
        for (int k = 0; k < n; k++) q.list[(k ^ i) & 3] += q.b.all[(k + n) & 7];
        out[4 * i] = q.b.s.second; out[4 * i + 1] = q.b.s.first + q.list[i & 3];
        out[4 * i + 2] = q.b.all[1] + 256 * q.b.all[2];",
        u64::MAX,
    );
}

/// Programs do so, although C does not promise that neighbours are found.
#[test]
fn members_that_are_taken_for_an_array_stay_one() {
    for place in ["&p.x", "(int *)&p"] {
        let body = format!(
            "point_t p = {{in[i], in[i + 1], in[i + 2]}};
            ({place})[i % 3] = 7;
            int *all = {place};
            for (int q = 0; q < n; q++) out[4 * i] += all[(q + i) % 3] * q;
            out[4 * i + 1] = p.y;"
        );
        check(&body, u64::MAX);
    }
}
