//! `vicinity info`: what Vicinity would go by if a program started here and now.

use clap::Args;

use vicinity_alloc::os;

use crate::failure::Failure;

#[derive(Args)]
pub struct Info {}

impl Info {
    /// Prints to standard output.
    pub fn execute(self) -> Result<(), Failure> {
        let mask = os::affinity_mask();
        println!("processors  {} in the affinity mask", mask.len());
        println!("team size   {} by default", os::available_processors());
        Ok(())
    }
}
