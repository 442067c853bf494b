//! Training: finding the symbols that shorten given strings most.
//!
//! ```text
//! table = none
//! for share in 8, 32, 56, 80, 104, 120, 128 of 128:
//!     encode that share of the sample with the table
//!     count its symbols and bytes, and pairs of those that follow each other
//!     keep the counts of the round that saved the most bytes
//!     table = the 255 best of: symbols, bytes, and pairs joined to a new symbol
//! table = the 255 best of the symbols and bytes of the best round
//! ```
//!
//! A symbol is better, the more bytes it stands for: its number of occurrences times its length. Single bytes count eight times, since
//! each that is missing takes two bytes wherever it occurs. This is the algorithm of the paper (section 4) and of the reference
//! implementation; there are more rounds here, which find longer symbols; candidates are
//! collected in a hash table and selected in parts, instead of being sorted.
//!
//! Nothing here is random: the same strings give the same table.
#![forbid(unsafe_code)]

use super::index::{Entry, Growing};
use super::table::{LENGTHS, Table};
use crate::memory::pair;
use alloc::vec;
use alloc::vec::Vec;

/// Number of bytes to train on.
const SAMPLE: usize = 1 << 14;

/// Maximum number of bytes of a piece of the sample.
const PIECE: usize = 512;

/// Shares of the sample that the rounds use, in 128ths.
const ROUNDS: [usize; 7] = [8, 32, 56, 80, 104, 120, WHOLE];
const WHOLE: usize = 128;

/// Number of pseudo-codes before those of symbols: one for each byte.
const BYTES: usize = 256;

/// Number of pseudo-codes.
const CODES: usize = 512;

/// Makes a table of the symbols that shorten strings like these most. Takes a sample of 16 KiB of them, so that the time
/// depends little on their number: about half a millisecond.
///
/// The same strings give the same table, on all machines. It can encode all other strings as well.
///
/// ```
/// use bytelane::fsst;
///
/// let urls = ["http://example.com/a", "http://example.com/b", "http://example.org/"];
/// let table = fsst::train(&urls);
/// let encoder = fsst::Encoder::new(&table);
/// assert!(encoder.encode_to_vec(b"http://example.com/c").len() < 10);
/// ```
#[must_use]
pub fn train<S: AsRef<[u8]>>(strings: &[S]) -> Table {
    build(&sample(strings.len(), |number| strings[number].as_ref()))
}

/// Returns pieces of strings that together have about [`SAMPLE`] bytes.
pub(super) fn sample<'a>(count: usize, string: impl Fn(usize) -> &'a [u8]) -> Vec<&'a [u8]> {
    let mut total = 0usize;
    let mut pieces = Vec::new();
    for number in 0..count {
        total += string(number).len();
        if total > SAMPLE {
            break;
        }
        pieces.extend(string(number).chunks(PIECE));
    }
    if total <= SAMPLE {
        return pieces;
    }
    pieces.clear();
    total = 0;
    let mut take = |piece: &'a [u8]| {
        total += piece.len();
        pieces.push(piece);
        total < SAMPLE
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    // Empty strings are skipped; if there are many, those after them would be found too often.
    for _ in 0..SAMPLE {
        let string = string(random.below(count));
        let mut chunks = string.chunks(PIECE);
        let number = random.below(usize::max(1, chunks.len()));
        if let Some(piece) = chunks.nth(number)
            && !take(piece)
        {
            return pieces;
        }
    }
    for piece in (0..count).flat_map(|number| string(number).chunks(PIECE)) {
        if !take(piece) {
            break;
        }
    }
    pieces
}

/// Generator of numbers that are the same in each run.
struct Random(u64);

impl Random {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
}

/// Symbol, or candidate for one, with zeros after its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Symbol {
    bytes: u64,
    length: usize,
}

impl Symbol {
    /// Returns both, one after the other; `None` if they have more than eight bytes.
    #[inline(always)]
    fn joined(self, next: Self) -> Option<Self> {
        let length = self.length + next.length;
        (length <= 8).then(|| Self {
            bytes: self.bytes | next.bytes << (8 * self.length),
            length,
        })
    }
}

