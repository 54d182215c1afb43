//! Loads and stores of all items of a vector.
//!
//! One place for all: once. Neighbours: a vector, shuffled where an item's own are several numbers. By a stride or
//! anywhere: item by item, or by the machine's gathers and scatters where it has good ones. Masks where control needs them;
//! what is not there never touches the program's memory.

use super::tiles::Cells;
use crate::llvm::{Machine, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::Shape;
use crate::vector::values::form::{Form, components, step_to};

/// Where the items of a vector find what they load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Side by side, from the first item's on.
    Contiguous,
    /// Side by side, the last item's first.
    Reversed,
    /// So many bytes apart.
    Strided(i64),
    Anywhere,
}

/// Whether values that lie side by side are a vector without gaps.
pub fn is_packed(machine: &Machine, ty: Type) -> bool {
    let Some(parts) = components(ty) else { return false };
    let bits = |ty: Type| match ty.integer_bits() {
        0 => 8 * machine.size_bytes(ty),
        bits => u64::from(bits),
    };
    let whole: u64 = parts.iter().map(|&ty| bits(ty)).sum();
    let plain = !ty.is_vector() || parts.len().is_power_of_two();
    plain && (ty.is_vector() || parts.len() == 1) && whole == 8 * machine.size_bytes(ty)
}

