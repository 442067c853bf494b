package fsst

import (
	"errors"
	"fmt"
)

// Kinds of errors; test for them with [errors.Is].
var (
	// ErrTruncated means that a table ends before its last symbol, or a string
	// after an escape code.
	ErrTruncated = errors.New("truncated")
	// ErrCode means that a code has no symbol.
	ErrCode = errors.New("code without a symbol")
	// ErrTable means that bytes or symbols are not a table.
	ErrTable = errors.New("invalid table")
	// ErrOffsets means that offsets decrease, are beyond the bytes, or cannot
	// count the result.
	ErrOffsets = errors.New("invalid offsets")
)

// Error describes an error in a table or an encoded string, with its position.
type Error struct {
	Err    error  // one of the errors of this package
	Offset int    // the offending byte, or -1
	Detail string // what was found there
}

// Error returns the full message.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("fsst: %v: %s", e.Err, e.Detail)
	}
	return fmt.Sprintf("fsst: %v at byte %d: %s", e.Err, e.Offset, e.Detail)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// behind returns the same error in an input in which count bytes precede it.
func behind(err *Error, count int) error {
	return &Error{Err: err.Err, Offset: err.Offset + count, Detail: err.Detail}
}
