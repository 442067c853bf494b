package thriftlist

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/bytelane/bytelane/go/internal/golden"
)

type timestamp int64

// check writes values in every way, compares with the list built value by
// value, and reads it back.
func check[T Fixed](t *testing.T, element Type, values []T) {
	t.Helper()
	want := binary.BigEndian.AppendUint32([]byte{byte(element)}, uint32(len(values)))
	want, err := binary.Append(want, binary.BigEndian, values)
	if err != nil {
		t.Fatal(err)
	}
	if BLength(values) != len(want) {
		t.Fatalf("%v: BLength is %d, not %d", element, BLength(values), len(want))
	}
	buf := make([]byte, 3+len(want))
	if n := Write(buf[3:], values); n != len(want) || !bytes.Equal(buf[3:], want) {
		t.Fatalf("%v: Write of %d elements", element, len(values))
	}
	if got := Append([]byte("abc"), values); !bytes.Equal(got[3:], want) {
		t.Fatalf("%v: Append of %d elements", element, len(values))
	}
	got, used, err := Read[T](append(want, "rest"...))
	if err != nil || used != len(want) || got == nil || !slices.Equal(got, values) {
		t.Fatalf("%v: Read of %d elements: used %d, %v", element, len(values), used, err)
	}
	reused := make([]T, 1, len(values)+2)
	got, used, err = ReadInto(reused, want)
	if err != nil || used != len(want) || !slices.Equal(got, values) || &got[:1][0] != &reused[0] {
		t.Fatalf("%v: ReadInto of %d elements: used %d, %v", element, len(values), used, err)
	}
	for cut := range want {
		if got, used, err := Read[T](want[:cut]); !errors.Is(err, ErrTruncated) || used != 0 || got != nil {
			t.Fatalf("%v: a list of %d bytes cut at %d: %v", element, len(want), cut, err)
		}
	}
}

func TestEveryFixedType(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 16, 33, 100, 515} {
		flags, small, shorts := make([]bool, n), make([]int8, n), make([]int16, n)
		words, longs, doubles, named := make([]int32, n), make([]int64, n), make([]float64, n), make([]timestamp, n)
		for i := range n {
			bits := 0x9e3779b97f4a7c15 * uint64(i+1)
			flags[i], small[i], shorts[i], words[i] = bits&4 != 0, int8(bits), int16(bits), int32(bits)
			longs[i], doubles[i], named[i] = int64(bits), float64(bits), timestamp(bits)
		}
		check(t, Bool, flags)
		check(t, Byte, small)
		check(t, I16, shorts)
		check(t, I32, words)
		check(t, I64, longs)
		check(t, Double, doubles)
		check(t, I64, named)
	}
}

func TestGoldenLists(t *testing.T) {
	checkGolden[bool](t, "bool")
	checkGolden[int8](t, "byte")
	checkGolden[int16](t, "i16")
	checkGolden[int32](t, "i32")
	checkGolden[int64](t, "i64")
	checkGolden[float64](t, "f64")
	if got := Append(nil, []int64{}); !bytes.Equal(got, golden.Read(t, 1, "empty_i64.thrift")) {
		t.Errorf("an empty list is % x", got)
	}

	list := golden.Read(t, 1, "string.thrift")
	texts, used, err := ReadStrings[string](list)
	if err != nil || used != len(list) || len(texts) != golden.Count {
		t.Fatalf("ReadStrings: %d strings, used %d, %v", len(texts), used, err)
	}
	var input []byte
	for _, text := range texts {
		input = append(binary.LittleEndian.AppendUint32(input, uint32(len(text))), text...)
	}
	if !bytes.Equal(input, golden.Read(t, 1, "string.values")) {
		t.Error("ReadStrings made other strings")
	}
	if !bytes.Equal(AppendStrings(nil, texts), list) {
		t.Error("AppendStrings wrote other bytes")
	}
}

func checkGolden[T Fixed](t *testing.T, name string) {
	t.Helper()
	list := golden.Read(t, 1, name+".thrift")
	values, used, err := Read[T](list)
	if err != nil || used != len(list) {
		t.Fatalf("%s: Read: used %d, %v", name, used, err)
	}
	if input, _ := binary.Append(nil, binary.LittleEndian, values); !bytes.Equal(input, golden.Read(t, 1, name+".values")) {
		t.Errorf("%s: Read made other values", name)
	}
	if got := Append(nil, values); !bytes.Equal(got, list) {
		t.Errorf("%s: Append wrote other bytes", name)
	}
}

