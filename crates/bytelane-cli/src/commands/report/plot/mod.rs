//! Charts: SVG by plotters, coloured by the style sheet of the page, readable on a phone.

mod bars;
mod chart;
mod scale;
mod svg;

pub use bars::{Bar, Bars, Group};
pub use chart::{Axis, Chart, Point, Series};
pub use scale::Scale;
pub use svg::class_of;

use plotters::style::{Color, IntoFont, TextStyle};
use plotters_backend::text_anchor::Pos;
use serde::Serialize;
use svg::PIXEL;

/// The width of every drawing: that of a phone, where it fills the screen.
const WIDTH: u32 = 400 * PIXEL;

/// The size of letters.
const LETTERS: u32 = 13 * PIXEL;

/// The width of a letter, as a share of the size of letters: more than most take.
const LETTER: f64 = 0.62;

/// Text of a class. The family is the page's own.
fn letters(class: &'static str) -> TextStyle<'static> {
    TextStyle {
        font: ("sans-serif", LETTERS).into_font(),
        color: svg::color(class).to_backend_color(),
        pos: Pos::default(),
    }
}

/// A drawing with its caption.
#[derive(Debug, Serialize)]
pub struct Figure {
    pub caption: String,
    pub svg: String,
}
