package thriftlist

import (
	"errors"
	"fmt"
)

// Kinds of errors in a value; test for them with [errors.Is].
var (
	// ErrTruncated means that the input ends before the list does.
	ErrTruncated = errors.New("truncated")
	// ErrNegativeSize means that the size of a list or string is below zero.
	ErrNegativeSize = errors.New("negative size")
	// ErrElementType means that the elements have another type than requested.
	ErrElementType = errors.New("wrong element type")
	// ErrType means that a type code is not that of a type.
	ErrType = errors.New("unknown type")
	// ErrDepth means that values are nested too deep.
	ErrDepth = errors.New("nested too deep")
)

// Error describes an error in a list, with its position.
type Error struct {
	Err    error  // one of the errors of this package
	Offset int    // the offending byte, counted from the list's header
	Detail string // what was found there
}

// Error returns the full message.
func (e *Error) Error() string {
	return fmt.Sprintf("thriftlist: %v at byte %d: %s", e.Err, e.Offset, e.Detail)
}

// TooMany returns the error for a container of size elements that cannot fit
// in the left bytes after its header.
func TooMany(size, left int) *Error {
	return &Error{Err: ErrTruncated, Offset: left, Detail: fmt.Sprintf("%d elements need more than the %d bytes left", size, left)}
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
