//! Numbers for hashes, in the order of their first appearance.

/// An open table of at least twice the size that it needs: what it holds is known beforehand and thrown away soon.
pub(super) struct Numbers {
    /// For each place the number there, counted from 1, or 0.
    slots: Vec<u32>,
    /// The hashes by their numbers.
    hashes: Vec<u64>,
}

impl Numbers {
    /// A table for that many hashes.
    pub(super) fn for_at_most(count: usize) -> Self {
        Self {
            slots: vec![0; (2 * count).next_power_of_two()],
            hashes: Vec::with_capacity(count),
        }
    }

    /// The number of a hash: the next one if it was not there before.
    pub(super) fn of(&mut self, hash: u64) -> usize {
        let last = self.slots.len() - 1;
        // The uppermost bits may be what the hashes were chosen by.
        let mut at = (hash >> 16) as usize & last;
        loop {
            match self.slots[at] as usize {
                0 => {
                    self.hashes.push(hash);
                    self.slots[at] = self.hashes.len() as u32;
                    return self.hashes.len() - 1;
                }
                number if self.hashes[number - 1] == hash => return number - 1,
                _ => at = (at + 1) & last,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_first_appearance() {
        // All want the same slot.
        let hashes = [7, 7 | 1 << 60, 7, 9 << 50, 7 | 1 << 60];
        let mut numbers = Numbers::for_at_most(hashes.len());
        assert_eq!(hashes.map(|hash| numbers.of(hash)), [0, 1, 0, 2, 1]);
    }
}
