//! Which OpenMP runtimes a program loads that Vicinity did not replace.
//!
//! `vicinity run --unchecked` starts interpreters, whose packages bring runtimes under names of their own
//! (`libgomp-a34b3233.so.1`), which `LD_LIBRARY_PATH` does not reach. Nothing tells a program's starter what it loads later,
//! so a process of this command looks at the program's memory map from time to time and says once of each what it found.
//!
//! The watcher is no child of the program, which may wait for its children, and in a process group of its own, so that the
//! terminal's signals go past it. It ends when the program does.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use vicinity_output::tell;

use crate::failure::Failure;

/// Between two looks: short while a program starts, long while it works.
const FIRST_NAP: Duration = Duration::from_millis(2);
const LONGEST_NAP: Duration = Duration::from_millis(500);

#[derive(Args)]
pub struct Watch {
    /// The process to look at
    process: u32,

    /// Look; without it, start the process that does, and end
    #[arg(long)]
    look: bool,
}

/// Watches this process, which is about to become the program. Without a watcher the program runs all the same.
pub fn begin() {
    let Ok(own) = std::env::current_exe() else { return };
    // What it starts is nobody's child once it has ended.
    let between = Command::new(own).arg("watch").arg(std::process::id().to_string()).status();
    let _ = between;
}

impl Watch {
    pub fn execute(self) -> Result<(), Failure> {
        if self.look {
            look(self.process);
            return Ok(());
        }
        let own = std::env::current_exe()
            .map_err(|error| Failure::own(format!("cannot find my own file: {error}")))?;
        let mut looking = Command::new(own);
        looking.arg("watch").arg("--look").arg(self.process.to_string());
        looking.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
        looking.spawn().map_err(|error| Failure::own(format!("cannot watch: {error}")))?;
        Ok(())
    }
}

/// Until the process ends: a zombie has no memory, and one that is gone has no file.
fn look(process: u32) {
    let (mut said, mut nap) = (BTreeSet::new(), FIRST_NAP);
    while let Ok(maps) = fs::read_to_string(format!("/proc/{process}/maps")) {
        if maps.is_empty() {
            return;
        }
        for path in foreign(&maps) {
            if said.insert(path.to_string()) {
                tell(format!(
                    "vicinity: not replaced: {path} is an OpenMP runtime under a name of its own; what uses it does not run on Vicinity"
                ));
            }
        }
        sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
}

/// The OpenMP runtimes in a memory map that are not ours: ours is there as libvicinity.so.1, whatever name led to it.
fn foreign(maps: &str) -> BTreeSet<&str> {
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    paths.filter(|path| is_runtime(path.rsplit('/').next().unwrap_or_default())).collect()
}

/// `libgomp.so.1`, `libgomp-a34b3233.so.1.0.0`, `libomp140.x86_64.so`; not `libomptarget.so`.
fn is_runtime(name: &str) -> bool {
    let rest = ["libgomp", "libiomp", "libomp"].iter().find_map(|stem| name.strip_prefix(stem));
    rest.is_some_and(|rest| {
        rest.contains(".so") && !rest.starts_with(|c: char| c.is_alphabetic() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_files() {
        let maps = "7f00-7f01 r--p 00000000 08:01 7  /opt/a b/libgomp-a34b3233.so.1.0.0\n\
                    7f01-7f02 r-xp 00001000 08:01 7  /opt/a b/libgomp-a34b3233.so.1.0.0\n\
                    7f03-7f04 r-xp 00000000 08:01 8  /lib/libvicinity.so.1\n\
                    7f05-7f06 rw-p 00000000 00:00 0  [stack]\n\
                    7f07-7f08 r-xp 00000000 08:01 9  /lib/libomptarget.so.19\n\
                    7f09-7f0a r-xp 00000000 08:01 9  /lib/libiomp5.so\n";
        let found: Vec<&str> = foreign(maps).into_iter().collect();
        assert_eq!(found, ["/lib/libiomp5.so", "/opt/a b/libgomp-a34b3233.so.1.0.0"]);
        assert!(is_runtime("libomp.so.5") && is_runtime("libomp-19.so"));
        assert!(
            !is_runtime("libompd.so") && !is_runtime("libgomp.txt") && !is_runtime("libc.so.6")
        );
    }
}
