//! Short vectors of integers whose bits are one number, as that number.
//!
//! Hashes that were written for processors of 32 bits keep a word of 64 bits in a `uint2`, and turn it by
//! `as_uint2(rotate(as_ulong(x), n))`. Between such turns there are bit operations alone, which are the same for the whole word. As
//! vectors of two, each turn would put two registers together, and take them apart again.
//!
//! Method: values of one vector type that meet in bit operations, phis and selections are one *web*. A web becomes numbers if more of
//! its values are seen as a number than as a vector; those that are seen as vectors, by their components say, are turned back.

use std::collections::{HashMap, HashSet};

use crate::group::regions::Region;
use crate::ir::cfg::Flow;
use crate::llvm::{Builder, Context, Function, Opcode, Type, Value};
use crate::vector::facts::graph::Graph;

/// LLVM's passes that take away casts there and back.
pub const PASSES: &str = "function(instsimplify)";

/// Lets webs of a kernel be numbers where that is less work; whether there is one.
pub fn apply(context: Context, kernel: Function) -> bool {
    let mut seen = HashSet::new();
    let seeds: Vec<Value> = kernel.instructions().filter_map(seen_as_number).collect();
    let webs: Vec<Web> = seeds.into_iter().filter_map(|seed| Web::of(seed, &mut seen)).collect();
    if webs.is_empty() {
        return false;
    }
    let graph = Graph::new(&Region::whole(kernel));
    let mut found = false;
    for web in webs.iter().filter(|web| web.pays(&|value| often(graph.as_ref(), value))) {
        web.become_numbers(context, kernel);
        found = true;
    }
    found
}

/// How often a value may be made, for one time that the kernel runs: a loop has eight iterations.
fn often(graph: Option<&Graph>, value: Value) -> u64 {
    let block = value.is_instruction().then(|| value.parent()).flatten();
    let depth =
        graph.zip(block).and_then(|(graph, block)| Some(graph.depth(graph.number_of(block)?)));
    8_u64.saturating_pow(depth.unwrap_or(0).min(8))
}

