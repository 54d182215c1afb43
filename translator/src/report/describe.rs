//! The description of a program, `program.json`: docs/kernel-abi.md says what its members mean.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::loops::LoopId;
use crate::analysis::steps::Lines;
use crate::front::names;
use crate::front::units::Place;
use crate::group::arguments::{Argument, Kind};
use crate::group::workgroup::WorkGroup;
use crate::kernel::reductions::Reduction;
use crate::kernel::sub_groups;
use crate::llvm::{Context, Function, Machine, Value};
use crate::program::options::Options;
use crate::program::way::Way;
use crate::schedule::Plan;
use crate::schedule::explain::{self, Copies};
use crate::vector::facts::classes::Shares;

pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    pub version: u32,
    pub translator: String,
    pub target: Target,
    pub program_variables_bytes: u64,
    pub constructors: Vec<String>,
    pub destructors: Vec<String>,
    pub kernels: Vec<Kernel>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Target {
    pub cpu: String,
    pub features: String,
    pub vector_bits: u32,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Kernel {
    pub name: String,
    pub symbol: String,
    pub file: String,
    pub line: u32,
    pub arguments: Vec<ArgumentText>,
    pub arguments_bytes: u64,
    pub attributes: String,
    pub required_size: Option<[u64; 3]>,
    pub size_hint: Option<[u64; 3]>,
    pub vector_hint: Option<String>,
    /// How many items a sub-group has at most, where the kernel asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_group_size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_sub_group_size: Option<u64>,
    pub local_bytes: u64,
    pub private_bytes_per_item: u64,
    #[serde(default)]
    pub in_turn_bytes: u64,
    pub context_bytes_per_item: u64,
    pub specialized_size: Option<[u64; 3]>,
    /// Where arguments lie that are 1 in all launches that the code is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<Place>,
    /// Where arguments lie for which other code is better if they are 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strides: Vec<Place>,
    /// The code is right only for launches with ids below 2^30.
    #[serde(default)]
    pub narrow: bool,
    /// The code is right only where the local size divides the global size.
    pub uniform_groups: bool,
    /// Nothing that it does depends on how its items are grouped.
    #[serde(default)]
    pub groupless: bool,
    /// Groups wait for what others write: they had better begin in the order of their numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits_for_groups: bool,
    pub prints: bool,
    /// Why it was translated with less effort, if it was.
    #[serde(default)]
    pub less_optimized: Option<Less>,
    /// Items follow each other along this dimension, where a group has enough of them there.
    #[serde(default)]
    pub along: usize,
    /// What a row of items loads in a loop serves the rows above and below, too, if they go through it together.
    #[serde(default)]
    pub serves_rows: bool,
    /// Where that which goes by vectors is called x.
    #[serde(default)]
    pub shares_lines: Option<Lines>,
    /// Dimensions along which neighbouring groups load the same memory in loops, while groups along one before it load other memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serves_groups: Vec<u8>,
    /// Lines of branches that decide whether a barrier is reached, by what may differ from item to item; 0 for an unknown one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<u32>,
    /// What is said here is of launches whose buffers are different memory: there is other code for others.
    #[serde(default)]
    pub disjoint: bool,
    /// Arguments of which the launch may give each block of groups a copy: what is said here is of launches that do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<Reduction>,
    /// What vectors of items seem to cost, as a multiple of single items; none where items cannot be vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors_cost: Option<f64>,
    /// Why there are none, where they cannot be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors_refused: Option<String>,
    /// Other ways to make the code, any of which may be the better one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_ways: Vec<Way>,
    pub barriers: Barriers,
    /// `__local` arrays, and what became of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub local_arrays: Vec<LocalArray>,
    pub loops: Vec<Loop>,
    /// Outside of loops; their class is the stride from item to item alone.
    #[serde(default)]
    pub accesses: Vec<Access>,
    pub vectorized: Vec<Vectorized>,
    pub not_vectorized: Vec<NotVectorized>,
    /// What became of atomic operations, other than the machine's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// How many values of vector code differ in which way between the items of a vector, by what they are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shares: BTreeMap<String, Shares>,
    pub ranges: Vec<Range>,
}

/// Why less was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Less {
    /// It has too many instructions, here and everywhere.
    Size,
    /// The translation took too long; without that limit it might be better.
    Time,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ArgumentText {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub kind: String,
    pub access: String,
    /// The type of an image or a sampler, whatever the source calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<String>,
    pub qualifiers: Vec<String>,
    pub offset: u64,
    pub size: u64,
    pub alignment: u64,
}

impl ArgumentText {
    pub fn is_restrict(&self) -> bool {
        self.qualifiers.iter().any(|word| word == "restrict")
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Barriers {
    pub kept: u32,
    pub removed: u32,
    /// Those that were looked at and are needed, or may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stay: Vec<Stays>,
}

/// A `__local` array; `stays` is why, none if items load from global memory what they would read of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalArray {
    pub name: String,
    pub stays: Option<String>,
}

/// A barrier that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stays {
    pub line: u32,
    pub why: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Loop {
    pub line: u32,
    pub depth: u32,
    pub trip_count: Option<u64>,
    pub divergent: bool,
    pub order: String,
    /// What decided: docs/kernel-abi.md lists the rules.
    #[serde(default)]
    pub rule: String,
    pub why: String,
    pub tally: BTreeMap<String, u32>,
    pub accesses: Vec<Access>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub line: u32,
    pub argument: Option<String>,
    pub kind: String,
    pub class: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub line: u32,
    pub became: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vectorized {
    pub line: u32,
    pub width: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotVectorized {
    pub line: u32,
    pub why: String,
}

/// What of an argument's buffer a work-item touches: from `offset_bytes` plus the terms on, `extent_bytes` plus the
/// extent's terms.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Range {
    pub argument: u32,
    pub access: String,
    pub offset_bytes: i64,
    pub extent_bytes: i64,
    pub terms: Vec<Term>,
    pub extent_terms: Vec<Term>,
}

/// `bytes`, times the global id along a dimension, times the value of an argument, as far as these are there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Term {
    pub bytes: i64,
    pub global_id: Option<u32>,
    pub times_argument: Option<u32>,
}

impl Program {
    pub fn new(machine: &Machine) -> Program {
        Program {
            version: FORMAT,
            translator: env!("CARGO_PKG_VERSION").to_string(),
            target: Target {
                cpu: machine.cpu().to_string(),
                features: machine.features().to_string(),
                vector_bits: machine.vector_bits(),
            },
            program_variables_bytes: 0,
            constructors: Vec::new(),
            destructors: Vec::new(),
            kernels: Vec::new(),
        }
    }

    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }
}

/// What the source says about `kernel`. The rest is filled in as it becomes known.
pub fn kernel(context: Context, kernel: Function) -> Kernel {
    let (file, line) = kernel.source_position().unwrap_or_default();
    let required_size = required_size(context, kernel);
    let size_hint = sizes(context, kernel, "work_group_size_hint");
    let vector_hint = vector_hint(context, kernel);
    let required_sub_group_size = sub_groups::required(context, kernel);
    let attributes = [
        required_size.map(|size| sized_attribute("reqd_work_group_size", size)),
        size_hint.map(|size| sized_attribute("work_group_size_hint", size)),
        vector_hint.as_ref().map(|name| format!("__attribute__((vec_type_hint({name})))")),
        required_sub_group_size
            .map(|size| format!("__attribute__((intel_reqd_sub_group_size({size})))")),
    ];
    let attributes: Vec<String> = attributes.into_iter().flatten().collect();
    Kernel {
        name: names::bare(&kernel.name()).to_string(),
        file,
        line,
        arguments: arguments(context, kernel),
        attributes: attributes.join(" "),
        required_size,
        size_hint,
        vector_hint,
        required_sub_group_size,
        ..Kernel::default()
    }
}

/// All accesses and loops of a kernel as it is.
pub fn explain_all(kernel: &mut Kernel, plan: &Plan) {
    explain_accesses(kernel, plan);
    explain_loops(kernel, plan, Vec::new(), Copies::default());
}

/// Adds where items touch the arguments' buffers, and what is accessed outside of loops.
pub fn explain_accesses(kernel: &mut Kernel, plan: &Plan) {
    kernel.ranges = explain::ranges(plan);
    kernel.accesses = explain::straight(plan, &kernel.argument_names());
}

/// What is to be said of a nest of loops that is made to go by predicates, and will not be there any more.
pub fn explain_nest(kernel: &Kernel, plan: &Plan, id: LoopId) -> Vec<Loop> {
    explain::nest(plan, id, &kernel.argument_names())
}

/// Adds what was decided for the loops; `before` for those that are not there any more.
pub fn explain_loops(kernel: &mut Kernel, plan: &Plan, before: Vec<Loop>, copies: Copies) {
    kernel.loops = explain::loops(plan, &kernel.argument_names(), before, copies);
}

impl Kernel {
    /// Says for which launches alone the code is.
    pub fn specialize(&mut self, options: &Options) {
        self.specialized_size = options.only_size();
        self.units = options.units().to_vec();
    }

    pub fn argument_names(&self) -> Vec<String> {
        self.arguments.iter().map(|text| text.name.clone()).collect()
    }
}

/// Adds what the work-group function of the kernel needs.
pub fn complete(kernel: &mut Kernel, made: &WorkGroup) {
    kernel.symbol.clone_from(&made.symbol);
    place(kernel, &made.arguments, made.arguments_bytes);
    kernel.local_bytes = made.local_bytes;
    kernel.private_bytes_per_item = made.private_bytes_per_item;
    kernel.in_turn_bytes = made.in_turn_bytes;
    kernel.context_bytes_per_item = made.context_bytes_per_item;
    kernel.narrow = made.narrow;
    kernel.shares.clone_from(&made.shares);
    kernel.barriers.kept = made.barriers as u32;
}

/// Adds where a launch has the arguments.
pub fn place(kernel: &mut Kernel, arguments: &[Argument], bytes: u64) {
    kernel.arguments_bytes = bytes;
    for (text, argument) in kernel.arguments.iter_mut().zip(arguments) {
        text.kind = kind_name(text, argument).to_string();
        text.offset = argument.offset;
        text.size = argument.size;
        text.alignment = argument.alignment;
    }
}

fn kind_name(text: &ArgumentText, argument: &Argument) -> &'static str {
    match text.opaque.as_deref() {
        Some(SAMPLER) => return "sampler",
        Some(_) => return "image",
        None => {}
    }
    match argument.kind {
        Kind::Pointer { address_space: 2 } => "constant",
        Kind::Pointer { .. } => "global",
        Kind::Local => "local",
        Kind::Value => "value",
    }
}

