// lld, which has no folders of its own to look for libraries: those of the distributions with glibc.
#include "whole.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

int link_object(int count, char **arguments)
{
    llvm::SmallVector<const char *, 64> line(arguments, arguments + count);
    line[0] = "ld.lld";
    for (const char *folder : {"-L/lib/x86_64-linux-gnu", "-L/usr/lib/x86_64-linux-gnu", "-L/lib64", "-L/usr/lib64", "-L/usr/lib"})
        line.push_back(folder);
    return lld::elf::link(line, llvm::outs(), llvm::errs(), false, false) ? 0 : 1;
}
