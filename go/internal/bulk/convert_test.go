package bulk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func random(n int) []byte {
	source := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return b
}

// converted is the specification, value by value.
func converted(src []byte, width int) []byte {
	var dst []byte
	for element := range slices.Chunk(src, width) {
		switch width {
		case 1:
			dst = append(dst, element...)
		case 2:
			dst = binary.BigEndian.AppendUint16(dst, binary.NativeEndian.Uint16(element))
		case 4:
			dst = binary.BigEndian.AppendUint32(dst, binary.NativeEndian.Uint32(element))
		case 8:
			dst = binary.BigEndian.AppendUint64(dst, binary.NativeEndian.Uint64(element))
		}
	}
	return dst
}

var lengths = func() []int {
	var all []int
	for n := range 260 {
		all = append(all, n)
	}
	for n := 2040; n < 2120; n++ { // 4 KiB and more, in every width
		all = append(all, n)
	}
	return append(all, 511, 512, 513, 515, 1000, 4099, 12345)
}()

func TestSameAsTheSpecificationAtEveryLengthAndAddress(t *testing.T) {
	if !Vectorised() {
		t.Logf("NO VECTOR PATH on this machine or build: only the plain loop is tested (%s)", runtime.GOARCH)
	}
	eachLevel(t, sameAsTheSpecification)
}

func sameAsTheSpecification(t *testing.T) {
	const margin = 64
	for _, width := range []int{1, 2, 4, 8} {
		for _, n := range lengths {
			size := n * width
			src := random(size + margin)
			dst := make([]byte, margin+size+margin)
			addresses := margin
			if n > 260 {
				addresses = 9
			}
			for address := range addresses {
				// The source moves the other way, so that most pairs differ.
				from := src[(margin-address)%8:][:size]
				for i := range dst {
					dst[i] = 0xa5
				}
				Convert(dst[address:address+size], from, width)
				if want := converted(from, width); !bytes.Equal(dst[address:address+size], want) {
					t.Fatalf("width %d, %d elements at address %d differ", width, n, address)
				}
				if i := slices.IndexFunc(slices.Concat(dst[:address], dst[address+size:]), func(b byte) bool { return b != 0xa5 }); i >= 0 {
					t.Fatalf("width %d, %d elements at address %d: wrote outside", width, n, address)
				}
			}
		}
	}
}

// More than one call into assembly: the seams are in the right positions.
func TestLongerThanAChunk(t *testing.T) {
	src := random(2*chunk + 4096 + 64)
	for _, size := range []int{chunk - 8, chunk, chunk + 8, chunk + 4096, 2 * chunk, 2*chunk + 4096 + 8} {
		for _, address := range []int{0, 5} {
			dst := make([]byte, address+size)
			Convert(dst[address:], src[:size], 8)
			if !bytes.Equal(dst[address:], converted(src[:size], 8)) {
				t.Errorf("%d bytes at address %d differ", size, address)
			}
			wide := make([]byte, 2*size)
			Widen(wide, src[:size])
			if !bytes.Equal(wide, widened(src[:size])) {
				t.Errorf("%d bytes are widened to other values", size)
			}
			Narrow(dst[address:], wide)
			if !bytes.Equal(dst[address:], src[:size]) {
				t.Errorf("%d bytes are narrowed to other values", size)
			}
		}
	}
}

// widened is the specification of Widen, value by value.
func widened(src []byte) []byte {
	var dst []byte
	for element := range slices.Chunk(src, 4) {
		dst = binary.NativeEndian.AppendUint64(dst, uint64(int32(binary.BigEndian.Uint32(element))))
	}
	return dst
}

