//! What each pass makes of kernels in LLVM's assembly, against texts that a person has read: those from regions to work-groups
//! one after the other (`passes/`), loops in lockstep (`lockstep/`), vectors of items (`lanes/`), and each other pass by itself (`single/`, by its name).
//! Barriers that the translator inserted are marked `; ours`.
//!
//! `GOLDEN=write cargo test --test passes` writes the texts anew; read the difference before it is kept.

mod kept;

use std::fmt::Write;
use std::fs;

use vicinity_translator::code::{atomics, late, tables};
use vicinity_translator::front::{
    coordinates, division, import, pairs, prepare, printf, vector_math,
};
use vicinity_translator::group::crossing::{self, Crossing};
use vicinity_translator::group::launch::Sizes;
use vicinity_translator::group::regions::Regions;
use vicinity_translator::group::workgroup::{self, Known};
use vicinity_translator::group::{quotients, storage};
use vicinity_translator::kernel::{
    agree, alignment, barriers, buffers, chosen, depart, numbers, promote, stay, sub_groups, turn,
};
use vicinity_translator::llvm::{
    Block, Context, Function, Machine, Module, Value, configure, run_passes,
};
use vicinity_translator::program::patience::Effort;
use vicinity_translator::report::describe;
use vicinity_translator::report::describe::ArgumentText;
use vicinity_translator::rows::Rows;
use vicinity_translator::schedule::{
    Order, Plan, Vectors, Wish, advance, insert_steps, lockstep, muster,
};
use vicinity_translator::together;
use vicinity_translator::vector::flow::{covered, signs};
use vicinity_translator::vector::values::narrow;

/// The values that the tests' analysis takes for the same in all items.
const UNIFORM: &[&str] = &["round", "next", "go", "uniform"];

/// Whether the kernel has two versions.
fn promoted(module: &Module, machine: &Machine, kernel: Function) -> String {
    let arguments = vec![ArgumentText::default(); kernel.parameters().len()];
    let described = describe::Kernel { arguments, ..describe::Kernel::default() };
    let other = promote::promote(module, machine, kernel, &described);
    format!("; two versions: {}\n", other.expect("LLVM's passes run").is_some())
}

fn is_uniform(value: Value) -> bool {
    UNIFORM.contains(&value.name().as_str())
}

/// What is known of a kernel of which nothing is known.
const PLAIN: Known = Known {
    is_uniform: &is_uniform,
    strides_far: false,
    keeps_vectors: false,
    brief: false,
    lanes: None,
    observe: false,
};

fn read(text: &str) -> (Module, Function) {
    let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
    let kernel = module.function("kernel").expect("the kernel");
    (module, kernel)
}

/// The texts of all passes. Each begins from the same kernel, since the last one ends it.
fn passes(text: &str, machine: &Machine) -> String {
    let (module, kernel) = read(text);
    let context = module.context();
    let regions = Regions::find(context, kernel);
    let mut said = format!("regions\n{}", regions_text(&regions));
    let crossing = crossing::resolve(context, kernel, &regions, &is_uniform, false);
    let arrays = storage::Arrays { items: None, row_unit: 1, in_chunks: &|_| false, lanes: 1 };
    let layout = storage::lay_out(context, machine, kernel, (&regions, &crossing), arrays);
    write!(said, "\ncrossing\n{}", crossing_text(&crossing, kernel)).expect("text");
    writeln!(said, "\nstorage: {} bytes an item", layout.context_bytes_per_item).expect("text");
    for (variable, (ty, offset)) in crossing.variables.iter().zip(&layout.variables) {
        writeln!(said, "  {}: {ty} {offset:?}", variable.slot).expect("text");
    }
    for own in &layout.allocas {
        writeln!(said, "  {}: {} bytes {:?}", own.alloca, own.bytes, own.site).expect("text");
    }

    let (module, kernel) = read(text);
    module.retarget(machine);
    workgroup::build(&module, machine, kernel, Sizes::default(), 0, &PLAIN)
        .expect("it is a kernel");
    module.verify().expect("what was built holds LLVM's rules");
    let function = module.function(&workgroup::symbol_of("kernel")).expect("the entry point");
    write!(said, "\nwork-groups\n{}\n", function.0).expect("text");
    said
}

fn name(block: Block) -> String {
    block.name()
}

fn regions_text(regions: &Regions) -> String {
    let mut text = String::new();
    for region in &regions.list {
        let blocks: Vec<String> = region.flow.blocks.iter().copied().map(name).collect();
        let end = region.end.map_or("never".to_string(), name);
        let repeats = if region.repeats { ", repeats" } else { "" };
        writeln!(text, "  {} ends at {end}{repeats}", blocks.join(" ")).expect("text");
    }
    text
}

