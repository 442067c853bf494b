//go:build !purego

package bulk

import "golang.org/x/sys/cpu"

var (
	haveVector = cpu.X86.HasAVX2

	// 64-byte vectors pay off from Intel's Ice Lake and AMD's Zen 4 on. Earlier
	// processors lower their clock for such vectors; VBMI2 distinguishes them.
	haveAVX512 = haveVector && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI2

	// slowSplitStores is true if stores that cross cache lines cost more than the
	// shuffles that avoid them.
	slowSplitStores = intel()
)

// reverse reverses the bytes of every element of width 2, 4 or 8 from src to
// dst. size is in bytes, a multiple of width and not 0. The ranges must not
// overlap.
//
//go:noescape
func reverse(dst, src *byte, size, width int)

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

// intel reports whether Intel made this processor.
func intel() bool
