package thriftlist

import (
	"reflect"
	"slices"

	"github.com/bytelane/bytelane/go/internal/bulk"
)

// Fixed is an element whose size on the wire is its size in memory. An enum,
// which Kitex keeps as an int64 and Thrift sends as an i32, is not one.
type Fixed interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~float64
}

// typeOf returns the type code of T. Its size is a constant in each instance,
// and tells most types from each other; reflection, which is slower, is left
// with types that have a name of their own.
func typeOf[T Fixed]() Type {
	var zero T
	switch bulk.Width[T]() {
	case 2:
		return I16
	case 4:
		return I32
	case 8:
		switch any(zero).(type) {
		case int64:
			return I64
		case float64:
			return Double
		}
		if reflect.TypeFor[T]().Kind() == reflect.Float64 {
			return Double
		}
		return I64
	default:
		if reflect.TypeFor[T]().Kind() == reflect.Bool {
			return Bool
		}
		return Byte
	}
}

// BLength returns the number of bytes that [Write] writes for values.
func BLength[T Fixed](values []T) int {
	return HeaderLength + len(values)*bulk.Width[T]()
}

// Write writes the list or set of values to the front of buf and returns the
// number of bytes written. It panics if buf is shorter than [BLength] says, or
// if there are more values than a list can hold.
func Write[T Fixed](buf []byte, values []T) int {
	length := BLength(values)
	body := buf[HeaderLength:length]
	WriteHeader(buf, typeOf[T](), len(values))
	bulk.Convert(body, bulk.Bytes(values), bulk.Width[T]())
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

// Read reads the list or set at the front of buf into a slice of its own, which
// is not nil, and returns it and the number of bytes used. Its error is an
// [*Error]; nothing has been allocated then.
func Read[T Fixed](buf []byte) (values []T, used int, err error) {
	return ReadInto[T](nil, buf)
}

// ReadInto is [Read] into the memory of values, as far as its capacity goes; a
// new slice is allocated if the capacity is too small. With an error it
// returns values as they were.
func ReadInto[T Fixed](values []T, buf []byte) (_ []T, used int, err error) {
	element := typeOf[T]()
	size, used, err := ReadHeader(buf, element, bulk.Width[T]())
	if err != nil {
		return values, 0, err
	}
	if values == nil || cap(values) < size {
		values = bulk.Unzeroed[T](size)
	}
	values = values[:size]
	length := BLength(values)
	body := buf[used:length]
	if element == Bool {
		readBools(bulk.Bytes(values), body)
	} else {
		bulk.Convert(bulk.Bytes(values), body, bulk.Width[T]())
	}
	return values, length, nil
}

// readBools makes 1 of every 1 and 0 of every other byte: a bool must hold
// nothing else. Both slices have one length.
func readBools(flags, body []byte) {
	for i, b := range body[:len(flags)] {
		var flag byte
		if b == 1 {
			flag = 1
		}
		flags[i] = flag
	}
}
