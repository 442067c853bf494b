// Package bulk is the common part of the typed packages: slices of numbers
// viewed as bytes, and the conversion of those bytes between native and
// big-endian order.
package bulk

import "encoding/binary"

// Vectorised reports whether this build, on this processor, converts with
// vector instructions.
func Vectorised() bool { return haveVector }

const (
	// chunk is the largest number of bytes that one call into assembly converts.
	// The scheduler cannot interrupt assembly, and the garbage collector waits
	// for it, so a call must not take much longer than 20 microseconds.
	chunk = 1 << 20

	// minConverted is the size in bytes of a vector's worth of narrow elements:
	// widen and narrow accept no fewer.
	minConverted = 32
)

// Convert converts elements of width 1, 2, 4 or 8 bytes from src to the front
// of dst, between native and big-endian order, which is the same step in
// either direction. The length of src is a multiple of width; dst is no
// shorter and does not overlap it.
func Convert(dst, src []byte, width int) {
	if haveVector && width > 1 && uint(len(src)-1) < chunk { // 1 to chunk bytes
		_ = dst[len(src)-1]
		observe(dst[:len(src)], src)
		reverse(&dst[0], &src[0], len(src), width)
		return
	}
	convert(dst[:len(src)], src, width)
}

// convert is Convert for the unusual cases: an empty slice, too much for one
// call into assembly, single bytes, and no assembly. The slices have the same
// length.
func convert(dst, src []byte, width int) {
	switch {
	case width == 1:
		copy(dst, src)
	case !haveVector:
		convertPlain(dst, src, width)
	default:
		for len(src) > chunk {
			reverseChunk(dst, src[:chunk], width)
			dst, src = dst[chunk:], src[chunk:]
		}
		if len(src) > 0 {
			reverseChunk(dst, src, width)
		}
	}
}

// reverseChunk is a call of its own because a goroutine that has been asked to
// stop does so where a Go function begins.
//
//go:noinline
func reverseChunk(dst, src []byte, width int) {
	observe(dst[:len(src)], src)
	reverse(&dst[0], &src[0], len(src), width)
}

// convertPlain is the reference for the tests of the assembly, and runs where
// there is no assembly.
func convertPlain(dst, src []byte, width int) {
	switch width {
	case 2:
		for ; len(src) >= 2 && len(dst) >= 2; dst, src = dst[2:], src[2:] {
			binary.BigEndian.PutUint16(dst, binary.NativeEndian.Uint16(src))
		}
	case 4:
		for ; len(src) >= 4 && len(dst) >= 4; dst, src = dst[4:], src[4:] {
			binary.BigEndian.PutUint32(dst, binary.NativeEndian.Uint32(src))
		}
	case 8:
		for ; len(src) >= 8 && len(dst) >= 8; dst, src = dst[8:], src[8:] {
			binary.BigEndian.PutUint64(dst, binary.NativeEndian.Uint64(src))
		}
	}
}

// Widen converts the big-endian 32-bit integers in src to native 64-bit
// integers. The length of src is a multiple of 4; dst is twice as long and
// does not overlap it.
func Widen(dst, src []byte) {
	dst = dst[:2*len(src)]
	for ; len(src) > chunk; dst, src = dst[2*chunk:], src[chunk:] {
		widenChunk(dst[:2*chunk], src[:chunk])
	}
	widenChunk(dst, src)
}

//go:noinline
func widenChunk(dst, src []byte) {
	if haveVector && len(src) >= minConverted {
		observe(dst, src)
		widen(&dst[0], &src[0], len(src))
		return
	}
	for ; len(src) >= 4 && len(dst) >= 8; dst, src = dst[8:], src[4:] {
		binary.NativeEndian.PutUint64(dst, uint64(int32(binary.BigEndian.Uint32(src))))
	}
}

// Narrow converts the low halves of the native 64-bit integers in src to
// big-endian 32-bit integers. The length of src is a multiple of 8; dst is at
// least half as long and does not overlap it.
func Narrow(dst, src []byte) {
	dst = dst[:len(src)/2]
	for ; len(dst) > chunk; dst, src = dst[chunk:], src[2*chunk:] {
		narrowChunk(dst[:chunk], src[:2*chunk])
	}
	narrowChunk(dst, src)
}

//go:noinline
func narrowChunk(dst, src []byte) {
	if haveVector && len(dst) >= minConverted {
		observe(dst, src)
		narrow(&dst[0], &src[0], len(dst))
		return
	}
	for ; len(src) >= 8 && len(dst) >= 4; dst, src = dst[4:], src[8:] {
		binary.BigEndian.PutUint32(dst, uint32(binary.NativeEndian.Uint64(src)))
	}
}

// Flags copies bytes from src, turning every byte other than 1 into 0: a bool
// must hold nothing else. dst is no shorter than src and does not overlap it.
func Flags(dst, src []byte) {
	const ones, low = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	dst = dst[:len(src)]
	for ; len(src) >= 8 && len(dst) >= 8; dst, src = dst[8:], src[8:] {
		// A byte of other is 0 if src has a 1. Adding 127 to its low bits carries
		// into the highest bit unless they are all 0.
		other := binary.NativeEndian.Uint64(src) ^ ones
		differs := (other&low + low) | other
		binary.NativeEndian.PutUint64(dst, ^differs>>7&ones)
	}
	for i, b := range src {
		dst[i] = 0
		if b == 1 {
			dst[i] = 1
		}
	}
}
