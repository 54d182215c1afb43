//! The ways in which a kernel may come to call a function: each has code of its own.
//!
//! As *items* a function is computed for as many work-items at once as registers hold; in a loop that must keep its order, for one
//! number after the other, or for the elements of one of the program's vectors at once.

use crate::numbers::{Arguments, Number};
use crate::program::{Argument, Loaded, Range, bytes, translate};
use crate::rows::{Row, Second};

/// Elements of the program's vectors, or work-items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Items,
    Elements(usize),
}

pub struct Form {
    pub name: &'static str,
    shape: Shape,
    pub relaxed: bool,
}

const fn form(name: &'static str, shape: Shape) -> Form {
    Form { name, shape, relaxed: false }
}

pub const FORMS: &[Form] = &[
    form("items", Shape::Items),
    form("eights", Shape::Elements(8)),
    form("fours", Shape::Elements(4)),
    form("twos", Shape::Elements(2)),
    form("alone", Shape::Elements(1)),
    Form { name: "relaxed", shape: Shape::Items, relaxed: true },
];

/// A program with one form of some functions.
pub struct Program {
    pub form: &'static Form,
    loaded: Loaded,
}

impl Program {
    /// Of the functions that `rows` names, for numbers of type `T`.
    pub fn new<'a, T: Number>(form: &'static Form, rows: impl Iterator<Item = &'a Row>) -> Program {
        let elements = match form.shape {
            Shape::Items | Shape::Elements(1) => String::new(),
            Shape::Elements(elements) => elements.to_string(),
        };
        let (real, int) = (format!("{}{elements}", T::NAME), format!("int{elements}"));
        let mut source = format!("#define TO_REAL convert_{real}\n");
        for row in rows {
            source += &kernel(row, form.shape, &real, &int);
        }
        let options =
            if form.relaxed { "-cl-std=CL3.0 -cl-fast-relaxed-math" } else { "-cl-std=CL3.0" };
        Program { form, loaded: translate(&source, options).expect("it compiles") }
    }

    /// The function's results, as many as `got` has room for.
    pub fn run<T: Number>(&self, row: &Row, arguments: &mut Arguments<T>, got: &mut [T]) {
        let mut count = got.len();
        let range = match self.form.shape {
            Shape::Items => Range::line(count as u64, 256.min(count as u64)),
            Shape::Elements(elements) => {
                assert!(count.is_multiple_of(elements));
                count /= elements;
                Range::line(1, 1)
            }
        };
        let second = match row.second {
            Second::Integer => bytes(&mut arguments.n),
            _ => bytes(&mut arguments.y),
        };
        self.loaded.run(
            &format!("{}_", row.name),
            range,
            &mut [
                Argument::Buffer(bytes(&mut arguments.x)),
                Argument::Buffer(second),
                Argument::Buffer(bytes(got)),
                Argument::Value(&(count as u64).to_ne_bytes()),
            ],
        );
    }
}

/// A kernel that fills `r`. A loop whose results are volatile keeps its order.
fn kernel(row: &Row, shape: Shape, real: &str, int: &str) -> String {
    let name = row.name;
    let expression = row.expression();
    let (second, read) = match row.second {
        Second::Nothing => (real, String::new()),
        Second::Real => (real, format!("{real} y = second[i];")),
        Second::Integer => (int, format!("{int} n = second[i];")),
    };
    let compute = format!("{real} x = first[i], part; {int} whole; {read} r[i] = {expression};");
    match shape {
        Shape::Items => format!(
            "kernel void {name}_(global const {real} *first, global const {second} *second, global {real} *r, ulong count) \
             {{ size_t i = get_global_id(0); {compute} }}\n"
        ),
        Shape::Elements(_) => format!(
            "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void {name}_(global const {real} *first, \
             global const {second} *second, global volatile {real} *r, ulong count) \
             {{ for (ulong i = 0; i < count; i++) {{ {compute} }} }}\n"
        ),
    }
}
