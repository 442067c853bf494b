//! Choosing the runs: which values are stored as repetitions, and which are packed.
//!
//! Packed runs have groups of eight values, so where one begins decides where it can end, and how
//! many values of the next repetition its last group takes. The search therefore keeps eight
//! possibilities, one for each remainder modulo eight of the place where the last packed run begins.
//! Wherever the same value follows itself often enough, each of them may end its packed run at the
//! first of its groups that ends among these values, and repeat the rest of them; the cheapest then
//! begins a new packed run after the repetition, if that is not more expensive than what is known
//! for its remainder.
//!
//! A repetition always lasts as long as the value does, since packed runs that begin later are never
//! longer. Runs that repeat only two or three values can be shorter than what they would be packed
//! to, but only if values are wide: see [`least_length`].
#![forbid(unsafe_code)]

/// Values to be encoded.
pub(super) trait Source {
    /// The number of values.
    fn len(&self) -> usize;

    /// For each of 64 values, from number `64 * word` on, whether it equals the next one. Those after
    /// the last value do not.
    fn equal(&self, word: usize) -> u64;
}

/// What becomes of the runs.
pub(super) trait Sink {
    /// Values that are packed. Only the last run may have an incomplete group.
    fn packed(&mut self, start: usize, end: usize);

    /// Values that are all the same.
    fn repeated(&mut self, start: usize, end: usize);
}

/// Packed runs that are remembered.
const NODES: usize = 128;

const NONE: u8 = u8::MAX;

/// A packed run, which may be without values, and what is before it: another one, then a repetition.
#[derive(Clone, Copy)]
struct Node {
    start: usize,
    /// Where the repetition before it begins, which is where the run `before` ends.
    repeated: usize,
    before: u8,
    /// Bytes of all that is before it.
    cost: usize,
}

/// The search. Nodes come after those that they refer to.
struct Search {
    width: usize,
    nodes: [Node; NODES],
    used: usize,
    /// For each remainder, the node with which the cheapest possibility ends.
    last: [u8; 8],
}

/// Bytes of the header of a run with so many values or groups.
#[inline(always)]
pub(super) fn header_len(count: usize) -> usize {
    match count {
        0..64 => 1,
        64..8192 => 2,
        8192..0x10_0000 => 3,
        0x10_0000..0x800_0000 => 4,
        _ => 5,
    }
}

/// The fewest values that are worth a repetition. What is shorter takes no more bytes if its groups
/// are packed, or is so short that it hardly ever helps.
fn least_length(width: usize) -> usize {
    let bytes = width.div_ceil(8);
    // Groups that take no more than the repeated value, and values that take no more than a repetition.
    let (groups, values) = (bytes / width, 8 * (1 + bytes) / width);
    usize::max(8 * groups, usize::min(values, 3)) + 1
}

impl Search {
    #[inline(always)]
    fn new(width: usize) -> Self {
        let first = Node {
            start: 0,
            repeated: 0,
            before: NONE,
            cost: 0,
        };
        let mut last = [NONE; 8];
        last[0] = 0;
        Self {
            width,
            nodes: [first; NODES],
            used: 1,
            last,
        }
    }

    /// The cost of all up to the end of the group in which value `end` is the first one outside.
    #[inline(always)]
    fn cost(&self, node: u8, end: usize) -> usize {
        let node = self.nodes[usize::from(node)];
        match (end - node.start).div_ceil(8) {
            0 => node.cost,
            groups => node.cost + header_len(groups) + groups * self.width,
        }
    }

    /// The cheapest way to repeat a value up to `end`, from `start` on or somewhat later.
    #[inline(always)]
    fn repeat(&self, start: usize, end: usize) -> Option<Node> {
        let mut best: Option<Node> = None;
        for remainder in 0..8 {
            let before = self.last[remainder];
            let repeated = start + (remainder.wrapping_sub(start) & 7);
            if before == NONE || repeated >= end {
                continue;
            }
            let header = header_len(end - repeated);
            let cost = self.cost(before, repeated) + header + self.width.div_ceil(8);
            if best.is_none_or(|best| cost < best.cost) {
                best = Some(Node {
                    start: end,
                    repeated,
                    before,
                    cost,
                });
            }
        }
        best
    }

