// Command upstream compares the loops that Kitex generates with the functions
// that docs/go-upstream.md proposes for gopkg's package thrift, and prints the
// table on that page.
//
//	go run ./upstream
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/bigendian"
	"github.com/bytelane/bytelane/go/compare/interleave"
	"github.com/bytelane/bytelane/go/compare/kitex_gen/lists"
)

var lengths = []int{0, 1, 4, 10, 16, 100, 1000, 12345}

func main() {
	rounds := flag.Int("rounds", 300, "turns of each of the two")
	turn := flag.Duration("turn", 30*time.Microsecond, "least length of a turn")
	flag.Parse()
	report(os.Stdout, *rounds, *turn)
}

func report(out io.Writer, rounds int, turn time.Duration) {
	fmt.Fprintln(out, "| | elements | before, ns | after, ns | before/after |\n|---|---|---|---|---|")
	for _, n := range lengths {
		words := &lists.Words{Values: numbers[int32](n)}
		measure(out, rounds, turn, "i32", thrift.I32, words, words.Values)
	}
	for _, n := range lengths {
		longs := &lists.Longs{Values: numbers[int64](n)}
		measure(out, rounds, turn, "i64", thrift.I64, longs, longs.Values)
	}
}

func numbers[T int32 | int64](n int) []T {
	values := make([]T, n)
	for i := range values {
		bits := 0x9e3779b97f4a7c15 * uint64(i+1)
		values[i] = T(bits ^ bits>>29)
	}
	return values
}

// measure writes and reads a struct that contains only the values, with
// Kitex's code and with the functions.
func measure[T bigendian.Element](out io.Writer, rounds int, turn time.Duration, name string, et thrift.TType, message thrift.FastCodec, values []T) {
	buf := make([]byte, message.BLength())
	write := func() {
		n := thrift.Binary.WriteFieldBegin(buf, thrift.LIST, 1)
		n += WriteList(buf[n:], et, values)
		thrift.Binary.WriteFieldStop(buf[n:])
	}
	line(out, "write "+name, len(values), interleave.Measure(rounds, turn, func() { message.FastWriteNocopy(buf, nil) }, write))
	into := new(struct{ values []T })
	read := func() {
		_, _, n, _ := thrift.Binary.ReadFieldBegin(buf)
		values, used, _ := ReadList[T](buf[n:], et)
		into.values = values
		thrift.Binary.ReadFieldBegin(buf[n+used:])
	}
	line(out, "read "+name, len(values), interleave.Measure(rounds, turn, func() { message.FastRead(buf) }, read))
}

func line(out io.Writer, name string, n int, results []interleave.Result) {
	fmt.Fprintf(out, "| %s | %d | %.1f | %.1f | %.2f |\n", name, n, results[0].Nanoseconds, results[1].Nanoseconds, 1/results[1].Ratio)
}
