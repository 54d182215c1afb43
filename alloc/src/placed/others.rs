//! Memory of others, bound before it is touched: mappings that stay theirs, and variables.
//!
//! The table of blocks does not know it; where it is, the kernel is asked.

use super::plan::Wish;
use super::sites::Sites;
use crate::os::{memory, numa};
use std::ptr::NonNull;

/// Whole pages from `start` on, by one rule for all: at one site, or round the sites. `Standard` is what they have already. What goes
/// round does so by small pages, unless `huge`: then as the system decides.
pub fn bind(
    start: usize,
    bytes: usize,
    wish: Wish,
    huge: bool,
    sites: &Sites,
) -> Result<(), numa::Refused> {
    match wish {
        Wish::Standard => Ok(()),
        Wish::Fine | Wish::Blocked | Wish::Parts { .. } => {
            if let Some(pages) = NonNull::new(start as *mut u8).filter(|_| !huge) {
                memory::advise_huge(pages, bytes, false);
            }
            numa::interleave(start, bytes, sites.spread_nodes())
        }
        Wish::At(site) => sites.node(site).map_or(Ok(()), |node| numa::prefer(start, bytes, node)),
    }
}
