//! What is known of a program's kernels before code is made of them: their names, arguments and attributes.
//!
//! A program is *declared* if nothing that comes later can find it wrong: then the driver may go on, and code is
//! made of one kernel after the other while it does. A program of which that is not known is not declared, and made as a whole.
//!
//! So what is looked at is looked at with doubts: a function that nobody defines may be called only where nobody comes.

use crate::front::calls::Calls;
use crate::front::{archive, import, names, prepare, printf};
use crate::group::arguments;
use crate::group::launch::Sizes;
use crate::kernel::sub_groups;
use crate::llvm::{Function, Machine, Module, Value};
use crate::program::options::Options;
use crate::program::patience::{self, Effort};
use crate::report::describe::{self, Program};

/// The declaration of the kernels called `names`, of all of the program; none if it has to be made as a whole. Names are set apart
/// in the module then.
pub fn declare(
    module: &Module,
    machine: &Machine,
    names: &[String],
    calls: &Calls,
    options: &Options,
) -> Option<Program> {
    let is_plain = !options.reference && options.special.is_none() && !names.is_empty();
    let is_small =
        names.iter().filter_map(|name| module.function(name)).all(|it| !calls.lets_stay(it));
    let may_all = patience::effort() == Effort::Full && calls.largest().is_ok();
    if !(is_plain && is_small && may_all) || import::has_variables(module) {
        return None;
    }
    names::set_apart(module);
    printf::rename(module);
    let is_there = |global: &Value| global.initializer().is_some() || !global.is_used();
    if !module.functions().into_iter().all(is_known) || !module.globals().iter().all(is_there) {
        return None;
    }
    let mut program = Program::new(machine);
    for name in names {
        let kernel = module.function(&names::own(name))?;
        program.kernels.push(kernel_of(module, machine, kernel, options)?);
    }
    Some(program)
}

fn kernel_of(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    options: &Options,
) -> Option<describe::Kernel> {
    let context = module.context();
    if sub_groups::required(context, kernel).is_some() {
        return None;
    }
    let mut description = describe::kernel(context, kernel);
    let (arguments, bytes) = arguments::lay_out(context, machine, kernel).ok()?;
    describe::place(&mut description, &arguments, bytes);
    description.uniform_groups =
        Sizes::of(kernel, description.required_size, options, false).uniform;
    Some(description)
}

/// Whether what is called is certain to be defined.
fn is_known(function: Function) -> bool {
    prepare::may_be_left(function) || archive::find(&function.name()).is_some()
}
