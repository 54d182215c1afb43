//! A tiny textual form of a function, so that tests of analyses can say what they are about.
//!
//! ```text
//! kernel name(a: global, n: i32) size 64 1 1
//! entry:
//!   %g = global_id 0
//!   %i = trunc %g : i32
//!   jump loop
//! loop:
//!   %k = phi [entry 0] [loop %k1] : i32
//!   %p = address %a %g*4 +8
//!   %x = load %p : f32 @7
//!   %k1 = add.nsw %k 1
//!   %c = slt %k1 %n
//!   branch %c loop done
//! done:
//!   ret
//! ```
//! A result's type is that of its first operand unless `: type` says otherwise; ids are i64, compares i1.

use std::collections::HashMap;

use super::{
    BinaryOp, Block, BlockId, Callee, Cast, Function, Instruction, MemoryKind, NoWrap, Op,
    Predicate, Space, Type, Value, ValueId, ValueKind, WorkItem,
};

struct Parser {
    function: Function,
    names: HashMap<String, ValueId>,
    blocks: HashMap<String, BlockId>,
}

/// Parses a function; a mistake in it panics with the line it is on.
pub fn parse(text: &str) -> Function {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut parser = Parser::header(lines[0]);
    parser.declare(&lines[1..]);
    let mut block = BlockId::ENTRY;
    for line in &lines[1..] {
        match line.strip_suffix(':') {
            Some(name) => block = parser.blocks[name],
            None => parser.instruction(line, block),
        }
    }
    parser.function.link();
    parser.function
}

impl Function {
    /// The value a test calls `%name`.
    pub fn named(text: &str, name: &str) -> ValueId {
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let mut parser = Parser::header(lines[0]);
        parser.declare(&lines[1..]);
        parser.names[name]
    }
}

pub fn type_of(word: &str) -> Type {
    match word {
        "i1" => Type::integer(1),
        "i8" => Type::integer(8),
        "i32" => Type::integer(32),
        "i64" => Type::integer(64),
        "f32" => Type::float(32),
        "f64" => Type::float(64),
        "global" => Type::pointer(Space::Global),
        "local" => Type::pointer(Space::Local),
        "private" => Type::pointer(Space::Private),
        "void" => Type::VOID,
        other => vector_of(other).unwrap_or_else(|| panic!("no type is called {other}")),
    }
}

/// Such as `i32x16`.
fn vector_of(word: &str) -> Option<Type> {
    let (element, lanes) = word.split_once('x')?;
    let (element, lanes) = (type_of(element), lanes.parse().ok()?);
    Some(Type { lanes, bytes: element.bytes * u64::from(lanes), ..element })
}

impl Parser {
    fn header(line: &str) -> Parser {
        let rest = line.strip_prefix("kernel ").expect("a kernel line comes first");
        let (name, rest) = rest.split_once('(').expect("arguments in parentheses");
        let (arguments, rest) = rest.split_once(')').expect("arguments in parentheses");
        let (rest, uniform_groups) = match rest.trim().strip_suffix("uniform") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let size: Vec<u64> = rest
            .trim()
            .trim_start_matches("size")
            .split_whitespace()
            .map(|word| word.parse().expect("a size"))
            .collect();
        let function = Function {
            name: name.to_string(),
            values: Vec::new(),
            blocks: Vec::new(),
            arguments: Vec::new(),
            local_size: size.try_into().ok(),
            uniform_groups,
            narrow: false,
        };
        let mut parser = Parser { function, names: HashMap::new(), blocks: HashMap::new() };
        for argument in arguments.split(',').filter(|text| !text.trim().is_empty()) {
            let (name, ty) = argument.split_once(':').expect("name: type");
            let number = parser.function.arguments.len() as u32;
            let id = parser.push(type_of(ty.trim()), ValueKind::Argument(number), None);
            parser.function.arguments.push(id);
            parser.names.insert(name.trim().to_string(), id);
        }
        parser
    }

    /// Gives every block and every named result its id, so that phis can look ahead.
    fn declare(&mut self, lines: &[&str]) {
        for line in lines {
            if let Some(name) = line.strip_suffix(':') {
                self.blocks.insert(name.to_string(), BlockId(self.function.blocks.len() as u32));
                self.function.blocks.push(Block { name: name.to_string(), ..Block::default() });
            } else if let Some((name, _)) = line.split_once(" = ") {
                let id = self.push(Type::VOID, ValueKind::Undefined, None);
                self.names.insert(name.trim_start_matches('%').to_string(), id);
            }
        }
    }

    fn push(&mut self, ty: Type, kind: ValueKind, line: Option<u32>) -> ValueId {
        self.function.values.push(Value { ty, kind, alignment_bytes: 1, line });
        ValueId(self.function.values.len() as u32 - 1)
    }

    fn operand(&mut self, word: &str) -> ValueId {
        match word.strip_prefix('%') {
            Some(name) => *self.names.get(name).unwrap_or_else(|| panic!("no value {word}")),
            None if word == "undef" => self.push(Type::integer(64), ValueKind::Undefined, None),
            None => {
                let value = word.parse().unwrap_or_else(|_| panic!("no operand: {word}"));
                self.push(Type::integer(64), ValueKind::Integer(value), None)
            }
        }
    }

