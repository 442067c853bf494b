package main

import (
	"strings"
	"testing"
)

func TestEveryOffsetIsMeasured(t *testing.T) {
	var out strings.Builder
	report(&out, 1, 0)
	if got, want := strings.Count(out.String(), "\n"), 1+3*8*len(sizes); got != want {
		t.Errorf("%d lines, not %d:\n%s", got, want, out.String())
	}
}
