//! The settings that the specification or the two other runtimes define, one function a value that
//! needs more than a word or a number.
//!
//! Source: OpenMP 5.2, chapter 21; libgomp manual; LLVM OpenMP documentation.

use super::reader::Reader;
use super::*;

/// Libomp's default, which says more than libgomp's.
const AFFINITY_FORMAT: &str = "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";

/// Reads every setting; `origins` stay with the reader.
pub fn read(reader: &mut Reader) -> Settings {
    let flag = |reader: &mut Reader, name, instead| {
        reader.read(name, "true, false", instead, text::boolean)
    };
    let num_threads = num_threads(reader);
    let affinity = affinity::read(reader);
    let vicinity = Vicinity::read(reader);
    let listed = num_threads.len() > 1 || affinity.bind.len() > 1;
    Settings {
        num_threads,
        dynamic: flag(reader, "OMP_DYNAMIC", "false").unwrap_or(false),
        schedule: run_schedule(reader),
        max_active_levels: max_active_levels(reader, listed || vicinity.share),
        thread_limit: number(reader, "OMP_THREAD_LIMIT", 1, "no limit").unwrap_or(NO_LIMIT),
        affinity,
        stack_size_bytes: stack_size(reader),
        wait_policy: reader.read_word("OMP_WAIT_POLICY", "neither", WaitPolicy::WORDS),
        library: reader
            .read_word("KMP_LIBRARY", "throughput", Library::WORDS)
            .unwrap_or(Library::Throughput),
        warnings: flag(reader, "KMP_WARNINGS", "true").unwrap_or(true),
        spin_count: spin_count(reader),
        blocktime: blocktime(reader),
        cancellation: flag(reader, "OMP_CANCELLATION", "false").unwrap_or(false),
        display_env: display_env(reader),
        display_affinity: flag(reader, "OMP_DISPLAY_AFFINITY", "false").unwrap_or(false),
        affinity_format: affinity_format(reader),
        max_task_priority: number(reader, "OMP_MAX_TASK_PRIORITY", 0, "0").unwrap_or(0),
        num_teams: number(reader, "OMP_NUM_TEAMS", 1, "not set").unwrap_or(0),
        teams_thread_limit: number(reader, "OMP_TEAMS_THREAD_LIMIT", 1, "not set").unwrap_or(0),
        allocator: default_allocator(reader),
        default_device: number(reader, "OMP_DEFAULT_DEVICE", 0, "0").unwrap_or(0),
        target_offload: reader
            .read_word("OMP_TARGET_OFFLOAD", "default", TargetOffload::WORDS)
            .unwrap_or(TargetOffload::Default),
        tool: switch(reader, "OMP_TOOL", "enabled").unwrap_or(true),
        tool_libraries: tool_libraries(reader),
        tool_verbose_init: tool_verbose_init(reader),
        debug: switch(reader, "OMP_DEBUG", "disabled").unwrap_or(false),
        vicinity,
        origins: Vec::new(),
    }
}

fn number(reader: &mut Reader, name: &'static str, least: u32, instead: &str) -> Option<u32> {
    let allowed = format!("a whole number from {least} to {NO_LIMIT}");
    reader.read(name, &allowed, instead, |text| text::count(text, least))
}

/// `enabled` or `disabled`.
fn switch(reader: &mut Reader, name: &'static str, instead: &str) -> Option<bool> {
    reader.read_word(name, instead, &[("enabled", true), ("disabled", false)])
}

fn num_threads(reader: &mut Reader) -> Vec<u32> {
    let list = |text: &str| text.split(',').map(|item| text::count(item, 1)).collect();
    const ALLOWED: &str =
        "whole numbers from 1 to 2147483647, one a nesting level, with commas between them";
    reader.read("OMP_NUM_THREADS", ALLOWED, "the number of processors", list).unwrap_or_default()
}

fn run_schedule(reader: &mut Reader) -> Schedule {
    const ALLOWED: &str = "[monotonic:|nonmonotonic:] static, dynamic, guided or auto \
                           [,chunk from 1 to 2147483647]";
    let instead = schedule::show(&Schedule::DEFAULT).to_ascii_lowercase();
    reader.read("OMP_SCHEDULE", ALLOWED, &instead, schedule::parse).unwrap_or(Schedule::DEFAULT)
}

/// `OMP_MAX_ACTIVE_LEVELS`, or what the older `OMP_NESTED` says, or all levels when another setting asks for nesting: a
/// list with one value a level, or that regions share processors.
fn max_active_levels(reader: &mut Reader, is_implied: bool) -> u32 {
    let otherwise = if is_implied { SUPPORTED_ACTIVE_LEVELS } else { 1 };
    let instead = otherwise.to_string();
    let before = format!("what OMP_NESTED says, else {instead}");
    if let Some(levels) = number(reader, "OMP_MAX_ACTIVE_LEVELS", 0, &before) {
        return levels.min(SUPPORTED_ACTIVE_LEVELS);
    }
    let nested = reader.read_for(
        "OMP_MAX_ACTIVE_LEVELS",
        "OMP_NESTED",
        "true, false",
        &instead,
        text::boolean,
    );
    nested.map_or(otherwise, |nested| if nested { SUPPORTED_ACTIVE_LEVELS } else { 1 })
}

