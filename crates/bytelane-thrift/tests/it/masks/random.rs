//! Random masks of random values, against a specification that filters values.

use bytelane_thrift::dynamic::{
    EnumType, FieldType, List, Map, Schema, Struct, StructType, Value, ValueType,
};
use bytelane_thrift::{
    Binary, Compact, Field, FieldMask, Json, Options, Protocol, SimpleJson, Type,
};

/// Step of a path, for the specification below.
#[derive(Clone, Debug)]
enum Step {
    Field(i16),
    Numbers(Vec<i64>),
    Texts(Vec<String>),
    All,
}

impl Step {
    fn takes(&self, index: i64, key: Option<&Value>) -> bool {
        match (self, key) {
            (Self::All, _) => true,
            (Self::Field(id), _) => i64::from(*id) == index,
            (Self::Numbers(numbers), None) => numbers.contains(&index),
            (Self::Numbers(numbers), Some(key)) => match key {
                Value::I32(key) => numbers.contains(&(*key).into()),
                Value::Enum { number, .. } => numbers.contains(&(*number).into()),
                _ => false,
            },
            (Self::Texts(texts), Some(Value::String(key))) => texts.contains(key),
            (Self::Texts(_), _) => false,
        }
    }
}

/// Specification: the parts of a value that paths select, or do not reject. Each path is relative to the
/// value, and all of them begin there.
fn filtered(value: &Value, paths: &[&[Step]], selects: bool) -> Option<Value> {
    if paths.iter().any(|path| path.is_empty()) {
        return selects.then(|| value.clone());
    }
    let part = |value: &Value, index: i64, key: Option<&Value>| {
        let inside = paths.iter().filter(|path| path[0].takes(index, key));
        let inside: Vec<_> = inside.map(|path| &path[1..]).collect();
        if inside.is_empty() {
            (!selects).then(|| value.clone())
        } else {
            filtered(value, &inside, selects)
        }
    };
    let elements = |list: &List| {
        let values = list.values.iter().enumerate();
        let values = values.filter_map(|(index, value)| part(value, index as i64, None));
        List {
            element: list.element,
            values: values.collect(),
        }
    };
    Some(match value {
        Value::List(list) => Value::List(elements(list)),
        Value::Set(set) => Value::Set(elements(set)),
        Value::Map(map) => {
            let entries = map.entries.iter();
            let entries =
                entries.filter_map(|(key, value)| Some((key.clone(), part(value, -1, Some(key))?)));
            Value::Map(Map {
                entries: entries.collect(),
                ..map.clone()
            })
        }
        Value::Struct(fields) => {
            let fields = fields.fields.iter();
            let fields = fields
                .filter_map(|(field, value)| Some((*field, part(value, field.id.into(), None)?)));
            Value::Struct(Struct {
                fields: fields.collect(),
            })
        }
        other => other.clone(),
    })
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn value(&mut self, schema: &Schema, ty: &ValueType, depth: u32) -> Value {
        let count = if depth == 0 { 0 } else { self.below(4) };
        let depth = depth.saturating_sub(1);
        match ty {
            ValueType::Bool => Value::Bool(self.below(2) == 1),
            ValueType::I32 => Value::I32(self.below(4) as i32),
            ValueType::Double => Value::Double(self.below(9) as f64),
            ValueType::String => Value::String("xyz"[..self.below(3) as usize].into()),
            ValueType::Enum(0) => match self.below(3) as i32 {
                number @ 1.. => Value::Enum {
                    number,
                    name: ["", "RED", "BLUE"][number as usize],
                },
                number => Value::I32(number),
            },
            ValueType::List(of) | ValueType::Set(of) => {
                let values = (0..count).map(|_| self.value(schema, of, depth)).collect();
                let list = List {
                    element: of.kind(),
                    values,
                };
                match ty.kind() {
                    Type::Set => Value::Set(list),
                    _ => Value::List(list),
                }
            }
            ValueType::Map(key, of) => {
                let entry = |_| (self.value(schema, key, 1), self.value(schema, of, depth));
                let entries = (0..count).map(entry).collect();
                Value::Map(Map {
                    key: key.kind(),
                    value: of.kind(),
                    entries,
                })
            }
            ValueType::Struct(number) => {
                let mut fields: Vec<(Field, Value)> = Vec::new();
                for it in schema.structs()[*number].fields() {
                    if depth > 0 && self.below(4) > 0 {
                        fields.push((it.field, self.value(schema, &it.ty, depth)));
                    }
                }
                Value::Struct(Struct { fields })
            }
            other => panic!("no value of the type {other}"),
        }
    }

    /// Returns a path, its text, and its end's type.
    fn path(&mut self, schema: &Schema, ty: &ValueType) -> (Vec<Step>, String) {
        let (mut steps, mut text, mut ty) = (Vec::new(), String::from("$"), ty);
        while self.below(6) > 0 {
            match ty {
                ValueType::Struct(number) => {
                    let fields = schema.structs()[*number].fields();
                    let field = &fields[self.below(fields.len() as u64) as usize];
                    steps.push(Step::Field(field.field.id));
                    text += &format!(".{}", field.field.name);
                    ty = &field.ty;
                }
                ValueType::List(of) | ValueType::Set(of) => {
                    let (step, inside) = self.numbers();
                    steps.push(step);
                    text += &format!("[{inside}]");
                    ty = of;
                }
                ValueType::Map(key, of) => {
                    let (step, inside) = match key.kind() {
                        Type::I32 => self.numbers(),
                        Type::String if self.below(4) > 0 => {
                            let texts = ["", "x", "xy"];
                            let first = self.below(3) as usize;
                            let texts = texts[first..].iter().map(|it| (*it).to_owned());
                            let texts: Vec<String> = texts.collect();
                            let quoted = texts.iter().map(|it| format!("{it:?}"));
                            let inside = quoted.collect::<Vec<_>>().join(",");
                            (Step::Texts(texts), inside)
                        }
                        _ => (Step::All, "*".into()),
                    };
                    steps.push(step);
                    text += &format!("{{{inside}}}");
                    ty = of;
                }
                _ => break,
            }
        }
        (steps, text)
    }

    fn numbers(&mut self) -> (Step, String) {
        match self.below(4) {
            0 => (Step::All, "*".into()),
            first => {
                let numbers = [self.below(4), first].map(|it| it as i64);
                let texts = numbers.map(|it| it.to_string());
                (Step::Numbers(numbers.into()), texts.join(","))
            }
        }
    }
}

