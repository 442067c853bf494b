package fsst

import "slices"

// indexed returns the index of the table, or nil if two symbols have the same
// slot. The first call takes about 50 microseconds.
func (t *Table) indexed() *index {
	t.once.Do(func() {
		made := newIndex()
		// The first one of equal symbols counts.
		for code := t.count - 1; code >= 0; code-- {
			length := int(t.lengths[code])
			if !made.set(t.symbols[code], length, newEntry(code, length)) {
				return
			}
		}
		t.index = made
	})
	return t.index
}

// search returns the longest symbol at the front of a text without an index.
func (t *Table) search(word uint64, count int) entry {
	found := escaped
	longest := 0
	for code := range t.count {
		length := int(t.lengths[code])
		if length > longest && length <= count && t.symbols[code] == word<<(64-8*length)>>(64-8*length) {
			found, longest = newEntry(code, length), length
		}
	}
	return found
}

// AppendEncode appends an encoded string and returns the extended slice. The
// string takes up to twice its bytes. At each place, the longest symbol that
// fits is chosen, so that equal strings are equal when they are encoded.
func (t *Table) AppendEncode(dst, text []byte) []byte {
	dst = slices.Grow(dst, 2*len(text))
	index := t.indexed()
	for at := 0; at < len(text); {
		rest := text[at:]
		word, count := wordOf(rest), min(8, len(rest))
		var found entry
		if index != nil {
			found = index.longest(word, count)
		} else {
			found = t.search(word, count)
		}
		dst = append(dst, found.code())
		if found == escaped {
			dst = append(dst, rest[0])
		}
		at += found.read()
	}
	return dst
}

// Encode encodes strings. It fails if the offsets are invalid, or if they
// cannot count the bytes of the result.
func Encode[O Offset](t *Table, strings Strings[O]) (Strings[O], error) {
	return convert(strings, func(dst, text []byte) ([]byte, error) {
		return t.AppendEncode(dst, text), nil
	})
}
