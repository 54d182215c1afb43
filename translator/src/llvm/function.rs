//! Functions.

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyFunction};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine, LLVMGetSubprogram,
    LLVMSetSubprogram,
};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};

use super::{Block, Context, Metadata, Opcode, Type, Value, borrowed_text, c_text};

/// A function: a value, and blocks if it has a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function(pub Value);

impl Function {
    pub fn name(self) -> String {
        self.0.name()
    }

    pub fn has_body(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0.0)) == 0
    }

    pub fn is_intrinsic(self) -> bool {
        llvm!(LLVMGetIntrinsicID(self.0.0)) != 0
    }

    pub fn ty(self) -> Type {
        self.0.content_type()
    }

    pub fn return_type(self) -> Type {
        Type(llvm!(LLVMGetReturnType(self.ty().0)))
    }

    pub fn parameters(self) -> Vec<Value> {
        let count = llvm!(LLVMCountParams(self.0.0));
        (0..count).map(|index| Value(llvm!(LLVMGetParam(self.0.0, index)))).collect()
    }

    pub fn blocks(self) -> Vec<Block> {
        let first = Block::some(llvm!(LLVMGetFirstBasicBlock(self.0.0)));
        std::iter::successors(first, |block| Block::some(llvm!(LLVMGetNextBasicBlock(block.0))))
            .collect()
    }

    /// Those of all blocks, in their order.
    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().into_iter().flat_map(|block| block.instructions())
    }

    /// What asks for memory of an item's own.
    pub fn allocas(self) -> impl Iterator<Item = Value> {
        self.instructions().filter(|instruction| instruction.is_opcode(Opcode::LLVMAlloca))
    }

    pub fn entry(self) -> Block {
        assert!(self.has_body(), "a function with a body");
        Block(llvm!(LLVMGetEntryBasicBlock(self.0.0)))
    }

    pub fn append_block(self, context: Context, name: &str) -> Block {
        let name = c_text(name);
        Block(llvm!(LLVMAppendBasicBlockInContext(context.0, self.0.0, name.as_ptr())))
    }

    pub fn calling_convention(self) -> u32 {
        llvm!(LLVMGetFunctionCallConv(self.0.0))
    }

    pub fn set_calling_convention(self, convention: u32) {
        llvm!(LLVMSetFunctionCallConv(self.0.0, convention));
    }

    pub fn set_internal(self) {
        llvm!(LLVMSetLinkage(self.0.0, LLVMLinkage::LLVMInternalLinkage));
    }

    /// Makes the linker take the function only where something uses it.
    pub fn set_optional(self) {
        llvm!(LLVMSetLinkage(self.0.0, LLVMLinkage::LLVMLinkOnceODRLinkage));
    }

    pub fn is_external(self) -> bool {
        llvm!(LLVMGetLinkage(self.0.0)) == LLVMLinkage::LLVMExternalLinkage
    }

    /// Adds an attribute without a value, such as `alwaysinline`.
    pub fn add_attribute(self, context: Context, name: &str) {
        let kind = context.attribute_kind(name);
        let attribute = llvm!(LLVMCreateEnumAttribute(context.0, kind, 0));
        llvm!(LLVMAddAttributeAtIndex(self.0.0, LLVMAttributeFunctionIndex, attribute));
    }

    pub fn remove_attribute(self, context: Context, name: &str) {
        let kind = context.attribute_kind(name);
        llvm!(LLVMRemoveEnumAttributeAtIndex(self.0.0, LLVMAttributeFunctionIndex, kind));
    }

    /// Whether it neither reads nor writes memory: `memory(none)`.
    pub fn touches_no_memory(self, context: Context) -> bool {
        let kind = context.attribute_kind("memory");
        let attribute =
            llvm!(LLVMGetEnumAttributeAtIndex(self.0.0, LLVMAttributeFunctionIndex, kind));
        !attribute.is_null() && llvm!(LLVMGetEnumAttributeValue(attribute)) == 0
    }

    /// Whether it is said to be rarely called.
    pub fn is_cold(self) -> bool {
        self.has_attribute("cold")
    }

    /// Whether it has an attribute without a value.
    pub fn has_attribute(self, name: &str) -> bool {
        let kind = llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        !llvm!(LLVMGetEnumAttributeAtIndex(self.0.0, LLVMAttributeFunctionIndex, kind)).is_null()
    }

    /// Adds all attributes of `other`, those of its parameters too.
    pub fn take_attributes_of(self, other: Function) {
        let parameters = 1..=other.parameters().len() as u32;
        for index in parameters.chain([LLVMAttributeFunctionIndex]) {
            let count = llvm!(LLVMGetAttributeCountAtIndex(other.0.0, index));
            let mut attributes = vec![std::ptr::null_mut(); count as usize];
            llvm!(LLVMGetAttributesAtIndex(other.0.0, index, attributes.as_mut_ptr()));
            for attribute in attributes {
                llvm!(LLVMAddAttributeAtIndex(self.0.0, index, attribute));
            }
        }
    }

    /// Adds `"name"="value"`.
    pub fn set_text_attribute(self, context: Context, name: &str, value: &str) {
        let attribute = context.text_attribute(name, value);
        llvm!(LLVMAddAttributeAtIndex(self.0.0, LLVMAttributeFunctionIndex, attribute));
    }

    /// The value of the attribute `"name"="value"`.
    pub fn text_attribute(self, name: &str) -> Option<String> {
        let attribute = llvm!(LLVMGetStringAttributeAtIndex(
            self.0.0,
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            name.len() as u32
        ));
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let value = llvm!(LLVMGetStringAttributeValue(attribute, &mut length));
        Some(borrowed_text(value, length as usize))
    }

    pub fn remove_text_attribute(self, name: &str) {
        llvm!(LLVMRemoveStringAttributeAtIndex(
            self.0.0,
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            name.len() as u32
        ));
    }

    /// Adds an attribute without a value to the parameter at `index`.
    pub fn add_parameter_attribute(self, context: Context, index: usize, name: &str, value: u64) {
        let kind = context.attribute_kind(name);
        let attribute = llvm!(LLVMCreateEnumAttribute(context.0, kind, value));
        llvm!(LLVMAddAttributeAtIndex(self.0.0, index as u32 + 1, attribute));
    }

    pub fn remove_parameter_attribute(self, context: Context, index: usize, name: &str) {
        let kind = context.attribute_kind(name);
        llvm!(LLVMRemoveEnumAttributeAtIndex(self.0.0, index as u32 + 1, kind));
    }

    /// The type of a parameter that is passed by value in memory.
    pub fn by_value_type(self, context: Context, index: usize) -> Option<Type> {
        let kind = context.attribute_kind("byval");
        let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.0.0, index as u32 + 1, kind));
        (!attribute.is_null()).then(|| Type(llvm!(LLVMGetTypeAttributeValue(attribute))))
    }

    /// What a parameter that is a pointer is a multiple of, as far as its attribute `align` says.
    pub fn parameter_alignment(self, context: Context, index: usize) -> u64 {
        let kind = context.attribute_kind("align");
        let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.0.0, index as u32 + 1, kind));
        if attribute.is_null() { 1 } else { llvm!(LLVMGetEnumAttributeValue(attribute)) }
    }

    /// The metadata node of this kind on the function.
    pub fn metadata(self, context: Context, kind: &str) -> Option<Metadata> {
        let wanted = context.metadata_kind(kind);
        let mut count = 0;
        let entries = llvm!(LLVMGlobalCopyAllMetadata(self.0.0, &mut count));
        let found = (0..count as u32)
            .find(|&index| llvm!(LLVMValueMetadataEntriesGetKind(entries, index)) == wanted)
            .map(|index| Metadata(llvm!(LLVMValueMetadataEntriesGetMetadata(entries, index))));
        llvm!(LLVMDisposeValueMetadataEntries(entries));
        found
    }

    /// The file and the line where the source defines it.
    pub fn source_position(self) -> Option<(String, u32)> {
        let program = llvm!(LLVMGetSubprogram(self.0.0));
        if program.is_null() {
            return None;
        }
        let line = llvm!(LLVMDISubprogramGetLine(program));
        let file = llvm!(LLVMDIScopeGetFile(program));
        if file.is_null() {
            return None;
        }
        let mut length = 0;
        let name = llvm!(LLVMDIFileGetFilename(file, &mut length));
        Some((borrowed_text(name, length as usize), line))
    }

    /// Takes over the debug information of `other`, whose instructions this one will hold.
    pub fn take_source_of(self, other: Function) {
        let program = llvm!(LLVMGetSubprogram(other.0.0));
        if !program.is_null() {
            llvm!(LLVMSetSubprogram(self.0.0, program));
        }
    }

    /// Whether its body holds LLVM's rules.
    pub fn is_valid(self) -> bool {
        llvm!(LLVMVerifyFunction(self.0.0, LLVMVerifierFailureAction::LLVMReturnStatusAction)) == 0
    }

    /// Ends a function that nothing calls.
    pub fn erase(self) {
        assert!(!self.0.is_used(), "a function that nothing uses");
        llvm!(LLVMDeleteFunction(self.0.0));
    }
}
