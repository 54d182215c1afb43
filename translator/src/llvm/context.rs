//! The context: types, metadata, attributes, and what LLVM has to say.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::rc::Rc;
use std::sync::Once;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};

use super::{Function, Metadata, Type, Value, c_text, owned_text};

/// Owns types, constants and metadata; lives as long as the process (invariant 1 of the module).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context(pub(super) LLVMContextRef);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Remark,
    Note,
}

/// Something that LLVM said about the code it worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub text: String,
}

/// Prepares LLVM once for the process: targets, and options as for `opt`.
pub fn configure(options: &[&str]) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        llvm!(llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(fatal)));
        llvm!(LLVMInitializeX86TargetInfo());
        llvm!(LLVMInitializeX86Target());
        llvm!(LLVMInitializeX86TargetMC());
        llvm!(LLVMInitializeX86AsmPrinter());
        let texts: Vec<_> =
            std::iter::once(&"vicinity-translate").chain(options).map(|o| c_text(o)).collect();
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        llvm!(llvm_sys::support::LLVMParseCommandLineOptions(
            pointers.len() as i32,
            pointers.as_ptr(),
            std::ptr::null()
        ));
    });
}

impl Context {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Context {
        Context(llvm!(LLVMContextCreate()))
    }

    /// From now on every diagnostic goes into the list that is returned.
    pub fn collect_diagnostics(self) -> Rc<RefCell<Vec<Diagnostic>>> {
        let list = Rc::new(RefCell::new(Vec::new()));
        // One reference is the context's, for as long as it lives, which is for ever.
        let raw = Rc::into_raw(Rc::clone(&list)).cast_mut().cast::<c_void>();
        llvm!(LLVMContextSetDiagnosticHandler(self.0, Some(note), raw));
        list
    }

    pub fn integer(self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.0, bits)))
    }

    pub fn double(self) -> Type {
        Type(llvm!(LLVMDoubleTypeInContext(self.0)))
    }

    pub fn void(self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.0)))
    }

    pub fn pointer(self, address_space: u32) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.0, address_space)))
    }

    pub fn structure(self, members: &[Type]) -> Type {
        let mut raw: Vec<LLVMTypeRef> = members.iter().map(|member| member.0).collect();
        let count = raw.len() as u32;
        Type(llvm!(LLVMStructTypeInContext(self.0, raw.as_mut_ptr(), count, 0)))
    }

    pub fn metadata_kind(self, name: &str) -> u32 {
        llvm!(LLVMGetMDKindIDInContext(self.0, name.as_ptr().cast(), name.len() as u32))
    }

    pub(super) fn attribute_kind(self, name: &str) -> u32 {
        llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
    }

    pub(super) fn text_attribute(self, name: &str, value: &str) -> LLVMAttributeRef {
        llvm!(LLVMCreateStringAttribute(
            self.0,
            name.as_ptr().cast(),
            name.len() as u32,
            value.as_ptr().cast(),
            value.len() as u32
        ))
    }

    pub fn metadata_text(self, text: &str) -> Metadata {
        Metadata(llvm!(LLVMMDStringInContext2(self.0, text.as_ptr().cast(), text.len())))
    }

    pub fn metadata_node(self, operands: &[Metadata]) -> Metadata {
        let mut raw: Vec<LLVMMetadataRef> = operands.iter().map(|operand| operand.0).collect();
        Metadata(llvm!(LLVMMDNodeInContext2(self.0, raw.as_mut_ptr(), raw.len())))
    }

    pub fn metadata_value(self, value: Value) -> Metadata {
        Metadata(llvm!(LLVMValueAsMetadata(value.0)))
    }

    /// A place in the source of `function`, if there is information about that.
    pub fn source_place(self, function: Function, line: u32, column: u32) -> Option<Metadata> {
        use llvm_sys::debuginfo::{LLVMDIBuilderCreateDebugLocation, LLVMGetSubprogram};
        let scope = llvm!(LLVMGetSubprogram(function.0.0));
        (!scope.is_null()).then(|| {
            let outside = std::ptr::null_mut();
            Metadata(llvm!(LLVMDIBuilderCreateDebugLocation(self.0, line, column, scope, outside)))
        })
    }

    /// A node that is equal to no other: its first operand is itself, as `llvm.loop` wants it.
    pub fn metadata_loop(self, properties: &[Metadata]) -> Metadata {
        use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
        let temporary = Metadata(llvm!(LLVMTemporaryMDNode(self.0, std::ptr::null_mut(), 0)));
        let mut operands = vec![temporary];
        operands.extend_from_slice(properties);
        let node = self.metadata_node(&operands);
        llvm!(LLVMMetadataReplaceAllUsesWith(temporary.0, node.0));
        node
    }
}

/// Ends the process where LLVM cannot go on.
extern "C" fn fatal(reason: *const c_char) {
    let reason = llvm!(std::ffi::CStr::from_ptr(reason)).to_string_lossy();
    vicinity_output::tell(format!("vicinity-translate: a fault of LLVM: {reason}"));
    std::process::exit(3);
}

/// Keeps one diagnostic in the list behind `list`.
extern "C" fn note(diagnostic: LLVMDiagnosticInfoRef, list: *mut c_void) {
    let severity = match llvm!(LLVMGetDiagInfoSeverity(diagnostic)) {
        LLVMDiagnosticSeverity::LLVMDSError => Severity::Error,
        LLVMDiagnosticSeverity::LLVMDSWarning => Severity::Warning,
        LLVMDiagnosticSeverity::LLVMDSRemark => Severity::Remark,
        LLVMDiagnosticSeverity::LLVMDSNote => Severity::Note,
    };
    let text = owned_text(llvm!(LLVMGetDiagInfoDescription(diagnostic)));
    if severity == Severity::Remark && !text.contains("vectoriz") {
        return; // Every pass has remarks once one is asked for them.
    }
    // SAFETY: `collect_diagnostics` gave this pointer together with a reference that is never given back.
    let list = unsafe { &*list.cast::<RefCell<Vec<Diagnostic>>>() };
    list.borrow_mut().push(Diagnostic { severity, text });
}
