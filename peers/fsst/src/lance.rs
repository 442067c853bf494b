//! Lance's implementation, which trains a table and encodes with it in one call.

use ::lance_fsst::fsst::{FSST_SYMBOL_TABLE_SIZE, compress, decompress};
use bytelane::fsst::Table;

/// Number of bytes of the first part of a table. The lowest byte is the number of symbols.
const HEADER: usize = 8;

/// Buffers for its results. A call shortens them to what it has written.
pub struct Lance {
    table: Vec<u8>,
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    room: usize,
}

impl Lance {
    /// Makes room for results of so many bytes, of so many strings.
    pub fn new(room: usize, strings: usize) -> Self {
        Self {
            table: vec![0; FSST_SYMBOL_TABLE_SIZE],
            bytes: vec![0; room],
            offsets: vec![0; strings + 1],
            room,
        }
    }

    /// Makes room again.
    fn reset(&mut self) {
        assert!(self.room <= self.bytes.capacity());
        // SAFETY: `new` has initialised as many bytes, and the buffer has not moved: it had room for all results.
        unsafe { self.bytes.set_len(self.room) };
    }

    /// Trains a table and encodes strings. Returns the encoded strings, which have at least 32 KiB.
    pub fn encode(&mut self, bytes: &[u8], offsets: &[i32]) -> &[u8] {
        self.reset();
        let done = compress(
            &mut self.table,
            bytes,
            offsets,
            &mut self.bytes,
            &mut self.offsets,
        );
        done.expect("there is room");
        &self.bytes
    }

    /// Uses the symbols of a table for the strings that are decoded next. A table was trained before.
    pub fn import(&mut self, table: &Table) {
        let count = table.len();
        self.table[0] = count as u8;
        for (place, symbol) in table.symbols().enumerate() {
            let start = HEADER + 8 * place;
            self.table[start..start + 8].fill(0);
            self.table[start..start + symbol.len()].copy_from_slice(symbol);
            self.table[HEADER + 8 * count + place] = symbol.len() as u8;
        }
    }

    /// Decodes strings. Returns their bytes and offsets.
    pub fn decode(&mut self, bytes: &[u8], offsets: &[i32]) -> (&[u8], &[i32]) {
        self.reset();
        let done = decompress(
            &self.table,
            bytes,
            offsets,
            &mut self.bytes,
            &mut self.offsets,
        );
        done.expect("there is room");
        (&self.bytes, &self.offsets)
    }
}
