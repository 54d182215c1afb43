//! Finding the pages of running processes.
//!
//! A page is an open file of its process, which `/proc/PID/fd` leads to. The system shows that folder to the process's user
//! alone, and root; the page must belong to this user all the same, be of the right size and version, and of this process:
//! a forked child has its parent's page open, too.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use vicinity_runtime::activity::page::{self, Contents};

/// A page that can be read again and again.
pub struct Page {
    pub process: u32,
    pub name: String,
    file: File,
}

impl Page {
    /// What it says now; `None` when it is no page any more.
    pub fn read(&self) -> Option<Contents> {
        read(&self.file).ok()
    }
}

/// Of all processes of this user.
pub fn all() -> Vec<Page> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    let mut processes: Vec<u32> = numbers.filter(|&process| is_own(process)).collect();
    processes.sort_unstable();
    processes.into_iter().filter_map(|process| of(process).ok()).collect()
}

/// Of this process, or why it has none.
pub fn of(process: u32) -> Result<Page, String> {
    if !Path::new(&format!("/proc/{process}")).exists() {
        return Err(format!("there is no process {process}"));
    }
    if !is_own(process) {
        return Err(format!("process {process} belongs to another user"));
    }
    let files = fs::read_dir(format!("/proc/{process}/fd"));
    let files = files.map_err(|error| format!("process {process} cannot be looked at: {error}"))?;
    let mut refusal =
        "it does not run on Vicinity with VICINITY_TOP=on, or has not used OpenMP yet".to_string();
    for path in files.flatten().map(|file| file.path()) {
        let target = fs::read_link(&path).unwrap_or_default();
        if !is_page(&target) {
            continue;
        }
        let Ok(file) = File::open(&path) else { continue };
        match read(&file) {
            Ok(contents) if contents.process == process => {
                return Ok(Page { process, name: name_of(process), file });
            }
            Ok(_) => (),
            Err(why) => refusal = format!("its page cannot be used: {why}"),
        }
    }
    Err(format!("process {process}: {refusal}"))
}

fn is_own(process: u32) -> bool {
    let owner = |path: &str| fs::metadata(path).map(|facts| facts.uid()).ok();
    let own = owner("/proc/self");
    own.is_some() && owner(&format!("/proc/{process}")) == own
}

/// `/memfd:vicinity-top (deleted)`.
fn is_page(target: &Path) -> bool {
    let target = target.to_string_lossy();
    target.strip_prefix("/memfd:").and_then(|rest| rest.split(' ').next()) == Some(page::NAME)
}

fn read(file: &File) -> Result<Contents, String> {
    let facts = file.metadata().map_err(|error| error.to_string())?;
    if facts.len() != page::BYTES as u64 {
        return Err(format!("it has {} bytes, not {}", facts.len(), page::BYTES));
    }
    let mut bytes = vec![0; page::BYTES];
    file.read_exact_at(&mut bytes, 0).map_err(|error| error.to_string())?;
    page::read(&bytes)
}

fn name_of(process: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    name.trim_end().chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_by_their_links() {
        assert!(is_page(Path::new("/memfd:vicinity-top (deleted)")));
        assert!(!is_page(Path::new("/memfd:vicinity-topless (deleted)")));
        assert!(!is_page(Path::new("/tmp/vicinity-top")));
    }

    #[test]
    fn processes_without_a_page_say_why() {
        let own = of(std::process::id()).err().expect("this test has none");
        assert!(own.contains("VICINITY_TOP=on"), "{own}");
        assert!(of(u32::MAX).err().expect("nor has this").contains("there is no process"));
    }
}
