//! Keeps bytes of an object that were read or are on their way, and decides what to request ahead.

use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;
use std::ops::Range;

/// Smallest number of bytes to read at a time; doubled while reads are sequential, up to [`PART`].
const AHEAD: u64 = 256 << 10;

/// Largest number of bytes to request at a time. Longer ranges are read by several requests.
pub(crate) const PART: u64 = 8 << 20;

/// Maximum number of bytes to keep, without those of the range that is being read.
const KEPT: u64 = 64 << 20;

/// Maximum gap, in bytes, between ranges that are requested together.
const GAP: u64 = 256 << 10;

/// Smallest number of bytes to request ahead of a range that is longer.
const LEAST: u64 = 64 << 10;

/// Bytes that were read, and are likely to be read again or next, and bytes on their way.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The part that was used last comes last.
    all: VecDeque<Part>,
}

#[derive(Debug)]
struct Part {
    range: Range<u64>,
    /// `None` while they are on their way.
    bytes: Option<Bytes>,
}

/// Outcome of looking for a range.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Bytes(Bytes),
    OnTheirWay,
    Missing,
}

impl Parts {
    /// Looks for a range, which may span several parts.
    pub(crate) fn find(&mut self, range: &Range<u64>) -> Found {
        let mut pieces: Vec<Bytes> = Vec::with_capacity(1);
        let (mut at, mut are_there) = (range.start, true);
        while at < range.end {
            let contains = |part: &Part| part.range.contains(&at);
            let index = self.all.iter().position(contains);
            let Some(part) = index.and_then(|index| self.all.remove(index)) else {
                return Found::Missing;
            };
            let end = part.range.end.min(range.end);
            let first = part.range.start;
            match &part.bytes {
                Some(bytes) => {
                    pieces.push(bytes.slice((at - first) as usize..(end - first) as usize));
                }
                None => are_there = false,
            }
            self.all.push_back(part);
            at = end;
        }
        if !are_there {
            return Found::OnTheirWay;
        }
        Found::Bytes(joined(pieces))
    }

    /// Returns how many bytes to read from a position on, of which `length` are needed.
    pub(crate) fn ahead(&self, start: u64, length: u64) -> u64 {
        let before = self.all.iter().find(|part| {
            // Reads that do not begin exactly where the part ends are sequential too.
            part.range.start <= start && start <= part.range.end
        });
        let doubled = before.map_or(AHEAD, |part| {
            (2 * (part.range.end - part.range.start)).clamp(AHEAD, PART)
        });
        doubled.max(length)
    }

    /// Adds bytes that were read.
    pub(crate) fn add(&mut self, start: u64, bytes: Bytes) {
        self.all.push_back(Part {
            range: start..start + bytes.len() as u64,
            bytes: Some(bytes),
        });
        self.drop_oldest();
    }

    /// Adds the bytes of a request that [`request_ahead`](Self::request_ahead) has returned; `None` if it failed.
    pub(crate) fn arrive(&mut self, request: &Range<u64>, bytes: Option<Bytes>) {
        let is_it = |part: &Part| part.bytes.is_none() && part.range == *request;
        let Some(index) = self.all.iter().position(is_it) else {
            return;
        };
        match bytes {
            Some(bytes) => self.all[index].bytes = Some(bytes),
            None => drop(self.all.remove(index)),
        }
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        let length = |part: &Part| part.range.end - part.range.start;
        let mut kept: u64 = self.all.iter().map(length).sum();
        while kept > KEPT && self.all.len() > 1 {
            let is_read = |part: &Part| part.bytes.is_some();
            let oldest = self.all.iter().position(is_read);
            let Some(part) = oldest.and_then(|index| self.all.remove(index)) else {
                return;
            };
            kept -= length(&part);
        }
    }

    /// Returns the position up to which the bytes from another one on are there or on their way.
    fn covered(&self, mut at: u64) -> u64 {
        let end_of = |at: u64| {
            let around = self.all.iter().filter(|part| part.range.contains(&at));
            around.map(|part| part.range.end).max()
        };
        while let Some(end) = end_of(at) {
            at = end;
        }
        at
    }

