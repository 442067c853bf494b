package fsst

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bytelane/bytelane/go/internal/golden"
)

var kinds = []string{"urls", "comments", "chinese", "bytes"}

func linesOf(t *testing.T, kind string) []string {
	t.Helper()
	return slices.Collect(strings.Lines(string(golden.ReadFrom(t, 1, "fsst", kind+".values"))))
}

func appended(t testing.TB, table *Table) []byte {
	t.Helper()
	form, err := table.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// The tables and codes are those that the Rust code writes for the same lines.
func TestGoldenTablesAndCodes(t *testing.T) {
	for _, kind := range kinds {
		lines, want := linesOf(t, kind), golden.ReadFrom(t, 1, "fsst", kind+".bytes")
		table := Train(lines)
		encoded, err := Encode(table, Join[int64](lines))
		if got := append(appended(t, table), encoded.Bytes...); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: another table or other codes, %v", kind, err)
		}
		same, err := TrainStrings(Join[int32](lines))
		if err != nil || !bytes.Equal(appended(t, same), appended(t, table)) {
			t.Errorf("%s: another table with offsets, %v", kind, err)
		}
		decoded, err := Decode(table, encoded)
		if err != nil || string(decoded.Bytes) != strings.Join(lines, "") || !slices.Equal(decoded.Offsets, Join[int64](lines).Offsets) {
			t.Errorf("%s: a round trip failed: %v", kind, err)
		}
	}
}

func TestTablesAndCodesOfTheReference(t *testing.T) {
	for _, kind := range kinds {
		theirs := golden.ReadFrom(t, 1, "fsst", kind+".reference")
		table, length, err := ReadTable(theirs)
		if err != nil {
			t.Fatal(err)
		}
		// Without the header, whose last number no decoder needs.
		if !bytes.Equal(appended(t, table)[4:], theirs[4:length]) {
			t.Errorf("%s: the table is written differently", kind)
		}
		lines := linesOf(t, kind)
		var codes []byte
		for _, line := range lines {
			codes = table.AppendEncode(codes, []byte(line))
		}
		if !bytes.Equal(codes, theirs[length:]) {
			t.Errorf("%s: other codes", kind)
		}
		if text, err := table.AppendDecode(nil, theirs[length:]); err != nil || string(text) != strings.Join(lines, "") {
			t.Errorf("%s: decoded to something else, %v", kind, err)
		}
	}
}

