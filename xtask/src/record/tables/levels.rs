//! Medians of each instruction set.

use std::fmt::Write;

use super::{Cell, Ours, Records, counts, median, ratio};

impl Records {
    /// Returns the medians by codec, operation and instruction set.
    pub(super) fn backends(&self) -> String {
        let mut text = format!(
            "Medians over sizes and data ({}). The first two figures are multiples of the speed of `memcpy` and of\n\
             the scalar backend; the last three columns count cells against the fastest peer,\n\
             which is limited to the same instruction set if it can be.\n\n\
             | codec | operation | backend | x memcpy | x scalar | won | tied | lost |\n\
             |---|---|---|---|---|---|---|---|\n",
            self.names()
        );
        for (codec, record) in self.codecs() {
            let backends = record.backends();
            for operation in record.operations(codec) {
                for &backend in &backends {
                    let on_backend: Vec<_> = record
                        .cells
                        .iter()
                        .filter(|cell| cell.codec == codec && cell.operation == operation)
                        .filter_map(|cell| {
                            let ours = cell.ours.iter().find(|ours| ours.backend == backend)?;
                            Some((cell, ours))
                        })
                        .collect();
                    let figures = figures(&on_backend);
                    writeln!(text, "| `{codec}` | {operation} | {backend} | {figures} |")
                        .expect("to memory");
                }
            }
        }
        text
    }
}

/// Returns the last columns of a row of the table of instruction sets.
fn figures(cells: &[(&Cell, &Ours)]) -> String {
    if cells.is_empty() {
        return "missing | | | |".to_owned();
    }
    let of_memcpy = cells.iter().map(|(_, ours)| ours.of_memcpy);
    let of_scalar = cells
        .iter()
        .filter_map(|(cell, ours)| Some(cell.scalar.as_ref()?.ns / ours.ns));
    let gains: Vec<_> = cells
        .iter()
        .filter_map(|(cell, ours)| cell.gain(ours))
        .collect();
    let [won, tied, lost] = counts(&gains);
    let [of_memcpy, of_scalar] = [median(of_memcpy.collect()), median(of_scalar.collect())]
        .map(|median| median.map_or("-".to_owned(), ratio));
    format!("{of_memcpy} | {of_scalar} | {won} | {tied} | {lost}")
}
