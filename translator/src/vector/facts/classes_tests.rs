//! What scalarization finds, row by row of what an analysis like that of Collange (2011) should: section 6 of the facts of the paper, then
//! its rules of section 4. Where ours is less or more, the test says so.

use std::collections::{HashMap, HashSet};

use super::classes::{Class, Role};
use super::state::{UNIFORM, VARYING};
use crate::group::crossing::{self, Storage};
use crate::group::launch::Sizes;
use crate::group::regions::Regions;
use crate::llvm::{Context, Machine, Module, Value, configure};
use crate::program::patience::Effort;
use crate::schedule::{self, Vectors, Wish};
use crate::vector::{Of, Plan, Privates};
use Class::{Affine, Guessed, Uniform, Varying};

const PARAMETERS: &str =
    "ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %m, i32 %s, i32 %t, float %f";

const DECLARED: &str = "
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i32 @llvm.smin.i32(i32, i32)
declare void @_Z7barrierj(i32) convergent
";

/// The class of each value of a kernel by its name, and where it is used: `value@user`, and `?value` for a branch.
struct Classes(HashMap<String, Class>);

impl Classes {
    /// Of a kernel with the parameters above, which ends by itself.
    fn of(body: &str) -> Classes {
        configure(&[]);
        let text = format!("define void @kernel({PARAMETERS}) {{\nentry:\n{body}\n}}\n{DECLARED}");
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let machine = Machine::new("x86_64-unknown-linux-gnu", "x86-64-v3", "+avx2", Effort::Full)
            .expect("LLVM knows the processor");
        module.retarget(&machine);
        let kernel = module.function("kernel").expect("the kernel");
        let context = module.context();
        let plan = schedule::Plan::new(
            context,
            &machine,
            kernel,
            Sizes::default(),
            Wish::Auto,
            Vectors::Impossible,
        );
        let function = &plan.view.function;
        let ids = function.value_ids().zip(&plan.view.values);
        let made = ids.filter(|&(id, _)| function.instruction(id).is_some());
        let shared: HashSet<Value> = made
            .filter(|&(id, _)| plan.analysis.is_one_for_all(function, id))
            .map(|(_, &value)| value)
            .collect();
        let is_uniform = |value| shared.contains(&value);
        let regions = Regions::find(context, kernel);
        let crossing = crossing::resolve(context, kernel, &regions, &is_uniform, false);
        let state = |storage| if storage == Storage::Uniform { UNIFORM } else { VARYING };
        let variables = crossing.variables.iter();
        let of = Of {
            machine: &machine,
            privates: &Privates::default(),
            slots: &variables.map(|it| (it.slot, state(it.storage))).collect(),
            is_uniform: &is_uniform,
            sizes: Sizes::default(),
            lanes: 32,
        };
        let mut classes = HashMap::new();
        for region in &regions.list {
            let plan = Plan::new(region, &of).expect("what vector code can be made of");
            for found in plan.findings(&of) {
                let (value, user) = (found.value.name(), found.at.name());
                let name = match found.role {
                    Role::Operand => format!("{value}@{user}"),
                    Role::Branch => format!("?{value}"),
                    Role::LoadAddress | Role::StoreAddress => format!("*{value}"),
                    _ => value,
                };
                classes.insert(name, found.class);
            }
        }
        Classes(classes)
    }

    fn are(&self, wanted: &[(&str, Class)]) {
        for (name, class) in wanted {
            assert_eq!(self.0.get(*name), Some(class), "{name} of {:?}", self.0);
        }
    }
}

/// "`i < n` uniform n: not uniform". Nothing else is lost: what a guard lets through keeps its strides, and the code asks whether all
/// lanes pass.
#[test]
fn a_guard_is_not_uniform() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %inside = icmp ult i64 %i, %n
         br i1 %inside, label %work, label %done
         work:
         %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
         store i32 0, ptr addrspace(1) %at
         br label %done
         done:
         ret void",
    )
    .are(&[("i", Affine(1)), ("?inside", Varying), ("*at", Affine(4))]);
}

