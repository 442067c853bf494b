//! Backend of plotters whose colours are CSS classes, so that the page themes its charts.

use minijinja::HtmlEscape;
use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::fmt::{self, Write};

/// Units per pixel. Plotters uses whole units, which would distort lines if they were pixels.
pub const PIXEL: u32 = 10;

/// Font size.
pub const LETTERS: u32 = 13 * PIXEL;

/// Upper estimate of the width of a letter, as a share of the font size.
pub const LETTER: f64 = 0.62;

/// Radius of a dot.
pub const DOT: u32 = 3 * PIXEL;

pub type Drawn = Result<(), DrawingErrorKind<fmt::Error>>;

/// Classes of the page's style sheet that colour the elements of a chart. Plotters sees a class as a shade of red, by
/// its position in this list.
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

/// Returns the class for a name: a backend, a copy or an encoding.
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

/// Returns the class as a colour of plotters.
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
    /// Areas of dots and their labels.
    pub taken: Vec<Area>,
}

/// Rectangle between two opposite corners.
#[derive(Clone, Copy, Debug)]
pub struct Area(pub (i32, i32), pub (i32, i32));

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

    /// Draws text above a dot, below it or next to it, shifted inwards near the edges. Draws nothing if
    /// dots or other labels are in the way.
    pub fn label(&mut self, text: &str, x: i32, y: i32) -> Drawn {
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

    pub fn push(&mut self, element: fmt::Arguments<'_>) -> Drawn {
        writeln!(self.elements, "{element}").map_err(DrawingErrorKind::DrawingError)
    }
}

/// Wraps elements in an SVG document; `title` is for screen readers.
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

/// Formats points for SVG.
fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let points = path.into_iter().map(|(x, y)| format!("{x},{y}"));
    points.collect::<Vec<_>>().join(" ")
}
