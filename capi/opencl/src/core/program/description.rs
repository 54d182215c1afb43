//! What the translator says of a program: `program.json`, as docs/kernel-abi.md describes it.
//!
//! Only what the driver and its queues use is read; the rest is for people.

use serde::Deserialize;

/// The version of the format and of the functions' ABI.
pub const VERSION: u32 = 1;

#[derive(Debug, Deserialize)]
pub struct Description {
    pub version: u32,
    #[serde(default)]
    pub program_variables_bytes: u64,
    #[serde(default)]
    pub constructors: Vec<String>,
    #[serde(default)]
    pub destructors: Vec<String>,
    pub kernels: Vec<KernelDescription>,
}

#[derive(Debug, Deserialize)]
pub struct KernelDescription {
    pub name: String,
    /// The function's name in the object.
    pub symbol: String,
    pub arguments: Vec<Argument>,
    pub arguments_bytes: usize,
    #[serde(default)]
    pub attributes: String,
    /// What `reqd_work_group_size` and `work_group_size_hint` say.
    pub required_size: Option<[usize; 3]>,
    #[serde(default)]
    pub size_hint: Option<[usize; 3]>,
    /// How many items a sub-group has at most, where the kernel asks for that, and whether the source requires it.
    #[serde(default)]
    pub sub_group_size: Option<usize>,
    #[serde(default)]
    pub required_sub_group_size: Option<usize>,
    /// Of the static local data, at the beginning of the scratch memory.
    #[serde(default)]
    pub local_bytes: usize,
    #[serde(default)]
    pub private_bytes_per_item: usize,
    /// What all items of a group keep for themselves in the scratch memory, one after another, and then what each does.
    #[serde(default)]
    pub in_turn_bytes: usize,
    #[serde(default)]
    pub context_bytes_per_item: usize,
    /// The local size must divide the global one.
    #[serde(default)]
    pub uniform_groups: bool,
    /// Nothing that it does depends on how its items are grouped.
    #[serde(default)]
    pub groupless: bool,
    /// Groups wait for what others write: they are to begin in the order of their numbers.
    #[serde(default)]
    pub waits_for_groups: bool,
    /// Items follow each other along this dimension, where a group has enough of them there.
    #[serde(default)]
    pub along: usize,
    /// What a row of items loads serves the rows above and below, too.
    #[serde(default)]
    pub serves_rows: bool,
    #[serde(default)]
    pub shares_lines: Option<Lines>,
    /// Dimensions along which neighbouring groups load the same memory in loops.
    #[serde(default)]
    pub serves_groups: Vec<usize>,
    /// Why not all was done for it that could be, if so.
    #[serde(default)]
    pub less_optimized: Option<Less>,
    /// The local size that this was compiled for, if for one alone.
    #[serde(default)]
    pub specialized_size: Option<[usize; 3]>,
    /// Numbers among the arguments for which other code is better if they are 1.
    #[serde(default)]
    pub strides: Vec<Stride>,
    /// What vectors of items seem to cost, as a multiple of single items.
    #[serde(default)]
    pub vectors_cost: Option<f64>,
    /// Other ways to make the code, any of which may be the better one.
    #[serde(default)]
    pub other_ways: Vec<String>,
    /// The code is right only for launches with ids below 2^30.
    #[serde(default)]
    pub narrow: bool,
    /// Work-items that a vector of the code holds, of the loops over work-items.
    #[serde(default)]
    pub vectorized: Vec<Vectorized>,
    #[serde(default)]
    pub ranges: Vec<Range>,
    #[serde(default)]
    pub reductions: Vec<Reduction>,
}

/// Where such a number lies in the block of arguments, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Stride {
    pub offset: usize,
    pub size: usize,
}

impl Stride {
    /// Each with its bit in a word that says which of them are 1. Those behind the last bit may be anything.
    pub fn bits(strides: &[Stride]) -> impl Iterator<Item = (u64, Stride)> {
        strides.iter().zip(0..u64::BITS).map(|(&stride, at)| (1 << at, stride))
    }
}

/// What is done with the numbers in an argument's memory, if nothing else is.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Reduction {
    pub argument: usize,
    pub operation: Operation,
    /// Of one number: 4 or 8.
    pub bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    UnsignedMin,
    UnsignedMax,
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Less {
    /// It took too long: whoever has more time can have it done.
    Time,
    /// It is never done for it.
    #[serde(other)]
    Never,
}

