//! Loads from anywhere that are rare: one function for each size of numbers, in place of a load for each lane at each of them.
//!
//! Where a guessed stride is wrong, lanes load one by one. That is more code than all that is done where it is right, and loops that are
//! written out have it as often as they have iterations. The function changes no register, so that those around it keep what they
//! have; its argument and its result are therefore in memory.

use super::access::Pattern;
use super::emit::Emitter;
use crate::emit;
use crate::late::PRESERVE_ALL;
use crate::llvm::{Builder, Function, Opcode, Type, Value};
use crate::workgroup;

/// Bits of the numbers that are loaded so.
const SIZES: [u64; 4] = [8, 16, 32, 64];

impl Emitter<'_> {
    /// Loads from anywhere, where that is rare.
    pub fn load_rarely(&mut self, load: Value) -> Vec<Value> {
        let (ty, bits) = (load.ty(), 8 * self.machine.size_bytes(load.ty()));
        let is_number = u64::from(ty.integer_bits().max(ty.float_bits())) == bits;
        if !is_number || !SIZES.contains(&bits) || self.has_good_gathers(ty) {
            return self.load_by(load, Pattern::Anywhere);
        }
        let addresses = self.places_vector(load.operand(0));
        let numbers = self.context.integer(bits as u32).vector(self.lanes);
        let start = Builder::at_start(self.context, self.function);
        let [from, to] = [addresses.ty(), numbers].map(|ty| start.alloca(ty));
        self.builder.store(addresses, from);
        let call = self.builder.call(self.gather(addresses.ty(), numbers), &[from, to]);
        call.set_calling_convention(PRESERVE_ALL);
        let loaded = self.builder.load(numbers, to);
        vec![self.builder.cast(Opcode::LLVMBitCast, loaded, ty.vector(self.lanes))]
    }

    /// The function that loads such numbers from such addresses. It is told where the addresses are, and where the numbers shall be.
    fn gather(&self, addresses: Type, numbers: Type) -> Function {
        let Emitter { context, lanes, .. } = *self;
        let number = numbers.element().expect("what a vector is made of");
        let space = addresses.element().expect("what a vector is made of").address_space();
        let name = format!("vicinity.gather.{lanes}x{}.{space}", number.integer_bits());
        if let Some(known) = self.function.beside(&name) {
            return known;
        }
        let place = context.pointer(0);
        let function =
            self.function.declare_beside(&name, context.void().function(&[place, place]));
        workgroup::dress(function, context, self.machine);
        emit::spare_vectorizers(context, function);
        // LLVM 19 would clear halves of what was preserved.
        let features = format!("{},-vzeroupper", self.machine.features());
        function.set_text_attribute(context, "target-features", &features);
        ["noinline", "cold"].iter().for_each(|name| function.add_attribute(context, name));
        function.set_internal();
        function.set_calling_convention(PRESERVE_ALL);
        let builder = Builder::at_end(context, function.append_block(context, "head"));
        let parameters = function.parameters();
        let from = builder.load(addresses, parameters[0]);
        let all = (0..lanes).fold(numbers.poison(), |all, lane| {
            let loaded = builder.load(number, builder.component(from, lane));
            loaded.set_alignment(1);
            builder.with_component(all, lane, loaded)
        });
        builder.store(all, parameters[1]);
        builder.return_void();
        function
    }
}
