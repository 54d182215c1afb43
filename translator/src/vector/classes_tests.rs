//! What scalarization finds, row by row of what an analysis like that of Collange (2011) should: section 6 of the facts of the paper, then
//! its rules of section 4. Where ours is less or more, the test says so.

use std::collections::{HashMap, HashSet};

use super::classes::{Class, Role};
use super::{Of, Plan, Privates};
use crate::launch::Sizes;
use crate::llvm::{Context, Machine, Module, Value, configure};
use crate::patience::Effort;
use crate::regions::Regions;
use crate::schedule::{self, Vectors, Wish};
use Class::{Affine, Guessed, Uniform, Varying};

const DECLARED: &str = "
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i32 @llvm.smin.i32(i32, i32)
declare void @_Z7barrierj(i32) convergent
";

/// The class of each value of a kernel by its name, and where it is used: `value@user`, and `?value` for a branch.
struct Classes(HashMap<String, Class>);

impl Classes {
    /// Of a kernel without barriers, with these parameters.
    fn of(parameters: &str, body: &str) -> Classes {
        configure(&[]);
        let text = format!("define void @kernel({parameters}) {{\n{body}\n}}\n{DECLARED}");
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let machine = Machine::new("x86_64-unknown-linux-gnu", "x86-64-v3", "+avx2", Effort::Full)
            .expect("LLVM knows the processor");
        module.retarget(&machine);
        let kernel = module.function("kernel").expect("the kernel");
        let context = module.context();
        let plan = schedule::Plan::new(
            context,
            &machine,
            kernel,
            Sizes::default(),
            Wish::Auto,
            Vectors::Impossible,
        );
        let function = &plan.view.function;
        let ids = function.value_ids().zip(&plan.view.values);
        let made = ids.filter(|&(id, _)| function.instruction(id).is_some());
        let shared: HashSet<Value> = made
            .filter(|&(id, _)| plan.analysis.is_one_for_all(function, id))
            .map(|(_, &value)| value)
            .collect();
        let regions = Regions::find(context, kernel);
        let of = Of {
            machine: &machine,
            privates: &Privates::default(),
            slots: &HashMap::new(),
            is_uniform: &|value| shared.contains(&value),
            sizes: Sizes::default(),
        };
        let mut classes = HashMap::new();
        for region in &regions.list {
            let plan = Plan::new(region, &of).expect("what vector code can be made of");
            for found in plan.findings(&of) {
                let (value, user) = (found.value.name(), found.at.name());
                let name = match found.role {
                    Role::Operand => format!("{value}@{user}"),
                    Role::Branch => format!("?{value}"),
                    Role::LoadAddress | Role::StoreAddress => format!("*{value}"),
                    _ => value,
                };
                classes.insert(name, found.class);
            }
        }
        Classes(classes)
    }

    fn are(&self, wanted: &[(&str, Class)]) {
        for (name, class) in wanted {
            assert_eq!(self.0.get(*name), Some(class), "{name} of {:?}", self.0);
        }
    }
}

/// "`i < n` uniform n: not uniform". Nor is it told that items that do not hold are the last: guards are cut at run time by their masks.
#[test]
fn a_guard_is_not_uniform() {
    Classes::of(
        "ptr addrspace(1) %a, i64 %n",
        "entry:
           %i = call i64 @_Z13get_global_idj(i32 0)
           %inside = icmp ult i64 %i, %n
           br i1 %inside, label %work, label %done
         work:
           %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
           store i32 0, ptr addrspace(1) %at
           br label %done
         done:
           ret void",
    )
    .are(&[("i", Affine(1)), ("?inside", Varying), ("*at", Affine(4))]);
}
