//! Two runs, function by function.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vicinity_sim::trace::Trace;
use vicinity_sim::trace::analysis::{Analysis, Function};

use super::describe;

/// A function of either run, or of both.
pub struct Difference<'a> {
    pub name: &'a str,
    pub a: Option<&'a Function>,
    pub b: Option<&'a Function>,
}

impl Difference<'_> {
    /// How the page reads it.
    pub fn json(&self, (a, b): (&Trace, &Trace)) -> Value {
        let side =
            |trace, function: Option<&Function>| function.map(|f| describe::function(trace, f));
        json!({ "name": self.name, "a": side(a, self.a), "b": side(b, self.b) })
    }

    /// The time of the slower side.
    fn weight_ns(&self) -> u64 {
        self.a.into_iter().chain(self.b).map(|function| function.total_ns).max().unwrap_or(0)
    }
}

/// All functions, those with most time first.
pub fn differences<'a>(
    (a, of_a): (&'a Trace, &'a Analysis),
    (b, of_b): (&'a Trace, &'a Analysis),
) -> Vec<Difference<'a>> {
    let mut found: BTreeMap<&str, Difference<'_>> = BTreeMap::new();
    for function in &of_a.functions {
        let name = a.names[function.name as usize].as_str();
        found.insert(name, Difference { name, a: Some(function), b: None });
    }
    for function in &of_b.functions {
        let name = b.names[function.name as usize].as_str();
        found.entry(name).or_insert(Difference { name, a: None, b: None }).b = Some(function);
    }
    let mut rows: Vec<_> = found.into_values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.weight_ns()));
    rows
}
