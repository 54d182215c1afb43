//! Numbers on which functions are tried.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// Numbers at which functions change, exact in both precisions.
pub const NUMBERS: &[f64] = &[
    0.0,
    1.0,
    0.5,
    2.0,
    1.5,
    3.0,
    0.25,
    0.75,
    10.0,
    2.5,
    127.0,
    128.0,
    1023.0,
    1e-3,
    8_388_608.0,
    8_388_607.5,
    16_777_216.0,
    f64::INFINITY,
    f64::NAN,
    1.175_494_350_822_287_5e-38,
    1.401_298_464_324_817e-45,
    3.402_823_466_385_288_6e38,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    88.7,
    709.5,
    1e20,
];

pub trait Number: Copy + Default + std::fmt::Debug {
    const DOUBLE: bool;
    const NAME: &'static str;
    fn from_bits(bits: u64) -> Self;
    fn from_number(number: f64) -> Self;
}

impl Number for f32 {
    const DOUBLE: bool = false;
    const NAME: &'static str = "float";
    fn from_bits(bits: u64) -> f32 {
        f32::from_bits((bits >> 32) as u32)
    }
    fn from_number(number: f64) -> f32 {
        number as f32
    }
}

impl Number for f64 {
    const DOUBLE: bool = true;
    const NAME: &'static str = "double";
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn from_number(number: f64) -> f64 {
        number
    }
}

/// Numbers from a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Plain numbers where the widest vectors may lie.
pub struct Aligned<T> {
    lines: Vec<Line>,
    count: usize,
    of: PhantomData<T>,
}

#[derive(Clone, Copy)]
#[repr(align(128))]
struct Line(#[allow(dead_code)] [u8; 128]); // Read through pointers.

impl<T: Copy> Aligned<T> {
    pub fn zeros(count: usize) -> Aligned<T> {
        let lines = vec![Line([0; 128]); (count * size_of::<T>()).div_ceil(size_of::<Line>())];
        Aligned { lines, count, of: PhantomData }
    }
}

impl<T: Copy> From<&[T]> for Aligned<T> {
    fn from(numbers: &[T]) -> Aligned<T> {
        let mut aligned = Aligned::zeros(numbers.len());
        aligned.copy_from_slice(numbers);
        aligned
    }
}

impl<T: Copy> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the lines have room for so many plain numbers, and are aligned for them.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.count) }
    }
}

impl<T: Copy> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.count) }
    }
}

/// Arguments for one function, in a number that vectors and work-groups divide.
pub struct Arguments<T> {
    pub x: Aligned<T>,
    pub y: Aligned<T>,
    pub n: Aligned<i32>,
}

impl<T: Number> From<Vec<(T, T, i32)>> for Arguments<T> {
    fn from(mut all: Vec<(T, T, i32)>) -> Arguments<T> {
        all.resize(all.len().next_multiple_of(256), (T::from_number(1.0), T::from_number(1.0), 1));
        let x: Vec<T> = all.iter().map(|&(x, _, _)| x).collect();
        let y: Vec<T> = all.iter().map(|&(_, y, _)| y).collect();
        let n: Vec<i32> = all.iter().map(|&(_, _, n)| n).collect();
        Arguments { x: (&*x).into(), y: (&*y).into(), n: (&*n).into() }
    }
}

impl<T: Number> Arguments<T> {
    /// Every pair of the numbers above with both signs, then random ones: any bits, and sizes that are common.
    pub fn of_two(count: usize) -> Arguments<T> {
        let mut random = Random(1);
        let mut all = Vec::new();
        let numbers: Vec<f64> = NUMBERS.iter().flat_map(|&number| [number, -number]).collect();
        for &x in &numbers {
            for &y in &numbers {
                all.push((T::from_number(x), T::from_number(y), y as i32));
            }
        }
        while all.len() < count {
            let (x, y) = (T::from_bits(random.next()), T::from_bits(random.next()));
            all.push((x, y, (random.next() >> (random.next() & 31)) as i32));
            let common = |bits: u64| (bits as i64 as f64) / 2_f64.powi(40 + (bits & 31) as i32);
            let (x, y) = (common(random.next()), common(random.next()));
            all.push((T::from_number(x), T::from_number(y), y as i32 % 50));
        }
        all.into()
    }

    /// `count` bit patterns at equal distances, the common sizes denser, and the numbers above.
    pub fn of_one(count: usize) -> Arguments<T> {
        let step = u64::MAX / count as u64;
        let one = |x: T| (x, T::default(), 0);
        let mut all = Vec::new();
        for &number in NUMBERS {
            all.extend([number, -number].map(|number| one(T::from_number(number))));
        }
        for index in 0..count as u64 {
            all.push(one(T::from_bits(index * step + index % step)));
            let common = (index as f64 / count as f64 - 0.5) * 2_f64.powi((index % 16) as i32);
            all.push(one(T::from_number(common)));
        }
        all.into()
    }
}
