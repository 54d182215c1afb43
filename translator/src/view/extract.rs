//! Copies a function of LLVM's into a [`Function`], and remembers what stands for what.
//!
//! The one place where the view and LLVM meet; analyses and decisions see only the copy. Constants are
//! copied once for each time LLVM has a value for them, which is once. An instruction that has no
//! operation of its own in the view becomes `Pure` if it neither touches memory nor depends on
//! anything but its operands, else `Other`.

use std::collections::HashMap;

use super::{
    BinaryOp, Block, BlockId, Callee, Cast, Function, Instruction, MemoryKind, NoWrap, Op,
    Predicate, Space, Type, TypeKind, Value, ValueId, ValueKind,
};
use crate::group::launch::Sizes;
use crate::llvm::{self, Context, IntPredicate, Machine, Opcode};

/// The copy, and LLVM's side of each id.
pub struct Extracted {
    pub function: Function,
    pub values: Vec<llvm::Value>,
    pub blocks: Vec<llvm::Block>,
}

impl Extracted {
    /// What it was read from.
    pub fn kernel(&self) -> llvm::Function {
        self.blocks[0].function()
    }
}

/// The alignment of scratch memory: docs/kernel-abi.md.
const MOST_ALIGNED: u64 = 128;

struct Extractor<'a> {
    machine: &'a Machine,
    context: Context,
    kernel: llvm::Function,
    made: Extracted,
    ids: HashMap<llvm::Value, ValueId>,
    block_ids: HashMap<llvm::Block, BlockId>,
}

/// `sizes`: what is known of the sizes of groups.
pub fn extract(
    context: Context,
    machine: &Machine,
    kernel: llvm::Function,
    sizes: Sizes,
) -> Extracted {
    let function = Function {
        name: kernel.name(),
        values: Vec::new(),
        blocks: Vec::new(),
        arguments: Vec::new(),
        local_size: sizes.enqueued,
        uniform_groups: sizes.uniform,
        narrow: !sizes.any_ids,
    };
    let blocks = kernel.blocks();
    let numbered = |(at, &block): (usize, &llvm::Block)| (block, BlockId(at as u32));
    let block_ids = blocks.iter().enumerate().map(numbered).collect();
    let made = Extracted { function, values: Vec::new(), blocks };
    let mut extractor =
        Extractor { machine, context, kernel, made, ids: HashMap::new(), block_ids };
    for (number, parameter) in kernel.parameters().into_iter().enumerate() {
        let id = extractor.push(parameter, ValueKind::Argument(number as u32));
        extractor.made.function.arguments.push(id);
    }
    let blocks = extractor.made.blocks.clone();
    // Ids first: a phi may name an instruction that comes later.
    for block in &blocks {
        for instruction in block.instructions() {
            extractor.push(instruction, ValueKind::Undefined);
        }
    }
    for (at, block) in blocks.iter().enumerate() {
        extractor.block(BlockId(at as u32), *block);
    }
    extractor.made.function.link();
    extractor.made
}

