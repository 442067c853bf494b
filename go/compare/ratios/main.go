// Command ratios reads the output of this module's benchmarks from its
// standard input. It prints, as Markdown, the time of every other way as a
// multiple of bytelane's, from the medians of all rounds, and which of the
// project's floors are reached.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// A floor is the minimum ratio of another way's time to bytelane's that the
// project requires.
type floor struct {
	benchmark     string
	by            string
	against, text string
	least         float64
}

var floors = []floor{
	{"Write/type=i16/n=12345", "bytelane", "copy", "write i16, copy", .95},
	{"Write/type=i32/n=12345", "bytelane", "copy", "write i32, copy", .95},
	{"Write/type=i64/n=12345", "bytelane", "copy", "write i64, copy", .95},
	{"Write/type=double/n=12345", "bytelane", "copy", "write double, copy", .95},
	{"Write/type=i32/n=12345", "bytelane", "kitex", "write i32, Kitex", 8},
	{"Write/type=i64/n=12345", "bytelane", "kitex", "write i64, Kitex", 4.5},
	{"Write/type=i32/n=12345", "bytelane-append", "gopkg-append", "append i32, gopkg", 4.5},
	{"Write/type=i64/n=12345", "bytelane-append", "gopkg-append", "append i64, gopkg", 2.4},
	{"Read/type=i32/n=12345", "bytelane-reused", "kitex", "read i32 into a reused slice, Kitex", 15},
	{"Read/type=i64/n=12345", "bytelane-reused", "kitex", "read i64 into a reused slice, Kitex", 15},
	{"Read/type=i32/n=12345", "bytelane", "kitex", "read i32 into a new slice, Kitex", 2.5},
	{"Read/type=i64/n=12345", "bytelane", "kitex", "read i64 into a new slice, Kitex", 1.7},
	{"Write/type=i16/n=16", "bytelane", "loop", "write 16 i16, plain loop", 1},
	{"Write/type=i32/n=16", "bytelane", "loop", "write 16 i32, plain loop", 1},
	{"Write/type=i64/n=16", "bytelane", "loop", "write 16 i64, plain loop", 1},
	{"Read/type=i16/n=16", "bytelane-reused", "loop-reused", "read 16 i16, plain loop", 1},
	{"Read/type=i32/n=16", "bytelane-reused", "loop-reused", "read 16 i32, plain loop", 1},
	{"Read/type=i64/n=16", "bytelane-reused", "loop-reused", "read 16 i64, plain loop", 1},
}

func report(in io.Reader, out io.Writer) error {
	medians, order, err := read(in)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| benchmark | bytelane | ns | times as long |\n|---|---|---|---|")
	for _, benchmark := range order {
		for _, own := range []string{"bytelane", "bytelane-append", "bytelane-reused"} {
			ns, measured := medians[benchmark][own]
			if !measured {
				continue
			}
			var others []string
			for by, other := range medians[benchmark] {
				if !strings.HasPrefix(by, "bytelane") {
					others = append(others, fmt.Sprintf("%s %.2f", by, other/ns))
				}
			}
			slices.SortFunc(others, func(a, b string) int { return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a, b)) })
			fmt.Fprintf(out, "| %s | %s | %.0f | %s |\n", benchmark, own, ns, strings.Join(others, ", "))
		}
	}
	fmt.Fprintln(out, "\n| against | at least | measured | |\n|---|---|---|---|")
	for _, f := range floors {
		own, other := medians[f.benchmark][f.by], medians[f.benchmark][f.against]
		if own == 0 || other == 0 {
			return fmt.Errorf("%s was not measured for %s and %s", f.benchmark, f.by, f.against)
		}
		verdict := "reached"
		if other/own < f.least {
			verdict = "missed"
		}
		fmt.Fprintf(out, "| %s | %.4g | %.2f | %s |\n", f.text, f.least, other/own, verdict)
	}
	return nil
}

// last returns the number at the end of a text.
func last(text string) float64 {
	number, _ := strconv.ParseFloat(text[strings.LastIndexByte(text, ' ')+1:], 64)
	return number
}

// read returns the median of every benchmark, by its name up to /by= and by
// the rest, and those names in the order of the input.
func read(in io.Reader) (medians map[string]map[string]float64, order []string, err error) {
	samples := map[string]map[string][]float64{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != "ns/op" {
			continue
		}
		name, by, found := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "/by=")
		if !found {
			continue
		}
		ns, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			return nil, nil, err
		}
		if samples[name] == nil {
			samples[name] = map[string][]float64{}
			order = append(order, name)
		}
		samples[name][by] = append(samples[name][by], ns)
	}
	medians = map[string]map[string]float64{}
	for name, ways := range samples {
		medians[name] = map[string]float64{}
		for by, values := range ways {
			slices.Sort(values)
			medians[name][by] = values[len(values)/2]
		}
	}
	return medians, order, lines.Err()
}
