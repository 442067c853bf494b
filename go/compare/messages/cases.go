package main

import (
	"math"
	"strconv"

	"github.com/cloudwego/gopkg/protocol/thrift"

	bulk "github.com/bytelane/bytelane/go/compare/bulk_gen/lists"
	kitex "github.com/bytelane/bytelane/go/compare/kitex_gen/lists"
)

// A message is a struct as Kitex generates it, and the same struct after
// kitexlists has rewritten its code.
type message struct {
	name        string
	fill        func(n int) thrift.FastCodec // Kitex's struct, with n elements in each list
	empty       func() thrift.FastCodec
	emptyInBulk func() thrift.FastCodec
	readOnly    bool // the empty ones are of another type
}

var messages = []message{
	{"i16", func(n int) thrift.FastCodec { return &kitex.Shorts{Values: numbers[int16](n)} },
		func() thrift.FastCodec { return new(kitex.Shorts) }, func() thrift.FastCodec { return new(bulk.Shorts) }, false},
	{"i32", func(n int) thrift.FastCodec { return &kitex.Words{Values: numbers[int32](n)} },
		func() thrift.FastCodec { return new(kitex.Words) }, func() thrift.FastCodec { return new(bulk.Words) }, false},
	{"i64", func(n int) thrift.FastCodec { return &kitex.Longs{Values: numbers[int64](n)} },
		func() thrift.FastCodec { return new(kitex.Longs) }, func() thrift.FastCodec { return new(bulk.Longs) }, false},
	{"double", func(n int) thrift.FastCodec { return &kitex.Doubles{Values: doubles(n)} },
		func() thrift.FastCodec { return new(kitex.Doubles) }, func() thrift.FastCodec { return new(bulk.Doubles) }, false},
	{"bool", func(n int) thrift.FastCodec { return &kitex.Flags{Values: flags(n)} },
		func() thrift.FastCodec { return new(kitex.Flags) }, func() thrift.FastCodec { return new(bulk.Flags) }, false},
	{"byte", func(n int) thrift.FastCodec { return &kitex.Levels{Values: numbers[int8](n)} },
		func() thrift.FastCodec { return new(kitex.Levels) }, func() thrift.FastCodec { return new(bulk.Levels) }, false},
	{"enum", func(n int) thrift.FastCodec { return &kitex.Kinds{Values: kinds(n)} },
		func() thrift.FastCodec { return new(kitex.Kinds) }, func() thrift.FastCodec { return new(bulk.Kinds) }, false},
	{"string", func(n int) thrift.FastCodec { return &kitex.Texts{Values: texts(n)} },
		func() thrift.FastCodec { return new(kitex.Texts) }, func() thrift.FastCodec { return new(bulk.Texts) }, false},
	{"list-of-i64", func(n int) thrift.FastCodec {
		return &kitex.Nested{Values: [][]int64{numbers[int64](n), numbers[int64](n)}}
	},
		func() thrift.FastCodec { return new(kitex.Nested) }, func() thrift.FastCodec { return new(bulk.Nested) }, false},
	{"map-of-double", func(n int) thrift.FastCodec {
		return &kitex.Named{Values: map[string][]float64{"load": doubles(n)}}
	}, func() thrift.FastCodec { return new(kitex.Named) }, func() thrift.FastCodec { return new(bulk.Named) }, false},
	{"sparse", func(n int) thrift.FastCodec {
		return &kitex.Sparse{Field1: numbers[int64](n), Field2: numbers[int32](n), Field19: doubles(n), Field37: flags(n)}
	}, func() thrift.FastCodec { return new(kitex.Sparse) }, func() thrift.FastCodec { return new(bulk.Sparse) }, false},
	{"batch", batch, func() thrift.FastCodec { return new(kitex.Batch) }, func() thrift.FastCodec { return new(bulk.Batch) }, false},
	{"unknown-fields", batch, func() thrift.FastCodec { return new(kitex.Nothing) }, func() thrift.FastCodec { return new(bulk.Nothing) }, true},
}

// numbers returns n integers of every magnitude, the same ones each time.
func numbers[T int8 | int16 | int32 | int64](n int) []T {
	values := make([]T, n)
	for i := range values {
		bits := 0x9e3779b97f4a7c15 * uint64(i+1)
		values[i] = T(bits ^ bits>>29)
	}
	return values
}

func doubles(n int) []float64 {
	values := make([]float64, n)
	for i, bits := range numbers[int64](n) {
		values[i] = math.Ldexp(float64(bits), i%60-90)
	}
	return values
}

func flags(n int) []bool {
	values := make([]bool, n)
	for i, bits := range numbers[int8](n) {
		values[i] = bits&4 != 0
	}
	return values
}

func kinds(n int) []kitex.Kind {
	values := make([]kitex.Kind, n)
	for i := range values {
		values[i] = kitex.Kind(1 + i%2)
	}
	return values
}

func texts(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = "element " + strconv.Itoa(i)
	}
	return all
}

// batch resembles a message of a service that collects measurements.
func batch(n int) thrift.FastCodec {
	b := &kitex.Batch{
		Title: "measured", Times: numbers[int64](n), Values: doubles(n), Buckets: numbers[int32](n),
		Kinds: kinds(n), Flags: flags(n), Names: texts(n), Hosts: numbers[int64](n),
		Series: map[string][]float64{"load": doubles(n)},
	}
	for i := range n {
		b.Labels = append(b.Labels, &kitex.Label{Name: "host", Value: strconv.Itoa(i)})
	}
	return b
}

// inBulk converts a message to the rewritten struct, through its bytes.
func (m message) inBulk(n int) (thrift.FastCodec, error) {
	read := m.emptyInBulk()
	return read, thrift.FastUnmarshal(thrift.FastMarshal(m.fill(n)), read)
}
