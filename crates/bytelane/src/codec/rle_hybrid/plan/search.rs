//! Choosing runs by size: [`Effort::Small`](super::Effort::Small).
//!
//! # Policy
//!
//! The cost is the size in bytes. Packed runs have groups of eight values, so the start of one
//! determines where it can end, and how many values of the next repetition its last group takes.
//! The search is dynamic programming over eight possibilities, one for each remainder modulo eight
//! of the start of the last packed run. Wherever a value is repeated often enough, each of them may
//! end its packed run
//!
//! - at the first of its groups that ends among these values, and repeat the rest of them, or
//! - at the last of its groups that ends before them. The up to seven values in between become
//!   repetitions as well, usually of a single value.
//!
//! ```text
//! values          5 3 9 1 4 4 4 4 4 4 4 4 4 4 4 4 4 4 2 7 ..
//! first choice    |----packed-----|----repeated 4 ----|-packed ..       one group of eight
//! second choice   5 3 9 1 |-------repeated 4 ---------|-packed ..       four repetitions of one value
//!
//! for each value repeated at least `least_length` times (except the last one)
//!     node = the cheapest way to repeat it, over all possibilities and both choices
//!     if one possibility is left, and a group after `node` is cheaper than packing: decide `node`
//!     else keep `node` for its remainder, if it is cheaper than the known node
//!     drop each possibility that costs more than the cheapest and one more group
//!     if one is left: decide it, and pass on its runs
//! at the end: the cheapest, packed up to the end or with the last value repeated
//! ```
//!
//! Both runs may be empty. A repetition always lasts as long as the value does, since packed runs
//! that begin later are not longer.
//!
//! # Invariants
//!
//! - `nodes[0]` and everything before it are decided; `before` of a node is a smaller number.
//! - `known` has at most one node for each remainder, and none that costs more than the cheapest
//!   plus a group: with one more group, the cheapest would cover at least as many values, for no
//!   more bytes.
//! - There are at most [`NODES`] nodes: [`Search::make_room`] decides what all possibilities share,
//!   or decides for the cheapest if they share too little. So memory and time per value are
//!   bounded.
//!
//! # Measurements
//!
//! In tests of each width from 1 to 32 bits, the runs take at most 0.3% more bytes than the
//! shortest possible ones; from 13 bits on, they take no more. Without the second choice, values of
//! 7 bits take 14% more. The search takes 25 ns per repetition for values repeated up to 16 times
//! in a row. Without the shortcut for a single possibility, levels and sorted values take 1.1 to 1.2 times as long, and long
//! repetitions 1.4 times; without [`has_run`], booleans take 1.3 times as long (Zen 3). See `docs/lab-notes/rle-hybrid.md`.
#![forbid(unsafe_code)]

use super::source::{Decision, Source, header_len};

/// Number of packed runs to remember. With 128, no result of the tests is shorter, and clearing the
/// arrays makes 1000 values take 1.2 times as long.
const NODES: usize = 32;

/// Marks the absence of a node.
const NONE: u8 = u8::MAX;

/// A packed run, which may be empty, and its predecessors: another packed run, and repetitions.
#[derive(Clone, Copy)]
struct Node {
    start: usize,
    /// Start of the last repetition before it.
    repetition: usize,
    /// Start of the first repetition, which is the end of the run `before`.
    repeated: usize,
    before: u8,
    /// Size of everything before it, in bytes.
    cost: usize,
}

/// State of the search. Nodes come after those that they refer to.
struct Search {
    width: usize,
    nodes: [Node; NODES],
    used: usize,
    /// Possibilities, as the nodes with which they end: at most one for each remainder.
    known: [u8; 8],
    count: usize,
    /// Nodes that have been decided, but not passed on yet.
    decided: [Node; NODES],
    undelivered: usize,
}

/// Returns the minimum number of values for a repetition: two from 13 bits on, three from 6 bits
/// on. Shorter ones take no more bytes if their groups are packed, or are so short that repeating
/// them hardly ever helps.
fn least_length(width: usize) -> usize {
    let bytes = width.div_ceil(8);
    // `groups` take no more than the repeated value, and `values` take no more than a repetition.
    let (groups, values) = (bytes / width, 8 * (1 + bytes) / width);
    usize::max(8 * groups, usize::min(values, 3)) + 1
}

impl Search {
    #[inline(always)]
    fn new(width: usize) -> Self {
        let first = Node {
            start: 0,
            repetition: 0,
            repeated: 0,
            before: NONE,
            cost: 0,
        };
        Self {
            width,
            nodes: [first; NODES],
            used: 1,
            known: [0; 8],
            count: 1,
            decided: [first; NODES],
            undelivered: 0,
        }
    }

    fn node(&self, number: u8) -> Node {
        self.nodes[usize::from(number)]
    }

    /// Returns the possibilities, as the numbers of their nodes.
    #[inline(always)]
    fn known(&self) -> &[u8] {
        &self.known[..self.count]
    }

    /// Returns the cost of everything up to the first end of a group at `end` or after it.
    fn cost(&self, node: Node, end: usize) -> usize {
        match (end - node.start).div_ceil(8) {
            0 => node.cost,
            groups => node.cost + header_len(groups) + groups * self.width,
        }
    }