/// "`i + n < i0 + m`, equal strides: uniform". The paper assumes that nothing wraps around. Here that must be known, and as
/// unsigned numbers it is known of ids alone; that two are equal does not depend on it.
#[test]
fn numbers_of_equal_strides_compare_alike() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %l = call i64 @_Z12get_local_idj(i32 0)
         %x = add nsw i64 %i, %n
         %y = add nsw i64 %l, %m
         %less = icmp slt i64 %x, %y
         %below = icmp ult i64 %x, %y
         %ids = icmp ult i64 %l, %i
         %wrapping = add i64 %i, %n
         %maybe = icmp slt i64 %wrapping, %y
         %equal = icmp eq i64 %wrapping, %y
         %twice = shl nsw i64 %l, 1
         %faster = icmp slt i64 %x, %twice
         br i1 %less, label %work, label %done
         work:
         br label %done
         done:
         ret void",
    )
    .are(&[
        ("?less", Uniform),
        ("below", Varying),
        ("ids", Uniform),
        ("maybe", Varying),
        ("equal", Uniform),
        ("faster", Varying),
    ]);
}

/// "Counter under divergent exit: scalar inside, generic behind". What goes around such a loop by one edge is uniform for those that are
/// still there; behind the loop it comes from different iterations, also as an operand.
#[test]
fn a_counter_is_uniform_inside_a_loop_that_items_leave_apart() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %from = getelementptr i32, ptr addrspace(1) %a, i64 %i
         %bound = load i32, ptr addrspace(1) %from
         br label %loop
         loop:
         %j = phi i32 [ 0, %entry ], [ %next, %loop ]
         %next = add nuw nsw i32 %j, 1
         %more = icmp ult i32 %next, %bound
         br i1 %more, label %loop, label %done
         done:
         %out = add i32 %j, 1
         store i32 %out, ptr addrspace(1) %from
         ret void",
    )
    .are(&[
        ("j", Uniform),
        ("next", Uniform),
        ("j@next", Uniform),
        ("?more", Varying),
        ("j@out", Varying),
        ("out", Varying),
    ]);
}

/// "Barrier in a loop makes its condition uniform", whatever it is made of: all items go on, or the program is wrong.
#[test]
fn a_barrier_makes_the_condition_of_its_loop_uniform() {
    let body = |barrier: &str| {
        format!(
            "%i = call i64 @_Z13get_global_idj(i32 0)
             %from = getelementptr i32, ptr addrspace(1) %a, i64 %i
             %bound = load i32, ptr addrspace(1) %from
             br label %loop
             loop:
             %j = phi i32 [ 0, %entry ], [ %next, %loop ]
             {barrier}
             %next = add nuw nsw i32 %j, 1
             %more = icmp ult i32 %next, %bound
             %chosen = select i1 %more, i32 %next, i32 7
             store i32 %chosen, ptr addrspace(1) %from
             br i1 %more, label %loop, label %done
             done:
             ret void"
        )
    };
    let with = Classes::of(&body("call void @_Z7barrierj(i32 1)"));
    with.are(&[("bound", Varying), ("more", Uniform), ("chosen", Uniform)]);
    Classes::of(&body("")).are(&[("more", Varying), ("chosen", Varying)]);
}

/// "Argument pointers aligned to 128: checked at launch" we do not do: a pointer argument is aligned as its type is, and what has no
/// alignment is loaded as such, which costs nothing where a line is not crossed. Inside a group "alignment of `base + 16*i*4`" is known as
/// far as the base's is: `analysis::alignments` has it, `tests/single/alignment.ll` shows it.
#[test]
fn unit_strides_need_no_alignment() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %sixteen = shl i64 %i, 4
         %from = getelementptr i32, ptr addrspace(1) %a, i64 %sixteen
         %value = load i32, ptr addrspace(1) %from, align 4
         %to = getelementptr i32, ptr addrspace(1) %b, i64 %i
         store i32 %value, ptr addrspace(1) %to, align 4
         ret void",
    )
    .are(&[("*from", Affine(64)), ("value", Varying), ("*to", Affine(4))]);
}

