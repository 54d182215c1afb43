//! What the items of a chunk take along: variables that outlive the chunk's way are read from the group's arrays when it begins, and
//! written there when it ends.

use crate::group::chunks::Shape;
use crate::group::items::Within;
use crate::group::memory::Kept;
use crate::llvm::{Builder, Value};

/// Which way a copy goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Towards {
    Chunk,
    Group,
}

/// What a chunk's items have of a variable that outlives their way.
pub struct Carried<'a> {
    pub kept: &'a Kept,
    pub of_group: Value,
    /// Of one item's.
    pub alignment: u32,
    pub lanes: u64,
    pub shape: Shape,
    pub within: Within,
}

impl Carried<'_> {
    /// Copies it, a vector of items at a time: chunks of sections are made of whole vectors.
    pub fn copy(&self, builder: &Builder, towards: Towards) {
        let ([columns, rows], ty) = (self.shape, self.kept.memory_ty);
        let vector = ty.vector(self.lanes);
        for row in 0..rows {
            for column in (0..columns).step_by(self.lanes as usize) {
                let in_chunk = builder.word(row * columns + column);
                let local_id = [builder.word(column), builder.word(row), builder.word(0)];
                let in_group = self.within.linear_id(builder, local_id);
                let in_chunk = builder.element(ty, self.kept.kept, &[in_chunk]);
                let in_group = builder.element(ty, self.of_group, &[in_group]);
                let (from, to) = match towards {
                    Towards::Chunk => (in_group, in_chunk),
                    Towards::Group => (in_chunk, in_group),
                };
                let read = builder.load(vector, from);
                read.set_alignment(self.alignment);
                builder.store(read, to).set_alignment(self.alignment);
            }
        }
    }
}
