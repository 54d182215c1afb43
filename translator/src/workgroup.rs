//! A kernel becomes the function that runs work-groups of it.

use crate::arguments::{self, Argument};
use crate::copy::{Copier, Special};
use crate::failure::Failure;
use crate::ids::{self, Id, Place};
use crate::items::{Nest, access_group};
use crate::launch::Entry;
use crate::llvm::{Builder, Context, Function, Machine, Metadata, Module, Opcode, Value};
use crate::local::{self, Locals};

/// What was made of a kernel.
pub struct WorkGroup {
    pub symbol: String,
    pub arguments: Vec<Argument>,
    pub arguments_bytes: u64,
    pub local_bytes: u64,
}

/// The name of a kernel's entry point.
pub fn symbol_of(kernel: &str) -> String {
    format!("vicinity_kernel_{kernel}")
}

/// Makes the entry point of `kernel`, and ends the kernel itself.
pub fn build(module: &Module, machine: &Machine, kernel: Function) -> Result<WorkGroup, Failure> {
    let context = module.context();
    let (arguments, arguments_bytes) = arguments::lay_out(context, machine, kernel)?;
    let locals = local::lay_out(module, machine, kernel);
    let symbol = symbol_of(&kernel.name());
    let entry = Entry::new(module, &symbol);
    dress(entry.function, context, machine);
    entry.function.take_source_of(kernel);

    let mut copier = Copier::new(context, entry.head);
    bind(&mut copier, &entry, kernel, &arguments, &locals);
    let groups = entry.groups(context);
    let nest = Nest::new(context, entry.function, groups.begin, groups.place.local_size);
    Builder::at_end(context, nest.after).branch(groups.next);
    let place = Place { local_id: nest.local_id, ..groups.place };
    let group = access_group(context);
    copy_body(&mut copier, &entry, kernel, &nest, &place, group);
    nest.declare_parallel(context, group);
    kernel.erase();
    Ok(WorkGroup { symbol, arguments, arguments_bytes, local_bytes: locals.bytes })
}

fn dress(function: Function, context: Context, machine: &Machine) {
    function.set_text_attribute(context, "target-cpu", machine.cpu());
    function.set_text_attribute(context, "target-features", machine.features());
    let width = machine.vector_bits().to_string();
    function.set_text_attribute(context, "prefer-vector-width", &width);
    function.add_attribute(context, "nounwind");
}

/// What stands for the kernel's parameters and `__local` variables.
fn bind(
    copier: &mut Copier,
    entry: &Entry,
    kernel: Function,
    arguments: &[Argument],
    locals: &Locals,
) {
    let builder = Builder::at_end(copier.context(), entry.head);
    for (parameter, argument) in kernel.parameters().into_iter().zip(arguments) {
        let value = arguments::read(&builder, entry, argument);
        value.set_name(&parameter.name());
        copier.values.insert(parameter, value);
    }
    for &(variable, offset) in &locals.variables {
        let place = builder.offset(entry.scratch, builder.word(offset));
        copier.values.insert(variable, builder.address_space_cast(place, variable.ty()));
    }
}

/// The kernel's blocks as the body of the loops.
fn copy_body(
    copier: &mut Copier,
    entry: &Entry,
    kernel: Function,
    nest: &Nest,
    place: &Place,
    group: Metadata,
) {
    let context = copier.context();
    let head_end = entry.head.terminator().expect("the head is closed");
    let blocks = kernel.blocks();
    copier.copy(&blocks, entry.function, &mut |_, builder, original| {
        if let Some(id) = Id::of_call(original) {
            return Special::Value(ids::answer(builder, id, original, place));
        }
        match original.opcode() {
            Some(Opcode::LLVMRet) => {
                builder.branch(nest.latch);
                Special::Nothing
            }
            Some(Opcode::LLVMAlloca) => {
                let ty = original.allocated_type().expect("that of an alloca");
                let head = Builder::before(context, head_end);
                let room = head.alloca(ty);
                room.set_alignment(original.alignment());
                Special::Value(room)
            }
            _ => Special::Copy,
        }
    });
    for block in &blocks {
        for original in block.instructions() {
            let Some(&copy) = copier.values.get(&original) else { continue };
            if touches_shared_memory(original) {
                copy.set_metadata(context, "llvm.access.group", group);
            }
        }
    }
    Builder::at_end(context, nest.body).branch(copier.blocks[&kernel.entry()]);
}

/// Whether an instruction reads or writes memory that is not the work-item's own.
fn touches_shared_memory(instruction: Value) -> bool {
    matches!(instruction.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore))
}
