//! Volatile variables of an item are variables like any other: nobody else sees an item's own memory.
//!
//! Programs make them to keep a compiler for graphics processors from something it does badly. In memory they would stay there, and
//! items with volatile accesses are no lanes of a vector.

use crate::llvm::{Module, Opcode, Value};

/// Lets volatile loads and stores of variables be plain ones.
pub fn make_plain(module: &Module) {
    let functions = module.functions().into_iter().filter(|function| function.has_body());
    let accesses = functions.flat_map(|function| function.instructions().collect::<Vec<_>>());
    accesses.filter(|&access| is_of_variable(access)).for_each(Value::make_plain);
}

fn is_of_variable(access: Value) -> bool {
    access.is_volatile()
        && access.address().is_some_and(|at| at.root().is_opcode(Opcode::LLVMAlloca))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Context;

    #[test]
    fn only_an_items_own_variables_are_plain() {
        let text = "define void @kernel(ptr addrspace(3) %shared) {
            %one = alloca i32
            %many = alloca [4 x i32]
            %last = getelementptr [4 x i32], ptr %many, i64 0, i64 3
            store volatile i32 1, ptr %one
            store volatile i32 2, ptr %last
            %a = load volatile i32, ptr %one
            %b = load volatile i32, ptr addrspace(3) %shared
            store volatile i32 %a, ptr addrspace(3) %shared
            ret void
        }";
        let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
        make_plain(&module);
        let kernel = module.function("kernel").expect("it is there");
        let left = kernel.instructions().filter(|it| it.is_volatile());
        let left: Vec<u32> =
            left.map(|it| it.address().expect("an access").ty().address_space()).collect();
        assert_eq!(left, [3, 3]);
    }
}
