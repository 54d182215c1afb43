//! Switches that choose between numbers become tables.
//!
//! What a program makes of bytes (letters, operations, digits) by a switch is a jump through a table of addresses, which a processor
//! foresees wrongly as often as neighbouring data differ. LLVM makes tables of numbers where two labels of five are used, but not
//! of switches with wider gaps. Here the gaps are bits of a word: a number beyond the labels, or in a gap, goes where it went; all
//! others go one way, and read what they choose. Vectors of items know no switches: what is left is for items one by one.
//!
//! Terms: a *way* is where a label leads; all ways of a switch that becomes a table *meet* in one block, and do nothing before.

use std::collections::HashSet;

use crate::llvm::{Block, Builder, IntPredicate, Module, Opcode, Value};
use crate::schedule::approach::rebuild;

/// Fewer labels are a few comparisons.
const FEWEST_LABELS: usize = 4;
/// Numbers from the least label to the greatest: bits of a word.
const WORD: u64 = 64;
/// LLVM makes tables of switches of which so many hundredths are labels.
const DENSE: u64 = 40;

/// Makes tables of the switches of a module that suit.
pub fn make(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            if let Some(choice) = Choice::of(block) {
                choice.look_up(module);
            }
        }
    }
}

struct Choice {
    from: Block,
    switch: Value,
    meets: Block,
    /// Blocks between the switch and where it meets.
    between: HashSet<Block>,
    least: i64,
    range: u64,
    /// By label less the least one: the block that leads to where ways meet.
    ways: Vec<(u64, Block)>,
}

impl Choice {
    fn of(from: Block) -> Option<Choice> {
        let switch = from.terminator().filter(|end| end.is_opcode(Opcode::LLVMSwitch))?;
        let number = |index: usize| switch.operand(index).signed();
        let way = |index: usize| switch.operand(index).as_block();
        let places = (2..switch.operand_count()).step_by(2);
        let labels: Option<Vec<(i64, Block)>> =
            places.map(|at| Some((number(at)?, way(at + 1)?))).collect();
        let labels = labels.filter(|labels| labels.len() >= FEWEST_LABELS)?;
        let least = labels.iter().map(|&(label, _)| label).min()?;
        let most = labels.iter().map(|&(label, _)| label).max()?;
        let range = u64::try_from(most.checked_sub(least)?).ok()? + 1;
        if range > WORD || labels.len() as u64 * 100 >= range * DENSE {
            return None;
        }
        let forwards = |way: Block| forwards(way, from);
        let meets = labels.iter().map(|&(_, way)| forwards(way).unwrap_or(way)).next()?;
        let together =
            |&(_, way): &(i64, Block)| way == meets || forwards(way).is_some_and(|to| to == meets);
        if !labels.iter().all(together) {
            return None;
        }
        let between = labels.iter().map(|&(_, way)| way).filter(|&way| way != meets);
        let between: HashSet<Block> = between.collect();
        if switch.operand(1).as_block().is_none_or(|default| between.contains(&default)) {
            return None;
        }
        let ways = labels
            .iter()
            .map(|&(label, way)| (label.abs_diff(least), if way == meets { from } else { way }));
        let ways = ways.collect();
        let choice = Choice { from, switch, meets, between, least, range, ways };
        let phis = meets.phis();
        let by_numbers = phis.iter().all(|&phi| choice.numbers(phi).is_some());
        (!phis.is_empty() && by_numbers).then_some(choice)
    }

    /// What `phi` gets by each label.
    fn numbers(&self, phi: Value) -> Option<Vec<(u64, u64)>> {
        let number = |&(at, from): &(u64, Block)| Some((at, phi.incoming_from(from)?.unsigned()?));
        phi.ty().is_integer().then(|| self.ways.iter().map(number).collect()).flatten()
    }

    fn look_up(&self, module: &Module) {
        let context = module.context();
        let looks = self.meets.insert_before(context, "table");
        let builder = Builder::before(context, self.switch);
        let on = self.switch.operand(0);
        let at = builder.sub(on, on.ty().signed(self.least));
        let last = on.ty().constant(self.range - 1);
        let near = builder.compare(IntPredicate::LLVMIntULE, at, last);
        let word = context.integer(64);
        let at = builder.and(builder.resize(at, word), word.constant(WORD - 1));
        let labels = self.ways.iter().fold(0, |labels, &(at, _)| labels | 1_u64 << at);
        let bit = builder.binary(Opcode::LLVMLShr, word.constant(labels), at);
        let is_label = builder.cast(Opcode::LLVMTrunc, bit, context.integer(1));
        let default = self.switch.operand(1).as_block().expect("a switch leads elsewhere, too");
        builder.branch_if(builder.and(near, is_label), looks, default);
        self.switch.erase();
        self.meet(module, looks, at, default);
        self.between.iter().for_each(|way| way.erase());
    }

    /// Reads what the phis get in `looks`.
    fn meet(&self, module: &Module, looks: Block, at: Value, default: Block) {
        let context = module.context();
        let builder = Builder::at_end(context, looks);
        for phi in self.meets.phis() {
            let numbers = self.numbers(phi).expect("numbers, as before");
            let (_, first) = numbers[0];
            let value = match numbers.iter().all(|&(_, number)| number == first) {
                true => phi.ty().constant(first),
                false => self.read(module, &builder, at, phi, &numbers),
            };
            let mut incoming = phi.incoming();
            // The switch still leads there by its default.
            let stays = |from: Block| from == self.from && default == self.meets;
            let mut seen = false;
            incoming.retain(|&(_, from)| {
                let first = stays(from) && !std::mem::replace(&mut seen, true);
                first || from != self.from && !self.between.contains(&from)
            });
            incoming.push((value, looks));
            rebuild(context, phi, incoming);
        }
        builder.branch(self.meets);
    }

    fn read(
        &self,
        module: &Module,
        builder: &Builder,
        at: Value,
        phi: Value,
        numbers: &[(u64, u64)],
    ) -> Value {
        let mut table = vec![0; self.range as usize];
        numbers.iter().for_each(|&(at, number)| table[at as usize] = number);
        let table = module.table(phi.ty(), &table);
        builder.load(phi.ty(), builder.element(phi.ty(), table, &[at]))
    }
}

/// Where a block leads to that does nothing, and is reached from `from` alone.
fn forwards(way: Block, from: Block) -> Option<Block> {
    let end = way.terminator().filter(|&end| way.first() == Some(end))?;
    let alone = way.predecessors().into_iter().all(|before| before == from);
    match end.successors().as_slice() {
        &[to] if alone && end.is_opcode(Opcode::LLVMBr) => Some(to),
        _ => None,
    }
}
