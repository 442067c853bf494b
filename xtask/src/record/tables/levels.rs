//! Medians of each instruction set.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{CODECS, Cell, Ours, Records, counts, geometric_mean, median, ratio};

impl Records {
    /// Returns the speedups and lost cells of each CPU with records at several levels: a table with a column
    /// for each instruction set to which all libraries were limited.
    pub(super) fn levels(&self) -> String {
        let mut text = "Geometric mean of the speedups over the fastest other library, number of lost cells, and the\n\
                        lowest speedup. A column that names an instruction set is from a record in which every library\n\
                        was limited to it.\n"
            .to_owned();
        let all = self.cpus();
        for cpu in &all {
            let limited = format!("{cpu}, ");
            let levels: Vec<_> = all
                .iter()
                .filter(|it| *it == cpu || it.starts_with(&limited))
                .collect();
            if levels.len() > 1 {
                text += &self.levels_of(&levels);
            }
        }
        text
    }

    /// Returns the table of one CPU.
    fn levels_of(&self, levels: &[&String]) -> String {
        let records = |codec| {
            let newest = levels.iter().filter_map(move |cpu| self.newest(cpu, codec));
            newest.map(|record| format!("`{}`", record.name))
        };
        let names: BTreeSet<_> = CODECS.into_iter().flat_map(records).collect();
        let names: Vec<_> = names.into_iter().collect();
        let mut text = format!("\n{}:\n\n| codec | operation |", names.join(", "));
        for cpu in levels {
            write!(text, " {cpu} | lost | lowest |").expect("to memory");
        }
        writeln!(text, "\n|---|---|{}", "--:|---|--:|".repeat(levels.len())).expect("to memory");
        for (codec, record) in self.codecs() {
            for operation in record.operations(codec) {
                let gains = |cpu: &&String| self.gains_of_operation(cpu, codec, operation);
                let gains: Vec<_> = levels.iter().map(gains).collect();
                if gains.iter().all(Vec::is_empty) {
                    continue;
                }
                let columns: String = gains.iter().map(|gains| compared(gains)).collect();
                writeln!(text, "| `{codec}` | {operation} |{columns}").expect("to memory");
            }
        }
        text
    }

    fn gains_of_operation(&self, cpu: &str, codec: &str, operation: &str) -> Vec<f64> {
        let cells = self
            .newest(cpu, codec)
            .map_or(&[][..], |record| &record.cells);
        let wanted = |cell: &&Cell| cell.codec == codec && cell.operation == operation;
        let cells = cells.iter().filter(wanted);
        cells.filter_map(|cell| cell.gain(cell.active()?)).collect()
    }

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

/// Returns the columns of one instruction set in the table of levels.
fn compared(gains: &[f64]) -> String {
    let Some(lowest) = gains.iter().copied().reduce(f64::min) else {
        return " | | |".to_owned();
    };
    let [_, _, lost] = counts(gains);
    let [mean, lowest] = [geometric_mean(gains), lowest].map(ratio);
    format!(" {mean} | {lost} of {} | {lowest} |", gains.len())
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