/// Makes a table of the best symbols of a sample.
pub(super) fn build(sample: &[&[u8]]) -> Table {
    let bytes: usize = sample.iter().map(|piece| piece.len()).sum();
    let mut training = Training::new(usize::clamp(bytes / 1024, 2, 5));
    let mut counts = Counts::new();
    let mut best: Option<(i64, [u32; CODES], Vec<Symbol>)> = None;
    for share in ROUNDS {
        counts.clear();
        let saved = training.count(sample, share, &mut counts);
        if best.as_ref().is_none_or(|&(most, ..)| saved >= most) {
            best = Some((saved, counts.single, training.symbols.clone()));
        }
        if share < WHOLE {
            training.choose(&counts, share);
        }
    }
    if let Some((_, single, symbols)) = best {
        counts.single = single;
        training.replace(&symbols);
        training.choose(&counts, WHOLE);
    }
    training.table()
}

/// Numbers of occurrences of pseudo-codes.
struct Counts {
    single: [u32; CODES],
    /// Numbers of occurrences of two that follow each other: `CODES` for each first one.
    pairs: Vec<u16>,
}

impl Counts {
    fn new() -> Self {
        Self {
            single: [0; CODES],
            pairs: vec![0; CODES * CODES],
        }
    }

    /// Sets all numbers to 0. Fresh memory would take longer, by page faults.
    fn clear(&mut self) {
        self.single.fill(0);
        self.pairs.fill(0);
    }

    /// Counts a pseudo-code, and the pair that it makes with the one before it.
    #[inline(always)]
    fn add(&mut self, before: Option<usize>, code: usize, pairs: bool) {
        self.single[code % CODES] += 1;
        if let Some(before) = before
            && pairs
        {
            let count = &mut self.pairs[before % CODES * CODES + code % CODES];
            *count = count.saturating_add(1);
        }
    }
}

/// A table while it is made.
struct Training {
    /// Number of occurrences in the whole sample below which a candidate is dropped.
    rare: usize,
    /// Memory for candidates, once there were some.
    candidates: Option<Candidates>,
    symbols: Vec<Symbol>,
    index: Growing,
}

impl Training {
    fn new(rare: usize) -> Self {
        Self {
            rare,
            candidates: None,
            symbols: Vec::with_capacity(255),
            index: Growing::new(),
        }
    }

    /// Encodes a share of a sample, and counts. Returns the number of bytes saved.
    fn count(&self, sample: &[&[u8]], share: usize, counts: &mut Counts) -> i64 {
        let mut saved = 0;
        for (number, piece) in sample.iter().enumerate() {
            if share < WHOLE && number.wrapping_mul(0x9e37_79b1) >> 8 & 127 >= share {
                continue;
            }
            let mut before = None;
            let mut from = 0;
            while from < piece.len() {
                let rest = &piece[from..];
                let word = match rest.first_chunk() {
                    Some(bytes) => u64::from_le_bytes(*bytes),
                    None => pair(rest)[0],
                };
                let entry = self.index.longest(word, rest.len());
                let length = entry.read();
                let byte = usize::from(rest[0]);
                let code = if entry == Entry::ESCAPED {
                    byte
                } else {
                    BYTES + usize::from(entry.code())
                };
                counts.add(before, code, share < WHOLE);
                // If only the byte came next:
                if length > 1 {
                    counts.add(before, byte, share < WHOLE);
                }
                saved += length as i64 - entry.written() as i64;
                before = Some(code);
                from += length;
            }
        }
        saved
    }

    /// Returns the symbol, or the byte, of a pseudo-code.
    fn symbol(&self, code: usize) -> Symbol {
        match code.checked_sub(BYTES) {
            Some(number) => self.symbols[number],
            None => Symbol {
                bytes: code as u64,
                length: 1,
            },
        }
    }

