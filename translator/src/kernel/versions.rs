//! Two versions of one kernel, and an entry point that chooses by what a launch says.

use crate::group::workgroup;
use crate::ir::copy::{Copier, Special};
use crate::llvm::{Builder, Context, Function, Machine, Module, Value};

/// A second kernel that does the same, without debug information: LLVM allows that for one alone.
pub fn copy(context: Context, kernel: Function, name: &str) -> Function {
    let copy = kernel.declare_beside(&format!("{}.{name}", kernel.name()), kernel.ty());
    copy.take_attributes_of(kernel);
    let entry = kernel.entry();
    let mut copier = Copier::new(context, entry);
    copier.values.extend(kernel.parameters().into_iter().zip(copy.parameters()));
    copier.copy(&kernel.blocks(), copy, &mut |_, _, _| Special::Copy);
    for instruction in copy.instructions() {
        instruction.set_debug_location(None);
    }
    copy
}

pub struct Versions<'a> {
    /// Of the entry point, and until then of the first version.
    pub symbol: &'a str,
    /// What the first version is called behind that.
    pub name: &'a str,
    /// The entry point of the second version.
    pub other: &'a str,
}

impl Versions<'_> {
    /// Makes the entry point: it runs the first version where what `chooses` makes of the launch is true.
    pub fn join(
        &self,
        module: &Module,
        machine: &Machine,
        chooses: &dyn Fn(&Builder, Value) -> Value,
    ) {
        let context = module.context();
        let [first, second] = [self.symbol, self.other]
            .map(|name| module.function(name).expect("the entry point of a version"));
        first.0.set_name(&format!("{}.{}", self.symbol, self.name));
        for version in [first, second] {
            version.set_internal();
            version.add_attribute(context, "noinline");
        }
        let function = module.add_function(self.symbol, first.ty());
        workgroup::dress(function, context, machine);
        let parameters = function.parameters();
        let head = function.append_block(context, "head");
        let builder = Builder::at_end(context, head);
        let is_first = chooses(&builder, parameters[0]);
        let [yes, no] = [first, second].map(|version| {
            let block = function.append_block(context, "run");
            let builder = Builder::at_end(context, block);
            builder.call(version, &parameters);
            builder.return_void();
            block
        });
        builder.branch_if(is_first, yes, no);
    }
}
