// Command kitexlists changes the code that Kitex generates for Thrift structs:
// it writes and reads lists and sets of fixed-width elements with one call per
// list, and checks sizes before allocating memory for them.
//
// Usage:
//
//	go run github.com/bytelane/bytelane/go/cmd/kitexlists [flags] FILE...
//
// The files are the k-*.go of kitex_gen, as the command kitex has written them
// since its version 0.12. In each file:
//
//   - Beside the loops over the values of a list or set of bool, byte, i16, i32,
//     i64, double or an enum, the command adds a call of the package thriftlist,
//     which is used from 10 elements on. This applies at any depth
//     (list<list<i64>>, map<string, list<double>>), and with field masks if the
//     mask is nil.
//   - Lists of other elements, sets and maps check their size against the
//     remaining bytes before they allocate memory. Kitex allocates whatever the
//     size requests: 134 MB to 1.6 GB for a message of 10 bytes that claims
//     16,777,216 elements.
//   - thriftlist skips fields that the struct does not know. Kitex's Skip panics
//     on a type code above 127 and on some truncated values.
//
// Everything else is unchanged: lists of strings, which Kitex can pass on
// without copying, and every loop that does not look exactly as expected. The
// bytes are the same, so a single service can switch on its own.
//
// The differences: a list of fixed-width elements whose header names another
// element type is an error, as is a size that cannot fit in the input; both
// are Kitex's protocol exception INVALID_DATA. Before, such errors came late
// or never.
//
// A file is replaced only when the new one is complete, and running the command
// twice changes nothing more. It belongs after the generator:
//
//	//go:generate kitex -module example.com/service service.thrift
//	//go:generate go run github.com/bytelane/bytelane/go/cmd/kitexlists -require kitex_gen/service/k-service.go
//
// The flags:
//
//	-n
//		Say what would be replaced, and change no file.
//	-report
//		List what was left alone, with file and line, and why.
//	-require
//		Exit with status 1 if code was left alone because it was not recognised,
//		and list that code. What stays by design does not count.
//	-reuse
//		Read into the memory of the slice that the field already holds, as far
//		as it goes. This pays where structs are decoded repeatedly, and is
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

// options are the command's flags.
type options struct{ dryRun, report, require, reuse bool }

// run returns the exit status: 0, 1 if a file could not be rewritten or not as
// far as required, 2 if the arguments are invalid.
func run(arguments []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("kitexlists", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.BoolVar(&o.dryRun, "n", false, "say what would be replaced, and change no file")
	flags.BoolVar(&o.report, "report", false, "list what was left alone, and why")
	flags.BoolVar(&o.require, "require", false, "exit with status 1 if code was left alone because it was not recognised")
	flags.BoolVar(&o.reuse, "reuse", false, "read into the slices that the fields already hold")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: kitexlists [-n] [-report] [-require] [-reuse] FILE...\nFILE is a k-*.go that kitex has generated.")
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
		done, err := rewriteFile(path, o.reuse, o.dryRun)
		if err != nil {
			fmt.Fprintln(stderr, "kitexlists:", err)
			status = 1
			continue
		}
		fmt.Fprintln(stdout, summary(path, done, o.dryRun))
		for _, f := range done.findings {
			if o.report {
				fmt.Fprintln(stdout, f)
			} else if o.require && f.unknown {
				fmt.Fprintln(stderr, f)
			}
		}
		if o.require && done.unknown() > 0 {
			fmt.Fprintf(stderr, "kitexlists: %s: %d not recognised, and -require is given\n", path, done.unknown())
			status = 1
		}
	}
	return status
}

// summary describes in one line what was done to a file.
func summary(path string, done result, dryRun bool) string {
	verb := "replaced"
	if dryRun {
		verb = "to replace"
	}
	c := done.counts
	line := fmt.Sprintf("%s: %s: %d writes, %d reads, %d sizes, %d skips", path, verb, c.writes, c.reads, c.bounds, c.skips)
	if n := done.unknown(); n > 0 {
		line += fmt.Sprintf("; not recognised: %d (-report lists them)", n)
	}
	return line
}

// rewriteFile rewrites the file at path, unless that changes nothing.
func rewriteFile(path string, reuse, dryRun bool) (result, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return result{}, err
	}
	var others neighbours
	if others.structs, err = declaresStructs(path); err != nil {
		return result{}, err
	}
	if reuse {
		defaults, err := defaultFields(filepath.Dir(path))
		if err != nil {
			return result{}, err
		}
		others.reusable = func(structure, field string) bool { return !defaults[structure+"."+field] }
	}
	done, err := rewrite(path, source, others)
	if err != nil || done.counts == (counts{}) || dryRun {
		return done, err
	}
	return done, replace(path, done.source)
}

// replace replaces the file at path with content: it writes a file beside it
// and renames it, so that no reader and no crash sees half a file.
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
