//! This process's environment, read once.

use vicinity_alloc::os::process::is_secure_mode;

/// Variables that name files this process would read or write: in a program with more rights than
/// its user they would lend those rights, and do not count.
const NAMING_FILES: &[&str] = &[
    "OMP_TOOL_LIBRARIES",
    "OMP_TOOL_VERBOSE_INIT",
    "VICINITY_TRACE",
    "VICINITY_CACHE_DIR",
    "VICINITY_DISTANCES",
    "HWLOC_XMLFILE",
    "XDG_CACHE_HOME",
    "HOME",
];

const PREFIXES: &[&str] = &["OMP_", "GOMP_", "KMP_", "VICINITY_"];
const OTHERS: &[&str] = &["XDG_CACHE_HOME", "HOME", "HWLOC_SYNTHETIC", "HWLOC_XMLFILE"];

/// The variables that could matter, as they were when this was made.
pub struct Variables {
    list: Vec<(String, String)>,
}

impl Variables {
    pub fn of_this_process() -> Variables {
        let all = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| is_ours(name))?;
            Some((name, value.to_string_lossy().into_owned()))
        });
        Variables::new(all, is_secure_mode())
    }

    fn new(all: impl Iterator<Item = (String, String)>, secure: bool) -> Variables {
        let trusted = |name: &str| !(secure && names_file(name));
        Variables { list: all.filter(|(name, _)| trusted(name)).collect() }
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.list.iter().find(|variable| variable.0 == name).map(|variable| variable.1.clone())
    }
}

fn is_ours(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || OTHERS.contains(&name)
}

fn names_file(name: &str) -> bool {
    let name = name.strip_suffix("_ALL").unwrap_or(name);
    NAMING_FILES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn files_named_by_an_untrusted_user_do_not_count() {
        let given = [
            ("OMP_TOOL_LIBRARIES", "/tmp/evil.so"),
            ("OMP_TOOL_LIBRARIES_ALL", "/tmp/evil.so"),
            ("VICINITY_TRACE", "/etc/passwd"),
            ("VICINITY_CACHE_DIR", "/etc"),
            ("HOME", "/tmp"),
            ("OMP_NUM_THREADS", "3"),
        ];
        let given = || given.iter().map(|it| (it.0.to_owned(), it.1.to_owned()));
        let settings = |secure| {
            let variables = Variables::new(given(), secure);
            Settings::from_env(|name| variables.get(name)).0
        };
        let (open, secure) = (settings(false), settings(true));
        assert_eq!(open.vicinity.trace.as_deref(), Some("/etc/passwd"));
        assert_eq!(open.tool_libraries, ["/tmp/evil.so"]);
        assert_eq!((&secure.vicinity.trace, &secure.vicinity.cache_dir), (&None, &None));
        assert!(secure.tool_libraries.is_empty());
        assert_eq!(secure.num_threads, [3]);
    }

    #[test]
    fn only_variables_that_could_matter_are_kept() {
        assert!(is_ours("OMP_PLACES") && is_ours("HOME"));
        assert!(!is_ours("PATH") && !is_ours("LD_PRELOAD"));
    }
}
