//! Medians, spreads and means of ratios. Pure.

use serde::Serialize;

/// A series of samples in three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

/// Sums up samples; `None` when there are none.
pub fn summarize(samples: &[f64]) -> Option<Summary> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let half = sorted.len() / 2;
    let median =
        if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
    Some(Summary { median, min, max })
}

/// The mean that treats twice as fast and half as fast as opposites; `None` without ratios or where
/// one is not positive.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    if ratios.is_empty() || ratios.iter().any(|&r| r <= 0.0 || !r.is_finite()) {
        return None;
    }
    let logarithms: f64 = ratios.iter().map(|r| r.ln()).sum();
    Some((logarithms / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_one() {
        let summary = summarize(&[9.0, 1.0, 5.0]).expect("samples");
        assert_eq!(summary, Summary { median: 5.0, min: 1.0, max: 9.0 });
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(summarize(&[4.0, 1.0, 2.0, 100.0]).expect("samples").median, 3.0);
    }

    #[test]
    fn nothing_has_no_median() {
        assert_eq!(summarize(&[]), None);
        assert_eq!(geometric_mean(&[]), None);
    }

    #[test]
    fn half_and_double_cancel_out() {
        let mean = geometric_mean(&[0.5, 2.0]).expect("ratios");
        assert!((mean - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[0.5, 0.0]), None);
    }
}
