//! Builtin functions of whole work-groups, and atomics.

use crate::program::{Argument, Range, bytes, translate};

#[test]
fn collectives_agree_with_loops() {
    let source = "kernel void all(global const int *x, global long *o) {
        int i = get_global_id(0), v = x[i];
        global long *r = o + 10 * i;
        r[0] = work_group_reduce_add(v);
        r[1] = work_group_reduce_min(v);
        r[2] = work_group_reduce_max((float)v);
        r[3] = work_group_scan_inclusive_add((long)v);
        r[4] = work_group_scan_exclusive_add(v);
        r[5] = work_group_scan_inclusive_max(v);
        r[6] = work_group_scan_exclusive_min(v);
        r[7] = work_group_broadcast(v, 3);
        r[8] = work_group_any(v == 7);
        r[9] = work_group_all(v >= 0);
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let mut x: Vec<i32> = (0..64).map(|i| (i * 37 + 11) % 101 - (i / 32) * 50).collect();
    let mut o = vec![0_i64; 640];
    let mut arguments = [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut o))];
    program.run("all", Range::line(64, 16), &mut arguments);
    for (group, x) in x.chunks(16).enumerate() {
        let x: Vec<i64> = x.iter().map(|&x| x.into()).collect();
        for item in 0..16 {
            let (before, with) = (&x[..item], &x[..=item]);
            let expected = [
                x.iter().sum(),
                *x.iter().min().unwrap(),
                *x.iter().max().unwrap(),
                with.iter().sum(),
                before.iter().sum(),
                *with.iter().max().unwrap(),
                before.iter().copied().min().unwrap_or(i32::MAX.into()),
                x[3],
                x.contains(&7).into(),
                x.iter().all(|&x| x >= 0).into(),
            ];
            assert_eq!(o[(group * 16 + item) * 10..][..10], expected, "{group} {item}");
        }
    }
}

#[test]
fn broadcast_chooses_by_all_dimensions() {
    let source = "kernel void k(global int *o) {
        int i = get_global_linear_id();
        o[i] = work_group_broadcast(i, 1, 2, 1) - work_group_broadcast(i, 2, 0, 0);
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let mut o = [0_i32; 24];
    let range = Range { offset: [0; 3], global: [4, 3, 2], local: [4, 3, 2] };
    program.run("k", range, &mut [Argument::Buffer(bytes(&mut o))]);
    assert_eq!(o, [12 + 2 * 4 + 1 - 2; 24]);
}

#[test]
fn atomics_on_local_memory_count_every_item() {
    let source = "kernel void histogram(global const uint *x, global uint *o) {
        local uint bins[4];
        local float last;
        uint l = get_local_id(0);
        if (l < 4) bins[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&bins[x[get_global_id(0)] & 3]);
        atomic_max(&bins[3], 2u);
        atomic_xchg(&last, (float)l);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 4) atomic_add(&o[l], bins[l]);
        if (l == 0) atomic_add(&o[4], (uint)last);
    }";
    let program = translate(source, "").expect("it compiles");
    let mut x: Vec<u32> = (0..512).map(|i| i * i % 3).collect();
    let mut o = [0_u32; 5];
    let mut arguments = [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut o))];
    program.run("histogram", Range::line(512, 128), &mut arguments);
    let count = |bin| x.iter().filter(|&&x| x == bin).count() as u32;
    assert_eq!(o, [count(0), count(1), 0, 8, 127 * 4]);
}

/// Items of a vector would wait for the one that has the lock, and that one for them.
#[test]
fn locks_are_handed_from_item_to_item() {
    let source = "kernel void locked(global uint *sum, global uint *lock) {
        local uint own, ours;
        if (get_local_id(0) == 0) own = ours = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        while (atomic_cmpxchg(&own, 0, 1) != 0) {}
        ours += get_global_id(0);
        atomic_xchg(&own, 0);
        while (atomic_cmpxchg(lock, 0, 1) != 0) {}
        sum[0] += 1;
        atomic_xchg(lock, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) sum[1] += ours;
    }";
    let program = translate(source, "").expect("it compiles");
    let (mut sum, mut lock) = ([0_u32; 2], [0_u32]);
    let mut arguments = [Argument::Buffer(bytes(&mut sum)), Argument::Buffer(bytes(&mut lock))];
    program.run("locked", Range::line(64, 32), &mut arguments);
    assert_eq!(sum, [64, 63 * 64 / 2]);
}

