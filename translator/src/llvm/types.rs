//! Types.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{TypeKind, Value, borrowed_text, owned_text};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type(pub(super) LLVMTypeRef);

impl Type {
    pub fn kind(self) -> TypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::LLVMPointerTypeKind
    }

    pub fn is_integer(self) -> bool {
        self.kind() == TypeKind::LLVMIntegerTypeKind
    }

    pub fn is_float(self) -> bool {
        matches!(
            self.kind(),
            TypeKind::LLVMHalfTypeKind
                | TypeKind::LLVMBFloatTypeKind
                | TypeKind::LLVMFloatTypeKind
                | TypeKind::LLVMDoubleTypeKind
        )
    }

    pub fn is_vector(self) -> bool {
        self.kind() == TypeKind::LLVMVectorTypeKind
    }

    /// Whether a value of this type has a size in memory.
    pub fn is_sized(self) -> bool {
        llvm!(LLVMTypeIsSized(self.0)) != 0
    }

    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::LLVMVoidTypeKind
    }

    /// Bits of a floating-point number of 32 or 64, 0 of other types.
    pub fn float_bits(self) -> u32 {
        match self.kind() {
            TypeKind::LLVMFloatTypeKind => 32,
            TypeKind::LLVMDoubleTypeKind => 64,
            _ => 0,
        }
    }

    /// Bits of an integer type, 0 of others.
    pub fn integer_bits(self) -> u32 {
        if self.is_integer() { llvm!(LLVMGetIntTypeWidth(self.0)) } else { 0 }
    }

    /// The address space of a pointer type, 0 of others.
    pub fn address_space(self) -> u32 {
        if self.is_pointer() { llvm!(LLVMGetPointerAddressSpace(self.0)) } else { 0 }
    }

    /// What an array or a vector is made of.
    pub fn element(self) -> Option<Type> {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                Some(Type(llvm!(LLVMGetElementType(self.0))))
            }
            _ => None,
        }
    }

    /// How many elements an array or a vector has, how many members a structure; 0 of others.
    pub fn count(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => llvm!(LLVMGetArrayLength2(self.0)),
            TypeKind::LLVMVectorTypeKind => u64::from(llvm!(LLVMGetVectorSize(self.0))),
            TypeKind::LLVMStructTypeKind => u64::from(llvm!(LLVMCountStructElementTypes(self.0))),
            _ => 0,
        }
    }

    /// The member of a structure at `index`.
    pub fn member(self, index: u32) -> Option<Type> {
        let structure = self.kind() == TypeKind::LLVMStructTypeKind;
        (structure && u64::from(index) < self.count())
            .then(|| Type(llvm!(LLVMStructGetTypeAtIndex(self.0, index))))
    }

    /// The name of a target's own type, such as `spirv.Event`.
    pub fn target_name(self) -> Option<String> {
        if self.kind() != TypeKind::LLVMTargetExtTypeKind {
            return None;
        }
        let name = llvm!(LLVMGetTargetExtTypeName(self.0));
        let length = llvm!(std::ffi::CStr::from_ptr(name)).count_bytes();
        Some(borrowed_text(name, length))
    }

    pub fn array(self, length: u64) -> Type {
        Type(llvm!(LLVMArrayType2(self.0, length)))
    }

    pub fn vector(self, lanes: u64) -> Type {
        Type(llvm!(LLVMVectorType(self.0, lanes as u32)))
    }

    pub fn constant(self, value: u64) -> Value {
        debug_assert!(self.is_integer());
        Value(llvm!(LLVMConstInt(self.0, value, 0)))
    }

    /// A constant that is sign-extended to the type.
    pub fn signed(self, value: i64) -> Value {
        debug_assert!(self.is_integer());
        Value(llvm!(LLVMConstInt(self.0, value as u64, 1)))
    }

    /// An integer, sign-extended, or a vector of as many of it as the type has.
    pub fn splat(self, value: i64) -> Value {
        let Some(element) = self.element().filter(|_| self.is_vector()) else {
            return self.signed(value);
        };
        let mut all = vec![element.signed(value).0; self.count() as usize];
        Value(llvm!(LLVMConstVector(all.as_mut_ptr(), all.len() as u32)))
    }

    pub fn poison(self) -> Value {
        Value(llvm!(LLVMGetPoison(self.0)))
    }

    pub fn zero(self) -> Value {
        Value(llvm!(LLVMConstNull(self.0)))
    }

    pub fn function(self, parameters: &[Type]) -> Type {
        let mut raw: Vec<LLVMTypeRef> = parameters.iter().map(|parameter| parameter.0).collect();
        let count = raw.len() as u32;
        Type(llvm!(LLVMFunctionType(self.0, raw.as_mut_ptr(), count, 0)))
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&owned_text(llvm!(LLVMPrintTypeToString(self.0))))
    }
}

impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
