//go:build !purego

package bulk

import "golang.org/x/sys/cpu"

var haveVector = cpu.X86.HasAVX2

// reverse reverses the bytes of every element of width 2, 4 or 8 from src to
// dst. size is in bytes, a multiple of width and not 0. The ranges must not
// overlap.
//
//go:noescape
func reverse(dst, src *byte, size, width int)
