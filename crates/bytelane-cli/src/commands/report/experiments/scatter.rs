//! Ratio against throughput: each layout is a dot, and a line joins the Pareto front.

use crate::commands::report::figures::{figure, ratio, short};
use crate::commands::report::plot::{Axis, Chart, Figure, Point, Scale, Series};

/// Layout of a column.
#[derive(Debug)]
pub struct Way {
    pub name: String,
    /// CSS class of its colour.
    pub class: String,
    /// Bytes of the values divided by bytes of the file.
    pub ratio: f64,
    /// Throughput in MB of values per second.
    pub speed: f64,
    /// True if this is the recommended layout.
    pub is_choice: bool,
}

impl Way {
    fn at(&self) -> (f64, f64) {
        (self.speed, self.ratio)
    }
}

/// Draws the chart; `label` names the throughput with its unit.
pub fn scatter(title: String, label: &'static str, ways: &[Way]) -> Figure {
    let points: Vec<(f64, f64)> = ways.iter().map(Way::at).collect();
    let front = front(&points);
    let mut series = vec![Series {
        class: "front".to_owned(),
        joined: true,
        points: front.iter().copied().map(Point::at).collect(),
    }];
    // If labels would touch, the first one is kept.
    let (chosen, others): (Vec<&Way>, Vec<&Way>) = ways.iter().partition(|way| way.is_choice);
    for way in chosen.into_iter().chain(others) {
        let mut point = Point::at(way.at());
        let (ratio, speed) = (ratio(way.ratio), figure(way.speed));
        point.title = format!("{}: ratio {ratio}, {speed} MB/s", way.name);
        // The others are too close together for labels.
        let is_named = way.is_choice || front.contains(&way.at());
        point.label = is_named.then(|| way.name.clone());
        point.is_ringed = way.is_choice;
        series.push(Series {
            class: way.class.clone(),
            joined: false,
            points: vec![point],
        });
    }
    let chart = Chart {
        title,
        x: Axis {
            label,
            scale: Scale::from_zero(points.iter().map(|point| 1.25 * point.0)),
            tick: short,
        },
        y: Axis {
            label: "bytes of values / bytes of file",
            scale: ratios(points.iter().map(|point| point.1)),
            tick: short,
        },
        series,
        places: Vec::new(),
    };
    chart.figure()
}

/// Returns a linear scale, unless a few ratios would squeeze the others together.
fn ratios(values: impl Iterator<Item = f64> + Clone) -> Scale {
    const MOST: f64 = 10.0;
    let least = values.clone().fold(f64::MAX, f64::min);
    if values.clone().any(|value| value > MOST * least) {
        Scale::doubling(values)
    } else {
        Scale::around(values)
    }
}

/// Returns the Pareto front: the points that no other dominates, from left to right.
fn front(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let beaten = |&(x, y): &(f64, f64)| {
        let beats = |&&(other_x, other_y): &&(f64, f64)| {
            (other_x > x && other_y >= y) || (other_x >= x && other_y > y)
        };
        points.iter().any(|other| beats(&other))
    };
    let mut front: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|point| !beaten(point))
        .collect();
    front.sort_by(|one, other| one.0.total_cmp(&other.0));
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_nothing_beats() {
        let points = [(1.0, 5.0), (2.0, 4.0), (2.0, 3.0), (3.0, 1.0), (0.5, 0.5)];
        assert_eq!(front(&points), [(1.0, 5.0), (2.0, 4.0), (3.0, 1.0)]);
        assert_eq!(front(&[]), []);
    }

    #[test]
    fn the_choice_and_the_front_are_named_and_all_tell_their_values() {
        let way = |name: &str, ratio, speed| Way {
            name: name.to_owned(),
            class: "plain".to_owned(),
            ratio,
            speed,
            is_choice: name == "chosen",
        };
        let ways = [
            way("small", 9.0, 100.0),
            way("fast", 1.0, 900.0),
            way("chosen", 3.0, 300.0),
            way("beaten", 2.0, 200.0),
        ];
        let svg = scatter("Title".to_owned(), "MB/s", &ways).svg;
        for name in ["small", "fast", "chosen"] {
            assert!(svg.contains(&format!(">{name}</text>")), "{name}: {svg}");
        }
        assert!(!svg.contains(">beaten</text>"), "{svg}");
        assert!(svg.contains("<title>beaten: ratio 2.00, 200 MB&#x2f;s</title>"));
        assert_eq!(svg.matches("ringed").count(), 1, "{svg}");
    }
}
