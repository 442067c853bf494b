//! Cells in which another library is faster.

use std::fmt::Write;

use super::record::{Cell, Ours, Peer, UNCOUNTED, Uncounted};
use super::{Record, Records, Verdict, ratio};

impl Records {
    /// Returns every cell in which a peer is faster than our default instruction set.
    pub(super) fn lost(&self) -> String {
        let title = format!(
            "Every lost cell ({}). The last figure is our speed as a multiple of the peer's.",
            self.names()
        );
        self.faster(&title, &|cell, ours| cell.peer(ours))
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
        self.faster(&title, &|cell, _| cell.uncounted())
    }

    fn faster(
        &self,
        title: &str,
        peer: &dyn for<'a> Fn(&'a Cell, &Ours) -> Option<&'a Peer>,
    ) -> String {
        let mut text = format!(
            "{title}\n\n\
             | codec | operation | data | values | x peer | peer |\n|---|---|---|---|---|---|\n"
        );
        for (record, cell) in self.cells() {
            if let Some(row) = row(record, cell, peer) {
                writeln!(text, "{row}").expect("to memory");
            }
        }
        text
    }
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