    #[inline(always)]
    fn push(&mut self, node: Node) -> u8 {
        self.nodes[self.used] = node;
        self.used += 1;
        (self.used - 1) as u8
    }

    /// Considers to repeat a value.
    #[inline(never)]
    fn consider(&mut self, start: usize, end: usize, sink: &mut impl Sink) {
        let Some(node) = self.repeat(start, end) else {
            return;
        };
        let known = self.last[end % 8];
        // If both are as long, the new one has the shorter header later.
        if known == NONE || node.cost + 1 <= self.cost(known, end) {
            self.last[end % 8] = self.push(node);
        }
        self.drop_expensive(end, sink);
        if self.used == NODES {
            self.make_room(end, sink);
        }
    }

    /// Drops what cannot become the cheapest any more: with one more group, the cheapest is further.
    #[inline(always)]
    fn drop_expensive(&mut self, end: usize, sink: &mut impl Sink) {
        let mut costs = [usize::MAX; 8];
        let mut least = usize::MAX;
        for remainder in 0..8 {
            if self.last[remainder] != NONE {
                let covered = end + (remainder.wrapping_sub(end) & 7);
                let opens = self.nodes[usize::from(self.last[remainder])].start == end;
                costs[remainder] = self.cost(self.last[remainder], covered) + usize::from(opens);
                least = usize::min(least, costs[remainder]);
            }
        }
        let (mut left, mut last) = (0, NONE);
        for remainder in 0..8 {
            if self.last[remainder] == NONE {
                continue;
            }
            if costs[remainder] > least + self.width {
                self.last[remainder] = NONE;
            } else {
                left += 1;
                last = self.last[remainder];
            }
        }
        if left == 1 && last != 0 {
            self.commit(last, sink);
        }
    }

    /// Decides for a node, and hands out all before it. It becomes the first one.
    fn commit(&mut self, node: u8, sink: &mut impl Sink) {
        let mut path = [0; NODES];
        let (mut length, mut at) = (0, node);
        while self.nodes[usize::from(at)].before != NONE {
            path[length] = at;
            length += 1;
            at = self.nodes[usize::from(at)].before;
        }
        for &next in path[..length].iter().rev() {
            self.hand_out(at, next, sink);
            at = next;
        }
        self.nodes[0] = Node {
            before: NONE,
            ..self.nodes[usize::from(node)]
        };
        self.used = 1;
        self.last = [NONE; 8];
        self.last[self.nodes[0].start % 8] = 0;
    }

    #[inline(always)]
    fn hand_out(&self, before: u8, node: u8, sink: &mut impl Sink) {
        let [before, node] = [before, node].map(|node| self.nodes[usize::from(node)]);
        if before.start < node.repeated {
            sink.packed(before.start, node.repeated);
        }
        sink.repeated(node.repeated, node.start);
    }

