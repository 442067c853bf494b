//! Charts: SVG, coloured by the style sheet of the page, readable on a phone.

mod bars;
mod chart;
mod scale;
mod svg;

pub use bars::{Bar, Bars, Group};
pub use chart::{Axis, Chart, Point, Series};
pub use scale::Scale;
pub use svg::{Figure, class_of};
