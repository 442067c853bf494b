//! Computes and joins geospatial statistics: <https://github.com/apache/parquet-format/blob/master/Geospatial.md>.

use crate::format::{BoundingBox, GeospatialStatistics};
use crate::types::geo::wkb::vertices;
use parquet::basic::LogicalType;
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeSet;

/// Smallest and largest coordinate.
type Range = (f64, f64);

/// Coordinates and types of the geometries of a chunk.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Ranges of x, y, z and m, if a geometry has such coordinates.
    ranges: [Option<Range>; 4],
    types: BTreeSet<i32>,
    /// Set if edges are straight, so that no point of a geometry is outside the ranges of its vertices.
    is_planar: bool,
    /// Set if a value is not a geometry, so that nothing can be said.
    is_unknown: bool,
}

impl Extent {
    /// Returns the extent of no values; `None` if the column has no geometries.
    #[must_use]
    pub fn new(column: &ColumnDescriptor) -> Option<Self> {
        let is_planar = match column.logical_type_ref()? {
            LogicalType::Geometry(_) => true,
            LogicalType::Geography(_) => false,
            _ => return None,
        };
        Some(Self {
            ranges: [None; 4],
            types: BTreeSet::new(),
            is_planar,
            is_unknown: false,
        })
    }

    /// Adds a geometry in WKB. Coordinates that are NaN stand for missing ones.
    pub fn add(&mut self, value: &[u8]) {
        let ranges = &mut self.ranges;
        let code = vertices(value, |vertex| {
            for (range, at) in ranges.iter_mut().zip(vertex) {
                if !at.is_nan() {
                    *range = Some(range.map_or((at, at), |it| around(it, (at, at))));
                }
            }
        });
        match code {
            Some(code) => drop(self.types.insert(code.cast_signed())),
            None => self.is_unknown = true,
        }
    }

    /// Returns the statistics, if there are geometries. Those on a sphere have no bounding box, since the edges between
    /// their vertices may leave it.
    #[must_use]
    pub fn statistics(&self) -> Option<GeospatialStatistics> {
        if self.is_unknown || self.types.is_empty() {
            return None;
        }
        let [x, y, z, m] = self.ranges;
        let corners = x.zip(y).filter(|_| self.is_planar);
        Some(GeospatialStatistics {
            bbox: corners.map(|(x, y)| boxed(x, y, z, m)),
            geospatial_types: Some(self.types.iter().copied().collect()),
            ..Default::default()
        })
    }
}

/// Returns the statistics of the geometries of two chunks. What only one of them says is left out.
#[must_use]
pub fn joined(
    one: &GeospatialStatistics,
    other: &GeospatialStatistics,
) -> Option<GeospatialStatistics> {
    let known = |it: &GeospatialStatistics| it.geospatial_types.clone().unwrap_or_default();
    let (own, others) = (known(one), known(other));
    // An empty list means that the types are not known.
    let are_known = !own.is_empty() && !others.is_empty();
    let types: BTreeSet<i32> = own.into_iter().chain(others).collect();
    let boxes = one.bbox.as_ref().zip(other.bbox.as_ref());
    let joined = GeospatialStatistics {
        bbox: boxes.and_then(|(one, other)| box_around(one, other)),
        geospatial_types: are_known.then(|| types.into_iter().collect()),
        ..Default::default()
    };
    (joined != GeospatialStatistics::default()).then_some(joined)
}

fn box_around(one: &BoundingBox, other: &BoundingBox) -> Option<BoundingBox> {
    let x = around_x((one.xmin, one.xmax), (other.xmin, other.xmax))?;
    let both = |one: Option<Range>, other: Option<Range>| {
        let known = one.and_then(known).zip(other.and_then(known));
        known.map(|(one, other)| around(one, other))
    };
    let y = both(Some((one.ymin, one.ymax)), Some((other.ymin, other.ymax)))?;
    let z = both(one.zmin.zip(one.zmax), other.zmin.zip(other.zmax));
    let m = both(one.mmin.zip(one.mmax), other.mmin.zip(other.mmax));
    Some(boxed(x, y, z, m))
}

/// Returns a range if it has a number. NaN says nothing.
fn known(range: Range) -> Option<Range> {
    (range.0 <= range.1).then_some(range)
}

