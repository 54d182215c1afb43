//! Builds what vectors of work-items are made of: widened instructions, shuffles, masked accesses.

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Builder, Function, Opcode, Type, Value};

const UNNAMED: *const std::ffi::c_char = c"".as_ptr();

impl Builder {
    /// A comparison of floating-point numbers, by the predicate of `like`.
    pub fn compare_floats(&self, like: Value, a: Value, b: Value) -> Value {
        let predicate = like.real_predicate().expect("a comparison of floating-point numbers");
        Value(llvm!(LLVMBuildFCmp(self.raw, predicate, a.0, b.0, UNNAMED)))
    }

    pub fn negate(&self, number: Value) -> Value {
        Value(llvm!(LLVMBuildFNeg(self.raw, number.0, UNNAMED)))
    }

    pub fn freeze(&self, value: Value) -> Value {
        Value(llvm!(LLVMBuildFreeze(self.raw, value.0, UNNAMED)))
    }

    /// The vector `lanes` long whose components are all `scalar`.
    pub fn splat(&self, scalar: Value, lanes: u64) -> Value {
        let ty = scalar.ty().vector(lanes);
        if scalar.is_undefined() {
            return ty.poison();
        }
        let zero = self.context.integer(32).constant(0);
        let one = llvm!(LLVMBuildInsertElement(self.raw, ty.poison().0, scalar.0, zero.0, UNNAMED));
        self.shuffle(Value(one), Value(one), &vec![0; lanes as usize])
    }

    /// Components of `a` and behind them of `b`, by their numbers.
    pub fn shuffle(&self, a: Value, b: Value, places: &[u32]) -> Value {
        let number = self.context.integer(32);
        let mut places: Vec<LLVMValueRef> =
            places.iter().map(|&place| number.constant(place.into()).0).collect();
        let mask = llvm!(LLVMConstVector(places.as_mut_ptr(), places.len() as u32));
        Value(llvm!(LLVMBuildShuffleVector(self.raw, a.0, b.0, mask, UNNAMED)))
    }

    /// `count` components of a vector, from `first` on.
    pub fn piece(&self, vector: Value, first: u64, count: u64) -> Value {
        if vector.ty().count() == count {
            return vector;
        }
        let places: Vec<u32> = (first..first + count).map(|place| place as u32).collect();
        self.shuffle(vector, vector, &places)
    }

    /// Vectors of one length, one behind the other; their number is a power of two.
    pub fn joined(&self, pieces: &[Value]) -> Value {
        if let [one] = pieces {
            return *one;
        }
        let pairs: Vec<Value> = pieces
            .chunks(2)
            .map(|pair| {
                let count = pair[0].ty().count() as u32;
                let places: Vec<u32> = (0..2 * count).collect();
                self.shuffle(pair[0], pair[1], &places)
            })
            .collect();
        self.joined(&pairs)
    }

    /// `vector` with another component at `index`.
    pub fn with_component(&self, vector: Value, index: u64, component: Value) -> Value {
        let index = self.context.integer(32).constant(index);
        Value(llvm!(LLVMBuildInsertElement(self.raw, vector.0, component.0, index.0, UNNAMED)))
    }

    /// Zero-extends or truncates vectors of integers; anything else already has the type.
    pub fn resize_lanes(&self, value: Value, to: Type) -> Value {
        let bits = |ty: Type| ty.element().unwrap_or(ty).integer_bits();
        match bits(value.ty()).cmp(&bits(to)) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.cast(Opcode::LLVMZExt, value, to),
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, value, to),
        }
    }

    /// The component of a vector at a place that is computed.
    pub fn component_at(&self, vector: Value, place: Value) -> Value {
        Value(llvm!(LLVMBuildExtractElement(self.raw, vector.0, place.0, UNNAMED)))
    }

    /// The member `index` of a structure.
    pub fn member(&self, structure: Value, index: u32) -> Value {
        Value(llvm!(LLVMBuildExtractValue(self.raw, structure.0, index, UNNAMED)))
    }

    /// Tells LLVM that a branch nearly always goes to its first target.
    pub fn mark_likely(&self, branch: Value) {
        let context = self.context;
        let weight = |weight| context.metadata_value(context.integer(32).constant(weight));
        let node = [context.metadata_text("branch_weights"), weight(1 << 20), weight(1)];
        branch.set_metadata(context, "prof", context.metadata_node(&node));
    }

    /// So many bytes of memory that hold nothing and never change.
    pub fn nothing(&self, bytes: u64) -> Value {
        let module = llvm!(LLVMGetGlobalParent(self.block().function().0.0));
        let ty = self.context().integer(8).array(bytes);
        let global = llvm!(LLVMAddGlobal(module, ty.0, c"nothing".as_ptr()));
        llvm!(LLVMSetInitializer(global, ty.zero().0));
        llvm!(LLVMSetGlobalConstant(global, 1));
        llvm!(LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage));
        Value(global)
    }

    /// Calls the intrinsic of this name for the types it is overloaded with.
    pub fn intrinsic(&self, name: &str, types: &[Type], arguments: &[Value]) -> Value {
        let module = llvm!(LLVMGetGlobalParent(self.block().function().0.0));
        let number = llvm!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
        assert!(number != 0, "LLVM has the intrinsic {name}");
        let mut types: Vec<LLVMTypeRef> = types.iter().map(|ty| ty.0).collect();
        let function =
            llvm!(LLVMGetIntrinsicDeclaration(module, number, types.as_mut_ptr(), types.len()));
        self.call(Function(Value(function)), arguments)
    }
}

