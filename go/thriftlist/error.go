package thriftlist

import (
	"errors"
	"fmt"
)

// What can be wrong with a list; test for them with [errors.Is].
var (
	// ErrTruncated says that the input ends before the list does.
	ErrTruncated = errors.New("truncated")
	// ErrNegativeSize says that a list or string claims a size below zero.
	ErrNegativeSize = errors.New("negative size")
	// ErrElementType says that the elements are of another type than asked for.
	ErrElementType = errors.New("wrong element type")
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
