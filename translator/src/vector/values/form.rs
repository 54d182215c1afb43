//! What a value of the kernel is in vector code, and how one form becomes another.

use crate::llvm::{Builder, Type, TypeKind, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::Shape;

/// A value for all items of a vector.
#[derive(Clone, Debug)]
pub enum Form {
    /// One for all.
    Uniform(Value),
    /// That of the first item; each has so much more than the one before.
    Strided(Value, i64),
    /// A vector for each component.
    Lanes(Vec<Value>),
}

/// The types of a value's components: its own, those of a vector's or a structure's; none if they are not simple.
pub fn components(ty: Type) -> Option<Vec<Type>> {
    let simple = |ty: Type| ty.is_integer() || ty.is_float() || ty.is_pointer();
    if simple(ty) {
        return Some(vec![ty]);
    }
    let count = ty.count();
    let all: Option<Vec<Type>> = match ty.kind() {
        TypeKind::LLVMVectorTypeKind => Some(vec![ty.element()?; count as usize]),
        TypeKind::LLVMStructTypeKind => (0..count as u32).map(|index| ty.member(index)).collect(),
        _ => None,
    };
    all.filter(|all| all.iter().all(|&ty| simple(ty)))
}

/// The numbers 0, 1, 2... times `stride`, as a vector.
pub(in crate::vector) fn steps(ty: Type, lanes: u64, stride: i64) -> Value {
    let numbers: Vec<Value> =
        (0..lanes as i64).map(|lane| ty.signed(lane.wrapping_mul(stride))).collect();
    Type::constant_vector(&numbers)
}

/// The vector of a strided value.
pub fn spread(builder: &Builder, base: Value, stride: i64, lanes: u64) -> Value {
    let context = builder.context();
    if base.ty().is_pointer() {
        let steps = steps(context.integer(64), lanes, stride);
        return builder.element_anywhere(context.integer(8), base, &[steps]);
    }
    let steps = steps(base.ty(), lanes, stride);
    builder.add(builder.splat(base, lanes), steps)
}

/// A strided value's number `lane`.
pub fn step_to(builder: &Builder, base: Value, stride: i64, lane: u64) -> Value {
    let by = (lane as i64).wrapping_mul(stride);
    if lane == 0 {
        base
    } else if base.ty().is_pointer() {
        let context = builder.context();
        builder.element_anywhere(context.integer(8), base, &[context.integer(64).signed(by)])
    } else {
        builder.add(base, base.ty().signed(by))
    }
}

impl Emitter<'_> {
    /// What a value is here.
    pub fn form(&mut self, value: Value) -> Form {
        if let Some(form) = self.here.get(&value) {
            return form.clone();
        }
        if !value.is_instruction() {
            return Form::Uniform(self.copier.value(value));
        }
        if let Some((base, stride)) = self.privates_at.get(&value).copied() {
            return Form::Strided(base, stride);
        }
        let form = self.from_home(value);
        self.here.insert(value, form.clone());
        form
    }

    /// A value as one vector for each of its components.
    pub fn lanes_of(&mut self, value: Value) -> Vec<Value> {
        if let Some(known) = self.spread_here.get(&value) {
            return known.clone();
        }
        let lanes = match self.form(value) {
            Form::Lanes(lanes) => return lanes,
            Form::Strided(base, stride) => {
                if self.is_guessed(value) {
                    self.vector_from_home(value).unwrap_or_else(|| self.widen(value))
                } else {
                    vec![spread(&self.builder, base, stride, self.lanes)]
                }
            }
            Form::Uniform(one) => {
                let components = self.components_of(one);
                components.into_iter().map(|one| self.builder.splat(one, self.lanes)).collect()
            }
        };
        self.spread_here.insert(value, lanes.clone());
        lanes
    }

    fn components_of(&self, one: Value) -> Vec<Value> {
        match one.ty().kind() {
            TypeKind::LLVMVectorTypeKind => {
                (0..one.ty().count()).map(|index| self.builder.component(one, index)).collect()
            }
            TypeKind::LLVMStructTypeKind => {
                (0..one.ty().count()).map(|index| self.builder.member(one, index as u32)).collect()
            }
            _ => vec![one],
        }
    }

    /// The one vector of a value that has one component.
    pub fn lane_vector(&mut self, value: Value) -> Value {
        let lanes = self.lanes_of(value);
        assert!(lanes.len() == 1, "a value of one component");
        lanes[0]
    }

    /// A uniform value, or the first item's of a strided one. What the whole group has in common may still be a vector
    /// here: then that of some item that is there.
    pub fn first_of(&mut self, value: Value) -> Value {
        match self.form(value) {
            Form::Uniform(one) | Form::Strided(one, _) => one,
            Form::Lanes(lanes) => {
                let parts: Vec<Value> = lanes.iter().map(|&lanes| self.some_lane(lanes)).collect();
                self.assemble(value.ty(), &parts)
            }
        }
    }

    pub fn some_lane(&self, vector: Value) -> Value {
        let Some(mask) = self.mask else { return self.builder.component(vector, 0) };
        let bits = self.bits_of(mask);
        let no = self.context.integer(1).constant(1);
        let first = self.builder.intrinsic("llvm.cttz", &[bits.ty()], &[bits, no]);
        self.builder.component_at(vector, first)
    }

    /// What item `lane` has.
    pub fn lane(&mut self, value: Value, lane: u64) -> Value {
        match self.form(value) {
            Form::Uniform(one) => one,
            Form::Strided(base, stride) if !self.is_guessed(value) => {
                step_to(&self.builder, base, stride, lane)
            }
            _ => {
                let lanes = self.lanes_of(value);
                let parts: Vec<Value> =
                    lanes.iter().map(|&vector| self.builder.component(vector, lane)).collect();
                self.assemble(value.ty(), &parts)
            }
        }
    }

    /// A value of its components.
    pub fn assemble(&self, ty: Type, parts: &[Value]) -> Value {
        match ty.kind() {
            TypeKind::LLVMVectorTypeKind => self.builder.vector(parts),
            TypeKind::LLVMStructTypeKind => self.builder.aggregate(ty, parts),
            _ => parts[0],
        }
    }

    pub fn is_guessed(&self, value: Value) -> bool {
        value.is_instruction() && self.facts.of(value).guessed
    }

    pub fn shape(&self, value: Value) -> Shape {
        self.facts.of(value).shape
    }
}
