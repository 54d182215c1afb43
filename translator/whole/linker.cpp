// lld, which has no folders of its own to look for libraries: those of the distributions with glibc.
#include "whole.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

int link_object(int count, const char *const *arguments)
{
    llvm::SmallVector<const char *, 64> line(arguments, arguments + count);
    line[0] = "ld.lld";
    line.push_back("--threads=1"); // Starting others takes longer than a few kilobytes do.
    for (const char *folder : {"-L/lib/x86_64-linux-gnu", "-L/usr/lib/x86_64-linux-gnu", "-L/lib64", "-L/usr/lib64", "-L/usr/lib"})
        line.push_back(folder);
    return lld::elf::link(line, llvm::outs(), llvm::errs(), false, false) ? 0 : 1;
}
