//! Tiles: numbers side by side that each item of a vector loads, such as the members of a structure, a few numbers of a row, or
//! a vector of the program's: 16 bytes or more at once for each item, transposed in registers.
//!
//! Eight items that load four floats each take 8 loads and 8 shuffles in place of 32 loads and 28 insertions. The loads are moved up to
//! the first of them, past nothing that may write memory.
//!
//! Where a register holds a line of the cache, rows are up to so long if the program loads as much side by side. That takes as many
//! shuffles, but each line is asked for once, and all at the same time; and rows that lie a power of two apart meet in one set of the
//! first-level cache, which holds fewer lines than a vector has items.

use std::collections::HashMap;

use crate::group::ids::Id;
use crate::llvm::{Block, Machine, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::{Shape, State};
use crate::vector::facts::sums::Sum;
use crate::vector::values::form::{components, step_to};
use crate::vector::values::library;
use crate::vector::values::widen;

/// What an item loads at once, at least: shuffles within so many bytes are cheap on all machines.
const BYTES: u64 = 16;

/// Of a line of the cache.
pub const LINE: u64 = 64;

/// Bytes of rows, the longest first.
const ROWS: [u64; 3] = [LINE, LINE / 2, BYTES];

/// Whether rows may be longer than they must: with AVX2, longer ones gained nothing.
pub fn holds_lines(machine: &Machine) -> bool {
    u64::from(machine.vector_bits()) == 8 * LINE
}

/// How loads of one type make rows of tiles: of *cells*, which are the numbers that they load or, of smaller numbers, four bytes
/// of them.
#[derive(Clone, Copy)]
pub struct Cells {
    number: Type,
    in_load: u64,
    /// Numbers of a cell.
    numbers: u64,
    /// Loads of the shortest row.
    pub loads: u64,
    /// Bytes of the longest row.
    longest: u64,
}

impl Cells {
    /// For vectors of so many lanes; none of types that go alone.
    pub fn of(machine: &Machine, ty: Type, lanes: u64) -> Option<Cells> {
        let numbers = components(ty)?;
        let number = numbers[0];
        let (bytes, each) = (machine.size_bytes(ty), machine.size_bytes(number));
        let simple = number.is_float() || number.integer_bits() == 8 * each as u32;
        if !simple || bytes > BYTES || bytes != each * numbers.len() as u64 {
            return None;
        }
        let size = each.max(4);
        let suits =
            |&row: &u64| (row == BYTES || holds_lines(machine)) && lanes.is_multiple_of(row / size);
        let longest = ROWS.into_iter().find(suits).filter(|_| bytes >= size)?;
        let (in_load, numbers, loads) = (bytes / size, size / each, BYTES / bytes);
        Some(Cells { number, in_load, numbers, loads, longest })
    }

    /// Cells of the shortest row.
    pub fn in_row(self) -> u64 {
        self.in_load * self.loads
    }

    /// Loads of rows, those of the longest first.
    fn rows(self) -> impl Iterator<Item = u64> {
        let rows = ROWS.into_iter().filter(move |&row| row <= self.longest);
        rows.map(move |row| row / BYTES * self.loads)
    }
}

/// The tiles of a block.
#[derive(Default)]
pub struct Tiles {
    /// By load: its tile, and which number of a row it is.
    places: HashMap<Value, (usize, u64)>,
    all: Vec<Tile>,
}

/// A tile.
#[derive(Clone, Copy)]
struct Tile {
    /// Loads of a row.
    loads: u64,
    /// What they are aligned to at least.
    alignment: u32,
}

impl Tiles {
    /// The tile of a load, and which number of a row it is.
    pub fn of(&self, load: Value) -> Option<(usize, u64)> {
        self.places.get(&load).copied()
    }

    pub fn find(
        machine: &Machine,
        block: Block,
        lanes: u64,
        state: &dyn Fn(Value) -> State,
    ) -> Tiles {
        let mut tiles = Tiles::default();
        let mut open: Vec<Row> = Vec::new();
        for value in block.instructions() {
            if value.is_opcode(Opcode::LLVMLoad) && !may_write(value) {
                let Some(loaded) = Row::of(machine, value, lanes, state) else { continue };
                match open.iter_mut().find(|row| row.takes(&loaded)) {
                    Some(row) => row.loads.extend(loaded.loads),
                    None => open.push(loaded),
                }
            } else if may_write(value) {
                open.drain(..).for_each(|row| tiles.close(row));
            }
        }
        open.drain(..).for_each(|row| tiles.close(row));
        tiles
    }

    /// Makes tiles of as many numbers side by side as they have.
    fn close(&mut self, row: Row) {
        let Row { mut loads, bytes, cells, .. } = row;
        loads.sort_by_key(|&(at, _)| at);
        let mut rest = loads.as_slice();
        while !rest.is_empty() {
            let first = rest[0].0;
            let is_next = |&(number, &(at, _)): &(i64, &(i64, Value))| {
                at == first.wrapping_add(number * bytes)
            };
            let together = (0..).zip(rest).take_while(is_next).count() as u64;
            let Some(count) = cells.rows().find(|&count| count <= together) else {
                rest = &rest[1..];
                continue;
            };
            let (some, others) = rest.split_at(count as usize);
            let alignment = some.iter().map(|(_, load)| load.alignment().max(1)).min();
            let alignment = alignment.expect("a row is not empty");
            let tile = self.all.len();
            self.all.push(Tile { loads: count, alignment });
            let numbered = some.iter().zip(0..).map(|(&(_, load), number)| (load, (tile, number)));
            self.places.extend(numbered);
            rest = others;
        }
    }
}

/// Loads of one type whose addresses differ by constants.
struct Row {
    sum: Sum,
    ty: Type,
    bytes: i64,
    cells: Cells,
    /// The constants, and the loads.
    loads: Vec<(i64, Value)>,
}

impl Row {
    /// Of one load, if it may be of a tile.
    fn of(
        machine: &Machine,
        load: Value,
        lanes: u64,
        state: &dyn Fn(Value) -> State,
    ) -> Option<Row> {
        let (ty, address) = (load.ty(), load.operand(0));
        let cells = Cells::of(machine, ty, lanes)?;
        let bytes = machine.size_bytes(ty) as i64;
        let State { shape, guessed, .. } = state(address);
        let apart = match shape {
            Shape::Uniform => false,
            Shape::Strided(stride) => !guessed && stride.unsigned_abs() > bytes.unsigned_abs(),
            Shape::Varying => true,
        };
        if !apart {
            return None;
        }
        let sum = Sum::of_address(machine, address);
        let is_private = sum.root.is_instruction() && sum.root.is_opcode(Opcode::LLVMAlloca);
        let loads = vec![(sum.constant, load)];
        (!is_private).then_some(Row { sum, ty, bytes, cells, loads })
    }

    fn takes(&self, other: &Row) -> bool {
        let again = |&(at, _): &(i64, Value)| at == other.sum.constant;
        self.ty == other.ty && self.sum.is_beside(&other.sum) && !self.loads.iter().any(again)
    }
}

/// Whether loads must not be moved past an instruction: it may write memory, or orders it, as far as vector code knows.
pub fn may_write(value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMLoad) => value.is_volatile() || value.is_atomic(),
        Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => true,
        Some(LLVMCall) => !is_pure(value),
        _ => false,
    }
}