func TestStringsAndBinaries(t *testing.T) {
	type name string
	texts := []name{"", "a", "敏捷", name(bytes.Repeat([]byte("x"), 5000))}
	list := AppendStrings([]byte("abc"), texts)[3:]
	if StringsBLength(texts) != len(list) {
		t.Fatalf("StringsBLength is %d, not %d", StringsBLength(texts), len(list))
	}
	got, used, err := ReadStrings[name](append(slices.Clone(list), "rest"...))
	if err != nil || used != len(list) || !slices.Equal(got, texts) {
		t.Fatalf("ReadStrings: %q, used %d, %v", got, used, err)
	}
	input := slices.Clone(list)
	blobs, used, err := ReadBinaries[[]byte](input)
	clear(input)
	if err != nil || used != len(list) || !slices.EqualFunc(blobs, texts, func(b []byte, s name) bool { return string(b) == string(s) }) {
		t.Fatalf("ReadBinaries: %q, used %d, %v", blobs, used, err)
	}
	blobs[1] = append(blobs[1], "overwrites the next one's length"...)
	if string(blobs[2]) != "敏捷" {
		t.Error("appending to one binary changed another")
	}
	if !bytes.Equal(AppendStrings(nil, blobs[2:3]), AppendStrings(nil, texts[2:3])) {
		t.Error("a binary is not written as a string is")
	}
	for cut := range list {
		if _, _, err := ReadStrings[string](list[:cut]); !errors.Is(err, ErrTruncated) {
			t.Fatalf("a list cut at %d: %v", cut, err)
		}
	}
}

func TestHostileListsAreRefusedBeforeAnythingIsAllocated(t *testing.T) {
	for _, test := range []struct {
		name   string
		input  []byte
		want   error
		offset int
		text   string
	}{
		{"huge", []byte{10, 0x0f, 0xff, 0xff, 0xff, 1, 2}, ErrTruncated, 7,
			"thriftlist: truncated at byte 7: 268435455 elements of i64 need more than the 2 bytes left"},
		{"largest", append([]byte{10, 0x7f, 0xff, 0xff, 0xff}, make([]byte, 100)...), ErrTruncated, 105,
			"thriftlist: truncated at byte 105: 2147483647 elements of i64 need more than the 100 bytes left"},
		{"negative", []byte{10, 0xff, 0xff, 0xff, 0xff}, ErrNegativeSize, 1,
			"thriftlist: negative size at byte 1: the list's size is -1"},
		{"other type", []byte{8, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8}, ErrElementType, 0,
			"thriftlist: wrong element type at byte 0: the elements are i32, not i64"},
		{"unknown type", []byte{99, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8}, ErrElementType, 0,
			"thriftlist: wrong element type at byte 0: the elements are type 99, not i64"},
		{"header cut off", []byte{10, 0, 0}, ErrTruncated, 3,
			"thriftlist: truncated at byte 3: a list's header takes 5 bytes"},
		{"empty", nil, ErrTruncated, 0,
			"thriftlist: truncated at byte 0: a list's header takes 5 bytes"},
	} {
		own := []int64{1, 2, 3}
		got, used, err := ReadInto(own, test.input)
		var detail *Error
		if !errors.Is(err, test.want) || !errors.As(err, &detail) || detail.Offset != test.offset || err.Error() != test.text {
			t.Errorf("%s: %v", test.name, err)
		}
		if used != 0 || !slices.Equal(got, []int64{1, 2, 3}) {
			t.Errorf("%s: used %d, values %v", test.name, used, got)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Read[int64](test.input)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<10 {
			t.Errorf("%s: %d bytes allocated", test.name, allocated)
		}
	}
}

func TestHostileStrings(t *testing.T) {
	for _, test := range []struct {
		input []byte
		want  error
		text  string
	}{
		{[]byte{11, 0x3f, 0xff, 0xff, 0xff, 0, 0, 0, 0}, ErrTruncated,
			"thriftlist: truncated at byte 9: 1073741823 elements of string need more than the 4 bytes left"},
		{[]byte{11, 0, 0, 0, 1, 0, 0, 0, 2, 'a'}, ErrTruncated,
			"thriftlist: truncated at byte 10: string 0 of 1 has 2 bytes, 1 are left"},
		{[]byte{11, 0, 0, 0, 2, 0, 0, 0, 1, 'a', 0, 0, 0}, ErrTruncated,
			"thriftlist: truncated at byte 13: string 1 of 2 has no length"},
		{[]byte{11, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe}, ErrNegativeSize,
			"thriftlist: negative size at byte 5: the length of string 0 of 1 is -2"},
		{[]byte{10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, ErrElementType,
			"thriftlist: wrong element type at byte 0: the elements are i64, not string"},
	} {
		_, _, err := ReadStrings[string](test.input)
		if !errors.Is(err, test.want) || err.Error() != test.text {
			t.Errorf("ReadStrings: %v", err)
		}
		if _, _, other := ReadBinaries[[]byte](test.input); other == nil || other.Error() != err.Error() {
			t.Errorf("ReadBinaries: %v", other)
		}
	}
}

func TestEmptyListsMayHaveAnyElementType(t *testing.T) {
	for code := range 256 {
		values, used, err := Read[int32]([]byte{byte(code), 0, 0, 0, 0})
		if err != nil || used != HeaderLength || values == nil || len(values) != 0 {
			t.Errorf("type %d: %v, used %d, %v", code, values, used, err)
		}
	}
}

func TestABoolHoldsZeroOrOneWhateverTheByte(t *testing.T) {
	list := append([]byte{2, 0, 0, 1, 0}, make([]byte, 256)...)
	for i := range 256 {
		list[HeaderLength+i] = byte(i)
	}
	flags, _, err := Read[bool](list)
	if err != nil {
		t.Fatal(err)
	}
	for i, flag := range flags {
		if flag != (i == 1) {
			t.Errorf("byte %d reads as %v", i, flag)
		}
	}
	again := Append(nil, flags)[HeaderLength:]
	if !bytes.Equal(again, slices.Concat([]byte{0, 1}, make([]byte, 254))) {
		t.Error("bools hold something other than 0 and 1")
	}
}

func TestReadIntoAllocatesOnlyWhereTheCapacityIsTooSmall(t *testing.T) {
	list := Append(nil, make([]float64, 1000))
	values := make([]float64, 0, 1000)
	if n := testing.AllocsPerRun(50, func() { values, _, _ = ReadInto(values, list) }); n != 0 {
		t.Errorf("%v allocations with room", n)
	}
	if n := testing.AllocsPerRun(50, func() { values, _, _ = ReadInto(values[:0:999], list) }); n != 1 {
		t.Errorf("%v allocations without", n)
	}
	if values, _, _ := ReadInto[float64](nil, []byte{4, 0, 0, 0, 0}); values == nil {
		t.Error("an empty list read into nothing is nil")
	}
}

func TestHeaders(t *testing.T) {
	buf := AppendHeader(nil, Struct, 3)
	if !bytes.Equal(buf, []byte{12, 0, 0, 0, 3}) {
		t.Fatalf("AppendHeader: % x", buf)
	}
	if size, used, err := ReadHeader(append(buf, 0, 0, 0), Struct, 0); size != 3 || used != HeaderLength || err != nil {
		t.Errorf("ReadHeader: %d, %d, %v", size, used, err)
	}
	tooMany := int64(math.MaxInt32 + 1) // negative as a 32-bit int
	for _, size := range []int{-1, int(tooMany)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for a list of %d elements", size)
				}
			}()
			AppendHeader(nil, I64, size)
		}()
	}
}

