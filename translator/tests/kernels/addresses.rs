//! Addresses as numbers, and memory through pointers of other types than it was written by.

use crate::program::{Argument, Range, bytes, translate};

/// Addresses of `__local` variables are constants to LLVM, and something else for each work-group.
#[test]
fn constants_are_made_of_local_addresses() {
    let source = "kernel void k(global ulong *out) {
        local float t[64];
        local int u[8];
        t[get_local_id(0)] = 1.0f;
        u[get_local_id(0) % 8] = 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[0] = (ulong)t;
        out[1] = (ulong)t ^ 12345UL;
        out[2] = (ulong)t * 3UL;
        out[3] = (ulong)&t[3] + 7UL;
        out[4] = (ulong)t & 12345UL;
        out[5] = 1000UL - (ulong)t;
        out[6] = (uint)(ulong)t;
        out[7] = ((ulong)t ^ (ulong)u) == ((ulong)u ^ (ulong)t);
        out[8] = (ulong)u - (ulong)t;
        out[9] = ((ulong)t << 3) | 1;
        vstore4((ulong4)((ulong)t, (ulong)&t[1], 3, (ulong)t ^ 5), 0, out + 10);
        struct { local float *first; ulong second; } both = { t + 2, (ulong)t + 9 };
        volatile ulong at = 0;
        out[14] = at ? (ulong)both.first : both.second;
        out[15] = (ulong)t[0] + u[0];
    }";
    for options in ["-cl-std=CL3.0", "-cl-std=CL1.2 -cl-opt-disable"] {
        let program = translate(source, options).unwrap_or_else(|log| panic!("{log}"));
        let mut out = [0_u64; 16];
        program.run("k", Range::line(16, 16), &mut [Argument::Buffer(bytes(&mut out))]);
        let t = out[0];
        let between = out[8];
        let expected = [
            t,
            t ^ 12345,
            t.wrapping_mul(3),
            t + 19,
            t & 12345,
            1000_u64.wrapping_sub(t),
            u64::from(t as u32),
            1,
            between,
            t << 3 | 1,
            t,
            t + 4,
            3,
            t ^ 5,
            t + 9,
            3,
        ];
        assert_eq!(out, expected, "{options}");
        assert!(t != 0 && between != 0);
    }
}

/// docs/decisions/021-types-of-pointers.md
#[test]
fn memory_is_its_bits_through_any_pointer() {
    let source = "kernel void bits(global float *f, global int *out, int at) {
        int g = get_global_id(0), before = ((global int *)f)[2 * g + at];
        f[2 * g] = 1.0f;
        out[g] = ((global int *)f)[2 * g + at] - before;
    }
    kernel void halves(global float *f, global int *out, int at) {
        int g = get_global_id(0);
        float mine[4] = { 1.0f, f[g], 3.0f, 4.0f };
        short *parts = (short *)mine;
        int before = parts[2 * at + 1];
        mine[at] += 1.0f;
        out[g] = parts[2 * at + 1] - before;
    }";
    let ones = 0x3f80_0000;
    for options in ["", "-cl-opt-disable"] {
        let program = translate(source, options).unwrap_or_else(|log| panic!("{log}"));
        for (kernel, expected) in [("bits", ones), ("halves", 128)] {
            let (mut numbers, mut out) = ([0.0_f32; 128], [0_i32; 64]);
            let mut arguments = [
                Argument::Buffer(bytes(&mut numbers)),
                Argument::Buffer(bytes(&mut out)),
                Argument::Value(&0_i32.to_ne_bytes()),
            ];
            program.run(kernel, Range::line(64, 16), &mut arguments);
            assert_eq!(out, [expected; 64], "{kernel} {options}");
        }
    }
}

