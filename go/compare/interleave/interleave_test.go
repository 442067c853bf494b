package interleave

import (
	"testing"
	"time"
)

// spin takes a while and counts its calls.
func spin(while time.Duration, calls *int) func() {
	return func() {
		*calls++
		for start := time.Now(); time.Since(start) < while; {
		}
	}
}

func TestMeasure(t *testing.T) {
	var short, long int
	results := Measure(31, 10*time.Microsecond, spin(20*time.Microsecond, &short), spin(100*time.Microsecond, &long))
	if short != 31+1 || long != 31+1 {
		t.Errorf("%d and %d calls in 31 rounds and one to find out how many make a turn", short, long)
	}
	if results[0].Ratio != 1 || results[1].Ratio < 2 || results[0].Nanoseconds < 20_000 || results[1].Nanoseconds < 100_000 {
		t.Errorf("a step of 20 us and one of 100 us: %+v", results)
	}
}
