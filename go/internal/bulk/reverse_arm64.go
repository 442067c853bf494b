//go:build !purego

package bulk

// Every arm64 processor has NEON.
const haveVector = true

// reverse reverses the bytes of every element of width 2, 4 or 8 from src to
// dst. size is in bytes, a multiple of width and not 0. The ranges must not
// overlap.
func reverse(dst, src *byte, size, width int) {
	switch width {
	case 2:
		reverse16(dst, src, size)
	case 4:
		reverse32(dst, src, size)
	default:
		reverse64(dst, src, size)
	}
}

//go:noescape
func reverse16(dst, src *byte, size int)

//go:noescape
func reverse32(dst, src *byte, size int)

//go:noescape
func reverse64(dst, src *byte, size int)

// widen converts big-endian 32-bit integers to 64-bit ones. The source takes
// size bytes, a multiple of 4 and at least minConverted.
//
//go:noescape
func widen(dst, src *byte, size int)

// narrow converts the low halves of 64-bit integers to big-endian 32-bit ones.
// The results take size bytes, a multiple of 4 and at least minConverted.
//
//go:noescape
func narrow(dst, src *byte, size int)