/// Private memory is what lies in the frame of the work-group function, or in a group's scratch memory. Below the frame may be the
/// end of a small stack, and any memory behind that.
#[test]
fn memory_near_the_stack_is_not_private() {
    let source = "kernel void k(global int *out, ulong address) {
        int mine[4] = { 1, 2, 3, 4 }, kept[4] = { 5, 6, 7, 8 };
        int *chosen = &mine[out[0]], *other = (int *)address, *later = &kept[out[1]];
        *later = 3;
        out[0] = (to_private(chosen) != 0) * 1 + (to_global(chosen) != 0) * 2;
        out[1] = (to_private(other) != 0) * 1 + (to_global(other) != 0) * 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[2] = (to_private(later) != 0) * 1 + (to_global(later) != 0) * 2 + *later * 10;
    }";
    for options in ["-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"] {
        let program = translate(source, options).unwrap_or_else(|log| panic!("{log}"));
        let here = &raw const options as u64;
        for address in [here, here - (300 << 10), here - (900 << 10), here + (300 << 10)] {
            let mut out = [0_i32; 3];
            let address = address.to_ne_bytes();
            let mut arguments = [Argument::Buffer(bytes(&mut out)), Argument::Value(&address)];
            program.run("k", Range::line(1, 1), &mut arguments);
            assert_eq!(out, [1, 2, 31], "{options}");
        }
    }
}

/// A barrier lets others write where an item's pointer leads, whatever that pointer promises of the item.
#[test]
fn restrict_says_nothing_of_other_items() {
    let source = "kernel void k(global int *restrict a, global int *restrict out) {
        int g = get_global_id(0);
        int before = a[g ^ 1];
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[g] = 1000 + g;
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[g] = a[g ^ 1] - before;
    }";
    let program = translate(source, "").unwrap_or_else(|log| panic!("{log}"));
    let mut a: Vec<i32> = (0..64).map(|i| 7 * i).collect();
    let mut out = vec![0_i32; 64];
    let mut arguments = [Argument::Buffer(bytes(&mut a)), Argument::Buffer(bytes(&mut out))];
    program.run("k", Range::line(64, 16), &mut arguments);
    let expected: Vec<i32> = (0..64).map(|i| 1000 + (i ^ 1) - 7 * (i ^ 1)).collect();
    assert_eq!(out, expected);
}

/// Sums in memory, where the launch does not say that buffers are different memory.
#[test]
fn buffers_that_overlap_are_read_and_written_in_order() {
    let source = "kernel void k(global int *a, global int *b, int n) {
        for (int i = 0; i < n; i++) a[0] += b[0] + i;
    }";
    let mut program = translate(source, "").unwrap_or_else(|log| panic!("{log}"));
    program.may_overlap = true;
    let mut a = [1_i32];
    let place = a.as_mut_ptr() as u64;
    let n = 5_i32.to_ne_bytes();
    let mut pointers = [place.to_ne_bytes(), place.to_ne_bytes()];
    let [one, two] = &mut pointers;
    let mut arguments = [Argument::Value(one), Argument::Value(two), Argument::Value(&n)];
    program.run("k", Range::line(1, 1), &mut arguments);
    let expected = (0..5).fold(1, |sum, i| sum + sum + i);
    assert_eq!(std::hint::black_box(&mut a)[0], expected);
}

/// Barriers and copies that buffers need only where they are one.
#[test]
fn buffers_that_are_one_keep_their_barriers_and_copies() {
    let size = "__attribute__((reqd_work_group_size(16, 1, 1)))";
    let copied = "local int t[16];
        t[l] = b[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[g] = t[15 - l];";
    let ordered = "int theirs = b[g - l + 15 - l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[g] = theirs;";
    for body in [copied, ordered] {
        let source = format!(
            "{size} kernel void k(global int *a, global int *b) {{
                int l = get_local_id(0), g = get_global_id(0);
                {body}
            }}"
        );
        let options = "-cl-std=CL3.0 -cl-uniform-work-group-size";
        let mut program = translate(&source, options).unwrap_or_else(|log| panic!("{log}"));
        let described = &program.description.kernels[0];
        assert!(described.disjoint && described.barriers.removed == 1, "{body}");
        program.may_overlap = true;
        let mut a: Vec<i32> = (0..64).collect();
        let place = a.as_mut_ptr() as u64;
        let mut pointers = [place.to_ne_bytes(), place.to_ne_bytes()];
        let [one, two] = &mut pointers;
        let mut arguments = [Argument::Value(one), Argument::Value(two)];
        program.run("k", Range::line(64, 16), &mut arguments);
        let expected: Vec<i32> = (0..64).map(|i| i / 16 * 16 + 15 - i % 16).collect();
        assert_eq!(std::hint::black_box(&mut a), &expected, "{body}");
    }
}
