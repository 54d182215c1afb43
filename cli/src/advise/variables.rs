//! Variables of the program in a trace: the one block that they are becomes one for each large array, by the file's symbols.

use vicinity_alloc::os::variables;
use vicinity_sim::trace::memory::{Block, Kind, Look, Memory};

/// Smaller variables are not told of.
const LARGE_BYTES: usize = 1 << 20;

/// An array of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// `heat+0x4060`.
    pub at: String,
    /// The number of its block.
    pub number: u64,
}

/// Takes the blocks of variables apart; what they are called.
pub fn split(memory: &mut Memory) -> Vec<Variable> {
    let mut found = Vec::new();
    let mut next = memory.blocks.iter().map(|block| block.number).max().unwrap_or(0) + 1;
    for whole in memory.blocks.clone().into_iter().filter(|block| block.kind == Kind::Variables) {
        let Some(module) = memory.module_of(whole.start).cloned() else { continue };
        let end = whole.start + whole.bytes;
        for variables::Variable { name, offset, bytes } in variables_of(&module.file) {
            let (start, bytes) = (module.bias + offset as u64, bytes as u64);
            if start < whole.start || start + bytes > end {
                continue;
            }
            let block = Block { number: next, start, bytes, ..whole.clone() };
            take_over(memory, &whole, &block);
            memory.blocks.push(block);
            let at = format!("{}+{offset:#x}", super::origin::file_name(&module.file));
            found.push(Variable { name, at, number: next });
            next += 1;
        }
    }
    found
}

/// What was seen of the whole is seen of a part.
fn take_over(memory: &mut Memory, whole: &Block, part: &Block) {
    let first = part.start - whole.start;
    let looks: Vec<Look> = memory
        .looks
        .iter()
        .filter(|look| look.block == whole.number)
        .map(|look| {
            let skipped = first.div_ceil(look.step) as usize;
            let count = (part.bytes / look.step) as usize;
            let homes = look.homes.iter().skip(skipped).take(count).copied().collect();
            Look { block: part.number, homes, ..look.clone() }
        })
        .collect();
    memory.looks.extend(looks);
    for touch in memory.samples.iter_mut().flat_map(|sample| &mut sample.touches) {
        if touch.0 == whole.number && (first..first + part.bytes).contains(&touch.1) {
            *touch = (part.number, touch.1 - first);
        }
    }
}

/// Large variables of a file that has its symbols, by address, one at each; none of one that cannot be read.
fn variables_of(file: &str) -> Vec<variables::Variable> {
    let mut all = variables::of_file(file, LARGE_BYTES).unwrap_or_default();
    all.sort_by_key(|variable| variable.offset);
    all.dedup_by_key(|variable| variable.offset);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_sim::trace::memory::Sample;

    #[test]
    fn a_part_gets_what_was_seen_of_it() {
        let block = |number, start, bytes| Block {
            number,
            start,
            bytes,
            kind: Kind::Variables,
            distribution: "standard".to_string(),
            origin: Vec::new(),
        };
        let (whole, part) = (block(1, 0x10000, 0x8000), block(2, 0x12000, 0x3000));
        let look = Look {
            block: 1,
            when_ns: 5,
            beginner: Some(0),
            step: 0x1000,
            homes: vec![0, 1, 2, 3, 4, 5, 6, 7],
        };
        let sample = |offset| Sample {
            thread: 0,
            when_ns: 0,
            at: None,
            instruction: 0,
            touches: vec![(1, offset)],
        };
        let samples = vec![sample(0x2010), sample(0x1fff), sample(0x5000)];
        let mut memory = Memory { looks: vec![look], samples, ..Memory::default() };
        take_over(&mut memory, &whole, &part);
        assert_eq!((memory.looks[1].block, &memory.looks[1].homes[..]), (2, &[2, 3, 4][..]));
        let touches: Vec<_> = memory.samples.iter().map(|sample| sample.touches[0]).collect();
        assert_eq!(touches, [(2, 0x10), (1, 0x1fff), (1, 0x5000)]);
    }
}
