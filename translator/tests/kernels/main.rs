//! Kernels translated, loaded and run as the driver does.

mod barriers;
mod builtins;
mod plain;
mod program;
mod random;
