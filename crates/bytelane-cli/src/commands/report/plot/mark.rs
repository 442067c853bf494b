//! Marks of a chart.

use super::svg::{Area, DOT, Drawn, PIXEL, Svg};
use minijinja::HtmlEscape;
use plotters::element::{Drawable, PointCollection};
use plotters_backend::BackendCoord;

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

/// Mark that shows its title when hovered or touched.
#[derive(Debug)]
pub struct Mark {
    shape: Shape,
    class: &'static str,
    title: String,
    is_ringed: bool,
}

#[derive(Debug)]
enum Shape {
    Dot([(f64, f64); 1]),
    /// Label next to a dot.
    Label([(f64, f64); 1], String),
    /// Bar between two opposite corners.
    Bar([(f64, f64); 2]),
}

impl Mark {
    pub fn dot(point: &Point, class: &'static str) -> Self {
        Self {
            shape: Shape::Dot([(point.x, point.y)]),
            class,
            title: point.title.clone(),
            is_ringed: point.is_ringed,
        }
    }

    /// Returns the label of a point, if it has one. All dots are drawn first, so that labels do not
    /// hide any.
    pub fn label(point: &Point) -> Option<Self> {
        let label = point.label.clone()?;
        Some(Self {
            shape: Shape::Label([(point.x, point.y)], label),
            class: "label",
            title: String::new(),
            is_ringed: false,
        })
    }

    pub fn bar(
        corner: (f64, f64),
        opposite: (f64, f64),
        class: &'static str,
        title: String,
    ) -> Self {
        Self {
            shape: Shape::Bar([corner, opposite]),
            class,
            title,
            is_ringed: false,
        }
    }
}

impl<'a> PointCollection<'a, (f64, f64)> for &'a Mark {
    type Point = &'a (f64, f64);
    type IntoIter = &'a [(f64, f64)];

    fn point_iter(self) -> Self::IntoIter {
        match &self.shape {
            Shape::Dot(points) | Shape::Label(points, _) => points,
            Shape::Bar(points) => points,
        }
    }
}

impl Drawable<Svg<'_>> for Mark {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut points: I,
        svg: &mut Svg<'_>,
        _: (u32, u32),
    ) -> Drawn {
        let (class, title) = (self.class, HtmlEscape(&self.title));
        let ring = if self.is_ringed { " ringed" } else { "" };
        let Some((x, y)) = points.next() else {
            return Ok(());
        };
        if let Shape::Label(_, label) = &self.shape {
            return svg.label(label, x, y);
        }
        match points.next() {
            None => {
                let radius = DOT as i32;
                svg.taken
                    .push(Area((x - radius, y - radius), (x + radius, y + radius)));
                svg.push(format_args!(
                    r#"<circle class="area {class}{ring}" cx="{x}" cy="{y}" r="{DOT}"><title>{title}</title></circle>"#
                ))
            }
            Some((right, bottom)) => {
                let (left, top) = (x.min(right), y.min(bottom));
                let (width, height) = (x.abs_diff(right).max(PIXEL), y.abs_diff(bottom));
                svg.push(format_args!(
                    r#"<rect class="area {class}" x="{left}" y="{top}" width="{width}" height="{height}"><title>{title}</title></rect>"#
                ))
            }
        }
    }
}