impl Type {
    /// The constant vector of these.
    pub fn constant_vector(components: &[Value]) -> Value {
        let mut raw: Vec<LLVMValueRef> = components.iter().map(|one| one.0).collect();
        Value(llvm!(LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32)))
    }

    /// The number 1, of an integer or a floating-point type, or a vector of it.
    pub fn one(self) -> Value {
        match self.element().filter(|_| self.is_vector()) {
            Some(element) => Type::constant_vector(&vec![element.one(); self.count() as usize]),
            None if self.is_integer() => self.constant(1),
            None => self.real(1.0),
        }
    }

    /// A number of a floating-point type.
    pub fn real(self, number: f64) -> Value {
        Value(llvm!(LLVMConstReal(self.0, number)))
    }
}

impl Function {
    /// The function of this name in the same module.
    pub fn beside(self, name: &str) -> Option<Function> {
        let module = llvm!(LLVMGetGlobalParent(self.0.0));
        let name = super::c_text(name);
        let raw = llvm!(LLVMGetNamedFunction(module, name.as_ptr()));
        (!raw.is_null()).then_some(Function(Value(raw)))
    }

    /// Declares another one in the same module.
    pub fn declare_beside(self, name: &str, ty: Type) -> Function {
        let module = llvm!(LLVMGetGlobalParent(self.0.0));
        let name = super::c_text(name);
        Function(Value(llvm!(LLVMAddFunction(module, name.as_ptr(), ty.0))))
    }
}

impl Value {
    /// Takes over what `from` promises of its result: no wrap, exactness, relaxed mathematics.
    pub fn take_promises_of(self, from: Value) {
        if !self.is_instruction() || self.opcode() != from.opcode() {
            return;
        }
        use Opcode::*;
        match from.opcode() {
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl) => {
                llvm!(LLVMSetNSW(self.0, LLVMGetNSW(from.0)));
                llvm!(LLVMSetNUW(self.0, LLVMGetNUW(from.0)));
            }
            Some(LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr) => {
                llvm!(LLVMSetExact(self.0, LLVMGetExact(from.0)));
            }
            Some(LLVMOr) => llvm!(LLVMSetIsDisjoint(self.0, LLVMGetIsDisjoint(from.0))),
            Some(LLVMZExt) => llvm!(LLVMSetNNeg(self.0, LLVMGetNNeg(from.0))),
            _ if llvm!(LLVMCanValueUseFastMathFlags(from.0)) != 0 => {
                llvm!(LLVMSetFastMathFlags(self.0, LLVMGetFastMathFlags(from.0)));
            }
            _ => {}
        }
    }

    /// The numbers of the components that a shuffle takes; none where any will do.
    pub fn shuffled(self) -> Vec<Option<u32>> {
        assert!(self.is_opcode(Opcode::LLVMShuffleVector), "a shuffle");
        let any = llvm!(LLVMGetUndefMaskElem());
        let count = llvm!(LLVMGetNumMaskElements(self.0));
        let place = |index| llvm!(LLVMGetMaskValue(self.0, index));
        (0..count).map(place).map(|place| (place != any).then_some(place as u32)).collect()
    }

    /// The components of a constant vector of integers.
    pub fn constant_lanes(self) -> Option<Vec<u32>> {
        if llvm!(LLVMIsConstant(self.0)) == 0 {
            return None;
        }
        let component = |index| {
            let raw = llvm!(LLVMGetAggregateElement(self.0, index));
            (!raw.is_null()).then_some(Value(raw))?.unsigned().map(|number| number as u32)
        };
        (0..self.ty().count() as u32).map(component).collect()
    }

    /// The name of the intrinsic that a call calls, without the types it is overloaded with.
    pub fn intrinsic_name(self) -> Option<String> {
        let called = self.called().filter(|called| called.is_intrinsic())?;
        Some(base_name(&called.name()))
    }

    /// What a call says by the attribute `name`.
    pub fn text_call_attribute(self, name: &str) -> Option<String> {
        if !self.is_opcode(Opcode::LLVMCall) {
            return None;
        }
        let attribute = llvm!(LLVMGetCallSiteStringAttribute(
            self.0,
            llvm_sys::LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            name.len() as u32
        ));
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let text = llvm!(LLVMGetStringAttributeValue(attribute, &mut length));
        Some(super::borrowed_text(text, length as usize))
    }
}

/// `llvm.masked.load` of `llvm.masked.load.v8f32.p0`.
fn base_name(name: &str) -> String {
    let is_type = |part: &&str| {
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let scalar = |text: &str| {
            ["f", "i", "p", "bf"].iter().any(|kind| text.strip_prefix(kind).is_some_and(digits))
        };
        let vector = part
            .strip_prefix('v')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        scalar(part) || vector.is_some_and(scalar)
    };
    let parts: Vec<&str> = name.split('.').collect();
    let end = parts.iter().rposition(|part| !is_type(part)).map_or(parts.len(), |last| last + 1);
    parts[..end].join(".")
}
