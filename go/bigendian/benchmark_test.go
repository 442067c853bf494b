package bigendian

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/bytelane/bytelane/go/internal/bulk"
)

// Measures both directions against copy, the limit, and against the loop they
// replace, from short lists to 1 MiB, at an address where elements are aligned
// and at one where they are not. The module compare/ measures other libraries.
func BenchmarkWrite(b *testing.B) {
	measure(b, func(numbers []uint32, wire []byte) map[string]func() {
		return map[string]func(){
			"copy":     func() { copy(wire, bulk.Bytes(numbers)) },
			"bytelane": func() { Write(wire, numbers) },
			"loop": func() {
				for i, v := range numbers {
					binary.BigEndian.PutUint32(wire[4*i:], v)
				}
			},
		}
	}, func(numbers []uint64, wire []byte) map[string]func() {
		return map[string]func(){
			"copy":     func() { copy(wire, bulk.Bytes(numbers)) },
			"bytelane": func() { Write(wire, numbers) },
			"loop": func() {
				for i, v := range numbers {
					binary.BigEndian.PutUint64(wire[8*i:], v)
				}
			},
		}
	})
}

func BenchmarkReadInto(b *testing.B) {
	measure(b, func(numbers []uint32, wire []byte) map[string]func() {
		return map[string]func(){
			"copy":     func() { copy(bulk.Bytes(numbers), wire) },
			"bytelane": func() { ReadInto(numbers, wire) },
			"loop": func() {
				for i := range numbers {
					numbers[i] = binary.BigEndian.Uint32(wire[4*i:])
				}
			},
		}
	}, func(numbers []uint64, wire []byte) map[string]func() {
		return map[string]func(){
			"copy":     func() { copy(bulk.Bytes(numbers), wire) },
			"bytelane": func() { ReadInto(numbers, wire) },
			"loop": func() {
				for i := range numbers {
					numbers[i] = binary.BigEndian.Uint64(wire[8*i:])
				}
			},
		}
	})
}

func measure(b *testing.B, ways32 func([]uint32, []byte) map[string]func(), ways64 func([]uint64, []byte) map[string]func()) {
	for _, size := range []int{16, 64, 512, 8 << 10, 128 << 10, 1 << 20} {
		for _, address := range []int{0, 5} {
			ways(b, "uint32", make([]uint32, size/4), address, ways32)
			ways(b, "uint64", make([]uint64, size/8), address, ways64)
		}
	}
}

func ways[T Element](b *testing.B, name string, numbers []T, address int, all func([]T, []byte) map[string]func()) {
	for i := range numbers {
		numbers[i] = T(i) * 3
	}
	wire := make([]byte, address+Size[T](len(numbers)))[address:]
	want := slices.Clone(numbers)
	Write(wire, numbers)
	if ReadInto(numbers, wire); !slices.Equal(numbers, want) {
		b.Fatalf("%s: the round trip failed", name)
	}
	steps := all(numbers, wire)
	for _, by := range []string{"copy", "bytelane", "loop"} {
		b.Run(fmt.Sprintf("type=%s/bytes=%d/address=%d/by=%s", name, len(wire), address, by), func(b *testing.B) {
			b.SetBytes(int64(len(wire)))
			for b.Loop() {
				steps[by]()
			}
		})
	}
}
