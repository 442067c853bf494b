package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/cloudwego/gopkg/protocol/thrift"

	bulk "github.com/bytelane/bytelane/go/compare/bulk_gen/lists"
	kitex "github.com/bytelane/bytelane/go/compare/kitex_gen/lists"
	"github.com/bytelane/bytelane/go/thriftlist"
)

// decode reads a message with the rewritten code. It returns the bytes that
// were allocated and the error, after checking that the error is Kitex's.
func decode(t *testing.T, into thrift.FastCodec, message []byte) (allocated uint64, err error) {
	t.Helper()
	defer func() {
		if panicked := recover(); panicked != nil {
			t.Errorf("% x: panic: %v", message, panicked)
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = into.FastRead(message)
	runtime.ReadMemStats(&after)
	var exception *thrift.ProtocolException
	if err != nil && (!errors.As(err, &exception) || exception.TypeId() != thrift.INVALID_DATA) {
		t.Errorf("% x: %T %v", message, err, err)
	}
	return after.TotalAlloc - before.TotalAlloc, err
}

// field returns a message: the header of a field and its content.
func field(kind thrift.TType, id int16, content ...byte) []byte {
	return append(thrift.Binary.AppendFieldBegin(nil, kind, id), content...)
}

// Kitex allocates 17 MB to 1.6 GB for each of these.
func TestSizesAreCheckedBeforeMemoryIsTaken(t *testing.T) {
	batch, nested := bulk.NewBatch(), bulk.NewNested()
	for _, test := range []struct {
		name    string
		into    thrift.FastCodec
		message []byte
	}{
		{"list<i64>", batch, field(thrift.LIST, 2, 10, 1, 0, 0, 0, 0, 0)},
		{"list<i32>", batch, field(thrift.LIST, 4, 8, 1, 0, 0, 0, 0, 0)},
		{"list<enum>", batch, field(thrift.LIST, 5, 8, 1, 0, 0, 0, 0, 0)},
		{"list<bool>", batch, field(thrift.LIST, 6, 2, 1, 0, 0, 0, 1, 1)},
		{"list<string>", batch, field(thrift.LIST, 7, 11, 1, 0, 0, 0, 0, 0)},
		{"list<struct>", batch, field(thrift.LIST, 8, 12, 1, 0, 0, 0, 0, 0)},
		{"map<string, list>", batch, field(thrift.MAP, 9, 11, 15, 1, 0, 0, 0, 0)},
		{"map<string, list>, within", batch, field(thrift.MAP, 9, 11, 15, 0, 0, 0, 1, 0, 0, 0, 0, 4, 1, 0, 0, 0)},
		{"set<i64>", batch, field(thrift.SET, 10, 10, 1, 0, 0, 0, 0, 0)},
		{"list<list>", nested, field(thrift.LIST, 1, 15, 1, 0, 0, 0, 0, 0)},
		{"list<list>, within", nested, field(thrift.LIST, 1, 15, 0, 0, 0, 1, 10, 1, 0, 0, 0)},
	} {
		allocated, err := decode(t, test.into, test.message)
		if err == nil {
			t.Errorf("%s: no error", test.name)
		}
		if allocated > 1<<16 {
			t.Errorf("%s: %d bytes allocated for %d", test.name, allocated, len(test.message))
		}
	}
}

// A list of numbers with the header of another list is an error, however short.
func TestElementTypesAreChecked(t *testing.T) {
	for _, message := range [][]byte{
		field(thrift.LIST, 2, append([]byte{8, 0, 0, 0, 1}, make([]byte, 20)...)...),
		field(thrift.LIST, 2, append([]byte{4, 0, 0, 0, 20}, make([]byte, 200)...)...),
		field(thrift.LIST, 5, append([]byte{10, 0, 0, 0, 1}, make([]byte, 20)...)...),
		field(thrift.SET, 10, append([]byte{4, 0, 0, 0, 9}, make([]byte, 90)...)...),
	} {
		if _, err := decode(t, bulk.NewBatch(), message); err == nil || !strings.Contains(err.Error(), "wrong element type at byte 0") {
			t.Errorf("% x: %v", message, err)
		}
	}
	for code := range byte(17) { // there are peers that write no type for an empty list
		batch := bulk.NewBatch()
		if _, err := decode(t, batch, field(thrift.LIST, 4, code, 0, 0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), "is not set") || batch.Buckets == nil {
			t.Errorf("an empty list of type %d: %v, %v", code, batch.Buckets, err)
		}
	}
}

// Kitex's Skip panics on all of these; its server then closes the connection.
func TestUnknownFieldsOfUnknownTypes(t *testing.T) {
	for name, message := range map[string][]byte{
		"field":                 field(-1, 99, 0, 0, 0, 0),
		"field of another type": field(-128, 2, 0, 0, 0, 0),
		"element":               field(thrift.LIST, 99, 0xff, 0, 0, 0, 1, 0, 0),
		"key":                   field(thrift.MAP, 99, 0x80, 3, 0, 0, 0, 1, 0, 0),
		"value":                 field(thrift.MAP, 99, 3, 0x80, 0, 0, 0, 1, 0, 0),
		"field of a struct":     field(thrift.STRUCT, 99, 0x90, 0, 1, 0, 0),
		"value that is cut off": field(thrift.MAP, 99, 11, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1),
	} {
		if _, err := decode(t, bulk.NewBatch(), message); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// If Kitex skips a value without an error and within the input, thriftlist
// skips it as well; everything else is an error.
func TestSkipAgreesWithKitex(t *testing.T) {
	valid := [][]byte{thrift.FastMarshal(batch(0)), thrift.FastMarshal(batch(3)), thrift.FastMarshal(batch(20))}
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for round := range 200_000 {
		input := append([]byte(nil), valid[round%len(valid)]...)
		for range random.IntN(4) {
			input[random.IntN(len(input))] = byte(random.IntN(17))
		}
		input = input[:len(input)-random.IntN(2)*random.IntN(len(input))]
		kind := thrift.TType(thrift.STRUCT)
		if round%4 == 0 {
			kind = thrift.TType(random.IntN(256))
		}
		want, kitexErr := kitexSkip(input, kind)
		got, err := thriftlist.Skip(input, thriftlist.Type(kind))
		if (err == nil) != (kitexErr == nil) || err == nil && got != want {
			t.Fatalf("% x as %d: %d, %v; Kitex: %d, %v", input, kind, got, err, want, kitexErr)
		}
		if err == nil {
			accepted++
		}
	}
	if accepted < 10_000 || accepted > 190_000 {
		t.Errorf("%d inputs were accepted: too few or too many to tell the two apart", accepted)
	}
}

// kitexSkip is Kitex's Skip, with an error where it fails.
func kitexSkip(input []byte, kind thrift.TType) (used int, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	used, err = thrift.Binary.Skip(input, kind)
	if err == nil && used > len(input) {
		err = fmt.Errorf("%d bytes of %d", used, len(input))
	}
	return used, err
}

// For any input, both packages accept the same messages, except those whose
// lists name another element type or claim more than there is.
func TestCorruptMessages(t *testing.T) {
	valid := thrift.FastMarshal(batch(12))
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		input := append([]byte(nil), valid...)
		for range 1 + random.IntN(3) {
			input[random.IntN(len(input))] = byte(random.Uint32())
		}
		allocated, err := decode(t, bulk.NewBatch(), input)
		if allocated > uint64(64*len(input)+1<<16) {
			t.Fatalf("%d bytes allocated for %d: % x", allocated, len(input), input)
		}
		if err == nil {
			if err := thrift.FastUnmarshal(input, kitex.NewBatch()); err != nil {
				t.Fatalf("only the rewritten code accepts % x: %v", input, err)
			}
		}
	}
}
