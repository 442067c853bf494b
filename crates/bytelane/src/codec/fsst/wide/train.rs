//! Training: finding the symbols that shorten given strings most.
//!
//! ```text
//! table = none
//! for share in 8, 18, 36, 54, 73, 91, 109, 128, 128 of 128:
//!     encode that share of the sample with the table
//!     count its symbols and bytes, and pairs of those that follow each other
//!     of the last two rounds, keep the counts of the one that took fewer bytes, with those of the table
//!     table = the best of: symbols, bytes, and pairs joined to a new symbol
//! table = the best of the symbols and bytes of the round that was kept that save more bytes than the table takes for them
//! ```
//!
//! As for codes of 8 bits ([`fsst::train`](super::super::train)), but there is room for all candidates that occur twice, so what limits a table is its size.
//! With a sample of 256 KiB, it has some 3,000 symbols for log lines, and takes 15 to 200 ms (Zen 4), most for strings that have little in common.
//!
//! Nothing here is random: the same strings give the same table.

use super::index::{Index, Symbol};
use super::{CODE, ESCAPE, LONGEST, MOST, Table};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Number of bytes to train on.
const SAMPLE: usize = 1 << 18;

/// Shares of the sample that the rounds use, in 128ths.
const ROUNDS: [usize; 9] = [8, 18, 36, 54, 73, 91, 109, WHOLE, WHOLE];
const WHOLE: usize = 128;

/// Makes a table of the symbols that shorten these strings most, including the bytes of the table. Takes a sample of 256 KiB of them,
/// and 15 to 200 ms.
///
/// The same strings give the same table, on all machines. It can encode all other strings as well.
#[must_use]
pub fn train<S: AsRef<[u8]>>(strings: &[S]) -> Table {
    let bytes = strings.iter().map(|string| string.as_ref().len()).sum();
    train_sample(strings, bytes)
}

/// Same as [`train`], for strings that are a sample of more: of `bytes` bytes together, beside which the table may take its own.
#[must_use]
pub fn train_sample<S: AsRef<[u8]>>(strings: &[S], bytes: usize) -> Table {
    let given: usize = strings.iter().map(|string| string.as_ref().len()).sum();
    let step = usize::max(1, given / SAMPLE);
    let sample: Vec<&[u8]> = strings.iter().step_by(step).map(AsRef::as_ref).collect();
    let taken: usize = sample.iter().map(|string| string.len()).sum();
    let scale = usize::max(1, bytes / usize::max(1, taken));
    let mut index = Index::new(&table(Vec::new()));
    let mut best: Option<(usize, Counts)> = None;
    for share in ROUNDS {
        let (encoded, counts, symbols) = counted(&sample, share, &index);
        let all = encoded.saturating_mul(scale).saturating_add(index.bytes());
        if share == WHOLE && best.as_ref().is_none_or(|(least, _)| all < *least) {
            best = Some((all, symbols));
        }
        let candidates = counts.all.into_iter();
        let twice = candidates.filter(|(symbol, count)| *count > 1 || symbol.length == 1);
        index = Index::new(&table(twice.collect()));
    }
    let (_, counts) = best.expect("the last round uses the whole sample");
    let candidates = counts.all.into_iter();
    let saves = |(symbol, count): &(Symbol, usize)| {
        symbol.length == 1 || CODE * count * scale > usize::from(symbol.length)
    };
    table(candidates.filter(saves).collect())
}

/// Encodes a share of a sample. Returns the number of bytes, the numbers of symbols, bytes and pairs, and those of symbols and bytes.
fn counted(sample: &[&[u8]], share: usize, index: &Index) -> (usize, Counts, Counts) {
    let (mut counts, mut symbols) = (Counts::new(), Counts::new());
    let mut encoded = 0;
    for (number, string) in sample.iter().enumerate() {
        if share < WHOLE && number.wrapping_mul(0x9e37_79b1) >> 8 & 127 >= share {
            continue;
        }
        let mut before = 0;
        let mut from = 0;
        while from < string.len() {
            let rest = &string[from..];
            let found = index.longest(rest);
            encoded += if found.code == ESCAPE { 2 * CODE } else { CODE };
            let length = usize::from(found.length);
            symbols.add(Symbol::new(&rest[..length]));
            if length > 1 {
                counts.add(Symbol::new(&rest[..1]));
            }
            if before > 0 && before + length <= LONGEST {
                counts.add(Symbol::new(&string[from - before..from + length]));
            }
            before = length;
            from += length;
        }
    }
    for &(symbol, count) in &symbols.all {
        counts.add_times(symbol, count);
    }
    (encoded, counts, symbols)
}

/// Returns the table of the symbols that stand for the most bytes.
fn table(mut symbols: Vec<(Symbol, usize)>) -> Table {
    symbols.sort_unstable_by_key(|&(symbol, count)| {
        (Reverse(count * usize::from(symbol.length)), symbol)
    });
    symbols.truncate(MOST);
    let bytes: Vec<_> = symbols.iter().map(|it| it.0.bytes.to_le_bytes()).collect();
    let each = bytes.iter().zip(&symbols);
    let symbols: Vec<_> = each
        .map(|(bytes, (symbol, _))| &bytes[..usize::from(symbol.length)])
        .collect();
    Table::new(&symbols).expect("up to 65,535 symbols of 1 to 16 bytes")
}

/// Numbers of occurrences of symbols.
struct Counts {
    all: Vec<(Symbol, usize)>,
    /// Numbers of symbols among `all`, from 1 on, by their hash. At most half of the places are taken.
    places: Vec<u32>,
}

impl Counts {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            places: vec![0; 1 << 10],
        }
    }

    fn add(&mut self, symbol: Symbol) {
        self.add_times(symbol, 1);
    }

    fn add_times(&mut self, symbol: Symbol, times: usize) {
        let place = self.place(symbol);
        match self.places[place] {
            0 => {
                self.all.push((symbol, times));
                self.places[place] = self.all.len() as u32;
                if 2 * self.all.len() > self.places.len() {
                    self.grow();
                }
            }
            number => self.all[number as usize - 1].1 += times,
        }
    }

    /// Returns the place of a symbol, or a free one for it.
    fn place(&self, symbol: Symbol) -> usize {
        let last = self.places.len() - 1;
        let mut place = symbol.hash() & last;
        while let Some(number) = (self.places[place] as usize).checked_sub(1)
            && self.all[number].0 != symbol
        {
            place = (place + 1) & last;
        }
        place
    }

    fn grow(&mut self) {
        self.places = vec![0; 4 * self.places.len()];
        for number in 0..self.all.len() {
            let place = self.place(self.all[number].0);
            self.places[place] = number as u32 + 1;
        }
    }
}
