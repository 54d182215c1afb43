//! `__local` variables: where they are in a work-group's scratch memory.
//!
//! clang makes them internal globals of address space 3. Those that a kernel uses lie one after another from offset 0
//! of the scratch memory on, each as aligned as it asks for.

use std::collections::HashSet;

use crate::llvm::{Function, Machine, Module, Value};

pub const LOCAL_SPACE: u32 = 3;

/// The variables of one kernel with their offsets, and how many bytes they take together.
pub struct Locals {
    pub variables: Vec<(Value, u64)>,
    pub bytes: u64,
}

/// Lays out what `kernel` uses, directly: everything is inlined by now.
pub fn lay_out(module: &Module, machine: &Machine, kernel: Function) -> Locals {
    let mut locals = Locals { variables: Vec::new(), bytes: 0 };
    for global in module.globals() {
        if global.ty().address_space() != LOCAL_SPACE || !used_in(global, kernel) {
            continue;
        }
        let ty = global.content_type();
        let alignment = machine.alignment_bytes(ty).max(u64::from(global.alignment()));
        let offset = locals.bytes.next_multiple_of(alignment.max(1));
        locals.variables.push((global, offset));
        locals.bytes = offset + machine.size_bytes(ty);
    }
    locals
}

fn used_in(constant: Value, kernel: Function) -> bool {
    let mut seen = HashSet::new();
    let mut rest = vec![constant];
    while let Some(value) = rest.pop() {
        for user in value.users() {
            let inside = user.is_instruction()
                && user.parent().is_some_and(|block| block.function() == kernel);
            if inside {
                return true;
            }
            if user.is_composed_constant() && seen.insert(user) {
                rest.push(user);
            }
        }
    }
    false
}
