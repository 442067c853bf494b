//! Drawing of a chart with its caption.

use super::svg::{LETTERS, PIXEL, Svg, color, document};
use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::{Color, IntoFont, TextStyle};
use plotters_backend::text_anchor::Pos;
use serde::Serialize;

/// Width of every chart: that of a phone, where it fills the screen.
pub const WIDTH: u32 = 400 * PIXEL;

/// Returns the text style of a class. The page sets the font family.
pub fn letters(class: &'static str) -> TextStyle<'static> {
    TextStyle {
        font: ("sans-serif", LETTERS).into_font(),
        color: color(class).to_backend_color(),
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
pub type Drawn = Result<(), Box<dyn std::error::Error + Send + Sync>>;

impl Figure {
    /// Draws a figure.
    pub fn drawn(
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