fn boxed(x: Range, y: Range, z: Option<Range>, m: Option<Range>) -> BoundingBox {
    BoundingBox {
        xmin: x.0,
        xmax: x.1,
        ymin: y.0,
        ymax: y.1,
        zmin: z.map(|it| it.0),
        zmax: z.map(|it| it.1),
        mmin: m.map(|it| it.0),
        mmax: m.map(|it| it.1),
        ..Default::default()
    }
}

fn around(one: Range, other: Range) -> Range {
    (one.0.min(other.0), one.1.max(other.1))
}

/// Returns the range around two ranges of x, which cross the antimeridian if their smallest value exceeds the largest one;
/// `None` if that is nearly everything, or if a range is not known.
fn around_x(one: Range, other: Range) -> Option<Range> {
    let crosses = |(low, high): Range| low > high;
    if [one.0, one.1, other.0, other.1]
        .iter()
        .any(|it| it.is_nan())
    {
        return None;
    }
    let x = match (crosses(one), crosses(other)) {
        (false, false) => return Some(around(one, other)),
        (true, true) => around(one, other),
        (true, false) => across(one, other),
        (false, true) => across(other, one),
    };
    crosses(x).then_some(x)
}

/// Extends a range across the antimeridian at the side that is nearer to the other range.
fn across((low, high): Range, (from, to): Range) -> Range {
    let (to_low, to_high) = ((low - from).max(0.0), (to - high).max(0.0));
    if to_low <= to_high {
        (low - to_low, high)
    } else {
        (low, high + to_high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: Range, types: &[i32]) -> GeospatialStatistics {
        GeospatialStatistics {
            bbox: Some(boxed(x, (0.0, 1.0), None, None)),
            geospatial_types: Some(types.to_vec()),
            ..Default::default()
        }
    }

    fn x(one: Range, other: Range) -> Option<Range> {
        let joined = joined(&of(one, &[]), &of(other, &[]))?.bbox;
        joined.map(|it| (it.xmin, it.xmax))
    }

    #[test]
    fn boxes_are_joined_across_the_antimeridian() {
        assert_eq!(x((1.0, 2.0), (-3.0, 1.0)), Some((-3.0, 2.0)));
        assert_eq!(x((170.0, -170.0), (160.0, -175.0)), Some((160.0, -170.0)));
        assert_eq!(x((170.0, -170.0), (175.0, 179.0)), Some((170.0, -170.0)));
        assert_eq!(x((170.0, -170.0), (150.0, 160.0)), Some((150.0, -170.0)));
        assert_eq!(x((-160.0, -150.0), (170.0, -170.0)), Some((170.0, -150.0)));
        assert_eq!(x((170.0, -170.0), (-180.0, 180.0)), None);
        for range in [(0.0, 1.0), (170.0, -170.0)] {
            assert_eq!(x((f64::NAN, 1.0), range), None);
            assert_eq!(x(range, (1.0, f64::NAN)), None);
        }
    }

    #[test]
    fn ranges_that_are_not_known_stay_unknown() {
        let with = |y: Range, z: Option<Range>| GeospatialStatistics {
            bbox: Some(boxed((0.0, 1.0), y, z, None)),
            ..Default::default()
        };
        let (one, nan) = ((0.0, 1.0), (f64::NAN, f64::NAN));
        assert_eq!(joined(&with(one, None), &with(nan, None)), None);
        let z = |other| {
            joined(&with(one, Some(one)), &with(one, other))
                .unwrap()
                .bbox
                .unwrap()
                .zmin
        };
        assert_eq!(
            [z(Some((-1.0, 0.0))), z(Some(nan)), z(None)],
            [Some(-1.0), None, None]
        );
    }

    #[test]
    fn unknown_types_stay_unknown() {
        let range = (0.0, 1.0);
        let types = |one: &[i32], other: &[i32]| {
            let joined = joined(&of(range, one), &of(range, other)).unwrap();
            joined.geospatial_types
        };
        assert_eq!(types(&[1, 3], &[2, 1]), Some(vec![1, 2, 3]));
        assert_eq!(types(&[1], &[]), None);
    }
}
