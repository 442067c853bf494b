package thriftlist

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// values are values of every type, each with its size.
var values = []struct {
	t    Type
	wire []byte
}{
	{Bool, []byte{1}},
	{Byte, []byte{2}},
	{I16, []byte{0, 1}},
	{I32, []byte{0, 0, 0, 1}},
	{I64, make([]byte, 8)},
	{Double, make([]byte, 8)},
	{String, []byte{0, 0, 0, 3, 'a', 'b', 'c'}},
	{Struct, []byte{0}},
	{Struct, []byte{2, 0, 1, 1, 11, 0, 2, 0, 0, 0, 1, 'a', 12, 0, 3, 0, 0}},
	{List, []byte{6, 0, 0, 0, 2, 0, 1, 0, 2}},
	{List, []byte{0, 0, 0, 0, 0}},
	{Set, []byte{11, 0, 0, 0, 2, 0, 0, 0, 1, 'a', 0, 0, 0, 0}},
	{List, []byte{15, 0, 0, 0, 1, 3, 0, 0, 0, 2, 7, 7}},
	{Map, []byte{3, 6, 0, 0, 0, 2, 1, 0, 1, 2, 0, 2}},
	{Map, []byte{0, 0, 0, 0, 0, 0}},
	{Map, []byte{11, 10, 0, 0, 0, 1, 0, 0, 0, 1, 'k', 0, 0, 0, 0, 0, 0, 0, 9}},
}

func TestSkip(t *testing.T) {
	for _, value := range values {
		used, err := Skip(append(slices.Clone(value.wire), "rest"...), value.t)
		if err != nil || used != len(value.wire) {
			t.Errorf("%v % x: used %d, %v", value.t, value.wire, used, err)
		}
		for cut := range value.wire {
			if used, err := Skip(value.wire[:cut], value.t); !errors.Is(err, ErrTruncated) || used != 0 {
				t.Errorf("%v % x cut at %d: used %d, %v", value.t, value.wire, cut, used, err)
			}
		}
	}
}

func TestSkipRefuses(t *testing.T) {
	deep := func(levels int) []byte {
		return append(bytes.Repeat([]byte{15, 0, 0, 0, 1}, levels), 3, 0, 0, 0, 0)
	}
	if used, err := Skip(deep(maxDepth-1), List); err != nil || used != 5*maxDepth {
		t.Errorf("%d lists within each other: used %d, %v", maxDepth, used, err)
	}
	for _, test := range []struct {
		t     Type
		input []byte
		want  error
		text  string
	}{
		{0, []byte{0, 0}, ErrType, "thriftlist: unknown type at byte 0: type 0 cannot be skipped"},
		{255, []byte{0, 0}, ErrType, "thriftlist: unknown type at byte 0: type 255 cannot be skipped"},
		{Struct, []byte{2, 0, 1, 1, 200, 0, 2, 0, 0}, ErrType, "thriftlist: unknown type at byte 7: type 200 cannot be skipped"},
		{List, []byte{0, 0, 0, 0, 1, 0}, ErrType, "thriftlist: unknown type at byte 5: type 0 cannot be skipped"},
		{Map, []byte{3, 0, 0, 0, 0, 1, 9, 9}, ErrType, "thriftlist: unknown type at byte 7: type 0 cannot be skipped"},
		{List, []byte{6, 0xff, 0, 0, 0, 0}, ErrNegativeSize, "thriftlist: negative size at byte 1: the size of a value is -16777216"},
		{Map, []byte{3, 3, 0xff, 0, 0, 0}, ErrNegativeSize, "thriftlist: negative size at byte 2: the size of a value is -16777216"},
		{String, []byte{0xff, 0xff, 0xff, 0xff}, ErrNegativeSize, "thriftlist: negative size at byte 0: the size of a value is -1"},
		{List, []byte{10, 0x7f, 0xff, 0xff, 0xff, 0}, ErrTruncated, "thriftlist: truncated at byte 6: the input ends within a value of type list"},
		{Map, []byte{11, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1}, ErrTruncated, "thriftlist: truncated at byte 11: the input ends within a value of type i64"},
		{List, deep(maxDepth), ErrDepth, "thriftlist: nested too deep at byte 320: more than 64 values within each other"},
	} {
		used, err := Skip(test.input, test.t)
		var detail *Error
		if !errors.Is(err, test.want) || !errors.As(err, &detail) || err.Error() != test.text || used != 0 {
			t.Errorf("%v % x: used %d, %v", test.t, test.input, used, err)
		}
	}
}

func TestTooMany(t *testing.T) {
	err := TooMany(1000, 12)
	if want := "thriftlist: truncated at byte 12: 1000 elements need more than the 12 bytes left"; err.Error() != want || !errors.Is(err, ErrTruncated) {
		t.Errorf("%v, not %s", err, want)
	}
}

// For any input, Skip ends within it.
func FuzzSkip(f *testing.F) {
	for _, value := range values {
		f.Add(value.wire, byte(value.t))
	}
	f.Fuzz(func(t *testing.T, input []byte, kind byte) {
		used, err := Skip(input, Type(kind))
		if used < 0 || used > len(input) || (err == nil) != (used > 0) {
			t.Fatalf("used %d of %d, %v", used, len(input), err)
		}
	})
}
