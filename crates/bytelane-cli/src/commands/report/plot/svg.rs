//! A backend of plotters whose colours are CSS classes, so that a page themes its charts, and whose
//! marks tell their values when they are hovered.

use super::{LETTER, LETTERS, Point};
use minijinja::HtmlEscape;
use plotters::element::{Drawable, PointCollection};
use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::fmt::{self, Write};

/// Plotters counts in whole pixels, which would bend lines: ours are tenths.
pub const PIXEL: u32 = 10;

type Drawn = Result<(), DrawingErrorKind<fmt::Error>>;

/// Element of a chart: the class of the page's style sheet that colours it. Plotters knows a class as a shade of red,
/// by its place in this list.
static CLASSES: &[&str] = &[
    "grid",
    "axis",
    "label",
    "memcpy",
    "streaming-copy",
    "plain-v1",
    "plain-v3",
    "plain-v4",
    "plain-neon",
    "unvectorised",
    "scalar",
    "sse4-1",
    "avx2",
    "avx512",
    "neon",
    "front",
    "plain",
    "dictionary",
    "byte-stream-split",
    "delta-binary-packed",
    "delta-length-byte-array",
    "delta-byte-array",
    "rle",
    "alp",
];

/// The class of whatever has this name: a backend, a copy, an encoding.
pub fn class_of(name: &str) -> &'static str {
    let same = |class: &&&str| {
        let letters = name.chars().map(|letter| match letter {
            letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
            _ => '-',
        });
        class.chars().eq(letters)
    };
    CLASSES.iter().find(same).copied().unwrap_or("label")
}

/// The class as a colour of plotters.
pub fn color(class: &str) -> RGBColor {
    let place = CLASSES.iter().position(|known| *known == class);
    RGBColor(place.unwrap_or_default() as u8, 0, 0)
}

fn class(color: BackendColor) -> &'static str {
    CLASSES
        .get(usize::from(color.rgb.0))
        .copied()
        .unwrap_or("label")
}

/// Collects the elements of one drawing.
#[derive(Debug)]
pub struct Svg<'a> {
    size: (u32, u32),
    elements: &'a mut String,
    /// Where dots and their labels are.
    taken: Vec<Area>,
}

/// A part of the drawing, from the first place to the second.
#[derive(Clone, Copy, Debug)]
struct Area((i32, i32), (i32, i32));

impl Area {
    fn touches(self, other: Self) -> bool {
        let Self((left, top), (right, bottom)) = self;
        let Self((other_left, other_top), (other_right, other_bottom)) = other;
        left < other_right && other_left < right && top < other_bottom && other_top < bottom
    }
}

impl<'a> Svg<'a> {
    pub fn new(size: (u32, u32), elements: &'a mut String) -> Self {
        Self {
            size,
            elements,
            taken: Vec::new(),
        }
    }

    /// Text above a dot, below it or beside it, turned inwards near the edges; none where dots or other
    /// labels are in its way.
    fn label(&mut self, text: &str, x: i32, y: i32) -> Drawn {
        let width = (LETTER * f64::from(LETTERS) * text.chars().count() as f64) as i32;
        let (away, letters) = (2 * DOT as i32, LETTERS as i32);
        let inwards = match 3 * x / self.size.0 as i32 {
            0 => ("start", x),
            1 => ("middle", x - width / 2),
            _ => ("end", x - width),
        };
        let beside = [("start", x + away), ("end", x - away - width)];
        let (above, below, middle) = (y - away, y + away + letters * 3 / 4, y + letters / 3);
        let places = [(inwards, above), (inwards, below)]
            .into_iter()
            .chain(beside.map(|place| (place, middle)))
            .chain(
                beside
                    .into_iter()
                    .flat_map(|place| [(place, above), (place, below)]),
            );
        let areas = places.map(|((anchor, left), line)| {
            let area = Area((left, line - letters), (left + width, line));
            (anchor, line, area)
        });
        let free = areas.into_iter().find(|(_, _, area)| {
            let Area((left, top), (right, bottom)) = *area;
            let is_inside =
                left >= 0 && top >= 0 && right <= self.size.0 as i32 && bottom < self.size.1 as i32;
            is_inside && !self.taken.iter().any(|other| other.touches(*area))
        });
        let Some((anchor, y, area)) = free else {
            return Ok(());
        };
        self.taken.push(area);
        let Area((left, _), (right, _)) = area;
        let x = match anchor {
            "start" => left,
            "middle" => x,
            _ => right,
        };
        let text = HtmlEscape(text);
        self.push(format_args!(
            r#"<text class="label" x="{x}" y="{y}" text-anchor="{anchor}" font-size="{LETTERS}">{text}</text>"#
        ))
    }

    fn push(&mut self, element: fmt::Arguments<'_>) -> Drawn {
        writeln!(self.elements, "{element}").map_err(DrawingErrorKind::DrawingError)
    }
}

/// The drawing around its elements; `title` is for those who cannot see it.
pub fn document((width, height): (u32, u32), title: &str, elements: &str) -> String {
    let title = HtmlEscape(title);
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\n{elements}</svg>"
    )
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = fmt::Error;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let class = class(color);
        self.push(format_args!(
            r#"<rect class="area {class}" x="{x}" y="{y}" width="1" height="1"/>"#
        ))
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        let (class, points) = (class(style.color()), points(path));
        self.push(format_args!(
            r#"<polyline class="line {class}" points="{points}"/>"#
        ))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let (class, points) = (class(style.color()), points(corners));
        self.push(format_args!(
            r#"<polygon class="area {class}" points="{points}"/>"#
        ))
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Right => "end",
            HPos::Center => "middle",
        };
        let down = match style.anchor().v_pos {
            VPos::Top => "0.8em",
            VPos::Center => "0.35em",
            VPos::Bottom => "-0.2em",
        };
        let degrees = match style.transform() {
            FontTransform::None => 0,
            FontTransform::Rotate90 => 90,
            FontTransform::Rotate180 => 180,
            FontTransform::Rotate270 => 270,
        };
        let (class, size, text) = (class(style.color()), style.size(), HtmlEscape(text));
        self.push(format_args!(
            r#"<text class="{class}" transform="translate({x} {y}) rotate({degrees})" dy="{down}" text-anchor="{anchor}" font-size="{size}">{text}</text>"#
        ))
    }
}

/// Points as SVG lists them.
fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let points = path.into_iter().map(|(x, y)| format!("{x},{y}"));
    points.collect::<Vec<_>>().join(" ")
}

/// A mark that tells its title when it is hovered or touched.
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
    /// The label next to a dot.
    Label([(f64, f64); 1], String),
    /// Between two opposite corners.
    Bar([(f64, f64); 2]),
}

/// The radius of a dot.
const DOT: u32 = 3 * PIXEL;

impl Mark {
    pub fn dot(point: &Point, class: &'static str) -> Self {
        Self {
            shape: Shape::Dot([(point.x, point.y)]),
            class,
            title: point.title.clone(),
            is_ringed: point.is_ringed,
        }
    }

    /// The label of a point that has one. All dots come first: it must not hide any.
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
