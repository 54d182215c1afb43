//! What a kernel calls: how large it becomes when all of that is inlined, and which functions stay functions.
//!
//! Everything is inlined into a kernel, so that all of it is analyzed, ordered and vectorized. Where that would be too
//! much to translate with full effort, functions that are large and called more than once stay what they are: vectors of items
//! call versions of them ([`crate::vector`]), and nothing is known of what they do to memory. A function can stay unless it makes
//! items wait for each other, prints, or asks what only a kernel can tell; which item calls it, it is told
//! ([`crate::front::handed`]). Recursion that is no loop ([`crate::front::import`]) ends here: OpenCL C does not allow it. A function
//! with much memory of its own does not stay: only a kernel's can be elsewhere than on the stack ([`crate::group::storage`]). What it
//! calls stays first, then: the memory of those that it calls in turn is there at different times. Functions of the program stay
//! where it asks for that ([`crate::schedule::wish`]), if they can. What reads and writes elements of images always stays: it has
//! code for every format, of which a launch runs one.

use std::collections::{HashMap, HashSet};

use crate::front::printf::PRINTF;
use crate::front::{handed, library, names};
use crate::group::ids::Id;
use crate::group::storage::MOST_STACK_BYTES;
use crate::llvm::{Context, Function, Module, Value};
use crate::program::failure::Failure;
use crate::program::patience::{LARGE_INSTRUCTIONS, MOST_INSTRUCTIONS};

/// Functions below this are always inlined.
const SMALL_INSTRUCTIONS: u64 = 500;

/// How names of the library's functions begin that always stay.
const IMAGES: &str = "vicinity_image_";

/// What functions have that are to stay, if they can.
const STAYS: &str = "vicinity-stays";

/// Marks a function that is to stay, if it can.
pub fn let_stay(context: Context, function: Function) {
    function.set_text_attribute(context, STAYS, "");
}

pub struct Calls {
    kernels: Vec<Function>,
    /// Functions with bodies behind those that they call.
    order: Vec<Function>,
    /// Instructions of each with all that is inlined.
    sizes: HashMap<Function, u64>,
    /// Bytes of variables likewise.
    frames: HashMap<Function, u64>,
    /// Those that cannot stay, whatever their size.
    bound: HashSet<Function>,
    staying: HashSet<Function>,
    /// Kernels that would be large if everything were inlined.
    large: HashSet<Function>,
}

impl Calls {
    /// What `kernels` call. Recursion is an error.
    pub fn of(module: &Module, kernels: &[String]) -> Result<Calls, Failure> {
        let kernels: Vec<Function> =
            kernels.iter().filter_map(|name| module.function(name)).collect();
        let order = callees_first(&kernels)?;
        let (sizes, frames) = (HashMap::new(), HashMap::new());
        let of_images = |function: &Function| function.name().starts_with(IMAGES);
        let staying = order.iter().copied().filter(of_images).collect();
        let bound = bound(&kernels, &order);
        let large = HashSet::new();
        let mut calls = Calls { kernels, order, sizes, frames, bound, staying, large };
        for function in calls.order.clone() {
            calls.measure(module, function);
            if function.text_attribute(STAYS).is_some() && calls.can_stay(function) {
                calls.staying.insert(function);
            }
        }
        calls.large = calls.kernels.iter().copied().filter(|&it| calls.is_large(it)).collect();
        if !calls.large.is_empty() {
            calls.let_stay(module);
        }
        Ok(calls)
    }

    /// Whether the function is called and not inlined.
    pub fn stays(&self, function: Function) -> bool {
        self.staying.contains(&function)
    }

    /// Whether this kernel takes long to translate, without the functions that stay.
    pub fn is_large(&self, kernel: Function) -> bool {
        self.sizes[&kernel] > LARGE_INSTRUCTIONS
    }

    /// Whether functions stay for the sake of this kernel.
    pub fn lets_stay(&self, kernel: Function) -> bool {
        self.large.contains(&kernel)
    }

    /// Instructions of the largest kernel, with the functions that stay. Too many are an error.
    pub fn largest(&self) -> Result<u64, Failure> {
        let with_called = |&kernel: &Function| {
            let all = callees_first(&[kernel]).expect("recursion is an error before");
            let staying = all.into_iter().filter(|&it| it != kernel && self.stays(it));
            let sizes = staying.map(|function| self.sizes[&function]);
            (sizes.fold(self.sizes[&kernel], u64::saturating_add), kernel)
        };
        let Some((size, kernel)) = self.kernels.iter().map(with_called).max_by_key(|one| one.0)
        else {
            return Ok(0);
        };
        if size <= MOST_INSTRUCTIONS {
            return Ok(size);
        }
        Err(Failure::Program(format!(
            "error: kernel '{}' is too large: with the functions that it calls it has {size} instructions, \
             and at most {MOST_INSTRUCTIONS} are translated\n",
            names::bare(&kernel.name())
        )))
    }

