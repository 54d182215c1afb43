//! What a person could change so that a kernel runs better: a suggestion for each thing that a description tells of.
//!
//! A suggestion is made where the reason is known and a change of the source takes it away; it is short, and true of
//! this translator: nothing is said of what would make no difference here.

use std::collections::BTreeSet;

use crate::report::describe::{Access, Kernel};

/// By a piece of the reason for a loop's order: what takes it away.
const ORDERS: &[(&str, &str)] = &[
    (
        "leave this loop in different iterations",
        "make the trip count the same for all items of a group: loop up to the largest, and test inside",
    ),
    (
        "items that have left it wait for the rest",
        "make the trip counts of neighbours alike, so that none waits for long",
    ),
    (
        "maybe only some work-items run this loop",
        "let all items of a group run it: test inside of the loop in place of around it",
    ),
    (
        "run the loop around it at different times",
        "make the trip count of the loop around it the same for all items of a group",
    ),
    ("no nest of loops", "jump neither into a loop nor out of the middle of one (goto)"),
];

/// By a piece of what LLVM says of a loop over items: what takes it away.
const VECTORS: &[(&str, &str)] = &[
    (
        "a loop of the program is inside",
        "items of this part run one after another, each its loops to the end: the loops above say why",
    ),
    (
        "call instruction cannot be vectorized",
        "call only builtin functions that have vector forms, such as exp, log, pow, sin and cos",
    ),
    (
        "instruction cannot be vectorized",
        "atomics and volatile accesses are done item by item: keep them apart from the rest, or add up in __local memory first",
    ),
    (
        "used outside the loop",
        "one value is kept of what each item computes: let a single item compute it, or each store its own",
    ),
    (
        "not beneficial",
        "vectors would not be faster: most of the work is memory far apart, or single items' own",
    ),
    ("dependen", "let no item write what another one reads or writes without a barrier between"),
    ("control flow", "use if and for, with ends that all items reach, in place of jumps"),
];

fn find(table: &[(&str, &'static str)], why: &str) -> Option<&'static str> {
    table.iter().find(|(piece, _)| why.contains(piece)).map(|&(_, advice)| advice)
}

/// For a part of the kernel whose items did not become vectors.
pub fn on_vectors(why: &str) -> Option<&'static str> {
    find(VECTORS, why)
}

/// For the loop with this number in the description.
pub fn on_loop(kernel: &Kernel, number: usize) -> Vec<String> {
    let this = &kernel.loops[number];
    let mut advice: Vec<String> = find(ORDERS, &this.why).map(String::from).into_iter().collect();
    let inner = kernel.loops[number + 1..].iter().take_while(|inner| inner.depth > this.depth);
    let told: BTreeSet<_> = inner.flat_map(|inner| &inner.accesses).map(place).collect();
    let own = this.accesses.iter().filter(|access| !told.contains(&place(access)));
    advice.extend(together(own.filter_map(|access| on_access(kernel, &this.order, access))));
    advice
}

/// For what is accessed outside of loops: the accesses that there is something to say of, and what.
pub fn outside_loops(kernel: &Kernel) -> (Vec<&Access>, Vec<String>) {
    let all = kernel.accesses.iter();
    let found = all.filter_map(|access| Some((access, on_access(kernel, "", access)?)));
    let (accesses, advice): (Vec<_>, Vec<_>) = found.unzip();
    (accesses, together(advice.into_iter()))
}

/// Each suggestion once, behind the names that it is for, in the order of the accesses.
fn together<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut named: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, text) in all {
        match named.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => named.push((text, vec![name])),
        }
    }
    named.into_iter().map(|(text, names)| format!("{}: {text}", names.join(", "))).collect()
}

/// What an access is known by in each of the loops around it.
fn place(access: &Access) -> (u32, &Option<String>, &str) {
    (access.line, &access.argument, &access.kind)
}

