// Command messages compares code that Kitex generated with the same code after
// kitexlists has rewritten it, on whole messages with lists of several
// lengths. It prints a line for each: the times, the allocations, and whether
// the rewritten code is slower by more than the greater of 3% and 1 ns.
//
//	go run ./messages
//	go run ./messages -rounds 2000 sparse batch
//
// The figures are medians of many short turns, see package interleave.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/compare/interleave"
)

// lengths are the numbers of elements in each list. Below thriftlist.BulkLength,
// 10, the rewritten code keeps Kitex's loop.
var lengths = []int{0, 1, 2, 4, 8, 9, 10, 16, 100, 1000}

func main() {
	rounds := flag.Int("rounds", 400, "turns of each of the two")
	turn := flag.Duration("turn", 30*time.Microsecond, "least length of a turn")
	flag.Parse()
	if err := report(os.Stdout, *rounds, *turn, flag.Args()...); err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(1)
	}
}

// report measures the messages of these names, or all.
func report(out io.Writer, rounds int, turn time.Duration, names ...string) error {
	fmt.Fprintln(out, "op type n kitex-ns rewritten-ns ratio kitex-allocs rewritten-allocs verdict")
	for _, m := range messages {
		if len(names) > 0 && !slices.Contains(names, m.name) {
			continue
		}
		for _, n := range lengths {
			plain := m.fill(n)
			rewritten, err := m.inBulk(n)
			if err != nil {
				return err
			}
			buf := thrift.FastMarshal(plain)
			if !m.readOnly {
				measure(out, rounds, turn, "write", m.name, n,
					func() { plain.FastWriteNocopy(buf, nil) },
					func() { rewritten.FastWriteNocopy(buf, nil) })
			}
			into, intoInBulk := m.empty(), m.emptyInBulk()
			measure(out, rounds, turn, "read", m.name, n,
				func() { into.FastRead(buf) },
				func() { intoInBulk.FastRead(buf) })
		}
	}
	return nil
}

func measure(out io.Writer, rounds int, turn time.Duration, op, name string, n int, kitex, rewritten func()) {
	results := interleave.Measure(rounds, turn, kitex, rewritten)
	before, after, ratio := results[0].Nanoseconds, results[1].Nanoseconds, results[1].Ratio
	verdict := "level"
	switch {
	case before*(ratio-1) > max(0.03*before, 1):
		verdict = "SLOWER"
	case ratio < 0.97:
		verdict = "faster"
	}
	fmt.Fprintf(out, "%s %s %d %.1f %.1f %.2f %.0f %.0f %s\n", op, name, n, before, after, ratio,
		testing.AllocsPerRun(10, kitex), testing.AllocsPerRun(10, rewritten), verdict)
}
