package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The flags of kitex change the generated code. All of it is either rewritten
// or reported.
func TestFlagsOfKitex(t *testing.T) {
	for _, test := range []struct {
		name    string
		structs bool
		want    counts
		unknown string
	}{
		{"k-masked.go", true, counts{writes: 3, reads: 3, bounds: 2, skips: 14}, ""},
		{"k-unformatted.go", true, counts{writes: 3, reads: 3, bounds: 2, skips: 5}, ""},
		{"k-frugal.go", true, counts{}, "k-frugal.go:25: Sample.FastRead: the whole struct: it is left to frugal"},
		{"k-slim.go", true, counts{}, "k-slim.go: the whole file: it has no fast codec, as after kitex -no-fast-api"},
		{"k-slim.go", false, counts{}, ""}, // an IDL of constants and enums
	} {
		source := generated(t, test.name)
		done, err := rewrite(test.name, source, neighbours{structs: test.structs})
		if err != nil {
			t.Fatal(err)
		}
		if done.counts != test.want {
			t.Errorf("%s: %+v, not %+v", test.name, done.counts, test.want)
		}
		if (test.want == counts{}) != bytes.Equal(done.source, source) {
			t.Errorf("%s: the source was changed or not", test.name)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", done.source, 0); err != nil {
			t.Error(err)
		}
		if test.unknown == "" && done.unknown() > 0 {
			t.Errorf("%s: not recognised: %v", test.name, done.findings)
		}
		if test.unknown != "" && (done.unknown() == 0 || !strings.HasPrefix(done.findings[0].String(), test.unknown)) {
			t.Errorf("%s: %v", test.name, done.findings)
		}
		again, err := rewrite(test.name, done.source, neighbours{structs: test.structs})
		if err != nil || again.counts != (counts{}) || again.unknown() != done.unknown() {
			t.Errorf("%s: a second run: %+v, %v, %v", test.name, again.counts, again.findings, err)
		}
	}
}

// A bulk conversion ignores a field mask, so it requires that there is none;
// and the loop behind a mask stays as Kitex generated it.
func TestFieldMasks(t *testing.T) {
	source := generated(t, "k-masked.go")
	done, err := rewrite("k-masked.go", source, neighbours{})
	if err != nil {
		t.Fatal(err)
	}
	after := functions(t, done.source)
	for name, wants := range map[string][]string{
		"fastWriteField1": {"if fm == nil && len(p.Longs) >= thriftlist.BulkLength {", "if _, ex := fm.Int(i); !ex {", "length++"},
		"FastReadField1": {"if 0 < size && (fm != nil || size < thriftlist.BulkLength) && _type == thrift.I64 {",
			"_field = make([]int64, 0, size)", "thriftlist.Skip(buf[offset:], thriftlist.Type(thrift.I64))", "_field = append(_field, _elem)"},
		"fastWriteField2": {"thriftlist.WriteEnums(buf[offset:], p.Kinds)"},
		"FastReadField2":  {"thriftlist.ReadEnums[Kind](buf[offset-l:])"},
	} {
		for _, want := range wants {
			if !strings.Contains(after[name], want) {
				t.Errorf("%s lacks %s:\n%s", name, want, after[name])
			}
		}
	}
	if strings.Count(after["fastWriteField2"], "reflect.DeepEqual") != 1 {
		t.Errorf("the set is not checked once:\n%s", after["fastWriteField2"])
	}
}

// Code that is not Kitex's fast codec is reported, not silently ignored.
func TestForeignFiles(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"package p\nimport \"" + apacheImport + "\"\nfunc (p *S) Read() {}\n", "it is code for Apache Thrift's library"},
		{"package p\nfunc (p *S) String() string\n", "it does not import " + kitexImport},
		{"package p\nimport t \"" + kitexImport + "\"\nfunc (p *S) FastRead() {}\n", "under another name"},
		{"package p\nimport \"" + kitexImport + "\"\nfunc (p *SArgs) GetFirstArgument() any { return nil }\n", "it has no fast codec"},
		{"package p\nimport \"" + kitexImport + "\"\nfunc (p *S) FastRead(buf []byte) (int, error) {\nreturn thrift.Binary.Skip(buf, 1)\n}\n", "a value that is skipped"},
	} {
		done, err := rewrite("p.go", []byte(test.source), neighbours{})
		if err != nil {
			t.Fatal(err)
		}
		if done.unknown() != 1 || !strings.Contains(done.findings[0].String(), test.want) {
			t.Errorf("%q: %v, not %s", test.source, done.findings, test.want)
		}
		if string(done.source) != test.source {
			t.Errorf("%q was changed", test.source)
		}
	}
}

func TestReportAndRequire(t *testing.T) {
	directory := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := write("k-sample.go", generated(t, "k-sample.go"))
	odd := write("k-odd.go", bytes.Replace(generated(t, "k-sample.go"), []byte("length++"), []byte("length += 1"), 1))
	slim := write("k-slim.go", generated(t, "k-slim.go"))
	write("slim.go", []byte("package variants\ntype Sample struct{}\n"))
	for _, test := range []struct {
		arguments      []string
		status         int
		stdout, stderr string
	}{
		{[]string{"-n", "-require", whole}, 0, "14 skips\n", ""},
		{[]string{"-n", "-report", whole}, 0, whole + ":536: Sample.FastReadField12: list<string>, read: only its size is checked\n", ""},
		{[]string{"-n", odd}, 0, "10 writes, 11 reads, 4 sizes, 14 skips; not recognised: 1 (-report lists them)\n", ""},
		{[]string{"-n", "-report", odd}, 0, "Sample.fastWriteField1: list of fixed-width elements, written: its loop is not one", ""},
		{[]string{"-n", "-require", whole, odd}, 1, "not recognised: 1", "Sample.fastWriteField1: list of fixed-width elements, written"},
		{[]string{"-n", "-require", odd}, 1, "", "kitexlists: " + odd + ": 1 not recognised, and -require is given\n"},
		{[]string{"-n", "-require", slim}, 1, "", slim + ": the whole file: it has no fast codec"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(test.arguments, &stdout, &stderr)
		if status != test.status || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%v: status %d\n%s\n%s", test.arguments, status, stdout.String(), stderr.String())
		}
	}
}
