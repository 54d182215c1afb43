//! `vicinity info`: what Vicinity would go by if a program started here and now.

use std::fmt::Write;

use clap::Args;

use vicinity_alloc::os;
use vicinity_alloc::topology::Machine;
use vicinity_output::{print, tell};
use vicinity_runtime::display;
use vicinity_runtime::ranks::{self, Share};
use vicinity_runtime::settings::Settings;

use crate::failure::Failure;
use crate::machine;

/// It takes no options: what it shows is what the environment says.
#[derive(Args)]
pub struct Info {}

impl Info {
    /// Settings go to standard output, what could not be understood of them to standard error.
    pub fn execute(self) -> Result<(), Failure> {
        let (settings, warnings) = Settings::from_process();
        for warning in warnings {
            tell(format!("vicinity: {warning}"));
        }
        let share = ranks::share(&settings);
        share.iter().for_each(Share::bind);
        let request = settings.vicinity.request(os::affinity_mask, share.as_ref(), |warning| {
            tell(format!("vicinity: {warning}"));
        });
        let machine = Machine::find(&request);
        Ok(print(&report(&settings, share.as_ref(), &machine))?)
    }
}

fn report(settings: &Settings, share: Option<&Share>, machine: &Machine) -> String {
    let mask = os::affinity_mask();
    let quota = os::quota_of_this_process()
        .map_or_else(|| "none".to_string(), |quota| format!("{quota} processors"));
    let threads = share.and_then(|share| share.threads);
    let team_size = threads.unwrap_or_else(os::available_processors);
    let mut text = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(text, "Version          {}", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "Affinity mask    {} processors: {mask}", mask.len());
    let _ = writeln!(text, "Cgroup quota     {quota}");
    if let Some(share) = share {
        let _ = writeln!(text, "Share            {share}");
    }
    let _ = writeln!(text, "Team size        {team_size} unless set below\n");
    text + &machine::report(machine) + "\n" + &display::listing(settings, team_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_alloc::topology::Request;

    #[test]
    fn a_setting_says_where_it_came_from() {
        let get = |name: &str| (name == "OMP_DYNAMIC").then(|| "true".to_string());
        let (settings, _) = Settings::from_env(get);
        let report = report(&settings, None, &Machine::find(&Request::default()));
        let line = report.lines().find(|line| line.starts_with("OMP_DYNAMIC")).unwrap_or_default();
        assert!(line.contains("TRUE") && line.ends_with("environment"), "{line}");
    }
}
