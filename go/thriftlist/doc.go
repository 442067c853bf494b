// Package thriftlist writes and reads whole lists and sets of Thrift's binary
// protocol: five bytes of header (the element type, and the number of elements
// as a big-endian i32), then the elements one after another. Lists and sets of
// fixed-width elements take one bulk conversion instead of one call per value.
//
// The functions come in the style of Kitex's generated code. [BLength] says how
// many bytes a list takes, [Write] puts them into a buffer of at least that
// size and returns how many they were, [Append] appends them, and [Read] and
// [ReadInto] return how many bytes they used. Lists and sets have the same
// bytes and the same functions.
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
// The readers check a list's element type, and its size against the bytes that
// are left, before they allocate anything: what is allocated is at most the
// size of the input for fixed-width elements, twice that for enums, and for
// strings the size of the input and a Go header for every four bytes of it.
// Every error is an [*Error] that names the offending byte. No input makes a
// reader panic.
//
// An empty list is accepted with any element type: there are peers that write
// none. A bool is true if its byte is 1, as in Kitex and in Apache Thrift for Go.
package thriftlist
