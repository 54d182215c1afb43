//! Whether two items of a group may touch the same bytes, each by an access of its own.
//!
//! Atoms that both items have the same of are one variable, others are two. An atom that a loop makes anew in every iteration
//! is the same only if both are in the same iteration ([`Moment`]).

use std::collections::{BTreeMap, BTreeSet};

use super::{Atom, Linear, Places};
use crate::analysis::inequalities::{Inequality, System};
use crate::analysis::loops::LoopId;
use crate::view::{BlockId, ValueId, ValueKind, WorkItem};

/// One access: `bytes` from an address on, in a block.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub block: BlockId,
    pub pointer: ValueId,
    pub bytes: u64,
}

/// When two accesses happen.
#[derive(Clone, Copy, Debug)]
pub enum Moment<'a> {
    /// In the same iteration of these loops, which hold both and where the items meet.
    Same(&'a [LoopId]),
    /// In any iterations of all loops.
    Apart,
}

/// Addresses wrap around.
const ADDRESSES: i128 = 1 << 64;

/// The number of the variable that counts how often they do.
const TURNS: u32 = u32::MAX;

/// Guards of a block that are looked at, at most.
const MOST_GUARDS: usize = 32;

/// Whose an atom is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owner {
    Both,
    First,
    Second,
}

/// A system under construction: the number of each variable.
struct Model<'a> {
    places: &'a Places<'a>,
    moment: Moment<'a>,
    numbers: BTreeMap<(Owner, Atom), u32>,
    /// Those of which not all that holds has been said.
    open: Vec<(Owner, Atom)>,
    system: System,
}

