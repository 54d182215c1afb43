//! Induction variables as libomp's entry points come: `_4` and `_8` for signed ones of 32 and 64 bits,
//! `_4u` and `_8u` for unsigned ones. Steps and chunk sizes are signed and as wide as the variable.
//! Loops are closed: `last` is included.

use vicinity_runtime::worksharing::plan::Space;

/// An integer type of an induction variable.
pub trait Variable: Copy + PartialOrd {
    /// Its steps, chunk sizes and strides.
    type Step: Copy + Into<i64>;

    /// The values of `for (i = first; i <= last; i += step)`.
    fn space(first: Self, last: Self, step: Self::Step) -> Space;

    /// The low bits of a word of a [`Space`].
    fn from_word(word: u64) -> Self;

    /// The low bits of a word, as a stride.
    fn stride(word: u64) -> Self::Step;

    /// Bounds of a loop without iterations, beside `last` if that leaves room in the type.
    fn empty(last: Self, up: bool) -> (Self, Self);
}

macro_rules! variables {
    ($($type:ident $step:ident $space:ident;)*) => {$(
        impl Variable for $type {
            type Step = $step;

            fn space(first: Self, last: Self, step: Self::Step) -> Space {
                Space::$space(first.into(), last.into(), step.into())
            }

            fn from_word(word: u64) -> Self {
                word as $type
            }

            fn stride(word: u64) -> Self::Step {
                word as $step
            }

            fn empty(last: Self, up: bool) -> (Self, Self) {
                match (up, last) {
                    (true, $type::MAX) => (last, last - 1),
                    (true, _) => (last + 1, last),
                    (false, $type::MIN) => (last, last + 1),
                    (false, _) => (last - 1, last),
                }
            }
        }
    )*};
}

variables! {
    i32 i32 closed_signed;
    u32 i32 closed_unsigned;
    i64 i64 closed_signed;
    u64 i64 closed_unsigned;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_empty<T: Variable>(last: T, up: bool) {
        let (first, last) = T::empty(last, up);
        assert!(if up { first > last } else { first < last });
    }

    #[test]
    fn empty_bounds_are_empty_at_the_ends_of_the_type() {
        for up in [true, false] {
            for last in [i32::MIN, -1, 0, i32::MAX] {
                assert_empty(last, up);
            }
            for last in [0, 1, u64::MAX] {
                assert_empty(last, up);
            }
        }
    }

    #[test]
    fn words_keep_their_low_bits() {
        let space = u32::space(u32::MAX, 5, -1000);
        assert_eq!(u32::from_word(space.value(1)), u32::MAX - 1000);
        let space = i32::space(-5, 5, 3);
        assert_eq!(
            (space.trips, i32::from_word(space.value(0)), i32::stride(space.step)),
            (4, -5, 3)
        );
    }
}