/// Section 4.2: sums and differences, products and shifts by constants. By a uniform number the paper has A(top), a stride that is not
/// known but common; here only known strides exist, and the rest is varying.
#[test]
fn strides_follow_arithmetic() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %u = mul i64 %n, %m
         %sum = add i64 %i, %i
         %moved = add i64 %i, %u
         %same = sub i64 %i, %i
         %mirrored = sub i64 %n, %i
         %times = mul i64 %i, 12
         %shifted = shl i64 %i, 3
         %down = lshr i64 %u, 2
         %turned = xor i64 %i, -1
         %joined = or disjoint i64 %shifted, 5
         %scaled = mul i64 %i, %n
         %raised = shl i64 %i, %n
         %squared = mul i64 %i, %i
         ret void",
    )
    .are(&[
        ("u", Uniform),
        ("sum", Affine(2)),
        ("moved", Affine(1)),
        ("same", Uniform),
        ("mirrored", Affine(-1)),
        ("times", Affine(12)),
        ("shifted", Affine(8)),
        ("down", Uniform),
        ("turned", Affine(-1)),
        ("joined", Affine(8)),
        ("scaled", Varying),
        ("raised", Varying),
        ("squared", Varying),
    ]);
}

/// Section 4.2: shifts down and masks. The paper knows them from alignments; here they are varying, but for the low half of a word, and
/// for what an address is made of, where a stride is guessed and the code asks.
#[test]
fn bits_that_are_cut_off_are_mostly_not_followed() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %sixteen = shl i64 %i, 4
         %four = lshr i64 %sixteen, 2
         %group = and i64 %i, -16
         %merged = or i64 %i, %n
         %half = and i64 %i, 4294967295
         %low = and i64 %i, 1023
         %at = getelementptr i32, ptr addrspace(1) %a, i64 %low
         %rest = urem i64 %i, %n
         %there = getelementptr i32, ptr addrspace(1) %a, i64 %rest
         %quotient = udiv i64 %i, 16
         %ratio = udiv i64 %n, %m
         ret void",
    )
    .are(&[
        ("four", Varying),
        ("group", Varying),
        ("merged", Varying),
        ("half", Affine(1)),
        ("low", Guessed(1)),
        ("at", Guessed(4)),
        ("rest", Guessed(1)),
        ("there", Guessed(4)),
        ("quotient", Varying),
        ("ratio", Uniform),
    ]);
}

/// Section 4.2: what is divided or shifted down has no tag in the paper. Here an address that is made of it has a stride by a guess, and the
/// number itself one of 0; so has one of which two guesses take the stride away.
#[test]
fn rows_of_any_length_are_guessed_to_hold_a_vector() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %row = udiv i64 %i, %n
         %column = urem i64 %i, %n
         %begin = mul i64 %row, %m
         %place = add i64 %begin, %column
         %at = getelementptr i32, ptr addrspace(1) %a, i64 %place
         %above = sub i64 %i, %column
         %double = shl i64 %above, 1
         %first = getelementptr i32, ptr addrspace(1) %a, i64 %double
         %shifted = lshr i64 %i, %m
         %near = lshr i64 %i, 3
         %both = add i64 %shifted, %near
         %one = getelementptr i32, ptr addrspace(1) %a, i64 %both
         ret void",
    )
    .are(&[
        ("row", Guessed(0)),
        ("column", Guessed(1)),
        ("begin", Guessed(0)),
        ("place", Guessed(1)),
        ("at", Guessed(4)),
        ("above", Guessed(0)),
        ("double", Guessed(0)),
        ("first", Guessed(0)),
        ("shifted", Guessed(0)),
        ("near", Varying),
        ("both", Varying),
        ("one", Varying),
    ]);
}

