//! Compares geometries with a box.

use crate::types::geo::wkb::vertices;

/// Smallest and largest coordinate.
type Range = (f64, f64);

/// Box. If its smallest x exceeds the largest one, it crosses the antimeridian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Boxed {
    pub(super) x: Range,
    pub(super) y: Range,
}

impl Boxed {
    /// Returns a box from its smallest x and y, and its largest x and y.
    pub(super) fn new([x_min, y_min, x_max, y_max]: [f64; 4]) -> Self {
        Self {
            x: (x_min, x_max),
            y: (y_min, y_max),
        }
    }

    /// Returns whether two boxes have a point in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let overlap = |one: Range, other: Range| one.0 <= other.1 && other.0 <= one.1;
        let crosses = |it: Range| it.0 > it.1;
        let x = match (crosses(self.x), crosses(other.x)) {
            (false, false) => overlap(self.x, other.x),
            (true, true) => true,
            _ => self.x.0 <= other.x.1 || other.x.0 <= self.x.1,
        };
        x && overlap(self.y, other.y)
    }

    /// Returns whether the box around the vertices of a geometry has a point in common with it; `None` if the value is
    /// not a geometry in WKB.
    pub(super) fn meets_geometry(&self, value: &[u8]) -> Option<bool> {
        const NOTHING: Range = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut x, mut y) = (NOTHING, NOTHING);
        let add = |range: &mut Range, at: f64| *range = (range.0.min(at), range.1.max(at));
        vertices(value, |vertex| {
            add(&mut x, vertex[0]);
            add(&mut y, vertex[1]);
        })?;
        let is_empty = x == NOTHING || y == NOTHING;
        Some(!is_empty && self.meets(&Self { x, y }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_meet_across_the_antimeridian() {
        let cases = [
            ([0.0, 0.0, 2.0, 2.0], [2.0, 2.0, 3.0, 3.0], true),
            ([0.0, 0.0, 2.0, 2.0], [2.1, 0.0, 3.0, 3.0], false),
            ([0.0, 0.0, 2.0, 2.0], [0.0, 3.0, 3.0, 4.0], false),
            ([170.0, 0.0, -170.0, 2.0], [175.0, 0.0, 178.0, 1.0], true),
            ([170.0, 0.0, -170.0, 2.0], [-175.0, 0.0, -172.0, 1.0], true),
            ([170.0, 0.0, -170.0, 2.0], [-160.0, 0.0, 160.0, 1.0], false),
            ([170.0, 0.0, -170.0, 2.0], [179.0, 0.0, -179.0, 1.0], true),
        ];
        for (one, other, expected) in cases {
            let (one, other) = (Boxed::new(one), Boxed::new(other));
            assert_eq!(one.meets(&other), expected, "{one:?}, {other:?}");
            assert_eq!(other.meets(&one), expected, "{one:?}, {other:?}");
        }
    }
}
