package fsst

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

const (
	// sampleBytes is the number of bytes to train on.
	sampleBytes = 1 << 14
	// samplePiece is the maximum number of bytes of a piece of the sample.
	samplePiece = 512
	// whole is the number of parts of the sample; rounds are the numbers of
	// those that the rounds of training use.
	whole = 128
	// codes is the number of pseudo-codes: one for each byte, and those of
	// symbols.
	codes = 512
)

var rounds = []int{8, 32, 56, 80, 104, 120, whole}

// Train returns a table of the symbols that shorten strings like these most,
// from a sample of 16 KiB. The same strings give the same table, on all
// machines and in all of bytelane's languages.
func Train[S ~string | ~[]byte](strings []S) *Table {
	sample := sampleOf(len(strings), func(i int) []byte { return []byte(strings[i]) })
	return train(sample)
}

// TrainStrings is [Train] for strings with offsets. It fails if the offsets
// are invalid.
func TrainStrings[O Offset](strings Strings[O]) (*Table, error) {
	if err := strings.check(); err != nil {
		return nil, err
	}
	return train(sampleOf(strings.Len(), strings.At)), nil
}

// sampleOf returns pieces of strings that together have about sampleBytes
// bytes.
func sampleOf(count int, text func(int) []byte) [][]byte {
	var pieces [][]byte
	total := 0
	for i := range count {
		if total += len(text(i)); total > sampleBytes {
			break
		}
		pieces = slices.AppendSeq(pieces, slices.Chunk(text(i), samplePiece))
	}
	if total <= sampleBytes {
		return pieces
	}
	pieces, total = nil, 0
	take := func(piece []byte) bool {
		total += len(piece)
		pieces = append(pieces, piece)
		return total < sampleBytes
	}
	state := uint64(0x9e3779b97f4a7c15)
	below := func(end int) int {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		high, _ := bits.Mul64(state, uint64(end))
		return int(high)
	}
	// Empty strings are skipped; if there are many, those after them would be
	// found too often.
	for range sampleBytes {
		from := text(below(count))
		chunks := (len(from) + samplePiece - 1) / samplePiece
		start := samplePiece * below(max(1, chunks))
		if start < len(from) && !take(from[start:min(start+samplePiece, len(from))]) {
			return pieces
		}
	}
	for i := range count {
		for piece := range slices.Chunk(text(i), samplePiece) {
			if !take(piece) {
				return pieces
			}
		}
	}
	return pieces
}

// symbol is a symbol, or a candidate for one, with zeros after its bytes.
type symbol struct {
	bytes  uint64
	length int
}

// candidate is a symbol with the number of bytes that it would save.
type candidate struct {
	symbol symbol
	gain   uint32
}

// counts are numbers of occurrences of pseudo-codes, and of two that follow
// each other.
type counts struct {
	single [codes]uint32
	pairs  [codes][codes]uint16
}

func (c *counts) add(before, code int, pairs bool) {
	c.single[code]++
	if pairs && before >= 0 {
		if count := &c.pairs[before][code]; *count < math.MaxUint16 {
			*count++
		}
	}
}

// training is a table while it is made.
type training struct {
	// rare is the number of occurrences in the whole sample below which a
	// candidate is dropped.
	rare    int
	symbols []symbol
	index   *index
}

// train returns a table of the best symbols of a sample.
func train(sample [][]byte) *Table {
	total := 0
	for _, piece := range sample {
		total += len(piece)
	}
	t := &training{rare: min(max(total/1024, 2), 5), index: newIndex()}
	found := new(counts)
	best, most := training{}, math.MinInt
	var single [codes]uint32
	for _, share := range rounds {
		*found = counts{}
		if saved := t.count(sample, share, found); saved >= most {
			most, single, best.symbols = saved, found.single, slices.Clone(t.symbols)
		}
		if share < whole {
			t.choose(found, share)
		}
	}
	found.single = single
	t.replace(best.symbols)
	t.choose(found, whole)
	return t.table()
}

