//! What is done to a kernel as one item sees it: who takes part, where items agree, which arrays and barriers they need, its versions.

pub mod agree;
pub mod alignment;
pub mod barriers;
pub mod buffers;
pub mod chosen;
pub mod depart;
pub mod numbers;
pub mod promote;
pub mod reductions;
pub(crate) mod reunite;
pub mod short_rows;
pub mod stay;
pub mod sub_groups;
pub mod turn;
pub mod versions;
pub mod waiting;
