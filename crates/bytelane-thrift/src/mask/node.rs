//! Selected parts of a value.

use super::key::Key;
use super::path::Step;

/// Maximum number of parts of a mask. Each key of a path has a part of its own for what follows it.
pub(super) const PARTS: usize = 1 << 16;

/// Selection within a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node {
    /// The value with everything in it.
    All,
    Nothing,
    /// Parts of the value.
    Some(Box<Parts>),
}

/// Parts of a struct or container.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parts {
    /// Fields by their ids, elements by their indices, or entries by integer keys, in ascending order.
    numbers: Vec<(i64, Node)>,
    /// Entries of a map by string keys, in ascending order.
    texts: Vec<(Box<str>, Node)>,
    /// All other parts.
    rest: Node,
    /// For each field id below 64, whether something of the field is selected.
    first: u64,
}

impl Node {
    /// Makes the end of a path selected or not, according to `after`. `None` if the mask has too many
    /// parts.
    pub(super) fn insert(&mut self, steps: &[Step], after: &Self, left: &mut usize) -> Option<()> {
        let Some((step, rest)) = steps.split_first() else {
            *self = after.clone();
            return Some(());
        };
        if self == after {
            // A path to a part of something that another path has.
            return Some(());
        }
        if !matches!(self, Self::Some(_)) {
            *self = Self::Some(Box::new(Parts {
                numbers: Vec::new(),
                texts: Vec::new(),
                rest: self.clone(),
                first: 0,
            }));
        }
        let Self::Some(parts) = self else { return None };
        match step {
            Step::Numbers(numbers) => {
                for number in numbers {
                    let find = |it: &(i64, Self)| it.0.cmp(number);
                    let place = match parts.numbers.binary_search_by(find) {
                        Ok(place) => place,
                        Err(place) => {
                            let part = parts.rest.copied(left)?;
                            parts.numbers.insert(place, (*number, part));
                            place
                        }
                    };
                    parts.numbers[place].1.insert(rest, after, left)?;
                }
            }
            Step::Texts(texts) => {
                for text in texts {
                    let find = |it: &(Box<str>, Self)| (*it.0).cmp(&**text);
                    let place = match parts.texts.binary_search_by(find) {
                        Ok(place) => place,
                        Err(place) => {
                            let part = parts.rest.copied(left)?;
                            parts.texts.insert(place, (text.clone(), part));
                            place
                        }
                    };
                    parts.texts[place].1.insert(rest, after, left)?;
                }
            }
            Step::All => {
                let numbers = parts.numbers.iter_mut().map(|it| &mut it.1);
                let texts = parts.texts.iter_mut().map(|it| &mut it.1);
                for part in numbers.chain(texts).chain([&mut parts.rest]) {
                    *left = left.checked_sub(1)?;
                    part.insert(rest, after, left)?;
                }
            }
        }
        Some(())
    }

    /// Returns a copy, unless the mask has too many parts.
    fn copied(&self, left: &mut usize) -> Option<Self> {
        *left = left.checked_sub(self.size())?;
        Some(self.clone())
    }

    /// Returns the number of parts.
    fn size(&self) -> usize {
        let Self::Some(parts) = self else { return 1 };
        let numbers = parts.numbers.iter().map(|it| &it.1);
        let texts = parts.texts.iter().map(|it| &it.1);
        let all = numbers.chain(texts).chain([&parts.rest]);
        1 + all.map(Self::size).sum::<usize>()
    }

    /// Returns the part with a field id, an index, or an integer key.
    #[inline]
    pub(crate) fn number(&self, number: i64) -> &Self {
        let Self::Some(parts) = self else { return self };
        match parts.numbers.binary_search_by_key(&number, |it| it.0) {
            Ok(place) => &parts.numbers[place].1,
            Err(_) => &parts.rest,
        }
    }

    /// Completes a node to which nothing will be added.
    pub(super) fn seal(&mut self) {
        let Self::Some(parts) = self else { return };
        let numbers = parts.numbers.iter_mut().map(|it| &mut it.1);
        let texts = parts.texts.iter_mut().map(|it| &mut it.1);
        numbers
            .chain(texts)
            .chain([&mut parts.rest])
            .for_each(Self::seal);
        let selected = (0..64).filter(|id| !self.number(*id).is_nothing());
        let first = selected.fold(0, |first, id| first | 1 << id);
        if let Self::Some(parts) = self {
            parts.first = first;
        }
    }

    /// Returns whether something of a field is selected.
    #[inline]
    pub(crate) fn selects(&self, id: i16) -> bool {
        self.selector()(id)
    }

    /// Returns the same for many fields: a function with the bits for small ids.
    #[inline]
    pub(crate) fn selector(&self) -> impl Fn(i16) -> bool {
        let first = match self {
            Self::All => u64::MAX,
            Self::Nothing => 0,
            Self::Some(parts) => parts.first,
        };
        move |id| match id {
            0..64 => first >> id & 1 == 1,
            _ => !self.number(id.into()).is_nothing(),
        }
    }

    /// Returns the part with the key of an entry.
    pub(crate) fn entry(&self, key: Key<'_>) -> &Self {
        let Self::Some(parts) = self else { return self };
        match key {
            Key::Number(number) => self.number(number),
            Key::Text(text) => {
                let find = |it: &(Box<str>, Self)| it.0.as_bytes().cmp(text);
                match parts.texts.binary_search_by(find) {
                    Ok(place) => &parts.texts[place].1,
                    Err(_) => &parts.rest,
                }
            }
            Key::Other => &parts.rest,
        }
    }

    /// Returns whether entries of a map are selected by their keys.
    pub(crate) fn has_keys(&self) -> bool {
        match self {
            Self::Some(parts) => !(parts.numbers.is_empty() && parts.texts.is_empty()),
            _ => false,
        }
    }

    /// Returns the number of selected elements of a list of `len`.
    pub(crate) fn count(&self, len: usize) -> usize {
        let Self::Some(parts) = self else {
            return if self.is_nothing() { 0 } else { len };
        };
        let indices = parts.numbers.iter();
        let within = indices.filter(|it| usize::try_from(it.0).is_ok_and(|index| index < len));
        let rest_is_nothing = parts.rest.is_nothing();
        let others = within
            .filter(|it| it.1.is_nothing() != rest_is_nothing)
            .count();
        if rest_is_nothing {
            others
        } else {
            len - others
        }
    }

    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    #[inline]
    pub(crate) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }
}
