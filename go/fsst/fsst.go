// Package fsst encodes strings as codes for their frequent parts: FSST ("fast
// static symbol table"; Boncz, Neumann and Leis, VLDB 2020). It is for many
// strings of one kind, such as URLs, log lines or comments, which usually take
// a half to a fifth of their bytes. Each string can be decoded alone, and
// compared with text without decoding it.
//
// A [Table] has up to 255 symbols of 1 to 8 bytes; each code of an encoded
// string stands for one of them. The code 255 means that the next byte stands
// for itself, so any string can be encoded with any table, in up to twice its
// bytes. [Train] finds the symbols that shorten given strings most.
//
// Tables and strings are those of bytelane's other languages and of the
// reference implementation in C++. The same strings give the same table as in
// Rust. Malformed input results in an [Error] and never in a panic. All
// functions take time linear in the number of bytes. A Table never changes, so
// that several goroutines can use it at once.
//
// This package is plain Go, without assembly.
package fsst

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// escape is the code before a byte that stands for itself.
const escape = 255

// maxSymbols is the maximum number of symbols of a table.
const maxSymbols = 255

// Table is a symbol table.
type Table struct {
	// Symbols as little-endian numbers, with zeros after their bytes.
	symbols [256]uint64
	lengths [256]uint8
	count   int
	// True if the first symbol is the end of C strings, and not in the order of
	// the others.
	terminated bool

	once  sync.Once
	index *index
}

// NewTable returns a table of symbols, in the order of their codes. It fails
// if there are more than 255, or if one does not have 1 to 8 bytes.
func NewTable[S ~string | ~[]byte](symbols []S) (*Table, error) {
	if len(symbols) > maxSymbols {
		return nil, &Error{Err: ErrTable, Offset: -1, Detail: fmt.Sprintf("a table has up to 255 symbols, not %d", len(symbols))}
	}
	table := new(Table)
	for i, symbol := range symbols {
		if len(symbol) < 1 || len(symbol) > 8 {
			detail := fmt.Sprintf("symbol %d has %d bytes; symbols have 1 to 8 bytes", i, len(symbol))
			return nil, &Error{Err: ErrTable, Offset: -1, Detail: detail}
		}
		table.push(wordOf([]byte(symbol)), len(symbol))
	}
	return table, nil
}

func (t *Table) push(symbol uint64, length int) {
	t.symbols[t.count] = symbol
	t.lengths[t.count] = uint8(length)
	t.count++
}

// Len returns the number of symbols.
func (t *Table) Len() int { return t.count }

// Symbol returns the symbol of a code, which must be below [Table.Len].
func (t *Table) Symbol(code int) []byte {
	if code >= t.count {
		panic("fsst: Symbol: code out of range")
	}
	return t.appendSymbol(nil, code)
}

func (t *Table) appendSymbol(to []byte, code int) []byte {
	length := len(to) + int(t.lengths[code])
	return binary.LittleEndian.AppendUint64(to, t.symbols[code])[:length]
}

// Layout of a serialised table: a byte 1, the number of symbols, two bytes
// that no decoder needs, the version, a flag, and the numbers of symbols of
// each length.
const (
	version = 20190218
	header  = 17
)

// order is the order of lengths in a serialised table.
var order = [8]int{2, 3, 4, 5, 6, 7, 8, 1}

// rank returns the position of a length in order.
func rank(length int) int { return (length + 6) % 8 }

// ReadTable reads a table in the serialised form of the reference
// implementation, and returns it with its number of bytes; more may follow.
func ReadTable(src []byte) (*Table, int, error) {
	fail := func(err error, at int, detail string) (*Table, int, error) {
		return nil, 0, &Error{Err: err, Offset: at, Detail: detail}
	}
	if len(src) < header {
		return fail(ErrTruncated, 0, "the table ends before its first symbol")
	}
	if found := binary.LittleEndian.Uint32(src[4:]); found != version {
		return fail(ErrTable, 4, fmt.Sprintf("version %d", found))
	}
	if src[0] != 1 {
		return fail(ErrTable, 0, "not in little-endian byte order")
	}
	counts := src[9:header]
	counted := 0
	for _, count := range counts {
		counted += int(count)
	}
	table := &Table{terminated: src[8]&1 == 1}
	if counted != int(src[1]) || (table.terminated && counts[0] == 0) {
		return fail(ErrTable, 9, fmt.Sprintf("it states %d symbols, but its lengths add up to %d", src[1], counted))
	}
	if table.terminated {
		table.push(0, 1)
	}
	at := header
	for _, length := range order {
		left := int(counts[length-1])
		if table.terminated && length == 1 {
			left--
		}
		for range left {
			if len(src)-at < length {
				return fail(ErrTruncated, at, "the table ends before its last symbol")
			}
			table.push(wordOf(src[at:at+length]), length)
			at += length
		}
	}
	return table, at, nil
}

// Append appends the table in the serialised form of the reference
// implementation, up to 2057 bytes. It fails if the symbols are not in the
// order of their lengths, 2 to 8 and then 1; tables that were trained or read
// are.
func (t *Table) Append(to []byte) ([]byte, error) {
	first := 0
	var counts [8]byte
	if t.terminated {
		first, counts[0] = 1, 1
	}
	lengths := t.lengths[first:t.count]
	if !slices.IsSortedFunc(lengths, func(a, b uint8) int { return rank(int(a)) - rank(int(b)) }) {
		return to, &Error{Err: ErrTable, Offset: -1, Detail: "symbols that are not in the order of their lengths"}
	}
	for _, length := range lengths {
		counts[length-1]++
	}
	to = append(to, 1, byte(t.count), 0, byte(t.prefixFree(first)))
	to = binary.LittleEndian.AppendUint32(to, version)
	to = append(to, byte(first))
	to = append(to, counts[:]...)
	for code := first; code < t.count; code++ {
		to = t.appendSymbol(to, code)
	}
	return to, nil
}

// prefixFree returns the number of symbols at the front that have two bytes
// and are the beginning of no other symbol.
func (t *Table) prefixFree(first int) int {
	for code := first; code < t.count; code++ {
		if t.lengths[code] != 2 || t.begins(uint16(t.symbols[code])) {
			return code
		}
	}
	return t.count
}

// begins reports whether a symbol of more than two bytes begins with a pair.
func (t *Table) begins(pair uint16) bool {
	for code := range t.count {
		if t.lengths[code] > 2 && uint16(t.symbols[code]) == pair {
			return true
		}
	}
	return false
}

// wordOf returns the first up to eight bytes as a little-endian number.
func wordOf(bytes []byte) uint64 {
	if len(bytes) >= 8 {
		return binary.LittleEndian.Uint64(bytes)
	}
	var padded [8]byte
	copy(padded[:], bytes)
	return binary.LittleEndian.Uint64(padded[:])
}
