package thriftlist

import (
	"errors"
	"fmt"
)

// What can be wrong with a value; test for them with [errors.Is].
var (
	// ErrTruncated says that the input ends before the list does.
	ErrTruncated = errors.New("truncated")
	// ErrNegativeSize says that a list or string claims a size below zero.
	ErrNegativeSize = errors.New("negative size")
	// ErrElementType says that the elements are of another type than asked for.
	ErrElementType = errors.New("wrong element type")
	// ErrType says that a type code stands for no type.
	ErrType = errors.New("unknown type")
	// ErrDepth says that values are nested too deep.
	ErrDepth = errors.New("nested too deep")
)

// Error says what is wrong with a list, and where.
type Error struct {
	Err    error  // one of the errors of this package
	Offset int    // the offending byte, counted from the list's header
	Detail string // what was found there
}

// Error returns the whole story.
func (e *Error) Error() string {
	return fmt.Sprintf("thriftlist: %v at byte %d: %s", e.Err, e.Offset, e.Detail)
}

// TooMany returns the error for a container whose size elements cannot lie in
// the bytes that are left behind its header.
func TooMany(size, left int) *Error {
	return &Error{Err: ErrTruncated, Offset: left, Detail: fmt.Sprintf("%d elements need more than the %d bytes left", size, left)}
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
