//! The `vicinity` command.

fn main() {}