    fn instruction(&mut self, text: &str, block: BlockId) {
        let (text, line) = match text.split_once('@') {
            Some((text, line)) => (text, Some(line.trim().parse().expect("a line number"))),
            None => (text, None),
        };
        let (text, ty) = match text.split_once(" : ") {
            Some((text, ty)) => (text, Some(type_of(ty.trim()))),
            None => (text, None),
        };
        let (name, text) = match text.split_once(" = ") {
            Some((name, text)) => (Some(name.trim().trim_start_matches('%')), text),
            None => (None, text),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let (op, operands) = self.operation(words[0], &words[1..], block);
        let ty = ty.unwrap_or_else(|| match op {
            Op::Call(Callee::WorkItem(_)) => Type::integer(64),
            Op::Compare(_) => Type::integer(1),
            Op::Alloca => Type::pointer(Space::Private),
            _ if name.is_none() => Type::VOID,
            _ => operands.first().map_or(Type::VOID, |&id| self.function.value(id).ty),
        });
        let kind = ValueKind::Instruction(Instruction { op, operands, block });
        let id = match name {
            Some(name) => self.names[name],
            None => self.push(Type::VOID, ValueKind::Undefined, None),
        };
        self.function.values[id.index()] = Value { ty, kind, alignment_bytes: 1, line };
        self.function.blocks[block.index()].instructions.push(id);
    }

    fn goto(&mut self, block: BlockId, target: &str) {
        let target = *self.blocks.get(target).unwrap_or_else(|| panic!("no block {target}"));
        self.function.blocks[block.index()].successors.push(target);
    }

    fn operation(&mut self, word: &str, rest: &[&str], block: BlockId) -> (Op, Vec<ValueId>) {
        let plain = |parser: &mut Parser| rest.iter().map(|word| parser.operand(word)).collect();
        match word {
            "jump" => {
                self.goto(block, rest[0]);
                (Op::Branch, Vec::new())
            }
            "branch" => {
                self.goto(block, rest[1]);
                self.goto(block, rest[2]);
                (Op::Branch, vec![self.operand(rest[0])])
            }
            "switch" => {
                for target in &rest[1..] {
                    self.goto(block, target);
                }
                (Op::Switch, vec![self.operand(rest[0])])
            }
            "phi" => self.phi(rest),
            "address" => self.address(rest, false),
            "address.inbounds" => self.address(rest, true),
            _ => (simple(word), plain(self)),
        }
    }

    fn phi(&mut self, rest: &[&str]) -> (Op, Vec<ValueId>) {
        let pairs = rest
            .chunks(2)
            .map(|pair| (pair[0].trim_start_matches('['), pair[1].trim_end_matches(']')));
        let (mut incoming, mut operands) = (Vec::new(), Vec::new());
        for (block, value) in pairs {
            incoming.push(self.blocks[block]);
            operands.push(self.operand(value));
        }
        (Op::Phi(incoming), operands)
    }

    fn address(&mut self, rest: &[&str], inbounds: bool) -> (Op, Vec<ValueId>) {
        let (mut operands, mut scales, mut constant) = (vec![self.operand(rest[0])], vec![], 0);
        for word in &rest[1..] {
            match word.split_once('*') {
                Some((index, scale)) => {
                    operands.push(self.operand(index));
                    scales.push(scale.parse().expect("a scale"));
                }
                None => constant += word.parse::<i64>().expect("a constant"),
            }
        }
        (Op::Address { constant, scales, inbounds }, operands)
    }
}

fn simple(word: &str) -> Op {
    let (stem, flag) = word.split_once('.').unwrap_or((word, ""));
    let wrap =
        NoWrap { signed: flag == "nsw", unsigned: flag == "nuw", disjoint: flag == "disjoint" };
    let memory = if flag == "shared" { MemoryKind::Shared } else { MemoryKind::Plain };
    let item = |item| Op::Call(Callee::WorkItem(item));
    let binary = |op| Op::Binary(op, wrap);
    match stem {
        "add" => binary(BinaryOp::Add),
        "sub" => binary(BinaryOp::Sub),
        "mul" => binary(BinaryOp::Mul),
        "udiv" => binary(BinaryOp::UDiv),
        "sdiv" => binary(BinaryOp::SDiv),
        "urem" => binary(BinaryOp::URem),
        "srem" => binary(BinaryOp::SRem),
        "shl" => binary(BinaryOp::Shl),
        "lshr" => binary(BinaryOp::LShr),
        "ashr" => binary(BinaryOp::AShr),
        "and" => binary(BinaryOp::And),
        "or" => binary(BinaryOp::Or),
        "xor" => binary(BinaryOp::Xor),
        "eq" => Op::Compare(Predicate::Equal),
        "ne" => Op::Compare(Predicate::NotEqual),
        "slt" => Op::Compare(Predicate::SignedLess),
        "sle" => Op::Compare(Predicate::SignedLessEqual),
        "sgt" => Op::Compare(Predicate::SignedGreater),
        "ult" => Op::Compare(Predicate::UnsignedLess),
        "select" => Op::Select,
        "trunc" => Op::Cast(Cast::Truncate { signed: wrap.signed, unsigned: wrap.unsigned }),
        "sext" => Op::Cast(Cast::SignExtend),
        "zext" => Op::Cast(Cast::ZeroExtend { nonnegative: flag == "nneg" }),
        "same" => Op::Cast(Cast::Same),
        "load" => Op::Load(memory),
        "store" => Op::Store(memory),
        "atomic" => Op::Atomic,
        "alloca" => Op::Alloca,
        "global_id" => item(WorkItem::GlobalId),
        "local_id" => item(WorkItem::LocalId),
        "group_id" => item(WorkItem::GroupId),
        "local_size" => item(WorkItem::LocalSize),
        "enqueued_local_size" => item(WorkItem::EnqueuedLocalSize),
        "barrier" => Op::Call(Callee::Barrier),
        "depart" => Op::Call(Callee::Departure),
        "unreachable" => Op::Unreachable,
        "call" => Op::Call(Callee::Unknown),
        "pure" => Op::Pure,
        "min" | "max" => Op::Extremum,
        "ret" => Op::Return,
        other => panic!("no operation is called {other}"),
    }
}
