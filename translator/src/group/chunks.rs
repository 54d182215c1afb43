//! Groups are cut into chunks: so few items that what they keep from region to region fits the vector registers.
//!
//! Between barriers, items need not wait for all of their group where a loop runs breadth-first:
//! it is enough that the items of some vectors do. A *chunk* is a block of so many neighbours, in one row or a few, and
//! goes through all regions of a section ([`crate::group::sections`]) before the next chunk begins. A *whole* chunk has a length that is known when the code is
//! made: its loops over items become a handful of vectors without any loop, and the arrays of its variables
//! registers. What is left at the end of a row or of the last rows goes through a second copy of the regions.

use crate::group::crossing::{Crossing, Storage};
use crate::group::ids::Id;
use crate::group::items::Nest;
use crate::group::launch::Sizes;
use crate::group::regions::{Region, Regions};
use crate::group::sections::Section;
use crate::kernel::depart;
use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Machine, Value};

/// Items of a chunk along x and y.
pub type Shape = [u64; 2];

/// Registers that the state of a chunk may fill: half of what processors with the widest have. Others keep what an inner loop does
/// not touch in memory.
const REGISTERS: u64 = 16;

/// Vectors of a chunk that is one row: as many additions as are under way at once on most processors.
const MOST_VECTORS: u64 = 8;

/// Vectors of a row in a chunk of several rows: what is loaded for one row serves the others, and the more of them there are, the
/// less often it is loaded.
const ROW_VECTORS: u64 = 2;

/// A row is so many at most, where these are fuller.
const LONG_ROW_VECTORS: u64 = 4;

/// Instructions of a region, in all its vectors.
const MOST_INSTRUCTIONS: usize = 512;

/// What is known of a kernel when its groups are cut.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    pub machine: &'a Machine,
    pub kernel: Function,
    pub regions: &'a Regions,
    pub crossing: &'a Crossing,
    pub sizes: Sizes,
    /// How many items go together by vector code; 1 without.
    pub lanes: u64,
    /// Neighbours touch memory far apart, so that few lines stay in the cache.
    pub strides_far: bool,
}

/// How groups should be cut for each of the `sections` of a kernel: none where items never wait for each other, and where they are in
/// sub-groups. Behind a barrier a chunk has to go on where it stopped, so that of several sections those alone are cut whose chunks are whole
/// and leave them together.
pub fn shapes(of: Of, sections: &[Section]) -> Vec<Option<Shape>> {
    let shape = |section: &Section| {
        if section.0.len() == 1 || of.sizes.sub_group.is_some() {
            return None;
        }
        let alone = sections.len() == 1;
        let is_asked = |end| of.crossing.is_asked(end);
        let suits = alone
            || section.is_left_together(of.regions, &is_asked)
                && depart::variable(of.kernel).is_none();
        if suits { of.shape(section, alone) } else { None }
    };
    sections.iter().map(shape).collect()
}

impl Of<'_> {
    fn shape(&self, section: &Section, alone: bool) -> Option<Shape> {
        let lanes = u64::from(self.machine.vector_bits() / 32);
        let has_rows = asks_for_rows(self.kernel);
        let most = match (self.strides_far, has_rows) {
            (true, _) => 1,
            // Each iteration changes a number of every vector, and needs registers for what it loads.
            (false, true) => self.machine.vector_registers() / 2,
            (false, false) => MOST_VECTORS,
        };
        let vectors = self.vectors(section, most);
        if !alone && !self.sizes.uniform {
            return None;
        }
        let Some([x, y, z]) = self.sizes.enqueued else {
            let row = if has_rows { vectors.min(ROW_VECTORS) } else { vectors };
            return alone.then_some([row * lanes, vectors / row]);
        };
        let columns = match alone {
            true if has_rows && y > 1 => part_of_row(x, lanes, vectors),
            true => x.min(vectors * lanes),
            false => lanes * (1..=vectors).rev().find(|row| x % (row * lanes) == 0)?,
        };
        // The last vector of a row takes as much room as a whole one.
        let row = columns.next_multiple_of(self.lanes);
        let fits = |rows: &u64| y % rows == 0 && rows * row <= vectors * lanes;
        let may_have_rows = columns == x || alone && has_rows;
        let rows = if may_have_rows { (1..=y.min(REGISTERS)).rev().find(fits) } else { None };
        let shape = [columns, rows.unwrap_or(1)];
        // A chunk that is the whole group is none.
        (shape != [x, y] || z != 1).then_some(shape)
    }

    /// Vectors of items that a chunk may have, a power of two up to `most`.
    fn vectors(&self, section: &Section, most: u64) -> u64 {
        let items = self.crossing.variables.iter().filter(|it| it.storage == Storage::Item);
        let touched = items.filter(|it| section.touches(self.regions, it.slot));
        let words: u64 = touched.map(|it| self.machine.size_bytes(it.ty).div_ceil(4)).sum();
        let length = |region: &Region| {
            region.flow.blocks.iter().map(|block| block.instructions().len()).sum::<usize>()
        };
        let longest = section.regions(self.regions).map(length).max().unwrap_or(0).max(1);
        let most = most.min((MOST_INSTRUCTIONS / longest) as u64);
        fitting_up_to(words, most)
    }
}

