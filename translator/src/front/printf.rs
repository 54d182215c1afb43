//! `printf`: each call becomes one of a function that packs the arguments and hands them to the driver.
//!
//! Terms: a *kind* tells the driver what an argument is (docs/kernel-abi.md): its class in bits 0 to 7, the bytes of an
//! element in bits 8 to 15, how many elements in bits 16 to 23. A *packer* is such a function; calls with the same kinds
//! share one. Its memory is its own, so that a call of `printf` costs a kernel no memory of its items.
//!
//! [`rename`] comes before all passes of LLVM, which would take the C library's function for this one, and make `puts` of
//! it; [`lower`] after everything is in the kernel. Sources: OpenCL C 3.0, section 6.15.14.

use std::collections::HashMap;

use crate::group::ids::SERVICES;
use crate::llvm::{Builder, Context, Function, Machine, Module, Type, TypeKind, Value};

/// What clang declares, and what it is called here.
const DECLARED: &str = "printf";
pub const PRINTF: &str = "vicinity_printf";

/// Where the members of `struct vicinity_services` are, in bytes.
mod layout {
    pub const STATE: u64 = 8;
    pub const PRINT: u64 = 16;
}

/// Classes of kinds.
const INTEGER: u32 = 0;
const REAL: u32 = 1;
const POINTER: u32 = 2;
const TEXT: u32 = 3;

/// Gives `printf` a name that LLVM knows nothing of.
pub fn rename(module: &Module) {
    if let Some(function) = module.function(DECLARED).filter(|function| !function.has_body()) {
        function.0.set_name(PRINTF);
    }
}

/// Makes packers of the calls in `kernel`. Gives whether there were any.
pub fn lower(module: &Module, machine: &Machine, kernel: Function) -> bool {
    let mut packers = HashMap::new();
    let calls: Vec<Value> = kernel.instructions().filter(is_call).collect();
    for &call in &calls {
        let context = module.context();
        let (format, arguments) = {
            let mut arguments = call.call_arguments();
            (arguments.remove(0), arguments)
        };
        let kinds = kinds(format, &arguments);
        let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
        let packer = *packers
            .entry((format.ty(), types.clone(), kinds.clone()))
            .or_insert_with(|| packer(module, machine, format.ty(), &types, &kinds));
        let builder = Builder::before(context, call);
        builder.set_debug_location(call.debug_location());
        let services = builder.call(services(module), &[]);
        let mut passed = vec![services, format];
        passed.extend(arguments);
        call.replace_uses(builder.call(packer, &passed));
        call.erase();
    }
    !calls.is_empty()
}

fn is_call(instruction: &Value) -> bool {
    instruction.called().is_some_and(|called| called.name() == PRINTF)
}

/// The function that stands for the launch's services until the kernel gets its entry point.
fn services(module: &Module) -> Function {
    let ty = module.context().integer(64).function(&[]);
    module.function(SERVICES).unwrap_or_else(|| {
        let function = module.add_function(SERVICES, ty);
        for attribute in ["nounwind", "willreturn"] {
            function.add_attribute(module.context(), attribute);
        }
        function
    })
}

/// The kinds of the arguments; whether a pointer is a text, the format says.
fn kinds(format: Value, arguments: &[Value]) -> Vec<u32> {
    let letters = format.constant_text().map(|text| letters(&text));
    let kind = |(index, argument): (usize, &Value)| {
        let ty = argument.ty();
        let element = ty.element().unwrap_or(ty);
        let elements = if ty.is_vector() { ty.count() as u32 } else { 1 };
        let (class, bytes) = match element.kind() {
            TypeKind::LLVMPointerTypeKind => match &letters {
                Some(letters) if letters.get(index) == Some(&b's') => (TEXT, 8),
                _ => (POINTER, 8),
            },
            TypeKind::LLVMHalfTypeKind => (REAL, 2),
            TypeKind::LLVMFloatTypeKind => (REAL, 4),
            TypeKind::LLVMDoubleTypeKind => (REAL, 8),
            _ => (INTEGER, element.integer_bits().div_ceil(8)),
        };
        class | bytes << 8 | elements << 16
    };
    arguments.iter().enumerate().map(kind).collect()
}

/// The letter of each conversion in a format.
fn letters(format: &[u8]) -> Vec<u8> {
    let mut letters = Vec::new();
    let mut rest = format.iter();
    while let Some(&byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        // Flags, width, precision, and lengths of vectors and elements come before the letter.
        let letter = rest.find(|byte| !b"-+ #.0123456789vhl".contains(byte));
        letters.extend(letter.filter(|&&letter| letter != b'%'));
    }
    letters
}

/// A function `(services, format, arguments...)` that calls the driver's.
fn packer(
    module: &Module,
    machine: &Machine,
    format: Type,
    types: &[Type],
    kinds: &[u32],
) -> Function {
    let context = module.context();
    let (word, number, pointer) = (context.integer(64), context.integer(32), context.pointer(0));
    let parameters: Vec<Type> = [word, format].into_iter().chain(types.iter().copied()).collect();
    let function = module.add_function("vicinity_print", number.function(&parameters));
    function.set_internal();
    dress(function, context, machine);
    let builder = Builder::at_end(context, function.append_block(context, "pack"));

    let sizes = types.iter().map(|ty| machine.size_bytes(*ty).next_multiple_of(8));
    let total: u64 = sizes.clone().sum();
    let data = builder.alloca(word.array((total / 8).max(1)));
    let said = builder.alloca(number.array(kinds.len().max(1) as u64));
    let mut offset = 0;
    for (index, (value, size)) in function.parameters()[2..].iter().zip(sizes).enumerate() {
        builder.store(*value, builder.offset(data, builder.word(offset))).set_alignment(8);
        offset += size;
        let kind = number.constant(u64::from(kinds[index]));
        builder.store(kind, builder.offset(said, builder.word(4 * index as u64)));
    }
    let [services, text] = [0, 1].map(|index| function.parameters()[index]);
    let services = builder.address_of(services);
    let member = |at| builder.load(pointer, builder.offset(services, builder.word(at)));
    let (state, print) = (member(layout::STATE), member(layout::PRINT));
    let ty = number.function(&[pointer, pointer, word, pointer, pointer]);
    let text = builder.address_space_cast(text, pointer);
    let count = builder.word(kinds.len() as u64);
    let result = builder.call_pointer(ty, print, &[state, text, count, said, data]);
    builder.return_value(result);
    function
}

fn dress(function: Function, context: Context, machine: &Machine) {
    crate::group::workgroup::dress(function, context, machine);
    function.add_attribute(context, "noinline");
    function.add_attribute(context, "cold");
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn formats_name_a_letter_for_each_argument() {
        for (format, expected) in [
            ("no argument, 100%%\n", ""),
            ("%d %s|%-5.3f", "dsf"),
            ("%v4hlf %#v2hhx %%%c%p", "fxcp"),
            ("%", ""),
            ("%5", ""),
        ] {
            assert_eq!(letters(format.as_bytes()), expected.as_bytes(), "{format}");
        }
    }
}
