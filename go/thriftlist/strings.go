package thriftlist

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// lengthLength is the size of a string's length in bytes.
const lengthLength = 4

// StringsBLength returns the number of bytes that [WriteStrings] writes.
func StringsBLength[T ~string | ~[]byte](values []T) int {
	length := HeaderLength + lengthLength*len(values)
	for _, v := range values {
		length += len(v)
	}
	return length
}

// WriteStrings writes the list or set of strings or binaries to the front of
// buf and returns the number of bytes written. It panics if buf is shorter
// than [StringsBLength] returns, or if there are more values, or a longer one,
// than Thrift supports (2,147,483,647).
func WriteStrings[T ~string | ~[]byte](buf []byte, values []T) int {
	offset := WriteHeader(buf, String, len(values))
	for _, v := range values {
		if len(v) > math.MaxInt32 {
			panic(fmt.Sprintf("thriftlist: a string cannot hold %d bytes", len(v)))
		}
		body := buf[offset+lengthLength : offset+lengthLength+len(v)]
		binary.BigEndian.PutUint32(buf[offset:], uint32(len(v)))
		offset += lengthLength + copy(body, v)
	}
	return offset
}

// AppendStrings appends the list or set of strings or binaries to buf and
// returns the extended slice. It panics like [WriteStrings].
func AppendStrings[T ~string | ~[]byte](buf []byte, values []T) []byte {
	start, length := len(buf), StringsBLength(values)
	buf = slices.Grow(buf, length)[:start+length]
	WriteStrings(buf[start:], values)
	return buf
}

// ReadStrings reads the list or set of strings at the front of buf and returns
// them, in a slice that is not nil, and the number of bytes used. The strings
// are parts of one string, so keeping one keeps the memory of all. Its error
// is an [*Error]; in this case, it has allocated nothing.
func ReadStrings[T ~string](buf []byte) (values []T, used int, err error) {
	size, used, err := stringsEnd(buf)
	if err != nil {
		return nil, 0, err
	}
	values = make([]T, size)
	all := T(buf[:used])
	offset := HeaderLength
	for i := range values {
		length := int(binary.BigEndian.Uint32(buf[offset:]))
		offset += lengthLength
		values[i] = all[offset : offset+length]
		offset += length
	}
	return values, used, nil
}

// ReadBinaries is [ReadStrings] for binaries. They are parts of one
// allocation, each with a capacity of its length, so appending to one does not
// affect the others.
func ReadBinaries[T ~[]byte](buf []byte) (values []T, used int, err error) {
	size, used, err := stringsEnd(buf)
	if err != nil {
		return nil, 0, err
	}
	values = make([]T, size)
	all := bytes.Clone(buf[:used])
	offset := HeaderLength
	for i := range values {
		length := int(binary.BigEndian.Uint32(buf[offset:]))
		offset += lengthLength
		values[i] = T(all[offset : offset+length : offset+length])
		offset += length
	}
	return values, used, nil
}

// stringsEnd checks the list of strings at the front of buf. It returns their
// number and the end of the list.
func stringsEnd(buf []byte) (size, end int, err error) {
	size, end, err = ReadHeader(buf, String, lengthLength)
	if err != nil {
		return 0, 0, err
	}
	for i := range size {
		if len(buf)-end < lengthLength {
			return 0, 0, &Error{Err: ErrTruncated, Offset: len(buf),
				Detail: fmt.Sprintf("string %d of %d has no length", i, size)}
		}
		length := int(int32(binary.BigEndian.Uint32(buf[end:])))
		if length < 0 {
			return 0, 0, &Error{Err: ErrNegativeSize, Offset: end,
				Detail: fmt.Sprintf("the length of string %d of %d is %d", i, size, length)}
		}
		if left := len(buf) - end - lengthLength; length > left {
			return 0, 0, &Error{Err: ErrTruncated, Offset: len(buf),
				Detail: fmt.Sprintf("string %d of %d has %d bytes, %d are left", i, size, length, left)}
		}
		end += lengthLength + length
	}
	return size, end, nil
}
