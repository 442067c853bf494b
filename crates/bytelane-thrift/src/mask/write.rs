//! Writes only the parts that a mask selects.

use super::key::Key;
use super::node::Node;
use super::position::{Kind, Position};
use crate::protocol::Writer;
use crate::{Envelope, Error, Field, Frame, Type, UnknownField};

/// Writer that leaves out what a mask does not select.
///
/// Code that writes asks before each optional field, element and entry whether it is selected.
#[derive(Debug)]
pub(crate) struct MaskedWriter<'m, 'w, W> {
    inner: &'w mut W,
    at: Position<'m, usize>,
    /// True if a container was written without asking.
    is_wrong: bool,
}

impl<'m, 'w, W> MaskedWriter<'m, 'w, W> {
    pub(crate) fn new(inner: &'w mut W, node: &'m Node) -> Self {
        Self {
            inner,
            at: Position::new(node),
            is_wrong: false,
        }
    }

    /// Returns an error if a container was written without asking which of its parts are selected.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_wrong {
            Err(Error::custom(
                "a handwritten `Encode::write` or `write_list` cannot write parts of a container",
            ))
        } else {
            Ok(())
        }
    }

    /// Returns whether the position is in a part of a container that a mask selects as a whole, or in a
    /// container or field within it.
    #[inline]
    fn is_deep(&self) -> bool {
        match self.at.level.kind {
            Kind::Part(..) => self.at.within > 1,
            _ => self.at.within > 0,
        }
    }

    /// Leaves the part of a container in which the position is.
    fn leave_part(&mut self) {
        match self.at.level.kind {
            Kind::Part(left, index) => {
                self.at.within = 0;
                self.at.level.kind = Kind::Container(left, index);
            }
            Kind::Struct => self.at.leave(),
            Kind::Container(..) => {}
        }
    }

    /// Asks for the next part of a container.
    fn part(&mut self, part: impl FnOnce(&'m Node, i64) -> &'m Node) -> bool {
        if self.is_deep() {
            return true;
        }
        self.leave_part();
        let Kind::Container(left, index) = self.at.level.kind else {
            return true;
        };
        let part = part(self.at.level.node, index);
        let index = index + 1;
        self.at.level.kind = match part {
            Node::Nothing => Kind::Container(left, index),
            Node::All => Kind::Part(left.wrapping_sub(1), index),
            Node::Some(_) => Kind::Container(left.wrapping_sub(1), index),
        };
        if part.is_nothing() {
            return false;
        }
        self.at.enter(part, Kind::Struct);
        true
    }

    /// Starts a container of which `count` parts are selected.
    fn begin(&mut self, count: usize) {
        if self.at.is_all() {
            self.at.within += 1
        } else {
            self.at.enter(self.at.level.node, Kind::Container(count, 0))
        }
    }

    /// Ends a container.
    fn end(&mut self) {
        if self.is_deep() {
            self.at.within -= 1;
            return;
        }
        self.leave_part();
        if let Kind::Container(left, _) = self.at.level.kind {
            self.is_wrong |= left != 0;
        }
        self.at.leave();
    }
}

/// Defines methods that write a value unchanged.
macro_rules! values {
    ($($method:ident $field:ident $T:ty)*) => { $(
        #[inline]
        fn $method(&mut self, value: $T) {
            self.inner.$method(value);
        }

        #[inline]
        fn $field(&mut self, frame: &mut Frame, field: &Field, value: $T) {
            self.inner.$field(frame, field, value);
        }
    )* };
}

/// Defines methods that write the elements of a list: one by one, if not all are selected.
macro_rules! lists {
    ($($method:ident $one:ident $T:ty)*) => { $(
        fn $method(&mut self, values: &[$T]) {
            if self.at.is_all() {
                self.inner.$method(values);
                return;
            }
            for i in 0..values.len() {
                if self.selects_next() {
                    self.inner.$one(values[i]);
                }
            }
        }
    )* };
}

impl<W: Writer> Writer for MaskedWriter<'_, '_, W> {
    type Output = W::Output;

    const HAS_IDS: bool = W::HAS_IDS;

    const IS_MASKED: bool = true;

    fn output(&mut self) -> &mut Self::Output {
        self.inner.output()
    }

