//! A struct of a file's metadata, changed in some fields only.
//!
//! Whatever nobody asks for keeps its bytes, also what versions of the format to come will add:
//! a rewritten file loses nothing that was in its footer.

use bytelane_thrift::{
    Apache, Compact, Decode, Encode, Error, ErrorKind, Field, FieldHeader, Frame, Input, Limits,
    Protocol, Reader, Type, Writer,
};
use bytes::Bytes;

/// The protocol of all metadata in Parquet.
pub(crate) type Parquet = Compact<Apache>;

/// The fields of a struct, in the order in which they are in the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(FieldHeader, Value)>);

#[derive(Clone, Debug)]
enum Value {
    /// The header of a field holds it.
    Bool(bool),
    /// As it is in the file.
    Encoded(Bytes),
}

impl Fields {
    /// The fields of the struct at the start of `bytes`, and the struct's length in bytes.
    pub fn read(bytes: &Bytes) -> Result<(Self, usize), Error> {
        let mut reader = reader(bytes);
        let mut frame = reader.struct_begin()?;
        let mut fields = Vec::new();
        while let Some(header) = reader.field_begin(&mut frame, &[])? {
            let value = if header.kind == Type::Bool {
                Value::Bool(reader.bool()?)
            } else {
                Value::Encoded(skipped(&mut reader, bytes, header.kind)?)
            };
            reader.field_end()?;
            fields.push((header, value));
        }
        Ok((Self(fields), reader.finish().offset()))
    }

    /// The struct, encoded.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let mut frame = Frame::default();
        for (header, value) in &self.0 {
            let mut writer = Parquet::writer(bytes, &Limits::default());
            let field = Field::new(header.id, "", header.kind);
            match value {
                Value::Bool(value) => writer.bool_field(&mut frame, &field, *value),
                Value::Encoded(_) => writer.field_begin(&mut frame, &field),
            }
            bytes = writer.finish();
            if let Value::Encoded(value) = value {
                bytes.extend_from_slice(value);
            }
        }
        bytes.push(0); // the end of a struct
        Ok(bytes)
    }

    pub fn has(&self, id: i16) -> bool {
        self.0.iter().any(|(header, _)| header.id == id)
    }

    /// Whether a field is there more than once, which readers take to be one or the other.
    pub fn is_repeated(&self, id: i16) -> bool {
        let fields = self.0.iter().filter(|(header, _)| header.id == id);
        fields.count() > 1
    }

    /// The value of a field that is not a bool, if the field is there.
    pub fn get<'b, T: Decode<'b>>(&'b self, id: i16) -> Result<Option<T>, Error> {
        self.encoded(id, T::TYPE)?
            .map(|bytes| T::read(&mut reader(bytes)))
            .transpose()
    }

    /// The value of a field, unless the field is missing or has a type of its writer's own.
    pub fn typed<'b, T: Decode<'b>>(&'b self, id: i16) -> Result<Option<T>, Error> {
        let typed = |(header, _): &&(FieldHeader, Value)| header.id == id && header.kind == T::TYPE;
        match self.0.iter().find(typed) {
            Some(_) => self.get(id),
            None => Ok(None),
        }
    }

    /// The value of a field that must be there.
    pub fn require<'b, T: Decode<'b>>(&'b self, id: i16, name: &'static str) -> Result<T, Error> {
        self.get(id)?.ok_or_else(|| missing(name))
    }

    /// The fields of a field that is a struct and must be there.
    pub fn structure(&self, id: i16, name: &'static str) -> Result<Self, Error> {
        let bytes = self
            .encoded(id, Type::Struct)?
            .ok_or_else(|| missing(name))?;
        Ok(Self::read(bytes)?.0)
    }

    /// The structs in a field that is a list of them, each as its bytes; none if the field is not there.
    pub fn items(&self, id: i16) -> Result<Vec<Bytes>, Error> {
        let Some(bytes) = self.encoded(id, Type::List)? else {
            return Ok(Vec::new());
        };
        let mut reader = reader(bytes);
        let mut items = reader.list_begin(Type::List, Some(Type::Struct), size_of::<Bytes>())?;
        let mut structures = Vec::new();
        while reader.next(&mut items)? {
            structures.push(skipped(&mut reader, bytes, Type::Struct)?);
        }
        Ok(structures)
    }

    /// The structs in a field that is a list of them; none if the field is not there.
    pub fn structures(&self, id: i16) -> Result<Vec<Self>, Error> {
        let items = self.items(id)?;
        items.iter().map(|item| Ok(Self::read(item)?.0)).collect()
    }

    /// Sets a field that is not a bool.
    pub fn set<T: Encode>(&mut self, id: i16, value: &T) -> Result<(), Error> {
        let mut writer = Parquet::writer(Vec::new(), &Limits::default());
        value.write(&mut writer)?;
        self.replace(id, T::TYPE, writer.finish().into());
        Ok(())
    }

    /// Sets a field to a struct.
    pub fn set_structure(&mut self, id: i16, structure: &Self) -> Result<(), Error> {
        self.replace(id, Type::Struct, structure.write()?.into());
        Ok(())
    }

    /// Sets a field to a list of structs.
    pub fn set_structures(&mut self, id: i16, structures: &[Self]) -> Result<(), Error> {
        let items = structures.iter().map(Self::write);
        self.set_items(id, &items.collect::<Result<Vec<_>, _>>()?)
    }

    /// Sets a field to a list of structs, each of which is encoded.
    pub fn set_items(&mut self, id: i16, items: &[impl AsRef<[u8]>]) -> Result<(), Error> {
        let mut writer = Parquet::writer(Vec::new(), &Limits::default());
        writer.list_begin(Type::List, Type::Struct, items.len())?;
        writer.list_end();
        let mut bytes = writer.finish();
        bytes.reserve_exact(items.iter().map(|item| item.as_ref().len()).sum());
        for item in items {
            bytes.extend_from_slice(item.as_ref());
        }
        self.replace(id, Type::List, bytes.into());
        Ok(())
    }

    /// Leaves out the fields that `keeps` does not want, by their numbers and types.
    pub fn retain(&mut self, mut keeps: impl FnMut(i16, Type) -> bool) {
        self.0.retain(|(header, _)| keeps(header.id, header.kind));
    }

    /// Makes a field that is not a bool what it is in another struct, where it may be missing.
    pub fn take(&mut self, id: i16, other: &Self) {
        self.remove(id);
        if let Some((header, Value::Encoded(bytes))) =
            other.0.iter().find(|(header, _)| header.id == id)
        {
            self.replace(id, header.kind, bytes.clone());
        }
    }

    pub fn remove(&mut self, id: i16) {
        self.0.retain(|(header, _)| header.id != id);
    }

    /// Puts a field where it was, or where its number belongs.
    fn replace(&mut self, id: i16, kind: Type, bytes: Bytes) {
        let field = (FieldHeader::new(id, kind), Value::Encoded(bytes));
        match self.0.iter().position(|(header, _)| header.id >= id) {
            Some(at) if self.0[at].0.id == id => self.0[at] = field,
            Some(at) => self.0.insert(at, field),
            None => self.0.push(field),
        }
    }

    fn encoded(&self, id: i16, expected: Type) -> Result<Option<&Bytes>, Error> {
        let Some((header, value)) = self.0.iter().find(|(header, _)| header.id == id) else {
            return Ok(None);
        };
        match value {
            Value::Encoded(bytes) if header.kind == expected => Ok(Some(bytes)),
            _ => Err(reader(&[]).error(ErrorKind::WrongType {
                expected,
                found: header.kind,
            })),
        }
    }
}

