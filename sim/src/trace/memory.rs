//! What a trace says of memory: large blocks, where their pages were, and samples of who touched them.
//!
//! Units: nanoseconds since the first event of the trace, bytes.

use super::event::Args;

/// The program or a library, where it was in the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub file: String,
    pub start: u64,
    pub end: u64,
    /// What was added to the file's addresses.
    pub bias: u64,
}

/// Whose memory a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Heap,
    /// Variables of a module.
    Variables,
    /// A file of this path, mapped.
    File(String),
    /// So many blocks of the heap, of so many bytes each, that lie among others.
    Rows {
        count: u64,
        row_bytes: u64,
    },
}

/// A large block of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number that the trace gives it.
    pub number: u64,
    pub start: u64,
    pub bytes: u64,
    pub kind: Kind,
    /// As OMP_DATA_DISTRIBUTION has it.
    pub distribution: String,
    /// Return addresses of the call that allocated it, the innermost first.
    pub origin: Vec<u64>,
}

/// Where pages of a block were at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub block: u64,
    pub when_ns: u64,
    /// The thread that began a region at that moment, as the trace numbers threads; none in the middle of one.
    pub beginner: Option<u32>,
    /// From one address that was asked for to the next.
    pub step: u64,
    /// A location, or -1: no page yet, or -2: not known.
    pub homes: Vec<i32>,
}

/// A thread, at one moment of the time that it computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// As the trace numbers threads.
    pub thread: u32,
    pub when_ns: u64,
    /// The location that it was at, if the machine is real.
    pub at: Option<u16>,
    pub instruction: u64,
    /// Blocks that it was about to touch, and where in them.
    pub touches: Vec<(u64, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub modules: Vec<Module>,
    pub blocks: Vec<Block>,
    pub looks: Vec<Look>,
    pub samples: Vec<Sample>,
    /// Processor time of a thread from one sample to the next.
    pub every_ns: u64,
}

/// Values before these numbers of a sample: thread, microseconds, location, instruction.
const SAMPLE_HEAD: usize = 4;

impl Memory {
    /// Nothing was recorded of memory.
    pub fn is_unknown(&self) -> bool {
        self.blocks.is_empty() && self.samples.is_empty()
    }

    /// The module that an address is in.
    pub fn module_of(&self, address: u64) -> Option<&Module> {
        self.modules.iter().find(|module| (module.start..module.end).contains(&address))
    }

    /// Adds a fact about memory; others are left alone.
    pub(super) fn add(&mut self, name: &str, args: Args) {
        let number = args.block.unwrap_or(0);
        match name {
            "vicinity_module" => self.modules.push(Module {
                file: args.file.unwrap_or_default(),
                start: args.start.unwrap_or(0),
                end: args.end.unwrap_or(0),
                bias: args.bias.unwrap_or(0),
            }),
            "vicinity_block" | "vicinity_file" | "vicinity_rows"
                if args.size.is_some_and(|bytes| bytes > 0) =>
            {
                let kind = match (name, args.of.as_deref()) {
                    ("vicinity_file", _) => Kind::File(args.file.unwrap_or_default()),
                    ("vicinity_rows", _) => Kind::Rows {
                        count: args.rows.unwrap_or(1),
                        row_bytes: args.row.unwrap_or(0),
                    },
                    (_, Some("variables")) => Kind::Variables,
                    _ => Kind::Heap,
                };
                self.blocks.push(Block {
                    number,
                    start: args.start.unwrap_or(0),
                    bytes: args.size.unwrap_or(0),
                    kind,
                    distribution: args.distribution.unwrap_or("standard".to_string()),
                    origin: args.origin.unwrap_or_default(),
                })
            }
            "vicinity_homes" => self.looks.push(Look {
                block: number,
                when_ns: nanoseconds(args.when.unwrap_or(0.0)),
                beginner: args.beginner,
                step: args.step.unwrap_or(0).max(1),
                homes: args.homes.unwrap_or_default(),
            }),
            "vicinity_samples" => {
                self.every_ns = args.every.unwrap_or(self.every_ns);
                self.samples.extend(args.samples.iter().flatten().filter_map(|it| sample(it)));
            }
            _ => {}
        }
    }