impl Places<'_> {
    /// Whether two different items of a group may touch a byte in common; certain where they do not.
    pub fn may_meet(&self, first: Spot, second: Spot, moment: Moment) -> bool {
        let addresses =
            [first, second].map(|spot| self.of(spot.pointer).map(|known| &known.linear));
        let [Some(one), Some(other)] = addresses else { return self.has_several_items() };
        let model = Model {
            places: self,
            moment,
            numbers: BTreeMap::new(),
            open: Vec::new(),
            system: System::default(),
        };
        let touched = [first.bytes, second.bytes].map(|bytes| i128::from(bytes.max(1)));
        match model.of_meeting([one, other], touched, [first.block, second.block]) {
            None => self.has_several_items(),
            Some((system, local)) => self.orders().any(|(dimension, sign)| {
                let [one, other] = local[dimension];
                let terms = BTreeMap::from([(one, sign), (other, -sign)]);
                let mut system = system.clone();
                system.add(&Inequality { terms, constant: 1 });
                !system.is_impossible()
            }),
        }
    }

    /// Whether a sum is at most 0 whenever a block runs; certain where it is said to be.
    pub fn holds(&self, block: BlockId, claim: &Linear) -> bool {
        let opposite = claim.times(-1).and_then(|less| less.and(1));
        opposite.is_some_and(|opposite| self.never(block, &[opposite]))
    }

    /// Whether there is no item and no moment at which a block runs and all these sums are at most 0; certain where it is said.
    pub fn never(&self, block: BlockId, sums: &[Linear]) -> bool {
        let mut model = Model {
            places: self,
            moment: Moment::Apart,
            numbers: BTreeMap::new(),
            open: Vec::new(),
            system: System::default(),
        };
        for sum in sums {
            let sum = model.renamed(Owner::First, sum);
            model.system.add(&sum);
        }
        let guards = self.guards(block).iter().rev().take(MOST_GUARDS);
        model.close(guards.map(|guard| (Owner::First, guard)).collect());
        model.system.is_impossible()
    }

    /// Whether two accesses to one place, by any items in the same iteration of the loops `together`, agree on these sums.
    pub fn are_one_where_they_meet(
        &self,
        sides: [(&Linear, BlockId); 2],
        sums: [&[Linear; 3]; 2],
        together: &[LoopId],
    ) -> bool {
        let [(one, first), (other, second)] = sides;
        let differ = |dimension: usize, sign: i128| {
            let mut model = Model {
                places: self,
                moment: Moment::Same(together),
                numbers: BTreeMap::new(),
                open: Vec::new(),
                system: System::default(),
            };
            let mut apart = model.renamed(Owner::First, &sums[0][dimension].times(sign)?);
            let less = model.renamed(Owner::Second, &sums[1][dimension].times(-sign)?);
            for (number, factor) in less.terms {
                let total = apart.terms.entry(number).or_default();
                *total = total.checked_add(factor)?;
            }
            apart.terms.retain(|_, factor| *factor != 0);
            apart.constant = apart.constant.checked_add(less.constant)?.checked_add(1)?;
            model.system.add(&apart);
            let (system, _) = model.of_meeting([one, other], [1, 1], [first, second])?;
            Some(!system.is_impossible())
        };
        (0..3)
            .all(|dimension| [1, -1].into_iter().all(|sign| differ(dimension, sign) == Some(false)))
    }

    /// The ways in which two items may differ: along which dimension, and whose id is less (1: the first's).
    fn orders(&self) -> impl Iterator<Item = (usize, i128)> + use<> {
        let function = self.function;
        let several: Vec<usize> = (0..3)
            .filter(|&at| function.size(WorkItem::EnqueuedLocalSize, at) != Some(1))
            .collect();
        several.into_iter().flat_map(|dimension| [(dimension, 1), (dimension, -1)])
    }

    fn has_several_items(&self) -> bool {
        self.orders().next().is_some()
    }

    /// Whether both items have the same of an atom.
    fn is_shared(&self, atom: Atom, moment: Moment) -> bool {
        let analysis = self.analysis;
        let in_step = |id: LoopId| match moment {
            Moment::Same(loops) => loops.contains(&id),
            Moment::Apart => false,
        };
        match atom {
            Atom::Local(_) => false,
            Atom::First(_) | Atom::Group(_) | Atom::Offset(_) | Atom::Size(_) => true,
            Atom::Iteration(id) => {
                analysis.loops.around(analysis.loops.get(id).header).all(in_step)
            }
            Atom::Value(value) => match self.function.instruction(value) {
                Some(made) => {
                    analysis.is_one_for_all(self.function, value)
                        && analysis.loops.around(made.block).all(in_step)
                }
                None => !matches!(self.function.value(value).kind, ValueKind::Undefined),
            },
            Atom::Product(_) => {
                self.factors(atom).into_iter().all(|part| self.is_shared(part, moment))
            }
            Atom::Turns(value, _) | Atom::Quotient(value) => {
                let made_of = self.rules.get(&atom).into_iter().flatten();
                let mut made_of = made_of.flat_map(|rule| rule.terms.keys());
                self.is_shared(Atom::Value(value), moment)
                    && made_of.all(|&part| part == atom || self.is_shared(part, moment))
            }
        }
    }
}

