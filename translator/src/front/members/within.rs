//! Where addresses lead that are made of that of a member.

use crate::llvm::{Machine, Opcode, Type, Value};
use crate::vector::facts::address::Offsets;

/// The uses of what leads into a member.
pub struct Within<'a> {
    pub machine: &'a Machine,
    pub member: Type,
    /// Those by which it is asked for an element.
    pub indices: Vec<Value>,
    pub is_written: bool,
}

impl<'a> Within<'a> {
    pub fn new(machine: &'a Machine, member: Type) -> Within<'a> {
        Within { machine, member, indices: Vec::new(), is_written: false }
    }

    /// Whether all that is done to what a step gives stays in the member. `begin`: where the step begins there, if that is known.
    pub fn is_step(&mut self, step: Value, begin: Option<i64>) -> bool {
        let offsets = Offsets::of(self.machine, step);
        let known = begin.filter(|_| offsets.scaled.is_empty());
        let known = known.and_then(|begin| begin.checked_add(offsets.constant));
        self.indices.extend(offsets.scaled.into_iter().map(|(index, _)| index));
        // A number has neighbours that are other members.
        let is_number = self.member.is_vector() || self.member.count() == 0;
        (known.is_some() || !is_number)
            && step.users().into_iter().all(|user| self.is_use(user, step, known))
    }

    fn is_use(&mut self, user: Value, address: Value, known: Option<i64>) -> bool {
        match user.opcode() {
            Some(Opcode::LLVMGetElementPtr) => {
                user.operand(0) == address && !user.ty().is_vector() && self.is_step(user, known)
            }
            Some(Opcode::LLVMLoad | Opcode::LLVMStore) => self.is_access(user, address, known),
            Some(Opcode::LLVMCall) => {
                self.is_written |= user.operand(0) == address;
                moved_bytes(user).is_some_and(|bytes| self.fits(known, bytes))
            }
            _ => false,
        }
    }

    pub fn is_access(&mut self, access: Value, address: Value, known: Option<i64>) -> bool {
        self.is_written |= access.is_opcode(Opcode::LLVMStore);
        let bytes = access.moved_type().map(|ty| self.machine.size_bytes(ty));
        access.operands().filter(|&it| it == address).count() == 1
            && access.address() == Some(address)
            && bytes.is_some_and(|bytes| self.fits(known, bytes))
    }

    fn fits(&self, begin: Option<i64>, bytes: u64) -> bool {
        let all = self.machine.size_bytes(self.member);
        u64::try_from(begin.unwrap_or(0)).is_ok_and(|begin| begin.saturating_add(bytes) <= all)
    }
}

/// The length of a call that copies or fills memory, if it is a number.
pub fn moved_bytes(call: Value) -> Option<u64> {
    let is_known = call.copies().is_some() || call.intrinsic_name()? == "llvm.memset";
    let is_volatile = || call.operand(3).unsigned() != Some(0);
    if is_known && !is_volatile() { call.operand(2).unsigned() } else { None }
}
