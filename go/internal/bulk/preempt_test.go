package bulk

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// A goroutine that converts a long slice stops when the garbage collector asks
// it to: not at the end, but after a chunk.
func TestLongConversionsCanBeInterrupted(t *testing.T) {
	if !Vectorised() {
		t.Skip("SKIPPED: no assembly in this build")
	}
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("SKIPPED: one processor, so nobody can interrupt")
	}
	src := make([]byte, 128<<20)
	dst := make([]byte, len(src))
	Convert(dst, src, 8)
	start := time.Now()
	Convert(dst, src, 8)
	whole := time.Since(start)

	var done atomic.Bool
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for !done.Load() {
			Convert(dst, src, 8)
		}
	}()
	var waits []time.Duration
	for range 15 {
		time.Sleep(whole / 3)
		var statistics runtime.MemStats
		start := time.Now()
		runtime.ReadMemStats(&statistics) // stops every goroutine
		waits = append(waits, time.Since(start))
	}
	done.Store(true)
	<-finished
	slices.Sort(waits)
	if median := waits[len(waits)/2]; median > whole/3 {
		t.Errorf("stopping a conversion of %v takes %v", whole, median)
	}
}
