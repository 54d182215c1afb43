//! What programs retry until nobody comes between, as one atomic operation.
//!
//! OpenCL C has no atomic sum of floating-point numbers without an extension, so programs make one: they read what is there, add to
//! it, and put the sum there by compare and exchange, again and again until it was still the same. Some write the
//! first attempts out in front of the loop. As loops, these are left by each item in another iteration.
//!
//! Terms: an *attempt* is a block that ends with a branch on whether its compare and exchange, of what an operation makes of the number
//! found, has succeeded. It is a *retry* of another one, which fails into it, if it does the same in the same place with what is there
//! now, nothing else, and leads where that one leads if it succeeds.
//! Method: an attempt that fails into retries alone is the operation itself. It becomes that, and always succeeds.

use crate::ir::cfg::Flow;
use crate::ir::uses;
use crate::llvm::{
    AtomicOperation, Block, Builder, Context, Function, IntPredicate, Opcode, Type, Value,
};

/// LLVM's passes that take away attempts that nobody comes to.
pub const PASSES: &str = "function(simplifycfg,instcombine<no-verify-fixpoint>,mergereturn)";

struct Attempt {
    block: Block,
    exchange: Value,
    /// Tells whether it has succeeded.
    test: Value,
    /// What a change of the number is made of: the operation's result.
    new: Value,
    operation: AtomicOperation,
    number: Value,
    succeeds: Block,
    fails: Block,
}

/// Lets what is retried in a kernel be atomic operations; whether there is any.
pub fn apply(context: Context, kernel: Function) -> bool {
    if !kernel.instructions().any(|value| value.is_opcode(Opcode::LLVMAtomicCmpXchg)) {
        return false;
    }
    // Branches stay, whatever they are told.
    let flow = Flow::new(kernel.entry(), &|_| false);
    let (mut found, mut left_out) = (false, Vec::new());
    for block in kernel.blocks() {
        if left_out.contains(&block) {
            continue;
        }
        let Some(attempt) = Attempt::at(block) else { continue };
        let Some(retries) = attempt.retries() else { continue };
        attempt.always_succeeds(context, &retries, &flow);
        left_out.extend(retries);
        found = true;
    }
    found
}

impl Attempt {
    fn at(block: Block) -> Option<Attempt> {
        let end = block.terminator()?;
        let (test, [yes, no]) = (end.condition()?, <[Block; 2]>::try_from(end.successors()).ok()?);
        let (exchange, is_success) = tested(test)?;
        let [_, old, new] = [0, 1, 2].map(|at| exchange.operand(at));
        let new = bits_of(new);
        let (operation, number) = operation(new, bits_of(old))?;
        let (succeeds, fails) = if is_success { (yes, no) } else { (no, yes) };
        let is_here = exchange.parent() == Some(block) && succeeds != fails;
        is_here.then_some(Attempt {
            block,
            exchange,
            test,
            new,
            operation,
            number,
            succeeds,
            fails,
        })
    }

    fn place(&self) -> Value {
        self.exchange.operand(0)
    }

    /// All blocks that are come to when it fails, if they are retries. It is one itself if it is a loop.
    fn retries(&self) -> Option<Vec<Block>> {
        let mut blocks = Vec::new();
        let mut fails = (self.block, self.exchange, self.fails);
        loop {
            let retry = Attempt::at(fails.2).filter(|it| self.is_same(it))?;
            if !retry.tries_what_is_there(fails.0, fails.1) {
                return None;
            }
            if blocks.contains(&retry.block) {
                break;
            }
            if !retry.does_nothing_else() {
                return None;
            }
            blocks.push(retry.block);
            fails = (retry.block, retry.exchange, retry.fails);
        }
        let stays = |value: Value| {
            !value.is_instruction() || value.parent().is_none_or(|home| !blocks.contains(&home))
        };
        (stays(self.place()) && stays(self.number)).then_some(blocks)
    }

