// vicinity-translate with the compiler and the linker that it starts, as one program without libraries: `clang` or `ld` as
// the first argument makes it one of those. translator/src/tools.rs starts it so.
#include "whole.h"

#include <cstring>

extern "C" int vicinity_translate_whole();

int main(int count, char **arguments)
{
    if (count > 1 && std::strcmp(arguments[1], "clang") == 0) return compile(count - 1, arguments + 1);
    if (count > 1 && std::strcmp(arguments[1], "ld") == 0) return link_object(count - 1, arguments + 1);
    return vicinity_translate_whole();
}