    /// Counts the instructions of a function behind those that it calls; one that stays is one call.
    fn measure(&mut self, module: &Module, function: Function) {
        let own: usize = function.instructions().count();
        let variables = function.instructions().filter_map(|it| it.allocated_type());
        let frame = variables.map(|ty| module.size_bytes(ty)).fold(0, u64::saturating_add);
        let inlined: Vec<Function> =
            calls(function).filter(|called| !self.staying.contains(called)).collect();
        let with = |own: u64, of: &HashMap<Function, u64>| {
            inlined.iter().map(|called| of[called]).fold(own, u64::saturating_add)
        };
        let (size, frame) = (with(own as u64, &self.sizes), with(frame, &self.frames));
        self.sizes.insert(function, size);
        self.frames.insert(function, frame);
    }

    /// Decides what stays, callees first: so the callers of what stays are small again.
    fn let_stay(&mut self, module: &Module) {
        let mut times: HashMap<Function, usize> = HashMap::new();
        for called in self.order.iter().flat_map(|&function| calls(function)) {
            *times.entry(called).or_default() += 1;
        }
        for function in self.order.clone() {
            self.measure(module, function);
            let often = times.get(&function).is_some_and(|&times| times > 1);
            let large = self.sizes[&function] >= SMALL_INSTRUCTIONS;
            if !often || !large || self.bound.contains(&function) {
                continue;
            }
            self.lighten(module, function);
            if self.can_stay(function) {
                self.staying.insert(function);
            }
        }
    }

    /// Lets what `function` calls stay, those with the most memory first, until it can stay.
    fn lighten(&mut self, module: &Module, function: Function) {
        while !self.can_stay(function) {
            let inlined = callees(function).into_iter().filter(|&it| !self.stays(it));
            let light = inlined.filter(|&it| self.frames[&it] > 0 && self.can_stay(it));
            let Some(called) = light.max_by_key(|it| self.frames[it]) else { return };
            self.staying.insert(called);
            self.measure(module, function);
        }
    }

    fn can_stay(&self, function: Function) -> bool {
        self.frames[&function] <= MOST_STACK_BYTES && !self.bound.contains(&function)
    }
}

/// The kernels, and the functions that are only right inside of one; `order`: callees first.
fn bound(kernels: &[Function], order: &[Function]) -> HashSet<Function> {
    let mut bound: HashSet<Function> = kernels.iter().copied().collect();
    for &function in order {
        let is_bound = |call: Value| {
            call.called().is_some_and(|called| bound.contains(&called)) || needs_kernel(call)
        };
        let is_only_called =
            || function.0.users().into_iter().all(|it| it.called() == Some(function));
        if function.instructions().any(is_bound) || !is_only_called() {
            bound.insert(function);
        }
    }
    bound
}

/// Whether what a call gives or does is only known inside of a kernel.
fn needs_kernel(call: Value) -> bool {
    let Some(name) = call.called().map(Function::name) else { return false };
    let is_id = Id::of(&name).is_some();
    library::is_met_at(&name) || is_id && !handed::can_be(call) || name == PRINTF
}

/// What `function` calls, each as often as it does.
fn called_by(function: Function) -> impl Iterator<Item = Function> {
    function.instructions().filter_map(|call| call.called())
}

/// Those of them with bodies.
fn calls(function: Function) -> impl Iterator<Item = Function> {
    called_by(function).filter(|called| called.has_body())
}

/// The functions with bodies that `function` calls, each once.
pub fn callees(function: Function) -> Vec<Function> {
    let mut seen = HashSet::new();
    calls(function).filter(|&called| seen.insert(called)).collect()
}

/// All functions that `roots` lead to, each behind those that it calls. None from which calls lead back to it.
pub fn callees_first(roots: &[Function]) -> Result<Vec<Function>, Failure> {
    let mut order = Vec::new();
    let mut done: HashMap<Function, bool> = HashMap::new();
    // Depth first, without recursion of our own: (function, its callees, how many of them are done).
    for &root in roots {
        if done.contains_key(&root) {
            continue;
        }
        done.insert(root, false);
        let mut path = vec![(root, callees(root), 0)];
        while let Some((function, called, at)) = path.last_mut() {
            let Some(&next) = called.get(*at) else {
                done.insert(*function, true);
                order.push(*function);
                path.pop();
                continue;
            };
            *at += 1;
            match done.get(&next) {
                Some(true) => {}
                Some(false) => return Err(recursion(next)),
                None => {
                    done.insert(next, false);
                    path.push((next, callees(next), 0));
                }
            }
        }
    }
    Ok(order)
}

fn recursion(function: Function) -> Failure {
    Failure::Program(format!(
        "error: function '{}' calls itself, which OpenCL C does not allow\n",
        names::in_source(&function.name())
    ))
}
