// Package thriftlist writes and reads whole lists and sets of Thrift's binary
// protocol: five bytes of header (the element type, and the number of elements
// as a big-endian i32), then the elements one after another. Lists and sets of
// fixed-width elements take one bulk conversion instead of one call per value.
//
// The functions follow the style of Kitex's generated code. [BLength] returns
// the number of bytes that a list takes, [Write] writes them to a buffer of at
// least that size and returns their number, [Append] appends them, and [Read]
// and [ReadInto] return the number of bytes that they used. Lists and sets
// have the same bytes and the same functions.
//
//	Thrift              Go                  functions
//	bool                ~bool               Write, Append, Read, ReadInto
//	byte (i8)           ~int8               the same
//	i16, i32, i64       ~int16 .. ~int64    the same
//	double              ~float64            the same
//	an enum             ~int32, ~int64      WriteEnums, AppendEnums, ReadEnums, ReadEnumsInto
//	string              ~string             WriteStrings, AppendStrings, ReadStrings
//	binary              ~[]byte             WriteStrings, AppendStrings, ReadBinaries
//	anything else                           WriteHeader, AppendHeader, ReadHeader
//	any field                               Skip
//
// # Untrusted input
//
// The readers check a list's element type, and its size against the remaining
// bytes, before they allocate memory. They allocate at most the size of the
// input for fixed-width elements, twice that for enums, and for strings the
// size of the input and a Go header for every four bytes of it. Every error is
// an [*Error] with the offset of the offending byte. No input makes a reader
// panic.
//
// An empty list is accepted with any element type: some peers write none. A
// bool is true if its byte is 1, as in Kitex and in Apache Thrift for Go.
package thriftlist
