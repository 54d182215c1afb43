//! From a source to a shared object: the passes in their order, and nothing else.
//!
//! 1. [`clang`]: OpenCL C to bitcode of a virtual processor, `program.bc`.
//! 2. [`names`]: what the program defines is told from all else; [`library`]: builtin functions that it uses.
//!    [`halves`]: doubles become halves by one of them.
//! 3. [`import`]: all that becomes code for this processor.
//! 4. [`host_memory`]: what is believed of addresses; [`division`]: no division stops the program.
//! 5. [`prepare`]: everything is inlined into the kernels and simplified.
//! 6. [`vector_math`]: calls of the C library are told their vector forms; [`promote`]: sums in memory become sums in
//!    registers; [`reductions`]: or sums of one thread.
//! 7. [`crate::make`]: a kernel becomes a function that runs work-groups, by way of [`crate::kernel`], [`crate::together`],
//!    [`crate::schedule`] and [`crate::group`].
//! 8. [`crate::generate`], by [`emit`]: LLVM's optimizations; [`atomics`]: what one thread does needs no lock; [`late`]:
//!    what is inlined after them, also for divisions by [`reciprocals`]; [`signs`]: masks; [`low_halves`], [`unlikely`]; machine code, `program.so`; [`describe`]: `program.json`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::code::remarks::ItemLoop;
use crate::code::{atomics, denormals, emit, late, low_halves, reciprocals, sealed, unlikely};
use crate::front::clang::{self, Compiled, Source};
use crate::front::reads::Compilation;
use crate::front::{
    division, halves, host_memory, import, library, names, pairs, prepare, printf, spirv, units,
    vector_math,
};
use crate::group::workgroup::WorkGroup;
use crate::group::{ids, launch, reference};
use crate::kernel::{promote, reductions, sub_groups, versions, waiting};
use crate::llvm::{Context, Function, Machine, Module};
use crate::make::{Asked, Buffers, Work};
use crate::program::failure::{Failure, cannot, unreadable};
use crate::program::options::{Optimize, Options};
use crate::program::patience;
use crate::program::patience::Effort;
use crate::report::describe::{self, Less, Program};
use crate::schedule::wish;
use crate::vector::facts::support::Suits;
use crate::vector::flow::signs;

/// Names of what a translation leaves in its folder.
pub const BITCODE: &str = "program.bc";
pub const SHARED_OBJECT: &str = "program.so";
pub const DESCRIPTION: &str = "program.json";
pub const READS: &str = "reads";

/// Compiles `source` to bitcode in `folder`: OpenCL C, or SPIR-V if there is a `reader` of it. Gives what the compiler said.
pub fn compile(
    source: &Path,
    reader: Option<&Path>,
    headers: &[(String, PathBuf)],
    options: &Options,
    folder: &Path,
) -> Result<(Vec<u8>, String), Failure> {
    if let Some(said) = patience::remembered(folder) {
        return Ok((read(&folder.join(BITCODE))?, said));
    }
    let scratch = folder.join("front");
    fs::create_dir_all(&scratch).map_err(|error| cannot("create", &scratch, &error))?;
    let compiled = match reader {
        Some(reader) => spirv::compile(reader, source, &scratch),
        None => clang::compile(&Source { path: source, headers }, options, &scratch),
    };
    let reads = compiled.as_ref().map_or_else(
        |_| Vec::new(),
        |Compiled { dependencies, .. }| {
            let options = &options.compiler;
            // SPIR-V includes nothing.
            let compilation = Compilation { dependencies, options, own_folder: folder };
            if reader.is_some() { Vec::new() } else { compilation.reads() }
        },
    );
    // What was read may have been in it.
    let _ = fs::remove_dir_all(&scratch);
    let compiled = compiled?;
    let bitcode = compiled.bitcode.ok_or(Failure::Program(compiled.log.clone()))?;
    write(&folder.join(BITCODE), &sealed::seal(&bitcode))?;
    write(&folder.join(READS), &reads)?;
    patience::remember(folder, &compiled.log);
    Ok((bitcode, compiled.log))
}

/// Puts separately compiled bitcode together, as `program.bc` in `folder`.
pub fn link(inputs: &[PathBuf], folder: &Path) -> Result<Vec<u8>, Failure> {
    let context = Context::new();
    let diagnostics = context.collect_diagnostics();
    let mut whole = Module::new(context, "program");
    for (number, path) in inputs.iter().enumerate() {
        let part = import::read(context, &read(path)?)?;
        if number == 0 {
            whole = part;
        } else if !whole.link(part) {
            let said: Vec<String> = diagnostics
                .borrow()
                .iter()
                .map(|diagnostic| format!("error: {}\n", diagnostic.text))
                .collect();
            return Err(Failure::Program(said.concat()));
        }
    }
    let bitcode = whole.to_bitcode();
    write(&folder.join(BITCODE), &sealed::seal(&bitcode))?;
    Ok(bitcode)
}

