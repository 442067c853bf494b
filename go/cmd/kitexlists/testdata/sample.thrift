// kitex -module sample -thrift validate_set=true sample.thrift
namespace go sample

enum Kind { GAUGE = 1 }

typedef list<i64> Times

const list<i64> LIMITS = [1, 2]

struct Sample {
  1: list<i64> longs
  2: optional list<i32> words
  3: set<i16> shorts
  4: list<bool> flags
  5: list<byte> levels
  6: list<double> doubles
  7: Times aliased
  8: list<list<i64>> nested
  9: map<string, set<double>> series
  10: list<i64> limits = LIMITS
  11: list<Kind> kinds
  12: list<string> names
  13: list<binary> blobs
}
