//! SVG elements whose colours are classes of the page's style sheet, so that the page themes its charts.

use minijinja::HtmlEscape;
use serde::Serialize;
use std::fmt::Display;

/// Units per pixel: positions are whole units.
pub const PIXEL: i32 = 10;

/// Width of every chart: that of a phone, where it fills the screen.
pub const WIDTH: i32 = 400 * PIXEL;

/// Font size.
const LETTERS: i32 = 13 * PIXEL;

/// Upper estimate of the width of a letter, as a share of the font size.
const LETTER: f64 = 0.62;

/// Radius of a dot.
const DOT: i32 = 3 * PIXEL;

/// Chart with its caption.
#[derive(Debug, Serialize)]
pub struct Figure {
    pub caption: String,
    pub svg: String,
}

/// Returns the class for a name: a backend, a copy or an encoding.
pub fn class_of(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    letters.collect()
}

/// Returns an upper estimate of the width of a text.
pub fn width_of(text: &str) -> i32 {
    (LETTER * f64::from(LETTERS) * text.chars().count() as f64) as i32
}

/// Position from the left and from the top.
pub type Place = (i32, i32);

/// Place of a text relative to its position: the text anchor, and the shift downwards.
pub type Alignment = (&'static str, &'static str);

/// Alignment of a text whose position is the middle of its upper edge.
pub const BELOW: Alignment = ("middle", "0.8em");

/// Alignment of a text whose position is the middle of its lower edge.
pub const ABOVE: Alignment = ("middle", "-0.2em");

/// Collects the elements of one drawing.
#[derive(Debug)]
pub struct Svg {
    height: i32,
    elements: String,
    /// Areas of dots and their labels.
    taken: Vec<Area>,
}

/// Rectangle between two opposite corners.
#[derive(Clone, Copy, Debug)]
struct Area(Place, Place);

impl Area {
    fn touches(self, other: Self) -> bool {
        let Self((left, top), (right, bottom)) = self;
        let Self((other_left, other_top), (other_right, other_bottom)) = other;
        left < other_right && other_left < right && top < other_bottom && other_top < bottom
    }
}

impl Svg {
    pub fn new(height: i32) -> Self {
        Self {
            height,
            elements: String::new(),
            taken: Vec::new(),
        }
    }

    /// Completes the document; the title is also for screen readers.
    pub fn figure(self, title: &str) -> Figure {
        let (height, elements, label) = (self.height, self.elements, HtmlEscape(title));
        Figure {
            caption: title.to_owned(),
            svg: format!(
                "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n{elements}</svg>"
            ),
        }
    }

    fn push(&mut self, element: impl Display) {
        self.elements += &format!("{element}\n");
    }

    pub fn line(&mut self, class: &str, points: impl IntoIterator<Item = Place>) {
        let points = points.into_iter().map(|(x, y)| format!("{x},{y}"));
        let points = points.collect::<Vec<_>>().join(" ");
        self.push(format_args!(
            r#"<polyline class="line {class}" points="{points}"/>"#
        ));
    }

    /// Draws text, turned by some degrees around its position.
    pub fn text(
        &mut self,
        class: &str,
        text: &str,
        (x, y): Place,
        (anchor, down): Alignment,
        degrees: u32,
    ) {
        let text = HtmlEscape(text);
        self.push(format_args!(
            r#"<text class="{class}" transform="translate({x} {y}) rotate({degrees})" dy="{down}" text-anchor="{anchor}" font-size="{LETTERS}">{text}</text>"#
        ));
    }

    /// Draws a bar that shows its title when hovered or touched.
    pub fn bar(&mut self, class: &str, title: &str, y: i32, (width, height): (i32, i32)) {
        let (width, title) = (width.max(PIXEL), HtmlEscape(title));
        self.push(format_args!(
            r#"<rect class="area {class}" x="0" y="{y}" width="{width}" height="{height}"><title>{title}</title></rect>"#
        ));
    }

    /// Draws a dot that shows its title when hovered or touched.
    pub fn dot(&mut self, class: &str, title: &str, (x, y): Place) {
        self.taken
            .push(Area((x - DOT, y - DOT), (x + DOT, y + DOT)));
        let title = HtmlEscape(title);
        self.push(format_args!(
            r#"<circle class="area {class}" cx="{x}" cy="{y}" r="{DOT}"><title>{title}</title></circle>"#
        ));
    }

    /// Draws text above a dot, below it or next to it, shifted inwards near the edges. Draws nothing if
    /// dots or other labels are in the way.
    pub fn label(&mut self, text: &str, (x, y): Place) {
        let (width, away) = (width_of(text), 2 * DOT);
        let inwards = match 3 * x / WIDTH {
            0 => ("start", x),
            1 => ("middle", x - width / 2),
            _ => ("end", x - width),
        };
        let beside = [("start", x + away), ("end", x - away - width)];
        let (above, below, middle) = (y - away, y + away + LETTERS * 3 / 4, y + LETTERS / 3);
        let corners = beside.map(|place| [(place, above), (place, below)]);
        let places = [(inwards, above), (inwards, below)]
            .into_iter()
            .chain(beside.map(|place| (place, middle)))
            .chain(corners.into_iter().flatten());
        let areas = places.map(|((anchor, left), line)| {
            let area = Area((left, line - LETTERS), (left + width, line));
            (anchor, line, area)
        });
        let free = areas.into_iter().find(|(_, _, area)| {
            let Area((left, top), (right, bottom)) = *area;
            let is_inside = left >= 0 && top >= 0 && right <= WIDTH && bottom < self.height;
            is_inside && !self.taken.iter().any(|other| other.touches(*area))
        });
        let Some((anchor, y, area)) = free else {
            return;
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
        ));
    }
}
