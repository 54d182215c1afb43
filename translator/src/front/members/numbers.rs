//! What structures are made of in the end.

use crate::llvm::{Machine, Type};

/// Numbers that are moved one by one where a whole structure is copied or cleared.
pub const MOST: usize = 64;

/// What a structure holds that is neither a structure nor an array: by which members and elements it is found, and where, in bytes.
pub struct Number {
    pub path: Vec<u32>,
    pub offset: u64,
    pub ty: Type,
}

impl Number {
    /// The numbers of a structure, if they are not too many, and its members nothing else: between the numbers of a union, others of it
    /// may lie.
    pub fn all(machine: &Machine, whole: Type) -> Option<Vec<Number>> {
        let mut found = Vec::new();
        Number { path: Vec::new(), offset: 0, ty: whole }.spread(machine, &mut found);
        let bytes = |number: &Number| match number.ty.element() {
            Some(lane) => number.ty.count() * machine.size_bytes(lane),
            None => machine.size_bytes(number.ty),
        };
        let members = (0..).map_while(|number| whole.member(number));
        let members: u64 = members.map(|member| machine.size_bytes(member)).sum();
        let all = found.len() <= MOST && found.iter().map(bytes).sum::<u64>() == members;
        all.then_some(found)
    }

    /// The numbers of what may be more than one. Of more than [`MOST`] not all are found.
    fn spread(self, machine: &Machine, found: &mut Vec<Number>) {
        let count = if self.ty.is_vector() { 0 } else { self.ty.count() as u32 };
        if count == 0 {
            found.push(self);
            return;
        }
        for number in 0..count {
            if found.len() > MOST {
                return;
            }
            let (ty, offset) = match self.ty.element() {
                Some(element) => (element, u64::from(number) * machine.size_bytes(element)),
                None => (
                    self.ty.member(number).expect("a member that is there"),
                    machine.member_offset(self.ty, number),
                ),
            };
            let path = [&self.path[..], &[number]].concat();
            Number { path, offset: self.offset + offset, ty }.spread(machine, found);
        }
    }
}
