//! Field masks: parts of messages to read and write, compiled once from paths.

mod key;
mod node;
mod path;
mod position;
mod read;
mod shape;
mod write;

pub use key::Key;
pub use path::InvalidPath;
#[cfg(feature = "arrow")]
pub(crate) use path::{Step, parse as parse_path};
pub(crate) use read::MaskedReader;
pub(crate) use shape::{Child, Parent};
pub use shape::{Described, Shape};
pub(crate) use write::MaskedWriter;

use crate::{Reader, Writer};
use node::{Node, PARTS};
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

impl FieldMask {
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