#[test]
fn atomics_of_all_orders_and_spaces_work() {
    let source = "kernel void k(global atomic_int *n, global atomic_ulong *m, global atomic_float *f, global int *o) {
        local atomic_int here;
        local atomic_flag flag;
        int i = get_local_id(0);
        if (i == 0) { atomic_init(&here, 5); atomic_flag_clear(&flag); }
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        atomic_fetch_add_explicit(n, 2, memory_order_relaxed, memory_scope_device);
        atomic_fetch_min_explicit(m, (ulong)i, memory_order_acq_rel);
        atomic_fetch_sub(&here, 1);
        int expected = 3;
        bool swapped = atomic_compare_exchange_strong_explicit(n + 1, &expected, 9 + i, memory_order_acq_rel,
            memory_order_acquire, memory_scope_device);
        o[i] = swapped ? -1 : expected;
        if (!atomic_flag_test_and_set(&flag)) atomic_store(f, i + 0.5f);
        float was = atomic_exchange_explicit(f + 1, (float)i, memory_order_seq_cst);
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
        if (i == 0) o[8] = atomic_load_explicit(&here, memory_order_acquire) + (was == -1.0f);
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let (mut n, mut m, mut f, mut o) = ([1_i32, 3], [77_u64], [0.0_f32, -1.0], [0_i32; 9]);
    program.run(
        "k",
        Range::line(8, 8),
        &mut [
            Argument::Buffer(bytes(&mut n)),
            Argument::Buffer(bytes(&mut m)),
            Argument::Buffer(bytes(&mut f)),
            Argument::Buffer(bytes(&mut o)),
        ],
    );
    assert_eq!((n, m, f), ([17, 9], [0], [0.5, 7.0]));
    assert_eq!(o, [-1, 9, 9, 9, 9, 9, 9, 9, -2]);
}

#[test]
fn groups_copy_and_wait() {
    let source = "kernel void reverse(global const float2 *x, global float2 *o, local float2 *l) {
        size_t n = get_local_size(0), base = get_group_id(0) * n, i = get_local_id(0);
        event_t events[2];
        events[0] = async_work_group_copy(l, x + base, n, 0);
        prefetch(x, n);
        wait_group_events(1, events);
        float2 v = l[n - 1 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
        l[i] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        events[1] = async_work_group_strided_copy(o + get_group_id(0), l, n, get_num_groups(0), 0);
        wait_group_events(1, &events[1]);
    }";
    for standard in ["-cl-std=CL1.2", "-cl-std=CL3.0"] {
        let program = translate(source, standard).expect("it compiles");
        let mut x: Vec<f32> = (0..64).map(|i| i as f32).collect();
        let mut o = vec![0.0_f32; 64];
        let mut arguments = [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut o)),
            Argument::Local(8 * 8),
        ];
        program.run("reverse", Range::line(32, 8), &mut arguments);
        for at in 0..32 {
            let (group, item) = (at % 4, at / 4);
            assert_eq!(o[2 * at], x[2 * (group * 8 + 7 - item)], "{standard} {at}");
        }
    }
}

#[test]
fn pointers_tell_where_they_point() {
    let source = "int where(int *p) {
        return (to_global(p) == p) + 2 * (to_local(p) == p) + 4 * (to_private(p) == p) + 8 * (to_local(p) == 0)
            + 16 * (get_fence(p) == CLK_LOCAL_MEM_FENCE);
    }
    kernel void k(global int *o, local int *l) {
        local int variable[4];
        int own[4], across = 3, i = get_global_id(0);
        own[i & 3] = across;
        int *crosses = &across;
        o[8 * i] = where(o + i);
        o[8 * i + 1] = where(l + i);
        o[8 * i + 2] = where(variable + 2);
        o[8 * i + 3] = where(own + (i & 3));
        barrier(CLK_LOCAL_MEM_FENCE);
        o[8 * i + 4] = where(crosses) + 0 * *crosses;
        o[8 * i + 5] = where(own + (o[8 * i + 3] & 3));
        own[0] += *crosses;
        o[8 * i + 6] = own[0] > 0;
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let mut o = vec![0_i32; 8 * 8];
    let mut arguments = [Argument::Buffer(bytes(&mut o)), Argument::Local(64)];
    program.run("k", Range::line(8, 8), &mut arguments);
    for item in o.chunks(8) {
        assert_eq!(item[..6], [9, 18, 18, 12, 12, 12]);
    }
}

