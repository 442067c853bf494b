package fsst

import "bytes"

// Equals reports whether an encoded string stands for a text. It reads no
// further than to the first difference, and fails if the string is malformed
// before that.
func (t *Table) Equals(src, text []byte) (bool, error) {
	same := true
	err := t.pieces(src, func(symbol []byte) bool {
		if same = bytes.HasPrefix(text, symbol); same {
			text = text[len(symbol):]
		}
		return same
	})
	return err == nil && same && len(text) == 0, err
}

// StartsWith reports whether an encoded string begins with a text. It reads no
// further than it has to, and fails if the string is malformed before that.
func (t *Table) StartsWith(src, prefix []byte) (bool, error) {
	if len(prefix) == 0 {
		return true, nil
	}
	same := true
	err := t.pieces(src, func(symbol []byte) bool {
		common := min(len(symbol), len(prefix))
		same = bytes.Equal(symbol[:common], prefix[:common])
		prefix = prefix[common:]
		return same && len(prefix) > 0
	})
	return err == nil && same && len(prefix) == 0, err
}

// Finder searches for a text in encoded strings.
type Finder struct {
	table *Table
	text  []byte
	// For each number of bytes of the text, the length of the longest proper
	// prefix of it that these end with.
	borders []int
}

// NewFinder prepares a search, which takes time linear in the length of the
// text.
func (t *Table) NewFinder(text []byte) *Finder {
	finder := &Finder{table: t, text: bytes.Clone(text), borders: make([]int, len(text)+1)}
	for end := 2; end <= len(text); end++ {
		finder.borders[end] = finder.step(finder.borders[end-1], text[end-1])
	}
	return finder
}

// step returns the number of bytes of the text that are found after one more
// byte.
func (f *Finder) step(found int, next byte) int {
	for f.text[found] != next {
		if found == 0 {
			return 0
		}
		found = f.borders[found]
	}
	return found + 1
}

// In reports whether an encoded string contains the text. It reads no further
// than to the end of it, and fails if the string is malformed before that.
func (f *Finder) In(src []byte) (bool, error) {
	if len(f.text) == 0 {
		return true, nil
	}
	found := 0
	err := f.table.pieces(src, func(symbol []byte) bool {
		for _, next := range symbol {
			if found = f.step(found, next); found == len(f.text) {
				return false
			}
		}
		return true
	})
	return err == nil && found == len(f.text), err
}
