//! Horizontal bars in groups. Each group has its name on a line above, so that names may be long.

use super::scale::Scale;
use super::svg::{Alignment, Figure, PIXEL, Svg, WIDTH, class_of, width_of};
use bytelane_measure::row::Row;

/// Height of a bar with the space below it, and of the text above a group.
const BAR: i32 = 16 * PIXEL;
const HEADING: i32 = 24 * PIXEL;

/// Distance between a bar and its label.
const SPACE: i32 = 3 * PIXEL;

/// Alignment of a text whose position is its upper left corner.
const CORNER: Alignment = ("start", "0.8em");

/// Bar with its value.
#[derive(Debug)]
pub struct Bar {
    pub class: String,
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
    fn heading(&self) -> i32 {
        if self.name.is_empty() { 0 } else { HEADING }
    }

    fn height(&self) -> i32 {
        self.heading() + BAR * self.bars.len() as i32
    }
}

impl Bars {
    pub fn figure(&self) -> Figure {
        let mut svg = Svg::new(self.groups.iter().map(Group::height).sum());
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        let scale = Scale::from_zero(bars.map(|bar| bar.value));
        let longest = self.longest();
        let mut y = 0;
        for group in &self.groups {
            if !group.name.is_empty() {
                let place = (0, y + (HEADING - BAR) / 2);
                svg.text("axis", &group.name, place, CORNER, 0);
            }
            y += group.heading();
            for bar in &group.bars {
                let title = format!("{} {}", group.name, bar.label());
                let width = scale.place(bar.value.max(0.0), (0, longest));
                svg.bar(&bar.class, &title, y, (width, BAR - 3 * PIXEL));
                let place = (width + SPACE, y + PIXEL / 2);
                svg.text("label", &bar.label(), place, CORNER, 0);
                y += BAR;
            }
        }
        svg.figure(&self.title)
    }

    /// Returns the width of the scale; the rest of the chart is for labels.
    fn longest(&self) -> i32 {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        let label = bars.map(|bar| width_of(&bar.label())).max();
        (WIDTH * 19 / 20 - label.unwrap_or(0)).max(WIDTH / 5)
    }
}