/// The vector of a cast between it and a number.
fn seen_as_number(cast: Value) -> Option<Value> {
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

/// Vectors that become numbers together.
struct Web {
    /// Instructions that do the same with a number.
    members: HashSet<Value>,
    /// Other vectors that members use.
    inputs: HashSet<Value>,
}

/// What an instruction that gives a vector does.
enum Does {
    /// The same with each bit of these operands.
    Bits(Vec<Value>),
    /// Components change places: those of the number turn left by so many.
    Turn(Value, u64),
    Load,
    FromNumber,
    Other,
}

fn does(value: Value) -> Does {
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
    fn of(seed: Value, seen: &mut HashSet<Value>) -> Option<Web> {
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
    fn pays(&self, often: &dyn Fn(Value) -> u64) -> bool {
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

    fn become_numbers(&self, context: Context, kernel: Function) {
        let blocks = Flow::new(kernel.entry(), &|_| false).blocks;
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        let members: Vec<Value> = instructions.filter(|it| self.members.contains(it)).collect();
        let mut numbers = Numbers { context, kernel, of: HashMap::new() };
        for &member in &members {
            let number = numbers.made_of(member);
            numbers.of.insert(member, number);
        }
        members.iter().for_each(|&phi| numbers.complete(phi));
        members.iter().for_each(|&member| numbers.replace(member));
        members.iter().for_each(|member| member.erase());
    }
}

/// The numbers that vectors of a kernel have become.
struct Numbers {
    context: Context,
    kernel: Function,
    of: HashMap<Value, Value>,
}

impl Numbers {
    /// The number that a member of a web becomes; what phis become has no operands yet.
    fn made_of(&mut self, member: Value) -> Value {
        let ty = self.number_type(member);
        let builder = Builder::before(self.context, member);
        match does(member) {
            Does::Bits(_) if member.is_opcode(Opcode::LLVMPHI) => builder.phi(ty),
            Does::Bits(of) => {
                let of: Vec<Value> = of.into_iter().map(|vector| self.number(vector)).collect();
                match (member.opcode().expect("an instruction"), &of[..]) {
                    (Opcode::LLVMSelect, &[yes, no]) => builder.select(member.operand(0), yes, no),
                    (opcode, &[a, b]) => builder.binary(opcode, a, b),
                    (_, of) => builder.freeze(of[0]),
                }
            }
            Does::Turn(of, components) => {
                let bits = u64::from(ty.integer_bits()) / member.ty().count();
                let number = self.number(of);
                builder.intrinsic(
                    "llvm.fshl",
                    &[ty],
                    &[number, number, ty.constant(components * bits)],
                )
            }
            Does::Load => {
                let load = builder.load(ty, member.operand(0));
                load.set_alignment(member.alignment());
                load.take_metadata_of(self.context, member);
                load
            }
            Does::FromNumber => member.operand(0),
            Does::Other => unreachable!("an input of a web"),
        }
    }

    fn number_type(&self, vector: Value) -> Type {
        let ty = vector.ty();
        let bits = ty.element().map_or(0, |element| element.integer_bits());
        self.context.integer(bits * ty.count() as u32)
    }

    /// The number of any vector. One that does not come from a web may lack a component: all bits of its number are there.
    fn number(&mut self, vector: Value) -> Value {
        if let Some(&number) = self.of.get(&vector) {
            return number;
        }
        let ty = self.number_type(vector);
        let builder = self.behind(vector);
        let whole = vector.constant_lanes().is_some();
        let vector_of_all = if whole { vector } else { builder.freeze(vector) };
        let number = builder.cast(Opcode::LLVMBitCast, vector_of_all, ty);
        self.of.insert(vector, number);
        number
    }

    /// Where what is made of a value is at hand for all that use the value.
    fn behind(&self, value: Value) -> Builder {
        if !value.is_instruction() {
            return Builder::at_start(self.context, self.kernel);
        }
        let next = match value.is_opcode(Opcode::LLVMPHI) {
            true => value.parent().and_then(|block| block.first_after_phis()),
            false => value.next(),
        };
        Builder::before(self.context, next.expect("a block has a terminator"))
    }

    /// Gives a phi what comes from where.
    fn complete(&mut self, phi: Value) {
        for (vector, from) in phi.incoming() {
            let number = self.number(vector);
            self.of[&phi].add_incoming(number, from);
        }
    }

    /// Lets those who use a vector use its number.
    fn replace(&mut self, member: Value) {
        let number = self.of[&member];
        let vector = self.behind(member).cast(Opcode::LLVMBitCast, number, member.ty());
        for store in member.users().into_iter().filter(|&user| stores(user, member)) {
            store.set_operand(0, number);
        }
        member.replace_uses(vector);
    }
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

fn stores(user: Value, value: Value) -> bool {
    user.is_opcode(Opcode::LLVMStore)
        && user.operand(0) == value
        && !user.is_volatile()
        && !user.is_atomic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Machine, Module, configure, run_passes};
    use crate::program::patience::Effort;

    /// What a function of this body does after the pass, and whether it found something.
    fn opcodes(body: &str) -> (bool, Vec<Opcode>) {
        configure(&[]);
        let text = format!(
            "define void @kernel(ptr %at, i32 %x, <2 x i32> %v, i1 %c) {{ {body} }}
            declare i64 @llvm.fshl.i64(i64, i64, i64)"
        );
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("it is there");
        let found = apply(module.context(), kernel);
        module.verify().expect("a whole module");
        let machine = Machine::host(Effort::Full).expect("a machine");
        run_passes(&module, &machine, PASSES).expect("passes");
        (found, kernel.instructions().filter_map(|value| value.opcode()).collect())
    }

    #[test]
    fn a_word_of_a_hash_is_one_number() {
        use Opcode::*;
        let (found, left) = opcodes(
            "%a = load <2 x i32>, ptr %at, align 8
            %b = xor <2 x i32> %a, <i32 5, i32 7>
            %n = bitcast <2 x i32> %b to i64
            %t = call i64 @llvm.fshl.i64(i64 %n, i64 %n, i64 9)
            %w = bitcast i64 %t to <2 x i32>
            %m = and <2 x i32> %w, %b
            %s = shufflevector <2 x i32> %m, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
            store <2 x i32> %s, ptr %at, align 8
            ret void",
        );
        assert!(found);
        assert_eq!(left, [LLVMLoad, LLVMXor, LLVMCall, LLVMAnd, LLVMCall, LLVMStore, LLVMRet]);
    }

    #[test]
    fn phis_of_words_are_phis_of_numbers() {
        let (found, left) = opcodes(
            "br label %head
            head:
            %a = phi <2 x i32> [ zeroinitializer, %0 ], [ %w, %head ]
            %n = bitcast <2 x i32> %a to i64
            %t = call i64 @llvm.fshl.i64(i64 %n, i64 %n, i64 9)
            %w = bitcast i64 %t to <2 x i32>
            br i1 %c, label %head, label %done
            done:
            store <2 x i32> %a, ptr %at, align 8
            ret void",
        );
        assert!(found && !left.contains(&Opcode::LLVMBitCast), "{left:?}");
    }

    #[test]
    fn what_is_seen_by_components_stays() {
        let (found, _) = opcodes(
            "%a = load <2 x i32>, ptr %at, align 8
            %b = xor <2 x i32> %a, %v
            %n = bitcast <2 x i32> %b to i64
            store i64 %n, ptr %at, align 8
            %c0 = extractelement <2 x i32> %b, i32 0
            store i32 %c0, ptr %at, align 4
            ret void",
        );
        assert!(!found);
    }

    #[test]
    fn a_vector_that_lacks_a_component_gives_a_number_of_any_bits() {
        let (found, left) = opcodes(
            "%half = insertelement <2 x i32> poison, i32 %x, i32 0
            %b = xor <2 x i32> %half, splat (i32 1)
            %n = bitcast <2 x i32> %b to i64
            %m = bitcast <2 x i32> %b to i64
            %s = sub i64 %n, 3
            %t = mul i64 %m, %s
            store i64 %t, ptr %at, align 8
            ret void",
        );
        assert!(found && left.contains(&Opcode::LLVMFreeze), "{left:?}");
    }
}