/// The bitcode in a file that an earlier run left.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bitcode = sealed::open(&bytes).map(<[u8]>::to_vec);
    bitcode.ok_or_else(|| {
        Failure::Program(format!(
            "error: {name}: not what vicinity-translate has written, or damaged\n"
        ))
    })
}

/// The passes from import to LLVM's optimizations, for the kernels called `names`. Gives also the loops over items of each kernel.
pub fn translate(
    module: &mut Module,
    machine: &Machine,
    options: &Options,
    names: &[String],
    most: Effort,
) -> Result<(Program, Vec<Vec<ItemLoop>>), Failure> {
    let wishes = wish::take_annotated(module);
    import::select(module, machine, names)?;
    names::set_apart(module);
    let own: Vec<String> = names.iter().map(|name| names::own(name)).collect();
    denormals::forget(module, &own);
    let variables_bytes = import::variables_bytes(module, machine);
    pairs::share(module, machine)?;
    halves::round_once(module);
    library::link_builtins(module, machine, &own)?;
    printf::rename(module);
    import::retarget(module, machine);
    late::answer(module, machine);
    host_memory::believe_little(module);
    division::secure(module);
    module.check_all("division");
    let sizes = |kernel: Function| match options.reference {
        true => launch::Sizes::default(),
        false => {
            let required = describe::required_size(module.context(), kernel);
            launch::Sizes::of(kernel, required, options, false)
        }
    };
    prepare::prepare(module, machine, &own, &sizes, options.units(), most.min(patience::effort()))?;
    vector_math::annotate(module, machine);
    module.check_all("vector_math");
    let mut program = Program::new(machine);
    program.program_variables_bytes = variables_bytes;
    let (mut loops, mut apart) = (Vec::new(), Vec::new());
    let plainly = options.reference || most.min(patience::effort()) < Effort::Full;
    let begun: Result<Vec<Begun>, Failure> =
        own.iter().map(|name| begin(module, machine, name, plainly)).collect();
    for (name, begun) in names.iter().zip(begun?) {
        let Begun { kernel, mut description, others } = begun;
        let sizes = declared_sizes(kernel, &mut description, options, variables_bytes > 0);
        let asked = asked(wishes.get(name).copied().unwrap_or_default(), options);
        let effort = most.min(patience::effort());
        description.less_optimized = (effort < Effort::Full).then_some(Less::Time);
        let first_loop = loops.iter().map(Vec::len).sum();
        let (suits, buffers) = (Suits::No, Buffers::Any);
        let work =
            Work { module, machine, kernel, sizes, asked, effort, first_loop, suits, buffers };
        let may_be_zero = denormals::may_be_zero(kernel);
        let made = match options.reference {
            true => as_written(work, &mut description)?,
            false => groups(work, &mut description, others)?,
        };
        if may_be_zero && machine.has("sse") {
            denormals::flush(module, &made.symbol);
        }
        if !made.keeps_vectors {
            apart.push(made.symbol.clone());
        }
        describe::complete(&mut description, &made);
        description.specialize(options);
        program.kernels.push(description);
        loops.push(made.loops);
    }
    complete(module, machine, options, most, &mut program, &apart)?;
    Ok((program, loops))
}

/// What is asked of a kernel, by its source and for all.
fn asked(wish: wish::Annotated, options: &Options) -> Asked {
    let order = wish.order.unwrap_or(options.order);
    let vectors = wish.vectors.unwrap_or(options.vectors);
    let Options { keeps_local, observe, .. } = *options;
    Asked { order, vectors, keeps_local, observe }
}

/// What is known of the sizes of a kernel's groups. `keeps`: the program keeps variables.
fn declared_sizes(
    kernel: Function,
    description: &mut describe::Kernel,
    options: &Options,
    keeps: bool,
) -> launch::Sizes {
    let declared = launch::Sizes::of(kernel, description.required_size, options, keeps);
    description.uniform_groups = declared.uniform;
    declared.of_groupless(description.groupless)
}

