//! From a source to a shared object: the passes in their order, and nothing else.
//!
//! 1. [`frontend`]: OpenCL C to bitcode of a virtual processor, `program.bc`.
//! 2. [`names`]: what the program defines is told from all else; [`library`]: builtin functions that it uses.
//!    [`halves`]: doubles become halves by one of them.
//! 3. [`import`]: all that becomes code for this processor.
//! 4. [`host_memory`]: what is believed of addresses; [`division`]: no division stops the program.
//! 5. [`prepare`]: everything is inlined into the kernels and simplified.
//! 6. [`vector_math`]: calls of the C library are told their vector forms; [`promote`]: sums in memory become sums in registers.
//! 7. [`crate::make`]: a kernel becomes a function that runs work-groups, by way of [`crate::turn`], [`crate::schedule`],
//!    and [`crate::workgroup`] with [`crate::regions`], [`crate::crossing`] and [`crate::storage`].
//! 8. [`emit`]: LLVM's optimizations; [`late`]: what is inlined after them; [`signs`]: masks; machine code, `program.so`; [`describe`]: `program.json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::calls::Calls;
use crate::describe::{self, Less, Program};
use crate::failure::{Failure, cannot, unreadable};
use crate::frontend::{self, Source};
use crate::llvm::{Context, Function, Machine, Module, configure};
use crate::make::Work;
use crate::options::{Optimize, Options};
use crate::patience::{Effort, LARGE_INSTRUCTIONS};
use crate::reads::Compilation;
use crate::remarks::{self, ItemLoop};
use crate::schedule::wish;
use crate::vector::signs;
use crate::vector::support::Suits;
use crate::workgroup::WorkGroup;
use crate::{
    division, emit, halves, host_memory, ids, import, late, launch, library, names, notes, pairs,
    patience, prepare, printf, promote, reference, sealed, spirv, sub_groups, vector_math,
};

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
        None => frontend::compile(&Source { path: source, headers }, options, &scratch),
    };
    let _ = fs::remove_dir_all(&scratch);
    let compiled = compiled?;
    let bitcode = compiled.bitcode.ok_or(Failure::Program(compiled.log.clone()))?;
    write(&folder.join(BITCODE), &sealed::seal(&bitcode))?;
    let dependencies = &compiled.dependencies;
    let compilation = Compilation { dependencies, options: &options.compiler, own_folder: folder };
    // SPIR-V includes nothing.
    let reads = if reader.is_some() { Vec::new() } else { compilation.reads() };
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

/// Kernels below which no second thread is worth its start.
const KERNELS_A_THREAD: usize = 3;
/// Kernels that are translated together at most: between the parts is the time to see how long it takes.
const KERNELS_A_PART: usize = 32;
/// LLVM goes down into what is nested by calling itself.
const STACK_BYTES: usize = 256 << 20;

/// Makes `program.so` and `program.json` of bitcode. Gives also what is to be said in the log.
pub fn generate(
    bitcode: &[u8],
    options: &Options,
    folder: &Path,
) -> Result<(Program, String), Failure> {
    if patience::effort() == Effort::None {
        return Err(Failure::Program(TOO_LONG.to_string()));
    }
    configure(&[remarks::OPTIONS, emit::OPTIONS].concat());
    let (parts, threads) = parts(bitcode, options)?;
    let deadline = patience::deadline(threads);
    let object = |number: usize| folder.join(format!("program.{number}.o"));
    let part = |number: usize| generate_part(bitcode, options, &parts[number], &object(number));
    let made = in_threads(threads, STACK_BYTES, parts.len(), &part);
    let mut made = made.into_iter();
    let mut program = made.next().expect("there is one part at least")?;
    for part in made {
        program.kernels.extend(part?.kernels);
    }
    drop(deadline);
    let objects: Vec<PathBuf> = (0..parts.len()).map(object).collect();
    emit::link(&objects, folder)?;
    write(&folder.join(DESCRIPTION), program.to_json().as_bytes())?;
    let said = notes::on_barriers(&program) + &note_of(&program);
    Ok((program, said))
}

/// How what the log says of less effort ends.
const LESS_OPTIMIZED: &str = "less optimized\n";

