//! The limits and the exceptions of the style checks. An entry that ends in `/` is a folder.

/// Lines of a file without its tests: above the soft limit a warning, above the hard one an error.
pub const FILE_LINES_SOFT: usize = 400;
pub const FILE_LINES_HARD: usize = 800;

/// Lines of a function, from its signature to its closing brace.
pub const FUNCTION_LINES: usize = 70;

/// Where unsafe code is: calls into the operating system, memory and handles that the program passes
/// as addresses, the task engine's shared memory, LLVM's interface, and the C boundary. Policies, settings, worksharing,
/// the command and the benchmarks' driver have none.
pub const UNSAFE: &[&str] = &[
    "alloc/src/engine.rs",
    "alloc/src/engine/",
    "alloc/src/handle.rs",
    "alloc/src/os/",
    "alloc/src/placed/",
    "alloc/tests/costs.rs",
    "capi/opencl/src/api/",
    "capi/opencl/src/core/device/facts.rs",
    "capi/opencl/src/core/memory.rs",
    "capi/opencl/src/core/print.rs",
    "capi/opencl/src/core/program/executable.rs",
    "capi/opencl/src/handle/",
    "capi/opencl/src/info.rs",
    "capi/opencl/src/os/",
    "capi/opencl/src/queue/",
    "capi/openmp/src/",
    "runtime/src/activity/mod.rs",
    "runtime/src/aside/",
    "runtime/src/fork.rs",
    "runtime/src/errno.rs",
    "runtime/src/futex.rs",
    "runtime/src/icv.rs",
    "runtime/src/memory.rs",
    "runtime/src/private.rs",
    "runtime/src/locks/",
    "runtime/src/share/mod.rs",
    "runtime/src/share/tcm.rs",
    "runtime/src/share/tcm.rs",
    "runtime/src/task/",
    "runtime/src/team/",
    "runtime/src/thread/",
    "runtime/src/threadprivate.rs",
    "runtime/src/tool/",
    "runtime/src/trace/",
    "runtime/src/worksharing/model.rs",
    "runtime/tests/effort/main.rs",
    "runtime/tests/stress/engine.rs",
    "translator/src/llvm/",
    "translator/src/program/tools.rs",
    "translator/tests/kernels/guarded.rs",
    "translator/tests/kernels/program.rs",
    "translator/tests/math/numbers.rs",
    "translator/tests/math/oracle.rs",
];

/// Where the C library is: its calls, and at the C boundary its types.
pub const LIBC: &[&str] = &[
    "alloc/src/os/",
    "capi/opencl/src/core/print.rs",
    "capi/opencl/src/handle/slots.rs",
    "capi/opencl/src/os/",
    "capi/openmp/src/",
    "runtime/src/aside/",
    "runtime/src/fork.rs",
    "runtime/src/errno.rs",
    "runtime/src/futex.rs",
    "runtime/src/share/tcm.rs",
    "runtime/src/task/",
    "runtime/src/team/",
    "runtime/src/teams.rs",
    "runtime/src/thread/",
    "runtime/src/threadprivate.rs",
    "runtime/src/tool/",
    "runtime/src/trace/",
];

/// Locks that are no statics, and why a child of fork finds none of them locked.
pub const LOCKS_OF_OBJECTS: &[(&str, &str)] = &[
    ("alloc/src/placed/region.rs", "memory: fork takes it"),
    ("alloc/src/placed/shard.rs", "memory: fork takes it"),
    ("alloc/src/table.rs", "memory: fork takes it"),
    (
        "runtime/src/locality/queue.rs",
        "of a team: fork takes it in those that the forking thread sits in",
    ),
    ("runtime/src/process_lock.rs", "the type of those in the list"),
    ("runtime/src/task/exclusive.rs", "of tasks: the child does not have their threads"),
    ("runtime/src/task/priority.rs", "of a team, as locality/queue.rs"),
    ("runtime/src/team/mod.rs", "of a team, as locality/queue.rs"),
    ("runtime/src/team/seats.rs", "the open team's: fork takes it"),
    ("runtime/src/team/whereabouts.rs", "of a worker: the child forgets them all"),
    ("runtime/src/thread/mod.rs", "takes one of the others"),
    ("runtime/src/worksharing/construct.rs", "of a region's loop, which a child cannot go on with"),
    ("runtime/src/worksharing/doacross.rs", "as worksharing/construct.rs"),
];

/// What a pure crate cannot name.
pub const IMPURE: &[&str] = &[
    "std::time",
    "std::thread",
    "std::sync",
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::process",
    "core::sync",
    "static mut",
    "println!",
    "eprintln!",
    "thread_local!",
];

/// What panics where nobody takes the output. `vicinity_output` prints for programs, `runtime/src/report.rs` warns for the library.
pub const PRINTING: &[&str] = &["print!", "println!", "eprint!", "eprintln!"];

/// What finished work does not contain.
pub const HALF_DONE: &[&str] = &["TODO", "FIXME", "todo!", "unimplemented!", "dbg!"];

/// The rooms, and which of our own crates each may use.
pub const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("output", &[]),
    ("policy", &[]),
    ("alloc", &["vicinity-policy"]),
    ("runtime", &["vicinity-policy", "vicinity-alloc"]),
    ("sim", &["vicinity-policy"]),
    ("translator", &["vicinity-output"]),
    ("capi/opencl", &["vicinity-alloc", "vicinity-output"]),
    ("capi/openmp", &["vicinity-policy", "vicinity-alloc", "vicinity-runtime"]),
    (
        "cli",
        &[
            "vicinity-sim",
            "vicinity-policy",
            "vicinity-alloc",
            "vicinity-runtime",
            "vicinity-bench",
            "vicinity-output",
        ],
    ),
    ("bench-bots", &["vicinity-output"]),
    ("tests", &[]),
    ("tests/readers", &["vicinity-alloc", "vicinity-runtime", "vicinity-sim"]),
    ("fuzz", &["vicinity-readers"]),
];

/// Columns of the pages for readers and of the headers, and pages that are not held to them.
pub const COLUMNS: usize = 100;
pub const WIDE_PAGES: &[&str] = &["results/opencl/README.md", "results/order/README.md"];
