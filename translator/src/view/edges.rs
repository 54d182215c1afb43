//! Changes of LLVM's side that ids of values outlive.

use super::extract::Extracted;
use crate::llvm::{Block, Context};

impl Extracted {
    /// A new block of LLVM's on the way between two. Ids of phis stand for those that take their place: the old ones are gone, and their
    /// memory soon holds other values.
    pub fn split_edge(&mut self, context: Context, from: Block, to: Block) -> Block {
        let (between, phis) = from.split_edge(context, to);
        for (old, new) in phis {
            self.values.iter_mut().filter(|value| **value == old).for_each(|value| *value = new);
        }
        between
    }
}

#[cfg(test)]
mod tests {
    use crate::group::launch::Sizes;
    use crate::llvm::{Context, Machine, Module};
    use crate::program::patience::Effort;
    use crate::view::extract::extract;

    #[test]
    fn ids_of_phis_stand_for_those_of_the_split_block() {
        let text = "define void @kernel(i64 %n) {
            entry:
              br label %loop
            loop:
              %again = phi i1 [ true, %entry ], [ false, %loop ]
              %i = phi i64 [ 0, %entry ], [ 1, %loop ]
              br i1 %again, label %loop, label %end
            end:
              ret void
            }";
        let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
        let machine = Machine::host(Effort::Full).expect("LLVM knows this processor");
        let kernel = module.function("kernel").expect("the kernel");
        let context = module.context();
        let mut view = extract(context, &machine, kernel, Sizes::default());
        let [entry, header, _] = view.blocks[..] else { panic!("three blocks") };
        for from in [entry, header] {
            view.split_edge(context, from, header);
            let phis = header.phis().into_iter();
            assert_eq!(phis.map(|phi| view.values.contains(&phi)).collect::<Vec<_>>(), [true; 2]);
        }
        let condition = header.terminator().and_then(|end| end.condition()).expect("it decides");
        let id = view.values.iter().position(|&value| value == condition).expect("it has an id");
        assert_eq!(view.function.values[id].ty.bits, 1);
    }
}
