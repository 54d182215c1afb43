//! What recorded programs tell: the reader of traces and what is computed from them.

pub mod trace;
