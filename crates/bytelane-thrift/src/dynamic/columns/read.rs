//! Reads the columns of a message, and skips everything else.

use super::arrays::read_values;
use super::{Column, Columns, Place, Values};
use crate::protocol::Reader;
use crate::{ApplicationException, Decode, Error, ErrorKind, MessageKind, Segment, Type};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{Field, Schema};
use std::sync::Arc;

/// Bytes of memory that a column takes beside its values, at most.
const COLUMN: usize = 1 << 10;

/// A column: its array, and whether it may have nulls.
type Found = (ArrayRef, bool);

impl Columns {
    /// Same as [`decode`](Self::decode), with a reader.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    pub fn read<'de, R: Reader<'de>>(&self, reader: &mut R) -> Result<RecordBatch, Error> {
        if self.is_reply {
            begin_reply(reader)?;
        }
        let columns = self.at_path(&self.path, reader)?;
        if self.is_reply {
            reader.message_end()?;
        }
        self.batch(columns, reader)
    }

    fn at_path<'de, R: Reader<'de>>(
        &self,
        path: &[Place],
        reader: &mut R,
    ) -> Result<Vec<Found>, Error> {
        let Some((Place { field, wire }, rest)) = path.split_first() else {
            return self.list(reader);
        };
        let mut found = None;
        let mut frame = reader.struct_begin()?;
        while let Some(header) =
            reader.selected_field_begin(&mut frame, wire, |id| id == field.id)?
        {
            let expected = reader.input().expect(Some(field.kind), header.kind);
            let columns = expected.and_then(|()| self.at_path(rest, reader));
            found = Some(columns.map_err(|error| error.within(Segment::Field(field.name)))?);
            reader.field_end()?;
        }
        found.ok_or_else(|| reader.error(ErrorKind::MissingField(field.name)))
    }

    fn list<'de, R: Reader<'de>>(&self, reader: &mut R) -> Result<Vec<Found>, Error> {
        let mut columns: Vec<Found> = Vec::new();
        let mut items = reader.list_begin(Type::List, Some(Type::Struct), COLUMN)?;
        while reader.next(&mut items)? {
            items.pay(reader.input(), COLUMN)?;
            let within = |error: Error| error.within(Segment::Index(columns.len()));
            let column = self.column(reader).map_err(within)?;
            let (len, first) = (column.0.len(), columns.first().map(|it| it.0.len()));
            if let Some(first) = first.filter(|first| *first != len) {
                let (name, of_first) = (self.name(columns.len()), self.name(0));
                return Err(within(reader.custom_error(format_args!(
                    "the column `{name}` has {len} values, but `{of_first}` has {first}"
                ))));
            }
            columns.push(column);
        }
        Ok(columns)
    }

    fn column<'de, R: Reader<'de>>(&self, reader: &mut R) -> Result<Found, Error> {
        let (members, wire) = match &self.column {
            Column::Values(values) => return values.read(reader),
            Column::Union(members, wire) => (members, wire),
        };
        let mut found = None;
        let mut frame = reader.struct_begin()?;
        let selects = |id| members.iter().any(|(field, _)| field.id == id);
        while let Some(header) = reader.selected_field_begin(&mut frame, wire, selects)? {
            if found.is_some() {
                return Err(reader.error(ErrorKind::SecondUnionField));
            }
            let Some((field, values)) = members.iter().find(|it| it.0.id == header.id) else {
                continue;
            };
            let expected = reader.input().expect(Some(Type::Struct), header.kind);
            let column = expected.and_then(|()| values.read(reader));
            found = Some(column.map_err(|error| error.within(Segment::Field(field.name)))?);
            reader.field_end()?;
        }
        found.ok_or_else(|| reader.error(ErrorKind::EmptyUnion))
    }

    fn name(&self, index: usize) -> String {
        let name = self.names.as_ref().and_then(|names| names.get(index));
        name.map_or_else(|| format!("column_{index}"), Clone::clone)
    }

    fn batch<'de, R: Reader<'de>>(
        &self,
        columns: Vec<Found>,
        reader: &mut R,
    ) -> Result<RecordBatch, Error> {
        if let Some(names) = &self.names
            && names.len() != columns.len()
        {
            let (count, names) = (columns.len(), names.len());
            let problem = format_args!("the number of columns is {count}, that of names {names}");
            return Err(reader.custom_error(problem));
        }
        let rows = columns.first().map_or(0, |(array, _)| array.len());
        let fields = columns.iter().enumerate();
        let fields = fields.map(|(index, (array, nullable))| {
            Field::new(self.name(index), array.data_type().clone(), *nullable)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let arrays = columns.into_iter().map(|(array, _)| array).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options);
        batch.map_err(|error| reader.custom_error(error))
    }
}

/// Reads the envelope of a reply. The answer of a call that failed is an error.
fn begin_reply<'de, R: Reader<'de>>(reader: &mut R) -> Result<(), Error> {
    match reader.message_begin()?.kind {
        MessageKind::Reply => Ok(()),
        MessageKind::Exception => {
            let failure = ApplicationException::read(reader)?;
            Err(reader.custom_error(format_args!(
                "the service answered with an exception: {failure}"
            )))
        }
        other => Err(reader.error(ErrorKind::InvalidMessageKind(other as u8))),
    }
}

impl Values {
    /// Reads a column.
    ///
    /// Null bits may follow the values: text and binary are read after both were found.
    fn read<'de, R: Reader<'de>>(&self, reader: &mut R) -> Result<Found, Error> {
        let (mut values, mut bits) = (None, None);
        let mut frame = reader.struct_begin()?;
        let nulls = self.nulls.map(|field| field.id);
        let selects = |id| id == self.values.id || Some(id) == nulls;
        while let Some(header) = reader.selected_field_begin(&mut frame, &self.wire, selects)? {
            if header.id == self.values.id {
                let expected = reader.input().expect(Some(Type::List), header.kind);
                let read = expected.and_then(|()| read_values(&self.element, reader));
                values = Some(read.map_err(|error| self.within(error))?);
            } else if let Some(field) = self.nulls {
                let expected = reader.input().expect(Some(Type::String), header.kind);
                let read = expected.and_then(|()| reader.binary());
                bits = Some(read.map_err(|error| error.within(Segment::Field(field.name)))?);
            }
            reader.field_end()?;
        }
        let values = values
            .ok_or_else(|| self.within(reader.error(ErrorKind::MissingField(self.values.name))))?;
        let nulls = match &bits {
            Some(bits) => null_buffer(bits, values.len(), reader)?,
            None => None,
        };
        let array = values.finish(&self.element, nulls, reader);
        let array = array.map_err(|error| self.within(error))?;
        Ok((array, self.nulls.is_some()))
    }

    fn within(&self, error: Error) -> Error {
        error.within(Segment::Field(self.values.name))
    }
}

/// Converts null bits of a message to Arrow's, which are set for valid values.
fn null_buffer<'de, R: Reader<'de>>(
    bits: &[u8],
    len: usize,
    reader: &mut R,
) -> Result<Option<NullBuffer>, Error> {
    let bytes = len.div_ceil(8);
    let bits = &bits[..bits.len().min(bytes)];
    if bits.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    reader.input().charge(bytes)?;
    let mut valid = vec![0xff; bytes];
    for (valid, bits) in valid.iter_mut().zip(bits) {
        *valid = !bits;
    }
    let nulls = NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid), 0, len));
    Ok(Some(nulls).filter(|nulls| nulls.null_count() > 0))
}
