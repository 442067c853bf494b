use super::*;
use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
use std::sync::Arc;

fn field(data_type: DataType) -> Field {
    Field::new("x", data_type, true)
}

fn dictionary(keys: DataType, values: DataType) -> DataType {
    DataType::Dictionary(Box::new(keys), Box::new(values))
}

fn named(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, true))
}

fn zoned(unit: arrow_schema::TimeUnit, zone: &str) -> DataType {
    DataType::Timestamp(unit, Some(zone.into()))
}

/// Checks that both orders of two types give a third one, and whether their values are stored alike.
fn unites(one: &DataType, other: &DataType, wanted: &DataType, kept: [bool; 2]) {
    let (own, others) = (field(one.clone()), field(other.clone()));
    for (own, others) in [(&own, &others), (&others, &own)] {
        let united = unite(own, others).unwrap();
        assert_eq!(united.data_type(), wanted, "{own} {others}");
    }
    let alike = [one, other].map(|it| is_stored_alike(it, wanted));
    assert_eq!(alike, kept, "{one} {other}");
}

fn refuses(one: &Field, other: &Field) -> String {
    assert!(unite(other, one).is_err(), "{other} {one}");
    unite(one, other).unwrap_err().to_string()
}

#[test]
fn numbers_become_wide_enough_for_both() {
    use DataType::*;
    unites(&Int8, &Int32, &Int32, [true, true]);
    unites(&Int32, &Int64, &Int64, [false, true]);
    unites(&UInt8, &UInt32, &UInt32, [true, true]);
    unites(&UInt8, &Int8, &Int16, [true, true]);
    unites(&UInt16, &Int32, &Int32, [true, true]);
    unites(&UInt32, &Int8, &Int64, [false, false]);
    unites(&UInt32, &UInt64, &UInt64, [false, true]);
    unites(&Float16, &Float64, &Float64, [false, true]);
    unites(&Null, &Duration(Second), &Duration(Second), [true, true]);
    let decimals = [Decimal128(5, 2), Decimal64(12, 2), Decimal128(12, 2)];
    unites(&decimals[0], &decimals[1], &decimals[2], [true, true]);
    assert_eq!(refuses(&field(UInt64), &field(Int8)), "uint64 and int8");
    let difference = refuses(&field(Decimal128(5, 2)), &field(Decimal128(5, 3)));
    assert_eq!(difference, "decimal128(5, 2) and decimal128(5, 3)");
    assert_eq!(refuses(&field(Int32), &field(Float64)), "int32 and double");
}

#[test]
fn the_finer_unit_holds_both_and_zones_must_be_the_same() {
    use DataType::*;
    unites(
        &Duration(Second),
        &Duration(Nanosecond),
        &Duration(Nanosecond),
        [false, true],
    );
    unites(
        &Time32(Second),
        &Time32(Millisecond),
        &Time32(Millisecond),
        [true, true],
    );
    unites(
        &Time32(Millisecond),
        &Time64(Microsecond),
        &Time64(Microsecond),
        [false, true],
    );
    unites(
        &zoned(Second, "UTC"),
        &zoned(Microsecond, "UTC"),
        &zoned(Microsecond, "UTC"),
        [false, true],
    );
    unites(&Date32, &Date64, &Date64, [true, true]);
    let difference = refuses(
        &field(zoned(Second, "UTC")),
        &field(zoned(Second, "Asia/Tokyo")),
    );
    assert_eq!(
        difference,
        "timestamp[s, tz=UTC] and timestamp[s, tz=Asia/Tokyo]"
    );
    let naive = Timestamp(Second, None);
    refuses(&field(zoned(Second, "UTC")), &field(naive));
    let difference = refuses(&field(Duration(Second)), &field(Int64));
    assert_eq!(difference, "duration[s] and int64");
}