/// The name of what is accessed, and the suggestion; `order` is that of the loop around it.
fn on_access<'a>(
    kernel: &Kernel,
    order: &str,
    access: &'a Access,
) -> Option<(&'a str, &'static str)> {
    let name = access.argument.as_deref()?;
    let is_buffer = kernel.arguments.iter().any(|argument| {
        argument.name == name && matches!(argument.kind.as_str(), "global" | "constant")
    });
    let is_reduced =
        kernel.reductions.iter().any(|it| kernel.arguments[it.argument as usize].name == name);
    let text = match (access.kind.as_str(), access.class.as_str()) {
        ("atomic", "W0L0" | "W0L1" | "W0LX") => {
            "add up in a variable of the item, and do the atomic operation once, behind the loop"
        }
        _ if !is_buffer || is_reduced => return None,
        ("atomic", "W0" | "WX" | "WXLX") => {
            "let the items of a group do these operations on __local memory, and add that up at the end"
        }
        (_, "WXL1") if order == "dfo" => {
            "each item walks a row of its own; with the data transposed (get_global_id(0) without a factor) \
             items touch neighbours side by side"
        }
        ("load" | "store", "WX" | "WXLX") => {
            "neighbours touch places far apart, or places that data tells: where it can be, index by \
             get_global_id(0) without a factor, or go by way of __local memory"
        }
        _ => return None,
    };
    Some((name, text))
}

/// For a kernel with barriers that were kept.
pub fn on_barriers(kernel: &Kernel) -> String {
    let bytes = kernel.context_bytes_per_item;
    let kept = match bytes {
        0 => String::new(),
        _ => format!("; {bytes} bytes of each item are kept across them"),
    };
    format!("leave out a barrier behind which no item reads what another one wrote{kept}")
}

/// For a kernel that was translated with less effort.
pub const ON_SIZE: &str = "divide it into several kernels, or unroll and inline less of it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::describe::{ArgumentText, Loop};

    fn access(kind: &str, class: &str) -> Access {
        let argument = Some("a".to_string());
        Access { line: 3, argument, kind: kind.to_string(), class: class.to_string() }
    }

    fn kernel(loops: Vec<Loop>) -> Kernel {
        let argument = |name: &str, kind: &str| ArgumentText {
            name: name.to_string(),
            kind: kind.to_string(),
            ..ArgumentText::default()
        };
        Kernel { arguments: vec![argument("a", "global")], loops, ..Kernel::default() }
    }

    #[test]
    fn rows_are_to_be_transposed_and_trips_made_alike() {
        let this = Loop {
            depth: 1,
            order: "dfo".to_string(),
            why: "votes, but work-items leave this loop in different iterations".to_string(),
            accesses: vec![access("load", "WXL1"), access("load", "WXL1"), access("load", "W1L0")],
            ..Loop::default()
        };
        let advice = on_loop(&kernel(vec![this]), 0);
        assert_eq!(advice.len(), 2);
        assert!(advice[0].starts_with("make the trip count the same"));
        assert!(advice[1].starts_with("a: each item walks a row of its own"));
    }

    #[test]
    fn what_an_inner_loop_is_told_the_outer_one_is_not() {
        let with =
            |depth| Loop { depth, accesses: vec![access("store", "WXLX")], ..Loop::default() };
        let nest = kernel(vec![with(1), with(2), with(1)]);
        let counts = [0, 1, 2].map(|number| on_loop(&nest, number).len());
        assert_eq!(counts, [0, 1, 1]);
    }

    #[test]
    fn gathers_and_atomics_outside_of_loops_are_told_of() {
        let all =
            [("load", "W1"), ("load", "WX"), ("load", "WX"), ("store", "W0"), ("atomic", "WX")];
        let accesses = all.map(|(kind, class)| access(kind, class)).to_vec();
        let kernel = Kernel { accesses, ..kernel(Vec::new()) };
        let (accesses, advice) = outside_loops(&kernel);
        assert_eq!(accesses.len(), 3);
        assert!(advice.len() == 2 && advice[0].starts_with("a: neighbours touch"), "{advice:?}");
        assert!(advice[1].contains("__local"), "{advice:?}");
        let none = Kernel { arguments: Vec::new(), ..kernel };
        assert!(outside_loops(&none).0.is_empty());
    }

    #[test]
    fn reasons_that_llvm_gives_are_explained() {
        for (why, word) in [
            ("call instruction cannot be vectorized", "builtin"),
            ("instruction cannot be vectorized", "atomics"),
            ("the cost-model indicates that vectorization is not beneficial", "faster"),
            ("cannot prove it is safe to reorder memory operations: dependences", "barrier"),
        ] {
            assert!(on_vectors(why).is_some_and(|advice| advice.contains(word)), "{why}");
        }
        assert_eq!(on_vectors("something new"), None);
    }
}
