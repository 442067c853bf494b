//go:build purego || !amd64

package bulk

import "testing"

// eachLevel runs a test for the one path there is.
func eachLevel(t *testing.T, test func(t *testing.T)) { test(t) }
