// clang for OpenCL C, to bitcode: the driver makes the compiler's command line of the arguments, and it is carried out here.
// Its headers are in `../lib/clang/19/include`, seen from the program.
#include "whole.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace clang;

namespace {

// What the driver complains of is printed at once.
llvm::IntrusiveRefCntPtr<DiagnosticsEngine> make_diagnostics()
{
    llvm::IntrusiveRefCntPtr<DiagnosticOptions> options(new DiagnosticOptions);
    auto *printer = new TextDiagnosticPrinter(llvm::errs(), &*options);
    return new DiagnosticsEngine(new DiagnosticIDs, &*options, printer);
}

// One job: source to bitcode.
int carry_out(const llvm::opt::ArgStringList &arguments)
{
    CompilerInstance compiler;
    llvm::IntrusiveRefCntPtr<DiagnosticOptions> options(new DiagnosticOptions);
    auto *buffer = new TextDiagnosticBuffer;
    DiagnosticsEngine early(new DiagnosticIDs, &*options, buffer);
    bool valid = CompilerInvocation::CreateFromArgs(compiler.getInvocation(), arguments, early);
    compiler.createDiagnostics();
    buffer->FlushDiagnostics(compiler.getDiagnostics());
    if (!valid) return 1;
    EmitBCAction action;
    return compiler.ExecuteAction(action) ? 0 : 1;
}

} // namespace

int compile(int count, char **arguments)
{
    std::string program = llvm::sys::fs::getMainExecutable(arguments[0], reinterpret_cast<void *>(&compile));
    auto diagnostics = make_diagnostics();
    driver::Driver driver(program, "x86_64-unknown-linux-gnu", *diagnostics);
    driver.setCheckInputsExist(true);
    llvm::SmallVector<const char *, 64> line(arguments, arguments + count);
    line[0] = program.c_str();
    std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(line));
    if (!compilation || diagnostics->hasErrorOccurred()) return 1;
    for (const driver::Command &job : compilation->getJobs()) {
        if (llvm::StringRef(job.getCreator().getName()) != "clang") return 1;
        llvm::opt::ArgStringList rest(std::next(job.getArguments().begin()), job.getArguments().end()); // behind -cc1
        if (int status = carry_out(rest)) return status;
    }
    return 0;
}

// The number of the process, or -1. There is one thread when this is called: its copy can do all that it could.
int compile_in_copy(int count, const char *const *arguments, const char *const *without, int says)
{
    pid_t copy = fork();
    if (copy != 0) return copy;
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(says, 2) < 0) _exit(127);
    // Among them is the other end of what it says it on: nobody else is to keep that open.
    close_range(3, ~0U, 0);
    for (; *without; without++)
        unsetenv(*without);
    std::signal(SIGPIPE, SIG_DFL);
    llvm::SmallVector<char *, 64> words;
    for (int at = 0; at < count; at++)
        words.push_back(const_cast<char *>(arguments[at]));
    words.push_back(nullptr);
    int status = compile(count, words.data());
    llvm::outs().flush();
    _exit(status);
}
