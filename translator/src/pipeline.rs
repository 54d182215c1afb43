//! From a source to a shared object: the passes in their order, and nothing else.
//!
//! 1. [`frontend`]: OpenCL C to bitcode of a virtual processor, `program.bc`.
//! 2. [`library`]: builtin functions that the program uses.
//! 3. [`import`]: all that becomes code for this processor.
//! 4. [`division`]: no division stops the program.
//! 5. [`prepare`]: everything is inlined into the kernels and simplified.
//! 6. [`vector_math`]: calls of the C library are told their vector forms.
//! 7. [`workgroup`]: a kernel becomes a function that runs work-groups, by way of [`crate::regions`],
//!    [`crate::crossing`] and [`crate::storage`].
//! 8. [`emit`]: LLVM's optimizations, machine code, `program.so`; [`describe`]: `program.json`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::describe::{self, Program};
use crate::failure::{Failure, cannot};
use crate::frontend::{self, Source};
use crate::llvm::{Context, Function, Machine, Module, configure};
use crate::options::{Optimize, Options};
use crate::remarks::{self, ItemLoop};
use crate::schedule::{Plan, Wish, insert_steps, lockstep, muster, plan, wish};
use crate::workgroup::Known;
use crate::{
    alignment, division, emit, import, launch, library, patience, prepare, printf, reference, vector_math,
    workgroup,
};

/// Names of what a translation leaves in its folder.
pub const BITCODE: &str = "program.bc";
pub const SHARED_OBJECT: &str = "program.so";
pub const DESCRIPTION: &str = "program.json";

