/*
 * Features that only fbthrift's IDL has.
 */
include "thrift/annotation/thrift.thrift"
include "shared.thrift" as other
hs_include "Something.hs"
cpp_include "<folly/Optional.h>"

/** Of this file. */
@thrift.AllowLegacyMissingUris
package "example.com/bytelane/test"

namespace cpp2 "bytelane::test"
namespace java.swift example.bytelane
namespace hack ""

/** Documented before its annotations. */
@thrift.Uri{value = "example.com/Point"}
@thrift.DeprecatedUnvalidatedAnnotations{items = {"a": "b", "c": "d"}}
struct Point {
  @thrift.Box
  1: float x = 0.5;
  /** Documented. */
  @Nested{points = [Point{x = 1, y = -2.5}, Point{}], kind = Kind.SECOND}
  2: float y (cpp.mixin);
  3: i32 z ///< Behind the field.
}

struct Nested {
  1: list<Point> points;
  2: Kind kind;
  3: optional Nested inside;
  4: map<Point, set<float>> sets;
}

@thrift.BitmaskEnum
enum Kind {
  FIRST = 0,
  @thrift.Deprecated{message = "say SECOND"}
  SECOND = 0x10;
  THIRD = 020, /**< As SECOND. */
  fancy.name = 0b11,
}

@thrift.ReserveIds{ids = [1, 2]}
union Choice {
  1: Point point;
  2: string text;
}

@thrift.Experimental
typedef map<string, Point> (cpp.type = "x") Points (cpp.type = "y")

const float HALF = 0.5
const i32 OCTAL = 0777
const i32 NEGATIVE_OCTAL = -010
const i32 BINARY = 0b101
const i64 HEXADECIMAL = 0xFF
const string ESCAPED = "\x41\u00e9"
const binary BYTES = "\x00\xff"
const i32 EARLY = LATE
const i32 LATE = 7
const i32 OWN = fbthrift.LATE
const Point ORIGIN = Point{x = 0.0, y = 0}
const Points POINTS = {"a": ORIGIN, "b": Point{z = LATE}, "c": {z: 3}}
const Nested NESTED = Nested{
  points = [ORIGIN],
  kind = Kind.SECOND,
  inside = Nested{kind = fbthrift.Kind.FIRST},
  sets = {Point{x = 1}: [0.25, 0.75]},
}
const Choice CHOICE = Choice{text = "t"}
// A union without a member cannot be a constant.
const other.Header HEADER = other.Header{trace_id = "t", at = 5}

/** Not the caller's fault. */
safe transient server exception Unavailable {
  1: string message;
}

permanent client exception Refused {}
stateful exception Stale {}

@thrift.Serial
interaction Counter {
  void add(1: i32 number);
  i32, stream<i32> values();
}

@thrift.Priority{level = 5}
service PointService extends other.Base {
  performs Counter;
  readonly i32 count();
  idempotent void clear(1: float unused) (priority = "low");
  @thrift.Priority{level = 1}
  oneway void log(@thrift.Box 1: string text);
  stream<i32> numbers();
  Point, stream<Point throws (1: Refused refused)> points(1: i32 from) throws (1: Stale stale);
  sink<Point throws (1: Refused refused), i32 throws (1: Stale stale)> put();
  Counter, i32 counting();
  Counter counter();
  Point last() throws (@thrift.Box 1: Unavailable unavailable);
}