    /// Returns the requests for the beginnings of ranges, the most urgent first, of `budget` bytes in all. Their bytes
    /// are on their way from now on.
    pub(crate) fn request_ahead(
        &mut self,
        ranges: &[Range<u64>],
        budget: u64,
        length: u64,
    ) -> Vec<Range<u64>> {
        let window = (budget / ranges.len().max(1) as u64).max(LEAST);
        let mut left = budget;
        let mut wanted = Vec::new();
        for range in ranges {
            let range = range.start..range.end.min(length);
            let end = range.end.min(range.start.saturating_add(window));
            if end <= range.start {
                continue;
            }
            let there = self.covered(range.start);
            // A long range is requested half a window at a time, so that no request is small.
            let is_ahead = range.end > end && there - range.start >= (end - range.start) / 2;
            if there >= end || is_ahead {
                continue;
            }
            let Some(rest) = left.checked_sub(end - there) else {
                break;
            };
            left = rest;
            wanted.push(there..end);
        }
        let requests = requests(wanted);
        for range in &requests {
            self.all.push_back(Part {
                range: range.clone(),
                bytes: None,
            });
        }
        requests
    }
}

/// Joins ranges that are close to each other, and splits long ones.
fn requests(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end + GAP => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined.into_iter().flat_map(split).collect()
}

/// Splits a range into ranges for one request each.
pub(crate) fn split(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let starts = (range.start..range.end).step_by(PART as usize);
    starts.map(move |start| start..(start + PART).min(range.end))
}

/// Joins bytes that follow each other.
pub(crate) fn joined(mut pieces: Vec<Bytes>) -> Bytes {
    if pieces.len() == 1 {
        return pieces.remove(0);
    }
    let mut all = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    all.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(length: u64) -> Bytes {
        vec![0; length as usize].into()
    }

    #[test]
    fn sequential_reads_grow_and_old_parts_are_dropped() {
        let mut parts = Parts::default();
        assert_eq!(parts.ahead(0, 10), AHEAD);
        parts.add(0, zeros(AHEAD));
        assert_eq!(parts.ahead(AHEAD, 10), 2 * AHEAD);
        assert_eq!(parts.ahead(AHEAD + 1, 10), AHEAD);
        assert_eq!(parts.ahead(AHEAD + 1, 2 * AHEAD), 2 * AHEAD);
        assert_eq!(parts.find(&(3..7)), Found::Bytes(zeros(4)));
        assert_eq!(parts.find(&(AHEAD - 1..AHEAD + 1)), Found::Missing);
        let count = KEPT / PART;
        for start in 1..=count {
            parts.add(start * PART, zeros(PART));
        }
        assert_eq!(parts.find(&(0..1)), Found::Missing);
        // It spans two parts.
        let range = 2 * PART - 1..2 * PART + 1;
        assert_eq!(parts.find(&range), Found::Bytes(zeros(2)));
    }

    #[test]
    fn near_ranges_share_a_request_and_long_ones_have_several() {
        let mut parts = Parts::default();
        let length = 64 << 20;
        let ranges = [0..1000, (30 << 20)..(30 << 20) + 9, 1500..3000];
        let requests = parts.request_ahead(&ranges, 8 << 20, length);
        assert_eq!(requests, [0..3000, (30 << 20)..(30 << 20) + 9]);
        assert_eq!(parts.find(&(10..20)), Found::OnTheirWay);
        // They are on their way already.
        assert!(parts.request_ahead(&ranges, 8 << 20, length).is_empty());
        parts.arrive(&requests[0], Some(zeros(3000)));
        parts.arrive(&requests[1], None);
        assert_eq!(parts.find(&(10..20)), Found::Bytes(zeros(10)));
        assert_eq!(parts.find(&ranges[1]), Found::Missing);
        let long = parts.request_ahead(&[(32 << 20)..length + 9], 64 << 20, length);
        assert_eq!(long.len() as u64, (32 << 20) / PART);
        assert_eq!(long.last().unwrap().end, length);
    }

    #[test]
    fn columns_share_a_budget_and_are_requested_half_a_window_at_a_time() {
        let mut parts = Parts::default();
        let (length, budget, window) = (64 << 20, 2 << 20, 1 << 20);
        let columns = |at: u64| [at..(20 << 20), (30 << 20) + at..(50 << 20)];
        let requests = parts.request_ahead(&columns(0), budget, length);
        assert_eq!(requests, [0..window, (30 << 20)..(30 << 20) + window]);
        assert!(
            parts
                .request_ahead(&columns(window / 4), budget, length)
                .is_empty()
        );
        let at = window * 3 / 4;
        let next = parts.request_ahead(&columns(at), budget, length);
        assert_eq!(next[0], window..at + window);
        // More columns than the budget suffices for.
        let columns: Vec<_> = (0..100).map(|it| (it << 19)..((it + 1) << 19)).collect();
        let requests = Parts::default().request_ahead(&columns, 1 << 20, length);
        let bytes: u64 = requests.iter().map(|it| it.end - it.start).sum();
        assert_eq!((requests.len(), bytes), (16, 1 << 20));
    }
}
