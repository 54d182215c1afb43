//! Which NUMA node memory is on, and where the kernel is asked to put it.
//!
//! Pages that are to be at a node *prefer* it (`MPOL_PREFERRED`): when it is full they go to the nearest
//! node with room, where `MPOL_BIND` would end the program.
//!
//! Why without libnuma: docs/decisions/070-calls-for-memory.md.
//!
//! Source: mbind(2), move_pages(2), Documentation/admin-guide/numastat.rst. Units: bytes, pages of the system.
#![allow(unsafe_code)]

use super::memory;
use std::fs;

const MPOL_PREFERRED: libc::c_int = 1;
const MPOL_INTERLEAVE: libc::c_int = 3;
/// Bits of a word of a node mask.
const WORD_BITS: u32 = usize::BITS;

/// The kernel would not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Has pages of a range, when they are first touched, be on one node.
pub fn prefer(start: usize, length: usize, node: u32) -> Result<(), Refused> {
    bind(start, length, MPOL_PREFERRED, &[node])
}

/// Has pages of a range, when they are first touched, go round these nodes, by page number: the page at
/// address `a` to the node at `a / page % nodes`, in ascending order of nodes. Some kernels take the lower 32 bits of
/// the page's number alone.
pub fn interleave(start: usize, length: usize, nodes: &[u32]) -> Result<(), Refused> {
    bind(start, length, MPOL_INTERLEAVE, nodes)
}

fn bind(start: usize, length: usize, mode: libc::c_int, nodes: &[u32]) -> Result<(), Refused> {
    let words = nodes.iter().max().map_or(0, |most| most / WORD_BITS + 1);
    let mut mask = vec![0usize; words as usize];
    for node in nodes {
        mask[(node / WORD_BITS) as usize] |= 1 << (node % WORD_BITS);
    }
    // The kernel reads one bit less than it is told.
    let bits = u64::from(words * WORD_BITS) + 1;
    // SAFETY: the mask has that many bits; a policy on pages of ours changes nothing that is in them.
    let status =
        unsafe { libc::syscall(libc::SYS_mbind, start, length, mode, mask.as_ptr(), bits, 0) };
    if status == 0 { Ok(()) } else { Err(Refused) }
}

/// The node of each page that an address is in; negative where there is no page, or none that the kernel
/// speaks of.
pub fn nodes_of(addresses: &[usize], nodes: &mut [i32]) -> Result<(), Refused> {
    assert_eq!(addresses.len(), nodes.len(), "a place for each answer");
    let none: *const libc::c_int = std::ptr::null();
    // SAFETY: both lists have that many elements; without target nodes nothing is moved.
    let status = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            addresses.len(),
            addresses.as_ptr(),
            none,
            nodes.as_mut_ptr(),
            0,
        )
    };
    if status == 0 { Ok(()) } else { Err(Refused) }
}

/// Has each page that one of the addresses is in go to the node beside it, with its contents. Pages that are not there, or that others
/// have pinned or share, stay; that is no failure.
pub fn move_pages(addresses: &[usize], nodes: &[u32]) -> Result<(), Refused> {
    assert_eq!(addresses.len(), nodes.len(), "a node for each page");
    const MPOL_MF_MOVE: libc::c_int = 2;
    let mut answers = vec![0 as libc::c_int; addresses.len()];
    // SAFETY: the lists have that many elements; moving a page changes nothing that the program sees.
    let status = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            addresses.len(),
            addresses.as_ptr(),
            nodes.as_ptr(),
            answers.as_mut_ptr(),
            MPOL_MF_MOVE,
        )
    };
    if status >= 0 { Ok(()) } else { Err(Refused) }
}

/// A page that goes round these nodes: its number, and the node that it is on.
pub fn interleaved_page(nodes: &[u32]) -> Option<(u64, u32)> {
    let page_bytes = memory::page_size();
    let page = memory::map_pages(page_bytes)?;
    let (start, mut node) = (page.as_ptr() as usize, [-1]);
    let bound = interleave(start, page_bytes, nodes);
    // SAFETY: the page was just mapped; it is written and given back once.
    unsafe {
        page.write(1);
        let _ = bound.and_then(|()| nodes_of(&[start], &mut node));
        memory::unmap(page, page_bytes);
    }
    Some(((start / page_bytes) as u64, u32::try_from(node[0]).ok()?))
}

/// Bytes of a node that nobody uses; `None` if the system does not say.
pub fn free_bytes(node: u32) -> Option<u64> {
    parse_free(&fs::read_to_string(format!("/sys/devices/system/node/node{node}/meminfo")).ok()?)
}

/// Pages that were meant for a node and went elsewhere because it was full, since the system started.
pub fn displaced_pages(node: u32) -> Option<u64> {
    parse_displaced(
        &fs::read_to_string(format!("/sys/devices/system/node/node{node}/numastat")).ok()?,
    )
}

/// A line of `meminfo` is `Node 0 MemFree:  1234 kB`.
fn parse_free(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once("MemFree:"))?.1;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// A line of `numastat` is `numa_foreign 12`.
fn parse_displaced(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("numa_foreign"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_kernel_says() {
        let meminfo = "Node 1 MemTotal:       2048 kB\nNode 1 MemFree:           17 kB\n";
        assert_eq!(parse_free(meminfo), Some(17 << 10));
        assert_eq!(parse_free("Node 1 MemFree: x kB"), None);
        assert_eq!(parse_free(""), None);
        let numastat = "numa_hit 5\nnuma_miss 6\nnuma_foreign 7\ninterleave_hit 8\n";
        assert_eq!(parse_displaced(numastat), Some(7));
        assert_eq!(parse_displaced("numa_foreign"), None);
    }

    #[test]
    fn touched_pages_are_somewhere_and_others_nowhere() {
        let pages = memory::map_pages(8192).unwrap();
        let start = pages.as_ptr() as usize;
        let mut nodes = [i32::MAX; 2];
        // SAFETY: the pages were just mapped; they are written and given back once.
        unsafe {
            pages.write(1);
            // A container may forbid the question.
            if nodes_of(&[start, start + 4096], &mut nodes).is_ok() {
                assert!(nodes[0] >= 0 && nodes[1] < 0, "{nodes:?}");
            }
            memory::unmap(pages, 8192);
        }
    }

    #[test]
    fn policies_are_taken_or_refused() {
        let pages = memory::map_pages(8192).unwrap();
        let start = pages.as_ptr() as usize;
        assert_eq!(prefer(start, 4096, 100_000), Err(Refused));
        assert_eq!(interleave(start, 4096, &[]), Err(Refused));
        // SAFETY: the pages were just mapped and are given back once.
        unsafe { memory::unmap(pages, 8192) };
    }
}
