//! libomp's ABI, as clang and flang call it.

pub mod cancel;
pub mod collapsed;
pub mod depend;
pub mod dispatch;
pub mod dispatch_schedule;
pub mod dispatch_sections;
pub mod dispatch_variable;
pub mod doacross;
pub mod misc;
pub mod num_threads;
pub mod parallel;
pub mod reduction;
pub mod single;
pub mod static_init;
pub mod static_init_teams;
pub mod target;
pub mod task_alloc;
pub mod task_queries;
pub mod task_waits;
pub mod taskloop;
pub mod taskred;
pub mod tasks;
pub mod teams;
pub mod threadprivate;
