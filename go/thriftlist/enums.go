package thriftlist

import (
	"slices"

	"github.com/bytelane/bytelane/go/internal/bulk"
)

// enumLength is the encoded size of an enum in bytes.
const enumLength = 4

// Enum is a type that a code generator uses for Thrift enums, which are an i32
// on the wire.
type Enum interface {
	~int32 | ~int64
}

// EnumsBLength returns the number of bytes that [WriteEnums] writes.
func EnumsBLength[T Enum](values []T) int {
	return HeaderLength + enumLength*len(values)
}

// WriteEnums writes the list or set of enums to the front of buf and returns
// the number of bytes written. If a value does not fit in an i32, it writes
// the low 32 bits. It panics if buf is shorter than [EnumsBLength] returns, or
// if there are more values than a list can hold.
func WriteEnums[T Enum](buf []byte, values []T) int {
	length := EnumsBLength(values)
	body := buf[HeaderLength:length]
	WriteHeader(buf, I32, len(values))
	if bulk.Width[T]() == enumLength {
		bulk.Convert(body, bulk.Bytes(values), enumLength)
	} else {
		bulk.Narrow(body, bulk.Bytes(values))
	}
	return length
}

// AppendEnums appends the list or set of enums to buf and returns the extended
// slice. It panics if there are more values than a list can hold.
func AppendEnums[T Enum](buf []byte, values []T) []byte {
	start, length := len(buf), EnumsBLength(values)
	buf = slices.Grow(buf, length)[:start+length]
	WriteEnums(buf[start:], values)
	return buf
}

// ReadEnums reads the list or set of enums at the front of buf into a new
// slice, which is not nil, and returns it and the number of bytes used. Its
// error is an [*Error]; in this case, it has allocated nothing.
func ReadEnums[T Enum](buf []byte) (values []T, used int, err error) {
	return ReadEnumsInto[T](nil, buf)
}

// ReadEnumsInto is [ReadEnums] into the memory of values, up to its capacity;
// a new slice is allocated if the capacity is too small. If there is an error,
// it returns values unchanged.
func ReadEnumsInto[T Enum](values []T, buf []byte) (_ []T, used int, err error) {
	size, used, err := ReadHeader(buf, I32, enumLength)
	if err != nil {
		return values, 0, err
	}
	values = room(values, size)
	length := EnumsBLength(values)
	body := buf[used:length]
	if bulk.Width[T]() == enumLength {
		bulk.Convert(bulk.Bytes(values), body, enumLength)
	} else {
		bulk.Widen(bulk.Bytes(values), body)
	}
	return values, length, nil
}
