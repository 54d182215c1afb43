//! Builds instructions at a place.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{
    AtomicOperation, Block, Context, Function, IntPredicate, Metadata, Opcode, Type, Value,
};

/// A place in a function, and the making of instructions there.
pub struct Builder {
    pub(super) raw: LLVMBuilderRef,
    pub(super) context: Context,
}

impl Drop for Builder {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.raw));
    }
}

const UNNAMED: *const std::ffi::c_char = c"".as_ptr();

/// The same number, which wraps neither as signed nor as unsigned, if it is computed.
fn never_wraps(made: Value) -> Value {
    if made.is_instruction() {
        llvm!(LLVMSetNSW(made.0, 1));
        llvm!(LLVMSetNUW(made.0, 1));
    }
    made
}

impl Builder {
    pub fn new(context: Context) -> Builder {
        Builder { raw: llvm!(LLVMCreateBuilderInContext(context.0)), context }
    }

    pub fn at_end(context: Context, block: Block) -> Builder {
        let builder = Builder::new(context);
        builder.move_to_end(block);
        builder
    }

    pub fn before(context: Context, instruction: Value) -> Builder {
        let builder = Builder::new(context);
        builder.move_before(instruction);
        builder
    }

    /// In front of all that `function` does: the place of its variables.
    pub fn at_start(context: Context, function: Function) -> Builder {
        let first = function.entry().first().expect("a block has a terminator");
        Builder::before(context, first)
    }

    pub fn move_to_end(&self, block: Block) {
        llvm!(LLVMPositionBuilderAtEnd(self.raw, block.0));
    }

    /// Takes over the instruction's source position too.
    pub fn move_before(&self, instruction: Value) {
        llvm!(LLVMPositionBuilderBefore(self.raw, instruction.0));
    }

    pub fn block(&self) -> Block {
        Block(llvm!(LLVMGetInsertBlock(self.raw)))
    }

    pub fn context(&self) -> Context {
        self.context
    }

    /// The source position of what is built from here on.
    pub fn set_debug_location(&self, location: Option<Metadata>) {
        let raw = location.map_or(std::ptr::null_mut(), |location| location.0);
        llvm!(LLVMSetCurrentDebugLocation2(self.raw, raw));
    }

    /// Puts an instruction that stands nowhere here, with its own source position.
    pub fn insert(&self, instruction: Value) {
        llvm!(LLVMInsertIntoBuilder(self.raw, instruction.0));
    }

    pub fn word(&self, value: u64) -> Value {
        self.context.integer(64).constant(value)
    }

