//! Lines and dots over two axes.

use super::figure::{Drawn, Figure, WIDTH, letters};
use super::mark::{Mark, Point};
use super::scale::Scale;
use super::svg::{PIXEL, Svg, class_of, color};
use crate::commands::report::measurements::Figures;
use bytelane_measure::transform::PLAIN;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::drawing::DrawingArea;
use plotters::element::{PathElement, Text};
use plotters::style::{Color, ShapeStyle};
use plotters_backend::text_anchor::{HPos, Pos, VPos};

const HEIGHT: u32 = 250 * PIXEL;

/// Distance between the label of a tick and the axis.
const TICK: u32 = 4 * PIXEL;

/// Axis of a chart.
#[derive(Debug)]
pub struct Axis {
    /// Label of the axis, with its unit.
    pub label: &'static str,
    pub scale: Scale,
    /// Formats a value for a tick.
    pub tick: fn(f64) -> String,
}

/// Points that belong together.
#[derive(Debug)]
pub struct Series {
    pub class: &'static str,
    /// True if a line joins them in their order.
    pub joined: bool,
    pub points: Vec<Point>,
}

impl Series {
    /// Returns the joined points of each worker. The loop without options is drawn last, because others may be as
    /// fast.
    pub fn of_workers(figures: &Figures, points: impl Fn(&str) -> Vec<Point>) -> Vec<Self> {
        let workers = figures.workers();
        let (plain, others): (Vec<_>, Vec<_>) =
            workers.iter().partition(|worker| worker.starts_with(PLAIN));
        let ordered = others.into_iter().chain(plain.into_iter().rev());
        let series = ordered.map(|worker| Self {
            class: class_of(worker),
            joined: true,
            points: points(worker),
        });
        series.collect()
    }
}

/// Chart with two axes.
#[derive(Debug)]
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Named positions on the x axis, such as the size of a cache.
    pub places: Vec<(f64, String)>,
}

impl Chart {
    pub fn figure(&self) -> anyhow::Result<Figure> {
        Figure::drawn(&self.title, (WIDTH, HEIGHT), |area| self.draw(area))
    }

    fn draw(&self, area: DrawingArea<Svg<'_>, Shift>) -> Drawn {
        // The names of positions are above the lines and dots.
        let above = if self.places.is_empty() { 8 } else { 22 };
        let mut chart = ChartBuilder::on(&area)
            .margin(8 * PIXEL)
            .margin_top(above * PIXEL)
            .margin_right(24 * PIXEL)
            .x_label_area_size(38 * PIXEL)
            .y_label_area_size(58 * PIXEL)
            .build_cartesian_2d(self.x.scale.clone(), self.y.scale.clone())?;
        chart
            .configure_mesh()
            .bold_line_style(line("grid"))
            .light_line_style(color("grid").mix(0.0))
            .axis_style(line("axis"))
            .label_style(letters("label"))
            .axis_desc_style(letters("label"))
            .x_label_formatter(&|&value| (self.x.tick)(value))
            .y_label_formatter(&|&value| (self.y.tick)(value))
            .x_desc(self.x.label)
            .y_desc(self.y.label)
            .set_all_tick_mark_size(TICK)
            .draw()?;
        let (bottom, top) = ends(&self.y.scale);
        let (left, right) = ends(&self.x.scale);
        for (x, name) in &self.places {
            if (left..=right).contains(x) {
                chart.draw_series([PathElement::new([(*x, bottom), (*x, top)], line("axis"))])?;
                let above = letters("label").pos(Pos::new(HPos::Center, VPos::Bottom));
                chart.draw_series([Text::new(name.clone(), (*x, top), above)])?;
            }
        }
        for series in &self.series {
            if series.joined {
                let path = series.points.iter().map(|point| (point.x, point.y));
                let path: Vec<(f64, f64)> = path.collect();
                chart.draw_series([PathElement::new(path, line(series.class))])?;
            }
        }
        for series in &self.series {
            let dots = series.points.iter();
            chart.draw_series(dots.map(|point| Mark::dot(point, series.class)))?;
        }
        let points = self.series.iter().flat_map(|series| &series.points);
        chart.draw_series(points.filter_map(Mark::label))?;
        area.present()?;
        Ok(())
    }
}

fn ends(scale: &Scale) -> (f64, f64) {
    let range = scale.range();
    (range.start, range.end)
}

fn line(class: &'static str) -> ShapeStyle {
    color(class).stroke_width(PIXEL)
}
