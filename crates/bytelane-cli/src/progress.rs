//! How far a command is, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// A bar on one line: what is `counted`, as a template of indicatif, the remaining time, and a message, which is cut off where
/// the line ends.
pub fn bar(length: u64, counted: &str) -> anyhow::Result<ProgressBar> {
    let style =
        ProgressStyle::with_template(&format!("{{bar:20}} {counted}, {{eta}} left {{wide_msg}}"))?;
    Ok(ProgressBar::new(length)
        .with_style(style)
        .with_finish(ProgressFinish::AndClear))
}

/// A line for work whose amount is not known: what is `counted`, as a template of indicatif.
pub fn spinner(counted: &str) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!("{{spinner}} {counted}"))?;
    Ok(ProgressBar::no_length()
        .with_style(style)
        .with_finish(ProgressFinish::AndClear))
}
