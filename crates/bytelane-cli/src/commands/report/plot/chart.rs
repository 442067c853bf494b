//! Lines and dots over two axes.

use super::scale::Scale;
use super::svg::{ABOVE, BELOW, Figure, PIXEL, Svg, WIDTH, class_of};
use crate::commands::report::measurements::Figures;
use bytelane_measure::transform::PLAIN;

const HEIGHT: i32 = 250 * PIXEL;

/// Edges of the area between the axes.
const LEFT: i32 = 66 * PIXEL;
const RIGHT: i32 = WIDTH - 24 * PIXEL;
const BOTTOM: i32 = HEIGHT - 46 * PIXEL;

/// Distance between the edge of the chart and the labels of the axes.
const MARGIN: i32 = 8 * PIXEL;

/// Length of a tick.
const TICK: i32 = 4 * PIXEL;

/// Axis of a chart.
#[derive(Debug)]
pub struct Axis {
    /// Label of the axis, with its unit.
    pub label: &'static str,
    pub scale: Scale,
    /// Formats a value for a tick.
    pub tick: fn(f64) -> String,
}

/// Value with the text shown on hover.
#[derive(Clone, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub title: String,
    /// Label next to the point.
    pub label: Option<String>,
    /// True if the point has a ring.
    pub is_ringed: bool,
}

impl Point {
    /// Creates a point without text.
    pub fn at((x, y): (f64, f64)) -> Self {
        Self {
            x,
            y,
            title: String::new(),
            label: None,
            is_ringed: false,
        }
    }
}

/// Points that belong together.
#[derive(Debug)]
pub struct Series {
    pub class: String,
    /// True if a line joins them in their order.
    pub joined: bool,
    pub points: Vec<Point>,
}

impl Series {
    /// Returns the joined points of each worker. The loop without options is drawn last, because others may be as
    /// fast.
    pub fn of_workers(figures: &Figures, points: impl Fn(&str) -> Vec<Point>) -> Vec<Self> {
        let workers = figures.workers();
        let (plain, others): (Vec<_>, Vec<_>) =
            workers.iter().partition(|worker| worker.starts_with(PLAIN));
        let ordered = others.into_iter().chain(plain.into_iter().rev());
        let series = ordered.map(|worker| Self {
            class: class_of(worker),
            joined: true,
            points: points(worker),
        });
        series.collect()
    }
}

/// Chart with two axes.
#[derive(Debug)]
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Named positions on the x axis, such as the size of a cache.
    pub places: Vec<(f64, String)>,
}

impl Chart {
    pub fn figure(&self) -> Figure {
        let mut svg = Svg::new(HEIGHT);
        self.draw_axes(&mut svg);
        let place = |point: &Point| (self.across(point.x), self.up(point.y));
        for series in self.series.iter().filter(|series| series.joined) {
            svg.line(&series.class, series.points.iter().map(place));
        }
        for series in &self.series {
            for point in &series.points {
                let ring = if point.is_ringed { " ringed" } else { "" };
                let class = format!("{}{ring}", series.class);
                svg.dot(&class, &point.title, place(point));
            }
        }
        // All dots are drawn first, so that labels do not hide any.
        for point in self.series.iter().flat_map(|series| &series.points) {
            if let Some(label) = &point.label {
                svg.label(label, place(point));
            }
        }
        svg.figure(&self.title)
    }

    /// Returns the upper edge of the area between the axes. Names of positions are above it.
    fn top(&self) -> i32 {
        let pixels = if self.places.is_empty() { 8 } else { 22 };
        pixels * PIXEL
    }

    /// Returns the position of a value on the x axis.
    fn across(&self, x: f64) -> i32 {
        self.x.scale.place(x, (LEFT, RIGHT))
    }

    /// Returns the position of a value on the y axis.
    fn up(&self, y: f64) -> i32 {
        self.y.scale.place(y, (BOTTOM, self.top()))
    }

    fn draw_axes(&self, svg: &mut Svg) {
        let top = self.top();
        let ticks = |axis: &Axis| axis.scale.ticks();
        for x in ticks(&self.x).into_iter().map(|tick| self.across(tick)) {
            svg.line("grid", [(x, BOTTOM), (x, top)]);
        }
        for y in ticks(&self.y).into_iter().map(|tick| self.up(tick)) {
            svg.line("grid", [(LEFT, y), (RIGHT, y)]);
        }
        svg.line("axis", [(LEFT, top), (LEFT, BOTTOM), (RIGHT, BOTTOM)]);
        for tick in ticks(&self.x) {
            let (x, text) = (self.across(tick), (self.x.tick)(tick));
            svg.line("axis", [(x, BOTTOM), (x, BOTTOM + TICK)]);
            svg.text("label", &text, (x, BOTTOM + 2 * TICK), BELOW, 0);
        }
        for tick in ticks(&self.y) {
            let (y, text) = (self.up(tick), (self.y.tick)(tick));
            svg.line("axis", [(LEFT - TICK, y), (LEFT, y)]);
            svg.text("label", &text, (LEFT - 2 * TICK, y), ("end", "0.35em"), 0);
        }
        let (center, middle) = (i32::midpoint(LEFT, RIGHT), i32::midpoint(top, BOTTOM));
        svg.text("label", self.x.label, (center, HEIGHT - MARGIN), ABOVE, 0);
        svg.text("label", self.y.label, (MARGIN, middle), BELOW, 270);
        for (x, name) in &self.places {
            let x = self.across(*x);
            if (LEFT..=RIGHT).contains(&x) {
                svg.line("axis", [(x, BOTTOM), (x, top)]);
                svg.text("label", name, (x, top), ABOVE, 0);
            }
        }
    }
}
