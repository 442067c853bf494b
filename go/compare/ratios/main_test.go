package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	var input, output strings.Builder
	fmt.Fprintln(&input, "goos: linux")
	for round := range 3 {
		for _, f := range floors {
			fmt.Fprintf(&input, "Benchmark%s/by=%s \t 100\t %d ns/op\t 0 B/op\n", f.benchmark, f.by, 100+round)
			fmt.Fprintf(&input, "Benchmark%s/by=%s \t 100\t %.1f ns/op\t 0 B/op\n", f.benchmark, f.against, 500.5+float64(round))
		}
	}
	if err := report(strings.NewReader(input.String()), &output); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Write/type=i64/n=12345 | bytelane | 101 | copy 4.97, gopkg-append 4.97, kitex 4.97 |",
		"| write i64, copy | 0.95 | 4.97 | reached |",
		"| write i32, Kitex | 8 | 4.97 | missed |",
	} {
		if !strings.Contains(output.String(), want+"\n") {
			t.Errorf("there is no %s in\n%s", want, output.String())
		}
	}
}

func TestMissingBenchmarksAreAnError(t *testing.T) {
	if err := report(strings.NewReader(""), new(strings.Builder)); err == nil {
		t.Error("no error without any benchmark")
	}
}
