//! The functions of `reference.c` and `sieve.c`, compiled and loaded.

use std::ffi::{CString, c_char, c_double, c_float, c_int, c_void};
use std::process::Command;

use crate::numbers::Number;
use crate::rows::{Row, Second};

pub struct Oracle {
    library: libloading::Library,
    _folder: tempfile::TempDir,
}

/// A long double of the x86-64 ABI, as bytes.
type Real = u128;

type Expect = unsafe extern "C" fn(
    *const c_char,
    c_int,
    c_int,
    usize,
    *const c_void,
    *const c_void,
    *mut Real,
) -> c_int;
type Worst =
    unsafe extern "C" fn(c_int, usize, *const Real, *const c_void, *mut c_double, *mut usize);
type ExpectFloats =
    unsafe extern "C" fn(*const c_char, usize, *const c_float, *mut c_double) -> c_int;
type WorstOfFloats = unsafe extern "C" fn(
    *const c_char,
    usize,
    *const c_float,
    *const c_double,
    *const c_float,
    c_int,
    *mut c_double,
    *mut usize,
);

fn name(row: &Row) -> CString {
    CString::new(row.name).expect("a name without nul")
}

impl Oracle {
    pub fn new() -> Oracle {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let object = folder.path().join("reference.so");
        let sources = ["reference.c", "sieve.c"]
            .map(|name| format!("{}/tests/math/{name}", env!("CARGO_MANIFEST_DIR")));
        let compiled = Command::new("cc")
            .args(["-O3", "-fno-builtin", "-march=native", "-shared", "-fPIC", "-o"])
            .arg(&object)
            .args(sources)
            .args(["-lmvec", "-lm"])
            .status();
        assert!(compiled.expect("a C compiler").success());
        // SAFETY: a library of ours, without constructors.
        let library = unsafe { libloading::Library::new(&object) }.expect("it loads");
        Oracle { library, _folder: folder }
    }

    /// What a function should give.
    pub fn expect<T: Number>(&self, row: &Row, x: &[T], y: &[T], n: &[i32]) -> Vec<Real> {
        assert!(y.len() == x.len() && n.len() == x.len());
        let integers = row.second == Second::Integer;
        let second: *const c_void = if integers { n.as_ptr().cast() } else { y.as_ptr().cast() };
        let mut want = vec![0; x.len()];
        // SAFETY: the symbol has this signature, and all arrays have the length of `x`.
        let known = unsafe {
            let expect = self.library.get::<Expect>(b"expect").expect("the symbol");
            expect(
                name(row).as_ptr(),
                c_int::from(T::DOUBLE),
                c_int::from(integers),
                x.len(),
                x.as_ptr().cast(),
                second,
                want.as_mut_ptr(),
            )
        };
        assert!(known == 1, "{} has a reference", row.name);
        want
    }

    /// The largest error of `got`, and where.
    pub fn worst<T: Number>(&self, want: &[Real], got: &[T]) -> (f64, usize) {
        assert_eq!(got.len(), want.len());
        let (mut error, mut at) = (0.0, 0);
        // SAFETY: the symbol has this signature, and both arrays have the same length.
        unsafe {
            let worst = self.library.get::<Worst>(b"worst").expect("the symbol");
            let double = c_int::from(T::DOUBLE);
            worst(double, got.len(), want.as_ptr(), got.as_ptr().cast(), &mut error, &mut at);
        }
        (error, at)
    }

    /// About what a function of one float should give, for very many.
    pub fn expect_floats(&self, row: &Row, x: &[f32], want: &mut [f64]) {
        assert!(x.len() == want.len() && x.len().is_multiple_of(64));
        // SAFETY: the symbol has this signature, and both arrays have the same length.
        let known = unsafe {
            let expect = self.library.get::<ExpectFloats>(b"expect_floats").expect("the symbol");
            expect(name(row).as_ptr(), x.len(), x.as_ptr(), want.as_mut_ptr())
        };
        assert!(known == 1, "{} has a sieve", row.name);
    }

    /// The largest error of `got` and where, if it is larger than `known`. Relaxed mathematics promises nothing of numbers that are
    /// subnormal or not finite.
    pub fn worse(
        &self,
        row: &Row,
        relaxed: bool,
        [x, got]: [&[f32]; 2],
        want: &[f64],
        known: f64,
    ) -> Option<(f64, f32)> {
        assert!(got.len() == x.len() && want.len() == x.len() && x.len().is_multiple_of(64));
        let (mut error, mut at) = (known, 0);
        // SAFETY: the symbol has this signature, and all arrays have the length of `x`.
        unsafe {
            let worst = self.library.get::<WorstOfFloats>(b"worst_of_floats").expect("the symbol");
            worst(
                name(row).as_ptr(),
                x.len(),
                x.as_ptr(),
                want.as_ptr(),
                got.as_ptr(),
                c_int::from(relaxed),
                &mut error,
                &mut at,
            );
        }
        (error > known).then(|| (error, x[at]))
    }
}
