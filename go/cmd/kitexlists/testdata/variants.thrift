// What kitex 0.16.2 generates for this under several flags, for the tests:
//
//	k-masked.go.in       -thrift with_field_mask -thrift with_reflection
//	                     -thrift no_default_serdes=false -thrift validate_set=true
//	k-unformatted.go.in  -thrift no_fmt -thrift validate_set=true
//	k-frugal.go.in       -frugal-struct @all
//	k-slim.go.in         -thrift template=slim
namespace go variants

enum Kind { GAUGE = 1 }

struct Sample {
  1: required list<i64> longs
  2: optional set<Kind> kinds
  3: list<string> names
  4: map<string, list<double>> series
}
