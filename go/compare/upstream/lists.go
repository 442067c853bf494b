package main

import (
	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/bigendian"
)

// WriteList and ReadList are the functions that docs/go-upstream.md proposes
// for gopkg's package thrift.

// WriteList writes the list or set of values, whose element type is et.
func WriteList[T bigendian.Element](buf []byte, et thrift.TType, values []T) int {
	n := thrift.Binary.WriteListBegin(buf, et, len(values))
	return n + bigendian.Write(buf[n:], values)
}

// ReadList reads a list or set whose element type is et. It checks the size
// against the bytes that are left before it allocates.
func ReadList[T bigendian.Element](buf []byte, et thrift.TType) ([]T, int, error) {
	got, size, n, err := thrift.Binary.ReadListBegin(buf)
	if err != nil {
		return nil, n, err
	}
	if size > 0 && got != et || size > (len(buf)-n)/bigendian.Size[T](1) {
		return nil, n, errReadList
	}
	return bigendian.Read[T](buf[n:], size), n + bigendian.Size[T](size), nil
}

var errReadList = thrift.NewProtocolException(thrift.INVALID_DATA, "ReadList: wrong element type, or buf too small")
