package fsst

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// piece is the number of codes for which memory is reserved at once.
const piece = 1 << 13

// AppendDecode appends the text of an encoded string, or of several one after
// the other, and returns the extended slice. If the string is malformed, it
// returns dst and an [Error].
func (t *Table) AppendDecode(dst, src []byte) ([]byte, error) {
	to := dst
	for at := 0; at < len(src); {
		codes := src[at:min(at+piece, len(src))]
		to = slices.Grow(to, 8*len(codes)+8)
		read, written := t.decode(to[len(to):cap(to)], codes)
		to = to[:len(to)+written]
		at += read
		if read < len(codes) {
			if src[at] != escape {
				return dst, &Error{Err: ErrCode, Offset: at, Detail: fmt.Sprintf("code %d of a table of %d symbols", src[at], t.count)}
			}
			if at+1 == len(src) {
				return dst, &Error{Err: ErrTruncated, Offset: at, Detail: "the string ends after an escape code"}
			}
		}
	}
	return to, nil
}

// decode decodes codes up to the first malformed one, or to an escape code
// whose byte is missing. dst has room for eight bytes for each code, and eight
// more.
func (t *Table) decode(dst, codes []byte) (read, written int) {
	for read < len(codes) {
		code := codes[read]
		if int(code) >= t.count {
			if code != escape || read+1 == len(codes) {
				break
			}
			dst[written] = codes[read+1]
			written++
			read += 2
			continue
		}
		binary.LittleEndian.PutUint64(dst[written:], t.symbols[code])
		written += int(t.lengths[code])
		read++
	}
	return read, written
}

// DecodedLen returns the number of bytes of the text of an encoded string.
func (t *Table) DecodedLen(src []byte) (int, error) {
	length := 0
	err := t.pieces(src, func(symbol []byte) bool {
		length += len(symbol)
		return true
	})
	return length, err
}

// Decode decodes strings. It fails if one is malformed, if the offsets are
// invalid, or if they cannot count the bytes of the result. To decode some of
// the strings, pass their [Strings.Range].
func Decode[O Offset](t *Table, strings Strings[O]) (Strings[O], error) {
	return convert(strings, t.AppendDecode)
}

// pieces calls a function with the bytes that each code stands for, until it
// returns false.
func (t *Table) pieces(src []byte, each func([]byte) bool) error {
	var room [8]byte
	for at := 0; at < len(src); {
		symbol := room[:0]
		code := src[at]
		switch {
		case int(code) < t.count:
			symbol = t.appendSymbol(symbol, int(code))
			at++
		case code != escape:
			return &Error{Err: ErrCode, Offset: at, Detail: fmt.Sprintf("code %d of a table of %d symbols", code, t.count)}
		case at+1 == len(src):
			return &Error{Err: ErrTruncated, Offset: at, Detail: "the string ends after an escape code"}
		default:
			symbol = append(symbol, src[at+1])
			at += 2
		}
		if !each(symbol) {
			return nil
		}
	}
	return nil
}
