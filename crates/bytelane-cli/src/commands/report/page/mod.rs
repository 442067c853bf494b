//! The page: one HTML file that opens without a network. What it says is in `page.html`.

use super::experiments::{EXPERIMENTS, Shown};
use super::figures;
use super::model::Report;
use super::plot::class_of;
use super::verdict::{Source, Verdict};
use bytelane_parquet::advise::Advice;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole page.
pub fn page(report: &Report) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).build()?);
    environment.add_filter("figure", figures::figure);
    environment.add_filter("ratio", figures::ratio);
    environment.add_filter("times", figures::times);
    environment.add_filter("bytes", figures::bytes);
    environment.add_filter("grouped", figures::grouped);
    environment.add_filter("duration", figures::duration);
    environment.add_filter("percent", figures::percent);
    environment.add_filter("class", |name: String| class_of(&name));
    let view = View {
        report,
        style: include_str!("style.css"),
        summary: Summary::of(&report.verdict),
        saved: Saved::of(&report.figures.files),
        bandwidth: report.figures.memory_bandwidth(),
        ran: ran(report),
        sources: Sources::of(report),
        sections: sections(report)?,
    };
    environment.add_template("parts.html", include_str!("parts.html"))?;
    environment.add_template("files.html", include_str!("files.html"))?;
    let template = environment.template_from_str(include_str!("page.html"))?;
    Ok(template.render(Serde(view))?)
}

/// What the template knows.
#[derive(Serialize)]
struct View<'a> {
    report: &'a Report,
    style: &'static str,
    summary: Option<Summary<'a>>,
    saved: Option<Saved>,
    bandwidth: Option<(f64, Option<f64>)>,
    ran: Vec<&'static str>,
    sources: Sources,
    sections: Vec<Section>,
}

/// A part of the page.
#[derive(Serialize)]
struct Section {
    name: &'static str,
    title: &'static str,
    shown: Shown,
}

fn sections(report: &Report) -> anyhow::Result<Vec<Section>> {
    let mut sections = Vec::new();
    for experiment in EXPERIMENTS {
        if !report.has_left_out(experiment.name) {
            sections.push(Section {
                name: experiment.name,
                title: experiment.title,
                shown: (experiment.show)(report)?,
            });
        }
    }
    Ok(sections)
}

/// The verdict in three numbers.
#[derive(Serialize)]
struct Summary<'a> {
    median_gain: f64,
    median_share: f64,
    best: &'a Verdict,
}

impl<'a> Summary<'a> {
    fn of(verdict: &'a [Verdict]) -> Option<Self> {
        let best = verdict
            .iter()
            .max_by(|one, other| one.gain.total_cmp(&other.gain))?;
        Some(Self {
            median_gain: figures::median(verdict.iter().map(|line| line.gain))?,
            median_share: figures::median(verdict.iter().map(|line| line.of_memcpy))?,
            best,
        })
    }
}

/// What could be saved of all the user's files.
#[derive(Serialize)]
struct Saved {
    now: u64,
    then: u64,
    share: f64,
}

impl Saved {
    fn of(files: &[Advice]) -> Option<Self> {
        let now = files.iter().map(Advice::bytes_now).sum();
        let then = files.iter().map(Advice::bytes_then).sum::<u64>().min(now);
        (now > 0).then(|| Self {
            now,
            then,
            share: 1.0 - then as f64 / now as f64,
        })
    }
}

/// The backends that have a column in the verdict.
fn ran(report: &Report) -> Vec<&'static str> {
    let first = report.verdict.first();
    first.map_or(Vec::new(), |line| {
        line.backends.iter().map(|speed| speed.backend).collect()
    })
}

/// Where the published figures of the verdict are from, and the number of each.
#[derive(Default, Serialize)]
struct Sources {
    list: Vec<Source>,
    index: BTreeMap<&'static str, usize>,
}

impl Sources {
    fn of(report: &Report) -> Self {
        let mut sources = Self::default();
        for published in report.verdict.iter().flat_map(|line| line.published) {
            let next = sources.list.len() + 1;
            sources
                .index
                .entry(published.source.name)
                .or_insert_with(|| {
                    sources.list.push(published.source);
                    next
                });
        }
        sources
    }
}

#[cfg(test)]
mod tests;
