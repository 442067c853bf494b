package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/compare/kitex_gen/lists"
)

func TestTheFunctionsDoWhatTheLoopsDo(t *testing.T) {
	for _, n := range lengths {
		message := &lists.Longs{Values: numbers[int64](n)}
		want := thrift.FastMarshal(message)
		body := want[3 : len(want)-1]
		got := make([]byte, len(body))
		if used := WriteList(got, thrift.I64, message.Values); used != len(body) || !bytes.Equal(got, body) {
			t.Fatalf("%d elements are written as other bytes", n)
		}
		values, used, err := ReadList[int64](body, thrift.I64)
		if err != nil || used != len(body) || !slices.Equal(values, message.Values) {
			t.Fatalf("%d elements are read as %d values, %v", n, len(values), err)
		}
		if n > 0 {
			if _, _, err := ReadList[int64](body[:len(body)-1], thrift.I64); err == nil {
				t.Fatalf("%d elements cut off: no error", n)
			}
			if _, _, err := ReadList[int64](body, thrift.DOUBLE); err == nil {
				t.Fatalf("%d elements of another type: no error", n)
			}
		}
	}
}

func TestEveryLengthIsMeasured(t *testing.T) {
	var out strings.Builder
	report(&out, 1, 0)
	if got, want := strings.Count(out.String(), "\n"), 2+4*len(lengths); got != want {
		t.Errorf("%d lines, not %d:\n%s", got, want, out.String())
	}
}
