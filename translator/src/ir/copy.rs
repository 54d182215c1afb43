//! Copies blocks of one function into another, with other values in the place of some.
//!
//! A copy's operands are looked up in [`Copier::values`] and [`Copier::blocks`]; what is in neither stays as it is.
//! Constants over values that are replaced (the address of an element of a `__local` array, a vector of such) become
//! instructions in the head of the function, where such values live.

use std::collections::HashMap;

use crate::llvm::{Block, Builder, Context, Function, Opcode, Value};

/// What stands for what in a copy.
#[derive(Clone)]
pub struct Copier {
    context: Context,
    /// Constants are instructions here from now on.
    head: Block,
    pub values: HashMap<Value, Value>,
    pub blocks: HashMap<Block, Block>,
}

impl Copier {
    pub fn new(context: Context, head: Block) -> Copier {
        Copier { context, head, values: HashMap::new(), blocks: HashMap::new() }
    }

    pub fn context(&self) -> Context {
        self.context
    }

    /// Copies `sources` to the end of `into`, in this order. `special` may give a value of its own in place of an
    /// instruction, built with the builder it gets; it is asked for every instruction, and sees it with the
    /// original's operands.
    pub fn copy(
        &mut self,
        sources: &[Block],
        into: Function,
        special: &mut dyn FnMut(&mut Copier, &Builder, Value) -> Special,
    ) {
        for &source in sources {
            let copy = into.append_block(self.context, &source.name());
            self.blocks.insert(source, copy);
        }
        let mut copies = Vec::new();
        for &source in sources {
            let builder = Builder::at_end(self.context, self.blocks[&source]);
            for original in source.instructions() {
                builder.set_debug_location(original.debug_location());
                match special(self, &builder, original) {
                    Special::Value(value) => {
                        self.values.insert(original, value);
                    }
                    Special::Nothing => {}
                    Special::Copy => copies.push((original, self.duplicate(&builder, original))),
                }
            }
        }
        for (original, copy) in copies {
            self.connect(original, copy);
        }
    }

    fn duplicate(&mut self, builder: &Builder, original: Value) -> Value {
        let copy = if original.is_opcode(Opcode::LLVMPHI) {
            builder.phi(original.ty())
        } else {
            let copy = original.duplicate();
            builder.insert(copy);
            copy.set_debug_location(original.debug_location());
            copy
        };
        self.values.insert(original, copy);
        copy
    }

    /// Gives a copy its operands.
    fn connect(&mut self, original: Value, copy: Value) {
        if original.is_opcode(Opcode::LLVMPHI) {
            for (value, from) in original.incoming() {
                // An edge from a block that is not copied does not exist in the copy.
                if let Some(&from) = self.blocks.get(&from) {
                    copy.add_incoming(self.value(value), from);
                }
            }
            return;
        }
        for index in 0..original.operand_count() {
            let operand = original.operand(index);
            let new = match operand.as_block() {
                Some(block) => self.blocks.get(&block).map_or(operand, |block| block.as_value()),
                None => self.value(operand),
            };
            if new != operand {
                copy.set_operand(index, new);
            }
        }
    }

    /// What stands for `value` in the copy.
    pub fn value(&mut self, value: Value) -> Value {
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        if !value.is_composed_constant() || !self.concerns(value) {
            return value;
        }
        let computed = self.compute(value);
        self.values.insert(value, computed);
        computed
    }

    /// Whether a constant has a replaced value inside.
    fn concerns(&self, constant: Value) -> bool {
        self.values.contains_key(&constant)
            || constant.is_composed_constant()
                && constant.operands().any(|operand| self.concerns(operand))
    }

    /// The constant as instructions in the head.
    fn compute(&mut self, constant: Value) -> Value {
        let operands: Vec<Value> = constant.operands().map(|operand| self.value(operand)).collect();
        let builder = match self.head.terminator() {
            Some(end) => Builder::before(self.context, end),
            None => Builder::at_end(self.context, self.head),
        };
        let ty = constant.ty();
        match constant.opcode() {
            Some(opcode) => expression(&builder, constant, opcode, &operands),
            None if ty.is_vector() => builder.vector(&operands),
            None => builder.aggregate(ty, &operands),
        }
    }
}

/// A constant expression of LLVM 19, with these operands.
fn expression(builder: &Builder, original: Value, opcode: Opcode, operands: &[Value]) -> Value {
    use Opcode::*;
    match opcode {
        LLVMGetElementPtr => {
            let ty = original.source_type().expect("that of a getelementptr");
            if original.is_inbounds() {
                builder.element(ty, operands[0], &operands[1..])
            } else {
                builder.element_anywhere(ty, operands[0], &operands[1..])
            }
        }
        LLVMTrunc | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMAddrSpaceCast => {
            builder.cast(opcode, operands[0], original.ty())
        }
        LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMXor => {
            builder.binary(opcode, operands[0], operands[1])
        }
        // Vectors are folded to their components.
        other => panic!("LLVM has no constant expressions of {other:?}"),
    }
}

/// What becomes of an instruction in a copy.
pub enum Special {
    /// It is copied.
    Copy,
    /// This stands for it.
    Value(Value),
    /// Nothing does: nobody uses it, or what it did is done otherwise.
    Nothing,
}
