//! The processes above this one: who started it, and where they may run.
//!
//! Source: `proc(5)`, `/proc/PID/status` (`PPid`, `Cpus_allowed_list`) and `/proc/PID/environ`.

use super::CpuSet;

/// Reads a file; `None` when it cannot be read. A parameter, so that tests bring their own processes.
type Read<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// How far up is looked.
const MOST_ANCESTORS: usize = 64;

/// The processors that the launcher of this process may use: the nearest process above without the variable, or with another
/// value of it. Between the two there are programs that it started first, such as a shell. The environment of others' processes
/// cannot be read: such a one is a launcher.
pub fn processors_of_launcher(variable: &str, value: u32) -> Option<CpuSet> {
    launcher(&format!("{variable}={value}"), &|path| std::fs::read(path).ok())
}

fn launcher(given: &str, read: Read) -> Option<CpuSet> {
    let mut process = parent(&status("self", read)?)?;
    for _ in 0..MOST_ANCESTORS {
        let environment = read(&format!("/proc/{process}/environ")).unwrap_or_default();
        let text = status(&process, read)?;
        if !environment.split(|&byte| byte == 0).any(|it| it == given.as_bytes()) {
            return CpuSet::from_list(field(&text, "Cpus_allowed_list:")?);
        }
        process = parent(&text)?;
    }
    None
}

fn status(process: &str, read: Read) -> Option<String> {
    String::from_utf8(read(&format!("/proc/{process}/status"))?).ok()
}

fn parent(status: &str) -> Option<String> {
    field(status, "PPid:").map(str::to_owned)
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 30, a rank, was started by 20, a shell with the same environment, and that by 10, the launcher.
    fn family(path: &str) -> Option<Vec<u8>> {
        let text = match path {
            "/proc/self/status" => "Name:\tx\nPPid:\t20\nCpus_allowed_list:\t0\n",
            "/proc/20/status" => "PPid:\t10\nCpus_allowed_list:\t0-1\n",
            "/proc/20/environ" => "A=1\0RANK=3\0",
            "/proc/10/status" => "PPid:\t1\nCpus_allowed_list:\t0-7\n",
            "/proc/10/environ" => "A=1\0OLD_RANK=3\0",
            "/proc/1/status" => "PPid:\t0\nCpus_allowed_list:\t0-15\n",
            _ => return None,
        };
        Some(text.as_bytes().to_vec())
    }

    #[test]
    fn the_launcher_is_who_gave_the_variable() {
        let found = |given| launcher(given, &family).map(|cpus| cpus.to_string());
        assert_eq!(found("RANK=3").as_deref(), Some("0-7"));
        assert_eq!(
            found("RANK=33").as_deref(),
            Some("0-1"),
            "the shell is a rank of another launcher"
        );
        assert_eq!(found("A=1").as_deref(), Some("0-15"), "its environment cannot be read");
        assert_eq!(launcher("A=1", &|_| None), None);
    }

    #[test]
    fn this_process_was_started_by_somebody() {
        assert!(processors_of_launcher("VICINITY_NO_SUCH_VARIABLE", 0).is_some());
    }
}
