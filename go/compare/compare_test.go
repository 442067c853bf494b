package compare

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/bytelane/bytelane/go/bigendian"
	"github.com/bytelane/bytelane/go/thriftlist"
)

// The published experiment has 12,345 elements; 16 is a short list.
var sizes = []int{16, 12345}

// Whoever writes, everybody reads the same values, and the bytes are the same.
func TestEveryWayAgrees(t *testing.T) {
	for _, n := range append([]int{0, 1}, sizes...) {
		agree(t, shorts, n)
		agree(t, words, n)
		agree(t, longs, n)
		agree(t, doubles, n)
	}
}

func agree[T interface {
	thriftlist.Fixed
	bigendian.Element
}](t testing.TB, e element[T], n int) {
	t.Helper()
	values := e.values(n)
	size := bodyOffset + bigendian.Size[T](n) + 1
	var want []byte
	for _, way := range ways(e, values) {
		if way.write == nil {
			continue
		}
		buf := make([]byte, size)
		if written := way.write(buf); written != size {
			t.Fatalf("%s: %s wrote %d bytes of %d %s, not %d", e.name, way.name, written, n, e.name, size)
		}
		if want == nil {
			want = buf
		}
		if !bytes.Equal(buf, want) {
			t.Fatalf("%s: %s wrote other bytes", e.name, way.name)
		}
	}
	for _, way := range ways(e, values) {
		if way.read != nil && !slices.Equal(way.read(want), values) {
			t.Fatalf("%s: %s read other values", e.name, way.name)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, n := range sizes {
		write(b, shorts, n)
		write(b, words, n)
		write(b, longs, n)
		write(b, doubles, n)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, n := range sizes {
		read(b, shorts, n)
		read(b, words, n)
		read(b, longs, n)
		read(b, doubles, n)
	}
}

func write[T interface {
	thriftlist.Fixed
	bigendian.Element
}](b *testing.B, e element[T], n int) {
	agree(b, e, n)
	values, memory := e.values(n), bigendian.Size[T](n)
	buf := make([]byte, bodyOffset+memory+1)
	source := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), memory)
	run(b, e.name, n, "copy", func() { copy(buf[bodyOffset:], source) })
	for _, way := range ways(e, values) {
		if way.write != nil {
			run(b, e.name, n, way.name, func() { way.write(buf) })
		}
	}
}

func read[T interface {
	thriftlist.Fixed
	bigendian.Element
}](b *testing.B, e element[T], n int) {
	agree(b, e, n)
	values, memory := e.values(n), bigendian.Size[T](n)
	buf := make([]byte, bodyOffset+memory+1)
	ways := ways(e, values)
	ways[0].write(buf)
	destination := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), memory)
	run(b, e.name, n, "copy-reused", func() { copy(destination, buf[bodyOffset:]) })
	for _, way := range ways {
		if way.read != nil {
			run(b, e.name, n, way.name, func() { way.read(buf) })
		}
	}
}

func run(b *testing.B, element string, n int, by string, step func()) {
	b.Run(fmt.Sprintf("type=%s/n=%d/by=%s", element, n, by), func(b *testing.B) {
		for b.Loop() {
			step()
		}
	})
}
