//! In which order an idle thread looks at the queues of its team.
//!
//! Work stealing with a uniformly random first victim, then the others in turn (Blumofe and Leiserson
//! 1999 analyse the random choice). Randomness is an argument.

/// The members to try, each once, without `me`, for a team of `size`.
pub fn uniform(random: u32, me: u32, size: u32) -> impl Iterator<Item = u32> {
    let others = size.saturating_sub(1);
    let first = ((u64::from(random) * u64::from(others)) >> 32) as u32;
    (0..others).map(move |step| {
        let rank = first + step;
        let rank = if rank >= others { rank - others } else { rank };
        if rank >= me { rank + 1 } else { rank }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_else_once() {
        for size in 1..6 {
            for me in 0..size {
                for random in [0, 1, u32::MAX / 3, u32::MAX / 2, u32::MAX] {
                    let mut seen: Vec<u32> = uniform(random, me, size).collect();
                    seen.sort_unstable();
                    let others: Vec<u32> = (0..size).filter(|&other| other != me).collect();
                    assert_eq!(seen, others);
                }
            }
        }
    }
}
