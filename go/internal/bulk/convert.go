// Package bulk is what the typed packages share: slices of numbers seen as
// bytes, and the conversion of those bytes between native and big-endian order.
package bulk

import "encoding/binary"

// Vectorised reports whether this build, on this processor, converts with
// vector instructions.
func Vectorised() bool { return haveVector }

// Convert rewrites elements of width 1, 2, 4 or 8 bytes from src to the front
// of dst, between native and big-endian order, which is the same step in either
// direction. The length of src is a multiple of width; dst is no shorter and
// does not overlap it.
func Convert(dst, src []byte, width int) {
	if len(src) == 0 {
		return
	}
	_ = dst[len(src)-1]
	switch {
	case width == 1:
		copy(dst, src)
	case haveVector:
		reverse(&dst[0], &src[0], len(src), width)
	default:
		convertPlain(dst, src, width)
	}
}

// convertPlain is what the assembly is tested against, and what runs where
// there is none.
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