/// What is done with all work-group functions together; `apart`: those that keep no vectors.
fn complete(
    module: &mut Module,
    machine: &Machine,
    options: &Options,
    most: Effort,
    program: &mut Program,
    apart: &[String],
) -> Result<(), Failure> {
    if options.reference {
        reference::link_runner(module, machine, program)?;
    }
    module.verify().map_err(|text| Failure::Internal(format!("work-groups: {text}")))?;
    let optimize = if options.reference { Optimize::No } else { options.optimize };
    let effort = most.min(patience::effort());
    if effort < Effort::Full {
        program.kernels.iter_mut().for_each(|kernel| kernel.less_optimized = Some(Less::Time));
    }
    emit::optimize(module, machine, optimize, effort, apart)?;
    finish(module, machine)
}

/// A kernel before its items are put together.
struct Begun {
    kernel: Function,
    description: describe::Kernel,
    others: Others,
}

/// Versions of a kernel beside the one for most launches, which is the kernel itself.
#[derive(Default)]
struct Others {
    /// For buffers that overlap, if that is another one.
    overlapping: Option<Function>,
    /// For launches that give no copies of what is reduced, if anything is.
    atomic: Option<Function>,
}

fn begin(module: &Module, machine: &Machine, name: &str, plainly: bool) -> Result<Begun, Failure> {
    let kernel = module.function(name).expect("a kernel stays until it is translated");
    let mut description = describe::kernel(module.context(), kernel);
    description.prints = printf::lower(module, machine, kernel);
    module.check(kernel, "printf");
    description.strides = units::find(module.context(), machine, kernel)?;
    description.groupless = !description.prints && !ids::sees_groups(kernel);
    description.waits_for_groups = waiting::waits_for_groups(kernel);
    let mut others = Others::default();
    if !plainly && !sub_groups::has(kernel) {
        others.overlapping = promote::promote(module, machine, kernel, &description)?;
        others.atomic = reduce(module, kernel, &mut description);
    }
    Ok(Begun { kernel, description, others })
}

/// Lets `kernel` be for launches that give copies of what it reduces; gives the version for others.
fn reduce(
    module: &Module,
    kernel: Function,
    description: &mut describe::Kernel,
) -> Option<Function> {
    description.reductions = match promote::may_have_two(kernel, description) {
        true => reductions::find(kernel, &description.arguments),
        false => Vec::new(),
    };
    let atomic = (!description.reductions.is_empty())
        .then(|| versions::copy(module.context(), kernel, "atomic"))?;
    reductions::privatize(module.context(), kernel, &description.reductions);
    module.check(kernel, "reductions");
    Some(atomic)
}

/// What runs a kernel without any transformation.
fn as_written(work: Work, description: &mut describe::Kernel) -> Result<WorkGroup, Failure> {
    if work.effort == Effort::Full {
        describe::explain_all(description, &work.plan());
    }
    reference::build(work.module, work.machine, work.kernel)
}

/// The work-group function of a kernel, of all its versions.
fn groups(
    work: Work,
    description: &mut describe::Kernel,
    others: Others,
) -> Result<WorkGroup, Failure> {
    let Others { overlapping, atomic } = others;
    let Some(kernel) = atomic else { return by_buffers(work, description, overlapping) };
    let other = Work { kernel, ..work };
    let other = by_buffers(other, &mut description.clone(), overlapping)?;
    description.disjoint = true;
    let mut made = Work { buffers: Buffers::Disjoint, ..work }.group(description)?;
    reductions::join(work.module, work.machine, &made.symbol, &other.symbol);
    made.unite_with(&other);
    Ok(made)
}

/// The same, of the versions for buffers that overlap and that do not.
fn by_buffers(
    work: Work,
    description: &mut describe::Kernel,
    overlapping: Option<Function>,
) -> Result<WorkGroup, Failure> {
    let Some(kernel) = overlapping else { return work.group(description) };
    description.disjoint = true;
    let mut made = Work { buffers: Buffers::Disjoint, ..work }.group(description)?;
    let other = Work { kernel, buffers: Buffers::Overlapping, ..work };
    let other = other.group(&mut description.clone())?;
    promote::join(work.module, work.machine, &made.symbol, &other.symbol);
    made.unite_with(&other);
    Ok(made)
}

/// What LLVM's optimizations would undo.
fn finish(module: &mut Module, machine: &Machine) -> Result<(), Failure> {
    atomics::make_plain(module);
    module.check_all("atomics");
    reciprocals::take(module);
    module.check_all("reciprocals");
    late::inline(module, machine)?;
    signs::widen(module, machine);
    module.check_all("signs");
    low_halves::pick(module);
    module.check_all("low_halves");
    unlikely::sink(module);
    module.check_all("unlikely");
    Ok(())
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| cannot("write", path, &error))
}
