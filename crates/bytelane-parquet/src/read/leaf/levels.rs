//! Levels of an array, which say where its lists begin and what is null.

/// Levels of an array of a nested column, or, while all of its lists are long and nothing is null, the places where rows begin.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    repetition: Vec<u8>,
    definition: Vec<u8>,
    starts: Starts,
}

/// Places where rows begin, for levels of which all are the greatest definition level.
#[derive(Debug, Default)]
struct Starts {
    places: Vec<usize>,
    /// Number of levels, 0 if there are bytes for them.
    count: usize,
    definition: u8,
}

impl Levels {
    /// Returns the number of levels.
    pub(crate) fn len(&self) -> usize {
        self.definition.len().max(self.starts.count)
    }

    /// Returns the number of bytes that they take.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = self.repetition.len() + self.definition.len();
        (bytes + size_of_val(&self.starts.places[..])) as u64
    }

    /// Returns the places where rows begin, and the number of levels, if these are all that the levels say.
    pub(crate) fn starts(&self) -> Option<(&[usize], usize)> {
        let Starts { places, count, .. } = &self.starts;
        (*count > 0).then_some((places, *count))
    }

    /// Returns the repetition and definition levels, unless there are [`starts`](Self::starts).
    pub(crate) fn all(&self) -> (&[u8], &[u8]) {
        (&self.repetition, &self.definition)
    }

    /// Reserves capacity for this many levels.
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.starts.count == 0 {
            self.repetition.reserve(more);
            self.definition.reserve(more);
        }
    }

    /// Appends levels.
    pub(crate) fn append(&mut self, repetition: &[u8], definition: &[u8]) {
        let Starts {
            places,
            count,
            definition: greatest,
        } = std::mem::take(&mut self.starts);
        if count > 0 {
            self.append_bytes(places.into_iter(), count, greatest);
        }
        self.repetition.extend_from_slice(repetition);
        self.definition.extend_from_slice(definition);
    }

    /// Appends `count` levels: the greatest definition level, and rows that begin at these places.
    pub(crate) fn append_starts(
        &mut self,
        starts: impl Iterator<Item = usize>,
        count: usize,
        greatest: u8,
    ) {
        if !self.definition.is_empty() {
            self.append_bytes(starts, count, greatest);
            return;
        }
        let before = self.starts.count;
        self.starts
            .places
            .extend(starts.map(|start| before + start));
        self.starts.count += count;
        self.starts.definition = greatest;
    }

    fn append_bytes(&mut self, starts: impl Iterator<Item = usize>, count: usize, greatest: u8) {
        let before = self.repetition.len();
        self.repetition.resize(before + count, 1);
        starts.for_each(|start| self.repetition[before + start] = 0);
        self.definition
            .resize(self.definition.len() + count, greatest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_levels_once_there_are_others() {
        let mut levels = Levels::default();
        levels.append_starts([0, 2].into_iter(), 5, 3);
        levels.append_starts([1].into_iter(), 2, 3);
        assert_eq!(levels.starts(), Some((&[0, 2, 6][..], 7)));
        assert_eq!((levels.len(), levels.bytes()), (7, 24));
        levels.append(&[0, 1], &[3, 2]);
        levels.append_starts([0].into_iter(), 2, 3);
        assert_eq!(levels.starts(), None);
        let repetition = &[0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1][..];
        assert_eq!(
            levels.all(),
            (repetition, &[3, 3, 3, 3, 3, 3, 3, 3, 2, 3, 3][..])
        );
        assert_eq!((levels.len(), levels.bytes()), (11, 22));
    }
}
