//! Volatile accesses of items that go together: each is done for each item that is there, in the item's own order.

use crate::program::{Argument, Range, bytes, translate, translate_reference};

const SOURCE: &str = "
    kernel void k(volatile global int *out, volatile global int4 *wide, global int *count, global const int *in) {
        local int shared[16];
        int g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
        shared[l] = in[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        int a = shared[(l + 1) % n];
        if (a & 1) {
            out[g] = a;
            out[g] += shared[n - 1 - l];
            out[g] ^= out[g] << 3;
        }
        for (int i = 0; i < (a & 7); i++) {
            if (in[g + i] > 20) wide[g] = (int4)(i, a, wide[g].y, wide[g].x + 1);
            if (in[g + i] == 3) break;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] += out[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (shared[n - 1 - l] > 10) wide[64 + atomic_inc(count)] = (int4)(7, 7, 7, 7);
    }";

#[test]
fn volatile_accesses_are_done_item_by_item() {
    let run = |program: &crate::program::Loaded, local: u64| {
        let mut input: Vec<i32> = (0..80).map(|at| at * 37 % 41).collect();
        let [mut out, mut wide, mut count] = [64, 512, 1].map(|length| vec![0_i32; length]);
        let buffers =
            [&mut out, &mut wide, &mut count, &mut input].map(|it| Argument::Buffer(bytes(it)));
        program.run("k", Range::line(60, local), &mut { buffers });
        (out, wide, count)
    };
    let reference = translate_reference(SOURCE, "-cl-std=CL3.0").expect("it compiles");
    for vectors in ["always", "half", "double", "never"] {
        let attribute = format!("kernel __attribute__((annotate(\"vicinity_vectors={vectors}\")))");
        let source = SOURCE.replacen("kernel", &attribute, 1);
        let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
        for local in [16, 12, 1] {
            assert_eq!(
                run(&program, local),
                run(&reference, local),
                "{vectors}, groups of {local}"
            );
        }
        let refused = &program.description.kernels[0].vectors_refused;
        assert_eq!(*refused, None, "{vectors}");
    }
}
