//! Calls of the C library for vectors of items: its vector forms, in pieces where they are shorter than a vector.

use crate::llvm::Value;
use crate::vector::emit::Emitter;

/// The vector forms of the function that a call calls, and their lengths.
fn forms(call: Value) -> Vec<(String, u64)> {
    let text = call.text_call_attribute("vector-function-abi-variant").unwrap_or_default();
    let names = text.split(',').filter_map(|entry| entry.split('(').next());
    let with_length = names.filter_map(|name| {
        let rest = name.strip_prefix("_ZGV")?.get(2..)?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some((name.to_string(), digits.parse().ok()?))
    });
    with_length.collect()
}

pub fn has_form(call: Value) -> bool {
    !forms(call).is_empty()
}

impl Emitter<'_> {
    /// Calls a function of the C library for all items; those that are not there bring numbers that cost it nothing.
    pub fn library_call(&mut self, call: Value, operands: &[Value]) -> Value {
        let lanes = self.lanes;
        let operands: Vec<Value> = operands
            .iter()
            .map(|&operand| match self.mask {
                Some(mask) => self.builder.select(mask, operand, operand.ty().one()),
                None => operand,
            })
            .collect();
        let forms = forms(call);
        let fitting = forms.iter().filter(|&(_, length)| *length <= lanes);
        let longest = fitting.max_by_key(|&(_, length)| length);
        let shortest = || forms.iter().min_by_key(|&(_, length)| length);
        let (name, length) = longest.or_else(shortest).expect("a vector form");
        let length = *length;
        let function = self.function.beside(name).expect("vector forms are declared");
        if length >= lanes {
            let wide: Vec<Value> =
                operands.iter().map(|&operand| self.padded(operand, length)).collect();
            let made = self.builder.call(function, &wide);
            return self.builder.piece(made, 0, lanes);
        }
        let pieces: Vec<Value> = (0..lanes / length)
            .map(|piece| {
                let parts: Vec<Value> = operands
                    .iter()
                    .map(|&operand| self.builder.piece(operand, piece * length, length))
                    .collect();
                self.builder.call(function, &parts)
            })
            .collect();
        self.builder.joined(&pieces)
    }

    pub fn padded(&self, vector: Value, length: u64) -> Value {
        let count = vector.ty().count();
        let places: Vec<u32> = (0..length).map(|place| (place % count) as u32).collect();
        if count == length { vector } else { self.builder.shuffle(vector, vector, &places) }
    }
}
