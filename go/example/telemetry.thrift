// The service of the example: every kind of list and set that a Kitex struct
// can hold, beside fields of other kinds.
namespace go telemetry

enum Kind { GAUGE = 1, COUNTER = 2 }

typedef i64 Timestamp
typedef list<i64> Timestamps

struct Label {
  1: required string name
  2: required string value
}

struct Batch {
  1: required list<i64> times
  2: required list<double> values
  3: optional list<i32> buckets
  4: list<i16> deltas
  5: set<i64> hosts
  6: list<bool> flags
  7: list<byte> levels
  8: list<string> names
  9: list<binary> blobs
  10: list<Kind> kinds
  11: list<Label> labels
  12: list<list<i64>> nested
  13: map<string, list<double>> series
  14: Timestamps aliased
  15: list<Timestamp> stamps
  16: optional set<i32> codes
  17: list<i64> limits = [10, 20, 30]
  18: map<i32, set<i16>> groups
  19: set<string> tags
  20: string title
}

union Column {
  1: list<i64> integers
  2: list<double> doubles
}

exception Rejected {
  1: list<i32> rows
}

service Store {
  list<i64> Put(1: Batch batch, 2: list<i64> extra) throws (1: Rejected rejected)
}