    /// Replaces the symbols with the best candidates.
    fn choose(&mut self, counts: &Counts, share: usize) {
        let least = u32::max(1, (self.rare * share / WHOLE) as u32);
        let mut candidates = self.candidates.take().unwrap_or_else(Candidates::new);
        candidates.clear();
        for code in 0..BYTES + self.symbols.len() {
            let count = counts.single[code];
            if count == 0 {
                continue;
            }
            let symbol = self.symbol(code);
            let weight = if symbol.length == 1 { 8 * count } else { count };
            if weight >= least {
                candidates.add(symbol, weight * symbol.length as u32);
            }
            if share < WHOLE && symbol.length < 8 {
                let pairs = &counts.pairs[code * CODES..][..CODES];
                self.join(symbol, pairs, least, &mut candidates);
            }
        }
        let best = |a: &(Symbol, u32), b: &(Symbol, u32)| {
            let key = |of: &(Symbol, u32)| (core::cmp::Reverse(of.1), of.0.bytes, of.0.length);
            key(a).cmp(&key(b))
        };
        self.replace(&[]);
        let mut rest = &mut candidates.gains[..];
        while !rest.is_empty() && self.symbols.len() < 255 {
            let part = usize::min(rest.len(), 512);
            if part < rest.len() {
                rest.select_nth_unstable_by(part - 1, best);
            }
            let (part, others) = rest.split_at_mut(part);
            part.sort_unstable_by(best);
            for (symbol, _) in part {
                self.add(*symbol);
            }
            rest = others;
        }
        self.candidates = Some(candidates);
    }

    /// Adds the pairs that begin with a symbol to the candidates.
    fn join(&self, symbol: Symbol, pairs: &[u16], least: u32, found: &mut Candidates) {
        for (group, counts) in pairs.as_chunks::<16>().0.iter().enumerate() {
            if *counts == [0; 16] {
                continue;
            }
            for (i, &count) in counts.iter().enumerate() {
                let count = u32::from(count);
                if count >= least
                    && let Some(joined) = symbol.joined(self.symbol(16 * group + i))
                {
                    found.add(joined, count * joined.length as u32);
                }
            }
        }
    }

    /// Adds a symbol, if there is room for it.
    fn add(&mut self, symbol: Symbol) {
        let code = self.symbols.len();
        if code < 255 && self.index.add(symbol.bytes, symbol.length, code as u8) {
            self.symbols.push(symbol);
        }
    }

    /// Replaces all symbols.
    fn replace(&mut self, symbols: &[Symbol]) {
        for symbol in self.symbols.drain(..) {
            self.index.remove(symbol.bytes, symbol.length);
        }
        for symbol in symbols {
            self.add(*symbol);
        }
    }

    /// Returns the table, in the order of its serialised form: those of two bytes that begin no other symbol come first.
    fn table(&self) -> Table {
        let mut symbols = self.symbols.clone();
        let begins_another = |symbol: &Symbol| {
            let longer = |other: &&Symbol| other.length > 2;
            let mut others = self.symbols.iter().filter(longer);
            others.any(|other| other.bytes & 0xffff == symbol.bytes)
        };
        symbols.sort_by_cached_key(|symbol| {
            let rank = LENGTHS.iter().position(|&length| length == symbol.length);
            (rank, symbol.length == 2 && begins_another(symbol))
        });
        let bytes: Vec<_> = symbols
            .iter()
            .map(|symbol| symbol.bytes.to_le_bytes())
            .collect();
        let symbols: Vec<_> = bytes
            .iter()
            .zip(&symbols)
            .map(|(bytes, symbol)| &bytes[..symbol.length])
            .collect();
        Table::new(&symbols).expect("up to 255 symbols of 1 to 8 bytes")
    }
}

/// Candidates, each once. The memory is used in all rounds: fresh memory would take longer, by page faults.
struct Candidates {
    gains: Vec<(Symbol, u32)>,
    /// Numbers of candidates, from 1 on, by their hash. There are always free places: a sample has up to two pairs for each of its bytes.
    places: Vec<u32>,
}

impl Candidates {
    /// Number of places, a power of two.
    const PLACES: usize = 1 << 16;

    fn new() -> Self {
        Self {
            gains: Vec::with_capacity(Self::PLACES / 2),
            places: vec![0; Self::PLACES],
        }
    }

    fn clear(&mut self) {
        self.gains.clear();
        self.places.fill(0);
    }

    /// Adds a candidate, or its gain to an equal one.
    #[inline(always)]
    fn add(&mut self, symbol: Symbol, gain: u32) {
        let key = (symbol.bytes ^ symbol.length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = (key >> 48) as usize;
        loop {
            match self.places[place % Self::PLACES] {
                0 if self.gains.len() + 1 < Self::PLACES => {
                    self.gains.push((symbol, gain));
                    self.places[place % Self::PLACES] = self.gains.len() as u32;
                    return;
                }
                0 => return,
                number => {
                    let found = &mut self.gains[number as usize - 1];
                    if found.0 == symbol {
                        found.1 += gain;
                        return;
                    }
                    place += 1;
                }
            }
        }
    }
}
