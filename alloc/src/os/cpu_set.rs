//! A set of logical processors, of any size, with the kernel's list notation (`0-3,8`).
//!
//! Terms: a *processor* is what the kernel numbers as `cpuN`: one hardware thread.
//! Invariant: the last word is never zero, so equal sets have equal representations.
//! Source of the notation: Linux `Documentation/admin-guide/kernel-parameters.rst`, "cpu lists".

use std::fmt;

/// Processors above this are not believed: a list such as `0-4294967295` costs no memory.
pub const MAX_PROCESSORS: u32 = 1 << 16;

const WORD_BITS: u32 = u64::BITS;

/// A set of logical processors.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    words: Vec<u64>,
}

impl CpuSet {
    pub const fn new() -> CpuSet {
        CpuSet { words: Vec::new() }
    }

    /// A set from its words: processor `n` is bit `n % 64` of word `n / 64`.
    pub fn from_words(words: &[u64]) -> CpuSet {
        let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        CpuSet { words: words[..used].to_vec() }
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Parses the kernel's list notation: `0-3,8,10-11`, `0-15:2/4` (of every 4 the first 2).
    /// Blank text is the empty set; `None` when the text is no list.
    pub fn from_list(text: &str) -> Option<CpuSet> {
        let mut set = CpuSet::new();
        let text = text.trim();
        if text.is_empty() {
            return Some(set);
        }
        for item in text.split(',') {
            let (range, pattern) = match item.split_once(':') {
                Some((range, pattern)) => (range, Some(pattern)),
                None => (item, None),
            };
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let first: u32 = first.trim().parse().ok()?;
            let last: u32 = last.trim().parse().ok()?;
            let (used, group) = match pattern {
                None => (1, 1),
                Some(pattern) => {
                    let (used, group) = pattern.split_once('/')?;
                    (used.trim().parse().ok()?, group.trim().parse::<u32>().ok()?)
                }
            };
            if first > last || used > group || group == 0 {
                return None;
            }
            (first..=last.min(MAX_PROCESSORS - 1))
                .filter(|cpu| (cpu - first) % group < used)
                .for_each(|cpu| set.insert(cpu));
        }
        Some(set)
    }

    /// Adds a processor; numbers from `MAX_PROCESSORS` on are dropped.
    pub fn insert(&mut self, cpu: u32) {
        if cpu >= MAX_PROCESSORS {
            return;
        }
        let word = (cpu / WORD_BITS) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cpu % WORD_BITS);
    }

    pub fn remove(&mut self, cpu: u32) {
        if let Some(word) = self.words.get_mut((cpu / WORD_BITS) as usize) {
            *word &= !(1 << (cpu % WORD_BITS));
            self.trim();
        }
    }

    pub fn contains(&self, cpu: u32) -> bool {
        let word = self.words.get((cpu / WORD_BITS) as usize).copied().unwrap_or(0);
        word >> (cpu % WORD_BITS) & 1 == 1
    }

    /// How many processors are in the set.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The lowest processor number in the set.
    pub fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// The processors in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let base = index as u32 * WORD_BITS;
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| base + rest.trailing_zeros())
        })
    }

    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        CpuSet { words }.trimmed()
    }

    pub fn difference(&self, other: &CpuSet) -> CpuSet {
        let mut rest = self.clone();
        rest.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
        rest.trimmed()
    }

    fn trimmed(mut self) -> CpuSet {
        self.trim();
        self
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> CpuSet {
        let mut set = CpuSet::new();
        cpus.into_iter().for_each(|cpu| set.insert(cpu));
        set
    }
}

impl fmt::Display for CpuSet {
    /// The kernel's list notation: `0-3,8`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = cpus.next() {
            let mut last = first;
            while let Some(next) = cpus.next_if_eq(&(last + 1)) {
                last = next;
            }
            write!(out, "{separator}{first}")?;
            if last > first {
                write!(out, "-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> CpuSet {
        CpuSet::from_list(text).unwrap()
    }

    #[test]
    fn lists_round_trip() {
        for text in ["", "0", "0-3", "0-3,8", "1,3,5", "63-64", "0-1,2000-2047"] {
            assert_eq!(list(text).to_string(), text);
        }
        assert_eq!(list(" 0-3\n").to_string(), "0-3");
        assert_eq!(list("3,1-2,0").to_string(), "0-3");
        assert_eq!(list("0-15:2/8").to_string(), "0-1,8-9");
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for text in ["x", "1-", "-1", "3-1", "1,,2", "0-3:2", "0-3:1/0", "0-3:5/4", "0x3"] {
            assert_eq!(CpuSet::from_list(text), None, "{text}");
        }
    }

    #[test]
    fn huge_numbers_cost_nothing() {
        assert_eq!(list("0-4294967295").len(), MAX_PROCESSORS);
        assert!(list("4294967295").is_empty());
    }

    #[test]
    fn set_operations() {
        let (a, b) = (list("0-3,100"), list("2-5"));
        assert_eq!(a.intersection(&b), list("2-3"));
        assert_eq!(a.difference(&b), list("0-1,100"));
        assert_eq!((a.len(), a.first(), CpuSet::new().first()), (5, Some(0), None));
        assert!(a.contains(100) && !a.contains(99) && !a.contains(100_000));
    }

    #[test]
    fn equal_sets_are_equal_however_made() {
        let mut set = list("1,500");
        set.remove(500);
        set.remove(9999);
        assert_eq!(set, list("1"));
        assert_eq!(list("1,500").difference(&list("500")), list("1"));
        assert_eq!(CpuSet::from_words(&[2, 0, 0]), list("1"));
        set.remove(1);
        assert!(set.is_empty());
    }
}
