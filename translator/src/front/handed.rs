//! Functions that stay functions are handed what they ask of the item that calls them.
//!
//! Only inside of a kernel is it known which item runs. So what such a function asks for (`get_global_id(0)`, also by way of the
//! functions that it calls) becomes a parameter of its own, and whoever calls it asks in its place, up to the kernel. For vectors of
//! items the id is one vector or a stride then, as any argument is ([`crate::vector`]).

use crate::front::calls::callees_first;
use crate::group::ids::Id;
use crate::ir::copy::{Copier, Special};
use crate::llvm::{Builder, Context, Function, Module, Type, Value};
use crate::program::failure::Failure;

/// Whether a call asks for what can be handed to a function: a place or a size, along a dimension that is known.
pub fn can_be(call: Value) -> bool {
    use Id::*;
    let asked = Id::of_call(call);
    let is_handed = matches!(
        asked,
        Some(
            WorkDim
                | GlobalSize
                | GlobalId
                | LocalSize
                | EnqueuedLocalSize
                | LocalId
                | NumGroups
                | GroupId
                | GlobalOffset
                | GlobalLinearId
                | LocalLinearId
        )
    );
    is_handed && call.call_arguments().into_iter().all(Value::is_constant)
}

/// Hands all functions that `kernels` lead to what they ask for: everything else has been inlined.
pub fn hand(module: &Module, kernels: &[Function]) -> Result<(), Failure> {
    for function in callees_first(kernels)? {
        if kernels.contains(&function) {
            continue;
        }
        let mut asked: Vec<Question> = Vec::new();
        for question in function.instructions().filter_map(Question::of) {
            if !asked.contains(&question) {
                asked.push(question);
            }
        }
        if !asked.is_empty() {
            replace(module.context(), function, &asked);
        }
    }
    Ok(())
}

/// A question of an item for its place.
#[derive(Clone, Copy, PartialEq)]
struct Question {
    called: Function,
    dimension: Option<Value>,
}

impl Question {
    fn of(call: Value) -> Option<Question> {
        let dimension = call.call_arguments().first().copied();
        can_be(call).then(|| Question { called: call.called().expect("an id"), dimension })
    }

    fn ask(&self, builder: &Builder) -> Value {
        builder.call(self.called, self.dimension.as_slice())
    }
}

/// Puts a function in the place of `function` that has a parameter for each of what it asks.
fn replace(context: Context, function: Function, asked: &[Question]) {
    let own = function.parameters();
    let answers = asked.iter().map(|question| question.called.return_type());
    let all: Vec<Type> = own.iter().map(|parameter| parameter.ty()).chain(answers).collect();
    let ty = function.return_type().function(&all);
    let name = function.name();
    let handed = function.declare_beside(&format!("{name}.handed"), ty);
    handed.take_attributes_of(function);
    handed.take_source_of(function);
    handed.set_calling_convention(function.calling_convention());
    handed.set_internal();
    let parameters = handed.parameters();
    let mut copier = Copier::new(context, function.entry());
    copier.values.extend(own.iter().copied().zip(parameters.iter().copied()));
    copier.copy(&function.blocks(), handed, &mut |_, _, original| {
        let number = Question::of(original).and_then(|it| asked.iter().position(|one| *one == it));
        number.map_or(Special::Copy, |number| Special::Value(parameters[own.len() + number]))
    });
    for call in function.0.users() {
        let builder = Builder::before(context, call);
        builder.set_debug_location(call.debug_location());
        let answers = asked.iter().map(|question| question.ask(&builder));
        let arguments: Vec<Value> = call.call_arguments().into_iter().chain(answers).collect();
        let made = builder.call(handed, &arguments);
        made.set_calling_convention(handed.calling_convention());
        call.replace_uses(made);
        call.erase();
    }
    function.erase();
    handed.0.set_name(&name);
}
