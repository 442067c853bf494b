//! Charts: SVG by plotters, coloured by the style sheet of the page, readable on a phone.

mod bars;
mod chart;
mod scale;
mod svg;

pub use bars::{Bar, Bars, Group};
pub use chart::{Axis, Chart, Point, Series};
pub use scale::Scale;
pub use svg::class_of;

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::{Color, IntoFont, TextStyle};
use plotters_backend::text_anchor::Pos;
use serde::Serialize;
use svg::{PIXEL, Svg, document};

/// Width of every chart: that of a phone, where it fills the screen.
const WIDTH: u32 = 400 * PIXEL;

/// Font size.
const LETTERS: u32 = 13 * PIXEL;

/// Upper estimate of the width of a letter, as a share of the font size.
const LETTER: f64 = 0.62;

/// Returns the text style of a class. The page sets the font family.
fn letters(class: &'static str) -> TextStyle<'static> {
    TextStyle {
        font: ("sans-serif", LETTERS).into_font(),
        color: svg::color(class).to_backend_color(),
        pos: Pos::default(),
    }
}

/// Chart with its caption.
#[derive(Debug, Serialize)]
pub struct Figure {
    pub caption: String,
    pub svg: String,
}

/// Result of drawing.
type Drawn = Result<(), Box<dyn std::error::Error + Send + Sync>>;

impl Figure {
    /// Draws a figure.
    fn drawn(
        title: &str,
        size: (u32, u32),
        draw: impl Fn(DrawingArea<Svg<'_>, Shift>) -> Drawn,
    ) -> anyhow::Result<Self> {
        let mut elements = String::new();
        // The error of a drawing borrows from `elements`.
        draw(Svg::new(size, &mut elements).into_drawing_area())
            .map_err(|error| anyhow!("{title}: {error}"))?;
        Ok(Self {
            caption: title.to_owned(),
            svg: document(size, title, &elements),
        })
    }
}