    /// Hands out what all possibilities share, and forgets what none of them needs. If they share too
    /// little, decides for the cheapest.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, end: usize, sink: &mut impl Sink) {
        // How many nodes that are needed refer to each.
        let mut is_needed = [false; NODES];
        let mut references = [0u8; NODES];
        for node in self.last {
            if node != NONE {
                is_needed[usize::from(node)] = true;
                references[usize::from(node)] += 1;
            }
        }
        for node in (1..self.used).rev() {
            if is_needed[node] {
                let before = usize::from(self.nodes[node].before);
                is_needed[before] = true;
                references[before] += 1;
            }
        }
        let (mut used, mut numbers) = (0, [NONE; NODES]);
        let mut first = 0;
        for node in 1..self.used {
            let before = self.nodes[node].before;
            if is_needed[node] && before == first && references[usize::from(first)] == 1 {
                self.hand_out(first, node as u8, sink);
                first = node as u8;
            }
        }
        for node in usize::from(first)..self.used {
            if is_needed[node] {
                numbers[node] = used as u8;
                let mut moved = self.nodes[node];
                moved.before = match node == usize::from(first) {
                    true => NONE,
                    false => numbers[usize::from(moved.before)],
                };
                self.nodes[used] = moved;
                used += 1;
            }
        }
        self.used = used;
        for node in self.last.iter_mut().filter(|node| **node != NONE) {
            *node = numbers[usize::from(*node)];
        }
        if used > NODES / 2 {
            // Values that are covered beyond the end have been paid for.
            let price = |node: u8| {
                let covered = self.nodes[usize::from(node)].start.wrapping_sub(end) & 7;
                8 * self.cost(node, end + covered) as i64 - (covered * self.width) as i64
            };
            let known = self.last.into_iter().filter(|node| *node != NONE);
            let best = known.min_by_key(|node| price(*node)).unwrap_or_default();
            self.commit(best, sink);
        }
    }

    /// Hands out the rest, which ends with a value that is the same from `start` on.
    fn finish(mut self, start: usize, end: usize, sink: &mut impl Sink) {
        let known = self.last.into_iter().filter(|node| *node != NONE);
        let best = known
            .min_by_key(|node| self.cost(*node, end))
            .unwrap_or_default();
        let packed = self.cost(best, end);
        match self.repeat(start, end).filter(|node| node.cost <= packed) {
            Some(node) => {
                let node = self.push(node);
                self.commit(node, sink);
            }
            None => {
                let start = self.nodes[usize::from(best)].start;
                self.commit(best, sink);
                if start < end {
                    sink.packed(start, end);
                }
            }
        }
    }
}

/// Chooses runs for values of a width of at least 1.
#[inline(always)]
pub(super) fn plan(width: usize, source: &impl Source, sink: &mut impl Sink) {
    let count = source.len();
    let least = least_length(width);
    let mut search = Search::new(width);
    // Where the value begins that the last one before this word may continue.
    let mut start = 0;
    for word in 0..count.div_ceil(64) {
        let mut equal = source.equal(word);
        let mut at = 64 * word;
        if equal == !0 {
            continue;
        }
        // The value that continues here. It includes the one that only equals the one before.
        let first = equal.trailing_ones();
        let end = at + first as usize + 1;
        if end >= count {
            break;
        }
        if end - start >= least {
            search.consider(start, end, sink);
        }
        let last = equal.leading_ones();
        equal &= !0 << first << 1 >> 1;
        equal &= !0 >> last;
        start = at + 64 - last as usize;
        if has_run(equal, least - 1) {
            while equal != 0 {
                let zeros = equal.trailing_zeros();
                equal >>= zeros;
                let ones = equal.trailing_ones();
                at += zeros as usize;
                let end = at + ones as usize;
                // The last word ends where its values do.
                if ones as usize + 1 >= least && end + 1 < count {
                    search.consider(at, end + 1, sink);
                }
                equal >>= ones;
                at = end;
            }
        }
    }
    if count > 0 {
        search.finish(last_start(source), count, sink);
    }
}

/// Whether there are so many ones one after the other.
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

/// Where the last value begins for the first time.
fn last_start(source: &impl Source) -> usize {
    let mut start = source.len() - 1;
    // The last value has a bit of its own, which is not set.
    for word in (0..=start / 64).rev() {
        let above = 64 - (start - 64 * word);
        let unequal = !source.equal(word);
        let below = match above {
            64 => 0,
            _ => unequal << above,
        };
        if below != 0 {
            return start - below.leading_zeros() as usize;
        }
        start = 64 * word;
    }
    0
}
