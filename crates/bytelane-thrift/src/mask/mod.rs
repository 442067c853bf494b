//! Field masks: parts of messages to read and write, compiled once from paths.

mod path;
mod position;
mod read;
mod shape;
mod write;

pub use path::InvalidPath;
#[cfg(feature = "arrow")]
pub(crate) use path::{Step, parse as parse_path};
pub(crate) use read::MaskedReader;
pub use shape::{Described, Shape};
pub(crate) use write::MaskedWriter;

use crate::{Message, Reader, Writer};
use shape::Parent;
use std::sync::Arc;

/// Parts of messages of a type: only these are read and written.
///
/// Paths select the parts. What no path selects is skipped while a message is read, without
/// allocating anything for it, and keeps its default value; while a message is written, it is left
/// out.
///
/// | path | selects |
/// |---|---|
/// | `a.b` | the field `b` of the struct in the field `a`, with everything in it |
/// | `a[0,2]` | elements of a list or set, by their indices |
/// | `a[*].b` | a field of all elements |
/// | `a{1,2}` | entries of a map with integer keys |
/// | `a{"x","y"}` | entries of a map with string keys; `\"` and `\\` are escapes |
/// | `a{*}.b` | a field of all values of a map, whatever its keys are |
///
/// A path may begin with `$.` or `$`, for the message itself. Keys are never masked. The paths and their
/// meaning are those of Kitex (thriftgo's field masks), except that the end of a path may be anywhere. Masks
/// of fbthrift, which include or exclude fields, have the same meaning.
///
/// Required fields are always written, with everything in them, as Kitex writes them, because
/// readers reject messages without them. A message lacks no required field that its mask does not
/// select. A union whose member is not selected is `None` if it is optional, and else an error.
///
/// Cloning a mask is cheap.
///
/// ```
/// use bytelane_thrift::{Compact, FieldMask, Message, Thrift};
///
/// #[derive(Debug, PartialEq, Thrift)]
/// struct Line {
///     #[thrift(id = 1)]
///     article: String,
///     #[thrift(id = 2)]
///     count: i32,
/// }
///
/// #[derive(Debug, PartialEq, Thrift)]
/// struct Order {
///     #[thrift(id = 1)]
///     id: i64,
///     #[thrift(id = 2)]
///     lines: Vec<Line>,
///     #[thrift(id = 3)]
///     note: String,
/// }
///
/// let mask = FieldMask::of::<Order>(["id", "lines[*].count"])?;
/// let line = Line { article: "tea".into(), count: 2 };
/// let order = Order { id: 7, lines: vec![line], note: "long".into() };
/// let bytes = order.encode::<Compact>()?;
/// let read = Order::decode_masked::<Compact>(&bytes, &mask)?;
/// assert_eq!((read.id, read.lines[0].count), (7, 2));
/// assert_eq!((&*read.lines[0].article, &*read.note), ("", ""));
/// assert_eq!(order.encode_masked::<Compact>(&mask)?, [0x16, 14, 0x19, 0x1c, 0x25, 4, 0, 0]);
///
/// let error = FieldMask::of::<Order>(["lines[*].price"]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the path `lines[*].price`: `price` is not a field; the fields are article, count"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct FieldMask(Arc<Node>);

/// Maximum number of parts of a mask. Each key of a path has a part of its own for what follows it.
const PARTS: usize = 1 << 16;

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

/// Key of an entry of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub enum Key<'a> {
    /// An integer, or the number of an enum.
    Number(i64),
    /// A string or binary.
    Text(&'a [u8]),
    /// Anything else.
    Other,
}

impl FieldMask {
    /// Creates a mask that selects the given paths. Without paths, it selects everything, as in Kitex.
    ///
    /// # Errors
    ///
    /// A path is malformed, or does not fit the type; all paths together have more than 65,536 parts.
    pub fn of<T: Message>(
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, InvalidPath> {
        Self::selecting(Shape::of::<T>(), paths)
    }

    /// Creates a mask that selects everything except the given paths.
    ///
    /// # Errors
    ///
    /// The same as [`of`](Self::of).
    pub fn without<T: Message>(
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, InvalidPath> {
        Self::rejecting(Shape::of::<T>(), paths)
    }

    pub(crate) fn selecting(
        root: impl Parent,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, InvalidPath> {
        let mask = Self::compile(root, paths, true)?;
        Ok(mask.unwrap_or(Self(Arc::new(Node::All))))
    }

    pub(crate) fn rejecting(
        root: impl Parent,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, InvalidPath> {
        let mask = Self::compile(root, paths, false)?;
        Ok(mask.unwrap_or(Self(Arc::new(Node::All))))
    }

    /// `None` without paths.
    fn compile(
        root: impl Parent,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
        selects: bool,
    ) -> Result<Option<Self>, InvalidPath> {
        let (before, after) = if selects {
            (Node::Nothing, Node::All)
        } else {
            (Node::All, Node::Nothing)
        };
        let (mut node, mut left) = (None, PARTS);
        for path in paths {
            let path = path.as_ref();
            let (steps, _) = path::parse(path, &root)?;
            let node = node.get_or_insert(before.clone());
            node.insert(&steps, &after, &mut left)
                .ok_or_else(|| InvalidPath::too_many(path))?;
        }
        if let Some(node) = &mut node {
            node.seal();
        }
        Ok(node.map(|node| Self(Arc::new(node))))
    }

    /// Returns a reader of the parts that this mask selects, for code that has types of its own.
    #[doc(hidden)]
    pub fn reader<'de, R: Reader<'de>>(&self, reader: R) -> impl Reader<'de> {
        MaskedReader::new(reader, self.root())
    }

    /// Returns a writer of the parts that this mask selects, for code that asks for each part whether it is
    /// one.
    #[doc(hidden)]
    pub fn writer<W: Writer>(&self, writer: &mut W) -> impl Writer {
        MaskedWriter::new(writer, self.root())
    }

    pub(crate) fn root(&self) -> &Node {
        &self.0
    }
}

impl Node {
    /// Makes the end of a path selected or not, according to `after`. `None` if the mask has too many
    /// parts.
    fn insert(&mut self, steps: &[path::Step], after: &Self, left: &mut usize) -> Option<()> {
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
            path::Step::Numbers(numbers) => {
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
            path::Step::Texts(texts) => {
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
            path::Step::All => {
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
    fn seal(&mut self) {
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