const SAMPLER: &str = "sampler_t";

/// Whether it is the type of images or samplers.
fn is_opaque(base: &str) -> bool {
    base == SAMPLER || base.starts_with("image") && base.ends_with("_t")
}

fn arguments(context: Context, kernel: Function) -> Vec<ArgumentText> {
    let column = |kind: &str| -> Vec<String> {
        let node = kernel.metadata(context, kind);
        let entries = node.map(|node| node.operands(context)).unwrap_or_default();
        entries.iter().map(|entry| entry.text(context).unwrap_or_default()).collect()
    };
    let names = column("kernel_arg_name");
    let types = column("kernel_arg_type");
    let bases = column("kernel_arg_base_type");
    let accesses = column("kernel_arg_access_qual");
    let qualifiers = column("kernel_arg_type_qual");
    let at = |column: &[String], index: usize| column.get(index).cloned().unwrap_or_default();
    (0..kernel.parameters().len())
        .map(|index| ArgumentText {
            name: at(&names, index),
            ty: at(&types, index),
            access: at(&accesses, index),
            opaque: Some(at(&bases, index)).filter(|base| is_opaque(base)),
            qualifiers: at(&qualifiers, index).split_whitespace().map(String::from).collect(),
            ..ArgumentText::default()
        })
        .collect()
}