/// Items of a row, of `x` in all, that a chunk of several rows has, which may have so many vectors.
fn part_of_row(x: u64, lanes: u64, vectors: u64) -> u64 {
    let part = |most: u64| even_part(x, lanes * vectors.min(most));
    let [short, long] = [ROW_VECTORS, LONG_ROW_VECTORS].map(part);
    let room = |items: u64| items.next_multiple_of(lanes);
    if long * room(short) > short * room(long) { long } else { short }
}

/// The length of parts of a row that are no longer than `most`, and all alike if there are such.
fn even_part(row: u64, most: u64) -> u64 {
    let parts = row.div_ceil(most);
    if row.is_multiple_of(parts) { row / parts } else { most }
}

fn fitting_up_to(words: u64, most: u64) -> u64 {
    1 << (REGISTERS / words.max(1)).min(most).max(1).ilog2()
}

/// Vectors of a row that a chunk has where each item keeps so many words of four bytes.
pub fn fitting(words: u64) -> u64 {
    fitting_up_to(words, MOST_VECTORS)
}

/// Whether items ask where they are along y.
fn asks_for_rows(kernel: Function) -> bool {
    let mut instructions = kernel.instructions();
    instructions.any(|call| {
        let dimension = Id::of_call(call).map(|_| call.call_arguments().first().copied());
        dimension.flatten().and_then(Value::unsigned) == Some(1)
    })
}

/// The loops over the chunks of a group.
pub struct Chunks {
    /// The local id of a chunk's first item.
    pub origin: [Value; 3],
    /// Where whole chunks begin, and how many items they have along each dimension; the end is open.
    pub whole: (Block, [Value; 3]),
    /// The same for shorter ones, where there may be any.
    pub rest: Option<(Block, [Value; 3])>,
    /// Where the work of a chunk must lead to.
    pub next: Block,
}

/// Makes the loops over the chunks of a group of `size` items; `begin` leads into them, they lead to `done`.
pub fn make(
    context: Context,
    function: Function,
    [columns, rows]: Shape,
    size: [Value; 3],
    begin: Block,
    done: Block,
) -> Chunks {
    let nest = Nest::stepping(context, function, size, [columns, rows, 1]);
    Builder::at_end(context, begin).branch(nest.before);
    Builder::at_end(context, nest.after).branch(done);
    let builder = Builder::at_end(context, nest.body);
    let whole = function.append_block(context, "chunk.whole");
    let one = builder.word(1);
    let (origin, next) = (nest.local_id, nest.latch);
    let shape = [builder.word(columns), builder.word(rows), one];
    let left = [0, 1].map(|d| builder.sub(size[d], origin[d]));
    let fewer = |builder: &Builder| {
        [builder.minimum(left[0], shape[0]), builder.minimum(left[1], shape[1]), one]
    };
    let known = |d: usize| size[d].unsigned().is_some_and(|size| size % [columns, rows][d] == 0);
    if known(0) && known(1) {
        builder.branch(whole);
        return Chunks { origin, whole: (whole, shape), rest: None, next };
    }
    let rest = function.append_block(context, "chunk.rest");
    let enough = |d: usize| builder.compare(IntPredicate::LLVMIntUGE, left[d], shape[d]);
    builder.branch_if(builder.and(enough(0), enough(1)), whole, rest);
    let fewer = fewer(&Builder::at_end(context, rest));
    Chunks { origin, whole: (whole, shape), rest: Some((rest, fewer)), next }
}