#[test]
fn dictionaries_unite_if_both_are_ordered_or_neither() {
    use DataType::*;
    let small = dictionary(Int8, Utf8);
    unites(
        &small,
        &dictionary(UInt8, Utf8),
        &dictionary(Int16, Utf8),
        [true, true],
    );
    unites(
        &small,
        &dictionary(Int32, LargeUtf8),
        &dictionary(Int32, LargeUtf8),
        [true, true],
    );
    unites(&small, &Utf8, &Utf8, [true, true]);
    unites(&small, &Utf8View, &Utf8View, [true, true]);
    unites(
        &dictionary(Int8, Int32),
        &dictionary(Int8, Int64),
        &dictionary(Int8, Int64),
        [false, true],
    );
    let ordered = field(small.clone()).with_dict_is_ordered(true);
    assert!(is_ordered(&unite(&ordered, &ordered).unwrap()));
    let difference = refuses(&ordered, &field(small));
    assert!(
        difference.ends_with("ordered=1> and dictionary<values=string, indices=int8, ordered=0>")
    );
    refuses(&ordered, &field(Utf8));
}

#[test]
fn members_of_structs_are_found_by_name() {
    use DataType::*;
    let one = Struct(vec![named("a", Int32), named("b", Utf8)].into());
    let other = Struct(vec![named("c", Utf8), named("a", Int64)].into());
    let united = Struct(vec![named("a", Int64), named("b", Utf8), named("c", Utf8)].into());
    let result = unite(&field(one.clone()), &field(other)).unwrap();
    assert_eq!(result.data_type(), &united);
    assert!(!is_stored_alike(&one, &united));
    let list = |item: DataType| List(named("item", item));
    let nested = Struct(vec![named("b", list(Duration(Second)))].into());
    let difference = unite(&field(one), &field(nested)).unwrap_err();
    assert_eq!(
        difference.to_string(),
        "member b: string and list<item: duration[s]>"
    );
    let difference = unite(&field(list(Int64)), &field(list(Duration(Second)))).unwrap_err();
    assert_eq!(difference.to_string(), "member item: int64 and duration[s]");
}

#[test]
fn lists_keep_their_size_and_become_large_with_large_ones() {
    use DataType::*;
    let item = || named("item", Int64);
    unites(
        &List(item()),
        &LargeList(item()),
        &LargeList(item()),
        [true, true],
    );
    let pairs = || FixedSizeList(item(), 2);
    unites(&pairs(), &pairs(), &pairs(), [true, true]);
    let difference = refuses(&field(pairs()), &field(FixedSizeList(item(), 3)));
    assert_eq!(
        difference,
        "fixed_size_list<item: int64>[2] and fixed_size_list<item: int64>[3]"
    );
    refuses(&field(pairs()), &field(List(item())));
}

fn extended(data_type: DataType, name: &str, parameters: &str) -> Field {
    let pairs = [
        (EXTENSION_TYPE_NAME_KEY, name),
        (EXTENSION_TYPE_METADATA_KEY, parameters),
    ];
    let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
    field(data_type).with_metadata(pairs)
}

#[test]
fn extension_types_are_not_their_storage() {
    use DataType::*;
    let flag = extended(Int8, "arrow.bool8", "");
    assert_eq!(unite(&flag, &flag), Ok(flag.clone()));
    let difference = refuses(&flag, &field(Int8));
    assert_eq!(difference, "extension<arrow.bool8, storage=int8> and int8");
    let geometry = |crs: &str| extended(Binary, "geoarrow.wkb", crs);
    refuses(
        &geometry("{\"crs\":\"EPSG:4326\"}"),
        &geometry("{\"crs\":\"EPSG:3857\"}"),
    );
    let one = geometry("{\"crs\": 1, \"edges\": 2}");
    let other = geometry("{\"edges\": 2, \"crs\": 1}");
    assert_eq!(unite(&one, &other), Ok(one.clone()));
    refuses(
        &extended(Int32, "own.unit", ""),
        &extended(Int64, "own.unit", ""),
    );
    let json = |stored| extended(stored, "arrow.json", "");
    assert_eq!(unite(&json(Utf8), &json(LargeUtf8)), Ok(json(LargeUtf8)));
}

