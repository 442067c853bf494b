// What this module measures: a struct for each kind of list, one with many
// lists that are mostly empty, and one like a service's message.
namespace go lists

enum Kind { GAUGE = 1, COUNTER = 2 }

struct Shorts { 1: list<i16> values }
struct Words { 1: list<i32> values }
struct Longs { 1: list<i64> values }
struct Doubles { 1: list<double> values }
struct Flags { 1: list<bool> values }
struct Levels { 1: list<byte> values }
struct Kinds { 1: list<Kind> values }
struct Texts { 1: list<string> values }
struct Nested { 1: list<list<i64>> values }
struct Named { 1: map<string, list<double>> values }

// 37 lists; a message of it holds values in four of them.
struct Sparse {
  1: list<i64> field1
  2: list<i32> field2
  3: list<double> field3
  4: list<i16> field4
  5: list<bool> field5
  6: list<byte> field6
  7: list<string> field7
  8: list<Kind> field8
  9: list<i64> field9
  10: list<i32> field10
  11: list<double> field11
  12: list<i16> field12
  13: list<bool> field13
  14: list<byte> field14
  15: list<string> field15
  16: list<Kind> field16
  17: list<i64> field17
  18: list<i32> field18
  19: list<double> field19
  20: list<i16> field20
  21: list<bool> field21
  22: list<byte> field22
  23: list<string> field23
  24: list<Kind> field24
  25: list<i64> field25
  26: list<i32> field26
  27: list<double> field27
  28: list<i16> field28
  29: list<bool> field29
  30: list<byte> field30
  31: list<string> field31
  32: list<Kind> field32
  33: list<i64> field33
  34: list<i32> field34
  35: list<double> field35
  36: list<i16> field36
  37: list<bool> field37
}

struct Label {
  1: required string name
  2: required string value
}

struct Batch {
  1: required string title
  2: required list<i64> times
  3: required list<double> values
  4: list<i32> buckets
  5: list<Kind> kinds
  6: list<bool> flags
  7: list<string> names
  8: list<Label> labels
  9: map<string, list<double>> series
  10: set<i64> hosts
  11: optional i64 sequence
}

// Has none of a Batch's fields, so reading one skips them all.
struct Nothing { 100: optional i64 sequence }
