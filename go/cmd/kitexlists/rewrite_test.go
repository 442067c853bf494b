package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// generated returns a file that kitex 0.15 generated from
// testdata/sample.thrift.
func generated(t *testing.T, name string) []byte {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name+".in"))
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// functions returns the source of each method of a file.
func functions(t *testing.T, source []byte) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			found[function.Name.Name] = string(source[files.Position(function.Pos()).Offset:files.Position(function.End()).Offset])
		}
	}
	return found
}

func TestGeneratedFile(t *testing.T) {
	source := generated(t, "k-sample.go")
	done, err := rewrite("k-sample.go", source, neighbours{})
	rewritten, count := done.source, done.counts
	if err != nil {
		t.Fatal(err)
	}
	if want := (counts{writes: 11, reads: 11, bounds: 4, skips: 14}); count != want {
		t.Errorf("replaced %+v, not %+v", count, want)
	}
	before, after := functions(t, source), functions(t, rewritten)
	for name, want := range map[string]string{
		"fastWriteField2": `func (p *Sample) fastWriteField2(buf []byte, w thrift.NocopyWriter) int {
	offset := 0
	if p.IsSetWords() {
		offset += thrift.Binary.WriteFieldBegin(buf[offset:offset+3], thrift.LIST, 2)
		if len(p.Words) >= thriftlist.BulkLength {
			offset += thriftlist.Write(buf[offset:], p.Words)
		} else {
			offset += thrift.Binary.WriteListBegin(buf[offset:offset+thriftlist.HeaderLength], thrift.I32, len(p.Words))
			for _, v := range p.Words {
				offset += thrift.Binary.WriteI32(buf[offset:], v)
			}
		}
	}
	return offset
}`,
		"fastWriteField3": `func (p *Sample) fastWriteField3(buf []byte, w thrift.NocopyWriter) int {
	offset := 0
	offset += thrift.Binary.WriteFieldBegin(buf[offset:offset+3], thrift.SET, 3)
	for i := 0; i < len(p.Shorts); i++ {
		for j := i + 1; j < len(p.Shorts); j++ {
			if reflect.DeepEqual(p.Shorts[i], p.Shorts[j]) {
				panic(fmt.Errorf("%T error writing set field: slice is not unique", p.Shorts[i]))
			}
		}
	}
	if len(p.Shorts) >= thriftlist.BulkLength {
		offset += thriftlist.Write(buf[offset:], p.Shorts)
	} else {
		offset += thrift.Binary.WriteSetBegin(buf[offset:offset+thriftlist.HeaderLength], thrift.I16, len(p.Shorts))
		for _, v := range p.Shorts {
			offset += thrift.Binary.WriteI16(buf[offset:], v)
		}
	}
	return offset
}`,
		"fastWriteField11": `func (p *Sample) fastWriteField11(buf []byte, w thrift.NocopyWriter) int {
	offset := 0
	offset += thrift.Binary.WriteFieldBegin(buf[offset:offset+3], thrift.LIST, 11)
	if len(p.Kinds) >= thriftlist.BulkLength {
		offset += thriftlist.WriteEnums(buf[offset:], p.Kinds)
	} else {
		offset += thrift.Binary.WriteListBegin(buf[offset:offset+thriftlist.HeaderLength], thrift.I32, len(p.Kinds))
		for _, v := range p.Kinds {
			offset += thrift.Binary.WriteI32(buf[offset:], int32(v))
		}
	}
	return offset
}`,
		"FastReadField7": `func (p *Sample) FastReadField7(buf []byte) (int, error) {
	offset := 0

	_type, size, l, err := thrift.Binary.ReadListBegin(buf[offset:])
	offset += l
	if err != nil {
		return offset, err
	}
	_field := Times{}
	if 0 < size && size < thriftlist.BulkLength && _type == thrift.I64 {
		_field = make(Times, size)
		for i := range _field {
			v, l, err := thrift.Binary.ReadI64(buf[offset:])
			if err != nil {
				return offset, err
			}
			offset += l
			_field[i] = v
		}
	} else if size > 0 {
		all, used, err := thriftlist.Read[int64](buf[offset-l:])
		if err != nil {
			return offset, thrift.NewProtocolException(thrift.INVALID_DATA, err.Error())
		}
		offset += used - thriftlist.HeaderLength
		_field = all
	}
	p.Aliased = _field
	return offset, nil
}`,
		"FastReadField12": `func (p *Sample) FastReadField12(buf []byte) (int, error) {
	offset := 0

	_, size, l, err := thrift.Binary.ReadListBegin(buf[offset:])
	offset += l
	if err != nil {
		return offset, err
	}
	if size > (len(buf)-offset)/4 {
		return offset, thrift.NewProtocolException(thrift.INVALID_DATA, thriftlist.TooMany(size, len(buf)-offset).Error())
	}
	_field := make([]string, 0, size)
	for i := 0; i < size; i++ {
		var _elem string
		if v, l, err := thrift.Binary.ReadString(buf[offset:]); err != nil {
			return offset, err
		} else {
			offset += l
			_elem = v
		}

		_field = append(_field, _elem)
	}
	p.Names = _field
	return offset, nil
}`,
	} {
		if after[name] != want {
			t.Errorf("%s became\n%s", name, after[name])
		}
	}
	for name, source := range before {
		changed := strings.Contains(after[name], "thriftlist.")
		if !changed && after[name] != source {
			t.Errorf("%s changed without need:\n%s", name, after[name])
		}
		// 12 and 13 are lists of strings and binaries.
		for _, field := range []string{"fastWriteField12", "fastWriteField13"} {
			if changed && name == field {
				t.Errorf("%s is not for thriftlist:\n%s", name, after[name])
			}
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d methods became %d", len(before), len(after))
	}

	if done.unknown() != 0 {
		t.Errorf("not recognised: %v", done.findings)
	}
	again, err := rewrite("k-sample.go", rewritten, neighbours{})
	if err != nil || again.counts != (counts{}) || again.unknown() != 0 || !bytes.Equal(again.source, rewritten) {
		t.Errorf("a second run: %+v, %v, %v", again.counts, again.findings, err)
	}
}

func TestReuse(t *testing.T) {
	directory := t.TempDir()
	for _, name := range []string{"k-sample.go", "sample.go"} {
		if err := os.WriteFile(filepath.Join(directory, name), generated(t, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	path := filepath.Join(directory, "k-sample.go")
	if status := run([]string{"-reuse", path}, &stdout, &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"FastReadField1":  "thriftlist.ReadInto[int64](p.Longs, buf[offset-l:])",
		"FastReadField4":  "_field = _field[:size]",
		"FastReadField8":  "thriftlist.Read[int64](buf[offset-l:])",
		"FastReadField9":  "thriftlist.Read[float64](buf[offset-l:])",
		"FastReadField10": "thriftlist.Read[int64](buf[offset-l:])", // defaults to a constant
		"FastReadField11": "thriftlist.ReadEnumsInto[Kind](p.Kinds, buf[offset-l:])",
	} {
		if got := functions(t, source)[name]; !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", name, want, got)
		}
	}
}

// Code that resembles a loop of kitex's but differs stays unchanged.
func TestOtherLoopsStay(t *testing.T) {
	source := string(generated(t, "k-sample.go"))
	write := functions(t, []byte(source))["fastWriteField1"]
	read := functions(t, []byte(source))["FastReadField1"]
	for _, test := range []struct{ function, from, to string }{
		{write, "length++", "length += 2"},
		{write, "length++", "length++ // counted"},
		{write, "WriteI64(buf[offset:], v)", "WriteI64(buf[offset:], -v)"},
		{write, "WriteI64(buf[offset:], v)", "WriteI64(buf[offset+1:], v)"},
		{write, "thrift.I64, length", "thrift.I32, length"},
		{write, "WriteListBegin", "WriteSetBegin"},
		{write, "_, v := range", "v := range"},
		{write, "return offset", "return offset + length"},
		{write, "return offset", "return listBeginOffset"},
		{write, "\tvar length int", "\toffset++\n\tvar length int"},
		{read, "i := 0", "i := 1"},
		{read, "ReadI64", "ReadVarint"},
		{read, "_elem = v", "_elem = v + 1"},
		{read, "_elem = v", "_elem = int64(v + 1)"},
		{read, "p.Longs = _field", "p.Longs = _field[:size]"},
		{read, "make([]int64, 0, size)", "make([]int64, 0, size+1)"},
		{read, "return offset, err\n\t}\n\t_field", "return 0, err\n\t}\n\t_field"},
	} {
		changed := strings.Replace(test.function, test.from, test.to, 1)
		if changed == test.function {
			t.Fatalf("there is no %s in\n%s", test.from, test.function)
		}
		file := "package p\nimport \"" + kitexImport + "\"\nfunc (p *Sample) FastRead() {}\n" + changed
		done, err := rewrite("p.go", []byte(file), neighbours{})
		if err != nil || done.counts.writes+done.counts.reads > 0 || strings.Contains(string(done.source), "BulkLength") {
			t.Errorf("%s for %s: %+v, %v", test.to, test.from, done.counts, err)
		}
		if done.unknown() == 0 {
			t.Errorf("%s for %s: nobody is told", test.to, test.from)
		}
	}
}

func TestSingleImport(t *testing.T) {
	write := functions(t, generated(t, "k-sample.go"))["fastWriteField1"]
	file := "package p\nimport \"" + kitexImport + "\"\nfunc (p *Sample) FastRead() {}\n" + write
	done, err := rewrite("p.go", []byte(file), neighbours{})
	if err != nil || done.counts.writes != 1 || !strings.Contains(string(done.source), "import \""+listsImport+"\"\n") {
		t.Errorf("%v, %+v:\n%s", err, done.counts, done.source)
	}
}

func TestFilesThatCannotBeRewritten(t *testing.T) {
	write := functions(t, generated(t, "k-sample.go"))["fastWriteField1"]
	for _, test := range []struct{ source, want string }{
		{"package p\nfunc", "p.go:2:5: expected 'IDENT'"},
		{"package p\nimport \"" + oldImport + "\"\n", "p.go: generated by a kitex before 0.12"},
		{"package p\nimport \"" + kitexImport + "\"\nvar thriftlist int\nfunc (p *Sample) FastRead() {}\n" + write, "p.go:3:5: the name thriftlist is taken"},
	} {
		if _, err := rewrite("p.go", []byte(test.source), neighbours{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, not %s", err, test.want)
		}
	}
}

func TestCommand(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "k-sample.go")
	constants := filepath.Join(directory, "k-consts.go")
	source := generated(t, "k-sample.go")
	if err := os.WriteFile(path, source, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(constants, []byte("package sample\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		arguments      []string
		status         int
		stdout, stderr string
	}{
		{nil, 2, "", "usage: kitexlists"},
		{[]string{"-h"}, 0, "", "usage: kitexlists"},
		{[]string{"-unknown"}, 2, "", "flag provided but not defined"},
		{[]string{filepath.Join(directory, "missing.go")}, 1, "", "missing.go: no such file"},
		{[]string{"-n", path}, 0, path + ": to replace: 11 writes, 11 reads, 4 sizes, 14 skips\n", ""},
		{[]string{path, constants}, 0, path + ": replaced: 11 writes, 11 reads, 4 sizes, 14 skips\n" + constants + ": replaced: 0 writes, 0 reads, 0 sizes, 0 skips\n", ""},
		{[]string{path}, 0, path + ": replaced: 0 writes, 0 reads, 0 sizes, 0 skips\n", ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(step.arguments, &stdout, &stderr)
		if status != step.status || stdout.String() != step.stdout || !strings.Contains(stderr.String(), step.stderr) {
			t.Errorf("%v: status %d\n%s%s", step.arguments, status, stdout.String(), stderr.String())
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		replaced := strings.Contains(step.stdout, "replaced")
		if bytes.Equal(got, source) == replaced {
			t.Errorf("%v: the file was replaced: %v", step.arguments, !replaced)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode became %v", info.Mode())
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("files left behind: %v", entries)
	}
}
