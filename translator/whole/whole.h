// The tools inside a translator that needs nothing installed: what a program with such arguments would do, and its exit status.
#pragma once

int compile(int count, char **arguments);
extern "C" int compile_in_copy(int count, const char *const *arguments, const char *const *without, int says);
extern "C" int link_object(int count, const char *const *arguments);
