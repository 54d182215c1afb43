// vicinity-translate with a compiler and a linker, as one program without libraries: `clang` as the first argument makes it the
// compiler, `ld` the linker. translator/src/program/tools.rs starts it so, or has a copy of the process compile.
#include "whole.h"

#include <csignal>
#include <cstring>

extern "C" int vicinity_translate_whole(decltype(link_object) *linker, decltype(compile_in_copy) *compiler);

int main(int count, char **arguments)
{
    if (count >= 2 && std::strcmp(arguments[1], "ld") == 0)
        return link_object(count - 1, arguments + 1);
    if (count < 2 || std::strcmp(arguments[1], "clang") != 0) {
        // As programs of Rust begin: a reader that has gone is an error of the write.
        std::signal(SIGPIPE, SIG_IGN);
        return vicinity_translate_whole(link_object, compile_in_copy);
    }
    arguments[1] = arguments[0];
    return compile(count - 1, arguments + 1);
}
