// Package bigendian converts whole slices of fixed-width numbers to and from
// big-endian bytes, at the speed of copy on amd64 (AVX2, AVX-512) and arm64 (NEON).
//
// It replaces a loop over [encoding/binary.BigEndian], with one call per slice
// instead of one per value: the Go compiler turns such a loop into one byte
// swap per value and does not vectorise it.
//
// Lengths of slices of numbers are in elements, and lengths of slices of bytes
// are in bytes. The bytes may start at any address. Time is linear in the
// number of elements; nothing is allocated except by [Append], when its
// destination is too small, and by [Read].
//
// The numbers and the bytes of one call must not overlap, which is only
// possible with package unsafe. Element types narrower or wider than the
// encoded ones (an enum stored as int64 and sent as 32 bits) must be converted
// first; package thriftlist does so for enums.
//
// The functions are named as in package thriftlist: Write fills bytes that you
// have, Append extends them, Read returns a new slice, and ReadInto fills one
// that you have.
//
// With the build tag purego, on other processors, and on amd64 without AVX2,
// the same functions run a plain Go loop and produce the same bytes.
package bigendian

import (
	"slices"

	"github.com/bytelane/bytelane/go/internal/bulk"
)

// Element is a number of two, four or eight bytes. Floating-point numbers are
// encoded as their IEEE 754 bits, so every NaN keeps its payload.
type Element interface {
	~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Size returns the encoded size of n elements in bytes.
func Size[T Element](n int) int {
	return n * bulk.Width[T]()
}

// Write writes values to the front of dst and returns the number of bytes
// written, [Size] of len(values). Like encoding/binary, it panics if dst is
// shorter than that, without having written anything.
func Write[T Element](dst []byte, values []T) int {
	size := Size[T](len(values))
	bulk.Convert(dst[:size], bulk.Bytes(values), bulk.Width[T]())
	return size
}

// Append appends the bytes of values to dst and returns the extended slice. It
// allocates only if the capacity of dst is too small.
func Append[T Element](dst []byte, values []T) []byte {
	start, size := len(dst), Size[T](len(values))
	dst = slices.Grow(dst, size)[:start+size]
	bulk.Convert(dst[start:], bulk.Bytes(values), bulk.Width[T]())
	return dst
}

// Read returns the first n elements of src in a slice of their own, which is
// not nil. Its memory is not zeroed first if that saves time. Read panics,
// before it allocates, if n is negative or src holds fewer than n elements.
func Read[T Element](src []byte, n int) []T {
	if n < 0 || n > len(src)/bulk.Width[T]() {
		panic("bigendian: Read: n out of range")
	}
	values := bulk.Unzeroed[T](n)
	ReadInto(values, src)
	return values
}

// ReadInto fills all of values from the front of src and returns the number of
// bytes used, [Size] of len(values). It panics if src is shorter than that,
// without having changed anything.
func ReadInto[T Element](values []T, src []byte) int {
	size := Size[T](len(values))
	bulk.Convert(bulk.Bytes(values), src[:size], bulk.Width[T]())
	return size
}
