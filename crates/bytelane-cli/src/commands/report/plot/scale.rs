//! Axes: linear or logarithmic, with ticks that fit on a phone.

use std::ops::Range;

/// Largest number of labels that fit side by side.
const MOST_TICKS: usize = 6;

/// Mapping of values to positions.
#[derive(Clone, Debug)]
pub enum Scale {
    Linear(Range<f64>),
    /// Powers of two, from one exponent to another.
    Doubling(Range<i32>),
}

impl Scale {
    /// Creates a scale from zero to the largest value.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let most = values.into_iter().fold(0.0, f64::max);
        Self::Linear(0.0..if most > 0.0 { 1.05 * most } else { 1.0 })
    }

    /// Creates a scale from below the smallest value to above the largest.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let ends = values.into_iter().fold(None, |ends, value| match ends {
            None => Some((value, value)),
            Some((least, most)) => Some((value.min(least), value.max(most))),
        });
        let (least, most) = ends.unwrap_or((0.0, 1.0));
        let space = 0.15 * (most - least).max(0.1 * most);
        Self::Linear(least - space..most + space)
    }

    /// Creates a scale from the power of two below the smallest value to the one above the largest.
    pub fn doubling(values: impl IntoIterator<Item = f64>) -> Self {
        let logarithms = values
            .into_iter()
            .filter(|&value| value > 0.0)
            .map(f64::log2);
        let (least, most) = logarithms.fold((f64::MAX, f64::MIN), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        if least > most {
            return Self::Doubling(0..1);
        }
        let from = least.floor() as i32;
        Self::Doubling(from..(most.ceil() as i32).max(from + 1))
    }

    fn share(&self, value: f64) -> f64 {
        match self {
            Self::Linear(range) => (value - range.start) / (range.end - range.start),
            Self::Doubling(range) => {
                (value.log2() - f64::from(range.start)) / f64::from(range.end - range.start)
            }
        }
    }

    /// Returns the position of a value between those of the ends.
    pub fn place(&self, value: f64, (from, to): (i32, i32)) -> i32 {
        from + (f64::from(to - from) * self.share(value)).round() as i32
    }

    pub fn ticks(&self) -> Vec<f64> {
        match self {
            Self::Linear(range) => {
                let step = round_step((range.end - range.start) / MOST_TICKS as f64);
                let first = (range.start / step).ceil() as i64;
                let last = (range.end / step).floor() as i64;
                (first..=last).map(|tick| tick as f64 * step).collect()
            }
            Self::Doubling(range) => {
                let step = (range.len()).div_ceil(MOST_TICKS).max(1);
                let exponents = (range.start..=range.end).step_by(step);
                exponents
                    .map(|exponent| f64::from(exponent).exp2())
                    .collect()
            }
        }
    }
}

/// Returns the smallest step of 1, 2 or 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * power);
    steps
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            Scale::Linear(0.0..104.0).ticks(),
            [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
        );
        assert_eq!(Scale::Linear(0.0..0.7).ticks().len(), 4);
        let sizes = Scale::doubling([64.0, 4_194_304.0]);
        assert_eq!(
            sizes.ticks(),
            [64.0, 512.0, 4096.0, 32_768.0, 262_144.0, 2_097_152.0]
        );
        for most in [1e-9, 0.3, 1.0, 7.0, 99.0, 1e12] {
            let ticks = Scale::from_zero([most]).ticks();
            assert!(
                (2..=MOST_TICKS + 1).contains(&ticks.len()),
                "{most}: {ticks:?}"
            );
        }
    }

    #[test]
    fn places_are_between_the_ends() {
        let scale = Scale::doubling([64.0, 1024.0]);
        assert_eq!(scale.place(64.0, (100, 500)), 100);
        assert_eq!(scale.place(256.0, (100, 500)), 300);
        assert_eq!(scale.place(1024.0, (500, 100)), 100);
        let around = Scale::around([1.0, 2.0]);
        assert!(around.place(1.0, (0, 100)) > 5 && around.place(2.0, (0, 100)) < 95);
        assert_eq!(Scale::around([3.0]).place(3.0, (0, 100)), 50);
        assert_eq!(Scale::from_zero([]).place(0.5, (0, 10)), 5);
        assert_eq!(Scale::doubling([]).ticks(), [1.0, 2.0]);
    }
}
