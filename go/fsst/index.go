package fsst

// entry is the result of a lookup: the code, from bit 8 on 1 if it is the
// escape code, and from bit 12 on the number of bytes of the text.
type entry uint16

const escaped entry = 1<<12 | 1<<8 | escape

func newEntry(code, length int) entry { return entry(length<<12 | code) }

func (e entry) code() byte   { return byte(e) }
func (e entry) read() int    { return int(e >> 12) }
func (e entry) written() int { return 1 + int(e>>8&1) }

// slots is the number of slots for symbols of three bytes and more. The hash
// and this number are those of other implementations, whose tables have no two
// symbols with the same slot.
const slots = 2048

func slot(word uint64) int {
	product := word & 0xffffff * 2971215073
	return int((product ^ product>>15) % slots)
}

// long is a symbol of three bytes and more, shifted to the top of a number.
type long struct {
	top   uint64
	shift uint8 // 0 to 40
	entry entry // 0 if the slot is free
}

// begins reports whether a text begins with the symbol. A free slot has an
// odd number, which no text has after a shift.
func (l *long) begins(word uint64) bool { return word<<(l.shift&63) == l.top }

var free = long{top: 1, shift: 56}

// index finds the longest symbol at the front of a text.
type index struct {
	singles [256]entry
	pairs   [1 << 16]entry
	long    [slots]long
}

func newIndex() *index {
	i := new(index)
	for at := range i.singles {
		i.singles[at] = escaped
	}
	for at := range i.pairs {
		i.pairs[at] = escaped
	}
	for at := range i.long {
		i.long[at] = free
	}
	return i
}

// set adds or replaces a symbol. It returns false if another one has its slot.
func (i *index) set(symbol uint64, length int, entry entry) bool {
	switch length {
	case 1:
		i.singles[byte(symbol)] = entry
	case 2:
		i.pairs[uint16(symbol)] = entry
	default:
		to := &i.long[slot(symbol)]
		made := long{top: symbol << (64 - 8*length), shift: uint8(64 - 8*length), entry: entry}
		if to.entry != 0 && (to.top != made.top || to.shift != made.shift) {
			return false
		}
		*to = made
	}
	return true
}

// remove removes a symbol.
func (i *index) remove(symbol uint64, length int) {
	switch length {
	case 1:
		i.singles[byte(symbol)] = escaped
	case 2:
		i.pairs[uint16(symbol)] = escaped
	default:
		i.long[slot(symbol)] = free
	}
}

// longest returns the longest symbol at the front of a text, given its first
// eight bytes and how many of them it has.
func (i *index) longest(word uint64, count int) entry {
	if long := &i.long[slot(word)]; long.begins(word) && long.entry.read() <= count {
		return long.entry
	}
	if pair := i.pairs[uint16(word)]; count > 1 && pair != escaped {
		return pair
	}
	return i.singles[byte(word)]
}
