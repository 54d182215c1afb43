//! What kernels print arrives as docs/kernel-abi.md says.

use crate::program::{Argument, Printed, Range, bytes, translate, translate_reference};

const SOURCE: &str = r#"
    void inner(int i, float x) { if (i & 1) printf("%d: %5.2f %s\n", i, x, "text"); }
    kernel void k(global float *x, global int *r) {
        int i = get_global_id(0);
        inner(i, x[i]);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 2)
            r[0] = printf("%v3hld|%v4hlf %c %p %ld\n", (int3)(1, 2, 3), (float4)(x[i]), (char)65, x, 1L << 40);
        if (i == 3) printf("plain\n");
    }"#;

#[test]
fn arguments_are_packed_with_their_kinds() {
    for translated in [translate(SOURCE, ""), translate_reference(SOURCE, "")] {
        let program = translated.expect("it compiles");
        assert!(program.description.kernels[0].prints);
        let (mut x, mut r) = ([0.5_f32, 1.5, 2.5, 3.5], [0_i32]);
        let address = x.as_ptr() as u64;
        let mut arguments = [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut r))];
        let mut printed = program.run("k", Range::line(4, 4), &mut arguments);
        assert_eq!(printed.len(), 4);
        for (call, i) in printed[..2].iter_mut().zip([1_i32, 3]) {
            let (kind, text) = call.arguments.pop().expect("the text");
            assert_eq!((kind, text.len()), (0x1_08_03, 8));
            let value = (f64::from(i) + 0.5).to_le_bytes().to_vec();
            let arguments = vec![(0x1_04_00, i.to_le_bytes().to_vec()), (0x1_08_01, value)];
            assert_eq!(*call, Printed { format: "%d: %5.2f %s\n".to_string(), arguments });
        }
        let three = [1_u8, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
        let expected = [
            (0x3_04_00, three.to_vec()),
            (0x4_04_01, [2.5_f32; 4].map(f32::to_le_bytes).concat()),
            (0x1_04_00, vec![65, 0, 0, 0]),
            (0x1_08_02, address.to_le_bytes().to_vec()),
            (0x1_08_00, (1_u64 << 40).to_le_bytes().to_vec()),
        ];
        assert_eq!(printed[2].arguments, expected);
        assert_eq!((printed[3].format.as_str(), printed[3].arguments.len()), ("plain\n", 0));
        assert_eq!(r[0], 3, "what printf answers");
    }
}

#[test]
fn kernels_that_do_not_print_say_so() {
    let program = translate("kernel void k(global int *x) { x[0] = 1; }", "").expect("it compiles");
    assert!(!program.description.kernels[0].prints);
}