/// Compiles `source` to bitcode in `folder`. Gives what the compiler said.
pub fn compile(
    source: &Path,
    headers: &[(String, PathBuf)],
    options: &Options,
    folder: &Path,
) -> Result<(Vec<u8>, String), Failure> {
    let scratch = folder.join("front");
    fs::create_dir_all(&scratch).map_err(|error| cannot("create", &scratch, &error))?;
    let compiled = frontend::compile(&Source { path: source, headers }, options, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    let compiled = compiled?;
    let bitcode = compiled.bitcode.ok_or(Failure::Program(compiled.log.clone()))?;
    write(&folder.join(BITCODE), &bitcode)?;
    Ok((bitcode, compiled.log))
}

/// Puts separately compiled bitcode together, as `program.bc` in `folder`.
pub fn link(inputs: &[PathBuf], folder: &Path) -> Result<Vec<u8>, Failure> {
    let context = Context::new();
    let diagnostics = context.collect_diagnostics();
    let mut whole = Module::new(context, "program");
    for (number, path) in inputs.iter().enumerate() {
        let bitcode = fs::read(path).map_err(|error| cannot("read", path, &error))?;
        let part = import::read(context, &bitcode)?;
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
    let path = folder.join(BITCODE);
    whole.write_bitcode(&path).map_err(Failure::Internal)?;
    fs::read(&path).map_err(|error| cannot("read", &path, &error))
}

/// Kernels below which no second thread is worth its start.
const KERNELS_A_THREAD: usize = 3;

/// Makes `program.so` and `program.json` of bitcode.
pub fn generate(bitcode: &[u8], options: &Options, folder: &Path) -> Result<Program, Failure> {
    configure(&[remarks::OPTIONS, emit::OPTIONS].concat());
    let parts = parts(bitcode, options)?;
    let limit = patience::limit();
    let object = |number: usize| folder.join(format!("program.{number}.o"));
    let mut made: Vec<Result<Program, Failure>> = Vec::new();
    let part = |number: usize| generate_part(bitcode, options, &parts[number], &object(number));
    std::thread::scope(|scope| {
        let part = &part;
        let others: Vec<_> =
            (1..parts.len()).map(|number| scope.spawn(move || part(number))).collect();
        made.push(part(0));
        made.extend(others.into_iter().map(|other| other.join().expect("panics abort")));
    });
    let mut made = made.into_iter();
    let mut program = made.next().expect("there is one part at least")?;
    for part in made {
        program.kernels.extend(part?.kernels);
    }
    drop(limit);
    let objects: Vec<PathBuf> = (0..parts.len()).map(object).collect();
    emit::link(&objects, folder)?;
    write(&folder.join(DESCRIPTION), program.to_json().as_bytes())?;
    Ok(program)
}

/// The kernels by who translates them: one thread each. Variables of the program must be in one place.
fn parts(bitcode: &[u8], options: &Options) -> Result<Vec<Vec<String>>, Failure> {
    let module = import::read(Context::new(), bitcode)?;
    let mut names = import::kernels(&module);
    if let Some(special) = &options.special {
        names.retain(|name| *name == special.kernel);
        if names.is_empty() {
            let text = format!("error: there is no kernel '{}'\n", special.kernel);
            return Err(Failure::Usage(text));
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let alone = import::has_variables(&module) || options.reference;
    let threads = if alone { 1 } else { threads.min(names.len() / KERNELS_A_THREAD).max(1) };
    let each = names.len().div_ceil(threads).max(1);
    let parts: Vec<Vec<String>> = names.chunks(each).map(<[String]>::to_vec).collect();
    Ok(if parts.is_empty() { vec![Vec::new()] } else { parts })
}

/// Machine code for some of the kernels, in a context of its own.
fn generate_part(
    bitcode: &[u8],
    options: &Options,
    names: &[String],
    object: &Path,
) -> Result<Program, Failure> {
    let machine = Machine::host(patience::is_short()).map_err(Failure::Internal)?;
    let context = Context::new();
    let diagnostics = context.collect_diagnostics();
    let mut module = import::read(context, bitcode)?;
    let (mut program, loops) = translate(&mut module, &machine, options, names)?;
    remarks::add(&mut program, &loops, &diagnostics.borrow());
    emit::object(&module, &machine, object)?;
    Ok(program)
}

/// The passes from import to LLVM's optimizations, for the kernels called `names`. Gives also the loops over items of each kernel.
pub fn translate(
    module: &mut Module,
    machine: &Machine,
    options: &Options,
    names: &[String],
) -> Result<(Program, Vec<Vec<ItemLoop>>), Failure> {
    let wishes = wish::take_annotated(module);
    import::select(module, machine, names)?;
    let variables_bytes = import::variables_bytes(module, machine);
    library::link_builtins(module, names)?;
    printf::rename(module);
    import::retarget(module, machine);
    division::secure(module);
    prepare::prepare(module, machine, names)?;
    vector_math::annotate(module, machine);
    let mut program = Program::new(machine);
    program.program_variables_bytes = variables_bytes;
    let mut loops = Vec::new();
    for name in names {
        let kernel = module.function(name).expect("a kernel stays until it is translated");
        let mut description = describe::kernel(module.context(), kernel);
        description.prints = printf::lower(module, machine, kernel);
        let sizes = launch::Sizes::of(kernel, &description, options);
        let wish = wishes.get(name).copied().unwrap_or(options.order);
        let (steps, strides_far) =
            schedule(module, machine, kernel, &mut description, sizes, wish, options)?;
        let made = if options.reference {
            reference::build(module, machine, kernel)?
        } else {
            let is_uniform = &|value| plan::is_shared(module.context(), value);
            let first_loop = loops.iter().map(Vec::len).sum();
            let known = Known { is_uniform, strides_far, steps };
            workgroup::build(module, machine, kernel, sizes, first_loop, &known)?
        };
        describe::complete(&mut description, &made, steps);
        description.uniform_groups = sizes.uniform;
        description.specialized_size = options.special.as_ref().map(|special| special.local_size);
        program.kernels.push(description);
        loops.push(made.loops);
    }
    if options.reference {
        reference::link_runner(module, machine, &program)?;
    }
    module.verify().map_err(|text| Failure::Internal(format!("work-groups: {text}")))?;
    let optimize = if options.reference { Optimize::No } else { options.optimize };
    emit::optimize(module, machine, optimize)?;
    Ok((program, loops))
}

/// Blocks above which a kernel's loops are left as they are: the analyses take time with the square of them.
const MOST_BLOCKS: usize = 4000;

/// Decides the order of the kernel's loops and inserts what carries it out. How many barriers that took, and whether
/// neighbours touch memory far apart.
fn schedule(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    description: &mut describe::Kernel,
    sizes: launch::Sizes,
    wish: Wish,
    options: &Options,
) -> Result<(usize, bool), Failure> {
    let most = if patience::is_short() { MOST_BLOCKS / 8 } else { MOST_BLOCKS };
    if kernel.blocks().len() > most {
        return Ok((0, false));
    }
    let make_plan = || Plan::new(module.context(), machine, kernel, sizes.enqueued, wish);
    let mut plan = make_plan();
    describe::explain_ranges(description, &plan);
    let mut predicated = Vec::new();
    if !options.reference {
        while let Some(id) = lockstep(module, machine, kernel, &plan)? {
            predicated.extend(describe::explain_nest(description, &plan, id));
            plan = make_plan();
        }
        if muster(module, machine, kernel, &plan)? {
            plan = make_plan();
        }
    }
    describe::explain_loops(description, &plan, predicated);
    let (steps, strides_far) = (plan.steps().len(), plan.strides_far());
    if !options.reference {
        plan.mark_shared(module.context());
        alignment::apply(&plan.view, &plan.analysis);
        insert_steps(module, &plan);
    }
    Ok((steps, strides_far))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| cannot("write", path, &error))
}