    pub fn add(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildAdd(self.raw, a.0, b.0, UNNAMED)))
    }

    /// A subtraction that is known to wrap neither as signed nor as unsigned.
    pub fn sub_exact(&self, a: Value, b: Value) -> Value {
        never_wraps(self.sub(a, b))
    }

    /// An addition that is known to wrap neither as signed nor as unsigned.
    pub fn add_exact(&self, a: Value, b: Value) -> Value {
        never_wraps(self.add(a, b))
    }

    /// An addition that is known not to wrap as one of signed numbers.
    pub fn add_signed(&self, a: Value, b: Value) -> Value {
        self.binary_signed(Opcode::LLVMAdd, a, b)
    }

    /// The same for subtractions and multiplications.
    pub fn binary_signed(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        let made = self.binary(opcode, a, b);
        if made.is_instruction() {
            llvm!(LLVMSetNSW(made.0, 1));
        }
        made
    }

    /// An addition that is known not to wrap as one of unsigned numbers.
    pub fn add_unsigned(&self, a: Value, b: Value) -> Value {
        let sum = self.add(a, b);
        if sum.is_instruction() {
            llvm!(LLVMSetNUW(sum.0, 1));
        }
        sum
    }

    pub fn sub(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildSub(self.raw, a.0, b.0, UNNAMED)))
    }

    /// An operation on two numbers, without promises.
    pub fn binary(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildBinOp(self.raw, opcode, a.0, b.0, UNNAMED)))
    }

    pub fn and(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildAnd(self.raw, a.0, b.0, UNNAMED)))
    }

    pub fn or(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildOr(self.raw, a.0, b.0, UNNAMED)))
    }

    /// The other bits.
    pub fn not(&self, value: Value) -> Value {
        Value(llvm!(LLVMBuildNot(self.raw, value.0, UNNAMED)))
    }

    pub fn mul(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildMul(self.raw, a.0, b.0, UNNAMED)))
    }

    /// A multiplication that is known to wrap neither as signed nor as unsigned.
    pub fn mul_exact(&self, a: Value, b: Value) -> Value {
        never_wraps(self.mul(a, b))
    }

    pub fn udiv(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildUDiv(self.raw, a.0, b.0, UNNAMED)))
    }

    pub fn urem(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildURem(self.raw, a.0, b.0, UNNAMED)))
    }

    /// Of numbers in floating point.
    pub fn divide(&self, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildFDiv(self.raw, a.0, b.0, UNNAMED)))
    }

    /// A product of numbers in floating point, with the relaxations of `like`.
    pub fn multiply_as(&self, like: Value, a: Value, b: Value) -> Value {
        let product = Value(llvm!(LLVMBuildFMul(self.raw, a.0, b.0, UNNAMED)));
        if product.is_instruction() {
            llvm!(LLVMSetFastMathFlags(product.0, LLVMGetFastMathFlags(like.0)));
        }
        product
    }

    pub fn compare(&self, predicate: IntPredicate, a: Value, b: Value) -> Value {
        Value(llvm!(LLVMBuildICmp(self.raw, predicate, a.0, b.0, UNNAMED)))
    }

    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(llvm!(LLVMBuildSelect(self.raw, condition.0, yes.0, no.0, UNNAMED)))
    }

    pub fn minimum(&self, a: Value, b: Value) -> Value {
        let less = self.compare(IntPredicate::LLVMIntULT, a, b);
        self.select(less, a, b)
    }

    pub fn maximum(&self, a: Value, b: Value) -> Value {
        let less = self.compare(IntPredicate::LLVMIntULT, a, b);
        self.select(less, b, a)
    }

    pub fn cast(&self, opcode: Opcode, value: Value, to: Type) -> Value {
        Value(llvm!(LLVMBuildCast(self.raw, opcode, value.0, to.0, UNNAMED)))
    }

    /// To another address space, or as it is.
    pub fn address_space_cast(&self, value: Value, to: Type) -> Value {
        if value.ty() == to { value } else { self.cast(Opcode::LLVMAddrSpaceCast, value, to) }
    }

    /// Zero-extends or truncates an integer to another width, or leaves it.
    pub fn resize(&self, value: Value, to: Type) -> Value {
        match value.ty().integer_bits().cmp(&to.integer_bits()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.cast(Opcode::LLVMZExt, value, to),
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, value, to),
        }
    }

    /// As `resize` for integers; anything else already has the type.
    pub fn resize_any(&self, value: Value, to: Type) -> Value {
        if value.ty() == to { value } else { self.resize(value, to) }
    }

    /// `pointer` plus `bytes`, inside one object.
    pub fn offset(&self, pointer: Value, bytes: Value) -> Value {
        self.element(self.context.integer(8), pointer, &[bytes])
    }

    /// An inbounds getelementptr.
    pub fn element(&self, ty: Type, pointer: Value, indices: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = indices.iter().map(|index| index.0).collect();
        let count = raw.len() as u32;
        Value(llvm!(LLVMBuildInBoundsGEP2(
            self.raw,
            ty.0,
            pointer.0,
            raw.as_mut_ptr(),
            count,
            UNNAMED
        )))
    }

    /// A getelementptr that may leave its object.
    pub fn element_anywhere(&self, ty: Type, pointer: Value, indices: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = indices.iter().map(|index| index.0).collect();
        let count = raw.len() as u32;
        Value(llvm!(LLVMBuildGEP2(self.raw, ty.0, pointer.0, raw.as_mut_ptr(), count, UNNAMED)))
    }

    pub fn alloca(&self, ty: Type) -> Value {
        Value(llvm!(LLVMBuildAlloca(self.raw, ty.0, UNNAMED)))
    }

    pub fn load(&self, ty: Type, from: Value) -> Value {
        Value(llvm!(LLVMBuildLoad2(self.raw, ty.0, from.0, UNNAMED)))
    }

    pub fn store(&self, value: Value, to: Value) -> Value {
        Value(llvm!(LLVMBuildStore(self.raw, value.0, to.0)))
    }

    /// An operation on what is there that orders memory as a compare and exchange of it would.
    pub fn atomic(
        &self,
        operation: AtomicOperation,
        place: Value,
        number: Value,
        like: Value,
    ) -> Value {
        let order = llvm!(LLVMGetCmpXchgSuccessOrdering(like.0));
        let made =
            Value(llvm!(LLVMBuildAtomicRMW(self.raw, operation, place.0, number.0, order, 0)));
        made.set_debug_location(like.debug_location());
        made
    }

    /// The component `index` of a vector.
    pub fn component(&self, vector: Value, index: u64) -> Value {
        let index = self.context.integer(32).constant(index);
        Value(llvm!(LLVMBuildExtractElement(self.raw, vector.0, index.0, UNNAMED)))
    }

    /// The vector of these components.
    pub fn vector(&self, components: &[Value]) -> Value {
        let first = components.first().expect("a vector has components");
        let nothing = first.ty().vector(components.len() as u64).poison();
        let number = self.context.integer(32);
        components.iter().zip(0..).fold(nothing, |vector, (component, index)| {
            let index = number.constant(index);
            Value(llvm!(LLVMBuildInsertElement(self.raw, vector.0, component.0, index.0, UNNAMED)))
        })
    }

    /// A structure or an array of these members.
    pub fn aggregate(&self, ty: Type, members: &[Value]) -> Value {
        let nothing = Value(llvm!(LLVMGetUndef(ty.0)));
        members.iter().zip(0..).fold(nothing, |whole, (member, index)| {
            Value(llvm!(LLVMBuildInsertValue(self.raw, whole.0, member.0, index, UNNAMED)))
        })
    }

    /// Copies between two places that do not overlap, both with this alignment.
    pub fn copy_bytes(&self, to: Value, from: Value, bytes: u64, alignment: u64) {
        let (alignment, size) = (alignment as u32, self.word(bytes));
        llvm!(LLVMBuildMemCpy(self.raw, to.0, alignment, from.0, alignment, size.0));
    }

    pub fn phi(&self, ty: Type) -> Value {
        Value(llvm!(LLVMBuildPhi(self.raw, ty.0, UNNAMED)))
    }

    pub fn call(&self, function: Function, arguments: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.0).collect();
        let count = raw.len() as u32;
        Value(llvm!(LLVMBuildCall2(
            self.raw,
            function.ty().0,
            function.0.0,
            raw.as_mut_ptr(),
            count,
            UNNAMED
        )))
    }

    /// The end of the stack: all variables of the function lie between it and the address of its frame.
    pub fn stack_pointer(&self) -> Value {
        const NAME: &str = "llvm.stacksave";
        let module = llvm!(LLVMGetGlobalParent(self.block().function().0.0));
        let number = llvm!(LLVMLookupIntrinsicID(NAME.as_ptr().cast(), NAME.len()));
        let mut ty = [self.context.pointer(0).0];
        let function = llvm!(LLVMGetIntrinsicDeclaration(module, number, ty.as_mut_ptr(), 1));
        self.call(Function(Value(function)), &[])
    }

    /// Calls a function of type `ty` at an address.
    pub fn call_pointer(&self, ty: Type, function: Value, arguments: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.0).collect();
        let count = raw.len() as u32;
        Value(llvm!(LLVMBuildCall2(self.raw, ty.0, function.0, raw.as_mut_ptr(), count, UNNAMED)))
    }

    /// The pointer to an address that is a number.
    pub fn address_of(&self, number: Value) -> Value {
        self.cast(Opcode::LLVMIntToPtr, number, self.context.pointer(0))
    }

    pub fn return_value(&self, value: Value) -> Value {
        Value(llvm!(LLVMBuildRet(self.raw, value.0)))
    }

    pub fn branch(&self, to: Block) -> Value {
        Value(llvm!(LLVMBuildBr(self.raw, to.0)))
    }

    pub fn branch_if(&self, condition: Value, yes: Block, no: Block) -> Value {
        Value(llvm!(LLVMBuildCondBr(self.raw, condition.0, yes.0, no.0)))
    }

    pub fn unreachable(&self) -> Value {
        Value(llvm!(LLVMBuildUnreachable(self.raw)))
    }

    /// To the block of the case that `value` is, or else to `otherwise`.
    pub fn switch(&self, value: Value, otherwise: Block, cases: &[(Value, Block)]) -> Value {
        let count = cases.len() as u32;
        let switch = Value(llvm!(LLVMBuildSwitch(self.raw, value.0, otherwise.0, count)));
        for (case, block) in cases {
            llvm!(LLVMAddCase(switch.0, case.0, block.0));
        }
        switch
    }

    pub fn return_void(&self) -> Value {
        Value(llvm!(LLVMBuildRetVoid(self.raw)))
    }
}
