//! From the bitcode of a program to its shared object: [`crate::pipeline`] for some kernels at a time, by several threads.
//!
//! Terms: a *part* is kernels that are translated together, in an LLVM context of their own. Of a program that was declared
//! ([`crate::front::declare`]) each part becomes a shared object as soon as its code is there, and whoever listens is told ([`progress`]). In the end
//! there is one shared object of all parts, in any case.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::code::{emit, remarks};
use crate::front::calls::Calls;
use crate::front::declare::declare;
use crate::front::import;
use crate::llvm::{Context, Machine, configure};
use crate::pipeline::{DESCRIPTION, SHARED_OBJECT, translate, write};
use crate::program::failure::{Failure, cannot};
use crate::program::options::Options;
use crate::program::patience::{self, Effort};
use crate::program::progress::{self, Listener};
use crate::report::describe::{Less, Program};
use crate::report::notes;

/// Kernels below which no second thread is worth its start.
const KERNELS_A_THREAD: usize = 3;
/// Kernels that are translated together at most: between the parts is the time to see how long it takes.
const KERNELS_A_PART: usize = 32;
/// Parts of a program that was declared, at most: each reads all of the program.
const MOST_PARTS: usize = 32;
/// LLVM goes down into what is nested by calling itself.
const STACK_BYTES: usize = 256 << 20;

const TOO_LONG: &str = "error: the program is too large: its translation was given up after a minute of a processor's time\n";

/// The kernels by who translates them.
struct Division {
    parts: Vec<Vec<String>>,
    threads: usize,
    declared: Option<Program>,
}

/// Makes `program.so` and `program.json` of bitcode. Gives also what is to be said in the log. If somebody listens, the
/// program is declared if it may be.
pub fn generate(
    bitcode: &[u8],
    options: &Options,
    folder: &Path,
    listener: Option<Listener>,
) -> Result<(Program, String), Failure> {
    if patience::effort() == Effort::None {
        return Err(Failure::Program(TOO_LONG.to_string()));
    }
    configure(&[remarks::OPTIONS, emit::OPTIONS].concat());
    let Division { parts, threads, declared } = divide(bitcode, options, listener.is_some())?;
    if let (Some(program), Some(listener)) = (&declared, listener) {
        progress::declared(program, &listener, folder)?;
    }
    let deadline = patience::deadline(threads);
    let is_told_of_parts = declared.is_some() && parts.len() > 1;
    let part = |number: usize| -> Result<(Program, Vec<u8>), Failure> {
        let (program, object) = generate_part(bitcode, options, &parts[number])?;
        if is_told_of_parts {
            emit::link_apart(std::slice::from_ref(&object), &shared_object(folder, number))?;
            progress::part(number, &program, folder)?;
        }
        Ok((program, object))
    };
    let made = in_threads(threads, STACK_BYTES, parts.len(), &part);
    let made: Result<Vec<_>, Failure> = made.into_iter().collect();
    let (programs, objects): (Vec<Program>, Vec<Vec<u8>>) = made?.into_iter().unzip();
    let mut programs = programs.into_iter();
    let mut program = programs.next().expect("there is one part at least");
    program.kernels.extend(programs.flat_map(|part| part.kernels));
    drop(deadline);
    let whole = folder.join(SHARED_OBJECT);
    emit::link(&objects, &whole)?;
    write(&folder.join(DESCRIPTION), program.to_json().as_bytes())?;
    if declared.is_some() && !is_told_of_parts {
        let only = shared_object(folder, 0);
        fs::hard_link(&whole, &only).map_err(|error| cannot("make", &only, &error))?;
        progress::part(0, &program, folder)?;
    }
    let said = notes::of(&program);
    Ok((program, said))
}

/// Of one part.
fn shared_object(folder: &Path, part: usize) -> PathBuf {
    folder.join(format!("program.{part}.so"))
}

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

/// Variables of the program must be in one place. A large kernel is by itself; those for which functions stay are together, so that
/// these are inlined into the others. Of a program that is declared every kernel is by itself, as long as they are not too many, in the
/// order of the source.
fn divide(bitcode: &[u8], options: &Options, may_declare: bool) -> Result<Division, Failure> {
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
        return Ok(Division { parts: vec![names], threads: 1, declared: None });
    }
    let calls = Calls::of(&module, &names)?;
    let kernel = |name: &String| module.function(name).expect("a kernel of the module");
    let (large, others): (Vec<String>, Vec<String>) =
        names.iter().cloned().partition(|name| calls.lets_stay(kernel(name)));
    let (large, calling): (Vec<String>, Vec<String>) =
        large.into_iter().partition(|name| calls.is_large(kernel(name)));
    if may_declare {
        let machine = Machine::host(Effort::Full).map_err(Failure::Internal)?;
        let declared = declare(&module, &machine, &names, &calls, options);
        if declared.is_some() {
            let each = names.len().div_ceil(MOST_PARTS);
            let parts: Vec<Vec<String>> = names.chunks(each).map(<[String]>::to_vec).collect();
            return Ok(Division { threads: threads.min(parts.len()), parts, declared });
        }
    }
    let together = usize::from(!calling.is_empty());
    let threads = threads.min(large.len() + together + others.len() / KERNELS_A_THREAD).max(1);
    let each = others.len().div_ceil(threads).clamp(1, KERNELS_A_PART);
    let all_calling = calling.chunks(calling.len().max(1));
    let parts = all_calling.chain(large.chunks(1)).chain(others.chunks(each));
    Ok(Division { parts: parts.map(<[String]>::to_vec).collect(), threads, declared: None })
}

/// Machine code for some of the kernels, in a context of its own.
fn generate_part(
    bitcode: &[u8],
    options: &Options,
    names: &[String],
) -> Result<(Program, Vec<u8>), Failure> {
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
    let object = emit::object(&module, &machine)?;
    drop(limit);
    Ok((program, object))
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
