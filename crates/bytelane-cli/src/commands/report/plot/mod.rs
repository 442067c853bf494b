//! Charts: SVG by plotters, coloured by the style sheet of the page, readable on a phone.

mod bars;
mod chart;
mod figure;
mod mark;
mod scale;
mod svg;

pub use bars::{Bar, Bars, Group};
pub use chart::{Axis, Chart, Series};
pub use figure::Figure;
pub use mark::Point;
pub use scale::Scale;
pub use svg::class_of;