impl Extractor<'_> {
    fn push(&mut self, value: llvm::Value, kind: ValueKind) -> ValueId {
        let id = ValueId(self.made.values.len() as u32);
        let line = value.source_position().map(|(line, _)| line);
        let ty = self.ty(value.ty());
        let alignment_bytes = self.alignment_bytes(value, &kind);
        self.made.function.values.push(Value { ty, kind, alignment_bytes, line });
        self.made.values.push(value);
        self.ids.insert(value, id);
        id
    }

    /// Work-group functions keep no promise beyond [`MOST_ALIGNED`].
    fn alignment_bytes(&self, value: llvm::Value, kind: &ValueKind) -> u64 {
        let promised = match *kind {
            ValueKind::Argument(number) => {
                self.kernel.parameter_alignment(self.context, number as usize)
            }
            _ => u64::from(value.alignment()),
        };
        promised.clamp(1, MOST_ALIGNED)
    }

    fn ty(&self, ty: llvm::Type) -> Type {
        let lanes = if ty.is_vector() { ty.count() as u32 } else { 1 };
        let lane = ty.element().filter(|_| ty.is_vector()).unwrap_or(ty);
        let (kind, bits) = if lane.is_void() {
            return Type::VOID;
        } else if lane.is_integer() {
            (TypeKind::Integer, lane.integer_bits())
        } else if lane.is_float() {
            (TypeKind::Float, self.machine.size_bytes(lane) as u32 * 8)
        } else if lane.is_pointer() {
            (TypeKind::Pointer(Space::from_number(lane.address_space())), 64)
        } else {
            (TypeKind::Other, 0)
        };
        let bytes = if ty.is_sized() { self.machine.size_bytes(ty) } else { 0 };
        Type { kind, bits, lanes, bytes }
    }

    fn operand(&mut self, value: llvm::Value) -> ValueId {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let kind = if value.is_undefined() {
            ValueKind::Undefined
        } else if value.is_global_variable() {
            ValueKind::Global(value.name())
        } else if value.ty().is_pointer() && value.is_null() {
            ValueKind::Integer(0)
        } else if let Some((of, bytes)) = part(value) {
            ValueKind::Part(self.operand(of), bytes)
        } else {
            value.signed().map_or(ValueKind::Constant, ValueKind::Integer)
        };
        self.push(value, kind)
    }

    fn block(&mut self, id: BlockId, block: llvm::Block) {
        let mut copy = Block { name: block.name(), ..Block::default() };
        copy.successors = block.successors().iter().map(|after| self.block_ids[after]).collect();
        for original in block.instructions() {
            let at = self.ids[&original];
            let (op, operands) = self.operation(original);
            let kind = ValueKind::Instruction(Instruction { op, operands, block: id });
            self.made.function.values[at.index()].kind = kind;
            copy.instructions.push(at);
        }
        self.made.function.blocks.push(copy);
    }

    fn operation(&mut self, original: llvm::Value) -> (Op, Vec<ValueId>) {
        let Some(opcode) = original.opcode() else { return (Op::Other, Vec::new()) };
        match opcode {
            Opcode::LLVMPHI => return self.phi(original),
            Opcode::LLVMGetElementPtr => return self.address(original),
            Opcode::LLVMCall => return self.call(original),
            Opcode::LLVMBr | Opcode::LLVMSwitch => {
                let condition = original.condition().map(|value| self.operand(value));
                if opcode == Opcode::LLVMBr {
                    return (Op::Branch, condition.into_iter().collect());
                }
                // Each constant stands in front of where it leads to.
                let cases = (2..original.operand_count()).step_by(2);
                let cases: Vec<ValueId> =
                    cases.map(|at| self.operand(original.operand(at))).collect();
                return (Op::Switch, condition.into_iter().chain(cases).collect());
            }
            _ => {}
        }
        let operands = original.operands().map(|operand| self.operand(operand)).collect();
        (plain(original, opcode), operands)
    }

    fn phi(&mut self, original: llvm::Value) -> (Op, Vec<ValueId>) {
        let incoming = original.incoming();
        let operands = incoming.iter().map(|&(value, _)| self.operand(value)).collect();
        let from = incoming.iter().map(|(_, block)| self.block_ids[block]).collect();
        (Op::Phi(from), operands)
    }

    /// base + constant + sum of index x scale; vectors of addresses are taken as pure.
    fn address(&mut self, original: llvm::Value) -> (Op, Vec<ValueId>) {
        let base = original.operand(0);
        let all: Vec<llvm::Value> = original.operands().collect();
        let mut operands = vec![self.operand(base)];
        if original.ty().is_vector() {
            operands.extend(all[1..].iter().map(|&index| self.operand(index)));
            return (Op::Pure, operands);
        }
        let (mut constant, mut scales) = (0i64, Vec::new());
        let mut ty = original.source_type();
        for (at, &index) in all[1..].iter().enumerate() {
            let Some(whole) = ty else { return (Op::Pure, operands) };
            // The first index steps over whole elements, the others go inside.
            let inside = if at == 0 { Some(whole) } else { whole.element() };
            match inside {
                Some(element) => {
                    let scale = self.machine.size_bytes(element) as i64;
                    match index.signed() {
                        Some(number) => {
                            constant = constant.wrapping_add(number.wrapping_mul(scale));
                        }
                        None => {
                            operands.push(self.operand(index));
                            scales.push(scale);
                        }
                    }
                    ty = Some(element);
                }
                None => {
                    let number = index.unsigned().unwrap_or(0) as u32;
                    constant += self.machine.member_offset(whole, number) as i64;
                    ty = whole.member(number);
                }
            }
        }
        (Op::Address { constant, scales, inbounds: original.is_inbounds() }, operands)
    }

    fn call(&mut self, original: llvm::Value) -> (Op, Vec<ValueId>) {
        let arguments = original.call_arguments();
        let operands = arguments.iter().map(|&argument| self.operand(argument)).collect();
        let Some(called) = original.called() else { return (Op::Call(Callee::Unknown), operands) };
        let name = called.name();
        let integer = original.ty().is_integer();
        let op = match Callee::of_name(&name) {
            Some(callee) => Op::Call(callee),
            None if ["llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax."]
                .iter()
                .any(|prefix| integer && name.starts_with(prefix)) =>
            {
                Op::Extremum
            }
            None if MARKERS.iter().any(|prefix| name.starts_with(prefix)) => Op::Marker,
            None if called.touches_no_memory(self.context) => Op::Pure,
            None => Op::Call(Callee::Unknown),
        };
        (op, operands)
    }
}