func TestWidenAndNarrow(t *testing.T) {
	const margin = 40
	for n := range 200 {
		src := random(4*n + margin)
		for address := range margin {
			from := src[address:][:4*n]
			memory := bytes.Repeat([]byte{0xa5}, 8*n+2*margin)
			wide := memory[address:][: 8*n : 8*n]
			Widen(wide, from)
			if !bytes.Equal(wide, widened(from)) {
				t.Fatalf("%d elements at address %d are widened to other values", n, address)
			}
			memory = memory[address+8*n:]
			if !bytes.Equal(memory, bytes.Repeat([]byte{0xa5}, len(memory))) {
				t.Fatalf("%d elements at address %d: wrote outside", n, address)
			}
			for i := range n { // the upper halves do not matter
				wide[8*i+halfOfNative(4)] ^= byte(i)
			}
			memory = bytes.Repeat([]byte{0xa5}, 4*n+2*margin)
			narrow := memory[margin-address:][: 4*n : 4*n]
			Narrow(narrow, wide)
			if !bytes.Equal(narrow, from) {
				t.Fatalf("%d elements at address %d are narrowed to other values", n, address)
			}
			if i := slices.IndexFunc(memory[margin-address+4*n:], func(b byte) bool { return b != 0xa5 }); i >= 0 {
				t.Fatalf("%d elements at address %d: wrote outside", n, address)
			}
		}
	}
}

// halfOfNative returns the position of the byte in a native 64-bit integer
// that is at i in a little-endian one.
func halfOfNative(i int) int {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return i
	}
	return 7 - i
}

func TestFlags(t *testing.T) {
	for n := range 70 {
		for seed := range 40 {
			src := random(n + seed)[seed:]
			for i := range src {
				if i%3 != 0 {
					src[i] &= 1
				}
			}
			dst := make([]byte, n+1)
			Flags(dst, src)
			for i, b := range src {
				if want := b == 1; (dst[i] == 1) != want || dst[i] > 1 {
					t.Fatalf("byte %#x becomes %#x", b, dst[i])
				}
			}
			if dst[n] != 0 {
				t.Fatal("wrote outside")
			}
		}
	}
}

func TestPlainLoopIsTheSpecification(t *testing.T) {
	for _, width := range []int{2, 4, 8} {
		for _, n := range lengths[:200] {
			src := random(n * width)
			dst := make([]byte, len(src))
			convertPlain(dst, src, width)
			if !bytes.Equal(dst, converted(src, width)) {
				t.Fatalf("width %d, %d elements differ", width, n)
			}
		}
	}
}

func TestShortDestinationPanicsBeforeWriting(t *testing.T) {
	dst, src := make([]byte, 64), random(64)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		Convert(dst[:56:56], src, 8)
	}()
	if !bytes.Equal(dst, make([]byte, 64)) {
		t.Error("written before the panic")
	}
}

func TestUnzeroedSlicesAreSlicesLikeAnyOther(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 5000, 100_000} {
		values := Unzeroed[int64](n)
		if values == nil || len(values) != n {
			t.Fatalf("%d elements: got %d, nil %v", n, len(values), values == nil)
		}
		for i := range values {
			values[i] = int64(i)
		}
		runtime.GC()
		other := Unzeroed[int64](n)
		for i := range other {
			other[i] = -1
		}
		values = append(values, int64(n))
		for i, v := range values {
			if v != int64(i) {
				t.Fatalf("%d elements: element %d became %d", n, i, v)
			}
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), uint8(0), uint8(1))
	f.Add(random(515), uint8(3), uint8(5))
	f.Add(random(5000), uint8(2), uint8(5))
	f.Fuzz(func(t *testing.T, src []byte, logarithm, address uint8) {
		width := 1 << (logarithm % 4)
		src = src[:len(src)/width*width]
		dst := make([]byte, int(address)+len(src))
		Convert(dst[address:], src, width)
		if !bytes.Equal(dst[address:], converted(src, width)) {
			t.Fatalf("width %d, %d bytes at address %d differ", width, len(src), address)
		}
	})
}

// Reading into a new slice includes the allocation, whether make clears it or
// not.
func BenchmarkAllocate(b *testing.B) {
	for _, size := range []int{1 << 10, 2 << 10, 8 << 10, 32 << 10, 128 << 10} {
		var values []int64
		b.Run(fmt.Sprintf("bytes=%d/by=make", size), func(b *testing.B) {
			for b.Loop() {
				values = make([]int64, size/8)
			}
		})
		b.Run(fmt.Sprintf("bytes=%d/by=unzeroed", size), func(b *testing.B) {
			for b.Loop() {
				values = Unzeroed[int64](size / 8)
			}
		})
		if len(values) != size/8 {
			b.Fatal("the slice has another length")
		}
	}
}
