//! What is to be known of this machine: asked once, of the processor and the kernel's files.
//!
//! Source: Intel SDM volume 2, CPUID (leaves 0x80000002 to 0x80000004 are the name); `sysconf(3)`; sysfs.
#![allow(unsafe_code)]

use std::arch::x86_64::{__cpuid_count, CpuidResult};
use std::sync::LazyLock;
use vicinity_alloc::os::process::is_secure_mode;
use vicinity_alloc::os::{self, CpuSet};
use vicinity_alloc::topology::{Cache, Described, Description, Hardware, Level, Sysfs, read_file};

/// Units are in the names.
pub struct Facts {
    /// The processor's, for people.
    pub name: String,
    /// `GenuineIntel`, `AuthenticAMD`.
    pub vendor: String,
    pub clock_mhz: u32,
    /// Those that may be used, neighbours next to each other; no more than the control groups let run.
    pub processors: Vec<u32>,
    /// Of one processor, the nearest first.
    pub caches: Vec<Cache>,
    pub memory_bytes: u64,
    /// Of one vector register.
    pub vector_bytes: u32,
    /// What compiled code may rely on: part of the names of cached programs.
    pub features: Vec<u32>,
}

static FACTS: LazyLock<Facts> = LazyLock::new(Facts::find);

pub fn facts() -> &'static Facts {
    &FACTS
}

impl Facts {
    fn find() -> Facts {
        let allowed = os::affinity_mask();
        let sysfs = Sysfs::new(&read_file, &allowed);
        let first = allowed.first().unwrap_or(0);
        Facts {
            name: name(),
            vendor: vendor(),
            clock_mhz: clock_mhz(first),
            processors: processors(&allowed),
            caches: sysfs.caches(first),
            memory_bytes: os::memory::physical_bytes(),
            vector_bytes: vector_bytes(),
            features: features(),
        }
    }

    /// Whether kernels may compute with halves: there are conversions of them.
    pub fn has_half(&self) -> bool {
        is_x86_feature_detected!("f16c")
    }

    /// Of the cache of one level that a processor has; `None` if it has none.
    pub fn cache_bytes(&self, level: u32) -> Option<u64> {
        self.caches.iter().find(|cache| cache.level == level).map(|cache| cache.bytes)
    }

    /// What a work-group's shared data should fit into together with the rest: half of what is private to a core.
    pub fn local_bytes(&self) -> u64 {
        const LEAST: u64 = 64 << 10;
        const MOST: u64 = 1 << 20;
        (self.cache_bytes(2).unwrap_or(0) / 2).clamp(LEAST, MOST)
    }

    /// What the items of one work-group may have for themselves: a quarter of the memory, shared among all groups that run at
    /// a time.
    pub fn private_bytes(&self) -> usize {
        let each = self.memory_bytes / 4 / self.processors.len() as u64;
        usize::try_from(each).unwrap_or(usize::MAX)
    }
}

/// The machine that is described in place of this one, as `libvicinity.so.1` takes it.
fn described(allowed: &CpuSet) -> Option<Described> {
    let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
    let synthetic =
        variable("HWLOC_SYNTHETIC").map(|text| Description::Synthetic(text.trim().to_owned()));
    let file = || variable("HWLOC_XMLFILE").filter(|_| !is_secure_mode());
    let description = synthetic.or_else(|| Some(Description::Xml(file()?.into())))?;
    // What is wrong with it is said there.
    Described::load(&description, allowed).ok()
}

/// What is known of these processors, of a machine described or of this one; gives what `ask` answers.
pub fn with_hardware<R>(processors: &CpuSet, ask: impl FnOnce(&dyn Hardware) -> R) -> R {
    match described(processors) {
        Some(described) => ask(&described),
        None => ask(&Sysfs::new(&read_file, processors)),
    }
}

fn processors(allowed: &CpuSet) -> Vec<u32> {
    let is_here = described(allowed).is_none_or(|described| described.is_this_machine());
    let units = if is_here { os::available_processors() as usize } else { usize::MAX };
    let cores = with_hardware(allowed, |hardware| hardware.parts(Level::Cores));
    let mut processors: Vec<u32> = cores.iter().flat_map(|core| core.iter()).collect();
    if processors.is_empty() {
        processors.push(0);
    }
    processors.truncate(units);
    processors
}

fn cpuid(leaf: u32, part: u32) -> CpuidResult {
    // SAFETY: every x86-64 processor has the instruction; leaves that it lacks are asked for below its highest.
    #[allow(unused_unsafe)]
    unsafe {
        __cpuid_count(leaf, part)
    }
}

fn text(words: impl IntoIterator<Item = u32>) -> String {
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn name() -> String {
    const FIRST: u32 = 0x8000_0002;
    const LAST: u32 = 0x8000_0004;
    let has_name = cpuid(0x8000_0000, 0).eax >= LAST;
    let words = (FIRST..=LAST).filter(|_| has_name).map(|leaf| cpuid(leaf, 0));
    let name = text(words.flat_map(|part| [part.eax, part.ebx, part.ecx, part.edx]));
    if name.is_empty() { "x86-64".to_owned() } else { name }
}

fn vendor() -> String {
    let leaf = cpuid(0, 0);
    text([leaf.ebx, leaf.edx, leaf.ecx])
}

/// The highest: the kernel's word for it, or what the processor says, or its name; or the one it has just now.
fn clock_mhz(cpu: u32) -> u32 {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq");
    let of_kernel = read_file(&file).and_then(|khz| khz.trim().parse::<u32>().ok());
    let own = if cpuid(0, 0).eax >= 0x16 { cpuid(0x16, 0).ebx & 0xffff } else { 0 };
    let named = || {
        let name = name();
        let gigahertz = name.strip_suffix("GHz")?.rsplit([' ', '@']).next()?.parse::<f64>().ok()?;
        Some((gigahertz * 1000.0) as u32)
    };
    let highest = of_kernel.map(|khz| khz / 1000).or_else(|| (own > 0).then_some(own));
    highest.or_else(named).or_else(clock_now_mhz).unwrap_or(0)
}

fn clock_now_mhz() -> Option<u32> {
    let text = read_file("/proc/cpuinfo")?;
    let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
    Some(line.rsplit(':').next()?.trim().parse::<f64>().ok()? as u32)
}

fn vector_bytes() -> u32 {
    if std::is_x86_feature_detected!("avx512f") {
        64
    } else if std::is_x86_feature_detected!("avx") {
        32
    } else {
        16
    }
}

/// Family and model, and the feature words without those bits that differ from one processor to the next.
fn features() -> Vec<u32> {
    let basic = cpuid(1, 0);
    let mut words = vec![basic.eax, basic.ecx, basic.edx, vector_bytes()];
    if cpuid(0, 0).eax >= 7 {
        let (more, last) = (cpuid(7, 0), cpuid(7, 1));
        words.extend([more.ebx, more.ecx, more.edx, last.eax]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name_and_processors() {
        let facts = facts();
        assert!(!facts.name.is_empty() && !facts.vendor.is_empty());
        assert!(!facts.processors.is_empty() && facts.memory_bytes > 0);
        assert!([16, 32, 64].contains(&facts.vector_bytes));
        assert!(facts.local_bytes() >= 64 << 10);
    }
}
