//! The table of one codec: every cell, encode and decode side by side.

use std::fmt::Write;

use super::{Cell, Record, ratio};

/// The cells of a codec in Markdown.
pub fn table(record: &Record, codec: &str) -> String {
    let mut text = String::new();
    let cells = record.cells.iter().filter(|cell| cell.codec == codec);
    let cells: Vec<&Cell> = cells.collect();
    let operations = record.operations(codec);
    let name = &record.name;
    writeln!(text, "Every cell of the record (`{name}`).\n").expect("to memory");
    text += "| codec | data | values |";
    for operation in &operations {
        write!(text, " {operation}: x memcpy | x fastest peer |").expect("to memory");
    }
    text += "\n|---|---|---|";
    text += &"---|---|".repeat(operations.len());
    text.push('\n');
    let mut shown: Vec<(String, &str, u64)> = Vec::new();
    for cell in &cells {
        let row = (record.what(cell), cell.data.as_str(), cell.values);
        if shown.contains(&row) {
            continue;
        }
        write!(text, "| {} | {} | {} |", row.0, row.1, row.2).expect("to memory");
        for operation in &operations {
            let same = |other: &&&Cell| {
                other.operation == *operation
                    && (other.data.as_str(), other.values) == (row.1, row.2)
                    && record.what(other) == row.0
            };
            text += &figures(cells.iter().find(same).copied());
        }
        text.push('\n');
        shown.push(row);
    }
    text
}

/// Two columns: the share of `memcpy`, and the speedup over the fastest peer with its name.
fn figures(cell: Option<&Cell>) -> String {
    let Some((cell, ours)) = cell.and_then(|cell| Some((cell, cell.active()?))) else {
        return " | |".to_owned();
    };
    let of_memcpy = ratio(ours.of_memcpy);
    let peer = match (cell.peer(ours), cell.gain(ours)) {
        (Some(peer), Some(gain)) => format!("{}, {}", ratio(gain), peer.library),
        _ => String::new(),
    };
    format!(" {of_memcpy} | {peer} |")
}

#[cfg(test)]
mod tests {
    use super::super::tests::record;
    use super::*;

    #[test]
    fn operations_of_a_cell_stand_side_by_side() {
        let table = table(&record(), "varint");
        let rows: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| codec | data | values | encode: x memcpy | x fastest peer |",
                "|---|---|---|---|---|",
                "| `varint:type=u32` | gaps | 100 | 0.50 | 2.5, fast |",
                "| `varint:type=u32` | gaps | 200 | 0.50 | 0.97, fast |",
            ]
        );
    }
}