    /// Returns the cheapest way to repeat a value up to `end`, from `start` on or somewhat later.
    /// `equal` has a bit for each value before it, starting with the last, set if the value equals
    /// the one before.
    fn repeat(&self, start: usize, end: usize, equal: u8) -> Option<Node> {
        let mut best: Option<Node> = None;
        let repetition = 1 + self.width.div_ceil(8);
        for &before in self.known() {
            let packed = self.node(before);
            let after = packed.start.wrapping_sub(start) & 7;
            let mut consider = |repeated, cost| {
                if best.is_none_or(|best| cost < best.cost) {
                    best = Some(Node {
                        start: end,
                        repetition: usize::max(start, repeated),
                        repeated,
                        before,
                        cost,
                    });
                }
            };
            let repeated = start + after;
            if repeated < end {
                let header = header_len(end - repeated);
                let cost = self.cost(packed, repeated) + header + repetition - 1;
                consider(repeated, cost);
            }
            if after > 0 && packed.start + 8 <= repeated {
                let between = 8 - after;
                let changes = !u32::from(equal) & ((1 << (between - 1)) - 1);
                let repetitions = 1 + changes.count_ones() as usize;
                let header = header_len(end - start);
                let cost = self.cost(packed, start - between) + repetitions * repetition;
                consider(start - between, cost + header + repetition - 1);
            }
        }
        best
    }

    fn push(&mut self, node: Node) -> u8 {
        self.nodes[self.used] = node;
        self.used += 1;
        (self.used - 1) as u8
    }

    /// Considers repeating a value.
    #[inline(never)]
    fn consider(&mut self, start: usize, end: usize, equal: u8) {
        let Some(node) = self.repeat(start, end, equal) else {
            return;
        };
        // Usually, the decided runs continue with this repetition.
        let packed = self.cost(self.node(self.known[0]), end);
        if self.count == 1 && packed > node.cost + 1 + self.width {
            self.decided[self.undelivered] = node;
            self.undelivered += 1;
            self.nodes[0] = Node {
                before: NONE,
                ..node
            };
            return;
        }
        // Find the possibility with the same remainder. If both cost the same, the new one has the
        // shorter header later.
        let same = |known: &u8| (self.node(*known).start ^ end) & 7 == 0;
        match self.known().iter().position(same) {
            Some(place) if self.cost(self.node(self.known[place]), end) <= node.cost => {}
            Some(place) => self.known[place] = self.push(node),
            None => {
                self.known[self.count] = self.push(node);
                self.count += 1;
            }
        }
        self.drop_expensive(end);
        if self.used == NODES {
            self.make_room(end);
        }
    }

    /// Drops possibilities that cannot become the cheapest anymore: with one more group, the
    /// cheapest covers more values.
    fn drop_expensive(&mut self, end: usize) {
        let mut costs = [0; 8];
        let mut least = usize::MAX;
        for (cost, known) in costs.iter_mut().zip(self.known()) {
            let node = self.node(*known);
            *cost = self.cost(node, end) + usize::from(node.start == end);
            least = usize::min(least, *cost);
        }
        let mut kept = 0;
        for i in 0..self.count {
            self.known[kept] = self.known[i];
            kept += usize::from(costs[i] <= least + self.width);
        }
        self.count = kept;
        if kept == 1 {
            self.decide(self.known[0]);
        }
    }

    /// Decides for a node, and drops all others. It becomes the first one.
    fn decide(&mut self, node: u8) {
        let (mut length, mut at) = (0, self.node(node));
        while at.before != NONE {
            length += 1;
            at = self.node(at.before);
        }
        let mut at = self.node(node);
        let end = self.undelivered + length;
        for i in (self.undelivered..end).rev() {
            self.decided[i] = at;
            at = self.node(at.before);
        }
        self.undelivered = end;
        self.nodes[0] = Node {
            before: NONE,
            ..self.node(node)
        };
        (self.used, self.known[0], self.count) = (1, 0, 1);
    }