fn crossing_text(crossing: &Crossing, kernel: Function) -> String {
    let mut text = String::new();
    for variable in &crossing.variables {
        writeln!(text, "  {}: {:?}", variable.slot, variable.storage).expect("text");
    }
    writeln!(text, "{}", kernel.0).expect("text");
    text
}

/// Items are no lanes of vector code here.
const ALONE: Vectors = Vectors::Impossible;

/// What becomes of the loops when all are wanted breadth-first.
fn in_lockstep(text: &str, machine: &Machine) -> String {
    let (module, kernel) = read(text);
    let (context, wish) = (module.context(), Wish::Always(Order::BreadthFirst));
    let plan = || Plan::new(context, machine, kernel, Sizes::default(), wish, ALONE);
    while lockstep(&module, machine, kernel, &plan()).expect("LLVM's passes run").is_some() {}
    module.verify().expect("what was built holds LLVM's rules");
    format!("{}\n", kernel.0)
}

fn machine() -> Machine {
    machine_with("")
}

fn machine_with(features: &str) -> Machine {
    configure(&[]);
    Machine::new("x86_64-unknown-linux-gnu", "x86-64-v4", features, Effort::Full)
        .expect("LLVM knows the processor")
}

/// A machine that has no registers for masks.
fn machine_without_masks() -> Machine {
    configure(&[]);
    Machine::new("x86_64-unknown-linux-gnu", "x86-64-v3", "+avx,+avx2", Effort::Full)
        .expect("LLVM knows the processor")
}

#[test]
fn passes_make_what_was_read() {
    check("passes", &passes);
}

#[test]
fn loops_in_lockstep_are_as_read() {
    check("lockstep", &in_lockstep);
}

/// What vector code for four items a time looks like, for a group of 64 items in a row, simplified to be read.
fn in_lanes(text: &str, machine: &Machine) -> String {
    let (module, kernel) = read(text);
    module.retarget(machine);
    let known = Known { lanes: Some(4), ..PLAIN };
    let sub_group = sub_groups::has(kernel).then_some(4);
    let enqueued = Some([64, 1, 1]);
    let sizes = Sizes { enqueued, uniform: true, sub_group, ..Sizes::default() };
    workgroup::build(&module, machine, kernel, sizes, 0, &known).expect("it is a kernel");
    module.verify().expect("what was built holds LLVM's rules");
    let simpler =
        "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg,adce)";
    run_passes(&module, machine, simpler).expect("LLVM's passes run");
    signs::widen(&module, machine);
    without_head(&module)
}

#[test]
fn vectors_of_items_are_as_read() {
    let machine = machine_without_masks();
    kept::check("lanes", "ll", &|path| {
        in_lanes(&fs::read_to_string(path).expect("text"), &machine)
    });
}

/// The same with registers for masks, and vectors of 512 bits.
#[test]
fn vectors_with_registers_for_masks_are_as_read() {
    let machine = machine_with("+avx,+avx512f,+avx512vl,+avx512bw,+avx512dq");
    kept::check("lanes-512", "ll", &|path| {
        in_lanes(&fs::read_to_string(path).expect("text"), &machine)
    });
}

/// Groups of sixteen items in a row.
const SIXTEEN: Sizes = Sizes {
    enqueued: Some([16, 1, 1]),
    uniform: true,
    along: 0,
    sub_group: None,
    any_ids: false,
    flat: false,
};

/// What is said of `__local` arrays, if they are asked about, and of barriers that go; `; disjoint` in a text says that arguments
/// lead to different memory.
fn spared(
    text: &str,
    arrays: bool,
    module: &Module,
    kernel: Function,
    machine: &Machine,
) -> String {
    let disjoint = text.contains("; disjoint");
    let context = module.context();
    let plan = || Plan::new(context, machine, kernel, SIXTEEN, Wish::Auto, ALONE);
    let mut said = String::new();
    if arrays {
        let (arrays, _) =
            buffers::remove(module, machine, &plan(), &[], disjoint).expect("LLVM's passes run");
        let stays = arrays.iter().map(|array| array.stays.as_deref().unwrap_or("gone"));
        said = format!("; {}\n", stays.collect::<Vec<_>>().join("; "));
    }
    let spared = barriers::remove(&plan(), &[], disjoint);
    let stay: Vec<&str> = spared.stay.iter().map(|stays| stays.why.as_str()).collect();
    let stay = if stay.is_empty() { "none stays".to_string() } else { stay.join("; ") };
    said + &format!("; removed: {}; {stay}\n", spared.removed)
}