/// Section 4.2: choices. By a uniform condition it is the join, A(1) and A(1); by another one a stride is guessed where an address is made of
/// it, and so it is for minima.
#[test]
fn choices_join_by_uniform_conditions() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %below = icmp ult i64 %n, %m
         %moved = add i64 %i, %n
         %either = select i1 %below, i64 %i, i64 %moved
         %apart = select i1 %below, i64 %i, i64 %n
         %inside = icmp ult i64 %i, %n
         %one = select i1 %inside, i64 %n, i64 %m
         %both = select i1 %inside, i64 %n, i64 %n
         %short = trunc i64 %i to i32
         %least = call i32 @llvm.smin.i32(i32 %short, i32 %s)
         %wide = sext i32 %least to i64
         %at = getelementptr i32, ptr addrspace(1) %a, i64 %wide
         ret void",
    )
    .are(&[
        ("either", Affine(1)),
        ("apart", Varying),
        ("one", Varying),
        ("both", Uniform),
        ("least", Guessed(1)),
        ("at", Guessed(4)),
    ]);
}

/// Section 4.2: conversions keep the tag. The paper assumes that nothing overflows; here what may is guessed, and asked about. Floating point
/// carries no strides in either.
#[test]
fn conversions_keep_strides_that_do_not_wrap_around() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %short = trunc i64 %i to i32
         %certain = add nsw i32 %short, %s
         %wide = sext i32 %certain to i64
         %wraps = add i32 %short, %s
         %maybe = sext i32 %wraps to i64
         %unsigned = zext i32 %wraps to i64
         %real = sitofp i64 %i to float
         %shared = sitofp i64 %n to float
         %product = fmul float %shared, %f
         ret void",
    )
    .are(&[
        ("short", Affine(1)),
        ("certain", Affine(1)),
        ("wide", Affine(1)),
        ("wraps", Affine(1)),
        ("maybe", Guessed(1)),
        ("unsigned", Guessed(1)),
        ("real", Varying),
        ("product", Uniform),
    ]);
}

/// Section 4.2: a load from a uniform address is uniform. The paper asks that nobody writes there; here nobody may while others read, but
/// what is volatile or atomic may change.
#[test]
fn loads_from_one_address_are_uniform() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %y = call i64 @_Z13get_global_idj(i32 1)
         %group = call i64 @_Z12get_group_idj(i32 0)
         %row = getelementptr i32, ptr addrspace(1) %a, i64 %y
         %one = load i32, ptr addrspace(1) %row
         %again = load volatile i32, ptr addrspace(1) %row
         %sum = atomicrmw add ptr addrspace(1) %b, i32 %one monotonic
         %own = getelementptr i32, ptr addrspace(1) %row, i64 %i
         %mine = load i32, ptr addrspace(1) %own
         ret void",
    )
    .are(&[
        ("y", Uniform),
        ("group", Uniform),
        ("*row", Uniform),
        ("one", Uniform),
        ("again", Varying),
        ("*b", Uniform),
        ("one@sum", Uniform),
        ("sum", Varying),
        ("*own", Affine(4)),
        ("mine", Varying),
    ]);
}

/// Section 4.3: a write under divergence is partial. In SSA form that is a phi where items meet again; what is used inside stays uniform.
#[test]
fn uniform_values_that_meet_again_are_not_uniform() {
    Classes::of(
        "%i = call i64 @_Z13get_global_idj(i32 0)
         %inside = icmp ult i64 %i, %n
         br i1 %inside, label %work, label %done
         work:
         %twice = shl i64 %n, 1
         %thrice = add i64 %twice, %n
         br label %done
         done:
         %met = phi i64 [ %thrice, %work ], [ %m, %entry ]
         %equal = phi i64 [ %n, %work ], [ %n, %entry ]
         %order = icmp ult i64 %n, %m
         br i1 %order, label %left, label %end
         left:
         br label %end
         end:
         %alike = phi i64 [ %n, %left ], [ %m, %done ]
         ret void",
    )
    .are(&[
        ("thrice", Uniform),
        ("twice@thrice", Uniform),
        ("met", Varying),
        ("equal", Uniform),
        ("?order", Uniform),
        ("alike", Uniform),
    ]);
}
