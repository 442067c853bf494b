//! Cells in which another library is faster.

use std::fmt::Write;

use super::record::{Cell, Ours, Peer, UNCOUNTED, Uncounted};
use super::{CODECS, Record, Records, Verdict, cells, names, ratio};

impl Records {
    /// Returns every cell in which a peer is faster than our default instruction set, with a table for each CPU and
    /// each instruction set to which libraries were limited.
    pub(super) fn lost(&self) -> String {
        let mut text =
            "Every lost cell. The last figure is our speed as a multiple of the peer's.\n"
                .to_owned();
        for cpu in self.cpus() {
            let newest = |codec| self.newest(&cpu, codec).map(|record| (codec, record));
            let records: Vec<_> = CODECS.into_iter().filter_map(newest).collect();
            let rows = rows(cells(records.iter().copied()), &|cell, ours| {
                cell.peer(ours)
            });
            if !rows.is_empty() {
                let names = names(&records);
                write!(text, "\n**{cpu}**: {names}.\n\n{HEADER}{rows}").expect("to memory");
            }
        }
        text
    }

    /// Returns every cell in which a peer that does not count is faster.
    pub(super) fn uncounted(&self) -> String {
        let reasons = UNCOUNTED.map(|peer| {
            let Uncounted {
                codec,
                library,
                reason,
                ..
            } = peer;
            format!("{library} {reason} (`{codec}`)")
        });
        let title = format!(
            "Peers that do not count, where they are faster. {}.",
            reasons.join("; ")
        );
        format!(
            "{title}\n\n{HEADER}{}",
            rows(self.cells(), &|cell, _| cell.uncounted())
        )
    }
}

const HEADER: &str = "\
| codec | operation | data | values | x peer | peer |
|---|---|---|---|---|---|
";

/// Returns the rows of the cells in which a peer is faster.
fn rows<'a>(
    cells: impl Iterator<Item = (&'a Record, &'a Cell)>,
    peer: &dyn for<'b> Fn(&'b Cell, &Ours) -> Option<&'b Peer>,
) -> String {
    let rows = cells.filter_map(|(record, cell)| row(record, cell, peer));
    rows.flat_map(|row| [row, "\n".to_owned()]).collect()
}

/// Returns a row, if the peer is faster.
fn row(
    record: &Record,
    cell: &Cell,
    peer: &dyn for<'a> Fn(&'a Cell, &Ours) -> Option<&'a Peer>,
) -> Option<String> {
    let ours = cell.active()?;
    let peer = peer(cell, ours)?;
    let gain = peer.ns / ours.ns;
    let Cell {
        operation,
        data,
        values,
        ..
    } = cell;
    let (what, share, library) = (record.what(cell), ratio(gain), &peer.library);
    (Verdict::of(gain) == Verdict::Lost)
        .then(|| format!("| {what} | {operation} | {data} | {values} | {share} | {library} |"))
}
