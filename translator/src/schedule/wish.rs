//! What the user wants of a kernel's loops, whatever the analysis says: for experiments.
//!
//! `VICINITY_ORDER` is `auto`, `dfo`, `bfo` or `paper`, for all kernels ([`crate::program::command`]); `__attribute__((annotate("vicinity_order=bfo")))`
//! is the same for one kernel and comes before the variable; so is `vicinity_vectors=never`, of `VICINITY_VECTORS`. `annotate("vicinity_call=stay")` says of a function that it
//! is not to be inlined ([`crate::front::calls`]).

use std::collections::HashMap;

use super::Order;
use crate::analysis::approximate::Rules;
use crate::front::calls;
use crate::llvm::{Module, Opcode, Value};
use crate::vector::facts::support::Wanted;

const ORDER: &str = "vicinity_order=";
const VECTORS: &str = "vicinity_vectors=";
const STAY: &str = "vicinity_call=stay";
/// Where clang keeps annotations: an array of function, text, file, line, arguments.
const ANNOTATIONS: &str = "llvm.global.annotations";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    #[default]
    Auto,
    Always(Order),
    /// As CGO'15 says, to the letter: [`super::paper`].
    Paper,
}

impl Wish {
    /// Whose rules of approximate strides go with it.
    pub const fn rules(self) -> Rules {
        match self {
            Wish::Paper => Rules::Paper,
            Wish::Auto | Wish::Always(_) => Rules::Ours,
        }
    }

    pub fn parse(text: &str) -> Option<Wish> {
        match text {
            "auto" => Some(Wish::Auto),
            "dfo" => Some(Wish::Always(Order::DepthFirst)),
            "bfo" => Some(Wish::Always(Order::BreadthFirst)),
            "paper" => Some(Wish::Paper),
            _ => None,
        }
    }
}

/// What the source says of one kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Annotated {
    pub order: Option<Wish>,
    pub vectors: Option<Wanted>,
}

/// Takes the annotations out of the module: those of kernels by their names. Functions that are to stay are marked.
pub fn take_annotated(module: &Module) -> HashMap<String, Annotated> {
    let mut wishes: HashMap<String, Annotated> = HashMap::new();
    let Some(all) = module.globals().into_iter().find(|global| global.name() == ANNOTATIONS) else {
        return wishes;
    };
    let entries = all.initializer().into_iter().flat_map(Value::operands);
    for entry in entries.filter(|entry| entry.operand_count() >= 2) {
        let Some(function) = bare(entry.operand(0)).as_function() else { continue };
        let text = bare(entry.operand(1)).initializer().and_then(Value::text).unwrap_or_default();
        if text == STAY {
            calls::let_stay(module.context(), function);
        }
        if let Some(wish) = text.strip_prefix(ORDER).and_then(Wish::parse) {
            wishes.entry(function.name()).or_default().order = Some(wish);
        }
        if let Some(wanted) = text.strip_prefix(VECTORS).and_then(Wanted::parse) {
            wishes.entry(function.name()).or_default().vectors = Some(wanted);
        }
    }
    all.erase_global();
    wishes
}

/// What is behind a change of address space.
fn bare(value: Value) -> Value {
    match value.opcode() {
        Some(Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => bare(value.operand(0)),
        _ => value,
    }
}