/// Intrinsics that say something and do nothing.
const MARKERS: &[&str] =
    &["llvm.lifetime.", "llvm.assume", "llvm.dbg.", "llvm.experimental.noalias"];

/// Of a constant address: the variable that it leads into, and how many bytes.
fn part(value: llvm::Value) -> Option<(llvm::Value, i64)> {
    let is_byte = value.source_type().is_some_and(|ty| ty.integer_bits() == 8);
    if !value.is_constant_expression() || !is_byte || value.operand_count() != 2 {
        return None;
    }
    let of = value.operand(0);
    Some((of, value.operand(1).signed()?)).filter(|_| of.is_global_variable())
}

fn plain(original: llvm::Value, opcode: Opcode) -> Op {
    let shared = original.is_volatile() || original.is_atomic();
    let memory = if shared { MemoryKind::Shared } else { MemoryKind::Plain };
    if let Some(op) = binary(opcode).filter(|_| original.ty().is_integer()) {
        let (signed, unsigned) = original.no_wrap();
        let disjoint = original.is_disjoint();
        return Op::Binary(op, NoWrap { signed, unsigned, disjoint });
    }
    match opcode {
        Opcode::LLVMICmp if !original.operand(0).ty().is_vector() => {
            original.int_predicate().map_or(Op::Other, |of| Op::Compare(predicate(of)))
        }
        Opcode::LLVMSelect => Op::Select,
        Opcode::LLVMTrunc if original.ty().is_integer() => {
            let (signed, unsigned) = original.no_wrap();
            Op::Cast(Cast::Truncate { signed, unsigned })
        }
        Opcode::LLVMSExt if original.ty().is_integer() => Op::Cast(Cast::SignExtend),
        Opcode::LLVMZExt if original.ty().is_integer() => {
            Op::Cast(Cast::ZeroExtend { nonnegative: original.is_nonnegative() })
        }
        Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr | Opcode::LLVMAddrSpaceCast => {
            Op::Cast(Cast::Same)
        }
        Opcode::LLVMFreeze => Op::Cast(Cast::Same),
        Opcode::LLVMLoad => Op::Load(memory),
        Opcode::LLVMStore => Op::Store(memory),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Op::Atomic,
        Opcode::LLVMFence => Op::Marker,
        Opcode::LLVMAlloca => Op::Alloca,
        Opcode::LLVMRet => Op::Return,
        Opcode::LLVMUnreachable => Op::Unreachable,
        _ if is_pure(opcode) => Op::Pure,
        _ => Op::Other,
    }
}

const fn is_pure(opcode: Opcode) -> bool {
    use Opcode::*;
    binary(opcode).is_some()
        || matches!(
            opcode,
            LLVMICmp | LLVMFCmp | LLVMFNeg | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem
        )
        || matches!(opcode, LLVMTrunc | LLVMSExt | LLVMZExt | LLVMBitCast | LLVMFPTrunc | LLVMFPExt)
        || matches!(opcode, LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP)
        || matches!(opcode, LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector)
        || matches!(opcode, LLVMExtractValue | LLVMInsertValue)
}

const fn binary(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::UDiv,
        Opcode::LLVMSDiv => BinaryOp::SDiv,
        Opcode::LLVMURem => BinaryOp::URem,
        Opcode::LLVMSRem => BinaryOp::SRem,
        Opcode::LLVMShl => BinaryOp::Shl,
        Opcode::LLVMLShr => BinaryOp::LShr,
        Opcode::LLVMAShr => BinaryOp::AShr,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        _ => return None,
    })
}

const fn predicate(of: IntPredicate) -> Predicate {
    match of {
        IntPredicate::LLVMIntEQ => Predicate::Equal,
        IntPredicate::LLVMIntNE => Predicate::NotEqual,
        IntPredicate::LLVMIntUGT => Predicate::UnsignedGreater,
        IntPredicate::LLVMIntUGE => Predicate::UnsignedGreaterEqual,
        IntPredicate::LLVMIntULT => Predicate::UnsignedLess,
        IntPredicate::LLVMIntULE => Predicate::UnsignedLessEqual,
        IntPredicate::LLVMIntSGT => Predicate::SignedGreater,
        IntPredicate::LLVMIntSGE => Predicate::SignedGreaterEqual,
        IntPredicate::LLVMIntSLT => Predicate::SignedLess,
        IntPredicate::LLVMIntSLE => Predicate::SignedLessEqual,
    }
}
