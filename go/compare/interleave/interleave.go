// Package interleave times several ways of doing the same: they take turns of
// some microseconds, so that a slow moment of the machine affects all of them.
package interleave

import (
	"runtime"
	"slices"
	"time"
)

// A Result is the time that one way took.
type Result struct {
	Nanoseconds float64 // for one step: the median of all turns
	Ratio       float64 // to the first way, the median of all rounds
}

// Measure gives each of the steps as many turns as there are rounds, each of
// at least the given time. The order alternates.
func Measure(rounds int, turn time.Duration, steps ...func()) []Result {
	repeats := make([]int, len(steps))
	for i, step := range steps {
		repeats[i] = 1
		for time.Duration(timed(repeats[i], step)*float64(repeats[i])) < turn {
			repeats[i] *= 2
		}
	}
	runtime.GC()
	times, ratios := make([][]float64, len(steps)), make([][]float64, len(steps))
	took := make([]float64, len(steps))
	for round := range rounds {
		for i := range steps {
			if round%2 == 1 {
				i = len(steps) - 1 - i
			}
			took[i] = timed(repeats[i], steps[i])
		}
		for i := range steps {
			times[i] = append(times[i], took[i])
			ratios[i] = append(ratios[i], took[i]/took[0])
		}
	}
	results := make([]Result, len(steps))
	for i := range steps {
		results[i] = Result{median(times[i]), median(ratios[i])}
	}
	return results
}

// timed returns the average time of a step in nanoseconds.
func timed(repeats int, step func()) float64 {
	start := time.Now()
	for range repeats {
		step()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(repeats)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
