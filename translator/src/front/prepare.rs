//! Everything into the kernels: calls are inlined, local variables get names in registers.
//!
//! After this pass a kernel is one function; what it still calls are LLVM's intrinsics, functions of the
//! C mathematics library, [`crate::group::ids`] and barriers, and of large kernels what [`crate::front::calls`] lets stay. Functions
//! that nobody defines end here.

use crate::code::late;
use crate::front::calls::Calls;
use crate::front::printf::PRINTF;
use crate::front::units::Place;
use crate::front::{
    bounds, coordinates, even_loops, handed, library, members, names, negations, retried, rolled,
    units, vector_math, volatiles, whole_ids, whole_words, wide_sums, written_out,
};
use crate::group::ids;
use crate::group::launch::Sizes;
use crate::kernel::sub_groups;
use crate::llvm::{Function, Machine, Module, run_passes};
use crate::program::failure::Failure;
use crate::program::patience::Effort;
use crate::vector::flow::covered;

/// LLVM's passes before all else: calls are inlined, and variables get registers. What a program expects is told to branches:
/// no analysis knows it.
const INLINE: &str = "always-inline,globaldce,function(lower-expect,sroa,early-cse,simplifycfg)";

/// Folds what is computed of the sizes of groups.
const FOLD: &str = "function(instsimplify)";

/// LLVM's passes before the analyses: registers in place of variables, and no code that cannot run. Short loops of known
/// length are written out, so that arrays which items index by their counters become registers too: those of up to 16
/// iterations, whose test runs once more; some indices are numbers only after `instcombine`. Before sums become bit operations, loops that run
/// at most once become tests, such as copies of tiles by more items than there are elements.
const SIMPLIFY: &str = "function(\
    loop-unroll<O3;full-unroll-max=2;no-partial;no-peeling;no-runtime;upperbound>,\
    instcombine<no-verify-fixpoint>,simplifycfg,\
    loop-unroll<O3;full-unroll-max=17;no-partial;no-peeling;no-runtime;no-upperbound>,\
    sroa,early-cse,instcombine<no-verify-fixpoint>,sroa,simplifycfg,mergereturn)";

/// The same with less effort: the time that writing out loops takes grows with the square of their number.
const SIMPLIFY_LESS: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg,mergereturn)";

/// Where a block ends that has variables of its own, clang goes by a number that says how: by `break`, or to its end. Ways that
/// are known go on at once: else what a loop counts comes together with what it is left with, and differs between items.
const GO_ON: &str = "function(jump-threading,simplifycfg,mergereturn)";

/// Inlines and simplifies; `sizes`: what is known of a kernel's groups; `units`: where arguments lie that are known to be 1.
pub fn prepare(
    module: &Module,
    machine: &Machine,
    kernels: &[String],
    sizes: &dyn Fn(Function) -> Sizes,
    units: &[Place],
    effort: Effort,
) -> Result<(), Failure> {
    sub_groups::answer(module, machine, kernels)?;
    let calls = Calls::of(module, kernels)?;
    calls.largest()?;
    let context = module.context();
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        if !kernels.contains(&function.name()) {
            function.set_internal();
        }
        if !calls.stays(function) {
            function.add_attribute(context, "alwaysinline");
        } else if function.is_cold() {
            // It is called lane by lane: the code would be there for each of them.
            function.add_attribute(context, "noinline");
        }
    }
    ids::tell_bounds(module);
    volatiles::make_plain(module);
    let run = |passes: &str| run_passes(module, machine, passes).map_err(Failure::Internal);
    run(INLINE)?;
    let kernel = |name: &String| module.function(name).expect("kernels are not removed");
    let kernels: Vec<Function> = kernels.iter().map(kernel).collect();
    handed::hand(module, &kernels)?;
    for &kernel in &kernels {
        units::apply(context, machine, kernel, units)?;
        let sizes = sizes(kernel);
        whole_ids::apply(module, kernel, sizes.enqueued, sizes.uniform);
    }
    match effort {
        Effort::Full => simplify(module, machine, &kernels, sizes, &run)?,
        _ => run(SIMPLIFY_LESS)?,
    }
    for kernel in kernels {
        ids::spell_out_dimensions(context, kernel);
        coordinates::take_apart(context, kernel);
    }
    refuse_unknown(module)
}