func mustTable(t testing.TB, symbols ...string) *Table {
	t.Helper()
	table, err := NewTable(symbols)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestSymbolsWithTheSameSlotAreFound(t *testing.T) {
	table := mustTable(t, "prod", "product", "products", "o", "s")
	if table.indexed() != nil {
		t.Fatal("the symbols have different slots")
	}
	got := table.AppendEncode(nil, []byte("productsproducproxs"))
	if want := []byte{2, 0, escape, 'u', escape, 'c', escape, 'p', escape, 'r', 3, escape, 'x', 4}; !bytes.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

func TestLongStringsInPieces(t *testing.T) {
	// Escape codes, so that a piece ends between the two bytes of one.
	text := append([]byte("a"), bytes.Repeat([]byte{escape}, 3*piece)...)
	table := mustTable(t, "a", "eightsym")
	text = append(text, bytes.Repeat([]byte("eightsym"), 2*piece)...)
	encoded := table.AppendEncode(nil, text)
	decoded, err := table.AppendDecode([]byte("head"), encoded)
	if err != nil || string(decoded) != "head"+string(text) {
		t.Errorf("a round trip failed: %v", err)
	}
	if length, err := table.DecodedLen(encoded); err != nil || length != len(text) {
		t.Errorf("%d bytes, not %d: %v", length, len(text), err)
	}
}

func TestMalformedStringsAreErrorsWithTheirPlace(t *testing.T) {
	table := mustTable(t, "ab")
	for _, bad := range []struct {
		codes  []byte
		kind   error
		offset int
	}{
		{[]byte{0, 1}, ErrCode, 1},
		{[]byte{254}, ErrCode, 0},
		{[]byte{0, 0, escape}, ErrTruncated, 2},
		{append(make([]byte, 3*piece), escape), ErrTruncated, 3 * piece},
	} {
		dst := []byte("kept")
		got, err := table.AppendDecode(dst, bad.codes)
		var found *Error
		if !errors.As(err, &found) || !errors.Is(err, bad.kind) || found.Offset != bad.offset || string(got) != "kept" {
			t.Errorf("%v: %v, %q", bad.codes[max(0, len(bad.codes)-3):], err, got)
		}
		if _, other := table.DecodedLen(bad.codes); other == nil || other.Error() != err.Error() {
			t.Errorf("%v, not %v", other, err)
		}
	}
	_, err := Decode(table, Strings[int32]{Bytes: []byte{0, 0, 9}, Offsets: []int32{0, 1, 3}})
	if want := "fsst: code without a symbol at byte 2: code 9 of a table of 1 symbols"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	for _, offsets := range [][]int32{{0, 2, 1}, {0, 4}, {-1, 2}} {
		if _, err := Decode(table, Strings[int32]{Bytes: []byte{0, 0, 0}, Offsets: offsets}); !errors.Is(err, ErrOffsets) {
			t.Errorf("%v: %v", offsets, err)
		}
	}
}

func TestInvalidTables(t *testing.T) {
	form := appended(t, Train([]string{"abcabcabc", "abcdefgabcdefg"}))
	for end := range len(form) {
		if _, _, err := ReadTable(form[:end]); !errors.Is(err, ErrTruncated) {
			t.Errorf("cut to %d bytes: %v", end, err)
		}
	}
	for at := range header {
		changed := bytes.Clone(form)
		changed[at] ^= 0x55
		_, _, err := ReadTable(changed)
		if unused := at == 2 || at == 3; (err == nil) != unused && at != 8 {
			t.Errorf("byte %d changed: %v", at, err)
		}
	}
	for _, symbols := range [][]string{{""}, {"123456789"}, make([]string, 256)} {
		if _, err := NewTable(symbols); !errors.Is(err, ErrTable) {
			t.Errorf("%d symbols: %v", len(symbols), err)
		}
	}
	if _, err := mustTable(t, "a", "bc").Append(nil); !errors.Is(err, ErrTable) {
		t.Errorf("symbols in another order are written: %v", err)
	}
	terminated := appended(t, mustTable(t, "bc", "a"))
	terminated[1], terminated[8], terminated[9] = 3, 1, 2
	table, _, err := ReadTable(terminated)
	if err != nil || !bytes.Equal(table.Symbol(0), []byte{0}) || !bytes.Equal(appended(t, table)[4:], terminated[4:]) {
		t.Errorf("a table of C strings: %v", err)
	}
}

// check compares the functions that do not decode with those of package bytes.
func check(t *testing.T, table *Table, codes, text, part []byte) {
	t.Helper()
	found := func(found bool, err error) string { return fmt.Sprint(found, err) }
	want := func(want bool) string { return fmt.Sprint(want, nil) }
	if got := found(table.Equals(codes, part)); got != want(bytes.Equal(text, part)) {
		t.Errorf("Equals(%q, %q): %s", text, part, got)
	}
	if got := found(table.StartsWith(codes, part)); got != want(bytes.HasPrefix(text, part)) {
		t.Errorf("StartsWith(%q, %q): %s", text, part, got)
	}
	if got := found(table.NewFinder(part).In(codes)); got != want(bytes.Contains(text, part)) {
		t.Errorf("In(%q, %q): %s", text, part, got)
	}
}

func TestComparisonsWithoutDecoding(t *testing.T) {
	table := mustTable(t, "ab", "aba", "b", "abab")
	text := []byte("xabaababbbababaabz")
	codes := table.AppendEncode(nil, text)
	for from := range len(text) + 1 {
		for to := from; to <= len(text); to++ {
			check(t, table, codes, text, text[from:to])
			check(t, table, codes, text, append(bytes.Clone(text[from:to]), 'b'))
		}
	}
	if _, err := table.NewFinder([]byte("no")).In([]byte{0, 9}); !errors.Is(err, ErrCode) {
		t.Errorf("a malformed string: %v", err)
	}
}

func FuzzAnyTableAndCodes(f *testing.F) {
	table := Train([]string{"https://example.com/", "https://example.org/x"})
	f.Add(appended(f, table), table.AppendEncode(nil, []byte("https://example.com/y")))
	f.Add([]byte{}, []byte("any \xff text"))
	f.Fuzz(func(t *testing.T, form, input []byte) {
		table, _, err := ReadTable(form)
		if err != nil {
			table = Train([][]byte{form, input})
		}
		if text, err := table.AppendDecode(nil, input); err == nil {
			if length, err := table.DecodedLen(input); err != nil || length != len(text) {
				t.Errorf("DecodedLen is %d, %v, not %d", length, err, len(text))
			}
			check(t, table, input, text, text[len(text)/3:len(text)/2])
		}
		encoded := table.AppendEncode(nil, input)
		if text, err := table.AppendDecode(nil, encoded); err != nil || !bytes.Equal(text, input) {
			t.Errorf("a round trip failed: %v", err)
		}
	})
}

func benchmark(b *testing.B, run func(table *Table, strings, encoded Strings[int32])) {
	var lines []string
	for i := range 4000 {
		lines = append(lines, fmt.Sprintf("https://www.example.com/items/%d?page=%d", i*7919%10007, i%13))
	}
	all := Join[int32](lines)
	table := Train(lines)
	encoded, err := Encode(table, all)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(all.Bytes)))
	for b.Loop() {
		run(table, all, encoded)
	}
}

func BenchmarkTrain(b *testing.B) {
	benchmark(b, func(_ *Table, all, _ Strings[int32]) { _, _ = TrainStrings(all) })
}

func BenchmarkEncode(b *testing.B) {
	benchmark(b, func(table *Table, all, _ Strings[int32]) { _, _ = Encode(table, all) })
}

func BenchmarkDecode(b *testing.B) {
	benchmark(b, func(table *Table, _, encoded Strings[int32]) { _, _ = Decode(table, encoded) })
}