/// How many loops get copies that do several iterations at once.
fn rows(context: Context, machine: &Machine, plan: &Plan) -> String {
    let several = Rows::find(machine, plan).apply(context);
    format!("; loops with several iterations at once: {}\n", several.len())
}

/// Passes that tell items otherwise where they are, what they compute that with, or how they change what they share.
fn elsewhere(name: &str, module: &Module, kernel: Function) {
    match name {
        "turn" => turn::apply(kernel, 1),
        "narrow" => narrow::counters(module.context(), kernel),
        "covered" => covered::switches(module.context(), kernel),
        "coordinates" => coordinates::take_apart(module.context(), kernel),
        "flat" => sub_groups::flatten(module, kernel),
        "atomics" => {
            atomics::look_first(module.context(), kernel);
            atomics::make_plain(module);
        }
        _ => sub_groups::alone(module.context(), kernel),
    }
}

/// Whether a pass that settles who takes part, and by which way, has found something to do.
fn settled(
    name: &str,
    module: &Module,
    machine: &Machine,
    kernel: Function,
    plan: &Plan,
) -> String {
    let (view, analysis) = (&plan.view, &plan.analysis);
    let (said, found) = match name {
        "depart" => ("departs", Ok(depart::apply(module, kernel, plan))),
        "chosen" => ("taken apart", chosen::apply(module, machine, view, analysis)),
        "numbers" => {
            ("taken apart", Ok(numbers::apply(module.context(), machine, kernel, &is_uniform)))
        }
        _ => ("agrees", agree::apply(module, machine, kernel, view, analysis)),
    };
    format!("; {said}: {}\n", found.expect("LLVM's passes run"))
}

fn prepared(module: &Module, machine: &Machine) {
    let kernels = ["kernel".to_string()];
    prepare::prepare(module, machine, &kernels, &|_| Sizes::default(), &[], Effort::Full)
        .expect("all functions are known");
}

/// What the pass called `name` makes of `text`.
fn single(name: &str, text: &str, machine: &Machine) -> String {
    let (mut module, kernel) = read(text);
    let context = module.context();
    let plan = |wish| Plan::new(context, machine, kernel, Sizes::default(), wish, ALONE);
    let breadth_first = || plan(Wish::Always(Order::BreadthFirst));
    let mut said = String::new();
    match name {
        "import" => import::retarget(&module, machine),
        "division" => division::secure(&module),
        "prepare" => prepared(&module, machine),
        "printf" => {
            printf::rename(&module);
            said = format!("; prints: {}\n", printf::lower(&module, machine, kernel));
        }
        "vector_math" => vector_math::annotate(&module, machine),
        "pairs" => pairs::share(&module, machine).expect("LLVM's passes run"),
        "promote" => said = promoted(&module, machine, kernel),
        "signs" => signs::widen(&module, &machine_without_masks()),
        "late" => {
            late::answer(&module, machine);
            late::inline(&mut module, machine).expect("the library has what is called");
        }
        "depart" | "agree" | "reunite" | "chosen" | "numbers" => {
            said = settled(name, &module, machine, kernel, &plan(Wish::Auto));
        }
        "barriers" | "buffers" => said = spared(text, name == "buffers", &module, kernel, machine),
        "together" => {
            let made = together::apply(&module, &plan(Wish::Auto));
            said = format!("; loops that are gone through together: {}\n", made.copies.len());
        }
        "rows" => said = rows(context, machine, &plan(Wish::Auto)),
        "turn" | "covered" | "narrow" | "flat" | "alone" | "coordinates" | "atomics" => {
            elsewhere(name, &module, kernel)
        }
        "muster" => _ = muster(&module, machine, kernel, &breadth_first()).expect("passes run"),
        "tables" => tables::make(&module),
        "advance" => {
            let changed = advance(context, &breadth_first());
            said = format!("; changed: {changed}\n");
        }
        "insert" => insert_steps(&module, &breadth_first()),
        "alignment" => {
            let plan = plan(Wish::Auto);
            alignment::apply(&plan.view, &plan.analysis);
        }
        "stay" => {
            let plan = plan(Wish::Auto);
            stay::apply(context, &plan.view, &plan.analysis);
        }
        "quotients" => {
            let regions = Regions::find(context, kernel);
            quotients::by_floating_point(context, machine, &regions.list[0], &is_uniform);
        }
        "apart" => {
            let plan = plan(Wish::Auto);
            let orders: Vec<Order> = plan.decisions.iter().map(|made| made.order).collect();
            return format!("apart: {:?}; loops: {orders:?}\n", plan.apart);
        }
        "groups" | "observe" => {
            let observe = name == "observe";
            let known = Known { observe, lanes: observe.then_some(4), ..PLAIN };
            workgroup::build(&module, machine, kernel, Sizes::default(), 0, &known)
                .expect("it is a kernel");
        }
        other => panic!("no pass is called {other}"),
    }
    module.verify().expect("what was built holds LLVM's rules");
    said + &without_head(&module)
}

