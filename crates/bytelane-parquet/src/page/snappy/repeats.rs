//! Appends bytes that repeat earlier ones.

use bytelane::Reserved;

/// Maximum length of a short piece. There must be room for that many bytes.
pub(super) const PIECE: usize = 16;

/// Minimum distance of a short repetition. A nearer one would repeat bytes that have not been written.
const HALF: usize = PIECE / 2;

/// Maximum length of a copy.
const LONG: usize = 64;

/// Bytes in memory that was reserved beforehand. It does not grow.
pub(super) struct Repeats {
    bytes: Reserved,
}

impl Repeats {
    /// Appends to these bytes until they are full.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Reserved::new(bytes),
        }
    }

    #[inline(always)]
    pub(super) fn len(&mut self) -> usize {
        self.bytes.bytes().len()
    }

    #[inline(always)]
    fn room(&mut self) -> usize {
        let bytes = self.bytes.bytes();
        bytes.capacity() - bytes.len()
    }

    /// Appends the first `length` bytes of a piece. Returns false, and appends nothing, if it is shorter, or if there is
    /// no room for all of it.
    #[inline(always)]
    pub(super) fn push(&mut self, piece: [u8; PIECE], length: usize) -> bool {
        let fits = length <= PIECE && self.room() >= PIECE;
        if fits {
            self.bytes.push(piece, length);
        }
        fits
    }

    /// Appends `length` bytes that begin `distance` bytes before the end, and may extend beyond it. Returns false, and
    /// appends nothing, if they are nearer than half a piece, if they would begin before the first byte, or if there is no
    /// room for a piece; more than a piece must meet the conditions of [`repeat_long`](Self::repeat_long).
    #[inline(always)]
    pub(super) fn repeat(&mut self, distance: usize, length: usize) -> bool {
        let end = self.len();
        let is_within = (HALF..=end).contains(&distance);
        if length > PIECE {
            return is_within && self.repeat_long(distance, length);
        }
        if !is_within || self.room() < PIECE {
            return false;
        }
        let from = &self.bytes.bytes()[end - distance..];
        match from.first_chunk().copied() {
            Some(piece) => self.bytes.push::<PIECE>(piece, length),
            None => {
                self.repeat_half(distance);
                self.repeat_half(distance);
                self.bytes.bytes().truncate(end + length);
            }
        }
        true
    }

    /// Appends more than a piece from a distance of at least [`LONG`], or of a number of 8 bytes, which columns often repeat.
    /// Returns false, and appends nothing, for other distances, and if there is no room for [`LONG`] bytes.
    #[inline(always)]
    fn repeat_long(&mut self, distance: usize, length: usize) -> bool {
        if length > LONG || self.room() < LONG {
            return false;
        }
        let bytes = self.bytes.bytes();
        let from = &bytes[bytes.len() - distance..];
        let mut long = [0; LONG];
        if let Some(from) = from.first_chunk() {
            long = *from;
        } else if let Ok(number) = <[u8; HALF]>::try_from(from) {
            long.as_chunks_mut().0.fill(number);
        } else {
            return false;
        }
        self.bytes.push(long, length);
        true
    }

    #[inline(always)]
    fn repeat_half(&mut self, distance: usize) {
        let start = self.len() - distance;
        let half = self.bytes.bytes()[start..].first_chunk().copied();
        if let Some(half) = half {
            self.bytes.push::<HALF>(half, HALF);
        }
    }

    /// Returns a piece that repeats the last `distance` bytes a whole number of times, if there is one.
    #[inline(always)]
    fn whole_piece(&mut self, distance: usize) -> Option<[u8; PIECE]> {
        let last = u64::from_le_bytes(*self.bytes.bytes().last_chunk()?);
        let half = match distance {
            1 => (last >> 56) * 0x0101_0101_0101_0101,
            2 => (last >> 48) * 0x0001_0001_0001_0001,
            4 => (last >> 32) * 0x0000_0001_0000_0001,
            HALF => last,
            _ => return None,
        };
        Some((u128::from(half) * (1 << 64 | 1)).to_le_bytes())
    }

    /// Appends bytes. Returns false, and appends nothing, if there is no room for them.
    pub(super) fn extend(&mut self, bytes: &[u8]) -> bool {
        let has_room = bytes.len() <= self.room();
        if has_room {
            self.bytes.extend(bytes);
        }
        has_room
    }

    /// Appends bytes like [`repeat`](Self::repeat), at any distance and of any length. Returns false, and appends
    /// nothing, if they would begin before the first byte, or if there is no room for them.
    pub(super) fn repeat_any(&mut self, mut distance: usize, length: usize) -> bool {
        let is_within = (1..=self.len()).contains(&distance);
        if !is_within || length > self.room() {
            return false;
        }
        let mut left = length;
        if let Some(piece) = self.whole_piece(distance) {
            // Bytes that were just written in other steps are slow to read.
            while left > 0 {
                let length = left.min(PIECE);
                if !self.push(piece, length) {
                    self.extend(&piece[..length]);
                }
                left -= length;
            }
        }
        while left > 0 {
            let mut length = left.min(PIECE);
            if !self.repeat(distance, length) {
                length = length.min(distance);
                let bytes = self.bytes.bytes();
                let start = bytes.len() - distance;
                bytes.extend_from_within(start..start + length);
            }
            left -= length;
            // Bytes that repeat at a distance also repeat at its multiples.
            if distance < PIECE && length >= distance {
                distance *= 2;
            }
        }
        true
    }

    /// Returns the bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends one byte after the other.
    fn repeated(bytes: &[u8], distance: usize, length: usize) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..length {
            bytes.push(bytes[bytes.len() - distance]);
        }
        bytes
    }

    /// Returns bytes that are followed by this much room.
    fn with_room(bytes: &[u8], room: usize) -> Repeats {
        let mut repeats = Repeats::new(Vec::with_capacity(bytes.len() + room));
        let fill = repeats.room() - bytes.len() - room;
        assert!(repeats.extend(&vec![0; fill]) && repeats.extend(bytes));
        repeats
    }

    #[test]
    fn bytes_repeat_at_every_distance() {
        let bytes: Vec<u8> = (1..=40).collect();
        for distance in 1..=40 {
            for length in 0..=70 {
                let expected = repeated(&bytes, distance, length);
                for room in [length, length + PIECE] {
                    let mut any = with_room(&bytes, room);
                    assert!(any.repeat_any(distance, length));
                    let any = any.into_bytes();
                    assert!(any.ends_with(&expected), "{distance}, {length}, {room}");
                }
                let mut short = with_room(&bytes, PIECE);
                let fits = distance >= HALF && length <= PIECE;
                assert_eq!(short.repeat(distance, length), fits);
                let expected = if fits { &expected } else { &bytes };
                let short = short.into_bytes();
                assert!(short.ends_with(expected), "{distance}, {length}");
            }
        }
    }

    #[test]
    fn numbers_and_distant_bytes_repeat_in_one_step() {
        let bytes: Vec<u8> = (1..=100).collect();
        for distance in [HALF, LONG, LONG + 1, 100] {
            for length in 0..=LONG {
                let mut repeats = with_room(&bytes, LONG);
                assert!(repeats.repeat(distance, length));
                let expected = repeated(&bytes, distance, length);
                let found = repeats.into_bytes();
                assert!(found.ends_with(&expected), "{distance}, {length}");
                let mut repeats = with_room(&bytes, LONG - 1);
                assert_eq!(repeats.repeat(distance, length), length <= PIECE);
            }
            assert!(!with_room(&bytes, 2 * LONG).repeat(distance, LONG + 1));
        }
        assert!(!with_room(&bytes, LONG).repeat(LONG - 1, LONG));
    }

    #[test]
    fn nothing_is_appended_without_room_or_from_before_the_start() {
        let mut repeats = with_room(&[5; 20], PIECE - 1);
        let length = repeats.len();
        assert!(!repeats.push([7; PIECE], 1) && !repeats.repeat(9, 1));
        assert!(!repeats.extend(&[7; PIECE]) && !repeats.repeat_any(9, PIECE));
        assert!(!repeats.repeat_any(0, 1) && !repeats.repeat_any(length + 1, 1));
        assert_eq!(repeats.len(), length);
        assert!(repeats.repeat_any(9, PIECE - 1));
        assert_eq!(repeats.room(), 0);
        let mut repeats = with_room(&[5; 20], PIECE);
        assert!(!repeats.push([7; PIECE], PIECE + 1) && !repeats.repeat(0, 1));
        assert!(!repeats.repeat(length + 20, 1));
        assert!(repeats.push([7; PIECE], 3) && repeats.extend(&[8; PIECE - 3]));
        assert!(
            repeats
                .into_bytes()
                .ends_with(&[&[5, 7, 7, 7][..], &[8; 13]].concat())
        );
    }
}
