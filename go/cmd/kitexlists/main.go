// Command kitexlists makes the code that Kitex generates for Thrift structs
// write and read lists and sets of fixed-width elements in one call a list.
//
// Usage:
//
//	go run github.com/bytelane/bytelane/go/cmd/kitexlists [-n] [-reuse] FILE...
//
// The files are the k-*.go of kitex_gen, as the command kitex has written them
// since its version 0.12. In each, the loops over the values of a list or set of
// bool, byte, i16, i32, i64 or double become calls of the package thriftlist,
// at any depth (list<list<i64>>, map<string, list<double>>). Everything else
// stays: lists of strings, which Kitex can hand on without copying; lists of
// enums, which are wider in Go than in Thrift; and every loop that does not
// look exactly as expected. The bytes are the same, so a service can change
// over alone.
//
// What changes: a list whose header names another element type is an error, as
// is one whose size cannot lie in the input; both as Kitex's protocol exception
// INVALID_DATA. Such errors came late or never before.
//
// A file is replaced only when the new one is complete, and running the command
// twice changes nothing more. It belongs behind the generator:
//
//	//go:generate kitex -module example.com/service service.thrift
//	//go:generate go run github.com/bytelane/bytelane/go/cmd/kitexlists kitex_gen/service/k-service.go
//
// The flags:
//
//	-n
//		Say what would be replaced, and change no file.
//	-reuse
//		Read into the memory of the slice that the field already holds, as far
//		as it goes. This pays where structs are decoded again and again, and is
//		wrong where anybody keeps a slice of a struct that is decoded again.
//		Fields with a default value, which may be a slice shared by the whole
//		program, are read into new slices all the same.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 0, 1 if a file could not be rewritten, 2 if the
// arguments make no sense.
func run(arguments []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("kitexlists", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dryRun := flags.Bool("n", false, "say what would be replaced, and change no file")
	reuse := flags.Bool("reuse", false, "read into the slices that the fields already hold")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: kitexlists [-n] [-reuse] FILE...\nFILE is a k-*.go that kitex has generated.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(arguments); err == flag.ErrHelp {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return 2
	}
	status := 0
	for _, path := range flags.Args() {
		count, err := rewriteFile(path, *reuse, *dryRun)
		if err != nil {
			fmt.Fprintln(stderr, "kitexlists:", err)
			status = 1
			continue
		}
		verb := "replaced"
		if *dryRun {
			verb = "to replace"
		}
		fmt.Fprintf(stdout, "%s: %s: %d writes, %d reads\n", path, verb, count.writes, count.reads)
	}
	return status
}

// rewriteFile rewrites the file at path, unless that changes nothing.
func rewriteFile(path string, reuse, dryRun bool) (counts, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return counts{}, err
	}
	var reusable func(structure, field string) bool
	if reuse {
		defaults, err := defaultFields(filepath.Dir(path))
		if err != nil {
			return counts{}, err
		}
		reusable = func(structure, field string) bool { return !defaults[structure+"."+field] }
	}
	rewritten, count, err := rewrite(path, source, reusable)
	if err != nil || count == (counts{}) || dryRun {
		return count, err
	}
	return count, replace(path, rewritten)
}

// replace puts content in the place of the file at path: written beside it,
// then renamed, so that no reader and no crash sees half a file.
func replace(path string, content []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".kitexlists-*")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name()) // fails once it is renamed, as it should
	_, err = beside.Write(content)
	if err == nil {
		err = beside.Chmod(info.Mode().Perm())
	}
	if closeErr := beside.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(beside.Name(), path)
}
