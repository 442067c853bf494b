package compare

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/bytelane/bytelane/go/bigendian"
	"github.com/bytelane/bytelane/go/compare/interleave"
	"github.com/bytelane/bytelane/go/thriftlist"
)

// The published experiment has 12,345 elements; the others are short lists.
var sizes = []int{4, 16, 12345}

// All ways write the same bytes and read the same values.
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

// A step is one way of writing or reading a list.
type step struct {
	by  string
	run func()
}

// A comparison is a set of ways of doing the same.
type comparison struct {
	name  string // as in Write/type=i64/n=16
	steps []step
}

// comparisons returns everything that is measured.
func comparisons(t testing.TB) (all []comparison) {
	for _, n := range sizes {
		all = append(all, writes(t, shorts, n), writes(t, words, n), writes(t, longs, n), writes(t, doubles, n))
	}
	for _, n := range sizes {
		all = append(all, reads(t, shorts, n), reads(t, words, n), reads(t, longs, n), reads(t, doubles, n))
	}
	return all
}

func writes[T interface {
	thriftlist.Fixed
	bigendian.Element
}](t testing.TB, e element[T], n int) comparison {
	agree(t, e, n)
	values, memory := e.values(n), bigendian.Size[T](n)
	buf := make([]byte, bodyOffset+memory+1)
	source := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), memory)
	steps := []step{{"copy", func() { copy(buf[bodyOffset:], source) }}}
	for _, way := range ways(e, values) {
		if way.write != nil {
			steps = append(steps, step{way.name, func() { way.write(buf) }})
		}
	}
	return comparison{fmt.Sprintf("Write/type=%s/n=%d", e.name, n), steps}
}

func reads[T interface {
	thriftlist.Fixed
	bigendian.Element
}](t testing.TB, e element[T], n int) comparison {
	agree(t, e, n)
	values, memory := e.values(n), bigendian.Size[T](n)
	buf := make([]byte, bodyOffset+memory+1)
	ways := ways(e, values)
	ways[0].write(buf)
	destination := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), memory)
	steps := []step{{"copy-reused", func() { copy(destination, buf[bodyOffset:]) }}}
	for _, way := range ways {
		if way.read != nil {
			steps = append(steps, step{way.name, func() { way.read(buf) }})
		}
	}
	return comparison{fmt.Sprintf("Read/type=%s/n=%d", e.name, n), steps}
}

func BenchmarkLists(b *testing.B) {
	for _, c := range comparisons(b) {
		for _, s := range c.steps {
			b.Run(c.name+"/by="+s.by, func(b *testing.B) {
				for b.Loop() {
					s.run()
				}
			})
		}
	}
}

var record = flag.Int("record", 0, "measure in this number of interleaved rounds, and print the medians")

// The output of -record has the format of Go's benchmarks.
func TestRecord(t *testing.T) {
	if *record == 0 {
		t.Skip("SKIPPED: -record is not given")
	}
	for _, c := range comparisons(t) {
		var steps []func()
		for _, s := range c.steps {
			steps = append(steps, s.run)
		}
		for i, result := range interleave.Measure(*record, 50*time.Microsecond, steps...) {
			fmt.Printf("Benchmark%s/by=%s %d %.4g ns/op\n", c.name, c.steps[i].by, *record, result.Nanoseconds)
		}
	}
}
