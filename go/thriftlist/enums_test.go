package thriftlist

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

type (
	kind   int64 // as Kitex has enums
	kind32 int32 // as it has them with enum_as_int_32
)

func checkEnums[T Enum](t *testing.T, n int) {
	t.Helper()
	values := make([]T, n)
	want := binary.BigEndian.AppendUint32([]byte{byte(I32)}, uint32(n))
	for i := range values {
		values[i] = T(int32(0x9e3779b9 * uint32(i+1)))
		want = binary.BigEndian.AppendUint32(want, uint32(values[i]))
	}
	if EnumsBLength(values) != len(want) {
		t.Fatalf("EnumsBLength is %d, not %d", EnumsBLength(values), len(want))
	}
	buf := make([]byte, 3+len(want))
	if used := WriteEnums(buf[3:], values); used != len(want) || !bytes.Equal(buf[3:], want) {
		t.Fatalf("WriteEnums of %d elements", n)
	}
	if got := AppendEnums([]byte("abc"), values); !bytes.Equal(got[3:], want) {
		t.Fatalf("AppendEnums of %d elements", n)
	}
	got, used, err := ReadEnums[T](append(want, "rest"...))
	if err != nil || used != len(want) || got == nil || !slices.Equal(got, values) {
		t.Fatalf("ReadEnums of %d elements: used %d, %v", n, used, err)
	}
	reused := make([]T, 1, n+1)
	got, _, err = ReadEnumsInto(reused, want)
	if err != nil || !slices.Equal(got, values) || &got[:1][0] != &reused[0] {
		t.Fatalf("ReadEnumsInto of %d elements: %v", n, err)
	}
	for cut := range want {
		if _, _, err := ReadEnums[T](want[:cut]); !errors.Is(err, ErrTruncated) {
			t.Fatalf("a list of %d bytes cut at %d: %v", len(want), cut, err)
		}
	}
}

func TestEnums(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 12, 15, 16, 17, 33, 100, 515} {
		checkEnums[kind](t, n)
		checkEnums[kind32](t, n)
		checkEnums[int64](t, n)
	}
}

func TestEnumsOutOfRangeAndHostile(t *testing.T) {
	beyond := slices.Repeat([]kind{math.MaxInt32 + 1}, 20)
	list := AppendEnums(nil, beyond)
	if got, _, err := ReadEnums[kind](list); err != nil || got[0] != math.MinInt32 || got[19] != math.MinInt32 {
		t.Errorf("the low 32 bits of %d are read as %v, %v", beyond[0], got, err)
	}
	own := []kind{1, 2}
	for _, test := range []struct {
		input []byte
		want  error
	}{
		{[]byte{8, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0}, ErrTruncated},
		{[]byte{8, 0xff, 0xff, 0xff, 0xff}, ErrNegativeSize},
		{[]byte{10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, ErrElementType},
	} {
		got, used, err := ReadEnumsInto(own, test.input)
		if !errors.Is(err, test.want) || used != 0 || !slices.Equal(got, own) {
			t.Errorf("% x: %v, used %d, %v", test.input, got, used, err)
		}
	}
}
