//! How many accesses of a loop have which class, and which order they speak for.
//!
//! An access wants neighbouring memory, or the same, to be touched one right after the other. Running
//! all items first follows the work-item stride, running all iterations first the iteration stride; an
//! access prefers the direction in which it stays nearer. W0L1, W0LX and W1LX prefer breadth-first;
//! W1L0, WXL0 and WXL1 depth-first; of the others either direction is as good.
//! Source: CGO'15, section 3.2.1 and table 1.

use std::collections::BTreeMap;

use crate::analysis::access::{Class, Stride};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: BTreeMap<Class, u32>,
}

impl Tally {
    pub fn add(&mut self, class: Class) {
        *self.counts.entry(class).or_default() += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.counts().next().is_none()
    }

    pub fn counts(&self) -> impl Iterator<Item = (Class, u32)> {
        self.counts.iter().map(|(&class, &count)| (class, count))
    }

    pub fn breadth_first(&self) -> u32 {
        self.for_which(|class| nearness(class.work_item) < nearness(class.iteration))
    }

    pub fn depth_first(&self) -> u32 {
        self.for_which(|class| nearness(class.iteration) < nearness(class.work_item))
    }

    fn for_which(&self, prefers: impl Fn(&Class) -> bool) -> u32 {
        self.counts.iter().filter(|(class, _)| prefers(class)).map(|(_, count)| count).sum()
    }
}

const fn nearness(stride: Stride) -> u32 {
    match stride {
        Stride::Zero => 0,
        Stride::One => 1,
        Stride::Other => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_prefer_what_the_paper_says() {
        let all = [Stride::Zero, Stride::One, Stride::Other];
        let (mut breadth, mut depth) = (Vec::new(), Vec::new());
        for work_item in all {
            for iteration in all {
                let (mut tally, class) = (Tally::default(), Class { work_item, iteration });
                tally.add(class);
                if tally.breadth_first() > 0 {
                    breadth.push(class.to_string());
                }
                if tally.depth_first() > 0 {
                    depth.push(class.to_string());
                }
            }
        }
        assert_eq!(breadth, ["W0L1", "W0LX", "W1LX"]);
        assert_eq!(depth, ["W1L0", "WXL0", "WXL1"]);
    }
}
