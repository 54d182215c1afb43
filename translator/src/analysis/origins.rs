//! Which values are a uniform amount apart: the bounds of a window that every item has at a place of its own, and what counts
//! from one to the other.
//!
//! Terms: the *origin* of a value is one that it was made of by adding and subtracting what all items share; it is its own
//! where there is none before it. Two values of one origin differ by the same in all items, whatever the origin is,
//! and whether it wraps around between items or not. They compare alike in all items too if the additions have not wrapped,
//! which the program promises for many.
//! Method: part of the fixpoint of `shapes`. A phi has the origin of what enters it, if all that enters has the same one. A
//! value that comes round a loop then belongs to the same iteration of every loop around as its origin does.

use super::loops::Loops;
use super::rules::State;
use crate::view::{BinaryOp, Cast, Function, Instruction, NoWrap, Op, ValueId, ValueKind};

/// `signed`, `unsigned`: read as such numbers, value and origin differ by what was added, without wrapping around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub value: ValueId,
    pub signed: bool,
    pub unsigned: bool,
}

impl Origin {
    /// What is known of both of two values, if they are of one origin.
    pub fn shared(a: Option<Origin>, b: Option<Origin>) -> Option<Origin> {
        let (a, b) = (a?, b?);
        (a.value == b.value).then_some(a.with(b.signed, b.unsigned))
    }

    fn own(value: ValueId) -> Origin {
        Origin { value, signed: true, unsigned: true }
    }

    fn with(self, signed: bool, unsigned: bool) -> Origin {
        Origin { signed: self.signed && signed, unsigned: self.unsigned && unsigned, ..self }
    }
}

/// What is to be looked at.
pub struct Made<'a> {
    pub function: &'a Function,
    pub loops: &'a Loops,
    pub id: ValueId,
    pub instruction: &'a Instruction,
    /// What was found in the round before.
    pub before: Option<Origin>,
    /// A phi whose items come from different sides.
    pub meets: bool,
}