impl Emitter<'_> {
    pub fn load(&mut self, load: Value) -> Form {
        let address = load.operand(0);
        if let Some(home) = self.slots.get(&address) {
            return self.read(&home.clone());
        }
        if self.shape(load) == Shape::Uniform {
            return Form::Uniform(self.once(load));
        }
        if load.is_volatile() || load.is_atomic() {
            return self.serial(load).expect("loads of simple values");
        }
        if let Some(columns) = self.load_of_tile(load) {
            return Form::Lanes(columns);
        }
        let pattern = self.pattern(address, load.ty());
        let guess = self.is_guessed_here(address).then(|| self.is_as_guessed(address));
        let page = self.whole_from_page(load, pattern);
        let sure = guess.into_iter().chain(page).reduce(|a, b| self.builder.and(a, b));
        let Some(sure) = sure else { return Form::Lanes(self.load_by(load, pattern)) };
        Form::Lanes(self.either(
            sure,
            |emitter| match page {
                Some(_) => emitter.without_mask(|emitter| emitter.load_by(load, pattern)),
                None => emitter.load_by(load, pattern),
            },
            |emitter| emitter.load_by(load, Pattern::Anywhere),
        ))
    }

    pub fn store(&mut self, store: Value) {
        let (value, address) = (store.operand(0), store.operand(1));
        if let Some(home) = self.slots.get(&address) {
            let mask = self.mask;
            self.write(&home.clone(), value, mask);
            return;
        }
        let uniform = self.shape_here(address) == Shape::Uniform;
        if uniform
            && self.shape_here(value) == Shape::Uniform
            && !store.is_volatile()
            && !store.is_atomic()
        {
            self.once(store);
            return;
        }
        if uniform || store.is_volatile() || store.is_atomic() {
            self.serial(store);
            return;
        }
        let pattern = self.pattern(address, value.ty());
        if !self.is_guessed_here(address) {
            self.store_by(store, pattern);
            return;
        }
        let sure = self.is_as_guessed(address);
        self.either(
            sure,
            |emitter| {
                emitter.store_by(store, pattern);
                Vec::new()
            },
            |emitter| {
                emitter.store_by(store, Pattern::Anywhere);
                Vec::new()
            },
        );
    }

    /// Whether places are guessed to lie so many bytes apart. One place that is guessed for all is as good as places anywhere.
    fn is_guessed_here(&self, address: Value) -> bool {
        let stride = self.shape_here(address).stride();
        self.is_guessed(address) && stride.is_some_and(|stride| stride != 0)
    }

    pub(in crate::vector) fn pattern(&self, address: Value, ty: Type) -> Pattern {
        let bytes = self.machine.size_bytes(ty) as i64;
        let stride = match self.privates_at.get(&address) {
            Some(&(_, stride)) => stride,
            None => match self.shape_here(address) {
                Shape::Strided(stride) if stride != 0 => stride,
                _ => return Pattern::Anywhere,
            },
        };
        let packed = is_packed(self.machine, ty);
        match stride {
            _ if packed && stride == bytes => Pattern::Contiguous,
            _ if packed && stride == -bytes && !ty.is_vector() => Pattern::Reversed,
            _ => Pattern::Strided(stride),
        }
    }

    /// The program's vectors of 16 bytes that lie side by side are transposed as rows, 16 bytes at a time: LLVM knows the few
    /// shuffles within parts of 16 bytes that this takes, and makes many of one that picks every fourth number of four registers.
    /// With AVX-512 one instruction picks any numbers of two registers.
    fn by_rows(&self, ty: Type, pattern: Pattern) -> Pattern {
        let whole = |cells: Cells| cells.loads == 1 && cells.in_row() == 4;
        let rows = || Cells::of(self.machine, ty, self.lanes).is_some_and(whole);
        let picks = self.machine.vector_bits() >= 512;
        match pattern {
            Pattern::Contiguous if self.mask.is_none() && !picks && rows() => {
                Pattern::Strided(self.machine.size_bytes(ty) as i64)
            }
            _ => pattern,
        }
    }

    fn load_by(&mut self, load: Value, pattern: Pattern) -> Vec<Value> {
        let (ty, address) = (load.ty(), load.operand(0));
        let pattern = self.by_rows(ty, pattern);
        let alignment = load.alignment().max(1);
        let parts = components(ty).expect("a load of simple values");
        match pattern {
            Pattern::Contiguous | Pattern::Reversed if self.can_mask(ty, address, pattern) => {
                let count = parts.len() as u64;
                let needed = self.mask.filter(|_| !self.has_all_lanes(address, pattern));
                let wide = parts[0].vector(self.lanes * count);
                let at = self.lowest(address, pattern);
                let loaded = match needed {
                    None => {
                        let loaded = self.builder.load(wide, at);
                        loaded.set_alignment(alignment);
                        loaded
                    }
                    Some(mask) => {
                        let unit = self.unit(ty);
                        let mask = self.mask_for(mask, unit.count, pattern);
                        let alignment = self.context.integer(32).constant(alignment.into());
                        let units = unit.ty.vector(self.lanes * unit.count);
                        let types = [units, at.ty()];
                        let arguments = [at, alignment, mask, units.poison()];
                        let loaded = self.builder.intrinsic("llvm.masked.load", &types, &arguments);
                        self.builder.cast(Opcode::LLVMBitCast, loaded, wide)
                    }
                };
                if pattern == Pattern::Reversed {
                    return vec![self.reversed(loaded)];
                }
                (0..count).map(|part| self.every_nth(loaded, part, count)).collect()
            }
            Pattern::Strided(stride) if self.mask.is_none() && parts.len() == 1 => {
                self.load_strided(load, stride)
            }
            _ => match self.gathered_word(ty) {
                Some(word) => {
                    let words = self.gather(address, word, alignment);
                    self.parts_of_words(words, ty)
                }
                None => self.load_places(load, pattern),
            },
        }
    }

    /// Of each item by itself.
    fn load_places(&mut self, load: Value, pattern: Pattern) -> Vec<Value> {
        let (ty, alignment) = (load.ty(), load.alignment().max(1));
        if let Some(numbers) = self.gather_narrow(load, pattern) {
            return vec![numbers];
        }
        let places = self.places_to_read(load.operand(0), pattern);
        if let Some(vectors) = self.load_vectors(load, &places) {
            return vectors;
        }
        match self.word_of_narrow(ty) {
            Some(word) => {
                let words = self.load_each(word, &places, alignment);
                self.parts_of_words(words[0], ty)
            }
            None => self.load_each(ty, &places, alignment),
        }
    }

    /// One load after the other.
    fn load_each(&mut self, ty: Type, places: &[Value], alignment: u32) -> Vec<Value> {
        let parts = components(ty).expect("a load of simple values");
        let nothing = parts.iter().map(|ty| ty.vector(self.lanes).poison());
        places.iter().zip(0..).fold(nothing.collect(), |lanes: Vec<Value>, (&place, lane)| {
            let loaded = self.builder.load(ty, place);
            loaded.set_alignment(alignment);
            self.insert_into(&lanes, loaded, lane)
        })
    }

    /// What each item finds at its address.
    fn gather(&mut self, address: Value, ty: Type, alignment: u32) -> Value {
        let addresses = self.gathered_addresses(address);
        self.gather_from(addresses, ty, alignment)
    }

    pub fn gather_from(&self, addresses: Value, ty: Type, alignment: u32) -> Value {
        let wide = ty.vector(self.lanes);
        let alignment = self.context.integer(32).constant(alignment.into());
        let arguments = [addresses, alignment, self.all_or(self.mask), wide.poison()];
        self.builder.intrinsic("llvm.masked.gather", &[wide, addresses.ty()], &arguments)
    }

    fn scatter(&mut self, address: Value, vector: Value, alignment: u32) {
        let addresses = self.gathered_addresses(address);
        let alignment = self.context.integer(32).constant(alignment.into());
        let arguments = [vector, addresses, alignment, self.all_or(self.mask)];
        let types = [vector.ty(), addresses.ty()];
        self.builder.intrinsic("llvm.masked.scatter", &types, &arguments);
    }

    /// Numbers so many bytes apart: by vectors that overlap nothing else, where they lie near each other.
    fn load_strided(&mut self, load: Value, stride: i64) -> Vec<Value> {
        let ty = load.ty();
        let bytes = self.machine.size_bytes(ty) as i64;
        let step = stride / bytes.max(1);
        let near = stride % bytes == 0 && (2..=4).contains(&step) && is_packed(self.machine, ty);
        if !near && let Some(numbers) = self.gather_narrow(load, Pattern::Strided(stride)) {
            return vec![numbers];
        }
        let base = self.first_of(load.operand(0));
        if !near || self.lanes < 4 {
            let mut lanes = vec![ty.vector(self.lanes).poison()];
            for lane in 0..self.lanes {
                let place = step_to(&self.builder, base, stride, lane);
                let loaded = self.builder.load(ty, place);
                loaded.set_alignment(load.alignment().max(1));
                lanes = self.insert_into(&lanes, loaded, lane);
            }
            return lanes;
        }
        let lanes = self.lanes;
        // The last vector ends with the last item's number.
        let end = (lanes - 1) * step as u64 + 1;
        let starts: Vec<u64> =
            (0..step as u64).map(|part| (part * lanes).min(end - lanes)).collect();
        let vectors: Vec<Value> = starts
            .iter()
            .map(|&start| {
                let place = step_to(&self.builder, base, bytes * start as i64, 1);
                let place = if start == 0 { base } else { place };
                let loaded = self.builder.load(ty.vector(lanes), place);
                loaded.set_alignment(load.alignment().max(1).min(bytes as u32));
                loaded
            })
            .collect();
        let home = |lane: u64| {
            let at = lane * step as u64;
            let vector = starts.iter().rposition(|&start| start <= at).expect("the first is at 0");
            (vector, at - starts[vector])
        };
        let mut made = vectors[0];
        let mut known: Vec<u32> = (0..lanes).map(|lane| home(lane).1 as u32).collect();
        for (number, &vector) in vectors.iter().enumerate().skip(1) {
            let places: Vec<u32> = (0..lanes)
                .map(|lane| match home(lane) {
                    (at, place) if at == number => lanes as u32 + place as u32,
                    _ if number == 1 => known[lane as usize],
                    _ => lane as u32,
                })
                .collect();
            made = self.builder.shuffle(made, vector, &places);
            known.clear();
        }
        vec![made]
    }

    fn store_by(&mut self, store: Value, pattern: Pattern) {
        let (value, address) = (store.operand(0), store.operand(1));
        let alignment = store.alignment().max(1);
        let lanes = self.lanes_of(value);
        let parts = components(value.ty()).expect("a store of simple values");
        let pattern = self.by_rows(value.ty(), pattern);
        match pattern {
            Pattern::Contiguous | Pattern::Reversed
                if self.can_mask(value.ty(), address, pattern) =>
            {
                let count = parts.len() as u64;
                let whole = match pattern {
                    Pattern::Reversed => self.reversed(lanes[0]),
                    _ => self.interleaved(&lanes),
                };
                let at = self.lowest(address, pattern);
                match self.mask {
                    None => {
                        self.builder.store(whole, at).set_alignment(alignment);
                    }
                    // Stores under masks are slow on some processors, and their numbers cannot be loaded at once.
                    Some(mask) if self.has_all_lanes(address, pattern) => {
                        let mask = self.mask_for(mask, count, pattern);
                        let old = self.builder.load(whole.ty(), at);
                        old.set_alignment(alignment);
                        let both = self.builder.select(mask, whole, old);
                        self.builder.store(both, at).set_alignment(alignment);
                    }
                    Some(mask) => {
                        let unit = self.unit(value.ty());
                        let mask = self.mask_for(mask, unit.count, pattern);
                        let units = unit.ty.vector(self.lanes * unit.count);
                        let whole = self.builder.cast(Opcode::LLVMBitCast, whole, units);
                        let alignment = self.context.integer(32).constant(alignment.into());
                        let arguments = [whole, at, alignment, mask];
                        let types = [whole.ty(), at.ty()];
                        self.builder.intrinsic("llvm.masked.store", &types, &arguments);
                    }
                }
            }
            _ => match self.gathered_word(value.ty()) {
                Some(word) => {
                    let words = self.words_of_parts(&lanes, word);
                    self.scatter(address, words, alignment);
                }
                None => self.store_places(store, &lanes, pattern),
            },
        }
    }

    /// Of each item by itself; `parts`: the components of what all store.
    fn store_places(&mut self, store: Value, parts: &[Value], pattern: Pattern) {
        let (ty, address) = (store.operand(0).ty(), store.operand(1));
        let places = match self.mask {
            Some(_) => self.places(address, pattern, self.nowhere.stored),
            None => self.places_to_read(address, pattern),
        };
        let rows = self.rows_of(ty, parts).unwrap_or_else(|| {
            let one = |lane| {
                let part = |&vector: &Value| self.builder.component(vector, lane);
                let parts: Vec<Value> = parts.iter().map(part).collect();
                self.assemble(ty, &parts)
            };
            (0..self.lanes).map(one).collect()
        });
        for (place, row) in places.into_iter().zip(rows) {
            self.builder.store(row, place).set_alignment(store.alignment().max(1));
        }
    }

    pub fn stride_of(&self, address: Value) -> i64 {
        match (self.privates_at.get(&address), self.shape_here(address)) {
            (Some(&(_, stride)), _) | (None, Shape::Strided(stride)) => stride,
            _ => 0,
        }
    }

    /// The lowest address of a vector.
    pub fn lowest(&mut self, address: Value, pattern: Pattern) -> Value {
        let base = self.first_of(address);
        match pattern {
            Pattern::Reversed => {
                step_to(&self.builder, base, self.stride_of(address), self.lanes - 1)
            }
            _ => base,
        }
    }

    pub fn reversed(&self, vector: Value) -> Value {
        let places: Vec<u32> = (0..self.lanes as u32).rev().collect();
        self.builder.shuffle(vector, vector, &places)
    }

    /// Every so-manieth component.
    pub fn every_nth(&self, vector: Value, first: u64, step: u64) -> Value {
        if step == 1 {
            return vector;
        }
        let places: Vec<u32> = (0..self.lanes).map(|lane| (lane * step + first) as u32).collect();
        self.builder.shuffle(vector, vector, &places)
    }

    /// Vectors as one, the first components of all before the second ones.
    pub fn interleaved(&self, vectors: &[Value]) -> Value {
        let joined = self.builder.joined(vectors);
        let count = vectors.len() as u64;
        if count == 1 {
            return joined;
        }
        let places: Vec<u32> = (0..self.lanes)
            .flat_map(|lane| (0..count).map(move |part| (part, lane)))
            .map(|(part, lane)| (part * self.lanes + lane) as u32)
            .collect();
        self.builder.shuffle(joined, joined, &places)
    }
}
