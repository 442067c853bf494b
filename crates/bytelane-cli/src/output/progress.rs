//! Progress of a command, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

/// Returns a progress bar on one line: `counted`, a template of indicatif, the remaining time, and a message, which is
/// truncated at the end of the line. A length of 0 is not known yet; the bar is empty until it is set.
pub fn bar(length: u64, counted: &str) -> anyhow::Result<ProgressBar> {
    let style =
        ProgressStyle::with_template(&format!("{{bar:20}} {counted}, {{eta}} left {{wide_msg}}"))?;
    let bar = match length {
        0 => ProgressBar::no_length(),
        length => ProgressBar::new(length),
    };
    Ok(bar.with_style(style).with_finish(ProgressFinish::AndClear))
}

/// Returns a spinner for work of unknown length, with `counted`, a template of indicatif.
pub fn spinner(counted: &str) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!("{{spinner}} {counted}"))?;
    Ok(ProgressBar::no_length()
        .with_style(style)
        .with_finish(ProgressFinish::AndClear))
}
