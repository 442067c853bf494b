package thriftlist

import (
	"reflect"
	"slices"

	"github.com/bytelane/bytelane/go/internal/bulk"
)

// Fixed is an element type with the same size on the wire and in memory. For
// enums, which Kitex stores as an int64 and Thrift sends as an i32, see
// [WriteEnums].
type Fixed interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~float64
}

// BulkLength is the number of elements from which [Write], [Read] and related
// functions are faster than a loop over the values. Shorter lists are not
// worth the call; code that writes many of them is faster with a loop.
const BulkLength = 10

// typeOf returns the type code of T. Its size is a constant in each instance
// and distinguishes most types. Of 8 bytes that are all ones, only a float64
// differs from itself, because it is a NaN.
func typeOf[T Fixed]() Type {
	switch bulk.Width[T]() {
	case 2:
		return I16
	case 4:
		return I32
	case 8:
		if bulk.Ones[T]() != bulk.Ones[T]() {
			return Double
		}
		return I64
	default:
		return typeOfByte[T]()
	}
}

// typeOfByte distinguishes bool from int8. Only named types need reflection,
// which is slow.
func typeOfByte[T Fixed]() Type {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Byte
	}
	if reflect.TypeFor[T]().Kind() == reflect.Bool {
		return Bool
	}
	return Byte
}

// BLength returns the number of bytes that [Write] writes for values.
func BLength[T Fixed](values []T) int {
	return HeaderLength + len(values)*bulk.Width[T]()
}

// Write writes the list or set of values to the front of buf and returns the
// number of bytes written. It panics if buf is shorter than [BLength] returns,
// or if there are more values than a list can hold.
func Write[T Fixed](buf []byte, values []T) int {
	return write(buf, bulk.Bytes(values), len(values), typeOf[T]())
}

// write writes the list of size elements in native byte order.
func write(buf, elements []byte, size int, element Type) int {
	length := HeaderLength + len(elements)
	body := buf[HeaderLength:length]
	WriteHeader(buf, element, size)
	bulk.Convert(body, elements, int(lengths[element]))
	return length
}

// Append appends the list or set of values to buf and returns the extended
// slice. It panics if there are more values than a list can hold.
func Append[T Fixed](buf []byte, values []T) []byte {
	start, length := len(buf), BLength(values)
	buf = slices.Grow(buf, length)[:start+length]
	Write(buf[start:], values)
	return buf
}

// Read reads the list or set at the front of buf into a new slice, which is
// not nil, and returns it and the number of bytes used. Its error is an
// [*Error]; in this case, it has allocated nothing.
func Read[T Fixed](buf []byte) (values []T, used int, err error) {
	return ReadInto[T](nil, buf)
}

// ReadInto is [Read] into the memory of values, up to its capacity; a new
// slice is allocated if the capacity is too small. If there is an error, it
// returns values unchanged.
func ReadInto[T Fixed](values []T, buf []byte) (_ []T, used int, err error) {
	element := typeOf[T]()
	size, used, err := ReadHeader(buf, element, bulk.Width[T]())
	if err != nil {
		return values, 0, err
	}
	values = room(values, size)
	length := BLength(values)
	body := buf[used:length]
	if element == Bool {
		bulk.Flags(bulk.Bytes(values), body)
	} else {
		bulk.Convert(bulk.Bytes(values), body, bulk.Width[T]())
	}
	return values, length, nil
}

// room returns size elements in the memory of values if they fit, and in new
// memory otherwise. Their contents are undefined.
func room[T bulk.Fixed](values []T, size int) []T {
	if values == nil || cap(values) < size {
		return bulk.Unzeroed[T](size)
	}
	return values[:size]
}