fn reader(bytes: &[u8]) -> <Parquet as Protocol>::Reader<'_> {
    Parquet::reader(Input::new(bytes, Limits::default()))
}

/// The bytes of the value of this type that the reader, which reads `bytes`, is in front of.
fn skipped(
    reader: &mut <Parquet as Protocol>::Reader<'_>,
    bytes: &Bytes,
    kind: Type,
) -> Result<Bytes, Error> {
    let start = reader.input().offset();
    reader.skip(kind)?;
    Ok(bytes.slice(start..reader.input().offset()))
}

fn missing(name: &'static str) -> Error {
    reader(&[]).error(ErrorKind::MissingField(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytelane_thrift::{Message, Thrift};

    #[derive(Clone, Debug, PartialEq, Thrift)]
    struct Inner {
        #[thrift(id = 1)]
        name: String,
        #[thrift(id = 40)]
        flag: bool,
    }

    #[derive(Clone, Debug, PartialEq, Thrift)]
    struct Outer {
        #[thrift(id = 1)]
        version: i32,
        #[thrift(id = 2)]
        ready: bool,
        #[thrift(id = 4)]
        parts: Vec<Inner>,
        #[thrift(id = 5)]
        offset: Option<i64>,
        #[thrift(id = 300)]
        far: f64,
    }

    fn outer() -> Outer {
        let inner = |index: i32| Inner {
            name: format!("column {index}"),
            flag: index % 2 == 0,
        };
        Outer {
            version: 2,
            ready: true,
            parts: (0..20).map(inner).collect(),
            offset: None,
            far: -0.0,
        }
    }

    #[test]
    fn what_is_not_touched_keeps_its_bytes() {
        let bytes = outer().encode::<Parquet>().unwrap();
        let longer = Bytes::from([bytes.as_slice(), b"behind"].concat());
        let (fields, length) = Fields::read(&longer).unwrap();
        assert_eq!(length, bytes.len());
        assert_eq!(fields.write().unwrap(), bytes);
    }

    #[test]
    fn fields_are_read_set_and_removed() {
        let bytes = Bytes::from(outer().encode::<Parquet>().unwrap());
        let (mut fields, _) = Fields::read(&bytes).unwrap();
        assert_eq!(fields.get(1).unwrap(), Some(2_i32));
        assert_eq!(fields.get::<i64>(5).unwrap(), None);
        assert!(fields.get::<i64>(1).is_err(), "an i32 is not an i64");
        let parts = fields.structures(4).unwrap();
        assert_eq!(parts.len(), 20);
        let mut part = parts[7].clone();
        part.set(1, &"renamed".to_owned()).unwrap();
        fields.set_structures(4, &[part]).unwrap();
        fields.set(5, &(1_i64 << 40)).unwrap();
        fields.remove(300);
        let changed = Outer::decode::<Parquet>(&fields.write().unwrap()).unwrap();
        let expected = Outer {
            parts: vec![Inner {
                name: "renamed".into(),
                flag: false,
            }],
            offset: Some(1 << 40),
            far: 0.0,
            ..outer()
        };
        assert_eq!(changed, expected);
    }

    #[test]
    fn cut_metadata_is_an_error() {
        let bytes = Bytes::from(outer().encode::<Parquet>().unwrap());
        for length in 0..bytes.len() {
            assert!(Fields::read(&bytes.slice(..length)).is_err(), "{length}");
        }
    }
}