/// What the log says of kernels that were translated with less effort.
fn note_of(program: &Program) -> String {
    let size = format!("more than {LARGE_INSTRUCTIONS} instructions");
    let time = "long to translate";
    let of = |reason: Less, [one, many, what]: [&str; 3]| {
        let is = |kernel: &&describe::Kernel| kernel.less_optimized == Some(reason);
        let mut less = program.kernels.iter().filter(is).map(|kernel| &kernel.name);
        let (first, others) = (less.next()?, less.count());
        Some(match others {
            0 => format!("note: kernel '{first}' {one} {what}: it is {LESS_OPTIMIZED}"),
            _ => format!(
                "note: {} kernels, '{first}' among them, {many} {what}: they are {LESS_OPTIMIZED}",
                others + 1
            ),
        })
    };
    let notes = [of(Less::Size, ["has", "have", &size]), of(Less::Time, ["takes", "take", time])];
    notes.into_iter().flatten().collect()
}

/// What a log said before [`generate`] added to it.
pub fn without_note(log: &str) -> String {
    let is_note = |line: &&str| {
        line.starts_with("note: ") && line.ends_with(LESS_OPTIMIZED) || notes::is_on_barriers(line)
    };
    log.split_inclusive('\n').filter(|line| !is_note(line)).collect()
}

const TOO_LONG: &str = "error: the program is too large: its translation was given up after a minute of a processor's time\n";

/// `work` for each number below `count`, by so many threads; the results in order. Those of the threads that can be had do all of it,
/// and where none can, at a limit of threads or of memory, this one does.
fn in_threads<T: Send>(
    threads: usize,
    stack_bytes: usize,
    count: usize,
    work: &(impl Fn(usize) -> T + Sync),
) -> Vec<T> {
    let numbers = Mutex::new(0..count);
    let next = || numbers.lock().expect("panics abort").next();
    let run = || std::iter::from_fn(next).map(|at| (at, work(at))).collect::<Vec<(usize, T)>>();
    let mut made = std::thread::scope(|scope| {
        let start = || std::thread::Builder::new().stack_size(stack_bytes).spawn_scoped(scope, run);
        let started: Vec<_> = (0..threads).map_while(|_| start().ok()).collect();
        if started.is_empty() {
            return run();
        }
        started.into_iter().flat_map(|one| one.join().expect("panics abort")).collect()
    });
    made.sort_by_key(|&(number, _)| number);
    made.into_iter().map(|(_, done)| done).collect()
}

/// The kernels by who translates them, and by how many threads. Variables of the program must be in one place; a large
/// kernel is by itself, so that functions which stay for its sake are inlined into the others.
fn parts(bitcode: &[u8], options: &Options) -> Result<(Vec<Vec<String>>, usize), Failure> {
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
    if names.is_empty() || import::has_variables(&module) || options.reference {
        return Ok((vec![names], 1));
    }
    let calls = Calls::of(&module, &names)?;
    let is_large = |name: &String| module.function(name).is_some_and(|it| calls.is_large(it));
    let (large, others): (Vec<String>, Vec<String>) = names.into_iter().partition(is_large);
    let threads = threads.min(large.len() + others.len() / KERNELS_A_THREAD).max(1);
    let each = others.len().div_ceil(threads).clamp(1, KERNELS_A_PART);
    let parts = large.chunks(1).chain(others.chunks(each)).map(<[String]>::to_vec);
    Ok((parts.collect(), threads))
}

