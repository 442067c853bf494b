/*
 * Every construct of the IDL, once.
 */
include "shared.thrift"
cpp_include "<unordered_map>"
namespace * bytelane.test
namespace cpp bytelane.test (uri = "ignored")

/** The colours. */
enum Color {
  RED,          # 0
  /** Not so bright. */
  DARK_GREEN = 0x10,
  blue;
  Unknown = 30,
}

enum Reserved {}

enum Level {
  LOW = 0,
  /** The lowest. */
  MINIMUM = 0,
  HIGH = 5,
}

senum Word { "one", "two" }

typedef double Weight
typedef map<string, list<Weight>> Weights (cpp.type = "x")

const bool YES = true
const i8 SMALL = -7
const i32 DOUBLED_LIMIT = shared.LIMIT
const i64 BIG = 0x1234567890abcdef
const double PI = 3.14159
const double WHOLE = 2
const string GREETING = "say \"hello\"\n"
const binary RAW = "ab\\c"
const uuid ID = "00112233-4455-6677-8899-aabbccddeeff"
const Color FAVOURITE = Color.DARK_GREEN
const i32 NUMBER_OF_FAVOURITE = Color.blue
const list<i32> PRIMES = [2, 3, 5; 7]
const map<string, set<Weight>> SETS = {'a': [1, 2.5], "b": []}
const bool STRANGE = 3
const Level LOWEST = Level.MINIMUM
const Inner INNER = {"x": 1}
const Everything EXAMPLE = {"message": GREETING, "color": 99, "header": {"trace_id": "t"}}

/**
 * A struct with a field of each kind.
 */
struct Everything {
  1: bool flag = 1,
  2: i8 small = SMALL,
  3: i16 short,
  4: required i32 number,
  5: i64 big = BIG,
  6: double real = 1e3,
  7: string message = "m",
  8: binary data,
  9: uuid id,
  10: optional Color color = Color.RED,
  11: list<list<string>> nested,
  12: set<i64> numbers = [1, 2],
  13: map<Key, shared.Header> by_key,
  14: optional shared.Header header,
  15: Weights weights,
  /** A keyword in Rust. */
  16: string type,
  17: map<double, set<double>> doubles,
  18: shared.Priority priority = shared.Priority.HIGH,
  19: Shape shape,
  20: Weight weight = PI,
  21: Reserved reserved
}

/** Its own type is a key, and so has an order. */
struct Key {
  1: string name,
  2: Weight weight,
  3: list<Inner> inner,
}

struct Inner { 1: double x = 0.5 }

struct Tree {
  1: i32 value,
  2: Tree left,
  3: optional Tree right,
  4: list<Tree> others,
  5: Forest forest,
}

struct Forest { 1: optional Tree first }

union Shape {
  1: double circle,
  2: list<Inner> poly_line;
  3: Shape inside,
}

union Impossible {}

struct Nothing {}

/** Ids below 1 are as none. */
struct Renumbered {
  -3: i64 first,
  0: i64 second,
  i64 third,
  5: i64 fourth,
}

exception NotFound {
  1: string message,
}

exception lower_case_error { 1: i32 code }

service Calculator extends shared.Base {
  /** Adds two numbers. */
  i32 add(1: i32 first, 2: i32 second = 5) throws (1: NotFound notFound, 2: lower_case_error other),
  oneway void log(1: string text),
  void nothing(),
  list<Tree> trees(1: set<Tree> of) (deprecated),
}
