/**
 * What is exchanged with the libraries of Apache Thrift: every type that their compilers know, by
 * itself and within others, two versions of a record, and a service.
 */
namespace py everything
namespace go everything

enum Color {
  RED = 1,
  GREEN = 16,
  BLUE = 77,
}

struct Point {
  1: required i32 x,
  20: optional i64 y,
}

union Shape {
  1: double circle,
  2: list<Point> poly_line,
  300: Shape inside,
}

struct Tree {
  1: i32 value,
  2: optional Tree left,
  3: list<Tree> others,
}

struct Everything {
  1: bool yes,
  2: bool no,
  3: i8 small,
  4: i16 short_number,
  5: i32 number,
  6: i64 big,
  7: double real,
  8: string text,
  9: binary data,
  10: Color color,
  11: Point point,
  12: Shape shape,
  13: optional Tree tree,
  14: list<bool> bools,
  15: list<i8> smalls,
  40: list<i16> shorts,
  41: list<i32> numbers,
  42: list<i64> bigs,
  43: list<double> reals,
  44: list<string> texts,
  45: list<binary> datas,
  46: list<Point> points,
  47: list<list<i32>> lists,
  48: set<i64> set_of_bigs,
  49: set<string> set_of_texts,
  50: set<double> set_of_reals,
  51: map<string, i32> by_text,
  52: map<i32, list<string>> by_number,
  53: map<double, map<bool, string>> by_real,
  54: map<Color, set<Color>> by_color,
  55: map<i64, map<string, map<i16, list<Point>>>> nested,
  /** Behind a field with a higher number, so that the difference is negative. */
  1000: optional i16 far,
  999: list<map<i8, Shape>> last,
}

enum LevelV1 {
  LOW = 0,
  HIGH = 5,
}

enum LevelV2 {
  LOW = 0,
  HIGH = 5,
  HIGHEST = 9,
}

union MarkV1 {
  1: string name,
}

union MarkV2 {
  1: string name,
  2: list<i64> numbers,
}

/** A record of a program's first version. */
struct RecordV1 {
  2: LevelV1 level,
  3: i32 number = 7,
  4: MarkV1 mark,
  9: list<LevelV1> levels,
}

/** The same record of a later version, with fields at both ends and in between. */
struct RecordV2 {
  1: map<string, list<Tree>> before,
  2: LevelV2 level,
  3: i32 number = 7,
  4: MarkV2 mark,
  5: optional Tree between,
  9: list<LevelV2> levels,
  10: bool flag = 1,
  300: double behind = 0.5,
}

exception Rejected {
  1: string reason,
  2: i32 code,
}

service Exchange {
  /** Returns what it is given. */
  Everything echo(1: Everything value),

  /** The sum of `x`, and of `y` where there is one; no points at all are rejected. */
  map<string, i64> sums(1: list<Point> points) throws (1: Rejected rejected),

  /** Keeps a text. */
  oneway void note(1: string text),

  /** The texts that were kept. */
  list<string> notes(),
}
