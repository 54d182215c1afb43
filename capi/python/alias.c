// A library without anything: `vicinity.use` writes a runtime's name over its soname.
extern int vicinity_alias;
