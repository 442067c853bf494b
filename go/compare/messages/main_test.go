package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/cloudwego/gopkg/protocol/thrift"
)

func TestRewrittenCodeWritesAndReadsTheSame(t *testing.T) {
	for _, m := range messages {
		if m.readOnly {
			continue
		}
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 100, 1000} {
			plain := m.fill(n)
			rewritten, err := m.inBulk(n)
			if err != nil {
				t.Fatal(err)
			}
			want := thrift.FastMarshal(plain)
			if got := thrift.FastMarshal(rewritten); !bytes.Equal(got, want) {
				t.Fatalf("%s: %d elements are written as other bytes", m.name, n)
			}
			back, again := m.empty(), m.empty()
			if err := thrift.FastUnmarshal(thrift.FastMarshal(rewritten), back); err != nil {
				t.Fatal(err)
			}
			if err := thrift.FastUnmarshal(want, again); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, again) {
				t.Fatalf("%s: %d elements are read as other values", m.name, n)
			}
			for cut := range min(len(want), 500) {
				if err := thrift.FastUnmarshal(want[:cut], m.emptyInBulk()); err == nil {
					t.Fatalf("%s: no error for %d of %d bytes", m.name, cut, len(want))
				}
			}
		}
	}
}

func TestEveryMessageIsMeasured(t *testing.T) {
	var out strings.Builder
	if err := report(&out, 1, 0); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(out.String(), "\n"), 1+(2*len(messages)-1)*len(lengths); got != want {
		t.Errorf("%d lines, not %d:\n%s", got, want, out.String())
	}
}
