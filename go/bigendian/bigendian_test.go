package bigendian

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/bytelane/bytelane/go/internal/golden"
)

type temperature float64

// check writes values at every address of a cache line and reads them back,
// and compares with encoding/binary.
func check[T Element](t *testing.T, name string, values []T) {
	t.Helper()
	want, err := binary.Append(nil, binary.BigEndian, values)
	if err != nil {
		t.Fatal(err)
	}
	if Size[T](len(values)) != len(want) {
		t.Fatalf("%s: Size is %d, not %d", name, Size[T](len(values)), len(want))
	}
	for address := range 64 {
		buf := make([]byte, address+len(want)+1)
		if n := Write(buf[address:], values); n != len(want) || !bytes.Equal(buf[address:address+n], want) {
			t.Fatalf("%s: Write of %d elements at address %d", name, len(values), address)
		}
		got := make([]T, len(values))
		if n := ReadInto(got, buf[address:]); n != len(want) || !sameBits(got, values) {
			t.Fatalf("%s: ReadInto of %d elements at address %d", name, len(values), address)
		}
		if got := Read[T](buf[address:], len(values)); got == nil || !sameBits(got, values) {
			t.Fatalf("%s: Read of %d elements at address %d", name, len(values), address)
		}
	}
	if got := Append([]byte("head"), values); !bytes.Equal(got, slices.Concat([]byte("head"), want)) {
		t.Fatalf("%s: Append of %d elements", name, len(values))
	}
}

// sameBits compares bits, so it distinguishes NaNs.
func sameBits[T Element](a, b []T) bool {
	x, _ := binary.Append(nil, binary.BigEndian, a)
	y, _ := binary.Append(nil, binary.BigEndian, b)
	return bytes.Equal(x, y)
}

func sweep[T Element](t *testing.T, name string, value func(i int) T) {
	for n := range 130 {
		values := make([]T, n)
		for i := range values {
			values[i] = value(i)
		}
		check(t, name, values)
	}
}

func TestEveryTypeAgainstEncodingBinary(t *testing.T) {
	bits := func(i int) uint64 { return 0x9e3779b97f4a7c15 * uint64(i+1) }
	sweep(t, "int16", func(i int) int16 { return int16(bits(i)) })
	sweep(t, "uint16", func(i int) uint16 { return uint16(bits(i)) })
	sweep(t, "int32", func(i int) int32 { return int32(bits(i)) })
	sweep(t, "uint32", func(i int) uint32 { return uint32(bits(i)) })
	sweep(t, "int64", func(i int) int64 { return int64(bits(i)) })
	sweep(t, "uint64", bits)
	sweep(t, "float32", func(i int) float32 { return math.Float32frombits(uint32(bits(i))) })
	sweep(t, "float64", func(i int) float64 { return math.Float64frombits(bits(i)) })
	sweep(t, "named", func(i int) temperature { return temperature(i) / 3 })
}

func TestGoldenBytes(t *testing.T) {
	checkGolden[int16](t, "i16")
	checkGolden[uint16](t, "u16")
	checkGolden[int32](t, "i32")
	checkGolden[uint32](t, "u32")
	checkGolden[int64](t, "i64")
	checkGolden[uint64](t, "u64")
	checkGolden[float32](t, "f32")
	checkGolden[float64](t, "f64")
}

func checkGolden[T Element](t *testing.T, name string) {
	t.Helper()
	input, want := golden.Read(t, 1, name+".values"), golden.Read(t, 1, name+".bytes")
	values := make([]T, golden.Count)
	if _, err := binary.Decode(input, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	if got := Append(nil, values); !bytes.Equal(got, want) {
		t.Errorf("%s: Append wrote other bytes", name)
	}
	if got := Read[T](want, golden.Count); !sameBits(got, values) {
		t.Errorf("%s: Read made other values", name)
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func TestShortBuffersPanicAndChangeNothing(t *testing.T) {
	values := slices.Repeat([]int64{7}, 50)
	dst := make([]byte, 399)
	if !panics(func() { Write(dst, values) }) || !bytes.Equal(dst, make([]byte, 399)) {
		t.Error("Write into a buffer that is too short")
	}
	if !panics(func() { ReadInto(values, dst) }) || values[0] != 7 {
		t.Error("ReadInto from a buffer that is too short")
	}
	for _, n := range []int{-1, 50, math.MaxInt, math.MaxInt / 8, math.MinInt} {
		if !panics(func() { Read[int64](dst, n) }) {
			t.Errorf("Read of %d elements from %d bytes", n, len(dst))
		}
	}
}

func FuzzAgainstEncodingBinary(f *testing.F) {
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(3))
	f.Fuzz(func(t *testing.T, input []byte, address uint8) {
		fuzzOne[uint16](t, input, int(address))
		fuzzOne[int32](t, input, int(address))
		fuzzOne[float64](t, input, int(address))
	})
}

func fuzzOne[T Element](t *testing.T, input []byte, address int) {
	values := make([]T, len(input)/Size[T](1))
	binary.Decode(input, binary.BigEndian, values)
	input = input[:Size[T](len(values))]
	if got := Read[T](input, len(values)); !sameBits(got, values) {
		t.Fatalf("Read of %d %T", len(values), values)
	}
	buf := make([]byte, address+len(input))
	Write(buf[address:], values)
	if !bytes.Equal(buf[address:], input) {
		t.Fatalf("Write of %d %T at address %d", len(values), values, address)
	}
}
