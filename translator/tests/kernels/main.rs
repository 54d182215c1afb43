//! Kernels translated, loaded and run as the driver does.

mod barriers;
mod builtins;
mod groups;
mod orders;
mod plain;
mod program;
mod random;
