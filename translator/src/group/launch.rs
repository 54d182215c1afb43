//! The entry point of a kernel: what it is given.
//!
//! `void symbol(const struct vicinity_launch *launch, const void *arguments, void *scratch, uint64_t first,
//! uint64_t last)`: docs/kernel-abi.md.

use crate::group::ids::{Place, SubGroup};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};
use crate::program::options::Options;

/// Where the members of `struct vicinity_launch` are, in bytes.
pub mod layout {
    pub const WORK_DIM: u64 = 0;
    pub const GLOBAL_OFFSET: u64 = 8;
    pub const GLOBAL_SIZE: u64 = 32;
    pub const LOCAL_SIZE: u64 = 56;
    pub const GROUP_COUNT: u64 = 80;
    pub const CONTEXT_OFFSET: u64 = 104;
    pub const SERVICES: u64 = 112;
    pub const DISJOINT: u64 = 120;
    pub const REDUCING: u64 = 128;
}

/// What is known of the sizes of groups when code is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// The only size that this code is launched with.
    pub enqueued: Option<[u64; 3]>,
    /// All groups have that many items: the range is a multiple of it.
    pub uniform: bool,
    /// The kernel's x is the launch's dimension of this number, and the other way round: [`crate::kernel::turn`].
    pub along: usize,
    /// Items that go together as sub-groups; none if each goes alone.
    pub sub_group: Option<u64>,
    /// Ids may be 2^31 and more.
    pub any_ids: bool,
    /// Sub-groups go on from row to row: all items of a group are one row.
    pub flat: bool,
}

impl Sizes {
    /// Those of `kernel`: as it is specialized, as its source requires, as its language version implies. Code of a program that keeps
    /// variables has to be one for all launches, so that they have the same.
    pub fn of(
        kernel: Function,
        required: Option<[u64; 3]>,
        options: &Options,
        keeps: bool,
    ) -> Sizes {
        if let Some(size) = options.only_size() {
            return Sizes { enqueued: Some(size), uniform: true, ..Sizes::default() };
        }
        let uniform = kernel.text_attribute("uniform-work-group-size");
        let uniform = uniform.as_deref() == Some("true");
        let any_ids = keeps || options.special.is_some();
        Sizes { enqueued: required, uniform, any_ids, ..Sizes::default() }
    }

    /// Those of a kernel that cannot tell how its items are grouped: the last group may be smaller, whatever the language promises.
    pub fn of_groupless(self, groupless: bool) -> Sizes {
        Sizes { uniform: self.uniform && !(groupless && self.enqueued.is_none()), ..self }
    }

    /// Those of the same kernel turned, so that its items follow each other along a dimension of the launch.
    pub fn turned(self, along: usize) -> Sizes {
        let turned = Sizes { along, ..self };
        let order = turned.order();
        Sizes { enqueued: self.enqueued.map(|size| order.map(|at| size[at])), ..turned }
    }

    /// The kernel's dimensions as they are numbered in a launch.
    pub fn order(self) -> [usize; 3] {
        let mut order = [0, 1, 2];
        order.swap(0, self.along);
        order
    }
}

/// A function that will be an entry point.
pub struct Entry {
    pub function: Function,
    pub launch: Value,
    pub arguments: Value,
    pub scratch: Value,
    /// Where allocas and what is the same for all groups belong; its end is open.
    pub head: Block,
    /// Numbers of the first group and of the one behind the last, if this is an entry point.
    pub range: Option<(Value, Value)>,
    pub sizes: Sizes,
    /// What all items together and what each needs of the memory behind `context_offset`.
    pub in_turn_bytes: u64,
    pub context_bytes_per_item: u64,
}

impl Entry {
    /// Adds the function `symbol` to the module.
    pub fn new(module: &Module, symbol: &str, sizes: Sizes) -> Entry {
        let context = module.context();
        let (pointer, word) = (context.pointer(0), context.integer(64));
        let ty = context.void().function(&[pointer, pointer, pointer, word, word]);
        let function = module.add_function(symbol, ty);
        for (index, alignment) in [(0, 8), (1, 8), (2, 128)] {
            for attribute in ["noalias", "noundef", "nonnull"] {
                function.add_parameter_attribute(context, index, attribute, 0);
            }
            function.add_parameter_attribute(context, index, "align", alignment);
        }
        for index in [0, 1] {
            function.add_parameter_attribute(context, index, "readonly", 0);
        }
        let parameters = function.parameters();
        for (parameter, name) in
            parameters.iter().zip(["launch", "arguments", "scratch", "first", "last"])
        {
            parameter.set_name(name);
        }
        let [launch, arguments, scratch, first, last] =
            parameters.try_into().expect("five parameters");
        let head = function.append_block(context, "head");
        let range = Some((first, last));
        Entry { range, sizes, ..Entry::of(function, head, launch, arguments, scratch) }
    }

    /// What a function that is no entry point knows of a launch.
    pub fn of(
        function: Function,
        head: Block,
        launch: Value,
        arguments: Value,
        scratch: Value,
    ) -> Entry {
        let (range, sizes) = (None, Sizes::default());
        Entry {
            function,
            launch,
            arguments,
            scratch,
            head,
            range,
            sizes,
            in_turn_bytes: 0,
            context_bytes_per_item: 0,
        }
    }

    /// A member of the launch, read in the head.
    pub fn launch_word(&self, builder: &Builder, offset: u64) -> Value {
        load_constant(builder, self.launch, offset, builder.context().integer(64))
    }

    /// What is the same for all groups; the ids are zero, the group has as many items as were enqueued.
    pub fn launched(&self, builder: &Builder) -> Place {
        let triple =
            |from: u64| self.sizes.order().map(|d| self.launch_word(builder, from + 8 * d as u64));
        let zero = [builder.word(0); 3];
        let local_size = match self.sizes.enqueued {
            Some(known) => known.map(|size| builder.word(size)),
            None => triple(layout::LOCAL_SIZE),
        };
        Place {
            services: self.launch_word(builder, layout::SERVICES),
            memory: self.memory(builder, local_size),
            work_dim: self.launch_word(builder, layout::WORK_DIM),
            global_offset: triple(layout::GLOBAL_OFFSET),
            global_size: triple(layout::GLOBAL_SIZE),
            enqueued_local_size: local_size,
            group_count: triple(layout::GROUP_COUNT),
            group_id: zero,
            local_size,
            first_id: zero,
            local_id: zero,
            sub_group: SubGroup { most: self.sizes.sub_group.unwrap_or(1), whole: false },
        }
    }
}

impl Entry {
    /// The edges of a group's own memory, as addresses.
    fn memory(&self, builder: &Builder, items: [Value; 3]) -> [Value; 3] {
        let begin = builder.cast(Opcode::LLVMPtrToInt, self.scratch, builder.context().integer(64));
        let end = builder.add(begin, self.launch_word(builder, layout::CONTEXT_OFFSET));
        let item = builder.word(self.context_bytes_per_item);
        let context = items.into_iter().fold(item, |bytes, size| builder.mul(bytes, size));
        let private = builder.add(context, builder.word(self.in_turn_bytes));
        [begin, end, builder.add(end, private)]
    }
}

/// Reads what does not change while the kernel runs.
pub fn load_constant(builder: &Builder, base: Value, offset: u64, ty: crate::llvm::Type) -> Value {
    let context = builder.context();
    let value = builder.load(ty, builder.offset(base, builder.word(offset)));
    value.set_metadata(context, "invariant.load", context.metadata_node(&[]));
    value
}