/// Whether a call surely touches no memory of the program.
fn is_pure(call: Value) -> bool {
    let computes = library::has_form(call) || widen::is_simple(call);
    computes || Id::of_call(call).is_some() || widen::is_only_said(call)
}

impl Emitter<'_> {
    /// A load that is done with others, or by rows of its own, if it is.
    pub fn load_of_tile(&mut self, load: Value) -> Option<Vec<Value>> {
        let (tile, number) = self.tiles.of(load)?;
        let cells = Cells::of(self.machine, load.ty(), self.lanes)?;
        if !self.tiles_loaded.contains_key(&tile) {
            let columns = self.load_tile(load, number, cells, self.tiles.all[tile]);
            self.tiles_loaded.insert(tile, columns);
        }
        let first = (number * cells.in_load) as usize;
        let columns = self.tiles_loaded[&tile][first..][..cells.in_load as usize].to_vec();
        Some(columns.into_iter().flat_map(|column| self.numbers_of(column, cells)).collect())
    }

    /// The numbers of a column of cells.
    fn numbers_of(&self, column: Value, cells: Cells) -> Vec<Value> {
        if cells.numbers == 1 {
            return vec![column];
        }
        let all = cells.number.vector(self.lanes * cells.numbers);
        let all = self.builder.cast(Opcode::LLVMBitCast, column, all);
        (0..cells.numbers).map(|part| self.every_nth(all, part, cells.numbers)).collect()
    }

    /// All cells of a tile, `load` being that of number `number`: a vector of each.
    fn load_tile(&mut self, load: Value, number: u64, cells: Cells, tile: Tile) -> Vec<Value> {
        let before = number * self.machine.size_bytes(load.ty());
        let places = self.rows_of_tile(load, before);
        self.load_rows(&places, cells, tile)
    }

    /// Loads whole rows from these places: a vector of each cell.
    fn load_rows(&self, places: &[Value], cells: Cells, tile: Tile) -> Vec<Value> {
        let cell = if cells.numbers == 1 { cells.number } else { self.context.integer(32) };
        let in_row = cells.in_load * tile.loads;
        let row = |&place: &Value| {
            let row = self.builder.load(cell.vector(in_row), place);
            row.set_alignment(tile.alignment);
            row
        };
        let rows: Vec<Value> = places.iter().map(row).collect();
        // Parts as long as a row: the rows of every so-manieth lane are one vector.
        let every = |first: u64| -> Vec<Value> {
            rows.iter().copied().skip(first as usize).step_by(in_row as usize).collect()
        };
        let vectors: Vec<Value> =
            (0..in_row).map(|first| self.builder.joined(&every(first))).collect();
        self.transposed(&vectors, cells.in_row())
    }

    /// Loads a vector of the program's for each item from these places, if such vectors are whole rows.
    pub fn load_vectors(&self, load: Value, places: &[Value]) -> Option<Vec<Value>> {
        let cells = Cells::of(self.machine, load.ty(), self.lanes)?;
        let tile = Tile { loads: 1, alignment: load.alignment().max(1) };
        let columns = (cells.loads == 1).then(|| self.load_rows(places, cells, tile))?;
        Some(columns.into_iter().flat_map(|column| self.numbers_of(column, cells)).collect())
    }

    /// What each item has of a vector of the program's that is a whole row, as that vector.
    pub fn rows_of(&self, ty: Type, components: &[Value]) -> Option<Vec<Value>> {
        let cells = Cells::of(self.machine, ty, self.lanes)?;
        let whole = cells.loads == 1 && cells.numbers == 1 && components.len() > 1;
        let in_row = cells.in_row();
        let parts = whole.then(|| self.transposed(components, in_row))?;
        let row = |lane: u64| {
            let first = lane / in_row * in_row;
            let places: Vec<u32> = (first..first + in_row).map(|place| place as u32).collect();
            let part = parts[(lane % in_row) as usize];
            self.builder.shuffle(part, part, &places)
        };
        Some((0..self.lanes).map(row).collect())
    }

    /// Where each item's row begins, `before` bytes before what it loads.
    fn rows_of_tile(&mut self, load: Value, before: u64) -> Vec<Value> {
        let pattern = self.pattern(load.operand(0), load.ty());
        let places = self.places_to_read(load.operand(0), pattern);
        let back = |place| step_to(&self.builder, place, -(before as i64), 1);
        if before == 0 { places } else { places.into_iter().map(back).collect() }
    }

    /// Within each part of as many cells as there are vectors: the first cells of all vectors, the second ones... Of `square` vectors
    /// each, 16 bytes at a time, and then of these as wholes.
    fn transposed(&self, vectors: &[Value], square: u64) -> Vec<Value> {
        let squares: Vec<Vec<Value>> =
            vectors.chunks(square as usize).map(|some| self.transposed_square(some)).collect();
        let across = |column: usize| {
            let column: Vec<Value> = squares.iter().map(|square| square[column]).collect();
            self.transposed_wholes(&column, column.len() as u64, square)
        };
        let columns: Vec<Vec<Value>> = (0..square as usize).map(across).collect();
        (0..squares.len()).flat_map(|part| columns.iter().map(move |column| column[part])).collect()
    }

    /// Within each part of 16 bytes, of two cells or four: the first cells of all vectors, the second ones...
    fn transposed_square(&self, vectors: &[Value]) -> Vec<Value> {
        let &[a, b, c, d] = vectors else {
            return self.transposed_wholes(vectors, 2, 1);
        };
        let mut columns = Vec::new();
        for places in [[0, 4, 1, 5], [2, 6, 3, 7]] {
            let first = self.in_parts(a, b, &places);
            let second = self.in_parts(c, d, &places);
            columns.push(self.in_parts(first, second, &[0, 1, 4, 5]));
            columns.push(self.in_parts(first, second, &[2, 3, 6, 7]));
        }
        columns
    }

    /// Within each part of `count` wholes of `size` cells: the first wholes of all vectors, the second ones...
    fn transposed_wholes(&self, vectors: &[Value], count: u64, size: u64) -> Vec<Value> {
        if let &[one] = vectors {
            return vec![one];
        }
        let every_other = |first: u64| {
            let cells = |whole: u64| whole * size..(whole + 1) * size;
            let places: Vec<u64> = (first..2 * count).step_by(2).flat_map(cells).collect();
            let pairs = vectors.chunks(2).map(|pair| self.in_parts(pair[0], pair[1], &places));
            self.transposed_wholes(&pairs.collect::<Vec<_>>(), count, size)
        };
        let (even, odd) = (every_other(0), every_other(1));
        even.into_iter().zip(odd).flat_map(<[Value; 2]>::from).collect()
    }

    /// Shuffles numbers of two vectors within parts of as many as `places` has: those of the second follow those of the first.
    fn in_parts(&self, first: Value, second: Value, places: &[u64]) -> Value {
        let part = places.len() as u64;
        let at = |start: u64, place: u64| match place < part {
            true => start + place,
            false => self.lanes + start + place - part,
        };
        let starts = (0..self.lanes).step_by(part as usize);
        let all: Vec<u32> = starts
            .flat_map(|start| places.iter().map(move |&place| at(start, place) as u32))
            .collect();
        self.builder.shuffle(first, second, &all)
    }
}
