//! Which vectors become numbers together, and whether that is less work.

use std::collections::HashSet;

use crate::llvm::{Opcode, Type, Value};

/// Vectors that become numbers together.
pub struct Web {
    /// Instructions that do the same with a number.
    pub members: HashSet<Value>,
    /// Other vectors that members use.
    inputs: HashSet<Value>,
}

/// What an instruction that gives a vector does.
pub enum Does {
    /// The same with each bit of these operands.
    Bits(Vec<Value>),
    /// Components change places: those of the number turn left by so many.
    Turn(Value, u64),
    Load,
    FromNumber,
    Other,
}

pub fn does(value: Value) -> Does {
    let operands = |from: usize| value.operands().skip(from).collect();
    match value.is_instruction().then(|| value.opcode()).flatten() {
        Some(Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor | Opcode::LLVMFreeze) => {
            Does::Bits(operands(0))
        }
        Some(Opcode::LLVMPHI) => {
            Does::Bits(value.incoming().into_iter().map(|(from, _)| from).collect())
        }
        Some(Opcode::LLVMSelect) if value.operand(0).ty().is_integer() => Does::Bits(operands(1)),
        Some(Opcode::LLVMShuffleVector) => {
            turned(value).map_or(Does::Other, |by| Does::Turn(value.operand(0), by))
        }
        Some(Opcode::LLVMLoad) if !value.is_volatile() && !value.is_atomic() => Does::Load,
        Some(Opcode::LLVMBitCast) if value.operand(0).ty().is_integer() => Does::FromNumber,
        _ => Does::Other,
    }
}

/// By how many components a shuffle turns its first operand, towards the high ones.
fn turned(shuffle: Value) -> Option<u64> {
    let places = shuffle.shuffled();
    let count = shuffle.operand(0).ty().count();
    let first = places.first().copied().flatten()?;
    let turns = places.len() as u64 == count
        && (0..)
            .zip(&places)
            .all(|(at, &place)| place.map(u64::from) == Some((u64::from(first) + at) % count));
    turns.then(|| (count - u64::from(first)) % count)
}

impl Web {
    /// The web of a vector, if it is not one that was `seen`.
    pub fn of(seed: Value, seen: &mut HashSet<Value>) -> Option<Web> {
        let mut web = Web { members: HashSet::new(), inputs: HashSet::new() };
        let mut todo = vec![seed];
        while let Some(value) = todo.pop() {
            if !seen.insert(value) {
                continue;
            }
            match does(value) {
                Does::Bits(of) => todo.extend(of),
                Does::Turn(of, _) => todo.push(of),
                Does::Load | Does::FromNumber => {}
                Does::Other => {
                    seen.remove(&value);
                    web.inputs.insert(value);
                    continue;
                }
            }
            web.members.insert(value);
            todo.extend(value.users().into_iter().filter(|&user| uses_bits(user, value)));
        }
        (!web.members.is_empty()).then_some(web)
    }

    /// Whether more is seen as a number than as a vector, by how often it may run.
    pub fn pays(&self, often: &dyn Fn(Value) -> u64) -> bool {
        let all = |values: &mut dyn Iterator<Item = Value>| values.map(often).sum::<u64>();
        let members = || self.members.iter().copied();
        let from = |member: &Value| matches!(does(*member), Does::FromNumber);
        let casts = members().flat_map(|member| member.users());
        let numbers = all(&mut members().filter(from))
            + all(&mut casts.filter(|&cast| as_number(cast).is_some()));
        let inputs = self.inputs.iter().copied();
        let vectors = all(&mut members().filter(|&member| self.is_seen_as_vector(member)))
            + all(&mut inputs.filter(|input| input.constant_lanes().is_none()));
        numbers > vectors
    }

    fn is_seen_as_vector(&self, member: Value) -> bool {
        let other = |user: &Value| {
            !self.members.contains(user) && as_number(*user).is_none() && !stores(*user, member)
        };
        member.users().iter().any(other)
    }
}

/// The vector of a cast between it and a number.
pub fn seen_as_number(cast: Value) -> Option<Value> {
    as_number(cast)
        .or_else(|| (is_whole(cast.ty()) && matches!(does(cast), Does::FromNumber)).then_some(cast))
}

/// The vector that an instruction turns into a number.
fn as_number(cast: Value) -> Option<Value> {
    (cast.is_opcode(Opcode::LLVMBitCast)
        && cast.ty().is_integer()
        && is_whole(cast.operand(0).ty()))
    .then(|| cast.operand(0))
}

/// Whether all bits of a vector's components make a number that processors have.
fn is_whole(ty: Type) -> bool {
    let element = ty.is_vector().then(|| ty.element()).flatten();
    element.is_some_and(|element| {
        element.is_integer() && matches!(u64::from(element.integer_bits()) * ty.count(), 32 | 64)
    })
}

/// Whether an instruction is of the web of one that it uses.
fn uses_bits(user: Value, used: Value) -> bool {
    user.ty() == used.ty()
        && match does(user) {
            Does::Bits(of) => of.contains(&used),
            Does::Turn(of, _) => of == used,
            _ => false,
        }
}

pub fn stores(user: Value, value: Value) -> bool {
    user.is_opcode(Opcode::LLVMStore)
        && user.operand(0) == value
        && !user.is_volatile()
        && !user.is_atomic()
}
