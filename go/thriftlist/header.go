package thriftlist

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Type is a type code of the binary protocol.
type Type byte

// Type codes of elements in Thrift's binary protocol.
const (
	Bool   Type = 2
	Byte   Type = 3
	Double Type = 4
	I16    Type = 6
	I32    Type = 8
	I64    Type = 10
	String Type = 11 // also binary
	Struct Type = 12
	Map    Type = 13
	Set    Type = 14
	List   Type = 15
	UUID   Type = 16
)

var typeNames = [...]string{
	Bool: "bool", Byte: "byte", Double: "double", I16: "i16", I32: "i32", I64: "i64", String: "string",
	Struct: "struct", Map: "map", Set: "set", List: "list", UUID: "uuid",
}

// String returns the name of the type in Thrift's IDL.
func (t Type) String() string {
	if int(t) < len(typeNames) && typeNames[t] != "" {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", byte(t))
}

// HeaderLength is the number of bytes before the first element.
const HeaderLength = 5

// WriteHeader writes the header of a list or set of size elements to the front
// of buf and returns [HeaderLength]. It panics if buf is shorter than that, or
// if size is not a valid Thrift size: negative, or above 2,147,483,647.
func WriteHeader(buf []byte, element Type, size int) int {
	if uint(size) > math.MaxInt32 {
		panic(sizeError(size))
	}
	binary.BigEndian.PutUint32(buf[1:], uint32(size))
	buf[0] = byte(element)
	return HeaderLength
}

// sizeError is the panic value of WriteHeader.
type sizeError int

func (e sizeError) Error() string {
	return fmt.Sprintf("thriftlist: a list cannot hold %d elements", int(e))
}

// AppendHeader appends the header of a list or set of size elements to buf. It
// panics if size is not a valid Thrift size.
func AppendHeader(buf []byte, element Type, size int) []byte {
	var header [HeaderLength]byte
	WriteHeader(header[:], element, size)
	return append(buf, header[:]...)
}

// ReadHeader reads the header of a list or set from the front of buf and
// returns its size and [HeaderLength]. Its error is an [*Error] if the header
// is truncated, the elements are not of the requested type (unless there are
// none), the size is negative, or the rest of buf is too short for this many
// elements of at least smallest bytes. Every element takes at least 1 byte, a
// string at least 4; a struct takes 1.
func ReadHeader(buf []byte, element Type, smallest int) (size, used int, err error) {
	if len(buf) >= HeaderLength {
		size = int(int32(binary.BigEndian.Uint32(buf[1:])))
		fits := size >= 0 && int64(size)*int64(max(smallest, 1)) <= int64(len(buf)-HeaderLength)
		if fits && (Type(buf[0]) == element || size == 0) {
			return size, HeaderLength, nil
		}
	}
	return 0, 0, headerError(buf, element)
}

// headerError returns the error for a header that ReadHeader rejects.
func headerError(buf []byte, element Type) *Error {
	if len(buf) < HeaderLength {
		return &Error{Err: ErrTruncated, Offset: len(buf),
			Detail: fmt.Sprintf("a list's header takes %d bytes", HeaderLength)}
	}
	got, size := Type(buf[0]), int(int32(binary.BigEndian.Uint32(buf[1:])))
	switch {
	case size < 0:
		return &Error{Err: ErrNegativeSize, Offset: 1, Detail: fmt.Sprintf("the list's size is %d", size)}
	case got != element:
		return &Error{Err: ErrElementType, Detail: fmt.Sprintf("the elements are %v, not %v", got, element)}
	default:
		return &Error{Err: ErrTruncated, Offset: len(buf), Detail: fmt.Sprintf(
			"%d elements of %v need more than the %d bytes left", size, element, len(buf)-HeaderLength)}
	}
}
