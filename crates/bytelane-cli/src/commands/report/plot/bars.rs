//! Horizontal bars in groups. Each group has its name on a line above, so that names may be long.

use super::figure::{Drawn, Figure, WIDTH, letters};
use super::mark::Mark;
use super::scale::Scale;
use super::svg::{LETTER, LETTERS, PIXEL, Svg, class_of};
use bytelane_measure::row::Row;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::Text;

/// Height of a bar with the space below it, and of the text above a group.
const BAR: u32 = 16 * PIXEL;
const HEADING: u32 = 24 * PIXEL;

/// Bar with its value.
#[derive(Debug)]
pub struct Bar {
    pub class: &'static str,
    pub name: String,
    pub value: f64,
    /// Formatted value, with its unit.
    pub text: String,
}

/// Values to compare.
#[derive(Debug)]
pub struct Group {
    /// Title above the bars; not drawn if empty.
    pub name: String,
    pub bars: Vec<Bar>,
}

/// Chart of groups, all on one scale.
#[derive(Debug)]
pub struct Bars {
    pub title: String,
    pub groups: Vec<Group>,
}

impl Bar {
    /// Creates the bar of a row's backend.
    pub fn of(row: &Row, value: f64, text: String) -> Self {
        Self {
            class: class_of(&row.backend),
            name: row.backend.clone(),
            value,
            text,
        }
    }

    fn label(&self) -> String {
        format!("{} {}", self.text, self.name)
    }
}

impl Group {
    fn height(&self) -> u32 {
        let heading = if self.name.is_empty() { 0 } else { HEADING };
        heading + BAR * self.bars.len() as u32
    }
}

impl Bars {
    pub fn figure(&self) -> anyhow::Result<Figure> {
        let heights = self.groups.iter().map(Group::height);
        Figure::drawn(&self.title, (WIDTH, heights.sum()), |area| self.draw(area))
    }

    /// Returns the share of the width for the longest bar; the rest is for labels.
    fn longest(&self, width: u32) -> f64 {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        let letters = bars.map(|bar| bar.label().chars().count()).max();
        let text = LETTER * f64::from(LETTERS) * letters.unwrap_or(0) as f64;
        (0.95 - text / f64::from(width)).max(0.2)
    }

    fn draw(&self, area: DrawingArea<Svg<'_>, Shift>) -> Drawn {
        let values = self
            .groups
            .iter()
            .flat_map(|group| &group.bars)
            .map(|bar| bar.value);
        let longest = values.fold(f64::MIN_POSITIVE, f64::max);
        let (width, height) = area.dim_in_pixel();
        let downwards = Scale::Linear(f64::from(height)..0.0);
        let mut chart = ChartBuilder::on(&area)
            .build_cartesian_2d(Scale::from_zero([longest / self.longest(width)]), downwards)?;
        let space = longest / 100.0;
        let mut y = 0.0;
        for group in &self.groups {
            if !group.name.is_empty() {
                let place = (0.0, y + f64::from(HEADING - BAR) / 2.0);
                chart.draw_series([Text::new(group.name.clone(), place, letters("axis"))])?;
                y += f64::from(HEADING);
            }
            for bar in &group.bars {
                let bottom = y + f64::from(BAR - 3 * PIXEL);
                let title = format!("{} {}", group.name, bar.label());
                let corner = (bar.value.max(0.0), bottom);
                chart.draw_series([Mark::bar((0.0, y), corner, bar.class, title)])?;
                let place = (corner.0 + space, y + f64::from(PIXEL) / 2.0);
                chart.draw_series([Text::new(bar.label(), place, letters("label"))])?;
                y += f64::from(BAR);
            }
        }
        area.present()?;
        Ok(())
    }
}