/// A module without what it says of itself and of the processor.
fn without_head(module: &Module) -> String {
    let text = module.to_string();
    let head = ["; ModuleID", "source_filename", "target "];
    let lines = text.lines().filter(|line| !head.iter().any(|begin| line.starts_with(begin)));
    let text: Vec<&str> = lines.collect();
    format!("{}\n", text.join("\n").trim())
}

#[test]
fn single_passes_make_what_was_read() {
    let machine = machine_with("+avx,+avx512f,+avx512vl");
    kept::check("single", "ll", &|path| {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        // What stands behind a hyphen tells several texts of a pass apart.
        let (name, _) = name.split_once('-').unwrap_or((&name, ""));
        single(name, &fs::read_to_string(path).expect("text"), &machine)
    });
}

/// Loops over items are unrolled where they cannot become vectors, and only there: unrolled before, they would be none.
#[test]
fn only_loops_over_items_in_order_may_be_unrolled() {
    // How many of the two loops say that they are not to be unrolled.
    let forbidden = |body: &str| {
        let machine = machine();
        let text = format!("define void @kernel(ptr addrspace(3) %bins) {{\n{body}\nret void\n}}");
        let (module, kernel) = read(&text);
        module.retarget(&machine);
        workgroup::build(&module, &machine, kernel, Sizes::default(), 0, &PLAIN)
            .expect("it is a kernel");
        let module = module.to_string();
        let node = module.lines().find(|line| line.contains("llvm.loop.unroll.disable"));
        let name = node.and_then(|line| line.split(' ').next()).expect("the outer loops");
        module.lines().filter(|line| line.contains("distinct") && line.contains(name)).count()
    };
    let counts = |kind: &str| {
        forbidden(&format!(
            "%old = load {kind} i32, ptr addrspace(3) %bins
             %new = add i32 %old, 1
             store {kind} i32 %new, ptr addrspace(3) %bins"
        ))
    };
    assert_eq!([counts(""), counts("volatile")], [2, 1]);
    assert_eq!(forbidden("%old = atomicrmw add ptr addrspace(3) %bins, i32 1 monotonic"), 1);
    let swap = "%old = cmpxchg ptr addrspace(3) %bins, i32 0, i32 1 monotonic monotonic";
    assert_eq!([forbidden(swap), forbidden("fence acquire")], [1, 1]);
}

/// Rows that no item sees are in one plane: LLVM has a loop less to look at.
#[test]
fn there_is_a_loop_over_planes_where_items_see_their_row() {
    let loops = |call: &str| {
        let machine = machine();
        let text = format!(
            "define void @kernel(ptr addrspace(1) %out) {{
               %item = call i64 {call}
               store i64 %item, ptr addrspace(1) %out
               ret void
             }}
             declare i64 @_Z12get_local_idj(i32)
             declare i64 @_Z13get_global_idj(i32)
             declare i64 @_Z14get_local_sizej(i32)
             declare i64 @_Z19get_local_linear_idv()
             declare i64 @_Z20get_global_linear_idv()"
        );
        let (module, kernel) = read(&text);
        module.retarget(&machine);
        workgroup::build(&module, &machine, kernel, Sizes::default(), 0, &PLAIN)
            .expect("it is a kernel");
        let text = module.to_string();
        ["%x = phi", "%y = phi", "%z = phi"].iter().filter(|at| text.contains(**at)).count()
    };
    for unseen in [
        "@_Z13get_global_idj(i32 0)",
        "@_Z12get_local_idj(i32 3)",
        "@_Z14get_local_sizej(i32 2)",
        "@_Z19get_local_linear_idv()",
    ] {
        assert_eq!(loops(unseen), 2, "{unseen}");
    }
    for seen in
        ["@_Z13get_global_idj(i32 1)", "@_Z12get_local_idj(i32 2)", "@_Z20get_global_linear_idv()"]
    {
        assert_eq!(loops(seen), 3, "{seen}");
    }
}

/// Compares what `make` says of each kernel in a folder with the text kept beside it.
fn check(folder: &str, make: &dyn Fn(&str, &Machine) -> String) {
    let machine = machine();
    kept::check(folder, "ll", &|path| make(&fs::read_to_string(path).expect("text"), &machine));
}
