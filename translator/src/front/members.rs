//! Structures that an item has for itself become their members.
//!
//! LLVM takes a variable apart where every index into it is a number. One index that is not keeps the whole in memory: the stack of a
//! search with its top beside it, the registers of an interpreter and where it stands, a hash with a buffer and how full that is. Of
//! such a structure only the array has to stay. Its other members become registers, and the arrays of items that go together can
//! lie interleaved where they hold numbers of one size ([`crate::vector::memory::private`]), which a structure need not.
//!
//! Comes before LLVM forgets of what type a step into a structure was: an index leads nowhere but into the member's own array
//! (C11, section 6.5.6: arithmetic of pointers stays within one array).
//!
//! Source: scalar replacement of aggregates (Muchnick 1997, section 12.2), with members that may be arrays.

mod numbers;
mod within;

use numbers::Number;
use within::{Within, moved_bytes};

use crate::front::{known_indices, written_out};
use crate::llvm::{Builder, Context, Function, Machine, Opcode, Type, Value};

/// LLVM's passes for what members become.
pub const PASSES: &str = "function(sroa,early-cse)";

/// Takes structures apart in a function, inner ones too; whether there were any.
pub fn apply(context: Context, machine: &Machine, function: Function) -> bool {
    let loops = written_out::find(function);
    let is_counter = |phi: Value| {
        let own = loops.iter().find(|each| each.counter == phi);
        own.is_some_and(|own| own.count.is_some_and(|count| count <= written_out::FEW_ITERATIONS))
    };
    let mut rest: Vec<Value> = function.allocas().collect();
    let mut any = false;
    while let Some(variable) = rest.pop() {
        let uses = Uses::of(context, machine, variable);
        if let Some(uses) = uses.filter(|uses| uses.need_it(&is_counter)) {
            rest.extend(uses.take_apart(function));
            any = true;
        }
    }
    any
}

/// All that is done to a variable that is a structure.
struct Uses<'a> {
    context: Context,
    machine: &'a Machine,
    variable: Value,
    whole: Type,
    /// Steps into the members, and loads and stores of the first one, with the members' numbers.
    inside: Vec<(Value, u32)>,
    /// Calls that copy or clear the whole.
    moves: Vec<Value>,
    markers: Vec<Value>,
    /// Those by which it is asked for elements of its arrays.
    indices: Vec<Value>,
    /// Some member is written by itself.
    is_written: bool,
}

