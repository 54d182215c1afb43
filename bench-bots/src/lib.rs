//! Task benchmarks and the driver that compares runtimes on them.
