//go:build !race

package bigendian

import "testing"

// The race detector makes slices.Grow allocate twice.
func TestNothingIsAllocatedButWhatWasAskedFor(t *testing.T) {
	values, buf := make([]int32, 1000), make([]byte, 4000)
	for _, step := range []struct {
		name string
		want float64
		run  func()
	}{
		{"Write", 0, func() { Write(buf, values) }},
		{"ReadInto", 0, func() { ReadInto(values, buf) }},
		{"Append with room", 0, func() { buf = Append(buf[:0], values) }},
		{"Append to nil", 1, func() { buf = Append(nil, values) }},
		{"Read", 1, func() { values = Read[int32](buf, 1000) }},
	} {
		if got := testing.AllocsPerRun(100, step.run); got != step.want {
			t.Errorf("%s: %v allocations, not %v", step.name, got, step.want)
		}
	}
}