impl<'a> Uses<'a> {
    /// None if anything else is done.
    fn of(context: Context, machine: &'a Machine, variable: Value) -> Option<Uses<'a>> {
        let whole = variable.allocated_type()?;
        whole.member(0)?;
        let mut uses = Uses::none(context, machine, variable, whole);
        for user in variable.users() {
            match user.opcode()? {
                Opcode::LLVMGetElementPtr => {
                    let number = uses.member_of(user)?;
                    let mut within = Within::new(machine, whole.member(number)?);
                    let begin = -(machine.member_offset(whole, number) as i64);
                    within.is_step(user, Some(begin)).then_some(())?;
                    uses.add(user, number, within);
                }
                Opcode::LLVMLoad | Opcode::LLVMStore => {
                    let mut within = Within::new(machine, whole.member(0)?);
                    within.is_access(user, variable, Some(0)).then_some(())?;
                    uses.add(user, 0, within);
                }
                Opcode::LLVMCall if user.is_lifetime_marker() => uses.markers.push(user),
                Opcode::LLVMCall if uses.is_move(user) => uses.moves.push(user),
                _ => return None,
            }
        }
        Some(uses)
    }

    fn none(context: Context, machine: &'a Machine, variable: Value, whole: Type) -> Uses<'a> {
        let (inside, is_written) = (Vec::new(), false);
        let [moves, markers, indices] = [const { Vec::new() }; 3];
        Uses { context, machine, variable, whole, inside, moves, markers, indices, is_written }
    }

    fn add(&mut self, user: Value, number: u32, within: Within) {
        self.inside.push((user, number));
        self.indices.extend(within.indices);
        self.is_written |= within.is_written;
    }

    /// Whether LLVM would keep the whole in memory. It knows indices that are numbers once loops are written out, and takes what is only
    /// copied from memory that stays as it is for that memory.
    fn need_it(&self, is_counter: &dyn Fn(Value) -> bool) -> bool {
        let stays = |from: Value| {
            from.is_global_constant() || !from.is_instruction() && from.ty().address_space() == 0
        };
        let is_copy = |call: &Value| call.copies().is_some_and(|(_, from)| stays(from.root()));
        let is_only_read =
            !self.is_written && self.moves.len() == 1 && self.moves.iter().all(is_copy);
        let mut indices = self.indices.iter();
        !is_only_read && indices.any(|&index| !known_indices::is_known(index, is_counter))
    }

    /// The member that a step from the variable leads into, by the types that it goes by.
    fn member_of(&self, step: Value) -> Option<u32> {
        let source = step.source_type()?;
        (step.operand(0) == self.variable && step.operand(1).unsigned() == Some(0)).then_some(())?;
        if source == self.whole {
            return Some(step.operands().nth(2)?.unsigned()? as u32);
        }
        // Steps by nothing are left out.
        let mut leading = self.whole.member(0)?;
        while leading != source {
            leading = leading.member(0).or_else(|| array_element(leading))?;
        }
        (step.operand_count() > 2).then_some(0)
    }

    fn is_move(&self, call: Value) -> bool {
        let copies = |(to, from): (Value, Value)| (to == self.variable) != (from == self.variable);
        let is_copy = call.copies().is_some_and(copies);
        let bytes = self.machine.size_bytes(self.whole);
        (is_copy || clears(call))
            && moved_bytes(call) == Some(bytes)
            && Number::all(self.machine, self.whole).is_some()
    }

    /// The members.
    fn take_apart(self, function: Function) -> Vec<Value> {
        let members = 0..self.whole.count() as u32;
        let own: Vec<Value> = members.map(|number| self.own(function, number)).collect();
        for &(user, number) in &self.inside {
            self.lead(user, own[number as usize]);
        }
        self.moves.iter().for_each(|&call| self.split_move(call, &own));
        for marker in self.markers {
            for &member in &own {
                let copy = marker.duplicate();
                Builder::before(self.context, marker).insert(copy);
                let bytes = self.machine.size_bytes(type_of(member));
                copy.set_operand(0, self.context.integer(64).constant(bytes));
                copy.set_operand(1, member);
            }
            marker.erase();
        }
        self.variable.erase();
        own
    }

    /// The variable that a member becomes.
    fn own(&self, function: Function, number: u32) -> Value {
        let ty = self.whole.member(number).expect("a member that is there");
        let own = Builder::at_start(self.context, function).alloca(ty);
        let start = self.machine.member_offset(self.whole, number);
        own.set_alignment(own.alignment().max(aligned(self.variable.alignment(), start)));
        own
    }

    /// Lets what led into the structure lead to the member's own variable.
    fn lead(&self, user: Value, own: Value) {
        match user.opcode() {
            Some(Opcode::LLVMGetElementPtr) if user.source_type() == Some(self.whole) => {
                let builder = Builder::before(self.context, user);
                let further: Vec<Value> = user.operands().skip(3).collect();
                let inner = self.inner(&builder, own, &further);
                user.replace_uses(inner);
                user.erase();
            }
            Some(Opcode::LLVMStore) => user.set_operand(1, own),
            _ => user.set_operand(0, own),
        }
    }

    fn inner(&self, builder: &Builder, own: Value, further: &[Value]) -> Value {
        if further.is_empty() {
            return own;
        }
        let indices = [&[self.index(0)], further].concat();
        builder.element(type_of(own), own, &indices)
    }

    fn index(&self, number: u32) -> Value {
        self.context.integer(32).constant(u64::from(number))
    }

    /// Copies or clears number by number.
    fn split_move(&self, call: Value, own: &[Value]) {
        let builder = Builder::before(self.context, call);
        builder.set_debug_location(call.debug_location());
        let numbers = Number::all(self.machine, self.whole).expect("few, as was asked");
        for Number { path, offset, ty } in numbers {
            let path: Vec<Value> = path.into_iter().map(|number| self.index(number)).collect();
            let member = own[path[0].unsigned().expect("a number") as usize];
            let here = self.inner(&builder, member, &path[1..]);
            let Some((to, from)) = call.copies() else {
                builder.store(ty.zero(), here);
                continue;
            };
            let (other, argument) = if to == self.variable { (from, 1) } else { (to, 0) };
            let there = builder.element(self.whole, other, &[&[self.index(0)], &path[..]].concat());
            let alignment = aligned(call.argument_alignment(self.context, argument), offset);
            if to == self.variable {
                let number = builder.load(ty, there);
                number.set_alignment(alignment);
                builder.store(number, here);
            } else {
                builder.store(builder.load(ty, here), there).set_alignment(alignment);
            }
        }
        call.erase();
    }
}

fn clears(call: Value) -> bool {
    call.intrinsic_name().is_some_and(|name| name == "llvm.memset")
        && call.operand(1).unsigned() == Some(0)
}

fn type_of(variable: Value) -> Type {
    variable.allocated_type().expect("that of a variable")
}

fn array_element(ty: Type) -> Option<Type> {
    ty.element().filter(|_| !ty.is_vector())
}

/// The alignment of what lies `offset` bytes behind something of this alignment.
fn aligned(alignment: u32, offset: u64) -> u32 {
    if offset == 0 { alignment } else { alignment.min(1 << offset.trailing_zeros().min(30)) }
}