/// Machine code for some of the kernels, in a context of its own.
fn generate_part(
    bitcode: &[u8],
    options: &Options,
    names: &[String],
    object: &Path,
) -> Result<Program, Failure> {
    let context = Context::new();
    let diagnostics = context.collect_diagnostics();
    let mut module = import::read(context, bitcode)?;
    let instructions = Calls::of(&module, names)?.largest()?;
    let effort = patience::effort_for(instructions);
    let limit = patience::limit(effort);
    let mut machine = Machine::host(effort).map_err(Failure::Internal)?;
    let (mut program, loops) = translate(&mut module, &machine, options, names, effort)?;
    if patience::is_large(instructions) {
        program.kernels.iter_mut().for_each(|kernel| kernel.less_optimized = Some(Less::Size));
    }
    remarks::add(&mut program, &loops, &diagnostics.borrow());
    if patience::effort() < effort {
        machine = Machine::host(Effort::Less).map_err(Failure::Internal)?;
    }
    emit::object(&module, &machine, object)?;
    drop(limit);
    Ok(program)
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
    let variables_bytes = import::variables_bytes(module, machine);
    pairs::share(module, machine)?;
    halves::round_once(module);
    library::link_builtins(module, &own)?;
    printf::rename(module);
    import::retarget(module, machine);
    late::answer(module, machine);
    host_memory::believe_little(module);
    division::secure(module);
    module.check_all("division");
    prepare::prepare(module, machine, &own, most.min(patience::effort()))?;
    vector_math::annotate(module, machine);
    module.check_all("vector_math");
    let mut program = Program::new(machine);
    program.program_variables_bytes = variables_bytes;
    let (mut loops, mut apart) = (Vec::new(), Vec::new());
    let plainly = options.reference || most.min(patience::effort()) < Effort::Full;
    let begun: Result<Vec<Begun>, Failure> =
        own.iter().map(|name| begin(module, machine, name, plainly)).collect();
    for (name, Begun { kernel, mut description, overlapping }) in names.iter().zip(begun?) {
        let sizes = launch::Sizes::of(kernel, &description, options, variables_bytes > 0);
        let wish = wishes.get(name).copied().unwrap_or(options.order);
        let effort = most.min(patience::effort());
        description.less_optimized = (effort < Effort::Full).then_some(Less::Time);
        let first_loop = loops.iter().map(Vec::len).sum();
        let suits = Suits::No;
        let work = Work { module, machine, kernel, sizes, wish, effort, first_loop, suits };
        let made = if options.reference {
            if effort == Effort::Full {
                let plan = work.plan();
                describe::explain_accesses(&mut description, &plan);
                describe::explain_loops(&mut description, &plan, Vec::new(), &[]);
            }
            reference::build(module, machine, kernel)?
        } else {
            groups(work, &mut description, overlapping)?
        };
        if !made.keeps_vectors {
            apart.push(made.symbol.clone());
        }
        describe::complete(&mut description, &made);
        description.uniform_groups = sizes.uniform;
        description.specialized_size = options.only_size();
        program.kernels.push(description);
        loops.push(made.loops);
    }
    if options.reference {
        reference::link_runner(module, machine, &program)?;
    }
    module.verify().map_err(|text| Failure::Internal(format!("work-groups: {text}")))?;
    let optimize = if options.reference { Optimize::No } else { options.optimize };
    let effort = most.min(patience::effort());
    if effort < Effort::Full {
        program.kernels.iter_mut().for_each(|kernel| kernel.less_optimized = Some(Less::Time));
    }
    emit::optimize(module, machine, optimize, effort, &apart)?;
    finish(module, machine)?;
    Ok((program, loops))
}

/// A kernel before its items are put together.
struct Begun {
    kernel: Function,
    description: describe::Kernel,
    /// Its version for buffers that overlap, if that is another one.
    overlapping: Option<Function>,
}

fn begin(module: &Module, machine: &Machine, name: &str, plainly: bool) -> Result<Begun, Failure> {
    let kernel = module.function(name).expect("a kernel stays until it is translated");
    let mut description = describe::kernel(module.context(), kernel);
    description.prints = printf::lower(module, machine, kernel);
    module.check(kernel, "printf");
    description.groupless = !description.prints && !ids::sees_groups(kernel);
    let plainly = plainly || sub_groups::has(kernel);
    let overlapping =
        if plainly { None } else { promote::promote(module, machine, kernel, &description)? };
    Ok(Begun { kernel, description, overlapping })
}

/// The work-group function of a kernel, of both versions.
fn groups(
    work: Work,
    description: &mut describe::Kernel,
    overlapping: Option<Function>,
) -> Result<WorkGroup, Failure> {
    let mut made = work.group(description)?;
    if let Some(kernel) = overlapping {
        let other = Work { kernel, ..work }.group(&mut description.clone())?;
        promote::join(work.module, work.machine, &made.symbol, &other.symbol);
        made.unite_with(&other);
    }
    Ok(made)
}

/// What LLVM's optimizations would undo.
fn finish(module: &mut Module, machine: &Machine) -> Result<(), Failure> {
    late::inline(module, machine)?;
    signs::widen(module, machine);
    module.check_all("signs");
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| cannot("write", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_cannot_be_had_leave_the_work_to_the_caller() {
        const NO_MEMORY_HAS_THAT: usize = 1 << 60;
        let twice = |number: usize| 2 * number;
        assert_eq!(in_threads(2, NO_MEMORY_HAS_THAT, 3, &twice), [0, 2, 4]);
        assert_eq!(in_threads(2, STACK_BYTES, 3, &twice), [0, 2, 4]);
    }
}
