//! How urgently code is made that a program would use, and goes without meanwhile.
//!
//! Terms: code is made *beside* the program, with as much of the processors as the program gets, or *behind* it, with what others
//! leave, which on a busy machine is a thirtieth of one.
//! Policy: without this code every launch may take ten times as long, and the code costs no more than a second in all but rare cases; so the
//! longer it is not there, the more the program loses. It is made beside the program, but on no more than half of the processors
//! (on one at least). Whatever comes beyond is made behind it. Where nobody is left who would use it, it goes on behind others.
//!
//! A pure value, which has no say in what code is made. Source: docs/decisions/083-first-calls.md.

/// Processes of one program that make code beside it, however many processors there are.
const MOST_BESIDE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    Beside,
    Behind,
}

/// Of the next one, where so many are at it beside the program, which runs on so many processors.
pub fn urgency(beside: usize, processors: usize) -> Urgency {
    if beside < (processors / 2).clamp(1, MOST_BESIDE) { Urgency::Beside } else { Urgency::Behind }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(processors: usize) -> usize {
        (0..100).take_while(|&at| urgency(at, processors) == Urgency::Beside).count()
    }

    #[test]
    fn the_first_is_as_urgent_as_its_program_and_the_program_keeps_half() {
        assert_eq!([0, 1, 2, 3, 4, 7, 8, 64].map(beside), [1, 1, 1, 1, 2, 3, 4, 4]);
    }
}