/// Of the others the driver may make larger groups than the program asked for.
#[test]
fn kernels_that_can_tell_how_they_are_grouped_are_known() {
    let source = "
        kernel void plain(global int *o) { o[get_global_id(0)] = get_global_size(0) + get_work_dim(); }
        kernel void counts(global int *o) { atomic_inc(o + get_global_id(1)); }
        kernel void asks(global int *o) { o[get_global_id(0)] = get_local_id(0); }
        kernel void asks_size(global int *o) { o[get_global_id(0)] = get_local_size(0); }
        kernel void asks_group(global int *o) { o[get_global_id(0)] = get_num_groups(0); }
        kernel void waits(global int *o) { o[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); }
        kernel void shares(global int *o) { local int t[64]; t[get_global_id(0) & 63] = 1; *o = t[0]; }
        kernel void is_given(global int *o, local int *t) { t[0] = 1; *o = t[0]; }
        kernel void sums(global int *o) { *o = work_group_reduce_add(1); }
        kernel void prints(global int *o) { printf(\"%d\", *o); }";
    let program = translate(source, "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{log}"));
    let kernels = &program.description.kernels;
    let groupless = kernels.iter().filter(|kernel| kernel.groupless).map(|it| it.name.as_str());
    assert_eq!(groupless.collect::<Vec<&str>>(), ["plain", "counts"]);
}

/// What lies around the image is no number that anybody may see, and an array of copies with a border of zeros is left out.
#[test]
fn borders_of_copies_are_zero() {
    let source = "__attribute__((reqd_work_group_size(8, 4, 1)))
    kernel void sum(global int *o, global const int *all, int w, int h) {
        local int t[6][10];
        global const int *x = all + 2 * w;
        int lx = get_local_id(0), ly = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
        int left = get_group_id(0) * 8 - 1, top = get_group_id(1) * 4 - 1;
        for (int b = ly; b < 6; b += 4)
            for (int a = lx; a < 10; a += 8) {
                int c = left + a, d = top + b;
                t[b][a] = c >= 0 && c < w && d >= 0 && d < h ? x[d * w + c] : 0;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (gx < w && gy < h) o[gy * w + gx] = t[ly][lx + 1] + t[ly + 1][lx] * 3 + t[ly + 1][lx + 2] * 5 + t[ly + 2][lx + 1] * 7;
    }";
    let program = translate(source, "-cl-std=CL1.2").expect("it compiles");
    let (w, h) = (13_i32, 7_i32);
    let inside = |c: i32, d: i32| (0..w).contains(&c) && (0..h).contains(&d);
    let value = |c: i32, d: i32| if inside(c, d) { c * 10 + d * d } else { 0 };
    let mut all: Vec<i32> = (-2..h + 2)
        .flat_map(|d| (0..w).map(move |c| if inside(c, d) { value(c, d) } else { 1 << 20 }))
        .collect();
    let mut o = vec![0_i32; (w * h) as usize];
    let mut arguments = [
        Argument::Buffer(bytes(&mut o)),
        Argument::Buffer(bytes(&mut all)),
        Argument::Value(&w.to_ne_bytes()),
        Argument::Value(&h.to_ne_bytes()),
    ];
    let range = Range { offset: [0; 3], global: [16, 8, 1], local: [8, 4, 1] };
    program.run("sum", range, &mut arguments);
    for d in 0..h {
        for c in 0..w {
            let around =
                value(c, d - 1) + value(c - 1, d) * 3 + value(c + 1, d) * 5 + value(c, d + 1) * 7;
            assert_eq!(o[(d * w + c) as usize], around, "{c} {d}");
        }
    }
}
