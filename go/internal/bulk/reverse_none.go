//go:build purego || !(amd64 || arm64)

package bulk

const haveVector = false

// None of these is called if haveVector is false.
func reverse(dst, src *byte, size, width int) {}
func widen(dst, src *byte, size int)          {}
func narrow(dst, src *byte, size int)         {}
