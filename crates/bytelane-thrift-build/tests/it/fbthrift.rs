//! Tests fbthrift's dialect: its additions to the IDL, and which of them are skipped.

#[rustfmt::skip]
#[allow(dead_code, reason = "used in part")]
#[path = "../generated/fbthrift/mod.rs"]
mod generated;

use bytelane_thrift::{Binary, Compact, ErrorKind, FbthriftCompact, Float, Message, SimpleJson};
use bytelane_thrift_build::Compiler;
use generated::common_shared::Header;
use generated::fbthrift::{
    BINARY, BYTES, CHOICE, Choice, EARLY, ESCAPED, HALF, HEADER, HEXADECIMAL, Kind, NEGATIVE_OCTAL,
    NESTED, Nested, OCTAL, ORIGIN, OWN, POINTS, Point, point_service,
};
use std::path::Path;

fn point(x: f32, y: f32, z: i32) -> Point {
    Point {
        x: Float(x),
        y: Float(y),
        z,
    }
}

#[test]
fn constants_have_the_values_of_the_idl() {
    assert_eq!(
        (HALF, OCTAL, NEGATIVE_OCTAL, BINARY, HEXADECIMAL),
        (0.5, 511, -8, 5, 255)
    );
    assert_eq!((ESCAPED, BYTES), ("Aé", &b"\x00\xff"[..]));
    assert_eq!((EARLY, OWN), (7, 7));
    assert_eq!(*ORIGIN, point(0.0, 0.0, 0));
    assert_eq!(POINTS.len(), 3);
    assert_eq!(
        (&POINTS["b"], &POINTS["c"]),
        (&point(0.5, 0.0, 7), &point(0.5, 0.0, 3))
    );
    assert_eq!(*CHOICE, Choice::Text("t".into()));
    let header = Header {
        trace_id: "t".into(),
        at: Some(5),
    };
    assert_eq!(*HEADER, header);
    assert_eq!(
        (Kind::Second, Kind::FancyName),
        (Kind::from(16), Kind::from(3))
    );
    assert_eq!(Kind::Third, Kind::Second);
}

#[test]
fn values_travel_with_floats() {
    let nested: &Nested = &NESTED;
    let bytes = nested.encode::<Binary>().unwrap();
    assert_eq!(&Nested::decode::<Binary>(&bytes).unwrap(), nested);
    let bytes = nested.encode::<FbthriftCompact>().unwrap();
    assert_eq!(&Nested::decode::<FbthriftCompact>(&bytes).unwrap(), nested);
    let point = point(1.5, f32::MIN_POSITIVE, -1);
    let bytes = point.encode::<SimpleJson>().unwrap();
    assert_eq!(Point::decode::<SimpleJson>(&bytes).unwrap(), point);
    // Numbers of the type in fbthrift's binary and compact protocols.
    assert_eq!(
        point.encode::<Binary>().unwrap()[..7],
        *b"\x13\0\x01\x3f\xc0\0\0"
    );
    assert_eq!(
        point.encode::<FbthriftCompact>().unwrap()[..5],
        *b"\x1d\x3f\xc0\0\0"
    );
    let error = point.encode::<Compact>().unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Unsupported { .. }),
        "{error}"
    );
}

#[test]
fn functions_without_streams_are_kept() {
    assert_eq!(
        point_service::CountResult { success: Some(3) }.success,
        Some(3)
    );
    assert_eq!(point_service::LogArgs::default().text, "");
    assert_eq!(point_service::ClearArgs { unused: 0.5 }.unused, 0.5);
    assert!(point_service::LastResult::default().unavailable.is_none());
    assert_eq!(
        point_service::ClearResult {},
        point_service::ClearResult::default()
    );
}

#[test]
fn what_is_skipped_is_noted() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idl/fbthrift.thrift");
    let modules = Compiler::new().modules(&[&file]).unwrap();
    let notes = modules.iter().flat_map(|module| &module.notes);
    let notes: Vec<_> = notes
        .map(|note| {
            let shown = note.to_string();
            let place = format!("{}:{}:{}: ", file.display(), note.line, note.column);
            shown.strip_prefix(&place).unwrap().to_owned()
        })
        .collect();
    let expected = [
        "the interaction `Counter` is skipped",
        "`performs Counter` is skipped",
        "the function `numbers` is skipped: it returns a stream",
        "the function `points` is skipped: it returns an interaction or a stream",
        "the function `put` is skipped: it returns a sink",
        "the function `counting` is skipped: it returns an interaction or a stream",
        "the function `counter` is skipped: it returns an interaction",
    ];
    assert_eq!(notes, expected);
    assert_eq!(
        (modules[1].notes[0].line, modules[1].notes[0].column),
        (85, 13)
    );
    for skipped in [
        "NumbersArgs",
        "PointsArgs",
        "PutArgs",
        "CounterArgs",
        "CountingArgs",
    ] {
        assert!(!modules[1].text.contains(skipped), "{skipped}");
    }
}
