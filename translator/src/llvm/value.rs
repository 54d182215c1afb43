//! Values: constants, arguments, instructions; and metadata.

use std::ffi::c_uint;

use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;

use super::{AtomicOperation, Block, Context, Function, IntPredicate, Opcode, RealPredicate, Type};
use super::{borrowed_text, owned_text};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(pub(super) LLVMValueRef);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata(pub(super) LLVMMetadataRef);

/// What every value has.
impl Value {
    pub(super) fn some(raw: LLVMValueRef) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    pub fn kind(self) -> LLVMValueKind {
        llvm!(LLVMGetValueKind(self.0))
    }

    pub fn ty(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    pub fn name(self) -> String {
        let mut length = 0;
        let name = llvm!(LLVMGetValueName2(self.0, &mut length));
        borrowed_text(name, length)
    }

    pub fn set_name(self, name: &str) {
        llvm!(LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()));
    }

    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    pub fn is_constant_expression(self) -> bool {
        self.kind() == LLVMValueKind::LLVMConstantExprValueKind
    }

    /// A constant that is made of others: an expression, a vector, a structure, an array.
    pub fn is_composed_constant(self) -> bool {
        use LLVMValueKind::{
            LLVMConstantArrayValueKind, LLVMConstantStructValueKind, LLVMConstantVectorValueKind,
        };
        self.is_constant_expression()
            || matches!(
                self.kind(),
                LLVMConstantVectorValueKind
                    | LLVMConstantStructValueKind
                    | LLVMConstantArrayValueKind
            )
    }

    pub fn is_undefined(self) -> bool {
        llvm!(LLVMIsUndef(self.0)) != 0
    }

    /// Whether this is a constant without any bit set.
    pub fn is_null(self) -> bool {
        llvm!(LLVMIsNull(self.0)) != 0
    }

    pub fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    pub fn as_function(self) -> Option<Function> {
        (self.kind() == LLVMValueKind::LLVMFunctionValueKind).then_some(Function(self))
    }

    /// The value of an integer constant of at most 64 bits, zero-extended.
    pub fn unsigned(self) -> Option<u64> {
        let known = self.kind() == LLVMValueKind::LLVMConstantIntValueKind
            && self.ty().integer_bits() <= 64;
        known.then(|| llvm!(LLVMConstIntGetZExtValue(self.0)))
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    pub fn signed(self) -> Option<i64> {
        self.unsigned().map(|_| llvm!(LLVMConstIntGetSExtValue(self.0)))
    }

    /// The value of a constant in floating point.
    pub fn real(self) -> Option<f64> {
        let is_real = self.kind() == LLVMValueKind::LLVMConstantFPValueKind;
        let mut inexact = 0;
        is_real.then(|| llvm!(LLVMConstRealGetDouble(self.0, &raw mut inexact)))
    }

    pub fn operand_count(self) -> usize {
        llvm!(LLVMGetNumOperands(self.0)).max(0) as usize
    }

    /// The operand at `index`; of a branch's operands, blocks are values too.
    pub fn operand(self, index: usize) -> Value {
        assert!(index < self.operand_count(), "an operand that is there");
        Value(llvm!(LLVMGetOperand(self.0, index as c_uint)))
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    pub fn set_operand(self, index: usize, to: Value) {
        assert!(index < self.operand_count(), "an operand that is there");
        llvm!(LLVMSetOperand(self.0, index as c_uint, to.0));
    }

    /// Everything that has this value as an operand, once for each such operand.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut used = llvm!(LLVMGetFirstUse(self.0));
        while !used.is_null() {
            users.push(Value(llvm!(LLVMGetUser(used))));
            used = llvm!(LLVMGetNextUse(used));
        }
        users
    }

    pub fn is_used(self) -> bool {
        !llvm!(LLVMGetFirstUse(self.0)).is_null()
    }

    pub fn replace_uses(self, with: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.0, with.0));
    }

    /// The block that this value is, where it is one.
    pub fn as_block(self) -> Option<Block> {
        (llvm!(LLVMValueIsBasicBlock(self.0)) != 0)
            .then(|| Block(llvm!(LLVMValueAsBasicBlock(self.0))))
    }
}