    fn finish(self) -> Self::Output {
        std::mem::take(self.inner.output())
    }

    #[inline]
    fn selects(&self, id: i16) -> bool {
        self.at.within > 0 || self.at.level.node.selects(id)
    }

    fn selects_next(&mut self) -> bool {
        self.part(|node, index| node.number(index))
    }

    fn selects_entry(&mut self, key: Key<'_>) -> bool {
        self.part(|node, _| node.entry(key))
    }

    fn selected_entries(
        &self,
        len: usize,
        count: impl FnOnce(&dyn Fn(Key<'_>) -> bool) -> usize,
    ) -> usize {
        if self.at.is_all() {
            return len;
        }
        let node = self.at.level.node;
        count(&|key| !node.entry(key).is_nothing())
    }

    fn message_begin(&mut self, envelope: &Envelope) -> Result<(), Error> {
        self.inner.message_begin(envelope)
    }

    fn message_end(&mut self) {
        self.inner.message_end();
    }

    fn struct_begin(&mut self) -> Result<Frame, Error> {
        self.inner.struct_begin()
    }

    fn struct_end(&mut self, frame: Frame) {
        self.inner.struct_end(frame);
    }

    #[inline]
    fn field_begin(&mut self, frame: &mut Frame, field: &Field) {
        self.inner.field_begin(frame, field);
        match self.at.level.node.number(field.id.into()) {
            // Everything is selected; or it is a required field.
            _ if self.at.within > 0 => self.at.within += 1,
            Node::Nothing => self.at.within += 1,
            part => self.at.enter(part, Kind::Struct),
        }
    }

    #[inline]
    fn field_end(&mut self) {
        self.at.leave();
        self.inner.field_end();
    }

    values! {
        bool bool_field bool
        i8 i8_field i8
        i16 i16_field i16
        i32 i32_field i32
        i64 i64_field i64
        double double_field f64
    }

    fn float(&mut self, value: f32) -> Result<(), Error> {
        self.inner.float(value)
    }

    fn uuid(&mut self, value: &[u8; 16]) -> Result<(), Error> {
        self.inner.uuid(value)
    }

    fn string(&mut self, value: &str) -> Result<(), Error> {
        self.inner.string(value)
    }

    fn binary(&mut self, value: &[u8]) -> Result<(), Error> {
        self.inner.binary(value)
    }

    fn string_field(&mut self, frame: &mut Frame, field: &Field, value: &str) -> Result<(), Error> {
        self.inner.string_field(frame, field, value)
    }

    fn binary_field(
        &mut self,
        frame: &mut Frame,
        field: &Field,
        value: &[u8],
    ) -> Result<(), Error> {
        self.inner.binary_field(frame, field, value)
    }

    fn unknown_field(&mut self, frame: &mut Frame, field: &UnknownField) -> Result<(), Error> {
        if self.selects(field.id()) {
            self.inner.unknown_field(frame, field)
        } else {
            Ok(())
        }
    }

    fn list_begin(&mut self, kind: Type, element: Type, len: usize) -> Result<(), Error> {
        let count = if self.at.is_all() {
            len
        } else {
            self.at.level.node.count(len)
        };
        self.inner.list_begin(kind, element, count)?;
        self.begin(count);
        Ok(())
    }

    fn list_end(&mut self) {
        self.end();
        self.inner.list_end();
    }

    fn map_begin(&mut self, key: Type, value: Type, len: usize) -> Result<(), Error> {
        self.inner.map_begin(key, value, len)?;
        self.begin(len);
        Ok(())
    }

    fn map_end(&mut self) {
        self.end();
        self.inner.map_end();
    }

    fn key_begin(&mut self) {
        // Keys are selected as a whole.
        self.at.within += 1;
        self.inner.key_begin();
    }

    fn value_begin(&mut self) {
        self.at.within -= 1;
        self.inner.value_begin();
    }

    lists! {
        i8s i8 i8
        i16s i16 i16
        i32s i32 i32
        i64s i64 i64
        doubles double f64
    }

    fn floats(&mut self, values: &[f32]) -> Result<(), Error> {
        if self.at.is_all() {
            return self.inner.floats(values);
        }
        for i in 0..values.len() {
            if self.selects_next() {
                self.inner.float(values[i])?;
            }
        }
        Ok(())
    }
}
