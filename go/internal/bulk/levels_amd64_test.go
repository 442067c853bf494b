//go:build !purego

package bulk

import "testing"

// eachLevel runs a test for every path through the assembly that this
// processor supports, whichever of them it would choose.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	avx512, slow := haveAVX512, slowSplitStores
	defer func() { haveAVX512, slowSplitStores = avx512, slow }()
	for _, level := range []struct {
		name         string
		avx512, slow bool
	}{{"AVX2", false, false}, {"AVX2 with aligned stores", false, true}, {"AVX-512", true, false}} {
		if level.avx512 && !avx512 {
			t.Logf("NO AVX-512 on this machine: not tested")
			continue
		}
		haveAVX512, slowSplitStores = level.avx512, level.slow
		t.Run(level.name, test)
	}
}
