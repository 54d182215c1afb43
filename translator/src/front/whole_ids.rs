//! Ids that a program puts together are those that it could have asked for.
//!
//! Programs that come from CUDA compute `get_group_id(0) * get_local_size(0) + get_local_id(0)`, and `get_num_groups(0) *
//! get_local_size(0)` for the stride of a loop over more than the range. These are `get_global_id(0) - get_global_offset(0)` and
//! `get_global_size(0)`, where no group is cut off. A kernel that asks for nothing else then does not see its groups, and may have
//! any others.
//!
//! Source: OpenCL C 3.0, section 6.15.1 (work-item functions).

use crate::group::ids::Id;
use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// Asks for the whole ids in a kernel; `size`: of its groups, where that is known; `uniform`: none is cut off.
pub fn apply(module: &Module, kernel: Function, size: Option<[u64; 3]>, uniform: bool) {
    let ids = Ids { module, size, uniform };
    for value in kernel.instructions() {
        let whole = match value.opcode() {
            Some(Opcode::LLVMAdd) => ids.place(value),
            Some(Opcode::LLVMMul) => ids.range(value),
            _ => None,
        };
        if let Some(whole) = whole {
            value.replace_uses(whole);
        }
    }
}

struct Ids<'a> {
    module: &'a Module,
    size: Option<[u64; 3]>,
    uniform: bool,
}

/// What a number is an answer to, or the low bits of one: the question, and the call.
fn answer(value: Value) -> Option<(Id, Value)> {
    let is_cut = value.is_instruction() && value.is_opcode(Opcode::LLVMTrunc);
    let call = if is_cut { value.operand(0) } else { value };
    Some((Id::of_call(call)?, call))
}

/// The dimension that a call asks about, if it is known.
fn dimension(call: Value) -> Option<u64> {
    call.call_arguments().first()?.unsigned().filter(|&dimension| dimension < 3)
}

impl Ids<'_> {
    /// What a sum is that is an item's place in the range: that of its group, and its own in there.
    fn place(&self, sum: Value) -> Option<Value> {
        let [a, b] = [sum.operand(0), sum.operand(1)];
        let by = |product: Value, own: Value| {
            let (Id::LocalId, own) = answer(own)? else { return None };
            (self.group_times_size(product)? == dimension(own)?).then_some(own)
        };
        let own = by(a, b).or_else(|| by(b, a))?;
        let builder = Builder::before(self.module.context(), sum);
        let [id, offset] = [Id::GlobalId, Id::GlobalOffset].map(|id| self.ask(&builder, id, own));
        Some(builder.resize(builder.sub_exact(id, offset), sum.ty()))
    }

    /// What a product is that is the size of the range.
    fn range(&self, product: Value) -> Option<Value> {
        let call = self.counted(product, Id::NumGroups).filter(|_| self.uniform)?;
        let builder = Builder::before(self.module.context(), product);
        Some(builder.resize(self.ask(&builder, Id::GlobalSize, call), product.ty()))
    }

    /// Of which dimension a number is the place of an item's group.
    fn group_times_size(&self, value: Value) -> Option<u64> {
        let product = match value.opcode() {
            Some(Opcode::LLVMMul) => value,
            _ => value.is_opcode(Opcode::LLVMTrunc).then(|| value.operand(0))?,
        };
        self.counted(product, Id::GroupId).and_then(dimension)
    }

    /// The call that asks for `what`, of which a number is a multiple by the size of groups.
    fn counted(&self, product: Value, what: Id) -> Option<Value> {
        let is_product = product.is_instruction() && product.is_opcode(Opcode::LLVMMul);
        let [a, b] = is_product.then(|| [product.operand(0), product.operand(1)])?;
        let by = |call: Value, size: Value| {
            let (asked, call) = answer(call)?;
            (asked == what && self.is_size(size, dimension(call)?)).then_some(call)
        };
        by(a, b).or_else(|| by(b, a))
    }

    /// Whether a number is the size of all groups along a dimension.
    fn is_size(&self, value: Value, along: u64) -> bool {
        let known = self.size.map(|size| size[along as usize]);
        match answer(value) {
            Some((Id::LocalSize, call)) => self.uniform && dimension(call) == Some(along),
            Some((Id::EnqueuedLocalSize, call)) => dimension(call) == Some(along),
            _ => known.is_some() && value.unsigned() == known,
        }
    }

    /// The answer to another question about the dimension that `call` asks about.
    fn ask(&self, builder: &Builder, id: Id, call: Value) -> Value {
        let called = call.called().expect("a call of an id");
        let other = self.module.declared(id.name(), called.ty());
        other.take_attributes_of(called);
        other.set_calling_convention(called.calling_convention());
        let answer = builder.call(other, &call.call_arguments());
        answer.set_calling_convention(called.calling_convention());
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::ids::sees_groups;
    use crate::llvm::Context;

    /// Whether a kernel that stores `%number` sees its groups.
    fn sees(number: &str, size: Option<[u64; 3]>, uniform: bool) -> bool {
        let asks: String = ["12get_group_id", "14get_local_size", "12get_local_id"]
            .iter()
            .zip(["group", "size", "own"])
            .map(|(asked, name)| {
                format!("%{name} = call i64 @_Z{asked}j(i32 1)\n%{name}.low = trunc i64 %{name} to i32\n")
            })
            .collect();
        let text = format!(
            "declare i64 @_Z12get_group_idj(i32) #0
            declare i64 @_Z14get_local_sizej(i32) #0
            declare i64 @_Z12get_local_idj(i32) #0
            declare i64 @_Z14get_num_groupsj(i32) #0
            define void @kernel(ptr %to) {{
                {asks}
                %groups = call i64 @_Z14get_num_groupsj(i32 1)
                {number}
                store i64 %number, ptr %to
                ret void
            }}
            attributes #0 = {{ nounwind willreturn memory(none) }}"
        );
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("it is there");
        apply(&module, kernel, size, uniform);
        module.verify().expect("a whole module");
        let is_dead = |value: &Value| {
            let has_effect = value.is_opcode(Opcode::LLVMStore) || value.is_terminator();
            !has_effect && !value.is_used()
        };
        while let Some(dead) = kernel.instructions().find(is_dead) {
            dead.erase();
        }
        sees_groups(kernel)
    }

    const PLACE: &str = "%begin = mul i64 %size, %group
        %number = add i64 %begin, %own";
    const PLACE_OF_INTS: &str = "%begin = mul i32 %group.low, %size.low
        %place = add i32 %own.low, %begin
        %number = zext i32 %place to i64";

    #[test]
    fn places_and_ranges_are_whole() {
        for number in [PLACE, PLACE_OF_INTS, "%number = mul i64 %groups, %size"] {
            assert!(!sees(number, None, true), "{number}");
            assert!(sees(number, None, false), "{number}");
        }
        let known = "%begin = mul i64 %group, 16
            %number = add i64 %begin, %own";
        assert!(!sees(known, Some([1, 16, 1]), false));
        assert!(sees(known, Some([16, 1, 1]), true));
        assert!(sees(known, None, true));
    }

    #[test]
    fn what_is_no_place_stays() {
        let twice = "%begin = mul i64 %size, %group
            %number = add i64 %begin, %begin";
        assert!(sees(twice, None, true));
        assert!(sees("%number = mul i64 %group, %own", None, true));
    }
}
