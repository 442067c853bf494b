package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing them")

// A golden file never changes: bytes written once stay readable. To add a new
// one, add it here and run with -update.
func TestFilesAreWhatTheGeneratorMakes(t *testing.T) {
	for name, want := range Files() {
		if *update {
			if err := os.WriteFile(filepath.Join(directory(2, "big_endian"), name), want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := Read(t, 2, name); !bytes.Equal(got, want) {
			t.Errorf("%s differs from what the generator makes", name)
		}
	}
}

func TestNoFileIsUnaccountedFor(t *testing.T) {
	Read(t, 2, "README.md")
	entries, err := os.ReadDir(directory(2, "big_endian"))
	if err != nil {
		t.Fatal(err)
	}
	files := Files()
	for _, entry := range entries {
		if _, known := files[entry.Name()]; !known && entry.Name() != "README.md" {
			t.Errorf("%s comes from no generator", entry.Name())
		}
	}
}