    fn is_same(&self, other: &Attempt) -> bool {
        (self.place(), self.number, self.operation, self.succeeds)
            == (other.place(), other.number, other.operation, other.succeeds)
    }

    /// Whether the number that it takes to be there is what the attempt before it has found, or what it has loaded itself.
    fn tries_what_is_there(&self, from: Block, exchange: Value) -> bool {
        let old = bits_of(self.exchange.operand(1));
        let is_here = |it: Value| it.is_instruction() && it.parent() == Some(self.block);
        let along = |it: Value| match is_here(it) && it.is_opcode(Opcode::LLVMPHI) {
            true => it.incoming_from(from),
            false => Some(it),
        };
        let Some(now) = along(old).map(bits_of) else { return false };
        let is_loaded = is_here(now) && now.is_opcode(Opcode::LLVMLoad);
        let is_found = now.is_opcode(Opcode::LLVMExtractValue) && now.indices() == [0];
        is_loaded && now.operand(0) == self.place()
            || is_found && along(now.operand(0)) == Some(exchange)
    }

    fn does_nothing_else(&self) -> bool {
        self.block.instructions().into_iter().all(|value| match value.opcode() {
            Some(Opcode::LLVMLoad) => value.operand(0) == self.place(),
            Some(Opcode::LLVMAtomicCmpXchg) => value == self.exchange,
            Some(
                Opcode::LLVMPHI
                | Opcode::LLVMBitCast
                | Opcode::LLVMExtractValue
                | Opcode::LLVMICmp
                | Opcode::LLVMBr,
            ) => true,
            _ => value == self.new,
        })
    }

    /// Makes the operation of it.
    fn always_succeeds(&self, context: Context, retries: &[Block], flow: &Flow) {
        let builder = Builder::before(context, self.exchange);
        let old = bits_of(self.exchange.operand(1));
        let place = match self.place().is_opcode(Opcode::LLVMAddrSpaceCast) {
            true => self.place().operand(0),
            false => self.place(),
        };
        let found = builder.atomic(self.operation, place, self.number, self.exchange);
        let made = self.new.duplicate();
        builder.insert(made);
        let of_old = |&at: &usize| bits_of(made.operand(at)) == old;
        let at = (0..2).find(of_old).expect("the operation is one on what was found");
        made.set_operand(at, found);
        self.first_loads(old).for_each(Value::make_plain);
        for (before, now) in [(old, found), (self.new, made)] {
            self.replace_behind(&builder, (before, now), retries, flow);
        }
        let bits = as_type(&builder, found, self.exchange.operand(1).ty());
        let [no, yes] = [0, 1].map(|it| context.integer(1).constant(it));
        for user in self.exchange.users().into_iter().filter(|&user| user != self.test) {
            if user.is_opcode(Opcode::LLVMExtractValue) {
                user.replace_uses(if user.indices() == [0] { bits } else { yes });
                user.erase();
            }
        }
        // What is left are phis of retries.
        self.exchange.replace_uses(self.exchange.ty().poison());
        self.exchange.erase();
        let end = self.block.terminator().expect("a branch");
        let is = if self.block.successors()[0] == self.succeeds { yes } else { no };
        self.test.replace_uses(is);
        end.set_condition(is);
    }

    /// What the first attempt loads to begin with, for nothing else: volatile or atomic loads would stay.
    fn first_loads(&self, old: Value) -> impl Iterator<Item = Value> {
        let incoming = old.incoming().into_iter().map(|(value, _)| bits_of(value));
        let (place, new) = (self.place(), self.new);
        let is_for_this = move |user: Value| {
            user == new || user.is_opcode(Opcode::LLVMBitCast) || user.is_opcode(Opcode::LLVMPHI)
        };
        std::iter::once(old).chain(incoming).filter(move |&value| {
            value.is_opcode(Opcode::LLVMLoad)
                && value.operand(0) == place
                && value.users().into_iter().all(is_for_this)
        })
    }