fn enumeration(categories: &[&str]) -> Field {
    let all: Vec<String> = categories.iter().map(|it| (*it).to_owned()).collect();
    let metadata = [("_PL_ENUM_VALUES2".to_owned(), metadata_of(&all))];
    let data_type = dictionary(DataType::UInt8, DataType::LargeUtf8);
    field(data_type)
        .with_dict_is_ordered(true)
        .with_metadata(metadata)
}

#[test]
fn categories_of_enums_unite_unless_their_orders_differ() {
    let own = enumeration(&["a", "c;c"]);
    let united = unite(&own, &enumeration(&["b", "c;c", "ü"])).unwrap();
    assert_eq!(united, enumeration(&["a", "b", "c;c", "ü"]));
    let difference = refuses(&own, &enumeration(&["c;c", "a"]));
    assert_eq!(difference, "an Enum of [a, c;c] and an Enum of [c;c, a]");
    refuses(&own, &field(DataType::LargeUtf8));
    let many: Vec<String> = (0..200).map(|it| it.to_string()).collect();
    let others: Vec<String> = (200..400).map(|it| it.to_string()).collect();
    let of = |all: &[String]| enumeration(&all.iter().map(|it| &it[..]).collect::<Vec<_>>());
    let united = unite(&of(&many), &of(&others)).unwrap();
    assert_eq!(
        united.data_type(),
        &dictionary(DataType::UInt16, DataType::LargeUtf8)
    );
}

#[test]
fn keys_widen_only_if_they_must() {
    use DataType::*;
    let wide = |keys: &DataType, entries| scalars::wide_enough(keys, entries);
    assert_eq!([wide(&Int8, 128), wide(&Int8, 129)], [Int8, Int16]);
    assert_eq!([wide(&UInt8, 256), wide(&UInt8, 257)], [UInt8, UInt16]);
    assert_eq!([wide(&Int16, 40_000), wide(&Int64, 5)], [Int32, Int64]);
}

#[test]
fn types_have_the_words_of_pyarrow() {
    use DataType::*;
    let entries = Struct(
        vec![
            Arc::new(Field::new("key", Utf8, false)),
            named("value", Int64),
        ]
        .into(),
    );
    let entries = Arc::new(Field::new("entries", entries, false));
    let required = Arc::new(Field::new("a", Int32, false));
    for (data_type, wanted) in [
        (Struct(vec![required].into()), "struct<a: int32 not null>"),
        (Map(entries, false), "map<string, int64>"),
        (ListView(named("item", Int8)), "list_view<item: int8>"),
        (Decimal256(50, 1), "decimal256(50, 1)"),
        (Float16, "halffloat"),
        (Null, "null"),
        (UInt16, "uint16"),
        (FixedSizeBinary(3), "fixed_size_binary[3]"),
        (zoned(Second, "UTC"), "timestamp[s, tz=UTC]"),
    ] {
        assert_eq!(words(&field(data_type)), wanted);
    }
}

#[test]
fn keys_and_values_of_maps_are_found_by_position() {
    let map = |names: [&str; 2], value: DataType| {
        let members = vec![
            Arc::new(Field::new(names[0], DataType::Utf8, false)),
            named(names[1], value),
        ];
        let entries = Field::new("entries", DataType::Struct(members.into()), false);
        DataType::Map(Arc::new(entries), false)
    };
    let (one, other) = (
        map(["key", "value"], DataType::Int8),
        map(["k", "v"], DataType::Int16),
    );
    let united = unite(&field(one), &field(other.clone())).unwrap();
    assert_eq!(united.data_type(), &map(["key", "value"], DataType::Int16));
    assert!(is_stored_alike(&other, united.data_type()));
}