/// The only local size that the source allows.
pub fn required_size(context: Context, kernel: Function) -> Option<[u64; 3]> {
    sizes(context, kernel, "reqd_work_group_size")
}

fn sizes(context: Context, kernel: Function, kind: &str) -> Option<[u64; 3]> {
    let values = kernel.metadata(context, kind)?.values(context);
    let sizes: Vec<u64> = values.into_iter().filter_map(Value::unsigned).collect();
    sizes.try_into().ok()
}

fn sized_attribute(name: &str, [x, y, z]: [u64; 3]) -> String {
    format!("__attribute__(({name}({x},{y},{z})))")
}

/// The type of `vec_type_hint`, as the source writes it.
fn vector_hint(context: Context, kernel: Function) -> Option<String> {
    let values = kernel.metadata(context, "vec_type_hint")?.values(context);
    let ty = values.first()?.ty();
    let signed = values.get(1).and_then(|flag| flag.unsigned()) == Some(1);
    let scalar = ty.element().unwrap_or(ty);
    let name = match (scalar.integer_bits(), signed) {
        (8, true) => "char",
        (8, false) => "uchar",
        (16, true) => "short",
        (16, false) => "ushort",
        (32, true) => "int",
        (32, false) => "uint",
        (64, true) => "long",
        (64, false) => "ulong",
        _ => return Some(vector_name(&scalar.to_string(), ty.count())),
    };
    Some(vector_name(name, ty.count()))
}

fn vector_name(scalar: &str, count: u64) -> String {
    if count > 1 { format!("{scalar}{count}") } else { scalar.to_string() }
}