    /// Puts a number, as whatever type it is seen, in the place of what the program took for it, on the way on. Behind that, what an
    /// attempt that is no loop took for it stays what it was: the program may have loaded it long before.
    fn replace_behind(
        &self,
        builder: &Builder,
        (before, now): (Value, Value),
        retries: &[Block],
        flow: &Flow,
    ) {
        let is_behind = |at: &uses::Use| {
            let is_phi = at.user.is_opcode(Opcode::LLVMPHI);
            let leaves = is_phi && at.user.parent() == Some(self.succeeds);
            let is_later = retries.contains(&self.block)
                && !retries.contains(&at.block)
                && flow.dominates(self.block, at.block);
            at.block == self.block && leaves || is_later
        };
        let casts = before.users().into_iter().filter(|user| user.is_opcode(Opcode::LLVMBitCast));
        for alias in std::iter::once(before).chain(casts) {
            let behind: Vec<uses::Use> = uses::of(alias).into_iter().filter(is_behind).collect();
            if !behind.is_empty() {
                let now = as_type(builder, now, alias.ty());
                behind.iter().for_each(|at| at.put(now));
            }
        }
    }
}

/// The exchange whose success a condition tells, and whether it is true then.
fn tested(condition: Value) -> Option<(Value, bool)> {
    if condition.is_opcode(Opcode::LLVMExtractValue) {
        let exchange = part(condition, 1)?;
        return Some((exchange, true));
    }
    let is_success = match condition.int_predicate()? {
        IntPredicate::LLVMIntEQ => true,
        IntPredicate::LLVMIntNE => false,
        _ => return None,
    };
    let [a, b] = [0, 1].map(|at| condition.operand(at));
    let compares = |found: Value, old: Value| {
        part(found, 0).filter(|exchange| bits_of(exchange.operand(1)) == bits_of(old))
    };
    Some((compares(a, b).or_else(|| compares(b, a))?, is_success))
}

/// The exchange of which a value is this part.
fn part(value: Value, index: u32) -> Option<Value> {
    let is_part = value.is_opcode(Opcode::LLVMExtractValue) && value.indices() == [index];
    is_part.then(|| value.operand(0)).filter(|it| it.is_opcode(Opcode::LLVMAtomicCmpXchg))
}

/// What was cast to have the same bits.
fn bits_of(value: Value) -> Value {
    if value.is_opcode(Opcode::LLVMBitCast) { value.operand(0) } else { value }
}

fn as_type(builder: &Builder, value: Value, ty: Type) -> Value {
    if value.ty() == ty { value } else { builder.cast(Opcode::LLVMBitCast, value, ty) }
}

/// The operation that makes `new` of what was found, and its other number.
fn operation(new: Value, found: Value) -> Option<(AtomicOperation, Value)> {
    use AtomicOperation::*;
    let (known, is_symmetric) = match new.opcode()? {
        Opcode::LLVMFAdd => (LLVMAtomicRMWBinOpFAdd, true),
        Opcode::LLVMFSub => (LLVMAtomicRMWBinOpFSub, false),
        Opcode::LLVMAdd => (LLVMAtomicRMWBinOpAdd, true),
        Opcode::LLVMSub => (LLVMAtomicRMWBinOpSub, false),
        Opcode::LLVMAnd => (LLVMAtomicRMWBinOpAnd, true),
        Opcode::LLVMOr => (LLVMAtomicRMWBinOpOr, true),
        Opcode::LLVMXor => (LLVMAtomicRMWBinOpXor, true),
        Opcode::LLVMCall => (extremum(&new.called()?.name())?, true),
        _ => return None,
    };
    let [a, b] = [0, 1].map(|at| new.operand(at));
    let is_found = |value: Value| bits_of(value) == found;
    match (is_found(a), is_found(b)) {
        (true, _) => Some((known, b)),
        (_, true) if is_symmetric => Some((known, a)),
        _ => None,
    }
}