impl Made<'_> {
    /// The origin of a value that is not uniform; `read` gives what is known of its operands.
    pub fn origin(&self, read: impl Fn(usize) -> State) -> Origin {
        let moved = |from: usize, by: usize, wrap: NoWrap| {
            let origin = read(from).origin.filter(|_| read(by).is_uniform())?;
            Some(origin.with(wrap.signed || wrap.disjoint, wrap.unsigned || wrap.disjoint))
        };
        let operands = self.instruction.operands.len();
        let found = match self.instruction.op {
            Op::Binary(BinaryOp::Add, wrap) => moved(0, 1, wrap).or_else(|| moved(1, 0, wrap)),
            Op::Binary(BinaryOp::Or, wrap) if wrap.disjoint => {
                moved(0, 1, wrap).or_else(|| moved(1, 0, wrap))
            }
            Op::Binary(BinaryOp::Sub, wrap) => moved(0, 1, wrap),
            Op::Address { inbounds, .. } => {
                let alike = (1..operands).all(|at| read(at).is_uniform());
                read(0).origin.filter(|_| alike).map(|origin| origin.with(inbounds, inbounds))
            }
            Op::Cast(Cast::Same) => read(0).origin,
            Op::Select if read(0).is_uniform() => Origin::shared(read(1).origin, read(2).origin),
            Op::Phi(_) => self.entering(read),
            _ => None,
        };
        found.unwrap_or(Origin::own(self.id))
    }

    /// The origin of all that enters a phi. One that is its own stays so, which ends the search.
    fn entering(&self, read: impl Fn(usize) -> State) -> Option<Origin> {
        let Op::Phi(incoming) = &self.instruction.op else { return None };
        let undefined =
            |id: &ValueId| matches!(self.function.value(*id).kind, ValueKind::Undefined);
        let own = self.before.is_some_and(|before| before.value == self.id);
        if own || self.meets || self.instruction.operands.iter().any(undefined) {
            return None;
        }
        let header = self.loops.headed_by(self.instruction.block);
        let comes_round =
            |at: usize| header.is_some_and(|id| self.loops.get(id).contains(incoming[at]));
        let reached = || (0..incoming.len()).filter(|&at| read(at).shape.is_some());
        let common = |mut which: Box<dyn Iterator<Item = usize> + '_>| {
            let first = read(which.next()?).origin;
            which.fold(first, |common, at| Origin::shared(common, read(at).origin))
        };
        let first = common(Box::new(reached().filter(|&at| !comes_round(at))))?;
        // What comes round was made of what entered in the round before.
        if self.before.is_none_or(|before| before.value != first.value) {
            return Some(first);
        }
        common(Box::new(reached()))
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analysis;
    use crate::view::Function;
    use crate::view::text::parse;

    /// Which of the values called `names` all items share.
    fn uniform(text: &str, names: &[&str]) -> Vec<bool> {
        let analysis = Analysis::new(&parse(text));
        names.iter().map(|name| analysis.is_uniform(Function::named(text, name))).collect()
    }

    /// A loop from `first` to `last`, which stand for what is made of the number of the item that `x` is.
    fn window(first: &str, last: &str, next: &str, test: &str) -> bool {
        let text = format!(
            "kernel k(a: global, n: i32, r: i32)
            entry:
              %g = global_id 0
              %x = trunc %g : i32
              %first = {first} : i32
              %last = {last} : i32
              jump head
            head:
              %j = phi [entry %first] [body %next] : i32
              %c = {test} %j %last
              branch %c body done
            body:
              %way = sub %j %x
              %next = {next} : i32
              jump head
            done:
              ret"
        );
        uniform(&text, &["c"])[0]
    }

    #[test]
    fn every_item_has_a_window_as_wide_as_the_others() {
        assert!(window("sub.nsw %x %r", "add.nsw %x %r", "add.nsw %j 1", "sle"));
        assert!(window("mul %x %n", "add.nsw %first %n", "add.nsw %j %r", "slt"));
        assert!(window("add %x %r", "add %x %n", "add %j 1", "ne"));
        // These may have wrapped, or are counted by what items have for themselves.
        assert!(!window("sub %x %r", "add.nsw %x %r", "add.nsw %j 1", "sle"));
        assert!(!window("sub.nsw %x %r", "add.nsw %x %r", "add %j 1", "sle"));
        assert!(!window("sub.nsw %x %r", "add.nsw %x %r", "add.nsw %j 1", "ult"));
        assert!(!window("add %x %r", "add %x %n", "add %j %x", "ne"));
        assert!(!window("add %x 0", "mul %x %n", "add %j 1", "ne"));
    }

    #[test]
    fn pointers_have_windows_too() {
        let text = |address: &str| {
            format!(
                "kernel k(a: global, n: i64)
                entry:
                  %x = global_id 0
                  %p = address %a %x*4
                  %end = {address} %p %n*4
                  jump head
                head:
                  %at = phi [entry %p] [head %next] : global
                  %next = {address} %at 4
                  %c = ult %next %end
                  branch %c head done
                done:
                  ret"
            )
        };
        assert_eq!(uniform(&text("address.inbounds"), &["c"]), [true]);
        assert_eq!(uniform(&text("address"), &["c"]), [false]);
    }

    /// What comes from the iteration before is no uniform amount away from what this one has.
    #[test]
    fn iterations_are_not_mixed() {
        let text = |entry: &str| {
            format!(
                "kernel k(a: global, n: i32)
                entry:
                  %g = global_id 0
                  %x = trunc %g : i32
                  jump head
                head:
                  %before = phi [entry {entry}] [head %v] : i32
                  %k = phi [entry 0] [head %k1] : i32
                  %p = address %a %g*4
                  %q = address %p %k*4
                  %v = load %q : i32
                  %c = eq %before %v
                  %way = sub %before %v
                  %k1 = add.nsw %k 1
                  %more = slt %k1 %n
                  branch %more head done
                done:
                  ret"
            )
        };
        for entry in ["undef", "0", "%x"] {
            assert_eq!(uniform(&text(entry), &["c", "way"]), [false, false], "{entry}");
        }
    }

    /// Items leave the inner loop at different times, after different numbers of steps.
    #[test]
    fn what_items_count_apart_is_no_uniform_amount() {
        let text = "kernel k(a: global, n: i32)
            entry:
              %g = global_id 0
              %x = trunc %g : i32
              %p = address %a %g*4
              %v = load %p : i32
              jump head
            head:
              %j = phi [entry %x] [head %next] : i32
              %next = add.nsw %j 1
              %c = slt %next %v
              %inside = sub %next %x
              branch %c head done
            done:
              %way = sub %next %x
              %chosen = select %c %x %next : i32
              %end = sub %chosen %x
              ret";
        assert_eq!(uniform(text, &["c", "inside", "way", "end"]), [false, true, false, false]);
    }
}