#[derive(Debug, Deserialize)]
pub struct Vectorized {
    #[serde(default)]
    pub width: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentKind {
    Global,
    Constant,
    Local,
    Value,
    Image,
    Sampler,
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageAccess {
    #[default]
    None,
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Lines of the cache of which items of one vector touch one each.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Lines {
    /// The dimension along which neighbours share one, where that of the vectors is called x.
    pub along: usize,
    /// How many of them do.
    pub items: usize,
}

#[derive(Debug, Deserialize)]
pub struct Argument {
    #[serde(default)]
    pub name: String,
    /// As `clGetKernelArgInfo` gives it.
    #[serde(rename = "type", default)]
    pub type_name: String,
    pub kind: ArgumentKind,
    #[serde(default)]
    pub access: ImageAccess,
    /// The type of an image or a sampler, whatever the source calls it; empty for others.
    #[serde(default)]
    pub opaque: String,
    #[serde(default)]
    pub qualifiers: Vec<String>,
    /// In the block of arguments.
    pub offset: usize,
    pub size: usize,
}

/// The bytes of an argument's memory that a work-item touches, from its global number.
#[derive(Debug, Deserialize)]
#[allow(dead_code)]
pub struct Range {
    pub argument: usize,
    pub access: RangeAccess,
    pub offset_bytes: i64,
    pub extent_bytes: i64,
    /// Of the offset.
    pub terms: Vec<Term>,
    /// Of the extent.
    #[serde(default)]
    pub extent_terms: Vec<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeAccess {
    Read,
    Write,
    ReadWrite,
}

#[derive(Debug, Deserialize)]
pub struct Term {
    pub bytes: i64,
    /// The dimension whose number it is multiplied by.
    #[serde(default)]
    pub global_id: Option<usize>,
    /// The argument, a number, that it is multiplied by.
    #[serde(default)]
    pub times_argument: Option<usize>,
}

impl Description {
    /// The error says what is wrong.
    pub fn read(text: &[u8]) -> Result<Description, String> {
        let description: Description =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if description.version != VERSION {
            return Err(format!("version {} in place of {VERSION}", description.version));
        }
        match description.kernels.iter().find(|kernel| !kernel.is_sound()) {
            Some(kernel) => Err(format!("the arguments of {} do not fit", kernel.name)),
            None => Ok(description),
        }
    }
}

impl KernelDescription {
    /// What a work-group of so many items needs of the scratch memory, behind its local data; `None`: more than there are
    /// addresses.
    pub fn scratch_bytes(&self, items: usize) -> Option<usize> {
        self.context_bytes_per_item.checked_mul(items)?.checked_add(self.in_turn_bytes)
    }

    /// How many items a work-group may have, of at most `most`, where they may have `room_bytes` of the scratch memory: a power of
    /// two if it is less, since ranges are multiples of those, and one at least.
    pub fn most_items(&self, most: usize, room_bytes: usize) -> usize {
        let left = room_bytes.saturating_sub(self.in_turn_bytes);
        let fitting = left.checked_div(self.context_bytes_per_item).unwrap_or(most);
        if fitting >= most { most } else { 1 << fitting.max(1).ilog2() }
    }

    /// Whether a launch has the arguments of both alike.
    pub fn takes(&self, other: &KernelDescription) -> bool {
        let places = |of: &KernelDescription| -> Vec<(usize, usize)> {
            of.arguments.iter().map(|argument| (argument.offset, argument.size)).collect()
        };
        places(self) == places(other)
    }

    /// Every argument lies in the block, and is of the size of what is stored there.
    fn is_sound(&self) -> bool {
        let is_number = |it: &Reduction| matches!(it.bytes, 4 | 8);
        let is_stride =
            |it: &Stride| matches!(it.size, 1 | 2 | 4 | 8) && it.offset.is_multiple_of(it.size);
        self.reductions.iter().all(is_number)
            && self.strides.iter().all(is_stride)
            && self.arguments.iter().all(|argument| {
                let end = argument.offset.checked_add(argument.size);
                let stored = match argument.kind {
                    ArgumentKind::Value => None,
                    ArgumentKind::Sampler => Some(size_of::<u32>()),
                    _ => Some(size_of::<u64>()),
                };
                let is_stored =
                    |size| argument.size == size && argument.offset.is_multiple_of(size);
                end.is_some_and(|end| end <= self.arguments_bytes) && stored.is_none_or(is_stored)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"version": 1, "translator": "0.1.0", "target": {"cpu": "x"},
      "program_variables_bytes": 0, "constructors": [], "destructors": [],
      "kernels": [{"name": "f", "symbol": "vicinity_kernel_f", "file": "a.cl", "line": 3,
        "arguments": [{"name": "x", "type": "float*", "kind": "global", "access": "none",
          "qualifiers": ["const"], "offset": 0, "size": 8, "alignment": 8}],
        "arguments_bytes": 8, "attributes": "", "required_size": null, "size_hint": null,
        "local_bytes": 64, "ranges": [{"argument": 0, "access": "read", "offset_bytes": 0,
          "extent_bytes": 4, "terms": [{"bytes": 4, "global_id": 0, "times_argument": null}],
          "extent_terms": [{"bytes": 8, "global_id": null, "times_argument": 0}]}]}]}"#;

    #[test]
    fn a_description_is_read() {
        let description = Description::read(TEXT.as_bytes()).unwrap();
        let kernel = &description.kernels[0];
        assert_eq!((kernel.name.as_str(), kernel.local_bytes), ("f", 64));
        assert_eq!(kernel.arguments[0].kind, ArgumentKind::Global);
        assert_eq!(kernel.ranges[0].terms[0].bytes, 4);
    }

    #[test]
    fn groups_are_as_large_as_their_memory_is() {
        let mut kernel = Description::read(TEXT.as_bytes()).unwrap().kernels.remove(0);
        assert_eq!((kernel.most_items(4096, 1 << 20), kernel.scratch_bytes(4096)), (4096, Some(0)));
        (kernel.in_turn_bytes, kernel.context_bytes_per_item) = (1000, 300);
        assert_eq!(kernel.scratch_bytes(10), Some(4000));
        assert_eq!(kernel.most_items(4096, 1000 + 4096 * 300), 4096);
        assert_eq!(kernel.most_items(4096, 1000 + 4095 * 300), 2048);
        assert_eq!(kernel.most_items(4096, 1000 + 300), 1);
        assert_eq!(kernel.most_items(4096, 10), 1);
        assert_eq!(kernel.scratch_bytes(usize::MAX / 300), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Description::read(b"{}").is_err());
        assert!(Description::read(TEXT.replace("n\": 1", "n\": 2").as_bytes()).is_err());
        let outside = TEXT.replace("\"offset\": 0, \"size\"", "\"offset\": 8, \"size\"");
        assert!(Description::read(outside.as_bytes()).is_err_and(|why| why.contains(" f ")));
    }
}
