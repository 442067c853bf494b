//go:build race

package bulk

import (
	"runtime"
	"unsafe"
)

// observe tells the race detector what assembly is about to do, which it
// cannot see by itself.
func observe(dst, src []byte) {
	if len(src) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&src[0]), len(src))
		runtime.RaceWriteRange(unsafe.Pointer(&dst[0]), len(dst))
	}
}
