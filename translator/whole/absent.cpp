// What the linker's and the compiler's code asks for by name, and kernels for x86-64 have no use of: the other processors, and
// Debian's extension of LLVM, Polly. They do nothing.
#include "llvm/Passes/PassPlugin.h"

// X86's are real: these are other names.
#define LLVMInitializeX86TargetInfo absent_target_info
#define LLVMInitializeX86Target absent_target
#define LLVMInitializeX86TargetMC absent_target_code
#define LLVMInitializeX86AsmPrinter absent_printer
#define LLVMInitializeX86AsmParser absent_parser

extern "C" {
#define LLVM_TARGET(name) \
    void LLVMInitialize##name##TargetInfo() {} \
    void LLVMInitialize##name##Target() {} \
    void LLVMInitialize##name##TargetMC() {} \
    void LLVMInitialize##name##AsmPrinter() {} \
    void LLVMInitialize##name##AsmParser() {}
#include "llvm/Config/Targets.def"
}

llvm::PassPluginLibraryInfo getPollyPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "absent", "", [](llvm::PassBuilder &) {}};
}
