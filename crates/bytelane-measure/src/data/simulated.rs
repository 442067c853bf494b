//! Substitutes for the floats of numerical programs, and the discrete Gaussian.

use super::{ElementType, Sequence, below, integers, reals, unit};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Number of points on an edge of the simulated field; each plane of it is a square.
const EDGE: usize = 128;

/// Generates a smooth field in three dimensions, point by point, line by line, plane by plane: a
/// sum of products of smooth curves along the three axes.
pub(super) fn field(random: &mut Xoshiro256PlusPlus) -> Sequence {
    let [x_curve, y_curve, y_other] = [(); 3].map(|()| curve(random));
    let (mut x, mut y) = (0, 0);
    let mut planes = Walk::starting_at(unit(random));
    let mut depth = planes.step(random);
    reals(move |random| {
        let value = 1.0 + x_curve[x] * y_curve[y] + depth * y_other[y];
        x += 1;
        if x == EDGE {
            (x, y) = (0, y + 1);
        }
        if y == EDGE {
            y = 0;
            depth = planes.step(random);
        }
        value
    })
}

/// Generates messages between the parts of a simulation: messages of 100 to 5000 grid points, each
/// with five quantities of different magnitudes, and each message from a different position.
pub(super) fn messages(_: &mut Xoshiro256PlusPlus) -> Sequence {
    const MAGNITUDES: [f64; 5] = [1.0, 40.0, 0.03, 2500.0, 0.5];
    let mut quantities = [(); 5].map(|()| Walk::default());
    let (mut quantity, mut points_left) = (0, 0);
    reals(move |random| {
        if quantity == 0 && points_left == 0 {
            points_left = 100 + below(random, 4901);
            quantities = [(); 5].map(|()| Walk::starting_at(2.0 * unit(random)));
        }
        let value = MAGNITUDES[quantity] * quantities[quantity].step(random);
        quantity = (quantity + 1) % MAGNITUDES.len();
        points_left -= i64::from(quantity == 0);
        value
    })
}

/// Returns a smooth curve along an axis.
fn curve(random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut walk = Walk::starting_at(unit(random));
    (0..EDGE).map(|_| walk.step(random)).collect()
}

/// A value that changes slowly, with a slope that changes slowly too.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    value: f64,
    slope: f64,
}

impl Walk {
    fn starting_at(value: f64) -> Self {
        Self { value, slope: 0.0 }
    }

    fn step(&mut self, random: &mut Xoshiro256PlusPlus) -> f64 {
        self.slope = 0.9 * self.slope + 0.01 * (unit(random) - 0.5);
        self.value += self.slope;
        self.value
    }
}

/// Generates `values` samples of a Gaussian around 0 with this standard deviation, rounded to
/// integers: data whose entropy can be chosen. Twelve uniform numbers are summed, so that the bytes
/// are the same on every machine; no sample is beyond six deviations.
///
/// ```
/// use bytelane_measure::data::{ElementType, discrete_gaussian};
/// let bytes = discrete_gaussian(ElementType::F64, 4.0, 1000, 1);
/// assert_eq!(bytes.len(), 8000);
/// ```
#[must_use]
pub fn discrete_gaussian(
    element: ElementType,
    deviation: f64,
    values: usize,
    seed: u64,
) -> Vec<u8> {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
    let samples = integers(move |random| {
        let sum: f64 = (0..12).map(|_| unit(random)).sum();
        (deviation * (sum - 6.0)).round() as i64
    });
    samples.take(element, values, random)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(bytes: &[u8]) -> Vec<f64> {
        let (values, _) = bytes.as_chunks();
        values
            .iter()
            .map(|&bytes| f64::from_le_bytes(bytes))
            .collect()
    }

    #[test]
    fn the_gaussian_has_its_mean_and_deviation() {
        let samples = doubles(&discrete_gaussian(ElementType::F64, 100.0, 100_000, 3));
        let mean = samples.iter().sum::<f64>() / 1e5;
        let variance = samples.iter().map(|sample| sample * sample).sum::<f64>() / 1e5;
        assert!(mean.abs() < 2.0, "{mean}");
        assert!((98.0..102.0).contains(&variance.sqrt()), "{variance}");
        assert!(samples.iter().all(|sample| sample.fract() == 0.0));
    }

    #[test]
    fn neighbours_in_the_field_are_alike_along_each_axis() {
        let field: &super::super::Dataset = "field".parse::<&_>().unwrap();
        let values = doubles(&field.generate(ElementType::F64, 4 * EDGE * EDGE, 5));
        for step in [1, EDGE, EDGE * EDGE] {
            let near = |at: usize| (values[at] - values[at + step]).abs() < 0.5;
            let count = (0..values.len() - step).filter(|&at| near(at)).count();
            assert!(count > values.len() / 2, "{step}: {count}");
        }
    }
}
