//! Horizontal bars in groups: each group under its own line of text, so that names may be long.

use super::svg::{Mark, PIXEL, Svg, document};
use super::{Figure, Scale, WIDTH, letters};
use anyhow::anyhow;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::Text;

/// The height of a bar with the space below it, and of the text over a group.
const BAR: u32 = 16 * PIXEL;
const HEADING: u32 = 24 * PIXEL;

/// The share of the width that the longest bar takes; the rest is for what it says.
const LONGEST: f64 = 0.58;

/// A value.
#[derive(Debug)]
pub struct Bar {
    pub class: &'static str,
    pub name: String,
    pub value: f64,
    /// How the value is written, with its unit.
    pub text: String,
}

/// Values that are compared.
#[derive(Debug)]
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

/// A drawing of such groups, all on one scale.
#[derive(Debug)]
pub struct Bars {
    pub title: String,
    pub groups: Vec<Group>,
}

impl Bars {
    pub fn figure(&self) -> anyhow::Result<Figure> {
        let heights = self
            .groups
            .iter()
            .map(|group| HEADING + BAR * group.bars.len() as u32);
        let size = (WIDTH, heights.sum());
        let mut elements = String::new();
        self.draw(Svg::new(size, &mut elements).into_drawing_area())
            .map_err(|error| anyhow!("{}: {error}", self.title))?;
        Ok(Figure {
            caption: self.title.clone(),
            svg: document(size, &self.title, &elements),
        })
    }

    fn draw(
        &self,
        area: DrawingArea<Svg<'_>, Shift>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let values = self
            .groups
            .iter()
            .flat_map(|group| &group.bars)
            .map(|bar| bar.value);
        let longest = values.fold(f64::MIN_POSITIVE, f64::max);
        let height = area.dim_in_pixel().1;
        let downwards = Scale::Linear(f64::from(height)..0.0);
        let mut chart = ChartBuilder::on(&area)
            .build_cartesian_2d(Scale::from_zero([longest / LONGEST]), downwards)?;
        let space = longest / 100.0;
        let mut y = 0.0;
        for group in &self.groups {
            let place = (0.0, y + f64::from(HEADING - BAR) / 2.0);
            chart.draw_series([Text::new(group.name.clone(), place, letters("axis"))])?;
            y += f64::from(HEADING);
            for bar in &group.bars {
                let bottom = y + f64::from(BAR - 3 * PIXEL);
                let title = format!("{}, {}: {}", group.name, bar.name, bar.text);
                let corner = (bar.value.max(0.0), bottom);
                chart.draw_series([Mark::bar((0.0, y), corner, bar.class, title)])?;
                let text = format!("{} {}", bar.text, bar.name);
                let place = (corner.0 + space, y + f64::from(PIXEL) / 2.0);
                chart.draw_series([Text::new(text, place, letters("label"))])?;
                y += f64::from(BAR);
            }
        }
        area.present()?;
        Ok(())
    }
}
