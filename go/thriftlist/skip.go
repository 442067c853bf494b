package thriftlist

import (
	"encoding/binary"
	"fmt"
)

// maxDepth is the maximum nesting depth of structs and containers, as in
// Kitex.
const maxDepth = 64

// lengths is the size of values in bytes, for the types where it is fixed.
var lengths = [256]uint8{Bool: 1, Byte: 1, Double: 8, I16: 2, I32: 4, I64: 8}

// Skip returns the number of bytes of the value of type t at the front of buf.
// Its error is an [*Error]. It skips everything that Kitex skips, and returns
// an error where Kitex's Skip panics: for an unknown type, and for a value
// that ends after buf.
func Skip(buf []byte, t Type) (used int, err error) {
	return skip(buf, 0, t, maxDepth)
}

// skip returns the end of the value of type t at buf[offset:], or 0 and an
// error. Lists of fixed-width elements are handled here, which saves a call.
func skip(buf []byte, offset int, t Type, depth int) (end int, err error) {
	if length := int(lengths[t]); length > 0 {
		if length > len(buf)-offset {
			return 0, cutOff(buf, t)
		}
		return offset + length, nil
	}
	if t == String {
		return skipString(buf, offset)
	}
	if depth == 0 {
		return 0, tooDeep(offset)
	}
	switch t {
	case Struct:
		return skipStruct(buf, offset, depth)
	case List, Set:
		if len(buf)-offset < HeaderLength {
			return 0, cutOff(buf, t)
		}
		size := int(int32(binary.BigEndian.Uint32(buf[offset+1:])))
		element := Type(buf[offset])
		offset += HeaderLength
		if length := int64(lengths[element]); length > 0 && size >= 0 && int64(size)*length <= int64(len(buf)-offset) {
			return offset + size*int(length), nil
		}
		return skipList(buf, offset, size, element, depth)
	case Map:
		return skipMap(buf, offset, depth)
	default:
		return 0, noType(offset, t)
	}
}

// The errors of skip are created out of line, which keeps it fast.

//go:noinline
func tooDeep(offset int) error {
	return &Error{Err: ErrDepth, Offset: offset, Detail: fmt.Sprintf("more than %d values within each other", maxDepth)}
}

//go:noinline
func noType(offset int, t Type) error {
	return &Error{Err: ErrType, Offset: offset, Detail: fmt.Sprintf("%v cannot be skipped", t)}
}

//go:noinline
func cutOff(buf []byte, t Type) error {
	return &Error{Err: ErrTruncated, Offset: len(buf), Detail: fmt.Sprintf("the input ends within a value of type %v", t)}
}

// stringEnd returns the end of the string at buf[offset:], or a negative
// number if it does not fit. The comparison with 0 tells the compiler that the
// slice below needs no further checks.
func stringEnd(buf []byte, offset int) int {
	if offset < 0 || offset > len(buf)-lengthLength {
		return -1
	}
	length := int(int32(binary.BigEndian.Uint32(buf[offset : offset+lengthLength])))
	offset += lengthLength
	if uint(length) > uint(len(buf)-offset) {
		return -1
	}
	return offset + length
}

func skipString(buf []byte, offset int) (end int, err error) {
	if end = stringEnd(buf, offset); end < 0 {
		return 0, stringError(buf, offset)
	}
	return end, nil
}

// stringError returns the error for a string that stringEnd rejects.
func stringError(buf []byte, offset int) error {
	if len(buf)-offset >= lengthLength && int8(buf[offset]) < 0 {
		return negative(offset, int(int32(binary.BigEndian.Uint32(buf[offset:]))))
	}
	return cutOff(buf, String)
}

func skipStruct(buf []byte, offset, depth int) (end int, err error) {
	for 0 <= offset && offset < len(buf) {
		t := Type(buf[offset])
		if t == 0 {
			return offset + 1, nil
		}
		if offset += 3; offset > len(buf) {
			break
		}
		if length := int(lengths[t]); length > 0 {
			offset += length // the next turn notices if this is too far
		} else if t == String {
			if end = stringEnd(buf, offset); end < 0 {
				return 0, stringError(buf, offset)
			}
			offset = end
		} else if offset, err = skip(buf, offset, t, depth-1); err != nil {
			return 0, err
		}
	}
	return 0, cutOff(buf, Struct)
}

// skipList returns the end of the elements of a list that begin at offset.
func skipList(buf []byte, offset, size int, element Type, depth int) (end int, err error) {
	switch {
	case size < 0:
		return 0, negative(offset-4, size)
	case lengths[element] > 0:
		return 0, cutOff(buf, List)
	case element == String:
		for range size {
			if end = stringEnd(buf, offset); end < 0 {
				return 0, stringError(buf, offset)
			}
			offset = end
		}
		return offset, nil
	}
	for range size {
		if offset, err = skip(buf, offset, element, depth-1); err != nil {
			return 0, err
		}
	}
	return offset, nil
}

// mapHeaderLength is the number of bytes before the first key of a map: the
// types of keys and values, and the size.
const mapHeaderLength = 6

func skipMap(buf []byte, offset, depth int) (end int, err error) {
	if len(buf)-offset < mapHeaderLength {
		return 0, cutOff(buf, Map)
	}
	key, value := Type(buf[offset]), Type(buf[offset+1])
	size := int(int32(binary.BigEndian.Uint32(buf[offset+2:])))
	if size < 0 {
		return 0, negative(offset+2, size)
	}
	offset += mapHeaderLength
	if lengths[key] > 0 && lengths[value] > 0 {
		length := int64(lengths[key] + lengths[value])
		if int64(size)*length > int64(len(buf)-offset) {
			return 0, cutOff(buf, Map)
		}
		return offset + size*int(length), nil
	}
	for range size {
		if offset, err = skip(buf, offset, key, depth-1); err != nil {
			return 0, err
		}
		if offset, err = skip(buf, offset, value, depth-1); err != nil {
			return 0, err
		}
	}
	return offset, nil
}

//go:noinline
func negative(offset, size int) error {
	return &Error{Err: ErrNegativeSize, Offset: offset, Detail: fmt.Sprintf("the size of a value is %d", size)}
}