// For any input, a list that is read is written with the same bytes, except
// for bools that are neither 0 nor 1 and the type of an empty list.
func FuzzRead(f *testing.F) {
	f.Add(Append(nil, []int64{1, -2, 3}))
	f.Add(Append(nil, []bool{true, false}))
	f.Add(AppendStrings(nil, []string{"", "abc"}))
	f.Add([]byte{11, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, input []byte) {
		fuzzFixed[int8](t, input)
		fuzzFixed[int16](t, input)
		fuzzFixed[int32](t, input)
		fuzzFixed[int64](t, input)
		fuzzFixed[float64](t, input)
		if flags, used, err := Read[bool](input); err == nil && used != BLength(flags) {
			t.Fatalf("bools: used %d bytes of %d", used, BLength(flags))
		}
		texts, used, err := ReadStrings[string](input)
		blobs, usedByBlobs, errOfBlobs := ReadBinaries[[]byte](input)
		if used != usedByBlobs || (err == nil) != (errOfBlobs == nil) {
			t.Fatalf("strings: %d, %v; binaries: %d, %v", used, err, usedByBlobs, errOfBlobs)
		}
		if err == nil && len(texts) > 0 {
			if !bytes.Equal(AppendStrings(nil, texts), input[:used]) || !bytes.Equal(AppendStrings(nil, blobs), input[:used]) {
				t.Fatal("strings are written as other bytes")
			}
		}
	})
}

func fuzzFixed[T Fixed](t *testing.T, input []byte) {
	values, used, err := Read[T](input)
	if err == nil && len(values) > 0 && !bytes.Equal(Append(nil, values), input[:used]) {
		t.Fatalf("%T: written as other bytes", values)
	}
}