fn extremum(name: &str) -> Option<AtomicOperation> {
    use AtomicOperation::*;
    const KNOWN: [(&str, AtomicOperation); 6] = [
        ("llvm.maxnum.f", LLVMAtomicRMWBinOpFMax),
        ("llvm.minnum.f", LLVMAtomicRMWBinOpFMin),
        ("llvm.smax.i", LLVMAtomicRMWBinOpMax),
        ("llvm.smin.i", LLVMAtomicRMWBinOpMin),
        ("llvm.umax.i", LLVMAtomicRMWBinOpUMax),
        ("llvm.umin.i", LLVMAtomicRMWBinOpUMin),
    ];
    KNOWN.into_iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, operation)| operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tested;

    /// What a kernel of this body does after the pass, and whether it found something.
    fn opcodes(body: &str) -> (bool, Vec<Opcode>) {
        let text = format!(
            "define float @kernel(ptr addrspace(3) %p, float %v, i32 %n) {{ {body} }}
            declare float @llvm.maxnum.f32(float, float)"
        );
        tested::opcodes(&text, apply, PASSES)
    }

    #[test]
    fn a_loop_is_the_operation() {
        use Opcode::*;
        for (made, test) in [
            ("fadd float %v, %f", "%done = extractvalue { i32, i1 } %x, 1"),
            ("fsub float %f, %v", "%done = icmp eq i32 %now, %old"),
            ("call float @llvm.maxnum.f32(float %v, float %f)", "%done = icmp eq i32 %old, %now"),
        ] {
            let (found, left) = opcodes(&format!(
                "%first = load atomic volatile i32, ptr addrspace(3) %p monotonic, align 4
                br label %again
                again:
                %old = phi i32 [ %first, %0 ], [ %now, %again ]
                %f = bitcast i32 %old to float
                %new = {made}
                %b = bitcast float %new to i32
                %x = cmpxchg volatile ptr addrspace(3) %p, i32 %old, i32 %b monotonic monotonic
                %now = extractvalue {{ i32, i1 }} %x, 0
                {test}
                br i1 %done, label %end, label %again
                end:
                ret float %f"
            ));
            assert!(found);
            assert_eq!(left, [LLVMAtomicRMW, LLVMRet], "{made}: {left:?}");
        }
    }

    #[test]
    fn first_attempts_may_be_written_out() {
        use Opcode::*;
        let (found, left) = opcodes(
            "%first = load float, ptr addrspace(3) %p
            %o0 = bitcast float %first to i32
            %n0 = fadd float %first, %v
            %b0 = bitcast float %n0 to i32
            %x0 = cmpxchg ptr addrspace(3) %p, i32 %o0, i32 %b0 monotonic monotonic
            %d0 = extractvalue { i32, i1 } %x0, 1
            br i1 %d0, label %end, label %second
            second:
            %o1 = extractvalue { i32, i1 } %x0, 0
            %f1 = bitcast i32 %o1 to float
            %n1 = fadd float %f1, %v
            %b1 = bitcast float %n1 to i32
            %x1 = cmpxchg ptr addrspace(3) %p, i32 %o1, i32 %b1 monotonic monotonic
            %d1 = extractvalue { i32, i1 } %x1, 1
            br i1 %d1, label %end, label %again
            again:
            %pair = phi { i32, i1 } [ %x1, %second ], [ %x3, %reload ]
            %o2 = extractvalue { i32, i1 } %pair, 0
            %l = bitcast i32 %o2 to float
            %n2 = fadd float %l, %v
            %b2 = bitcast float %n2 to i32
            %x2 = cmpxchg ptr addrspace(3) %p, i32 %o2, i32 %b2 monotonic monotonic
            %d2 = extractvalue { i32, i1 } %x2, 1
            br i1 %d2, label %end, label %reload
            reload:
            %o3 = load float, ptr addrspace(3) %p
            %i3 = bitcast float %o3 to i32
            %n3 = fadd float %o3, %v
            %b3 = bitcast float %n3 to i32
            %x3 = cmpxchg ptr addrspace(3) %p, i32 %i3, i32 %b3 monotonic monotonic
            %d3 = extractvalue { i32, i1 } %x3, 1
            br i1 %d3, label %end, label %again
            end:
            %r = phi float [ %n0, %0 ], [ %n1, %second ], [ %n2, %again ], [ %n3, %reload ]
            ret float %r",
        );
        assert!(found);
        assert_eq!(left, [LLVMAtomicRMW, LLVMFAdd, LLVMRet]);
    }

    #[test]
    fn whoever_asks_is_told_that_it_succeeded() {
        let (found, left) = opcodes(
            "%first = load i32, ptr addrspace(3) %p
            br label %again
            again:
            %old = phi i32 [ %first, %0 ], [ %now, %again ]
            %new = add i32 %old, %n
            %x = cmpxchg ptr addrspace(3) %p, i32 %old, i32 %new monotonic monotonic
            %now = extractvalue { i32, i1 } %x, 0
            %failed = icmp ne i32 %now, %old
            br i1 %failed, label %again, label %end
            end:
            %r = select i1 %failed, float 0.0, float %v
            ret float %r",
        );
        assert!(found);
        assert_eq!(left, [Opcode::LLVMAtomicRMW, Opcode::LLVMRet]);
    }

    #[test]
    fn what_was_loaded_before_stays_what_it_was() {
        let (found, left) = opcodes(
            "%first = load i32, ptr addrspace(3) %p
            store volatile i32 %n, ptr addrspace(3) %p
            %n0 = add i32 %first, %n
            %x0 = cmpxchg ptr addrspace(3) %p, i32 %first, i32 %n0 monotonic monotonic
            %d0 = extractvalue { i32, i1 } %x0, 1
            br i1 %d0, label %end, label %again
            again:
            %x = phi { i32, i1 } [ %x0, %0 ], [ %x1, %again ]
            %o1 = extractvalue { i32, i1 } %x, 0
            %n1 = add i32 %o1, %n
            %x1 = cmpxchg ptr addrspace(3) %p, i32 %o1, i32 %n1 monotonic monotonic
            %d1 = extractvalue { i32, i1 } %x1, 1
            br i1 %d1, label %end, label %again
            end:
            %r = bitcast i32 %first to float
            ret float %r",
        );
        use Opcode::*;
        assert!(found);
        assert_eq!(left, [LLVMLoad, LLVMStore, LLVMAtomicRMW, LLVMRet], "the load is given back");
    }

    #[test]
    fn what_does_something_else_stays() {
        let again = |number: &str, beside: &str| {
            opcodes(&format!(
                "%first = load i32, ptr addrspace(3) %p
                br label %again
                again:
                %old = phi i32 [ %first, %0 ], [ %now, %again ]
                %count = phi i32 [ 0, %0 ], [ %more, %again ]
                %more = add i32 %count, 1
                {beside}
                %new = add i32 %old, {number}
                %x = cmpxchg ptr addrspace(3) %p, i32 %old, i32 %new monotonic monotonic
                %now = extractvalue {{ i32, i1 }} %x, 0
                %done = extractvalue {{ i32, i1 }} %x, 1
                br i1 %done, label %end, label %again
                end:
                %r = bitcast i32 %old to float
                ret float %r"
            ))
        };
        assert!(!again("%n", "").0, "it counts");
        assert!(!again("%count", "").0, "each attempt adds something else");
        assert!(!again("%n", "store i32 %count, ptr addrspace(3) %p").0);
        let (found, _) = opcodes(
            "%old = load i32, ptr addrspace(3) %p
            %new = add i32 %old, %n
            %x = cmpxchg ptr addrspace(3) %p, i32 %old, i32 %new monotonic monotonic
            %done = extractvalue { i32, i1 } %x, 1
            br i1 %done, label %end, label %gives_up
            gives_up:
            br label %end
            end:
            %r = phi float [ %v, %0 ], [ 0.0, %gives_up ]
            ret float %r",
        );
        assert!(!found, "it may fail");
    }
}
