// The tools inside a translator that needs nothing installed. Each is a program: its arguments, its exit status.
#pragma once

int compile(int count, char **arguments);
int link_object(int count, char **arguments);
