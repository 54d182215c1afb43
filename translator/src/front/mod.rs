//! From a program's text to kernels for this processor: clang or a reader of SPIR-V, the builtin library, everything inlined.

pub mod archive;
mod bounds;
pub(crate) mod calls;
pub mod clang;
pub mod coordinates;
pub mod declare;
pub mod division;
mod even_loops;
pub(crate) mod halves;
mod handed;
pub(crate) mod host_memory;
pub mod import;
mod known_indices;
pub mod library;
mod members;
pub(crate) mod names;
mod negations;
pub(crate) mod opaque;
pub mod pairs;
pub mod prepare;
pub mod printf;
pub(crate) mod reads;
mod retried;
pub(crate) mod rolled;
pub(crate) mod spirv;
#[cfg(test)]
pub(crate) mod tested;
pub mod units;
pub mod vector_math;
mod volatiles;
mod whole_ids;
mod whole_words;
mod wide_sums;
pub(crate) mod written_out;
