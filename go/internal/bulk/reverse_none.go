//go:build purego || !(amd64 || arm64)

package bulk

const haveVector = false

// reverse is never called where haveVector is false.
func reverse(dst, src *byte, size, width int) {}