/// Instructions. Each method says what it does for values that are something else.
impl Value {
    /// Of an instruction or a constant expression.
    pub fn opcode(self) -> Option<Opcode> {
        if self.is_instruction() {
            Some(llvm!(LLVMGetInstructionOpcode(self.0)))
        } else if self.is_constant_expression() {
            Some(llvm!(LLVMGetConstOpcode(self.0)))
        } else {
            None
        }
    }

    pub fn is_opcode(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    fn instruction(self) -> LLVMValueRef {
        assert!(self.is_instruction(), "an instruction");
        self.0
    }

    pub fn parent(self) -> Option<Block> {
        Block::some(llvm!(LLVMGetInstructionParent(self.instruction())))
    }

    pub fn next(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetNextInstruction(self.instruction())))
    }

    pub fn is_terminator(self) -> bool {
        !llvm!(LLVMIsATerminatorInst(self.instruction())).is_null()
    }

    pub fn successors(self) -> Vec<Block> {
        if !self.is_instruction() || !self.is_terminator() {
            return Vec::new();
        }
        let count = llvm!(LLVMGetNumSuccessors(self.0));
        (0..count).map(|index| Block(llvm!(LLVMGetSuccessor(self.0, index)))).collect()
    }

    pub fn set_successor(self, index: usize, to: Block) {
        assert!(index < self.successors().len(), "a successor that is there");
        llvm!(LLVMSetSuccessor(self.0, index as c_uint, to.0));
    }

    /// The condition of a branch that has one, and of a switch.
    pub fn condition(self) -> Option<Value> {
        match self.opcode()? {
            Opcode::LLVMBr => (llvm!(LLVMIsConditional(self.0)) != 0)
                .then(|| Value(llvm!(LLVMGetCondition(self.0)))),
            Opcode::LLVMSwitch => Some(self.operand(0)),
            _ => None,
        }
    }

    /// Of a branch that has one, and of a switch.
    pub fn set_condition(self, to: Value) {
        match self.opcode() {
            Some(Opcode::LLVMSwitch) => self.set_operand(0, to),
            Some(Opcode::LLVMBr) if llvm!(LLVMIsConditional(self.0)) != 0 => {
                llvm!(LLVMSetCondition(self.0, to.0));
            }
            _ => panic!("a branch with a condition"),
        }
    }

    /// What a call names, where that is known.
    pub fn called(self) -> Option<Function> {
        if !self.is_opcode(Opcode::LLVMCall) {
            return None;
        }
        Value::some(llvm!(LLVMGetCalledValue(self.0)))?.as_function()
    }

    /// Whether a call says from or up to where the memory of a variable is used.
    pub fn is_lifetime_marker(self) -> bool {
        self.called().is_some_and(|called| called.name().starts_with("llvm.lifetime."))
    }

    /// Where a call copies memory to, and from where; none if it does anything else.
    pub fn copies(self) -> Option<(Value, Value)> {
        let is_copy = self.intrinsic_name().is_some_and(|name| name == "llvm.memcpy");
        is_copy.then(|| (self.operand(0), self.operand(1)))
    }

    /// The arguments of a call.
    pub fn call_arguments(self) -> Vec<Value> {
        if !self.is_opcode(Opcode::LLVMCall) {
            return Vec::new();
        }
        let count = llvm!(LLVMGetNumArgOperands(self.0)) as usize;
        (0..count).map(|index| self.operand(index)).collect()
    }

    pub fn set_calling_convention(self, convention: u32) {
        assert!(self.is_opcode(Opcode::LLVMCall), "a call");
        llvm!(LLVMSetInstructionCallConv(self.0, convention));
    }

    /// The values of a phi and the blocks they come from.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        if !self.is_opcode(Opcode::LLVMPHI) {
            return Vec::new();
        }
        let count = llvm!(LLVMCountIncoming(self.0));
        (0..count)
            .map(|index| {
                let value = Value(llvm!(LLVMGetIncomingValue(self.0, index)));
                (value, Block(llvm!(LLVMGetIncomingBlock(self.0, index))))
            })
            .collect()
    }

    /// The value of a phi on the edge from a block, if there is one.
    pub fn incoming_from(self, block: Block) -> Option<Value> {
        self.incoming().into_iter().find(|&(_, from)| from == block).map(|(value, _)| value)
    }

    pub fn add_incoming(self, value: Value, block: Block) {
        assert!(self.is_opcode(Opcode::LLVMPHI), "a phi");
        let (mut value, mut block) = (value.0, block.0);
        llvm!(LLVMAddIncoming(self.0, &mut value, &mut block, 1));
    }

    pub fn int_predicate(self) -> Option<IntPredicate> {
        self.is_opcode(Opcode::LLVMICmp).then(|| llvm!(LLVMGetICmpPredicate(self.0)))
    }

    pub fn real_predicate(self) -> Option<RealPredicate> {
        self.is_opcode(Opcode::LLVMFCmp).then(|| llvm!(LLVMGetFCmpPredicate(self.0)))
    }

    /// What a getelementptr indexes.
    pub fn source_type(self) -> Option<Type> {
        self.is_opcode(Opcode::LLVMGetElementPtr)
            .then(|| Type(llvm!(LLVMGetGEPSourceElementType(self.0))))
    }

    pub fn is_inbounds(self) -> bool {
        self.is_opcode(Opcode::LLVMGetElementPtr) && llvm!(LLVMIsInBounds(self.0)) != 0
    }

    /// What an alloca makes room for.
    pub fn allocated_type(self) -> Option<Type> {
        self.is_opcode(Opcode::LLVMAlloca).then(|| Type(llvm!(LLVMGetAllocatedType(self.0))))
    }

    /// The aggregate's indices of an extractvalue or insertvalue.
    pub fn indices(self) -> Vec<u32> {
        if !matches!(self.opcode(), Some(Opcode::LLVMExtractValue | Opcode::LLVMInsertValue)) {
            return Vec::new();
        }
        let count = llvm!(LLVMGetNumIndices(self.0)) as usize;
        let first = llvm!(LLVMGetIndices(self.0));
        // SAFETY: LLVM keeps this many indices from this address on, as long as the instruction lives.
        (0..count).map(|index| unsafe { *first.add(index) }).collect()
    }

    /// Whether an arithmetic instruction may be assumed not to overflow: signed, unsigned.
    pub fn no_wrap(self) -> (bool, bool) {
        match self.opcode() {
            Some(
                Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMShl
                | Opcode::LLVMTrunc,
            ) if self.is_instruction() => {
                (llvm!(LLVMGetNSW(self.0)) != 0, llvm!(LLVMGetNUW(self.0)) != 0)
            }
            _ => (false, false),
        }
    }

    /// Whether the operands of an or may be assumed to share no bit.
    pub fn is_disjoint(self) -> bool {
        self.is_instruction()
            && self.is_opcode(Opcode::LLVMOr)
            && llvm!(LLVMGetIsDisjoint(self.0)) != 0
    }

    /// Whether what a zext extends may be assumed to be not negative.
    pub fn is_nonnegative(self) -> bool {
        self.is_instruction() && self.is_opcode(Opcode::LLVMZExt) && llvm!(LLVMGetNNeg(self.0)) != 0
    }

    /// Alignment in bytes of a load, a store, an alloca or a global.
    pub fn alignment(self) -> u32 {
        match self.opcode() {
            Some(Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAlloca) => {
                llvm!(LLVMGetAlignment(self.0))
            }
            None if self.is_global_variable() => llvm!(LLVMGetAlignment(self.0)),
            _ => 0,
        }
    }

    pub fn set_alignment(self, bytes: u32) {
        llvm!(LLVMSetAlignment(self.0, bytes));
    }

    /// Where a load or a store goes to.
    pub fn address(self) -> Option<Value> {
        match self.opcode()? {
            Opcode::LLVMLoad => Some(self.operand(0)),
            Opcode::LLVMStore => Some(self.operand(1)),
            _ => None,
        }
    }

    /// The type of what a load or a store moves.
    pub fn moved_type(self) -> Option<Type> {
        match self.opcode()? {
            Opcode::LLVMLoad => Some(self.ty()),
            Opcode::LLVMStore => Some(self.operand(0).ty()),
            _ => None,
        }
    }

    /// What an address is made of, behind all steps and changes of type and space.
    pub fn root(self) -> Value {
        use Opcode::{LLVMAddrSpaceCast, LLVMBitCast, LLVMGetElementPtr};
        let mut at = self;
        while let Some(LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast) = at.opcode() {
            at = at.operand(0);
        }
        at
    }

    /// Of a load or a store.
    pub fn is_volatile(self) -> bool {
        matches!(self.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore))
            && llvm!(LLVMGetVolatile(self.0)) != 0
    }

    /// Of a load or a store.
    pub fn is_atomic(self) -> bool {
        matches!(self.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore))
            && llvm!(LLVMGetOrdering(self.0))
                != llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// What an `atomicrmw` does to the number that it finds.
    pub fn atomic_operation(self) -> Option<AtomicOperation> {
        self.is_opcode(Opcode::LLVMAtomicRMW).then(|| llvm!(LLVMGetAtomicRMWBinOp(self.0)))
    }

    /// Whether an atomic operation orders nothing but itself.
    pub fn is_relaxed(self) -> bool {
        use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic as RELAXED;
        match self.opcode() {
            Some(Opcode::LLVMAtomicRMW) => llvm!(LLVMGetOrdering(self.0)) == RELAXED,
            Some(Opcode::LLVMAtomicCmpXchg) => {
                llvm!(LLVMGetCmpXchgSuccessOrdering(self.0)) == RELAXED
            }
            _ => false,
        }
    }

    /// Lets a load be atomic, and order nothing.
    pub fn make_relaxed(self) {
        use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic as RELAXED;
        llvm!(LLVMSetOrdering(self.0, RELAXED));
    }

    /// Lets a load be one that no thread waits for, which goes if nobody uses it.
    pub fn make_plain(self) {
        llvm!(LLVMSetOrdering(self.0, llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic));
        llvm!(LLVMSetVolatile(self.0, 0));
    }

    /// The line and column in the source that an instruction comes from.
    pub fn source_position(self) -> Option<(u32, u32)> {
        if !self.is_instruction() {
            return None;
        }
        let line = llvm!(LLVMGetDebugLocLine(self.0));
        (line > 0).then(|| (line, llvm!(LLVMGetDebugLocColumn(self.0))))
    }

    pub fn debug_location(self) -> Option<Metadata> {
        Metadata::some(llvm!(LLVMInstructionGetDebugLoc(self.instruction())))
    }

    pub fn set_debug_location(self, location: Option<Metadata>) {
        let raw = location.map_or(std::ptr::null_mut(), |location| location.0);
        llvm!(LLVMInstructionSetDebugLoc(self.instruction(), raw));
    }

    /// A copy that stands nowhere yet.
    pub fn duplicate(self) -> Value {
        Value(llvm!(LLVMInstructionClone(self.instruction())))
    }

    /// Takes an instruction out of its block; it stays alive.
    pub fn unlink(self) {
        llvm!(LLVMInstructionRemoveFromParent(self.instruction()));
    }

    /// Ends an instruction that nothing uses any more.
    pub fn erase(self) {
        debug_assert!(!self.is_used(), "an erased instruction without users: {self}");
        llvm!(LLVMInstructionEraseFromParent(self.instruction()));
    }

    pub fn set_metadata(self, context: Context, kind: &str, node: Metadata) {
        let kind = context.metadata_kind(kind);
        let node = llvm!(LLVMMetadataAsValue(context.0, node.0));
        llvm!(LLVMSetMetadata(self.instruction(), kind, node));
    }

    pub fn remove_metadata(self, context: Context, kind: &str) {
        let kind = context.metadata_kind(kind);
        llvm!(LLVMSetMetadata(self.instruction(), kind, std::ptr::null_mut()));
    }

    pub fn metadata(self, context: Context, kind: &str) -> Option<Metadata> {
        let kind = context.metadata_kind(kind);
        let node = llvm!(LLVMGetMetadata(self.instruction(), kind));
        Metadata::some(if node.is_null() {
            std::ptr::null_mut()
        } else {
            llvm!(LLVMValueAsMetadata(node))
        })
    }

    /// Takes all metadata of another instruction, but for where it is in the source.
    pub fn take_metadata_of(self, context: Context, other: Value) {
        let mut count = 0;
        let of = other.instruction();
        let entries = llvm!(LLVMInstructionGetAllMetadataOtherThanDebugLoc(of, &mut count));
        for at in 0..count as u32 {
            let kind = llvm!(LLVMValueMetadataEntriesGetKind(entries, at));
            let node = llvm!(LLVMValueMetadataEntriesGetMetadata(entries, at));
            let node = llvm!(LLVMMetadataAsValue(context.0, node));
            llvm!(LLVMSetMetadata(self.instruction(), kind, node));
        }
        llvm!(LLVMDisposeValueMetadataEntries(entries));
    }

    /// Whether a quotient may be a product by a reciprocal.
    pub fn allows_reciprocals(self) -> bool {
        self.is_relaxed_by(llvm_sys::LLVMFastMathAllowReciprocal)
    }

    /// Whether a call may give what an estimate of a reciprocal gives, as programs with relaxed mathematics allow.
    pub fn allows_estimates(self) -> bool {
        let wanted = llvm_sys::LLVMFastMathAllowReciprocal | llvm_sys::LLVMFastMathApproxFunc;
        self.is_opcode(Opcode::LLVMCall) && self.is_relaxed_by(wanted)
    }

    /// Whether all of these relaxations of mathematics are granted.
    fn is_relaxed_by(self, wanted: u32) -> bool {
        llvm!(LLVMCanValueUseFastMathFlags(self.0)) != 0
            && llvm!(LLVMGetFastMathFlags(self.0)) & wanted == wanted
    }

    /// What an argument of a call is a multiple of, as far as its attribute `align` says.
    pub fn argument_alignment(self, context: Context, index: usize) -> u32 {
        let kind = context.attribute_kind("align");
        let attribute = llvm!(LLVMGetCallSiteEnumAttribute(self.0, index as u32 + 1, kind));
        if attribute.is_null() { 1 } else { llvm!(LLVMGetEnumAttributeValue(attribute)) as u32 }
    }

    pub fn set_argument_alignment(self, index: usize, bytes: u32) {
        llvm!(LLVMSetInstrParamAlignment(self.0, index as u32 + 1, bytes));
    }

    /// Adds an attribute without a value to a call.
    pub fn mark_call(self, context: Context, name: &str) {
        let kind = context.attribute_kind(name);
        let attribute = llvm!(LLVMCreateEnumAttribute(context.0, kind, 0));
        llvm!(LLVMAddCallSiteAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }

    /// Removes an attribute without a value from a call.
    pub fn remove_call_attribute(self, context: Context, name: &str) {
        assert!(self.is_opcode(Opcode::LLVMCall), "a call");
        let kind = context.attribute_kind(name);
        llvm!(LLVMRemoveCallSiteEnumAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind));
    }

    /// Adds `"name"="value"` to a call.
    pub fn add_call_attribute(self, context: Context, name: &str, value: &str) {
        assert!(self.is_opcode(Opcode::LLVMCall), "a call");
        let attribute = context.text_attribute(name, value);
        llvm!(LLVMAddCallSiteAttribute(self.0, llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }
}

/// Global variables.
impl Value {
    pub fn initializer(self) -> Option<Value> {
        if !self.is_global_variable() {
            return None;
        }
        Value::some(llvm!(LLVMGetInitializer(self.0)))
    }

    /// The text of a constant array of characters, up to the first nul.
    pub fn text(self) -> Option<String> {
        if llvm!(LLVMIsConstantString(self.0)) == 0 {
            return None;
        }
        let mut length = 0;
        let text = borrowed_text(llvm!(LLVMGetAsString(self.0, &mut length)), length);
        Some(text.split('\0').next().unwrap_or_default().to_string())
    }

    /// The bytes of a constant array of characters that this is the address of, up to a nul.
    pub fn constant_text(self) -> Option<Vec<u8>> {
        let text = self.initializer().filter(|_| self.is_global_constant())?;
        if llvm!(LLVMIsConstantString(text.0)) == 0 {
            return None;
        }
        let mut length = 0;
        let bytes = llvm!(LLVMGetAsString(text.0, &mut length));
        // SAFETY: LLVM keeps this many bytes from this address on, as long as the constant lives; they are copied at once.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
        Some(bytes.split(|&byte| byte == 0).next().unwrap_or_default().to_vec())
    }

    /// What a global variable holds, or the type of a function.
    pub fn content_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    pub fn is_global_constant(self) -> bool {
        self.is_global_variable() && llvm!(LLVMIsGlobalConstant(self.0)) != 0
    }

    /// Hides a global from other modules.
    pub fn set_internal(self) {
        assert!(self.is_global_variable(), "a global variable");
        llvm!(LLVMSetLinkage(self.0, llvm_sys::LLVMLinkage::LLVMInternalLinkage));
    }

    pub fn erase_global(self) {
        assert!(self.is_global_variable() && !self.is_used(), "a global that nothing uses");
        llvm!(LLVMDeleteGlobal(self.0));
    }
}

impl Metadata {
    fn some(raw: LLVMMetadataRef) -> Option<Metadata> {
        (!raw.is_null()).then_some(Metadata(raw))
    }

    fn value(self, context: Context) -> LLVMValueRef {
        llvm!(LLVMMetadataAsValue(context.0, self.0))
    }

    /// The operands of a node; those that are nothing are left out.
    pub fn operands(self, context: Context) -> Vec<Metadata> {
        self.values(context)
            .into_iter()
            .map(|value| Metadata(llvm!(LLVMValueAsMetadata(value.0))))
            .collect()
    }

    /// The operands of a node as values: constants as they are, others wrapped.
    pub fn values(self, context: Context) -> Vec<Value> {
        let node = self.value(context);
        if llvm!(LLVMIsAMDNode(node)).is_null() {
            return Vec::new();
        }
        let count = llvm!(LLVMGetMDNodeNumOperands(node)) as usize;
        let mut operands = vec![std::ptr::null_mut(); count];
        llvm!(LLVMGetMDNodeOperands(node, operands.as_mut_ptr()));
        operands.into_iter().filter_map(Value::some).collect()
    }

    /// The text of a string.
    pub fn text(self, context: Context) -> Option<String> {
        let value = self.value(context);
        if llvm!(LLVMIsAMDString(value)).is_null() {
            return None;
        }
        let mut length = 0;
        let text = llvm!(LLVMGetMDString(value, &mut length));
        Some(borrowed_text(text, length as usize))
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(owned_text(llvm!(LLVMPrintValueToString(self.0))).trim())
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
