//! Modules: reading, writing, linking, and what they contain.

use llvm_sys::LLVMLinkage;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::{LLVMGetBitcodeModuleInContext2, LLVMParseBitcodeInContext2};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};

use super::{Context, Function, Machine, Metadata, Type, Value, c_text, owned_text, taken_bytes};

/// Functions and globals. Dropping it ends them all.
pub struct Module {
    pub(super) raw: LLVMModuleRef,
    context: Context,
}

impl Drop for Module {
    fn drop(&mut self) {
        llvm!(LLVMDisposeModule(self.raw));
    }
}

impl Module {
    pub fn new(context: Context, name: &str) -> Module {
        let name = c_text(name);
        Module { raw: llvm!(LLVMModuleCreateWithNameInContext(name.as_ptr(), context.0)), context }
    }

    /// Reads bitcode; what is wrong with it goes to the context's diagnostics.
    pub fn from_bitcode(context: Context, bytes: &[u8]) -> Option<Module> {
        let buffer = llvm!(LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            c"bitcode".as_ptr()
        ));
        let mut raw = std::ptr::null_mut();
        let failed = llvm!(LLVMParseBitcodeInContext2(context.0, buffer, &mut raw));
        llvm!(LLVMDisposeMemoryBuffer(buffer));
        (failed == 0).then_some(Module { raw, context })
    }

    /// Reads what is in a module of bitcode, and the bodies of its functions only as they are linked elsewhere.
    pub fn from_bitcode_lazily(context: Context, bytes: &'static [u8]) -> Option<Module> {
        let buffer = llvm!(LLVMCreateMemoryBufferWithMemoryRange(
            bytes.as_ptr().cast(),
            bytes.len(),
            c"bitcode".as_ptr(),
            0
        ));
        let mut raw = std::ptr::null_mut();
        // Takes the buffer over, which refers to the bytes.
        let failed = llvm!(LLVMGetBitcodeModuleInContext2(context.0, buffer, &mut raw));
        (failed == 0).then_some(Module { raw, context })
    }

    /// Reads LLVM's assembly language.
    pub fn from_text(context: Context, text: &str) -> Result<Module, String> {
        let buffer = llvm!(LLVMCreateMemoryBufferWithMemoryRangeCopy(
            text.as_ptr().cast(),
            text.len(),
            c"text".as_ptr()
        ));
        let mut raw = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // Takes the buffer over.
        match llvm!(LLVMParseIRInContext(context.0, buffer, &mut raw, &mut message)) {
            0 => Ok(Module { raw, context }),
            _ => Err(owned_text(message)),
        }
    }

    pub fn context(&self) -> Context {
        self.context
    }

    pub fn to_bitcode(&self) -> Vec<u8> {
        taken_bytes(llvm!(LLVMWriteBitcodeToMemoryBuffer(self.raw)))
    }

    /// Moves everything of `other` in here; what does not fit together goes to the context's diagnostics.
    pub fn link(&mut self, other: Module) -> bool {
        let raw = other.raw;
        std::mem::forget(other); // The linker ends it, whether it succeeds or not.
        llvm!(LLVMLinkModules2(self.raw, raw)) == 0
    }

    pub fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = llvm!(LLVMVerifyModule(self.raw, action, &mut message)) != 0;
        let text = owned_text(message);
        if broken { Err(text) } else { Ok(()) }
    }

    /// Stops debug builds where `pass` left a function against LLVM's rules.
    pub fn check(&self, function: Function, pass: &str) {
        let said = || self.verify().err().unwrap_or_default();
        debug_assert!(function.is_valid(), "{pass}, {}: {}", function.name(), said());
    }

    /// The same of all functions.
    pub fn check_all(&self, pass: &str) {
        debug_assert_eq!(self.verify(), Ok(()), "{pass}");
    }

    pub fn strip_debug_information(&self) {
        llvm!(llvm_sys::debuginfo::LLVMStripModuleDebugInfo(self.raw));
    }

    /// Makes the module one for `machine`: its triple and its data layout.
    pub fn retarget(&self, machine: &Machine) {
        let triple = c_text(machine.triple());
        llvm!(LLVMSetTarget(self.raw, triple.as_ptr()));
        let layout = c_text(&machine.layout_text());
        llvm!(LLVMSetDataLayout(self.raw, layout.as_ptr()));
    }

    /// Bytes from one element of an array of `ty` to the next, as the module has it.
    pub fn size_bytes(&self, ty: Type) -> u64 {
        llvm!(LLVMABISizeOfType(LLVMGetModuleDataLayout(self.raw), ty.0))
    }

    pub fn functions(&self) -> Vec<Function> {
        let first = Value::some(llvm!(LLVMGetFirstFunction(self.raw)));
        std::iter::successors(first, |at| Value::some(llvm!(LLVMGetNextFunction(at.0))))
            .map(Function)
            .collect()
    }

    pub fn function(&self, name: &str) -> Option<Function> {
        let name = c_text(name);
        Value::some(llvm!(LLVMGetNamedFunction(self.raw, name.as_ptr()))).map(Function)
    }

    pub fn add_function(&self, name: &str, ty: Type) -> Function {
        let name = c_text(name);
        Function(Value(llvm!(LLVMAddFunction(self.raw, name.as_ptr(), ty.0))))
    }

    /// The function `name`, declared with this type unless the module has it.
    pub fn declared(&self, name: &str, ty: Type) -> Function {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// Keeps passes from dropping `values`, functions or variables that nothing refers to. Called once for a module.
    pub fn keep(&self, values: &[Value]) {
        let mut raw: Vec<_> = values.iter().map(|value| value.0).collect();
        let pointer = self.context.pointer(0);
        let list = llvm!(LLVMConstArray2(pointer.0, raw.as_mut_ptr(), raw.len() as u64));
        let ty = pointer.array(raw.len() as u64);
        let global = llvm!(LLVMAddGlobal(self.raw, ty.0, c"llvm.compiler.used".as_ptr()));
        llvm!(LLVMSetInitializer(global, list));
        llvm!(LLVMSetLinkage(global, LLVMLinkage::LLVMAppendingLinkage));
        llvm!(LLVMSetSection(global, c"llvm.metadata".as_ptr()));
    }

    /// A constant array of `numbers`, integers of a type.
    pub fn table(&self, ty: Type, numbers: &[u64]) -> Value {
        let mut raw: Vec<_> = numbers.iter().map(|&number| ty.constant(number).0).collect();
        let count = raw.len() as u64;
        let list = llvm!(LLVMConstArray2(ty.0, raw.as_mut_ptr(), count));
        let global = llvm!(LLVMAddGlobal(self.raw, ty.array(count).0, c"table".as_ptr()));
        llvm!(LLVMSetInitializer(global, list));
        llvm!(LLVMSetGlobalConstant(global, 1));
        llvm!(LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage));
        Value(global)
    }

    /// Lets go what [`Module::keep`] kept.
    pub fn forget_kept(&self) {
        let kept = llvm!(LLVMGetNamedGlobal(self.raw, c"llvm.compiler.used".as_ptr()));
        if !kept.is_null() {
            llvm!(LLVMDeleteGlobal(kept));
        }
    }

    pub fn globals(&self) -> Vec<Value> {
        let first = Value::some(llvm!(LLVMGetFirstGlobal(self.raw)));
        std::iter::successors(first, |at| Value::some(llvm!(LLVMGetNextGlobal(at.0)))).collect()
    }

    /// The operands of the named metadata `name`.
    pub fn named_metadata(&self, name: &str) -> Vec<Metadata> {
        let name = c_text(name);
        let count = llvm!(LLVMGetNamedMetadataNumOperands(self.raw, name.as_ptr())) as usize;
        let mut operands = vec![std::ptr::null_mut(); count];
        llvm!(LLVMGetNamedMetadataOperands(self.raw, name.as_ptr(), operands.as_mut_ptr()));
        operands.into_iter().map(|operand| Metadata(llvm!(LLVMValueAsMetadata(operand)))).collect()
    }
}

impl std::fmt::Display for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&owned_text(llvm!(LLVMPrintModuleToString(self.raw))))
    }
}
