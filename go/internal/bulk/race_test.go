//go:build race

package bulk

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The race detector sees what assembly reads and writes. The race runs in a
// process of its own, because it makes a test fail.
func TestRacesAreSeen(t *testing.T) {
	if !Vectorised() {
		t.Skip("SKIPPED: no assembly in this build, and Go's own code needs no help")
	}
	conversions := map[string]func(dst, src []byte){
		"Convert": func(dst, src []byte) { Convert(dst, src, 8) },
		"Widen":   func(dst, src []byte) { Widen(dst, src[:len(src)/2]) },
		"Narrow":  Narrow,
	}
	if convert := conversions[os.Getenv("BYTELANE_RACE")]; convert != nil {
		dst, src := make([]byte, 800), make([]byte, 800)
		done := make(chan struct{})
		go func() {
			convert(dst, src)
			close(done)
		}()
		convert(dst, src)
		<-done
		return
	}
	for name := range conversions {
		command := exec.Command(os.Args[0], "-test.run", "TestRacesAreSeen")
		command.Env = append(os.Environ(), "BYTELANE_RACE="+name)
		output, _ := command.CombinedOutput()
		if !strings.Contains(string(output), "WARNING: DATA RACE") {
			t.Errorf("%s: two goroutines write to one slice, and nothing is said:\n%s", name, output)
		}
	}
}
