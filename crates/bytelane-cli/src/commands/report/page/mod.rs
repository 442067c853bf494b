//! Page: one HTML file that opens without a network. Its text is in `page.html`.

mod summary;

use super::experiments::{EXPERIMENTS, Shown};
use super::figures;
use super::model::Report;
use super::plot::{Figure, class_of};
use super::verdict::Verdict;
use super::workloads::Source;
use bytelane::Backend;
use bytelane_parquet_files::advise::Advice;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, HtmlEscape};
use serde::Serialize;
use std::collections::BTreeMap;
use summary::Summary;

/// Renders the whole page.
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
    environment.add_filter("breakable", breakable);
    environment.add_filter("class", class_of);
    let is_about_files = report.figures.rows.is_empty() && !report.figures.files.is_empty();
    let view = View {
        report,
        style: include_str!("style.css"),
        title: if is_about_files {
            "bytelane: the best encodings for your files".to_owned()
        } else {
            format!("bytelane on {}", report.machine.cpu)
        },
        heading: if is_about_files {
            "The best encodings for your files"
        } else {
            "How fast bytelane is on this machine"
        },
        summary: Summary::of(&report.verdict),
        gains: summary::gains(&report.verdict),
        saved: Saved::of(&report.figures.files),
        is_about_files,
        bandwidth: report.figures.memory_bandwidth(),
        columns: columns(&report.verdict),
        active: report.machine.active(),
        sources: Sources::of(report),
        sections: sections(report)?,
    };
    environment.add_template("parts.html", include_str!("parts.html"))?;
    environment.add_template("files.html", include_str!("files.html"))?;
    let template = environment.template_from_str(include_str!("page.html"))?;
    Ok(template.render(Serde(view))?)
}

/// Returns a name that may break after `.`, `_`, `/` and `-`.
fn breakable(name: &str) -> Value {
    let parts = name.split_inclusive(['.', '_', '/', '-']);
    let parts = parts.map(|part| HtmlEscape(part).to_string());
    Value::from_safe_string(parts.collect::<Vec<_>>().join("<wbr>"))
}

/// Variables of the template.
#[derive(Serialize)]
struct View<'a> {
    report: &'a Report,
    style: &'static str,
    title: String,
    heading: &'static str,
    /// True if the page only has advice for the user's files.
    is_about_files: bool,
    summary: Option<Summary>,
    gains: Vec<Figure>,
    saved: Option<Saved>,
    bandwidth: Option<(f64, Option<f64>)>,
    columns: Vec<&'static str>,
    /// Backend that programs use.
    active: &'static str,
    sources: Sources,
    sections: Vec<Section>,
}

/// Section of the page.
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

/// Possible savings in all the user's files.
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

/// Returns the workers with a column in the results: plain loops and backends. The scalar code has a column only if
/// no other backend ran.
fn columns(verdict: &[Verdict]) -> Vec<&'static str> {
    let Some(line) = verdict.first() else {
        return Vec::new();
    };
    let is_shown = |name: &&str| *name != Backend::Scalar.name() || line.backends.len() == 1;
    let speeds = line.plain.iter().chain(&line.backends);
    let names = speeds.map(|speed| speed.backend);
    names.filter(is_shown).collect()
}

/// Sources of the published figures of the verdict, with their numbers.
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
