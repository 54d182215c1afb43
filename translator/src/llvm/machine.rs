//! The processor that code is generated for.

use std::collections::HashSet;
use std::ffi::CStr;
use std::sync::OnceLock;

use llvm_sys::core::LLVMDisposeMessage;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;

use super::{Module, Type, c_text, owned_text, taken_bytes};
use crate::program::patience::Effort;

/// A processor with its features, and LLVM's description of it.
pub struct Machine {
    raw: LLVMTargetMachineRef,
    layout: LLVMTargetDataRef,
    triple: String,
    cpu: String,
    features: String,
    /// Those of the features that it has.
    offered: HashSet<String>,
}

impl Drop for Machine {
    fn drop(&mut self) {
        llvm!(LLVMDisposeTargetData(self.layout));
        llvm!(LLVMDisposeTargetMachine(self.raw));
    }
}

/// What processors offer, and is not used: `insertq` and `extrq`, which LLVM shuffles bytes by, have no form for wide registers
/// and wait for what is in their upper halves.
const SLOW: &str = ",-sse4a";

impl Machine {
    /// The processor that this runs on.
    pub fn host(effort: Effort) -> Result<Machine, String> {
        // Asking the processor takes long in a virtual machine: each question ends up with the host.
        static HOST: OnceLock<[String; 3]> = OnceLock::new();
        let [triple, cpu, features] = HOST.get_or_init(|| {
            let triple = owned_text(llvm!(LLVMGetDefaultTargetTriple()));
            let cpu = owned_text(llvm!(LLVMGetHostCPUName()));
            let features = owned_text(llvm!(LLVMGetHostCPUFeatures()));
            [triple, cpu, features + SLOW]
        });
        Machine::new(triple, cpu, features, effort)
    }

    /// A processor by LLVM's names.
    pub fn new(triple: &str, cpu: &str, features: &str, effort: Effort) -> Result<Machine, String> {
        let (c_triple, c_cpu, c_features) = (c_text(triple), c_text(cpu), c_text(features));
        let mut target = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        if llvm!(LLVMGetTargetFromTriple(c_triple.as_ptr(), &mut target, &mut message)) != 0 {
            return Err(owned_text(message));
        }
        let raw = llvm!(LLVMCreateTargetMachine(
            target,
            c_triple.as_ptr(),
            c_cpu.as_ptr(),
            c_features.as_ptr(),
            match effort {
                Effort::Full => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            },
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelDefault
        ));
        if raw.is_null() {
            return Err(format!("LLVM makes no code for {triple}"));
        }
        let layout = llvm!(LLVMCreateTargetDataLayout(raw));
        let offered = features.split(',').filter_map(|named| named.strip_prefix('+'));
        let offered = offered.map(str::to_string).collect();
        let [triple, cpu, features] = [triple, cpu, features].map(str::to_string);
        Ok(Machine { raw, layout, triple, cpu, features, offered })
    }

    pub fn triple(&self) -> &str {
        &self.triple
    }

    pub fn cpu(&self) -> &str {
        &self.cpu
    }

    pub fn features(&self) -> &str {
        &self.features
    }

    pub fn has(&self, feature: &str) -> bool {
        self.offered.contains(feature)
    }

    /// The widest vector registers, in bits.
    pub fn vector_bits(&self) -> u32 {
        if self.has("avx512f") && self.has("avx512vl") {
            512
        } else if self.has("avx") {
            256
        } else {
            128
        }
    }

    /// How many vector registers there are.
    pub fn vector_registers(&self) -> u64 {
        if self.vector_bits() == 512 || self.has("neon") { 32 } else { 16 }
    }

    /// Whether a gather takes as long as a load for each number (AMD's, up to Zen 5, are microcode).
    pub fn gathers_by_parts(&self) -> bool {
        self.cpu.starts_with("znver")
    }

    pub(super) fn raw(&self) -> LLVMTargetMachineRef {
        self.raw
    }

    pub(super) fn layout_text(&self) -> String {
        let text = llvm!(LLVMCopyStringRepOfTargetData(self.layout));
        let copy = llvm!(CStr::from_ptr(text)).to_string_lossy().into_owned();
        llvm!(LLVMDisposeMessage(text));
        copy
    }

    /// Bytes from one element of an array of `ty` to the next.
    pub fn size_bytes(&self, ty: Type) -> u64 {
        llvm!(LLVMABISizeOfType(self.layout, ty.0))
    }

    pub fn alignment_bytes(&self, ty: Type) -> u64 {
        u64::from(llvm!(LLVMABIAlignmentOfType(self.layout, ty.0)))
    }

    /// Where the member `index` of a structure begins.
    pub fn member_offset(&self, structure: Type, index: u32) -> u64 {
        llvm!(LLVMOffsetOfElement(self.layout, structure.0, index))
    }

    /// Generates machine code, as an object file.
    pub fn emit_object(&self, module: &Module) -> Result<Vec<u8>, String> {
        let mut message = std::ptr::null_mut();
        let mut buffer = std::ptr::null_mut();
        let failed = llvm!(LLVMTargetMachineEmitToMemoryBuffer(
            self.raw,
            module.raw,
            LLVMCodeGenFileType::LLVMObjectFile,
            &mut message,
            &mut buffer
        ));
        if failed != 0 { Err(owned_text(message)) } else { Ok(taken_bytes(buffer)) }
    }
}
