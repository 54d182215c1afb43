// vicinity-translate with the compiler and the linker that it starts, as one program without libraries: `clang` or `ld` as
// the first argument makes it one of those. translator/src/tools.rs starts it so.
#include "whole.h"

#include <cstring>

extern "C" int vicinity_translate_whole();

int main(int count, char **arguments)
{
    if (count < 2) return vicinity_translate_whole();
    bool compiles = std::strcmp(arguments[1], "clang") == 0;
    if (!compiles && std::strcmp(arguments[1], "ld") != 0) return vicinity_translate_whole();
    arguments[1] = arguments[0];
    return (compiles ? compile : link_object)(count - 1, arguments + 1);
}
