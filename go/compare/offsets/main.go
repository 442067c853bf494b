// Command offsets compares bigendian.Write with copy and a plain loop, for
// destinations of several sizes that begin 0 to 7 bytes after a cache line. It
// prints a line for each: the speeds in GB/s, and the share of copy's speed.
//
//	go run ./offsets
//
// A list in a message can begin anywhere: after a string, a bool or an i32,
// its elements are not aligned. See package interleave for the measuring
// method.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
	"unsafe"

	"github.com/bytelane/bytelane/go/bigendian"
	"github.com/bytelane/bytelane/go/compare/interleave"
)

var sizes = []int{256, 512, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 24 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10}

func main() {
	rounds := flag.Int("rounds", 40, "turns of each way")
	turn := flag.Duration("turn", 50*time.Microsecond, "least length of a turn")
	flag.Parse()
	report(os.Stdout, *rounds, *turn)
}

func report(out io.Writer, rounds int, turn time.Duration) {
	fmt.Fprintln(out, "type bytes offset copy-GB/s bytelane-GB/s loop-GB/s bytelane/copy")
	for _, size := range sizes {
		for offset := range 8 {
			measure(out, rounds, turn, "i16", size, offset, func(dst []byte, values []int16) {
				for i, v := range values {
					binary.BigEndian.PutUint16(dst[2*i:], uint16(v))
				}
			})
			measure(out, rounds, turn, "i32", size, offset, func(dst []byte, values []int32) {
				for i, v := range values {
					binary.BigEndian.PutUint32(dst[4*i:], uint32(v))
				}
			})
			measure(out, rounds, turn, "i64", size, offset, func(dst []byte, values []int64) {
				for i, v := range values {
					binary.BigEndian.PutUint64(dst[8*i:], uint64(v))
				}
			})
		}
	}
}

func measure[T int16 | int32 | int64](out io.Writer, rounds int, turn time.Duration, name string, size, offset int, loop func([]byte, []T)) {
	values := make([]T, size/bigendian.Size[T](1))
	for i := range values {
		values[i] = T(i) * 3
	}
	source := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), size)
	memory := make([]byte, size+64+8)
	line := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) & 63
	dst := memory[int(line)+offset:][:size]
	results := interleave.Measure(rounds, turn,
		func() { copy(dst, source) },
		func() { bigendian.Write(dst, values) },
		func() { loop(dst, values) })
	speed := func(i int) float64 { return float64(size) / results[i].Nanoseconds }
	fmt.Fprintf(out, "%s %d %d %.1f %.1f %.1f %.2f\n", name, size, offset, speed(0), speed(1), speed(2), 1/results[1].Ratio)
}
