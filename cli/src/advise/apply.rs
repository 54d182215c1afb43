//! Advice for a program that is about to run.

use std::env;
use std::path::Path;
use std::process::Command;

use vicinity_output::tell;

use super::file::Advice;

/// Has the program run as the advice says, but for variables that are set. Advice for another program is taken too: it may be
/// what the program starts.
pub fn apply(advice: &Advice, program: &Path, command: &mut Command) {
    if advice.is_empty() {
        return;
    }
    let name = |path: &Path| path.file_name().map(|name| name.to_os_string());
    if name(Path::new(&advice.program)) != name(program) {
        tell(format!(
            "vicinity: the advice is for {}: only its settings, and blocks of a program of that name, are what it says",
            advice.program
        ));
    }
    let placement = advice.placement();
    let settings = advice.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let placement = Some(("VICINITY_PLACEMENT", placement.as_str())).filter(|it| !it.1.is_empty());
    for (name, value) in settings.chain(placement) {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
}