fn schema() -> Schema {
    use ValueType::{Double, Enum, I32, List, Map, Set, String, Struct};
    let list = |of| List(Box::new(of));
    let map = |key, of| Map(Box::new(key), Box::new(of));
    let fields = [
        ("number", I32),
        ("text", String),
        ("numbers", list(I32)),
        ("flags", list(ValueType::Bool)),
        ("nested", list(list(Double))),
        ("set", Set(Box::new(Struct(1)))),
        ("tree", Struct(0)),
        ("trees", list(Struct(0))),
        ("by_number", map(I32, list(I32))),
        ("by_text", map(String, Struct(0))),
        ("by_color", map(Enum(0), Struct(1))),
        ("by_struct", map(Struct(1), list(String))),
        ("maps", list(map(String, Double))),
    ];
    let fields = fields.into_iter().zip(1..);
    let fields = fields
        .map(|((name, ty), id)| FieldType::new(id, name, ty))
        .collect();
    let leaf = [(1, "a", I32), (2, "b", String), (3, "c", list(String))];
    let leaf = leaf.map(|(id, name, ty)| FieldType::new(id, name, ty));
    let structs = vec![
        StructType::new("Tree", fields),
        StructType::new("Leaf", leaf.into()),
    ];
    Schema::new(
        structs,
        vec![EnumType::new("Color", [("RED", 1), ("BLUE", 2)])],
    )
}

#[test]
fn random_masks_select_what_the_specification_does() {
    fn in_protocol<P: Protocol>(
        schema: &Schema,
        value: &Value,
        mask: &FieldMask,
        expected: &Value,
    ) {
        let (ty, options) = (ValueType::Struct(0), Options::default());
        let bytes = value.encode::<P>().unwrap();
        let read = schema
            .decode_masked::<P>(&ty, &bytes, mask, options)
            .unwrap();
        let expected_bytes = expected.encode::<P>().unwrap();
        let name = std::any::type_name::<P>();
        assert_eq!(
            read.encode::<P>().unwrap(),
            expected_bytes,
            "{name} {mask:?}"
        );
        let written = value.encode_masked::<P>(mask, options).unwrap();
        assert_eq!(written, expected_bytes, "{name} {mask:?}");
    }
    let (schema, mut random) = (schema(), Random(1));
    let ty = ValueType::Struct(0);
    let mut parts = 0;
    for round in 0..600 {
        let value = random.value(&schema, &ty, 5);
        let count = 1 + random.below(5);
        let paths: Vec<_> = (0..count).map(|_| random.path(&schema, &ty)).collect();
        let selects = round % 2 == 0;
        let texts = paths.iter().map(|(_, text)| text);
        let mask = if selects {
            schema.mask(&ty, texts)
        } else {
            schema.mask_without(&ty, texts)
        };
        let steps: Vec<&[Step]> = paths.iter().map(|(steps, _)| &steps[..]).collect();
        // The message itself is always read.
        let expected = filtered(&value, &steps, selects);
        let expected = expected.unwrap_or(Value::Struct(Struct::default()));
        parts += usize::from(expected != value && expected != Value::Struct(Struct::default()));
        let mask = mask.unwrap();
        in_protocol::<Binary>(&schema, &value, &mask, &expected);
        in_protocol::<Compact>(&schema, &value, &mask, &expected);
        in_protocol::<Json>(&schema, &value, &mask, &expected);
        in_protocol::<SimpleJson>(&schema, &value, &mask, &expected);
    }
    assert!(parts > 200, "{parts}");
}
