//! Progress of a command, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// Returns a progress bar on one line: `counted`, a template of indicatif, the remaining time, and a message, which is
/// truncated at the end of the line.
pub fn bar(length: u64, counted: &str) -> anyhow::Result<ProgressBar> {
    let style =
        ProgressStyle::with_template(&format!("{{bar:20}} {counted}, {{eta}} left {{wide_msg}}"))?;
    Ok(ProgressBar::new(length)
        .with_style(style)
        .with_finish(ProgressFinish::AndClear))
}

/// Returns a spinner for work of unknown length, with `counted`, a template of indicatif.
pub fn spinner(counted: &str) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!("{{spinner}} {counted}"))?;
    Ok(ProgressBar::no_length()
        .with_style(style)
        .with_finish(ProgressFinish::AndClear))
}
