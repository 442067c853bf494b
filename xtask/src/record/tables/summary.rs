//! Summary of all codecs on all CPUs.

use std::fmt::Write;

use super::record::Verdict;
use super::{CODECS, Record, Records, counts, geometric_mean, ratio};

impl Records {
    /// Returns one sentence about all cells of the newest CPU.
    pub(super) fn headline(&self) -> Option<String> {
        let cpu = self.cpus().into_iter().next()?;
        let gains = self.gains(&cpu, |_| true);
        let [_, _, lost] = counts(&gains);
        Some(format!(
            "**{} times as fast as the fastest other library**: the geometric mean of {} measured cases on {cpu}, of which\n\
             {lost} are lost ([all results](docs/performance.md)).\n",
            ratio(geometric_mean(&gains)),
            gains.len(),
        ))
    }

    /// Returns the CPUs, first the one with the newest record of most codecs.
    pub(super) fn cpus(&self) -> Vec<String> {
        let mut cpus: Vec<String> = Vec::new();
        for record in &self.0 {
            let cpu = record.cpu();
            if !cpus.contains(&cpu) {
                cpus.push(cpu);
            }
        }
        let codecs = |cpu: &String| {
            CODECS
                .into_iter()
                .filter(|codec| self.newest(cpu, codec).is_some())
                .count()
        };
        cpus.sort_by_key(|cpu| std::cmp::Reverse(codecs(cpu)));
        cpus
    }

    /// Returns the newest record of a CPU that contains a codec.
    pub(super) fn newest(&self, cpu: &str, codec: &str) -> Option<&Record> {
        let mut records = self.0.iter().filter(|record| record.cpu() == cpu);
        records.find(|record| record.contains(codec))
    }

    /// Returns the speedups over the fastest other library on a CPU, in cells for which they are
    /// known.
    fn gains(&self, cpu: &str, wanted: impl Fn(&str) -> bool) -> Vec<f64> {
        let codecs = CODECS.into_iter().filter(|codec| wanted(codec));
        let gains = codecs.filter_map(|codec| Some(self.newest(cpu, codec)?.gains(codec)));
        gains.flatten().collect()
    }

    /// Returns the table of speedups and lost cells, with a row for each codec and a column for
    /// each CPU.
    pub(super) fn summary(&self) -> String {
        let cpus = self.cpus();
        let mut text = format!(
            "Each cell is one codec, operation, size and data set, against the fastest of the other libraries in the\n\
             same run. The figures are the geometric mean of the speedups, and the cells in which another library is\n\
             faster by more than 5%. Records: `{}`.\n\n| codec |",
            super::DIRECTORY,
        );
        for cpu in &cpus {
            write!(text, " {cpu} | lost |").expect("to memory");
        }
        text += "\n|---|";
        text += &"--:|---|".repeat(cpus.len());
        text.push('\n');
        let mut row = |name: &str, wanted: &dyn Fn(&str) -> bool| {
            let gains: Vec<_> = cpus.iter().map(|cpu| self.gains(cpu, wanted)).collect();
            if gains.iter().all(Vec::is_empty) {
                return;
            }
            write!(text, "| {name} |").expect("to memory");
            for gains in gains {
                if gains.is_empty() {
                    text += " | |";
                    continue;
                }
                let [mean, cells] = [ratio(geometric_mean(&gains)), gains.len().to_string()];
                let lost = gains
                    .iter()
                    .filter(|&&gain| Verdict::of(gain) == Verdict::Lost);
                write!(text, " {mean} | {} of {cells} |", lost.count()).expect("to memory");
            }
            text.push('\n');
        };
        for codec in CODECS {
            row(&format!("`{codec}`"), &|other| other == codec);
        }
        row("all", &|_| true);
        text
    }
}
