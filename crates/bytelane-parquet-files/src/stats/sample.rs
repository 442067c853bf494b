//! Takes a random sample of numbers.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Sample of values, all of which are equally likely: algorithm R of Vitter, "Random sampling with a reservoir", 1985.
pub struct Sample<T> {
    values: Vec<T>,
    most: usize,
    seen: u64,
    random: Xoshiro256PlusPlus,
}

impl<T: Copy + PartialOrd> Sample<T> {
    pub fn new(most: usize) -> Self {
        Self {
            values: Vec::new(),
            most,
            seen: 0,
            // The same rows give the same sample.
            random: Xoshiro256PlusPlus::seed_from_u64(0),
        }
    }

    pub fn add(&mut self, value: T) {
        self.seen += 1;
        if self.values.len() < self.most {
            self.values.push(value);
            return;
        }
        let place = (u128::from(self.random.next_u64()) * u128::from(self.seen)) >> 64;
        if let Some(kept) = self.values.get_mut(place as usize) {
            *kept = value;
        }
    }

    /// Returns whether the sample has all values.
    pub fn is_all(&self) -> bool {
        self.seen == self.values.len() as u64
    }

    pub fn into_sorted(mut self) -> Vec<T> {
        self.values
            .sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
        self.values
    }
}

/// Returns the values below which are a quarter, half and three quarters of sorted values, or equal to these.
pub fn quantiles<T: Copy>(sorted: &[T]) -> Option<[T; 3]> {
    let last = sorted.len().checked_sub(1)?;
    Some([1, 2, 3].map(|quarters| {
        let rank = (sorted.len() * quarters).div_ceil(4);
        sorted[rank.saturating_sub(1).min(last)]
    }))
}

/// Counts values in parts of equal width.
pub fn histogram(values: impl Iterator<Item = f64> + Clone, bars: usize) -> Vec<u64> {
    let finite = values.filter(|value| value.is_finite());
    let least = finite.clone().fold(f64::INFINITY, f64::min);
    let greatest = finite.clone().fold(f64::NEG_INFINITY, f64::max);
    if least > greatest {
        return Vec::new();
    }
    let mut counts = vec![0; bars];
    // Halves, because the difference may exceed the range of floats.
    let width = greatest / 2.0 - least / 2.0;
    for value in finite {
        let share = if width > 0.0 {
            (value / 2.0 - least / 2.0) / width
        } else {
            0.0
        };
        let bar = ((share * bars as f64) as usize).min(bars - 1);
        counts[bar] += 1;
    }
    counts
}