impl Model<'_> {
    /// What holds where the two accesses meet, and the numbers of the items' local ids. None if it is too large.
    fn of_meeting(
        mut self,
        [one, other]: [&Linear; 2],
        bytes: [i128; 2],
        blocks: [BlockId; 2],
    ) -> Option<(System, [[u32; 2]; 3])> {
        let sides = [Owner::First, Owner::Second];
        let local =
            [0, 1, 2].map(|dimension| sides.map(|side| self.number(side, Atom::Local(dimension))));
        // How much the second's address is more than the first's.
        let mut apart = self.renamed(Owner::Second, other);
        for (number, factor) in self.renamed(Owner::First, one).terms {
            let difference = apart.terms.entry(number).or_default();
            *difference = difference.checked_sub(factor)?;
        }
        apart.constant = other.constant.checked_sub(one.constant)?;
        apart.terms.insert(TURNS, ADDRESSES);
        apart.terms.retain(|_, factor| *factor != 0);
        let back = Inequality {
            terms: apart.terms.iter().map(|(&at, &factor)| (at, factor.saturating_neg())).collect(),
            constant: apart.constant.checked_neg()?.checked_add(1 - bytes[1])?,
        };
        let on = Inequality { constant: apart.constant.checked_add(1 - bytes[0])?, ..apart };
        self.system.add(&on);
        self.system.add(&back);
        let mut guards: Vec<(Owner, &Linear)> = Vec::new();
        for (side, block) in sides.into_iter().zip(blocks) {
            let all = self.places.guards(block).iter().rev().take(MOST_GUARDS);
            guards.extend(all.map(|guard| (side, guard)));
        }
        self.close(guards);
        Some((self.system, local))
    }

    /// Adds what holds of the variables there are, until no guard speaks of any of them.
    fn close(&mut self, mut guards: Vec<(Owner, &Linear)>) {
        loop {
            while let Some((owner, atom)) = self.open.pop() {
                self.describe(owner, atom);
            }
            let known: BTreeSet<(Owner, Atom)> = self.numbers.keys().copied().collect();
            let speaks = |&(side, guard): &(Owner, &Linear)| {
                guard.terms.keys().any(|&atom| known.contains(&(self.owner(side, atom), atom)))
            };
            let (now, later): (Vec<_>, Vec<_>) = guards.into_iter().partition(speaks);
            if now.is_empty() {
                return;
            }
            for (side, guard) in now {
                let guard = self.renamed(side, guard);
                self.system.add(&guard);
            }
            guards = later;
        }
    }

    /// Bounds and rules of a variable.
    fn describe(&mut self, owner: Owner, atom: Atom) {
        let number = self.number(owner, atom);
        let (low, high) = self.places.bounds(atom);
        if low > -super::UNBOUNDED {
            let terms = BTreeMap::from([(number, -1)]);
            self.system.add(&Inequality { terms, constant: low });
        }
        if high < super::UNBOUNDED {
            let terms = BTreeMap::from([(number, 1)]);
            self.system.add(&Inequality { terms, constant: -high });
        }
        let places = self.places;
        for rule in places.rules.get(&atom).into_iter().flatten() {
            let rule = self.renamed(owner, rule);
            self.system.add(&rule);
        }
    }

    fn owner(&self, side: Owner, atom: Atom) -> Owner {
        if self.places.is_shared(atom, self.moment) { Owner::Both } else { side }
    }

    fn number(&mut self, side: Owner, atom: Atom) -> u32 {
        let key = (self.owner(side, atom), atom);
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert_with(|| {
            self.open.push(key);
            next
        })
    }

    fn renamed(&mut self, side: Owner, linear: &Linear) -> Inequality {
        let terms = linear.terms.iter();
        let terms = terms.map(|(&atom, &factor)| (self.number(side, atom), factor)).collect();
        Inequality { terms, constant: linear.constant }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::view::Function;
    use crate::view::text::parse;

    /// Whether two items may touch common bytes by 4 bytes at `%p` and 4 at `%q`, of which `body` is a kernel.
    fn meets(size: &str, body: &str, apart: bool) -> bool {
        let text = format!(
            "kernel k(t: local, a: global, n: i32, m: i64) {size}
            {body}"
        );
        let function = parse(&text);
        let analysis = Analysis::new(&function);
        let places = Places::find(&function, &analysis);
        let spot = |name: &str| {
            let pointer = Function::named(&text, name);
            // Where it is used, in front of an address if there is nothing else.
            let block = function.instruction(pointer).expect("an address").block;
            Spot { block, pointer, bytes: 4 }
        };
        let loops: Vec<LoopId> = analysis.loops.ids().collect();
        let moment = if apart { Moment::Apart } else { Moment::Same(&loops) };
        places.may_meet(spot("p"), spot("q"), moment)
    }

    const IDS: &str = "entry:
        %l = local_id 0
        %ly = local_id 1
        %g = global_id 0
        %x = trunc %l : i32
        %y = trunc %ly : i32
        %i = trunc %g : i32";

    /// Two places in a row, of a group of 16 items in it.
    fn row(first: &str, second: &str) -> bool {
        line("size 16 1 1", first, second)
    }

    fn line(size: &str, first: &str, second: &str) -> bool {
        meets(size, &format!("{IDS}\n{first}\n{second}\nret"), false)
    }

    const OWN: &str = "%p = address %t %l*4";

    #[test]
    fn own_elements_are_apart_and_neighbours_are_not() {
        assert!(!row(OWN, "%q = address %t %l*4"));
        assert!(row(OWN, "%q = address %t %l*4 +4"));
        assert!(row(OWN, "%q = address %t %l*4 -4"));
        assert!(row(OWN, "%q = address %t %l*4 +2"));
        // The first element of the others' half, and one behind the last item's.
        assert!(row(OWN, "%q = address %t %l*4 +60"));
        assert!(!row(OWN, "%q = address %t %l*4 +64"));
        assert!(!row(OWN, "%q = address %t %l*4 -64"));
        // Backwards: all but one in the middle of an odd row have another one's.
        assert!(row(OWN, "%r = sub 15 %l\n%q = address %t %r*4"));
        assert!(!line("size 1 1 1", OWN, "%q = address %t"));
        assert!(!row(OWN, "%q = address %t 64"));
        assert!(row(OWN, "%q = address %t 60"));
    }

    #[test]
    fn strides_must_leave_room_for_the_element() {
        let by = |stride: &str| {
            row(&format!("%p = address %t %l*{stride}"), &format!("%q = address %t %l*{stride}"))
        };
        assert!(by("0") && by("3") && by("-2"));
        assert!(!by("-4") && !by("8"));
    }

    #[test]
    fn sizes_that_are_not_known_bound_what_they_bound() {
        assert!(line("", OWN, "%q = address %t %l*4"), "a second row has the same");
        assert!(!line("", OWN, "%s = local_size 0\n%r = add %l %s\n%q = address %t %r*4"));
        assert!(line("", OWN, "%q = address %t %l*4 +64"));
        // More than a group ever has.
        assert!(!line("", OWN, "%q = address %t %l*4 +16384"));
        assert!(line("", OWN, "%q = address %t %l*4 +16380"));
    }

    #[test]
    fn rows_of_rectangles_must_be_as_long_as_they_are_wide() {
        let tile = |size: &str, row: &str| {
            let at = |name: &str| {
                format!(
                    "%m{name} = mul.nsw %y {row}\n%i{name} = add.nsw %m{name} %x\n%{name} = address %t %i{name}*4"
                )
            };
            line(size, &at("p"), &at("q"))
        };
        assert!(!tile("size 16 16 1", "16"));
        assert!(!tile("size 16 16 1", "17"));
        assert!(tile("size 16 16 1", "15"));
        assert!(!tile("size 16 1 1", "15"));
        assert!(tile("", "16"));
        // A transposed one.
        let columns = "%mq = mul.nsw %x 16\n%iq = add.nsw %mq %y\n%q = address %t %iq*4";
        let rows = "%mp = mul.nsw %y 16\n%ip = add.nsw %mp %x\n%p = address %t %ip*4";
        assert!(line("size 16 16 1", rows, columns));
    }

    #[test]
    fn what_wraps_around_meets_after_as_many_as_there_are() {
        let by = |factor: &str| {
            let at = |name: &str| {
                format!(
                    "%m{name} = mul %x {factor}\n%w{name} = zext %m{name} : i64\n%{name} = address %t %w{name}*4"
                )
            };
            line("size 16 1 1", &at("p"), &at("q"))
        };
        assert!(!by("268435455"));
        assert!(by("536870912"), "8 items on it is 2 to the 32nd");
        assert!(!by("268435456"));
        let global =
            |name: &str| format!("%w{name} = sext %i : i64\n%{name} = address %a %w{name}*4");
        assert!(!row(&global("p"), &global("q")), "no group has that many items");
    }

    #[test]
    fn remainders_and_quotients_are_bounded() {
        let both = |text: &str| {
            let at = |name: &str| {
                text.replace('#', name) + &format!("\n%{name} = address %t %w{name}*4")
            };
            line("size 16 1 1", &at("p"), &at("q"))
        };
        assert!(!both("%w# = and %l 15"));
        assert!(both("%w# = and %l 7"));
        assert!(!both("%w# = urem %l 16"));
        assert!(both("%w# = urem %l 15"));
        assert!(both("%w# = lshr %l 1"));
        // One after the other: a row of four, then its column.
        assert!(!both("%r# = urem %l 4\n%d# = udiv %l 4\n%m# = mul %d# 4\n%w# = add %m# %r#"));
        assert!(both("%r# = urem %l 4\n%d# = udiv %l 5\n%m# = mul %d# 4\n%w# = add %m# %r#"));
    }

    /// What widening to 64 bits becomes: up by 32 bits and down again.
    #[test]
    fn shifts_up_and_down_keep_what_fits() {
        let both = |of: &str, by: &str| {
            let at = |name: &str| {
                format!(
                    "%u{name} = shl {of} {by}\n%w{name} = ashr %u{name} {by}\n%{name} = address %t %w{name}*4"
                )
            };
            row(&at("p"), &at("q"))
        };
        assert!(!both("%l", "32") && !both("%g", "32") && !both("%g", "59"));
        assert!(both("%l", "61"), "eight numbers are left");
    }

    #[test]
    fn guards_tell_halves_apart() {
        let halves = |limit: &str| {
            let body = format!(
                "{IDS}
                  %c = slt %x 8
                  branch %c low high
                low:
                  %p = address %t %l*4
                  %v = load %p : i32
                  jump high
                high:
                  %o = add.nsw %x {limit}
                  %w = sext %o : i64
                  %q = address %t %w*4
                  ret"
            );
            meets("size 16 1 1", &body, false)
        };
        assert!(halves("7") && !halves("8"));
    }

    /// A row that is read by all in a loop of `bound` iterations, and written by each at `first`.
    fn looped(bound: &str, index: &str) -> bool {
        let body = format!(
            "{IDS}
              %p = address %t %l*4
              jump head
            head:
              %k = phi [entry 0] [head %next] : i32
              {index}
              %w = sext %r : i64
              %q = address %t %w*4
              %next = add.nsw %k 1
              %more = slt %next {bound}
              branch %more head done
            done:
              ret"
        );
        meets("size 16 1 1", &body, true)
    }

    #[test]
    fn iterations_have_bounds() {
        assert!(looped("4", "%r = add.nsw %k 0"));
        assert!(!looped("4", "%r = add.nsw %k 16"));
        assert!(looped("5", "%r = sub.nsw 19 %k"));
        assert!(!looped("4", "%r = sub.nsw 19 %k"));
        assert!(looped("%n", "%r = sub.nsw 100 %k"));
    }

    /// Items of one iteration have the same of what does not differ; those of several do not.
    #[test]
    fn sides_change_from_iteration_to_iteration() {
        let body = format!(
            "{IDS}
              jump head
            head:
              %k = phi [entry 0] [head %next] : i32
              %s = and %k 1
              %m = mul.nsw %s 32
              %r = add.nsw %m %x
              %w = sext %r : i64
              %p = address %t %w*4
              %o = sub.nsw 32 %m
              %z = add.nsw %o %x
              %y4 = sext %z : i64
              %q = address %t %y4*4 +4
              %next = add.nsw %k 1
              %more = slt %next %n
              branch %more head done
            done:
              ret"
        );
        assert!(!meets("size 16 1 1", &body, false));
        assert!(meets("size 16 1 1", &body, true));
    }

    #[test]
    fn what_items_load_may_be_anywhere() {
        let text = |index: &str| {
            format!(
                "%b = address %a %l*4\n%v = load %b : i32\n{index}\n%w = sext %r : i64\n%q = address %t %w*4"
            )
        };
        assert!(row(OWN, &text("%r = add.nsw %v 0")));
        assert!(!row(OWN, &text("%o = and %v 7\n%r = add.nsw %o 16")));
        assert!(row(OWN, &text("%o = and %v 7\n%r = add.nsw %o 15")));
        // All have the same.
        let shared =
            "%r = add.nsw %x %n\n%w = sext %r : i64\n%p = address %t %w*4\n%q = address %t %w*4";
        assert!(!row(shared, ""));
    }
}