/// `KMP_STACKSIZE` (in bytes unless it has a unit) before `OMP_STACKSIZE` before `GOMP_STACKSIZE`
/// (both in kibibytes unless they have one), as their owners define it.
fn stack_size(reader: &mut Reader) -> Option<u64> {
    const VARIABLES: [(&str, u64); 3] =
        [("KMP_STACKSIZE", 1), ("OMP_STACKSIZE", 1024), ("GOMP_STACKSIZE", 1024)];
    VARIABLES.into_iter().find_map(|(name, unit)| {
        let parse = |text: &str| text::size_bytes(text, unit);
        const ALLOWED: &str = "a size such as 512K or 8M";
        const INSTEAD: &str =
            "what the others of KMP_, OMP_ and GOMP_STACKSIZE say, else the system's default";
        reader.read_for("OMP_STACKSIZE", name, ALLOWED, INSTEAD, parse)
    })
}

fn spin_count(reader: &mut Reader) -> Option<u64> {
    const FACTORS: &[(char, u64)] =
        &[('k', 1_000), ('m', 1_000_000), ('g', 1_000_000_000), ('t', 1_000_000_000_000)];
    let parse = |text: &str| match text.trim().to_ascii_lowercase().as_str() {
        "infinite" | "infinity" => Some(u64::MAX),
        text => text::scaled(text, 1, FACTORS),
    };
    const ALLOWED: &str = "infinite, or a whole number with an optional k, M, G or T";
    reader.read("GOMP_SPINCOUNT", ALLOWED, "the wait policy's", parse)
}

/// `KMP_BLOCKTIME`: `infinite`, or a time in milliseconds unless it says `us`.
fn blocktime(reader: &mut Reader) -> Option<Blocktime> {
    let parse = |text: &str| {
        let text = text.trim().to_ascii_lowercase();
        if matches!(text.as_str(), "infinite" | "infinity" | "inf") {
            return Some(Blocktime::Infinite);
        }
        let (digits, unit_us) = match (text.strip_suffix("us"), text.strip_suffix("ms")) {
            (Some(digits), _) => (digits, 1),
            (None, Some(digits)) => (digits, 1000),
            (None, None) => (text.as_str(), 1000),
        };
        let count = text::count(digits, 0)?;
        // Libomp's own largest value means for ever.
        let endless = count == NO_LIMIT;
        Some(if endless {
            Blocktime::Infinite
        } else {
            Blocktime::Microseconds(u64::from(count) * unit_us)
        })
    };
    const ALLOWED: &str = "infinite, or a time such as 200, 200ms or 50us, up to 2147483647";
    reader.read("KMP_BLOCKTIME", ALLOWED, "the wait policy's", parse)
}

fn display_env(reader: &mut Reader) -> DisplayEnv {
    let parse = |text: &str| match text::boolean(text) {
        Some(on) => Some(if on { DisplayEnv::On } else { DisplayEnv::Off }),
        None => text.trim().eq_ignore_ascii_case("verbose").then_some(DisplayEnv::Verbose),
    };
    let value = reader.read("OMP_DISPLAY_ENV", "true, false, verbose", "false", parse);
    value.unwrap_or(DisplayEnv::Off)
}

/// The only setting whose blanks matter.
fn affinity_format(reader: &mut Reader) -> String {
    match reader.raw("OMP_AFFINITY_FORMAT") {
        Some(format) => {
            reader.set("OMP_AFFINITY_FORMAT", "OMP_AFFINITY_FORMAT".into());
            format
        }
        None => AFFINITY_FORMAT.to_owned(),
    }
}

fn default_allocator(reader: &mut Reader) -> AllocatorSpec {
    const ALLOWED: &str = "a predefined allocator, or a memory space with optional traits, such as \
         omp_high_bw_mem_alloc or omp_default_mem_space:alignment=64";
    reader
        .read("OMP_ALLOCATOR", ALLOWED, "omp_default_mem_alloc", allocator::parse)
        .unwrap_or(AllocatorSpec::DEFAULT)
}

fn tool_libraries(reader: &mut Reader) -> Vec<String> {
    let list = |text: &str| {
        let names = text.trim().split(':').filter(|name| !name.is_empty());
        Some(names.map(str::to_owned).collect())
    };
    reader.read("OMP_TOOL_LIBRARIES", "file names", "none", list).unwrap_or_default()
}

fn tool_verbose_init(reader: &mut Reader) -> ToolVerboseInit {
    let parse = |text: &str| {
        let text = text.trim();
        Some(match text.to_ascii_lowercase().as_str() {
            "disabled" => ToolVerboseInit::Disabled,
            "stdout" => ToolVerboseInit::Stdout,
            "stderr" => ToolVerboseInit::Stderr,
            _ => ToolVerboseInit::File(text.to_owned()),
        })
    };
    const ALLOWED: &str = "disabled, stdout, stderr or a file name";
    let value = reader.read("OMP_TOOL_VERBOSE_INIT", ALLOWED, "disabled", parse);
    value.unwrap_or(ToolVerboseInit::Disabled)
}
