package bulk

import (
	"math"
	"strings"
	"unsafe"
)

// Fixed lists the types whose values have a fixed size and contain no
// pointers.
type Fixed interface {
	~bool | ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Width returns the size of a T in bytes.
func Width[T Fixed]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// Ones returns a T of 8 bytes whose bits are all 1.
func Ones[T Fixed]() (ones T) {
	*(*uint64)(unsafe.Pointer(&ones)) = math.MaxUint64
	return ones
}

// Bytes returns the memory of values. Any memory may be read as bytes. Code
// that writes to it must store 0 or 1 for a bool; every bit pattern is a valid
// number.
func Bytes[T Fixed](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*Width[T]())
}

// unzeroedMin is the number of bytes from which clearing them costs more than
// the workaround in Unzeroed.
const unzeroedMin = 2048

// Unzeroed returns n elements with unspecified contents: the caller overwrites
// all of them before anyone else sees them.
//
// make clears the memory that it returns. The only allocator of the standard
// library that does not is strings.Builder: Grow promises room for n further
// bytes, and does not touch it. Neither a Fixed nor a builder's bytes contain
// pointers, so the garbage collector treats both alike; builder and string are
// dropped immediately, so no string changes visibly.
func Unzeroed[T Fixed](n int) []T {
	size := n * Width[T]()
	if size < unzeroedMin {
		return make([]T, n)
	}
	var room strings.Builder
	room.Grow(size)
	room.WriteByte(0) // the address of an empty string's bytes is unspecified
	first := unsafe.Pointer(unsafe.StringData(room.String()))
	var zero T
	if uintptr(first)%unsafe.Alignof(zero) != 0 {
		return make([]T, n) // never seen, but Builder promises no alignment
	}
	return unsafe.Slice((*T)(first), n)
}