    /// Counts times from this moment of the file on.
    pub(super) fn begin_at(&mut self, origin_ns: i64) {
        let origin_ns = u64::try_from(origin_ns).unwrap_or(0);
        let looks = self.looks.iter_mut().map(|look| &mut look.when_ns);
        let samples = self.samples.iter_mut().map(|sample| &mut sample.when_ns);
        looks.chain(samples).for_each(|when| *when = when.saturating_sub(origin_ns));
        self.samples.sort_by_key(|sample| sample.when_ns);
    }
}

fn sample(values: &[f64]) -> Option<Sample> {
    let &[thread, when, at, instruction, ..] = values else { return None };
    let pairs = values[SAMPLE_HEAD..].chunks_exact(2);
    Some(Sample {
        thread: thread as u32,
        when_ns: nanoseconds(when),
        at: (at >= 0.0).then_some(at as u16),
        instruction: instruction as u64,
        touches: pairs.map(|pair| (pair[0] as u64, pair[1] as u64)).collect(),
    })
}

fn nanoseconds(microseconds: f64) -> u64 {
    (microseconds * 1e3).round() as u64
}

#[cfg(test)]
mod tests {
    use super::Kind;
    use crate::trace::example;

    #[test]
    fn facts_about_memory_arrive() {
        let fact = |name: &str, args: &str| {
            format!(r#"{{"ph":"M","pid":7,"tid":0,"name":"{name}","args":{{{args}}}}}"#)
        };
        let trace = example::trace(&[
            fact("vicinity_module", r#""file":"/bin/x","start":4096,"end":8192,"bias":4096"#),
            fact(
                "vicinity_block",
                r#""block":3,"since":1.5,"start":65536,"size":2097152,"of":"heap","distribution":"fine","origin":[4100,7]"#,
            ),
            fact(
                "vicinity_homes",
                r#""block":3,"when":12.5,"beginner":0,"step":4096,"homes":[0,-1]"#,
            ),
            fact(
                "vicinity_samples",
                r#""every":4000000,"samples":[[1,13.25,-1,4104,3,8],[0,11.25,1,4104],[7]]"#,
            ),
            fact(
                "vicinity_file",
                r#""block":4,"since":1.5,"start":4194304,"size":1048576,"file":"/data/w 1","origin":[]"#,
            ),
            fact(
                "vicinity_rows",
                r#""block":5,"since":1.5,"start":8388608,"size":2097152,"rows":16,"row":65536,"origin":[7]"#,
            ),
            example::region(1, 1, 0, (10.0, 20.0)),
        ]);
        let memory = &trace.memory;
        assert_eq!(memory.module_of(4104).map(|module| module.file.as_str()), Some("/bin/x"));
        assert_eq!((memory.blocks[0].number, memory.blocks[0].bytes), (3, 2 << 20));
        let kinds: Vec<&Kind> = memory.blocks.iter().map(|block| &block.kind).collect();
        let rows = Kind::Rows { count: 16, row_bytes: 65536 };
        assert_eq!(kinds, [&Kind::Heap, &Kind::File("/data/w 1".to_string()), &rows]);
        assert_eq!((memory.looks[0].when_ns, &memory.looks[0].homes[..]), (2500, &[0, -1][..]));
        let whens: Vec<u64> = memory.samples.iter().map(|sample| sample.when_ns).collect();
        assert_eq!(whens, [1250, 3250], "sorted, and from the first event on");
        assert_eq!(memory.samples[1].touches, [(3, 8)]);
        assert_eq!((memory.samples[0].at, memory.samples[1].at), (Some(1), None));
    }
}
