//! Choosing runs: decides which values are repeated and which are packed.
#![forbid(unsafe_code)]

mod greedy;
mod search;
mod source;

use greedy::Greedy;
use search::Searching;
pub(super) use source::{Source, header_len};

/// Consumer of the chosen runs.
pub(super) trait Sink {
    /// Packs values. Only the last run may have an incomplete group.
    fn packed(&mut self, start: usize, end: usize);

    /// Repeats values that are all the same.
    fn repeated(&mut self, start: usize, end: usize);
}

/// Effort that the encoder spends on the choice between repeating and packing values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Effort {
    /// Searches for the shortest runs. Compared with [`Fast`](Self::Fast), values that are repeated
    /// up to 16 times in a row take half as many bytes and four times as long; random values take
    /// the same number of bytes and 1.2 to 1.5 times as long (10 bits).
    #[default]
    Small,
    /// Repeats a value wherever a group of eight has only this value, and packs everything else, as
    /// other encoders do.
    Fast,
}

/// Chooses runs for values of a width of at least 1.
#[inline(always)]
pub(super) fn plan(effort: Effort, width: usize, source: &impl Source, sink: &mut impl Sink) {
    let count = source.len();
    let mut greedy = Greedy::new(source);
    let mut search = (effort == Effort::Small).then(|| Searching::new(width, source));
    let mut done = 0;
    while done < count {
        let mut next = None;
        let (decided, is_last) = if let Some(search) = &mut search {
            search.advance()
        } else {
            next = greedy.next();
            (usize::from(next.is_some()), next.is_none())
        };
        for i in 0..decided + usize::from(is_last) {
            let of_search = search.as_ref().filter(|_| i < decided);
            let decision = of_search.map(|search| search.decided(i)).or(next);
            // One call for all packed runs, so that it is compiled once.
            let end = decision.map_or(count, |decision| decision.repeated);
            if done < end {
                sink.packed(done, end);
            }
            done = end;
            let Some(decision) = decision else {
                break;
            };
            while done < decision.end {
                let start = done;
                done = if start < decision.last {
                    next_start(source, start)
                } else {
                    decision.end
                };
                sink.repeated(start, done);
            }
        }
    }
}

/// Returns the start of the next different value. There must be one.
fn next_start(source: &impl Source, mut value: usize) -> usize {
    while source.is_equal(value) {
        value += 1;
    }
    value + 1
}