// count encodes a share of a sample, and counts. It returns the number of
// bytes saved.
func (t *training) count(sample [][]byte, share int, found *counts) int {
	saved := 0
	for number, piece := range sample {
		if share < whole && int(uint32(number)*0x9e3779b1>>8&127) >= share {
			continue
		}
		before := -1
		for at := 0; at < len(piece); {
			rest := piece[at:]
			entry := t.index.longest(wordOf(rest), len(rest))
			code := int(rest[0])
			if entry != escaped {
				code = 256 + int(entry.code())
			}
			found.add(before, code, share < whole)
			// If only the byte came next:
			if entry.read() > 1 {
				found.add(before, int(rest[0]), share < whole)
			}
			saved += entry.read() - entry.written()
			before = code
			at += entry.read()
		}
	}
	return saved
}

// symbol returns the symbol, or the byte, of a pseudo-code.
func (t *training) symbol(code int) symbol {
	if code >= 256 {
		return t.symbols[code-256]
	}
	return symbol{uint64(code), 1}
}

// choose replaces the symbols with the best candidates.
func (t *training) choose(found *counts, share int) {
	least := uint32(max(1, t.rare*share/whole))
	gains := map[symbol]uint32{}
	for code := range 256 + len(t.symbols) {
		count := found.single[code]
		if count == 0 {
			continue
		}
		first := t.symbol(code)
		weight := count
		// Each byte that is missing takes two bytes wherever it occurs.
		if first.length == 1 {
			weight *= 8
		}
		if weight >= least {
			gains[first] += weight * uint32(first.length)
		}
		if share == whole || first.length == 8 {
			continue
		}
		for next, count := range found.pairs[code][:256+len(t.symbols)] {
			if uint32(count) < least {
				continue
			}
			second := t.symbol(next)
			if length := first.length + second.length; length <= 8 {
				joined := symbol{first.bytes | second.bytes<<(8*first.length), length}
				gains[joined] += uint32(count) * uint32(length)
			}
		}
	}
	candidates := make([]candidate, 0, len(gains))
	for symbol, gain := range gains {
		candidates = append(candidates, candidate{symbol, gain})
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(b.gain, a.gain),
			cmp.Compare(a.symbol.bytes, b.symbol.bytes),
			cmp.Compare(a.symbol.length, b.symbol.length),
		)
	})
	t.replace(nil)
	for _, candidate := range candidates {
		t.add(candidate.symbol)
	}
}

// add adds a symbol, if there is room for it.
func (t *training) add(symbol symbol) {
	if len(t.symbols) == maxSymbols {
		return
	}
	if symbol.length > 2 && t.index.long[slot(symbol.bytes)].entry != 0 {
		return
	}
	t.index.set(symbol.bytes, symbol.length, newEntry(len(t.symbols), symbol.length))
	t.symbols = append(t.symbols, symbol)
}

// replace replaces all symbols.
func (t *training) replace(symbols []symbol) {
	for _, symbol := range t.symbols {
		t.index.remove(symbol.bytes, symbol.length)
	}
	t.symbols = t.symbols[:0]
	for _, symbol := range symbols {
		t.add(symbol)
	}
}

// table returns the table, in the order of its serialised form: symbols of two
// bytes that begin no other symbol come first.
func (t *training) table() *Table {
	table := new(Table)
	for _, symbol := range t.symbols {
		table.push(symbol.bytes, symbol.length)
	}
	key := func(symbol symbol) int {
		key := 2 * rank(symbol.length)
		if symbol.length == 2 && table.begins(uint16(symbol.bytes)) {
			key++
		}
		return key
	}
	slices.SortStableFunc(t.symbols, func(a, b symbol) int { return key(a) - key(b) })
	sorted := new(Table)
	for _, symbol := range t.symbols {
		sorted.push(symbol.bytes, symbol.length)
	}
	return sorted
}