    /// Decides what all possibilities share, and drops nodes that none of them needs. If they share
    /// too little, decides for the cheapest.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, end: usize) {
        // Number of needed nodes and possibilities that refer to each node.
        let mut references = [0u8; NODES];
        for &node in self.known() {
            references[usize::from(node)] += 1;
        }
        for node in (1..self.used).rev() {
            if references[node] > 0 {
                references[usize::from(self.nodes[node].before)] += 1;
            }
        }
        // The last node that all of them need.
        let mut first = 0;
        for node in 1..self.used {
            let only = references[first] == 1 && !self.known().contains(&(first as u8));
            if only && references[node] > 0 {
                first = node;
                self.decided[self.undelivered] = self.nodes[node];
                self.undelivered += 1;
            }
        }
        let (mut used, mut numbers) = (0, [NONE; NODES]);
        for node in first..self.used {
            if references[node] > 0 {
                numbers[node] = used as u8;
                let mut moved = self.nodes[node];
                moved.before = if node == first {
                    NONE
                } else {
                    numbers[usize::from(moved.before)]
                };
                self.nodes[used] = moved;
                used += 1;
            }
        }
        self.used = used;
        for node in &mut self.known[..self.count] {
            *node = numbers[usize::from(*node)];
        }
        if used > NODES / 2 {
            // Values covered beyond the end have been paid for.
            let price = |node: Node| {
                let covered = node.start.wrapping_sub(end) & 7;
                (8 * self.cost(node, end)).wrapping_sub(covered * self.width)
            };
            let best = self
                .known()
                .iter()
                .min_by_key(|node| price(self.node(**node)));
            self.decide(best.copied().unwrap_or_default());
        }
    }

    /// Decides for the cheapest. From `start` on, all values are the same.
    #[inline(never)]
    fn finish(&mut self, start: usize, end: usize, equal: u8) {
        let cost = |node: &u8| self.cost(self.node(*node), end);
        let best = *self
            .known()
            .iter()
            .min_by_key(|node| cost(node))
            .unwrap_or(&0);
        let packed = cost(&best);
        match self
            .repeat(start, end, equal)
            .filter(|node| node.cost <= packed)
        {
            Some(node) => {
                let node = self.push(node);
                self.decide(node);
            }
            None => self.decide(best),
        }
    }
}

/// Finds values that are repeated often enough, except the last one.
struct Repetitions<'a, S> {
    source: &'a S,
    least: usize,
    /// Next word of the source.
    word: usize,
    /// Remaining values of the previous word, as bits that are set if the value equals the next
    /// one.
    equal: u64,
    /// Start of the value that ends in the next word.
    start: usize,
}

impl<S: Source> Repetitions<'_, S> {
    /// Returns the start and the end of the next repeated value.
    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        let count = self.source.len();
        loop {
            while self.equal != 0 {
                let first = self.equal.trailing_zeros();
                let ones = (self.equal >> first).trailing_ones();
                self.equal &= !(!0 >> (64 - ones) << first);
                let start = 64 * (self.word - 1) + first as usize;
                let end = start + ones as usize + 1;
                if end - start >= self.least && end < count {
                    return Some((start, end));
                }
            }
            let at = 64 * self.word;
            if at >= count {
                return None;
            }
            let equal = self.source.equal(self.word);
            self.word += 1;
            if equal == !0 {
                continue;
            }
            let (first, last) = (equal.trailing_ones(), equal.leading_ones());
            let (start, end) = (self.start, at + first as usize + 1);
            self.start = at + 64 - last as usize;
            let within = equal & !0 << first & !0 >> last;
            self.equal = if has_run(within, self.least - 1) {
                within
            } else {
                0
            };
            if end - start >= self.least && end < count {
                return Some((start, end));
            }
        }
    }
}

/// Returns whether there are `length` ones in a row.
#[inline(always)]
fn has_run(mut bits: u64, length: usize) -> bool {
    let mut known = 1;
    while known < length {
        let step = usize::min(known, length - known);
        bits &= bits >> step;
        known += step;
    }
    bits != 0
}

/// A search, and the values that it is about.
pub(super) struct Searching<'a, S> {
    repetitions: Repetitions<'a, S>,
    search: Search,
}

impl<'a, S: Source> Searching<'a, S> {
    #[inline(always)]
    pub(super) fn new(width: usize, source: &'a S) -> Self {
        Self {
            repetitions: Repetitions {
                source,
                least: least_length(width),
                word: 0,
                equal: 0,
                start: 0,
            },
            search: Search::new(width),
        }
    }

    /// Considers the next repetition. Returns the number of decisions that this led to, and whether
    /// they are the last ones.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> (usize, bool) {
        let source = self.repetitions.source;
        let next = self.repetitions.next();
        match next {
            Some((start, end)) => {
                let equal = equal_before(source, start);
                self.search.consider(start, end, equal);
            }
            None => {
                let start = last_start(source);
                let equal = equal_before(source, start);
                self.search.finish(start, source.len(), equal);
            }
        }
        let decided = core::mem::take(&mut self.search.undelivered);
        (decided, next.is_none())
    }

    /// Returns one of the last decisions.
    #[inline(always)]
    pub(super) fn decided(&self, number: usize) -> Decision {
        let node = self.search.decided[number];
        Decision {
            repeated: node.repeated,
            last: node.repetition,
            end: node.start,
        }
    }
}

/// Returns a bit for each of the values before `value`, starting with the last, set if the value
/// equals the one before. Bits of missing values are zeros.
#[inline(always)]
fn equal_before(source: &impl Source, value: usize) -> u8 {
    let mut equal = 0;
    for i in 0..usize::min(7, value.saturating_sub(1)) {
        equal |= u8::from(source.is_equal(value - 2 - i)) << i;
    }
    equal
}

/// Returns the start of the last value.
fn last_start(source: &impl Source) -> usize {
    let mut start = source.len() - 1;
    while start > 0 {
        // The values before it in its word.
        let word = (start - 1) / 64;
        let unequal = !source.equal(word) << (63 - (start - 1) % 64);
        if unequal != 0 {
            return start - unequal.leading_zeros() as usize;
        }
        start = 64 * word;
    }
    0
}
