package fsst

import (
	"errors"
	"fmt"
)

// Offset is the type of offsets: int32, or int64 for large strings, as in
// Arrow.
type Offset interface{ int32 | int64 }

// Strings are strings one after the other, as in Arrow: string i has the
// bytes from offset i up to offset i + 1. There is one offset more than there
// are strings, and the first one need not be 0.
type Strings[O Offset] struct {
	Bytes   []byte
	Offsets []O
}

// Join returns strings one after the other. It panics if the offsets cannot
// count their bytes.
func Join[O Offset, S ~string | ~[]byte](strings []S) Strings[O] {
	joined := Strings[O]{Offsets: make([]O, 1, len(strings)+1)}
	for _, text := range strings {
		joined.Bytes = append(joined.Bytes, text...)
		end := O(len(joined.Bytes))
		if int64(end) != int64(len(joined.Bytes)) {
			panic("fsst: Join: offsets cannot count the bytes")
		}
		joined.Offsets = append(joined.Offsets, end)
	}
	return joined
}

// Len returns the number of strings.
func (s Strings[O]) Len() int { return max(0, len(s.Offsets)-1) }

// At returns a string, without copying it.
func (s Strings[O]) At(i int) []byte { return s.Bytes[s.Offsets[i]:s.Offsets[i+1]] }

// Range returns the strings from one to another, which is not included,
// without copying them.
func (s Strings[O]) Range(from, to int) Strings[O] {
	return Strings[O]{Bytes: s.Bytes, Offsets: s.Offsets[from : to+1]}
}

// check returns an error if the offsets decrease or are beyond the bytes.
func (s Strings[O]) check() error {
	previous := O(0)
	for i, offset := range s.Offsets {
		if offset < previous || int64(offset) > int64(len(s.Bytes)) {
			detail := fmt.Sprintf("offset %d is smaller than the one before it, or beyond the end of the bytes", i)
			return &Error{Err: ErrOffsets, Offset: -1, Detail: detail}
		}
		previous = offset
	}
	return nil
}

// convert appends each string with a function.
func convert[O Offset](strings Strings[O], add func(dst, string []byte) ([]byte, error)) (Strings[O], error) {
	if err := strings.check(); err != nil {
		return Strings[O]{}, err
	}
	done := Strings[O]{Offsets: make([]O, 1, strings.Len()+1)}
	for i := range strings.Len() {
		var err error
		if done.Bytes, err = add(done.Bytes, strings.At(i)); err != nil {
			var malformed *Error
			if errors.As(err, &malformed) {
				err = behind(malformed, int(strings.Offsets[i]))
			}
			return Strings[O]{}, err
		}
		end := O(len(done.Bytes))
		if int64(end) != int64(len(done.Bytes)) {
			return Strings[O]{}, &Error{Err: ErrOffsets, Offset: -1, Detail: "the result is too long for 32 bits"}
		}
		done.Offsets = append(done.Offsets, end)
	}
	return done, nil
}