/// Simplifies kernels with full effort: `run` runs LLVM's passes.
fn simplify(
    module: &Module,
    machine: &Machine,
    kernels: &[Function],
    sizes: &dyn Fn(Function) -> Sizes,
    run: &dyn Fn(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let context = module.context();
    let functions = module.functions().into_iter().filter(|function| function.has_body());
    if functions.filter(|&function| members::apply(context, machine, function)).count() > 0 {
        run(members::PASSES)?;
    }
    kernels.iter().for_each(|&kernel| wide_sums::apply(context, kernel));
    let with_signs = kernels.iter().filter(|&&kernel| negations::take_out(context, kernel));
    if with_signs.count() > 0 {
        run(negations::PASSES)?;
    }
    let sized = |&kernel: &Function| {
        let sizes = sizes(kernel);
        Some((kernel, sizes.enqueued?, sizes.uniform))
    };
    let sized: Vec<_> = kernels.iter().filter_map(sized).collect();
    for &(kernel, size, uniform) in &sized {
        bounds::tell(context, kernel, size, uniform);
    }
    if !sized.is_empty() {
        run(FOLD)?;
    }
    for &(kernel, size, _) in &sized {
        even_loops::apply(context, kernel, size);
    }
    written_out::settle_parts(module);
    if written_out::mark(module) {
        run(written_out::PASSES)?;
    }
    rolled::mark(module);
    run(SIMPLIFY)?;
    rolled::release(module);
    for &(kernel, size, _) in &sized {
        bounds::undo_bits(context, kernel, size);
    }
    let in_words = kernels.iter().filter(|&&kernel| whole_words::apply(context, kernel));
    if in_words.count() > 0 {
        run(whole_words::PASSES)?;
    }
    let retried = kernels.iter().filter(|&&kernel| retried::apply(context, kernel));
    if retried.count() > 0 {
        run(retried::PASSES)?;
    }
    if goes_by_numbers(kernels) {
        run(GO_ON)?;
    }
    Ok(())
}

/// Whether a kernel goes by such numbers. Control flow around barriers stays as it is.
fn goes_by_numbers(kernels: &[Function]) -> bool {
    let mut all = kernels.iter().copied();
    all.clone().any(covered::has_one)
        && !all.any(|kernel| kernel.instructions().any(library::is_meeting))
}

/// Functions that may be left without a body are those of the C library, which are found when the program is loaded, and those whose calls
/// are lowered later.
pub fn may_be_left(function: Function) -> bool {
    let name = function.name();
    function.has_body()
        || function.is_intrinsic()
        || !function.0.is_used()
        || ids::Id::of(&name).is_some()
        || vector_math::is_in_libm(&name)
        || late::arguments(&name).is_some()
        || library::is_met_at(&name)
        || names::OF_C.contains(&name.as_str())
        || name == PRINTF
}

fn refuse_unknown(module: &Module) -> Result<(), Failure> {
    let mut unknown = Vec::new();
    for function in module.functions() {
        if !may_be_left(function) {
            let name = function.name();
            unknown.push(format!("error: function '{}' is not defined\n", names::in_source(&name)));
        }
    }
    for global in module.globals() {
        if global.initializer().is_none() && global.is_used() {
            unknown.push(format!(
                "error: variable '{}' is not defined\n",
                names::in_source(&global.name())
            ));
        }
    }
    if unknown.is_empty() { Ok(()) } else { Err(Failure::Program(unknown.concat())) }
}
